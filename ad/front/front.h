/* front.h - the front end of costate diff: a model file in, one tree for each of its functions out (tree.h).
 *
 * Everything is allocated in the arena. Messages go to the ad_diag; NULL is returned after errors. docs/language.md describes
 * what is accepted. */
#ifndef COSTATE_AD_FRONT_H
#define COSTATE_AD_FRONT_H

#include "base/arena.h"
#include "base/diag.h"
#include "tree/tree.h"

typedef struct ad_front_options {
    const char *compiler; /* command that runs the preprocessor, "cc" if NULL; may hold several words */
    const char *include;  /* folder that holds costate/model.h; NULL: the compiler finds it */
    const char *scratch;  /* folder for temporary files; NULL: $TMPDIR or /tmp */
    int defines;
    const char *const *define; /* "N=10", ...: given to the preprocessor as -DN=10 */
} ad_front_options;

/* Runs `cc -E` on the file and reads what it makes. */
ad_model *ad_front(ad_arena *m, ad_diag *d, const char *file, const ad_front_options *options);

/* The same for text that has been preprocessed. */
ad_model *ad_front_text(ad_arena *m, ad_diag *d, const char *name, const char *text, size_t length);

/* One function of preprocessed text, which need not hold a descriptor. Its parameters tell what it is. */
ad_fn *ad_front_function(ad_arena *m, ad_diag *d, const char *name, const char *text, const char *function);

/* ---- between the files of the front end ------------------------------------------------------------------------------------ */

struct ac_unit;

/* What is known of a function and its parameters. */
typedef struct ac_signature {
    int function;                 /* of the model, enum ad_function; -1: whichever has these parameters */
    long states, params, outputs; /* sizes; -1: not known */
} ac_signature;

ad_model *ac_model(struct ac_unit *u);

#endif
