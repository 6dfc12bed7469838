/* rules.h - the functions of rules.def and their derivatives. */
#ifndef COSTATE_AD_RULES_H
#define COSTATE_AD_RULES_H

#include "tree/tree.h"

enum ad_rule {
#define AD_RULE1(name, da) AD_RULE_##name,
#define AD_RULE2(name, da, db) AD_RULE_##name,
#define AD_KINK1(name, da, where, taken) AD_RULE_##name,
#define AD_KINK2(name, da, db, where, taken) AD_RULE_##name,
#include "tree/rules.def"
#undef AD_RULE1
#undef AD_RULE2
#undef AD_KINK1
#undef AD_KINK2
    AD_RULES
};

int ad_rule_find(const char *name); /* -1: none */
const char *ad_rule_name(int rule);
int ad_rule_arity(int rule);
const char *ad_rule_kink(int rule);  /* where the function is not smooth, e.g. "its argument passes 0"; NULL: nowhere */
const char *ad_rule_taken(int rule); /* which derivative is taken there */

int ad_rule_inner(int rule);         /* 1: a function of derivatives, not of math.h */

/* 1: its derivative, up to the third, may be infinite, or none, where the value of the call is finite. */
int ad_rule_steep(const ad_node *call);

/* a b, and 0 where b is 0, whatever a is. */
ad_node *ad_along(ad_arena *m, ad_node *a, ad_node *b);

/* The call rule(a) or rule(a, b). */
ad_node *ad_call(ad_arena *m, int rule, ad_node *a, ad_node *b);

/* The derivative of call with respect to its argument `which` (0 or 1). r stands for the result: an expression for the call's
 * value, copied where it is used. */
ad_node *ad_rule_derivative(ad_arena *m, const ad_node *call, int which, const ad_node *r);

/* 1: the derivative with respect to that argument is not 0 everywhere, as that of floor is. */
int ad_rule_passes(ad_arena *m, const ad_node *call, int which);

/* 1: a derivative of the rule is written with what: 'a', 'b' or 'r'. */
int ad_rule_needs(int rule, char what);

#endif
