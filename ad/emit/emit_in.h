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
    int *first;            /* of a scalar that the block at hand declares: its first statement that mentions the scalar, or: */
    int *writes;           /* statements that assign to it */
    int *home;             /* of a scalar with lanes: the loop over lanes that alone mentions it, so that it is a value of that
                              loop; 0, -1: none such */
    unsigned char *shared; /* 1: a member of the struct that the parts of a cut body share; NULL: not cut */
} ad_printer;

enum { /* ad_printer.first, if there is no such statement */
    AD_DECLARED = -2,    /* it has been declared, or is in another block */
    AD_AT_FIRST_SET = -3 /* the assignment that comes first declares it */
};

static inline int ad_is_shared(const ad_printer *q, const ad_sym *s)
{
    return q->shared && q->shared[s->number];
}

void ad_line(ad_printer *q, const char *format, ...) __attribute__((format(printf, 2, 3))); /* indented, with a newline */
void ad_indent(ad_printer *q);
void ad_put_body(ad_printer *q, const ad_node *block); /* the statements of a block, without braces */
const char *ad_c_type(const ad_printer *q, const ad_sym *s); /* of one element or value, e.g. "costate_v4" */

/* emit_loop.c */
void ad_put_loop(ad_printer *q, const ad_node *loop);

/* emit_declare.c */
void ad_find_declarations(ad_printer *q, const ad_node *block);        /* fills first and home for what the block declares */
void ad_declare(ad_printer *q, const ad_node *block, const ad_sym *s); /* what is to stand at an AD_DECL of the block */
int ad_takes_lanes(const ad_printer *q, const ad_node *s);             /* 1: the assignment is executed for each lane */
int ad_declares_lane_scalar(const ad_node *s);
void ad_put_array(ad_printer *q, const ad_sym *s);                     /* declares a local array */
int ad_on_scratch(ad_printer *q, const ad_sym *s);                     /* 1: the array is too large for the stack, or its size is
                                                                          not a literal */
int ad_needs_work(ad_printer *q, const ad_node *n);                    /* 1: n uses tape or scratch */

/* emit_cut.c: the parts of a long body, each a function, and then the statements of the function itself, which calls them. */
void ad_put_parts(ad_printer *q);
void ad_put_calls(ad_printer *q);

#endif
