/* consistent.h - initial values that satisfy the algebraic equations of M y' = f, M diagonal and singular, and their derivatives.
 *
 *     y = (d, a): what is differentiated and what is not. Given d, a solves f_a(t0, d, a, p) = 0, by Newton's method from the
 *     values given. With K = M - [0; J_a], the rows of J that belong to algebraic equations,
 *
 *         tangent     K ydot = [M ddot; f_ap pdot]
 *         transpose   K^T chi = lambda;   lambda_d <- M chi_d,  lambda_a <- 0,  mu += f_ap^T chi_a
 *         second      K^T chidot = lambdadot + C_y;   mudot += f_ap^T chidot_a + C_p;   C = derivative of (f_a,y, f_a,p)^T chi_a
 *
 * All three are the identity where M is not singular. docs/theory.md (67). With variables of index 2 it is hidden.h that says
 * what determines the algebraic states. */
#ifndef COSTATE_CORE_CONSISTENT_H
#define COSTATE_CORE_CONSISTENT_H

#include "method/method.h"

/* y (n) at t0 with parameters s->p. begin: of a run; which states are given is found anew, where that is not for the mass alone
 * to say, and what was changed is said in costate_stats.start, as it is if report is set. 0, or a status with its message. */
int cst__consistent_begin(costate_solver *s, double *y);
int cst__consistent(costate_solver *s, double *y, int report);

/* What a second order lacks for it; NULL: nothing. */
const char *cst__consistent_lacks(const costate_solver *s);

int cst__start_matrix(costate_solver *s, const double *y); /* factors of K at (t0, y); what callbacks and the solver do */
double cst__start_time(const costate_solver *s);         /* t0, as the first step sees it */
const double *cst__start_mass(const costate_solver *s);  /* M there: more of it may be zero, where slopes depend on others */

/* Directions at s->y0, d->ydot; and what is owed to the initial values, in b, with its derivative along ydot if b has one. 0, or
 * a status with its message. */
int cst__consistent_tangent(costate_solver *s, dblock *d);
int cst__consistent_adjoint(costate_solver *s, const double *ydot, ablock *b);

#endif
