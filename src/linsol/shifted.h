/* shifted.h - M = (re + i im) I - J, written into a solver's own storage: where each value of J goes is found once. */
#ifndef COSTATE_LINSOL_SHIFTED_H
#define COSTATE_LINSOL_SHIFTED_H

#include "linsol/linsol.h"

typedef struct shifted {
    int n;
    size_t size;           /* places of M */
    int entries;           /* values of J that are read (the corners of a band belong to no entry); */
    int *from, *to;        /* value from[k] goes to place to[k]; NULL: J is dense and so is M, value k goes to place k */
    int *diag;             /* places of the diagonal; NULL: as in a dense matrix */
    int *colptr, *rowind;  /* sparse M: its pattern, that of J and the whole diagonal, rows rising within a column */
} shifted;

/* The map for M dense (n x n column-major), banded (as LAPACK's band factorization wants it: `lower` rows for fill on top) and
 * sparse (CSC). Sparse takes no dense J, banded only a banded one. 0 or COSTATE_ERR_MEMORY, then nothing is left behind. */
int shifted_dense(shifted *s, const linsol_config *c);
int shifted_band(shifted *s, const linsol_config *c);
int shifted_sparse(shifted *s, const linsol_config *c);
void shifted_close(shifted *s, const costate_allocator *a);

/* m = M. The real part of place p is m[step*p], its imaginary part m[step*p + imag]; imag 0: a real matrix. 0 or
 * LINSOL_NOT_FINITE. */
int shifted_form(const shifted *s, size_t step, size_t imag, double re, double im, const double *jac, double *m);

#endif
