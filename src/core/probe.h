/* probe.h - parameters that the steps do not see (option `probe`).
 *
 * The error test looks at y. A parameter whose effect is not in y, as that of b in y' = -a y + b sin 40t at b = 0, has
 * derivatives that are computed on steps which may be far too long for them, unnoticed. So a run may carry one direction that
 * moves all parameters at once,
 *
 *     v_i = +-|p_i|, 1 where p_i is 0, signs at random;    ydot' = f_y ydot + f_p v,    ydot(t0) = y0_p v,
 *
 * and its error, held against atol_i + rtol (|y_i| + |ydot_i|), steers the steps as well: one jvp a stage, whatever the number of
 * parameters. Quadratures of running objectives are not in it. docs/theory.md, "Probe" */
#ifndef COSTATE_CORE_PROBE_H
#define COSTATE_CORE_PROBE_H

#include "core/run.h"

int cst__probe_wanted(const costate_solver *s);
int cst__probe_start(costate_solver *s, run *r); /* after the run's own directions are there */
/* After an attempt that is accurate enough: a verdict, and *err if the probe's is larger. Negative: failed for good. */
int cst__probe_attempt(costate_solver *s, run *r, const step *st, double *err);

#endif
