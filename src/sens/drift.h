/* drift.h - are the derivatives on these steps those of the flow?
 *
 *     y' = f(y):   H = lambda^T f(y) + omega^T r(y)   is constant from one observation to the next
 *
 * A discrete adjoint is the derivative of what was computed with its steps held; the solution may be right to the tolerance where
 * that is not. The error of a step depends on where in a fast phase it lies, and on steps of a relaxation that are 10^-6 of the
 * run a tolerance of 10^-6 moves that place by as much as it is. All of that shows as a shift in time, and so in H, for a call of
 * f at both ends. With t in f it is not constant; there f, and time with it, is carried forward as a direction, where steps are
 * uneven enough for such a shift to matter. A jump of f at some time would look the same, so it counts only if tighter tolerances
 * help.
 *
 * With M y' = f it is lambda^T M^+ f of the differential states, for the others are what the equations make of them. Over events
 * of guards it goes on, if time is in none of their functions; those at given times end a stretch on which it is constant, and
 * begin another. Of a method with a history it is the sum over its rows, all of which are moved along the solution. Not watched
 * are a steady start and the integrals of a method with a history; and, where f is carried forward, as with t in f or for
 * directions, mass matrices, events, a history and products by differences.
 */
#ifndef COSTATE_SENS_DRIFT_H
#define COSTATE_SENS_DRIFT_H

#include "core/driver.h"
#include "core/events.h"

int cst__drift_watched(const costate_solver *s);  /* H is constant, */
int cst__drift_followed(const costate_solver *s); /* or else f is to be carried along to be compared, by cst__drift_carry */
int cst__drift_doubted(const costate_solver *s);  /* there is reason to do so for directions, of which no sweep sees H */
size_t cst__drift_doubles(const costate_solver *s, int w); /* of ablock.flow */
/* A backward sweep is at the start of a step; last: something is about to be added to lambda, or this is t0. What H has
 * become is added to solver.drift, the largest of all lanes, relative to the sizes of its terms; second order: that of its
 * derivative along ydot and b->pdot as well. */
int cst__drift_look(costate_solver *s, ablock *b, const step *st, const double *ydot, int last);
int cst__drift_goes_on(costate_solver *s, const happened *e); /* H is the same on both sides of e */
/* The same for directions: f itself, carried along the recorded steps as one, and f at the end. */
int cst__drift_carry(costate_solver *s);

/* At the end of a call. 1: method auto has made the run again with tighter tolerances, by which H is constant; derivatives are
 * to be computed anew. 0: they stay, perhaps with costate_stats.warning. Else a status. tg: the call's directions, which go
 * along; NULL: it has none. `again`: it can be computed anew. */
int cst__drift_settle(costate_solver *s, tangent *tg, int again);

#endif
