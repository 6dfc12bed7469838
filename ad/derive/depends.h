/* depends.h - what values depend on: time, states, parameters, be it by the branch that computes them. */
#ifndef COSTATE_AD_DEPENDS_H
#define COSTATE_AD_DEPENDS_H

#include "tree/tree.h"

/* By number of symbol: a sum of COSTATE_ON_TIME ... of costate.h. */
unsigned char *ad_depends_of(ad_arena *m, const ad_fn *fn);

unsigned ad_depends(const unsigned char *on, const ad_node *n); /* of a tree of that function */

#endif
