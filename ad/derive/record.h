/* record.h - inside reverse: a region is a piece of code that is run forwards and then backwards: the function, or one
 * iteration of a loop. */
#ifndef COSTATE_AD_RECORD_H
#define COSTATE_AD_RECORD_H

#include "derive/trust.h"
#include "tree/activity.h"
#include "tree/flow.h"
#include "tree/loops.h"
#include "tree/tree.h"

typedef struct ad_reversal {
    ad_arena *m;
    ad_fn *fn;             /* what is being made: f's symbols, adjoints, temporaries */
    ad_activity activity;
    ad_trust trust;
    ad_syms adjoints;      /* all symbols with lanes that were made */
    ad_sym **adjoint;      /* by number of f's symbols: x_b; NULL: none yet */
    int syms;              /* of f */
    int pairs;             /* of pushes and pops, numbered */
    int seeds_direct;      /* 1: the adjoint of out[i] is u[i], never overwritten */
} ad_reversal;

typedef struct ad_region {
    ad_node *decl;  /* declarations that both directions see */
    ad_syms needed; /* values that the reverse pieces so far read */
} ad_region;

/* A sequence of statements of a region, and of their reverse pieces, which run last first. */
typedef struct ad_track {
    ad_node *fwd;
    ad_node *rev; /* block of blocks */
    int branch;   /* 1: within an if, so that declarations go to the region */
} ad_track;

/* Keeps what `written` has in common with what the region still needs (and `also`, may be NULL): saves appended to fwd, the
 * restoring statements to piece. */
void ad_keep(ad_reversal *r, ad_region *g, ad_track *k, const ad_syms *written, const ad_syms *also, ad_node *piece);

/* The same for one assignment to target: an element is kept alone. Returns 1 if it was kept. */
int ad_keep_target(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *target, const ad_syms *reads, ad_node *piece);

/* An integer expression as it is now, for use in reverse: itself if nothing in `written` changes it, else a copy kept in a
 * local. */
ad_node *ad_keep_value(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *e, const ad_syms *written, const char *name);

/* a[i] = b[i] for all i; value NULL: b is the array `from`. */
ad_node *ad_fill(ad_reversal *r, ad_sym *to, ad_sym *from);

/* The adjoint of s, made when first asked for; ad_adjoint_decl: its declaration, zeroed, is appended to block. */
ad_sym *ad_adjoint(ad_reversal *r, ad_sym *s);
void ad_adjoint_decl(ad_reversal *r, ad_sym *s, ad_node *block);

/* Statements of reverse.c and reverse_loop.c. */
void ad_reverse_block(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *block);
void ad_reverse_for(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *loop);

/* The pieces of a track, last first, appended to block. */
void ad_unwind(ad_reversal *r, const ad_track *k, ad_node *block);

/* descend.c: the loop with its iterations in the opposite order. Bounds that wrap around (unsigned counters) or steps other
 * than 1 go by the number of the iteration. */
ad_node *ad_descending(ad_reversal *r, const ad_node *loop, ad_node *from, ad_node *to, ad_node *body);

/* carried.c: 1: adjoints do not depend on the order in which the iterations are reversed. */
int ad_any_order(ad_reversal *r, const ad_node *loop);

/* carried.c: 1: every element of the array s is written once, before any iteration reads it. twice: what else reads it. */
int ad_written_once(ad_reversal *r, const ad_node *loop, const ad_node *twice, const ad_sym *s, const ad_defs *defs,
                    const ad_syms *changing);

/* outputs.c: 1: no output is read, and none assigned again after an assignment with a derivative. */
int ad_outputs_once(ad_arena *m, const ad_fn *fn, const ad_activity *activity);
ad_node *ad_output_extent(ad_arena *m, const ad_fn *fn); /* elements of out, or NULL */

#endif
