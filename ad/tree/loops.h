/* loops.h - indices as affine forms of loop counters, and what follows for the elements that a loop touches.
 *
 *     index = c + sum of c_k s_k,   s_k counters or integers that do not change in the code at hand
 *
 * Integers that are always set to the same expression of counters (int k = j*NX + i) are replaced by that expression. */
#ifndef COSTATE_AD_LOOPS_H
#define COSTATE_AD_LOOPS_H

#include "tree/flow.h"
#include "tree/tree.h"

enum { AD_TERMS = 8, AD_DEPTH = 16 };

typedef struct ad_affine {
    int ok;    /* 0: not an affine form, or too long a one */
    int terms;
    struct {
        const ad_sym *sym;
        int64_t c;
    } term[AD_TERMS];
    int64_t c;
} ad_affine;

/* The loops around a statement, outermost first. */
typedef struct ad_loops {
    int depth;
    const ad_node *loop[AD_DEPTH];
} ad_loops;

/* What integers stand for: def[number], or NULL. */
typedef struct ad_defs {
    const ad_node **def;
    int syms;
} ad_defs;

int ad_constant(const ad_node *n, int64_t *v);  /* 1: an integer constant */
int64_t ad_floor_div(int64_t a, int64_t b);     /* a / b, rounded down */
int64_t ad_trips(const ad_node *loop);          /* iterations of a loop, if constant; else -1 */
void ad_loops_enter(ad_loops *l, const ad_node *loop);

ad_defs ad_defs_of(ad_arena *m, const ad_fn *fn, const ad_node *body);
ad_affine ad_affine_of(const ad_defs *d, const ad_node *index);
ad_node *ad_from_affine(ad_arena *m, const ad_affine *a); /* an integer expression for the form */
int64_t ad_coefficient(const ad_affine *a, const ad_sym *s);
ad_affine ad_affine_difference(const ad_affine *a, const ad_affine *b);

/* 1: the form's symbols are counters of `loops` or do not change. */
int ad_steady(const ad_affine *a, const ad_loops *loops, const ad_syms *changing);

/* 1: the values of the form over all iterations of `loops` are within [*lo, *hi]. */
int ad_interval(const ad_defs *d, const ad_loops *loops, const ad_affine *a, int64_t *lo, int64_t *hi);

/* 1: different iterations of loops->loop[at] give different values, whatever the iterations of the loops inside it. Symbols
 * that are not counters of `loops` count as constants. */
int ad_injective(const ad_defs *d, const ad_loops *loops, int at, const ad_affine *a);

/* 1: a, within loops la, and b, within lb, never have the same value, whatever the iterations of either. */
int ad_disjoint(const ad_defs *d, const ad_loops *la, const ad_affine *a, const ad_loops *lb, const ad_affine *b);

/* Adds the arrays of which the loops together write every element. */
void ad_covered(ad_arena *m, ad_node *const *loop, int loops, ad_syms *a);

#endif
