/* shifted_value.h - values of a loop's body as they are in other iterations, and sums of them.
 *
 * Iterations x are those of one loop, or of two, one inside the other. The value of an expression at x - shift is the
 * expression with locals of the body replaced by what they are set to, and indices moved: y[100 j + i] of (j - 1, i) is
 * y[100 j + i - 100]. */
#ifndef COSTATE_AD_SHIFTED_VALUE_H
#define COSTATE_AD_SHIFTED_VALUE_H

#include "shape/passes_in.h"

typedef struct ad_nest {
    ad_run *r;
    const ad_node *loop[2]; /* the outer one, or NULL, and the inner one */
    ad_loops loops;         /* both */
    ad_syms changing;       /* what they assign to */
} ad_nest;

/* How far the form goes with a step in direction d: 0 along the outer loop, 1 along the inner one. */
int64_t ad_nest_stride(const ad_nest *x, const ad_affine *form, int d);

/* 1: the value may be computed in another iteration: few sums and products of few elements, and of what does not change. */
int ad_nest_movable(const ad_nest *x, const ad_node *e);

/* What does not change in a term: literal times rest, or the literal alone. */
typedef struct ad_factor {
    double literal;
    ad_node *rest;
} ad_factor;

/* A sum of values of several iterations: f_0 (a + b + ...) + f_1 (c + d + ...) + ..., where the f do not change. */
typedef struct ad_total {
    struct ad_term {
        ad_factor f;
        ad_node *sum;
    } *term;
    int count, room;
} ad_total;

/* Adds the value of e at x - shift. */
void ad_total_add(const ad_nest *x, ad_total *t, const ad_node *e, const int64_t *shift);

/* The same with no shift, if e goes with the factors that are there; else 0. */
int ad_total_absorb(const ad_nest *x, ad_total *t, const ad_node *e);

ad_node *ad_total_value(ad_arena *m, const ad_total *t);

#endif
