/* residual.h - models that say F(t, y, y', p) = 0. */
#ifndef COSTATE_AD_RESIDUAL_H
#define COSTATE_AD_RESIDUAL_H

#include "tree/tree.h"

void ac_residual(ad_arena *m, ad_fn *fn, long states); /* fn(t, y, yp, p, r) becomes the right-hand side of 2 states */

/* init(p, y0) writes the slopes, too, as they are guessed: C text of a list of numbers; NULL: zeros. */
void ac_residual_init(ad_arena *m, ad_fn *fn, long states, const char *guess);
void ac_residual_reset(ad_arena *m, ad_fn *fn, long states); /* slopes stay as they are */

#endif
