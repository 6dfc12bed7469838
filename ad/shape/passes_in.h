/* passes_in.h - what the passes over loops share. */
#ifndef COSTATE_AD_PASSES_IN_H
#define COSTATE_AD_PASSES_IN_H

#include "shape/passes.h"
#include "tree/flow.h"
#include "tree/loops.h"

enum { AD_VECTOR = 4 }; /* doubles */

/* A function on its way through the passes. */
typedef struct ad_run {
    ad_arena *m;
    ad_fn *fn; /* NULL: cannot be had */
    const ad_plan *plan;
    ad_defs defs; /* what integers stand for, as of the last pass that has AD_DEFS in the table */
    int lanes;    /* 1: lanes are the vectors */
} ad_run;

/* ---- the passes, each in the file of its name, in place ------------------------------------------------------------------ */

void ad_common_factors(ad_run *r);
void ad_tile_registers(ad_run *r);
void ad_local_sums(ad_run *r);
void ad_scalar_sums(ad_run *r);
void ad_fuse_loops(ad_run *r);
void ad_scatter_to_gather(ad_run *r);
void ad_defer_additions(ad_run *r);
void ad_merge_sums(ad_run *r);
void ad_vectorize(ad_run *r);
void ad_distribute_scatters(ad_run *r);
void ad_unroll_and_jam(ad_run *r);
void ad_peel_sums(ad_run *r);
void ad_single_additions(ad_run *r);
void ad_order_factors(ad_run *r);
void ad_row_pointers(ad_run *r);

/* ---- rewriting: rewrite.c ------------------------------------------------------------------------------------------------ */

/* Appends what comes in place of s, a statement other than a block or an if, to out. around: the loops around s. */
typedef void ad_rewriter(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out);

void ad_rewrite(ad_run *r, ad_rewriter *rewrite);                                                      /* the function's body */
void ad_rewrite_inside(ad_run *r, ad_node *loop, const ad_loops *around, ad_rewriter *rewrite); /* the loop's body */

/* ---- what a loop does: independent.c ------------------------------------------------------------------------------------- */

/* 1: the iterations of the loop, which holds no other loop, are independent but for sums. around: the loops around it. */
int ad_independent(const ad_run *r, const ad_node *loop, const ad_loops *around);

/* 1: elements a and b of one array, of any two different iterations of the loop, are different ones; of one iteration they may be
 * the same. */
int ad_apart(const ad_run *r, const ad_node *loop, const ad_loops *around, const ad_syms *changing, const ad_node *a,
             const ad_node *b);

int ad_is_reduction(const ad_node *loop);    /* 1: the loop adds to scalars, and does nothing else */
int ad_simple(const ad_node *s);             /* 1: an assignment, a note or the declaration of a scalar */
int ad_plain(const ad_node *s);              /* 1: a loop over nothing but such statements */

/* 1: a single iteration, or a sum of so few terms that adding up the vector's entries at the end costs more than it saves. */
int ad_too_short(const ad_node *loop);

/* 1: the statements of the body assign at most once to each symbol of the expression, so that it means one value wherever they
 * use it. */
int ad_stays_put(const ad_node *body, const ad_node *e);

/* What statements read and write, without parameters that are only added to: additions commute. */
typedef struct ad_effects {
    ad_syms reads, writes;
} ad_effects;
void ad_take_effects(const ad_run *r, const ad_node *n, ad_effects *e); /* adds those of n */

#endif
