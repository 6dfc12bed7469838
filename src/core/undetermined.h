/* undetermined.h - what a singular matrix of the initial values leaves open, by name: the singular vectors of K, which is at hand,
 *
 *     K x = 0: the variables that may move at will;   w^T K = 0: the equations that say the same, or nothing, of them
 *
 * What determines the algebraic states u is S = g_u, or [g_u; h_d M^-1 f_u] with constraints (hidden.h), which is what is left
 * of K after elimination. A pencil that is singular only up to round-off has factors all the same, and what they solve is
 * anything: a pressure that is there up to a constant gets one from round-off, and a difference of pressures is what is left of
 * it. Seen by a vector x that is known: with b = S x by products, d = S^-1 b - x is round-off if S is regular. If it is not, d
 * is not small against x, and S d is nothing against its own terms: d can be added to u without breaking an equation. Where d is
 * large because units are odd, S d has terms that stand alone. */
#ifndef COSTATE_CORE_UNDETERMINED_H
#define COSTATE_CORE_UNDETERMINED_H

#include "solver/solver.h"

/* K is that of (t0, y), and has factors: names of states that can change together if it is singular up to round-off, else "".
 * Returns what callbacks and the linear solver do. */
int cst__left_open(costate_solver *s, const double *y, char *names, size_t size);

/* Of a singular K, " (left open by equations: variables)"; of a large one, or one without entries, what is known of it: free, the
 * names above, or "". */
void cst__undetermined(costate_solver *s, const char *free, char *words, size_t size);

#endif
