/* rank.h - which slopes of a residual follow from others: where F_v is of lower rank, fewer states can be given than it has
 * slopes, those of independent columns. F_v is taken apart into blocks that have no rows and no columns in common, and each block
 * is decomposed by QR, the largest columns first; blocks of more than 500 rows or columns are taken for regular. */
#ifndef COSTATE_CORE_RANK_H
#define COSTATE_CORE_RANK_H

#include "solver/solver.h"

/* Zeros in mass (n) for states whose slopes depend on others, f_y being that of s->im. 0, or a status with its message. */
int cst__rank_slopes(costate_solver *s, double *mass);

#endif
