/* generate.h - the emitted file of a model: its functions, their derivative products, the sparsity pattern, the table that offers
 * them; or a piece of it. */
#ifndef COSTATE_AD_GENERATE_H
#define COSTATE_AD_GENERATE_H

#include "base/out.h"
#include "tree/tree.h"

/* Products that a text may hold. */
enum {
    AD_FORWARD = 1, /* the functions themselves, jvp, pattern, Jacobian */
    AD_REVERSE = 2, /* vjp, vjp_points */
    AD_JVP2 = 4,
    AD_VJP_DOT = 8,
    AD_VJP_DOT2 = 16,
    AD_FIRST = AD_FORWARD | AD_REVERSE,
    AD_SECOND = AD_JVP2 | AD_VJP_DOT,
    AD_THIRD = AD_VJP_DOT2,
    AD_ALL = AD_FIRST | AD_SECOND | AD_THIRD
};

/* For loading, the code is cut into pieces, so that what is never called is not compiled:
 *
 *     base                  the functions themselves, and the table M_generated, in which products are stubs
 *     jvp vjp jvp2 ...      a product of all functions: the choice of variant and width, and the code of functions that are small
 *     jac, pattern          of the right-hand side
 *     M_vjp_yp_4 ...        the code of one variant for one width, if the function is large: the name of the C function
 *
 * A text that calls other pieces defines a costate_hook (runtime.h), costate_pieces. */
#define AD_BASE "base"

typedef struct ad_generate_options {
    int products;        /* of a whole text: which */
    const char *piece;   /* NULL: a whole text; else this piece, for loading */
    int complete;        /* 1: for programs: lists of the descriptor too, M_problem and M_nominal; all products are wanted then */
    int nan_check;       /* 1: functions report the first value that is not a number, with its line, and return -1 */
    int cut;             /* statements above which a body is cut, so that compilers do not take ages; 0: AD_LONG of emit.h */
    const char *dump;    /* the name of a pass: instead of C, the trees as they are after it; NULL: C */
    const char *product; /* of this product only; NULL: of all */
} ad_generate_options;

/* 0; -1: a function cannot be reversed, because the size of an output that it reads back is not known. out is appended to. */
int ad_generate(ad_arena *m, const ad_model *model, const ad_generate_options *o, ad_out *out);

/* The names of all pieces of the products up to an order: how many, or -1 as above. */
int ad_piece_names(ad_arena *m, const ad_model *model, int order, const char ***name);

#endif
