/* drift.h - are the derivatives on these steps those of the flow?
 *
 *     y' = f(y):   H = lambda^T f(y) + omega^T r(y)   is constant from one observation to the next
 *
 * A discrete adjoint is the derivative of what was computed with its steps held; the solution may be right to the tolerance where
 * that is not. The error of a step depends on where in a fast phase it lies, and on steps of a relaxation that are 10^-6 of the
 * run a tolerance of 10^-6 moves that place by as much as it is. All of that shows as a shift in time, and so in H, for a call of
 * f at both ends. With t in f it is not constant; there f, and time with it, is carried forward as a direction, where steps are
 * uneven enough for such a shift to matter. A jump of f at some time would look the same, so it counts only if tighter tolerances
 * help. Problems with a mass matrix or events, a family that has a history, and with t in f products by differences, are not
 * watched. */
#ifndef COSTATE_SENS_DRIFT_H
#define COSTATE_SENS_DRIFT_H

#include "core/driver.h"

int cst__drift_watched(const costate_solver *s);  /* H is constant, */
int cst__drift_followed(const costate_solver *s); /* or else f is to be carried along to be compared, by cst__drift_carry */
int cst__drift_doubted(const costate_solver *s);  /* there is reason to do so for directions, of which no sweep sees H */
size_t cst__drift_doubles(const costate_solver *s, int w); /* of ablock.flow */
/* A backward sweep is at (t, y), the start of a step; last: something is about to be added to lambda, or this is t0. What H has
 * become is added to solver.drift, the largest of all lanes, relative to the sizes of its terms; second order: that of its
 * derivative along ydot and b->pdot as well. */
int cst__drift_look(costate_solver *s, ablock *b, double t, const double *y, const double *ydot, int last);
/* The same for directions: f itself, carried along the recorded steps as one, and f at the end. */
int cst__drift_carry(costate_solver *s);

/* At the end of a call. 1: method auto has made the run again with tighter tolerances, by which H is constant; derivatives are
 * to be computed anew. 0: they stay, perhaps with costate_stats.warning. Else a status. tg: the call's directions, which go
 * along; NULL: it has none. `again`: it can be computed anew. */
int cst__drift_settle(costate_solver *s, tangent *tg, int again);

#endif
