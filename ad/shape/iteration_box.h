/* iteration_box.h - the iterations of two loops, one inside the other, as boxes. */
#ifndef COSTATE_AD_ITERATION_BOX_H
#define COSTATE_AD_ITERATION_BOX_H

#include <stdint.h>

enum { AD_BOXES = 32 }; /* the most that a list of boxes has */

/* Iterations: from[0] <= j < to[0], from[1] <= i < to[1]. */
typedef struct ad_box {
    int64_t from[2], to[2];
} ad_box;

int ad_box_empty(const ad_box *b);
int ad_box_same(const ad_box *a, const ad_box *b);
ad_box ad_box_meet(const ad_box *a, const ad_box *b);
ad_box ad_box_moved(const ad_box *b, const int64_t *shift); /* b - shift */

/* The box around another one, [2]: whole rows before and after that one, [0] and [4], and columns beside it, [1] and [3]. */
void ad_box_around(const ad_box *b, const ad_box *middle, ad_box part[5]);

/* Takes `out` away from the boxes. Returns how many there are now; more than AD_BOXES: too many. */
int ad_boxes_without(ad_box *list, int count, const ad_box *out);

#endif
