/* emit.h - an ad_fn as a C function.
 *
 * One lane: symbols with lanes are plain doubles. Lanes: a symbol with lanes is an array of `blocks` vectors of four,
 * parameters are blocks of doubles with `ld` of them in a row; consecutive statements on lanes share a loop over the blocks.
 * The function is inlined into its instances, where blocks and ld are constants, unless its body is long: then it is cut into
 * functions that share their locals in a struct, for one block. */
#ifndef COSTATE_AD_EMIT_H
#define COSTATE_AD_EMIT_H

#include "base/out.h"
#include "tree/tree.h"

/* Statements of a body, at the top, from which on vectors of unrelated scalars are not worth the compiler's time; and those
 * above which it is cut. */
enum { AD_MANY = 300, AD_LONG = 1500 };

typedef struct ad_emit {
    const char *name;  /* of the C function */
    const char *linkage; /* NULL: "static" */
    int lanes;         /* 0: one lane; 1: parameters (int blocks, ptrdiff_t ld) come first */
    int check;         /* 1: every value is checked; the first that is not a number is reported with its line */
} ad_emit;

void ad_emit_fn(ad_out *o, const ad_fn *fn, const ad_emit *how);
void ad_emit_body(ad_out *o, const ad_fn *fn); /* the statements alone, for one lane; an AD_RAW is printed as a statement */
int ad_emit_statements(const ad_fn *fn);       /* at the top of its body */
int ad_emit_is_long(const ad_fn *fn);          /* 1: lanes are for one block only: call it with blocks = 1 */

/* The parameters of the C function, "double t, const double *restrict y, ..."; declare 0: arguments of a call, "t, y, ...". */
void ad_emit_params(ad_out *o, const ad_fn *fn, int declare);

#endif
