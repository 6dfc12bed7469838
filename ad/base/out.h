/* out.h - text that grows in an arena. */
#ifndef COSTATE_AD_OUT_H
#define COSTATE_AD_OUT_H

#include "base/arena.h"

#include <stddef.h>

typedef struct ad_out {
    ad_arena *m;
    char *text; /* ended by 0; NULL while empty */
    size_t length, room;
} ad_out;

void ad_put(ad_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ad_puts(ad_out *o, const char *s);
const char *ad_out_text(const ad_out *o); /* "" while empty */

#endif
