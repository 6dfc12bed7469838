/* front.h - the front end of costate diff: a model file in, one tree for each of its functions out (tree.h).
 *
 * Everything is allocated in the arena. Messages go to the ad_diag; NULL is returned after errors. docs/language.md describes
 * what is accepted. */
#ifndef COSTATE_AD_FRONT_H
#define COSTATE_AD_FRONT_H

#include "base/arena.h"
#include "base/diag.h"
#include "tree/tree.h"

/* Reads what the preprocessor made of the file, with COSTATE_DIFF defined; the file itself is looked at for its columns. */
ad_model *ad_front(ad_arena *m, ad_diag *d, const char *file, const char *text, size_t length);

/* The same without a file. */
ad_model *ad_front_text(ad_arena *m, ad_diag *d, const char *name, const char *text, size_t length);

/* One function of preprocessed text, which need not hold a descriptor. Its parameters tell what it is. */
ad_fn *ad_front_function(ad_arena *m, ad_diag *d, const char *name, const char *text, const char *function);

/* ---- between the files of the front end ------------------------------------------------------------------------------------ */

struct ac_unit;

/* What is known of a function and its parameters. */
typedef struct ac_signature {
    const char *member, *arguments; /* of the model, as in model.def; NULL: whichever has these parameters */
    long states, params, outputs, observations; /* sizes; -1: not known. observations: how many values k has */
    int starts_from_states;  /* 1: what is written holds y on entry */
} ac_signature;

ad_model *ac_model(struct ac_unit *u);

#endif
