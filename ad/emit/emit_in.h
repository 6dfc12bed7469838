/* emit_in.h - what the files of the emitter share. */
#ifndef COSTATE_AD_EMIT_IN_H
#define COSTATE_AD_EMIT_IN_H

#include "emit/emit.h"
#include "tree/print.h"

/* The printer of one function. Arrays are by symbol number. */
typedef struct ad_printer {
    ad_arena *m;
    ad_out *o;
    const ad_fn *fn;
    const ad_emit *how;
    ad_style style;
    const char *blocks;    /* C text of the number of blocks: "blocks", or "1" in a body that was cut */
    int depth;             /* of indentation */
    int line;              /* of the user's file in the last comment */
    int marks;             /* scratch marks named so far */
    size_t stack;          /* bytes of local arrays on the stack so far */
    int *first;            /* first statement of the block at hand that mentions the symbol; -1: none yet; -2: not declared there */
    int *writes;           /* statements that assign to it */
    int *home;             /* of a scalar with lanes: the loop over lanes that alone mentions it, so that it is a value of that loop; 0, -1: none such */
    unsigned char *shared; /* 1: a member of the struct that the parts of a cut body share; NULL: not cut */
} ad_printer;

void ad_line(ad_printer *q, const char *format, ...) __attribute__((format(printf, 2, 3))); /* indented, with a newline */
void ad_indent(ad_printer *q);
void ad_put_body(ad_printer *q, const ad_node *block); /* the statements of a block, without braces */
void ad_put_array(ad_printer *q, const ad_sym *s);     /* declares a local array */
const char *ad_c_type(const ad_printer *q, const ad_sym *s); /* of one element or value, e.g. "costate_v4" */
int ad_on_scratch(ad_printer *q, const ad_sym *s);     /* 1: the array is too large for the stack, or of a size that is not a literal */
int ad_needs_work(ad_printer *q, const ad_node *n);      /* 1: n uses tape or scratch */
int ad_contains(const ad_node *n, ad_op op);

/* emit_cut.c: the parts of a long body, each a function, and then the statements of the function itself, which calls them. */
void ad_put_parts(ad_printer *q);
void ad_put_calls(ad_printer *q);

#endif
