/* passes.h - from a function of the model to the tree that is emitted, pass by pass: the table is in passes.c. */
#ifndef COSTATE_AD_PASSES_H
#define COSTATE_AD_PASSES_H

#include "derive/reverse.h"
#include "derive/tangent.h"
#include "tree/tree.h"

struct ad_run;
struct ad_plan;

enum { AD_DERIVE, AD_SHAPE };                     /* stages */
enum { AD_ONE_LANE = 1, AD_LANES = 2, AD_BOTH = 3 }; /* code with one lane; code in which lanes are the vectors */
enum { AD_LIVE = 1, AD_DEFS = 2 };                /* what is anew after a pass: dead code removed; what integers stand for */
enum {                                            /* plans: a pass runs where all that it asks for is so */
    AD_REVERSED = 1,   /* by is not 0 */
    AD_POINTS = 2,     /* points */
    AD_TANGENT = 4,    /* levels at least 1 */
    AD_TANGENT2 = 8,   /* levels 2 */
    AD_UNCHECKED = 16  /* not checked */
};

typedef struct ad_pass {
    const char *name;
    void (*run)(struct ad_run *r);
    int stage, lanes, where, anew;
    const char *about; /* a line for people */
} ad_pass;

const ad_pass *ad_passes(int *count);
const ad_pass *ad_pass_named(const char *name); /* NULL: there is none */

/* For those who look on: called after each pass. */
typedef struct ad_watch {
    void (*after)(void *context, const struct ad_plan *plan, const ad_pass *pass, const ad_fn *fn);
    void *context;
} ad_watch;

/* What is to be made of a function. Zeroed: the function itself, for one lane. */
typedef struct ad_plan {
    const char *product, *name; /* for who looks on: "vjp", "lorenz63_vjp_y" */
    unsigned by;           /* reverse mode with respect to: AD_BY_Y, AD_BY_P; 0: none */
    int points;            /* 1: for several points at once (ad_over_points) */
    int levels;            /* tangents to take, 0 to 2, though nothing may move */
    const char *move[2];   /* what moves in each: letters t y p u */
    int keep;              /* enum ad_keep */
    int lanes;             /* 1: for code in which lanes are the vectors */
    int checked;           /* 1: values are checked at run time and reported with the user's names */
    const ad_watch *watch; /* NULL: nobody */
} ad_plan;

/* The derivative, from f, which is not changed. NULL: cannot be had, for reverse mode does not know the size of an output that is
 * read back, or points are not possible (ad_over_points). */
ad_fn *ad_derive(ad_arena *m, const ad_fn *f, const ad_plan *plan);

/* Brings what ad_derive made into the shape that is emitted; in place. */
void ad_shape(ad_arena *m, ad_fn *fn, const ad_plan *plan);

#endif
