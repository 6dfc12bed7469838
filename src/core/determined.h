/* determined.h - do the equations at t0 determine what they are solved for?
 *
 * What determines the algebraic states u is S = g_u, or [g_u; h_d M^-1 f_u] with constraints (hidden.h), which is what is left
 * of K after elimination. A pencil that is singular only up to round-off has factors all the same, and what they solve is
 * anything: a pressure that is there up to a constant gets one from round-off, and a difference of pressures is what is left of
 * it. Seen by a vector x that is known: with b = S x by products, d = S^-1 b - x is round-off if S is regular. If it is not, d
 * is not small against x, and S d is nothing against its own terms: d can be added to u without breaking an equation. Where d is
 * large because units are odd, S d has terms that stand alone. */
#ifndef COSTATE_CORE_DETERMINED_H
#define COSTATE_CORE_DETERMINED_H

#include "solver/solver.h"

/* K of consistent.h is that of (t0, y). words: names of states that can move together, empty if K is regular. Returns what
 * callbacks and the linear solver do. */
int cst__undetermined(costate_solver *s, const double *y, char *words, size_t size);

#endif
