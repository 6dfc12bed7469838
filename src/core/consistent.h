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

/* Behind an event, at time t: y (n) given, its differential states stay; the mode is the one there. Index 1 only. y is consistent
 * in what follows, and the time moves along: K ydot = [M ydot; f_ap pdot + f_at tdot], b->nu += f_at.chi_a. And y', which makes
 * 0 = f_at + f_a,y y' where it has no mass. */
int cst__consistent_behind(costate_solver *s, double t, double *y);
int cst__consistent_behind_tangent(costate_solver *s, double t, const double *y, const double *tdot, dblock *d, double *ydot);
int cst__consistent_behind_adjoint(costate_solver *s, double t, const double *y, const double *tdot, const double *ydot,
                                   ablock *b);
int cst__consistent_slopes(costate_solver *s, double t, const double *y, double *slope);

/* Of a steady start: state i has its slope among the last states, so many further on, if it has one. */
static inline size_t start_given(const costate_solver *s)
{
    return (size_t)(s->prob.n - s->prob.slopes);
}

static inline int start_has_slope(const costate_solver *s, size_t i)
{
    return i < (size_t)s->prob.slopes && s->prob.mass[i] != 0;
}

int cst__start_any(const costate_solver *s); /* there are algebraic states */
void cst__start_done(costate_solver *s);     /* the family's own factors are gone */
int cst__start_failed(costate_solver *s, int rc, const char *which, const double *y); /* a status with its message */

/* Directions at s->y0, d->ydot; and what is owed to the initial values, in b, with its derivative along ydot if b has one. 0, or
 * a status with its message. */
int cst__consistent_tangent(costate_solver *s, dblock *d);
int cst__consistent_adjoint(costate_solver *s, const double *ydot, ablock *b);

#endif
