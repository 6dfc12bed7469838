/* activity.h - which symbols carry derivatives.
 *
 * varied: its value may depend on one of the chosen inputs in a way that has a derivative; useful: it may influence an output
 * so. Derivatives exist for what is both. Conditions, indices, integers and steps (floor, ...) pass no derivative on. Symbols
 * are followed as a whole, over the whole function: `double s = 0; s += y[i];` makes s varied, and the first assignment then
 * simply has no derivative. */
#ifndef COSTATE_AD_ACTIVITY_H
#define COSTATE_AD_ACTIVITY_H

#include "tree/flow.h"
#include "tree/tree.h"

typedef struct ad_activity {
    ad_syms varied, useful;
} ad_activity;

/* inputs: the symbols that vary; outputs: those whose derivatives are wanted (NULL: every AD_OUTPUT and AD_SUM parameter). */
ad_activity ad_activity_of(ad_arena *m, const ad_fn *fn, const ad_syms *inputs, const ad_syms *outputs);

int ad_active(const ad_activity *a, const ad_sym *s);          /* varied and useful, and a double */
int ad_expr_varied(const ad_activity *a, const ad_node *expr); /* 1: expr has a derivative with respect to the inputs */

#endif
