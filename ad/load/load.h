/* load.h - inside of a costate_model: what load.c (the public functions), source.c (the model file), pieces.c (its code),
 * fill_problem.c (from code to a problem) and compress_pattern.c (its patterns) share.
 *
 * Everything here runs with m->lock held: a callback that needs a piece may be called by any thread. */
#ifndef COSTATE_AD_LOAD_H
#define COSTATE_AD_LOAD_H

#include "base/diag.h"
#include "emit/generate.h"
#include "load/compile.h"
#include "load/manifest.h"

#include <costate/diff.h>
#include <costate/model.h>
#include <costate/runtime.h>

#include <pthread.h>

enum { AD_ORDERS = 3 };

/* Code that is compiled by itself (generate.h). */
typedef struct ad_piece ad_piece;
struct ad_piece {
    ad_piece *next;
    const char *name;
    ad_unit unit;
};

struct costate_model {
    ad_arena *arena;
    jmp_buf escape; /* taken when memory ends */
    pthread_mutex_t lock;
    char *file;
    costate_model_options options;
    ad_build build;
    ad_manifest manifest;
    int64_t start;       /* when reading began */
    ad_words reads;      /* files that were read */
    char *text;          /* the file, preprocessed; NULL: it is in the cache */
    size_t length;
    ad_diag *diag;
    ad_model *tree;      /* NULL: not needed so far */
    ad_unit user;        /* the user's file, compiled as it is */
    const costate_descriptor *descriptor;
    ad_digest key;       /* of the text and all else that determines the code of pieces */
    ad_piece *pieces;    /* that are loaded */
    int lost;            /* 1: a piece could not be had when it was called; none is tried again */
    costate_generated functions;
    costate_problem problem;
    double *y0, *p;
    costate_columns pattern[2]; /* of f_y and f_p */
    ad_out message, warnings;
    int no_memory;         /* 1: the last call ended for want of it */
};

/* Puts a message into m and returns the status. */
int ad_model_fail(costate_model *m, costate_model_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int ad_model_trouble(costate_model *m, ad_trouble trouble); /* the message of the build; 0 for AD_FINE */

/* source.c */
int ad_source_open(costate_model *m, int compile); /* reads the file; compile: its compiler runs meanwhile, unless all is known */
int ad_source_tree(costate_model *m);              /* m->tree */
int ad_holds_switches(const costate_model *m);     /* conditions of its text are to be */
int ad_source_finish(costate_model *m);            /* m->descriptor; what was found is kept in the cache */

/* pieces.c: has these pieces loaded; compilers run side by side. */
int ad_pieces_need(costate_model *m, int count, const char *const *name);
int ad_pieces_start(costate_model *m, int count, const char *const *name, ad_piece **x); /* those that there are, for: */
int ad_pieces_finish(costate_model *m, int count, ad_piece *x, int status);
void *ad_pieces_find(costate_model *m, const char *piece, const char *symbol); /* NULL: not loaded */
int ad_pieces_text(costate_model *m, const ad_generate_options *how, ad_out *text); /* C; ends with a 0 */

/* ahead.c: pieces that m->options.ahead will call, as far as is known; returns how many. */
enum { AD_AHEAD = 12 };
int ad_ahead(const costate_model *m, const char *name[AD_AHEAD]);

/* load.c: what a stub calls that has no code yet (runtime.h) */
void *ad_model_call(void *model, const char *piece, const char *symbol);

/* fill_problem.c: checks the descriptor, fills the problem and the nominal values. */
int ad_model_fill(costate_model *m);

/* compress_pattern.c: the pattern of f_y (0) or f_p (1), once. */
int ad_compress_pattern(costate_model *m, int of_params);

#endif
