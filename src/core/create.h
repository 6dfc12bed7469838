/* create.h - making a solver from problem and options. */
#ifndef COSTATE_CORE_CREATE_H
#define COSTATE_CORE_CREATE_H

#include "solver/solver.h"

/* costate_create with a family that is not among the library's own; NULL: that of the table. */
int cst__create(costate_solver **out, const costate_problem *problem, const costate_options *options, const family *own);
int cst__furnish(costate_solver *s); /* derivatives, method and vectors for the problem and the options in s */

/* What a change of an option makes anew, each with all before it; options.def. */
typedef enum option_affects { AFFECTS_RUN, AFFECTS_WORKERS, AFFECTS_TRAJECTORY, AFFECTS_METHOD, AFFECTS_ALL } option_affects;

/* options.c */
costate_options cst__options_preset(const char *method); /* all defaults; NULL: that of the method too */
int cst__options_check(costate_solver *s);
int cst__option_set(costate_solver *s, const char *name, const char *value, int *which); /* which: its number */
int cst__option_own(costate_solver *s, int i);                                           /* takes a copy of a text */
option_affects cst__option_affects(int i);

#endif
