/* guards.h - the conditions of a function: where a value of t, y and p decides which way it is computed. Its derivatives are
 * those of the way that was taken; across the place where another one is taken the function, or its derivative, may jump.
 *
 * A site is an expression that decides: a comparison of doubles, fabs, fmin, floor and their like, a double that becomes an
 * integer. if, ?:, &&, while and indices decide by what they are made of, so there is nothing else to be found. == and != are
 * none: they single out a point, not a side. */
#ifndef COSTATE_AD_GUARDS_H
#define COSTATE_AD_GUARDS_H

#include "tree/tree.h"

enum { AD_MOST_GUARDS = 1024 }; /* sites of a function; those beyond share the last one's place */

typedef struct ad_guard {
    ad_place place;
    const char *text; /* as C */
    unsigned on;      /* COSTATE_ON_TIME ... of costate.h: what it depends on */
    unsigned is;      /* COSTATE_GUARD_... */
    int held;         /* as in costate_guard; */
    const char *why;  /* likewise */
} ad_guard;

typedef struct ad_guards {
    int count;
    ad_guard *guard;
    ad_fn *fn; /* with two outputs for each site, as costate_guards has it */
} ad_guards;

/* Those of fn, which is not changed. count 0: there is none. */
ad_guards ad_guards_of(ad_arena *m, const ad_fn *fn);

/* A condition as C, with the user's names, cut if it is long. */
const char *ad_guard_text(ad_arena *m, const ad_node *n);

#endif
