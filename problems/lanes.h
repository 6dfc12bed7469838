/* lanes.h - for hand-written products: lane l of component i of a block. As costate.h asks, a block that is NULL reads as zero
 * and swallows what is added to it. */
#ifndef COSTATE_LANES_H
#define COSTATE_LANES_H

/* Callbacks have the signatures of costate.h whether or not a problem has a use for every argument. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static inline double lane(const double *block, int i, int w, int l)
{
    return block ? block[i * w + l] : 0;
}

static inline void add(double *block, int i, int w, int l, double x)
{
    if (block) block[i * w + l] += x;
}

#endif
