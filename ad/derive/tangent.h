/* tangent.h - forward mode: from f to the function that also carries derivatives along. The slots of what moves are those of
 * tree.h. */
#ifndef COSTATE_AD_TANGENT_H
#define COSTATE_AD_TANGENT_H

#include "tree/tree.h"

enum ad_keep { AD_KEEP_NONE, AD_KEEP_BUT_PB, AD_KEEP_ALL };

typedef struct ad_wrt {
    int level;               /* 1: first direction, 2: second one */
    const char *const *slot; /* of the inputs that move, ended by NULL; those the function does not have are left out */
    int keep;                /* which outputs and sums are kept beside their tangents: enum ad_keep */
} ad_wrt;

/* For every input x that moves a lane input xdot follows it, for every output and sum one of its kind with lanes. f is not
 * changed. */
ad_fn *ad_tangent(ad_arena *m, const ad_fn *f, const ad_wrt *wrt);

#endif
