/* rig.h - the methods of a solver. One is in use; under method "auto" others wait beside it, opened when first needed. */
#ifndef COSTATE_CORE_RIG_H
#define COSTATE_CORE_RIG_H

#include "core/create.h"
#include "method/implicit.h"

int cst__rig_find(costate_solver *s, const costate_table **table); /* by the options, checked */
int cst__rig_open(costate_solver *s);                              /* the method in use, and its vectors */
void cst__rigs_close(costate_solver *s, option_affects what);      /* what depends on options that affect this much, of all */

/* Under "auto": method k (auto.c) is used from here on, with tolerances, parameters and initial state as they are. */
int cst__rig_use(costate_solver *s, int k);
void cst__rigs_forget(costate_solver *s);                  /* the others give up what they hold of trajectories */
int cst__rig_large(const costate_solver *s);                /* so many states that only one method keeps its memory */
int64_t cst__rigs_hold(const costate_solver *s);           /* bytes of trajectories that the others hold */

#endif
