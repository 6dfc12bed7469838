/* held_in.h - between held.c, which finds the conditions of a function, held_time.c, which knows those of time alone, and
 * held_events.c, which makes events of them. */
#ifndef COSTATE_AD_HELD_IN_H
#define COSTATE_AD_HELD_IN_H

#include "derive/held.h"

enum { HELD_MOST = 64, HELD_TRIPS = 32 };

/* A condition; in a loop there are as many of them, one after the other. */
typedef struct held_site {
    ad_node *base;      /* the number of the first in the text of the function, to be filled in */
    const char *key;    /* what it compares, the same for all that compare the same; NULL: like no other */
    const char *text;   /* as C */
    ad_place place;
    int count;
    int timed;          /* 1: at known times: */
    ad_node **time;     /* `count` of them, expressions of constants and parameters */
    ad_node *guard;     /* of the phase of a cycle: positive where it holds; else NULL; and */
    double period;      /* the cycle's; 0: not known */
    int function;       /* it was found in */
    int first;          /* number of the first */
} held_site;

typedef struct held_list {
    ad_arena *m;
    ad_model *model;
    const char *none; /* why none is held; NULL */
    int sites, held, timed; /* held, timed: how many conditions */
    held_site site[HELD_MOST];
} held_list;

/* ---- held_time.c */

/* Variables that are set once and for all, where they stand. */
typedef struct held_defs {
    const ad_fn *fn;
    const ad_node **value; /* by number of symbol; NULL: not known */
    int64_t *counter;      /* by number of symbol: of a counter whose value is known */
    unsigned char *known;  /* likewise: 1: it is */
} held_defs;

held_defs held_defs_of(ad_arena *m, const ad_fn *fn);
ad_node *held_expanded(ad_arena *m, const held_defs *d, const ad_node *n, int depth); /* by inputs and constants; NULL */
const char *held_key(ad_arena *m, const ad_fn *fn, const ad_node *a, const ad_node *b); /* of expanded ones */

/* Where a - b, an expanded one, passes 0, if it is linear in time with slope 1 and otherwise depends on parameters only; NULL. */
ad_node *held_time(ad_arena *m, const ad_fn *fn, const ad_node *a, const ad_node *b);
int held_number(const ad_node *n, double *value); /* 1: a constant */

/* ---- held_phase.c */

/* A comparison of the phase of a cycle. */
typedef struct held_phase {
    ad_node *x, *period, *bound; /* phase of x in the period: more than the bound, */
    int above;                   /* if 1; else less */
    int cut;                     /* 1: as fmod's it has the sign of x; 0: as floor's, that of the period */
} held_phase;

double held_phase_time(const ad_fn *fn, const held_phase *f);    /* its period in time, if that is a number; 0 */
int held_phase_of(ad_arena *m, const ad_node *n, held_phase *f); /* 1: n is one */
ad_node *held_phase_guard(ad_arena *m, const held_phase *f);     /* positive where it holds, without jumps where that changes */

/* ---- held_events.c */

void held_make_events(held_list *l);
void held_parameter(ad_arena *m, ad_fn *fn); /* fn->held */

#endif
