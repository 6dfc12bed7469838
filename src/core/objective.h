/* objective.h - the objectives' parts outside the steps: psi = terminal + running + observations. The running part lives in
 * the families. */
#ifndef COSTATE_CORE_OBJECTIVE_H
#define COSTATE_CORE_OBJECTIVE_H

#include "method/method.h"

/* psi += the terminal part at (t1, y), or psi = y when there are no objectives; qdot likewise along a block of directions. */
int cst__terminal(costate_solver *s, const double *y, double *psi);
int cst__terminal_tangent(costate_solver *s, const double *y, dblock *d, const double *ydot);

/* Observation k at y. */
int cst__observe(costate_solver *s, int k, const double *y, double *psi);
int cst__observe_tangent(costate_solver *s, int k, const double *y, dblock *d, const double *ydot);

/* Seeds of the backward sweep: lambda += g_y^T omega, mu += g_p^T omega, and their derivatives when b carries them (along
 * ydot, b->pdot). */
int cst__terminal_adjoint(costate_solver *s, const double *y, const double *ydot, ablock *b);
int cst__observe_adjoint(costate_solver *s, int k, const double *y, const double *ydot, ablock *b);

/* mu += y0_p^T lambda, and its derivative. */
int cst__init_adjoint(costate_solver *s, ablock *b);

#endif
