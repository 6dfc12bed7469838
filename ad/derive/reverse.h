/* reverse.h - the transposed derivative of a function, as a function of the same language.
 *
 *     f: (t, y, p) -> out      becomes      (t, y, p, u) -> yb += f_y^T u,  pb += f_p^T u
 *
 * Parameters: those of f without out, then u (lane input), yb and pb (lane sums, as wanted), then data. Each loop is reversed
 * by recomputing its body:
 *
 *     R(for ... S) = for ... { F(S); R(S) },    R(S1; S2) = R(S2); R(S1)
 *
 * R(S) runs with the state as it was after S, restores what S overwrote, then adds adjoints with the values before S. F(S) is
 * S with what R(S) needs kept in locals. Where iterations depend on each other, a first loop puts on the tape what the second,
 * descending one takes off again. */
#ifndef COSTATE_AD_REVERSE_H
#define COSTATE_AD_REVERSE_H

#include "tree/tree.h"

enum { AD_BY_Y = 1, AD_BY_P = 2 };

/* f has been through ad_unfold (linearize.h), ad_scalar_arrays and ad_privatize (flow.h): shape/passes.c has the order. NULL: an
 * output that is read back or assigned twice has an extent that nothing tells (fn->out->extent). */
ad_fn *ad_reverse(ad_arena *m, const ad_fn *f, unsigned wrt);

/* scalar_arrays.c: local arrays with constant indices only become scalars; in place. */
void ad_scalar_arrays(ad_arena *m, ad_fn *fn);

/* reverse_points.c: from what ad_reverse made for AD_BY_P, in place,
 *
 *     pb += sum over k < points of f_p(t_k, y_k, p)^T u_k
 *
 * Parameters: points, t, y, p, u, pb, data; t, y and u have sym->points: one for each point, valid inside the loops over points
 * alone (AD_FOR.sym is fn->point). Where the outermost loop of the reverse function does nothing but add to pb, the points run
 * inside it, so that the part of pb that an iteration touches stays near; else the points are the outermost loop. 0: not to be
 * had (a function of k, one that returns a status). */
int ad_over_points(ad_arena *m, ad_fn *fn);

#endif
