/* linearize.h - the derivative of an expression as a sum over its leaves. */
#ifndef COSTATE_AD_LINEARIZE_H
#define COSTATE_AD_LINEARIZE_H

#include "tree/tree.h"

/* d expr = sum over i of factor_i * d leaf_i. A leaf is an AD_NAME or AD_ELEM for which active says 1. Results of calls and
 * quotients, large arguments and shared factors are put into temporaries, which are declared and set in the block `pre`, and
 * *expr is rewritten to use them, so that nothing dear is computed twice and the factors are cheap. fn has been through
 * ad_unfold. Terms with the same leaf are merged. The order of terms is that of first occurrence. *expr must be a tree of the
 * caller's own, for it is changed. */
typedef enum ad_wins {
    AD_NONE_WINS,
    AD_DIRECTION_WINS, /* the factor may be infinite: times a derivative that is 0 it gives 0, where that may be trusted */
    AD_FACTOR_WINS     /* the leaf's derivative may be infinite: times a factor that is 0 it gives 0 */
} ad_wins;

typedef struct ad_term {
    ad_node *leaf, *factor;
    ad_wins wins;
} ad_term;
int ad_linearize(ad_arena *m, ad_fn *fn, ad_node **expr, int (*active)(const ad_node *leaf, void *context), void *context,
                 ad_node *pre, ad_term **terms);

/* factor * direction, where that is the leaf's derivative, or in reverse the adjoint of what the expression is assigned to. */
ad_node *ad_term_along(ad_arena *m, ad_wins wins, ad_node *factor, ad_node *direction);

/* unfold.c: turns every ?: of doubles whose branches call, divide or read an element that the condition may guard into a
 * temporary and an if, in place. Done before derivatives are taken: a branch that is not chosen is then not evaluated by them
 * either. */
void ad_unfold(ad_arena *m, ad_fn *fn);

#endif
