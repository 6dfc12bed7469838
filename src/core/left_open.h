/* left_open.h - what a singular matrix of the initial values leaves open, by name: the singular vectors of K, which is at hand,
 *
 *     K x = 0: the variables that may move at will;   w^T K = 0: the equations that say the same, or nothing, of them */
#ifndef COSTATE_CORE_LEFT_OPEN_H
#define COSTATE_CORE_LEFT_OPEN_H

#include "solver/solver.h"

/* "; left open by equations: variables"; "" where there is no matrix, or it is a large one. */
void cst__left_open(costate_solver *s, char *words, size_t size);

#endif
