/* flow.h - what statements read and write: sets of symbols, exposed reads, dead statements.
 *
 * A read of s is exposed in a piece of code if it may see a value that s had before that piece. Scalars are followed one by
 * one; an array counts as written when a loop writes all of it, a single element a[e] until something that e mentions changes. */
#ifndef COSTATE_AD_FLOW_H
#define COSTATE_AD_FLOW_H

#include "tree/tree.h"

/* A set of symbols of one function, by number. Zeroed: empty. */
typedef struct ad_syms {
    unsigned char *has;
    int room;
} ad_syms;

int ad_has(const ad_syms *a, const ad_sym *s);
void ad_include(ad_arena *m, ad_syms *a, const ad_sym *s);
void ad_exclude(ad_syms *a, const ad_sym *s);
void ad_unite(ad_arena *m, ad_syms *a, const ad_syms *b);
void ad_meet(ad_syms *a, const ad_syms *b);         /* a = a and b */
int ad_meets(const ad_syms *a, const ad_syms *b);   /* 1: something is in both */
ad_syms ad_syms_copy(ad_arena *m, const ad_syms *a);

void ad_reads(ad_arena *m, const ad_node *n, ad_syms *a);    /* adds every symbol that n reads: expressions, bounds, indices;
                                                                x += e reads x, too */
void ad_writes(ad_arena *m, const ad_node *n, ad_syms *a);   /* adds every symbol that n assigns to, counters included */
void ad_declared(ad_arena *m, const ad_node *n, ad_syms *a); /* adds what n declares, counters included */

/* 1: n reads s, other than by assigning or adding to it. */
int ad_reads_symbol(const ad_node *n, const ad_sym *s);

/* A symbol of the expression e that n assigns to; NULL: none. */
const ad_sym *ad_assigned(const ad_node *n, const ad_node *e);

/* Adds to writes[s->number] how many statements of n assign to s. */
void ad_count_writes(const ad_node *n, int *writes);

/* 1: n adds to s and does nothing else with it. */
int ad_only_added(const ad_node *n, const ad_sym *s);

/* For ad_copy: a new symbol of fn for each of the set, NULL for the others. */
ad_sym **ad_new_symbols(ad_arena *m, ad_fn *fn, const ad_syms *a);

/* Adds the symbols with an exposed read in n. */
void ad_exposed(ad_arena *m, const ad_node *n, ad_syms *a);

/* Removes statements whose results nothing reads, and declarations of what is no longer used. live: symbols whose values are
 * wanted at the end; AD_OUTPUT and AD_SUM parameters always are. Pushes and pops stay. ad_dead does it for a function, whose
 * status is wanted, too. */
ad_node *ad_dead_block(ad_arena *m, const ad_node *block, const ad_syms *live);
void ad_dead(ad_arena *m, ad_fn *fn);

/* x = 0; ... x += e, with nothing about x between, becomes x = e; in place. */
void ad_first_sums(ad_arena *m, ad_fn *fn);

/* Gives scalars that a loop writes before it reads them, and that nobody reads after the loop, a declaration (and a name) of
 * their own inside the loop: `double s; for (...) { s = 0; ... }` as if s had been declared in the body. */
void ad_privatize(ad_arena *m, ad_fn *fn);

#endif
