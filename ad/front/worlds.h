/* worlds.h - what is known of a function's variables while it is gone through without its inputs (assigned.c).
 *
 * A world stands for the runs that came here on one way, or on several that did not differ: for each element whether it was set,
 * the values of integers as far as they follow from the text, and the conditions that were assumed. */
#ifndef COSTATE_AD_WORLDS_H
#define COSTATE_AD_WORLDS_H

#include "front/lower.h"

typedef enum ac_state {
    UNSET,   /* nobody has set it */
    GIVEN,   /* set */
    MISSED,  /* set on some ways here and not on others */
    PERHAPS, /* the text does not tell: an index or the passes of a loop depend on data */
    KNOWN    /* an integer whose value is known */
} ac_state;

typedef struct ac_fact {
    const ad_node *condition;
    int truth;
    struct ac_fact *next;
} ac_fact;

typedef struct ac_world {
    unsigned char *state; /* of each element */
    int64_t *value;       /* of integers that are KNOWN */
    ac_fact *fact;
} ac_world;

typedef struct ac_atlas {
    ac_lower *cx;
    int64_t *at, *count;  /* by number of symbol: its first element, how many; 0: not followed */
    int64_t *whole;       /* its first integer value; -1: a double */
    int64_t elements, integers;
    const int64_t *k;     /* the value of the function's k; NULL: any */
    ac_world spare[8];
    int spares;
    long budget;          /* work that may still be done; below 0: too much */
} ac_atlas;

ac_world ac_world_copy(ac_atlas *a, const ac_world *w);

/* w becomes what holds in both; `missed` is the state of what only one has set. */
void ac_world_join(ac_atlas *a, ac_world *w, const ac_world *other, ac_state missed);
void ac_world_drop(ac_atlas *a, ac_world *w); /* its memory may be used again */

/* 1: the flags are the same and, if `strict`, the elements that are set. */
int ac_world_same(ac_atlas *a, const ac_world *w, const ac_world *other, int strict);

int ac_world_value(ac_atlas *a, const ac_world *w, const ad_node *e, int64_t *value); /* 1: the integer is known */
int ac_world_truth(ac_atlas *a, const ac_world *w, const ad_node *e);                 /* 0, 1; -1: may be either */
int ac_world_assume(ac_atlas *a, ac_world *w, const ad_node *e, int truth);           /* 0: it cannot be so */
void ac_world_forget(ac_atlas *a, ac_world *w, const ad_sym *s);                      /* what was assumed of s */

unsigned char *ac_open_scalars(ac_lower *cx); /* definite.c: by number of symbol: 1: may be read before it is set */

#endif
