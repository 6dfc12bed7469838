/* sparse_jacobian.h - f_y entry by entry, for functions without loops in which every index is a literal. */
#ifndef COSTATE_AD_SPARSE_JACOBIAN_H
#define COSTATE_AD_SPARSE_JACOBIAN_H

#include "base/arena.h"
#include "tree/tree.h"

/* Where the entries are: CSC, or dense when there are so many that nothing is gained. */
typedef struct ad_entries {
    int n, count;
    const int *colptr, *rowind; /* NULL: dense */
} ad_entries;

/* The function (t, y, p) -> jac, with an output of slot "out"; NULL: fn has loops or indices that are not known, or too many
 * entries. */
ad_fn *ad_sparse_jacobian(ad_arena *m, const ad_fn *fn, int states, ad_entries *entries);

#endif
