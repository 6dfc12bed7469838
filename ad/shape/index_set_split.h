/* index_set_split.h - loops cut into pieces in which their indices are affine. */
#ifndef COSTATE_AD_INDEX_SET_SPLIT_H
#define COSTATE_AD_INDEX_SET_SPLIT_H

#include "tree/tree.h"

/* A copy in which loops over indices that wrap around or stop at the ends are cut into pieces in which they are affine;
 * NULL: there is nothing to cut. */
ad_fn *ad_split_index_sets(ad_arena *m, const ad_fn *fn);

#endif
