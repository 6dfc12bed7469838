/* given.h - a Jacobian, or its pattern, that was given with the problem is tested before derivatives rest on it. */
#ifndef COSTATE_SENS_GIVEN_H
#define COSTATE_SENS_GIVEN_H

#include "core/driver.h"

/* After a run; once for each solver and method. 0, or a status whose message names the entry. */
int cst__given_test(costate_solver *s);

/* 1: there is no test until it is called with 0. Returns what was before. */
int cst__given_excuse(costate_solver *s, int excuse);

#endif
