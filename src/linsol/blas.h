/* blas.h - calls of BLAS and LAPACK are put between these two: one thread does the work, the caller's.
 *
 * Threads of BLAS wait for each other by spinning: beside other work on the machine, or other solvers, they cost more than they
 * gain; and the order of their sums, so the last bits, would depend on how many there are. What the program itself has set for
 * BLAS holds again after the call. */
#ifndef COSTATE_LINSOL_BLAS_H
#define COSTATE_LINSOL_BLAS_H

int blas_calm(void);            /* what to give to the other */
void blas_as_before(int number);

#endif
