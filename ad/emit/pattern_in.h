/* pattern_in.h - between the files that find patterns. */
#ifndef COSTATE_AD_PATTERN_IN_H
#define COSTATE_AD_PATTERN_IN_H

#include "tree/tree.h"

/* 1: fn is straight-line code with literal indices; row i then depends on item[start[i]] .. item[start[i+1] - 1], rising:
 * state j is j, parameter k is states + k. */
int ad_pattern_known(ad_arena *m, const ad_fn *fn, int states, int params, int rows, int **start, int **item);

#endif
