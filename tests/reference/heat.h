/* heat.h - the heat equation u_t = p1 u_xx + p2 u_yy on the unit square by central differences, f = p1 Lx u + p2 Ly u: what its
 * problems share. Every entry of Lx and Ly is one of three kinds, so that all products are loops over the entries of one CSC
 * pattern:
 *
 *     a neighbour in x: c p1,   a neighbour in y: c p2,   the point itself: -2c (p1 + p2),   c = 1/dx^2 */
#ifndef PROBLEMS_HEAT_H
#define PROBLEMS_HEAT_H

#include "problems.h"

enum { ALONG_X, ALONG_Y, CENTRE, KINDS };

typedef struct heat {
    problem q; /* first, for problem_free */
    int m;     /* inner points along a side */
    int rim;   /* 1: the points on the rim are states too, with u' = 0 */
    int separate; /* 1: p1 and p2 are parameters 0 and 1; 0: both are parameter 0 */
    double c;
    int *colptr, *rowind;
    unsigned char *kind; /* of each entry */
    double *extra;       /* what heat_make was asked for */
} heat;

/* The problem without initial state, parameters, times and objectives; `extra` further numbers behind it. NULL: no memory. */
heat *heat_make(int m, int rim, int separate, int np, size_t extra);

/* The state of grid point (i, j), both from 0 on the rim to m + 1 */
int heat_at(const heat *h, int i, int j);

/* The k-th eigenvalue of -u_xx, k = 1 .. m */
double heat_eigenvalue(const heat *h, int k);

#endif
