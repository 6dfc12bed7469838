/* unused.h - names of a model that nothing uses, or that are there twice. */
#ifndef COSTATE_AD_UNUSED_H
#define COSTATE_AD_UNUSED_H

#include "front/ast.h"
#include "tree/tree.h"

typedef struct ac_unused_names { /* members of the descriptor; NULL: not there */
    const ac_field *states, *params, *objectives;
} ac_unused_names;

void ac_unused(ac_unit *u, const ad_model *m, ac_unused_names names, int residual); /* warnings */
void ac_names_check(ac_unit *u, const char *list, const ac_field *f); /* errors */
void ac_names_shared(ac_unit *u, ac_unused_names names); /* warnings: of a parameter and a state */

#endif
