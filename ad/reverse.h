/* reverse.h - the transposed derivative of a function, as a function of the same language.
 *
 *     f: (t, y, p) -> out      becomes      (t, y, p, u) -> yb += f_y^T u,  pb += f_p^T u
 *
 * Parameters: those of f without out, then u (lane input), yb and pb (lane sums, as wanted), then data. Each loop is reversed by recomputing its body:
 *
 *     R(for ... S) = for ... { F(S); R(S) },    R(S1; S2) = R(S2); R(S1)
 *
 * R(S) runs with the state as it was after S, restores what S overwrote, then adds adjoints with the values before S. F(S) is S with what R(S) needs
 * kept in locals. Where iterations depend on each other, a first loop puts on the tape what the second, descending one takes off again. */
#ifndef COSTATE_AD_REVERSE_H
#define COSTATE_AD_REVERSE_H

#include "tree.h"

enum { AD_BY_Y = 1, AD_BY_P = 2 };

/* NULL: an output that is read back or assigned twice has an extent that nothing tells (fn->out->extent). */
ad_fn *ad_reverse(ad_arena *m, const ad_fn *f, unsigned wrt);

#endif
