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

/* The parts of a box with another one inside: whole rows before and after the inner one, and what is to the left and to the right
 * of it in its own rows. */
enum { AD_BEFORE, AD_LEFT, AD_INSIDE, AD_RIGHT, AD_AFTER, AD_PARTS };
void ad_box_around(const ad_box *b, const ad_box *inside, ad_box part[AD_PARTS]);

/* Takes `out` away from the boxes. Returns how many there are now; more than AD_BOXES: too many. */
int ad_boxes_without(ad_box *list, int count, const ad_box *out);

#endif
