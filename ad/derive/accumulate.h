/* accumulate.h - sums that reverse mode builds up in several places are brought together where they are used. */
#ifndef COSTATE_AD_ACCUMULATE_H
#define COSTATE_AD_ACCUMULATE_H

#include "tree/tree.h"

void ad_accumulate(ad_arena *m, ad_fn *fn); /* in place */

#endif
