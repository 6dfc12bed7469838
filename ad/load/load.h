/* load.h - inside of a costate_model: what load.c (from file to code), fill_problem.c (from code to a problem) and
 * compress_pattern.c (its patterns) share. */
#ifndef COSTATE_AD_LOAD_H
#define COSTATE_AD_LOAD_H

#include "load/compile.h"
#include "base/diag.h"
#include "emit/generate.h"

#include <costate/diff.h>
#include <costate/model.h>
#include <costate/runtime.h>

enum { AD_ORDERS = 3 };

struct costate_model {
    ad_arena *arena;
    jmp_buf escape; /* taken when memory ends */
    char *file;
    costate_model_options options;
    ad_diag *diag;
    ad_model *tree;
    ad_build build;
    int building;                   /* 1: build is open */
    ad_unit unit[1 + AD_PIECES];    /* the user's file, and one for each piece */
    int order;                      /* that is loaded */
    const costate_descriptor *descriptor;
    costate_generated functions;    /* of all orders */
    costate_problem problem;
    double *y0, *p;
    costate_columns pattern[2];     /* of f_y and f_p */
    ad_out message, warnings;
    int no_memory;                  /* 1: the last call ended for want of it */
};

/* Puts a message into m and returns the status. */
int ad_model_fail(costate_model *m, costate_model_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* fill_problem.c: checks the descriptor, fills the problem and the nominal values. */
int ad_model_fill(costate_model *m);

/* compress_pattern.c: the pattern of f_y (0) or f_p (1), once. */
int ad_compress_pattern(costate_model *m, int of_params);

#endif
