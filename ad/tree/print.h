/* print.h - trees as C text: expressions for the emitter. ad_print_fn, for people and tests, is in tree.h. */
#ifndef COSTATE_AD_PRINT_H
#define COSTATE_AD_PRINT_H

#include "base/out.h"
#include "tree/tree.h"

/* How names are written. leaf prints an AD_NAME or AD_ELEM and returns 1, or returns 0: as in C. NULL: all as in C. */
typedef struct ad_style {
    int (*leaf)(ad_out *o, const ad_node *n, const struct ad_style *style);
    const void *context;
    const char *splat; /* C text put before an arm of ?: without lanes when the other has them, so that both are vectors;
                          NULL: no vectors */
} ad_style;

/* Prints an expression, in parentheses if it binds less tightly than `level`: 0 is none, AD_LEVEL_UNARY for an operand of a
 * cast or a sign. */
enum { AD_LEVEL_NONE = 0, AD_LEVEL_SUM = 11, AD_LEVEL_PRODUCT = 12, AD_LEVEL_UNARY = 13, AD_LEVEL_PRIMARY = 14 };
void ad_put_expr(ad_out *o, const ad_node *n, int level, const ad_style *style);

/* The C type of an integer expression, as near as the tree tells: "int", or what its symbols and casts say. */
const char *ad_ctype(const ad_node *n);

int ad_is_unsigned(const char *type); /* a C type's name */

#endif
