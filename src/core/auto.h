/* auto.h - method "auto": an explicit method while that is sound and cheap, else an implicit one.
 *
 * A run begins with the explicit method, watched (stiffness.h). When that finds the problem stiff, the run is started again from
 * t0 with an implicit method, so that a run has one method, and all that follows it, adjoints, replays, second order, is that
 * method's own. Which one it becomes depends on the input of the run alone: not on runs before it, threads or budgets. Where one
 * fails, the others are tried. */
#ifndef COSTATE_CORE_AUTO_H
#define COSTATE_CORE_AUTO_H

#include "core/run.h"

int cst__auto_first(const costate_solver *s);    /* that it begins with */
const costate_table *cst__auto_table(int k); /* the methods it has: 0 is the explicit one */

/* What a run by the implicit method would cost, in steps of the explicit one; infinity: it cannot be had. */
double cst__auto_implicit_cost(costate_solver *s);
int cst__auto_find_pattern(costate_solver *s); /* for solvers that will share it; the run's input is known */

#endif
