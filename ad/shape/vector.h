/* vector.h - makes loops fit for vectors.
 *
 * What a loop adds to one and the same element is summed in a local and added once. Loops whose iterations are independent but for sums are marked (AD_FOR.simd).
 * Points of a stencil compute what their neighbours add to their element, where that is cheap (scatter_to_gather.c).
 * For code with one lane, other additions to one array at several places (stencils) are split into a loop each, and additions to an element that an inner loop
 * also reaches (the diagonal of y_i sum_j a_ij y_j) are deferred until after the loop. */
#ifndef COSTATE_AD_VECTOR_H
#define COSTATE_AD_VECTOR_H

#include "tree/tree.h"

/* In place. lanes 1: for code in which lanes are the vectors. */
void ad_vectorize(ad_arena *m, ad_fn *fn, int lanes);

/* row_pointers.c: pointers to rows where vectors have more addresses than there are registers; after everything else; in place. */
void ad_row_pointers(ad_arena *m, ad_fn *fn, int lanes);

#endif
