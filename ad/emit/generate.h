/* generate.h - the whole emitted file of a model: its functions, their derivative products, the sparsity pattern, the table that offers them. */
#ifndef COSTATE_AD_GENERATE_H
#define COSTATE_AD_GENERATE_H

#include "base/out.h"
#include "tree/tree.h"

/* Products come in pieces, which may stand in files of their own, for compilers to work on side by side. */
enum {
    AD_FORWARD = 1, /* the functions themselves, jvp, pattern, Jacobian */
    AD_REVERSE = 2, /* vjp, vjp_points */
    AD_JVP2 = 4,
    AD_VJP_DOT = 8,
    AD_VJP_DOT2 = 16,
    AD_PIECES = 5,
    AD_FIRST = AD_FORWARD | AD_REVERSE,
    AD_SECOND = AD_JVP2 | AD_VJP_DOT,
    AD_THIRD = AD_VJP_DOT2
};

typedef struct ad_generate_options {
    int pieces;    /* which; the table of the file is M_generated, or, without AD_FORWARD, what ad_table_name says */
    int complete;  /* 1: for programs: lists of the descriptor too, M_problem and M_nominal; all pieces are wanted then */
    int nan_check; /* 1: functions report the first value that is not a number, with its line, and return -1 */
    int cut;       /* statements above which the body of a function is cut, so that compilers do not take ages; 0: AD_LONG of emit.h */
    const char *dump;    /* the name of a pass: instead of C, the trees as they are after it; NULL: C */
    const char *product; /* of this product only; NULL: of all */
} ad_generate_options;

/* The name of the table in a file with these pieces, for the model M: M_generated, M_generated_vjp, ... */
const char *ad_table_name(ad_arena *m, const char *model, int pieces);

/* 0; -1: a function cannot be reversed, because the size of an output that it reads back is not known. out is appended to. */
int ad_generate(ad_arena *m, const ad_model *model, const ad_generate_options *o, ad_out *out);

#endif
