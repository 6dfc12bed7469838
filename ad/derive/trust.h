/* trust.h - where 0 times infinity is 0 in derivatives.
 *
 * The slope of sqrt(y) at y = 0 is infinite. A direction in which y does not move at all gives 0 there, not NaN; but a
 * derivative that is 0 at this point only proves nothing: cbrt(x x x) has the slope 1 at 0, where d(x x x) = 0. So a zero wins
 * over an infinite slope where it is known to stay for good, and elsewhere the product is NaN, which ends a run:
 *
 *   calm(x)      x_d = 0 means that x does not move: an input, or a local computed by sums, and products of what is independent
 *   plain(x)     x_b = 0 means that no output depends on x: x goes into outputs by sums and factors that are independent of it
 *   flat(e, x)   de/dx = 0 means that e does not depend on x: x occurs once, under + - * /, its factors are independent of it
 *
 * Two expressions are independent if they are computed from different parameters of the function, or from different elements. */
#ifndef COSTATE_AD_TRUST_H
#define COSTATE_AD_TRUST_H

#include "tree/tree.h"

typedef struct ad_trust {
    int any;              /* 1: the function has a steep call; else nothing below is there */
    unsigned char *calm;  /* by number of symbol */
    unsigned char *plain;
    unsigned char *prone; /* 1: goes into the argument of a steep call, so that its adjoint may be infinite */
} ad_trust;

ad_trust ad_trust_of(ad_arena *m, const ad_fn *fn); /* sets `from` and `grows` of its symbols, too */
uint32_t ad_from(const ad_node *e);                 /* of an expression */
int ad_is_flat(const ad_node *e, const ad_node *leaf);

#endif
