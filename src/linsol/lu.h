/* lu.h - factors of dense matrices, in place. A is column-major, n x n; a complex one has its imaginary parts in a second plane
 * behind the real ones. */
#ifndef COSTATE_LINSOL_LU_H
#define COSTATE_LINSOL_LU_H

enum { LU_OWN = 64 };   /* rows up to which LAPACK is not called */
enum { LU_GROWN = -1 }; /* pivots on the diagonal made U grow; A is lost */

/* a becomes L without its unit diagonal, and U with the reciprocals of its diagonal; row order[k] of A is the k-th pivot row. A
 * complex matrix of more than LU_OWN rows comes in `pairs` (column-major pairs, destroyed) and its factors go to a. swaps: n of
 * work. keep: the diagonal is taken as pivot unless it is below that fraction of the largest entry of its column; 1, or LAPACK:
 * always the largest. 0, LINSOL_SINGULAR or, with keep < 1, LU_GROWN. */
int lu_factor(int cplx, int n, double *a, double *pairs, int *swaps, int *order, double keep);

/* Solves with A or its transpose, on a block of w lanes. work: chunk_doubles(n). */
void lu_solve(int cplx, int n, const double *lu, const int *order, int transposed, int w, double *block, double *work);

#endif
