/* grows.h - what may be huge for moderate arguments: exponentials and powers, and what is computed from them.
 *
 * A product or quotient of two such values overflows while both are finite, and so does its derivative, a' b + a b', where the
 * value around it is finite: 1 / (1 + exp(x) exp(x)). There the factor beside it is 0; so that it meets no infinity, the partial
 * derivatives of what has overflowed are 0 (costate_tamed of costate/runtime.h). Elsewhere they are what they are.
 * What is in no divisor and in no argument of a call is of the function's own size, and left alone. */
#ifndef COSTATE_AD_GROWS_H
#define COSTATE_AD_GROWS_H

#include "tree/tree.h"

void ad_grows_mark(const ad_fn *fn); /* sets `grows` of its symbols */
int ad_grows(const ad_node *e);
/* A product or quotient of two of them, or of one that is made in it. Single names that grow may be factors of every term of a
 * model, as rate constants are, and these are left alone. */
int ad_overflows(const ad_node *e);

#endif
