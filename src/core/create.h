/* create.h - making a solver from problem and options. */
#ifndef COSTATE_CORE_CREATE_H
#define COSTATE_CORE_CREATE_H

#include "solver/solver.h"

/* costate_create with a family that is not among the library's own; NULL: that of the table. */
int cst__create(costate_solver **out, const costate_problem *problem, const costate_options *options, const family *own);
int cst__furnish(costate_solver *s); /* derivatives, method and vectors for the problem and the options in s */

/* options.c */
int cst__options_check(costate_solver *s);
int cst__option_set(costate_solver *s, const char *name, const char *value);
int cst__options_own(costate_solver *s); /* takes copies of the texts */

#endif
