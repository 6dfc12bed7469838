/* halved.h - the recorded run once more, each of its steps taken as two halves: what error bars are measured by.
 *
 *     t_i -> t_(i+1), h_i     becomes     t_i -> t_i + h_i/2 -> t_(i+1), h_i/2 each
 *
 * By a method of order p the error of the halves is 2^-p of the error e there is, so that the difference of the two runs is
 * (1 - 2^-p) e, of everything that is computed from them: docs/theory.md, "Error bars". Steps of a multistep method keep their
 * order, and have their past on the halved grid. Sizes being prescribed, there is no error test.
 *
 * The run belongs to a solver of its own, so that the recorded one stays as it is. That has the same problem, options, method and
 * initial state, as many threads, and what is left of the budgets. It is made once: that may take longer than a short run. */
#ifndef COSTATE_CORE_HALVED_H
#define COSTATE_CORE_HALVED_H

#include "core/driver.h"

/* s->halved, with the steps to be taken (log.fresh): cst__repeat takes them. On failure the status and message are those of s.
 * record: sweeps will follow. */
int cst__halved_open(costate_solver *s, int record);
void cst__halved_rest(costate_solver *s);  /* what was computed is no longer needed: its trajectory goes, it stays for the next */
void cst__halved_close(costate_solver *s); /* none is fine */

/* What failed in `halved` as the failure of s. */
int cst__halved_failed(costate_solver *s, const costate_solver *halved, int status);

#endif
