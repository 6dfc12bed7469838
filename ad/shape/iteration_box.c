/* iteration_box.c - boxes of iterations. */
#include "shape/iteration_box.h"

int ad_box_empty(const ad_box *b)
{
    return b->from[0] >= b->to[0] || b->from[1] >= b->to[1];
}

ad_box ad_box_meet(const ad_box *a, const ad_box *b)
{
    ad_box c = *a;
    for (int d = 0; d < 2; d++) {
        if (b->from[d] > c.from[d]) c.from[d] = b->from[d];
        if (b->to[d] < c.to[d]) c.to[d] = b->to[d];
    }
    return c;
}

int ad_box_same(const ad_box *a, const ad_box *b)
{
    return a->from[0] == b->from[0] && a->to[0] == b->to[0] && a->from[1] == b->from[1] && a->to[1] == b->to[1];
}

ad_box ad_box_moved(const ad_box *b, const int64_t *shift)
{
    return (ad_box){{b->from[0] - shift[0], b->from[1] - shift[1]}, {b->to[0] - shift[0], b->to[1] - shift[1]}};
}

void ad_box_around(const ad_box *b, const ad_box *inside, ad_box part[AD_PARTS])
{
    for (int k = 0; k < AD_PARTS; k++) part[k] = *b;
    part[AD_BEFORE].to[0] = inside->from[0];
    part[AD_AFTER].from[0] = inside->to[0];
    for (int k = AD_LEFT; k <= AD_RIGHT; k++) {
        part[k].from[0] = inside->from[0];
        part[k].to[0] = inside->to[0];
    }
    part[AD_LEFT].to[1] = part[AD_INSIDE].from[1] = inside->from[1];
    part[AD_RIGHT].from[1] = part[AD_INSIDE].to[1] = inside->to[1];
}

int ad_boxes_without(ad_box *list, int count, const ad_box *out)
{
    ad_box next[AD_BOXES], part[AD_PARTS];
    int n = 0;
    for (int i = 0; i < count; i++) {
        const ad_box common = ad_box_meet(&list[i], out);
        const int apart = ad_box_empty(&common);
        if (!apart) ad_box_around(&list[i], &common, part);
        for (int k = 0; k < (apart ? 1 : AD_PARTS); k++) {
            const ad_box *piece = apart ? &list[i] : &part[k];
            if ((!apart && k == AD_INSIDE) || ad_box_empty(piece)) continue;
            if (n == AD_BOXES) return AD_BOXES + 1;
            next[n++] = *piece;
        }
    }
    for (int i = 0; i < n; i++) list[i] = next[i];
    return n;
}
