/* lint.h - where a model is not smooth in y and p, and which derivative is taken there. */
#ifndef COSTATE_AD_LINT_H
#define COSTATE_AD_LINT_H

#include "base/diag.h"
#include "tree/tree.h"

/* Adds a note for every kink of the model's functions; returns how many there are. */
int ad_lint(ad_arena *m, ad_diag *d, const ad_model *model);
int ad_lint_function(ad_arena *m, ad_diag *d, const ad_fn *fn);

#endif
