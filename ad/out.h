/* out.h - text that grows in an arena, and the printer of expressions as C. */
#ifndef COSTATE_AD_OUT_H
#define COSTATE_AD_OUT_H

#include "tree.h"

typedef struct ad_out {
    ad_arena *m;
    char *text; /* ended by 0; NULL while empty */
    size_t length, room;
} ad_out;

void ad_put(ad_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ad_puts(ad_out *o, const char *s);
const char *ad_out_text(const ad_out *o); /* "" while empty */

/* How names are written. leaf prints an AD_NAME or AD_ELEM and returns 1, or returns 0: as in C. NULL: all as in C. */
typedef struct ad_style {
    int (*leaf)(ad_out *o, const ad_node *n, const struct ad_style *style);
    const void *context;
    const char *splat; /* C text put before an arm of ?: without lanes when the other has them, so that both are vectors; NULL: no vectors */
} ad_style;

/* Prints an expression, in parentheses if it binds less tightly than `level`: 0 is none, AD_LEVEL_UNARY for an operand of a cast or a sign. */
enum { AD_LEVEL_NONE = 0, AD_LEVEL_SUM = 11, AD_LEVEL_PRODUCT = 12, AD_LEVEL_UNARY = 13, AD_LEVEL_PRIMARY = 14 };
void ad_put_expr(ad_out *o, const ad_node *n, int level, const ad_style *style);

/* The C type of an integer expression, as near as the tree tells: "int", or what its symbols and casts say. */
const char *ad_ctype(const ad_node *n);

#endif
