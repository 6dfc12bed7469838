/* emit_guards.h - the conditions of a model's functions as C: a table of their places, and a function that evaluates them. */
#ifndef COSTATE_AD_EMIT_GUARDS_H
#define COSTATE_AD_EMIT_GUARDS_H

#include "emit/emit_products.h"

/* name_guards, and its table; returns how many there are. 0: nothing was put. */
int ad_put_guards(ad_out *o, const ad_subject *s);

/* The member of costate_problem.guards for them. */
void ad_put_guards_member(ad_out *o, const ad_subject *s, const char *function, int count);

#endif
