/* vector_in.h - what the files of the vectorizer share. */
#ifndef COSTATE_AD_VECTOR_IN_H
#define COSTATE_AD_VECTOR_IN_H

#include "tree/flow.h"
#include "tree/loops.h"
#include "shape/vector.h"

enum { AD_VECTOR = 4 }; /* doubles */

typedef struct ad_vectors {
    ad_arena *m;
    ad_fn *fn;
    ad_defs defs;
    int lanes;
} ad_vectors;

/* 1: the iterations of the loop, which holds no other loop, are independent but for sums. around: the loops around it. */
int ad_independent(const ad_vectors *v, const ad_node *loop, const ad_loops *around);

/* 1: the loop adds to scalars, and does nothing else. */
int ad_is_reduction(const ad_node *loop);

/* 1: a single iteration, or a sum of so few terms that adding up the vector's entries at the end costs more than it saves. */
int ad_too_short(const ad_node *loop);

/* 1: something in n is executed for each lane. */
int ad_on_lanes(const ad_node *n);

/* 1: elements a and b of one array, of any two different iterations of the loop, are different ones; same iteration: may be the same. */
int ad_apart(const ad_vectors *v, const ad_node *loop, const ad_loops *around, const ad_syms *changing, const ad_node *a, const ad_node *b);

/* 1: the statements of the body assign at most once to each symbol of the expression, so that it means one value wherever they use it. */
int ad_stays_put(const ad_node *body, const ad_node *e);

/* 1: a loop over nothing but assignments, notes and declarations of scalars. */
int ad_plain(const ad_node *s);

/* scatter_to_gather.c: loops that add to elements of neighbouring iterations compute instead what the neighbours add to theirs; in place. */
void ad_scatter_to_gather(ad_vectors *v, ad_node *block);

/* fusion.c: loops inside of loops that stand side by side and read the same elements become one; in place. */
void ad_fuse_loops(ad_vectors *v, ad_node *body, ad_loops around);

/* unroll_jam.c: the loop with several iterations side by side, their inner loops joined: what replaces it is appended to out; nothing: nothing to gain. */
void ad_unroll_and_jam(ad_vectors *v, const ad_node *loop, const ad_loops *around, ad_node *out);

/* distribute.c: a loop that adds to one array at several places is distributed over several; what replaces it, a block, or NULL: nothing to gain. */
ad_node *ad_distribute_scatter(ad_vectors *v, const ad_node *loop, const ad_loops *around);

/* defer.c: additions to a[i] in a loop over i, inside which another loop adds to a[...], are deferred; statements before and after the loop. */
int ad_defer_additions(ad_vectors *v, ad_node *loop, ad_node *before, ad_node *after);

/* factors.c: f a + f b + f c becomes f (a + b + c); in place. */
void ad_common_factors(ad_arena *m, ad_node *n);

/* factors.c: the order of factors in straight code on lanes; in place. */
void ad_order_factors(ad_arena *m, ad_node *n);

/* register_tile.c: what loops over points add to pb stays in registers while the points go by. */
void ad_tile_registers(ad_vectors *v);

#endif
