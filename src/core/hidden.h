/* hidden.h - index 2 where a run begins: what the derivative of its constraints by time says.
 *
 *     M d' = f(t, d, u, p),   0 = g(t, d, u, p),   0 = h(t, d, p)        u: all algebraic states, those of index 2 among them
 *
 * h does not contain u. Along a solution h_t + h_d d' = 0 holds too, and that, with g = 0, determines u:
 *
 *     v = M^-1 f,   0 = g(t, d, u, p),   0 = h' = h_t(t, d, p) + h_d(t, d, p) v
 *
 *     K = [ M   -f_u ]     tangent    K [vdot; udot] = [f_d ddot + f_p pdot;  g_d ddot + g_p pdot;  h''(1, v, 0; 0, ddot, pdot)]
 *         [ 0   -g_u ]     transpose  K^T chi = [0; lambda_u];   lambda_u <- 0
 *         [ -h_d   0 ]                lambda_d += (f_d, g_d)^T (chi_f, chi_g) + h''(1, v, 0)_d^T chi_h,   mu likewise
 *
 *     second order along (ydot, pdot), ' being the derivative along it, vdot = v':
 *         K^T chidot = [h_d'^T chi_h;  lambdadot_u + f_u'^T chi_f + g_u'^T chi_g]
 *         lambdadot_d, mudot: the lines above with chidot, and (f, g)'^T (chi_f, chi_g) + h'''(1, v, 0; 0, ydot, pdot)^T chi_h
 *                             + h''(0, vdot, 0)^T chi_h
 *
 * K is regular where h_d M^-1 f_u is on what g leaves: index 2 in Hessenberg's form. docs/theory.md (74), (75) */
#ifndef COSTATE_CORE_HIDDEN_H
#define COSTATE_CORE_HIDDEN_H

#include "method/method.h"

/* s->constraint: which equations are an h; NULL where no state is of index 2. 0, or a status with its message. */
int cst__hidden_find(costate_solver *s, const double *y);

/* r = f(t0, y): the rows of constraints become h'. Returns what callbacks do. */
int cst__hidden_remainder(costate_solver *s, const double *y, double *r);

/* d must be on the constraints, and .index right: K is that of (t0, y), consistent otherwise. A status with its message, or what
 * callbacks and the linear solver do. */
int cst__hidden_holds(costate_solver *s, const double *y);

/* And stay on them along d->pdot, init included; NULL: whichever parameter changes. 0, or a status with its message. */
int cst__hidden_stays(costate_solver *s, const dblock *d);

/* K is that of (t0, s->y0). They return what callbacks and the linear solver do. */
int cst__hidden_tangent(costate_solver *s, dblock *d);
int cst__hidden_adjoint(costate_solver *s, const double *ydot, ablock *b);

/* After K was singular: what of it can be told, "" or ": ...". */
void cst__hidden_blame(costate_solver *s, const double *y, char *words, size_t size);

#endif
