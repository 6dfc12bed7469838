/* generate.h - the whole emitted file of a model: its functions, their derivative products, the sparsity pattern, the table that offers them. */
#ifndef COSTATE_AD_GENERATE_H
#define COSTATE_AD_GENERATE_H

#include "out.h"

enum { AD_FIRST = 1, AD_SECOND = 2, AD_THIRD = 4 };

typedef struct ad_generate_options {
    int orders;    /* AD_FIRST | AD_SECOND | AD_THIRD: which products; a file of one order above the first offers M_generated_2 or M_generated_3 */
    int nan_check; /* 1: functions report the first value that is not a number, with its line, and return -1 */
    int cut;       /* statements above which the body of a function is cut, so that compilers do not take ages; 0: AD_LONG of emit.h */
} ad_generate_options;

/* 0; -1: a function cannot be reversed, because the size of an output that it reads back is not known. out is appended to. */
int ad_generate(ad_arena *m, const ad_model *model, const ad_generate_options *o, ad_out *out);

#endif
