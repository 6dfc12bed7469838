/* pencil.h - the matrix pencil A = (re + i im) M - J, written into a solver's own storage: where each value of J and of M goes is
 * found once. */
#ifndef COSTATE_LINSOL_PENCIL_H
#define COSTATE_LINSOL_PENCIL_H

#include "linsol/linsol.h"

typedef struct pencil_map { /* the corners of a band belong to no entry */
    int entries;
    int *from, *to; /* value from[k] goes to place to[k]; NULL: the matrix is dense and so is A, value k goes to place k */
} pencil_map;

typedef struct pencil {
    int n;
    size_t size;            /* places of A */
    pencil_map jac, mass;
    const linsol_mass *m;   /* NULL: the identity */
    size_t offset, column;  /* dense or banded A: entry (i, j) is at offset + i + column*j */
    int *diag;              /* sparse A: places of the diagonal; else NULL */
    int *colptr, *rowind;   /* sparse A: its pattern, that of J and M and the whole diagonal, rows rising within a column */
} pencil;

/* The kind of pattern that J and M have together: dense if one of them is, banded (with lower and upper) if both are, else CSC
 * (without its lists). A diagonal, and so the identity, is a band. */
costate_pattern pencil_pattern(const linsol_config *c);

/* The maps for A dense (n x n column-major), banded (lower + upper + 1 rows, and on top of them `fill` more, as LAPACK's band
 * factorization wants them) and sparse (CSC). Sparse takes no dense matrix, banded none but bands. 0 or COSTATE_ERR_MEMORY, then
 * nothing is left behind. */
int pencil_dense(pencil *s, const linsol_config *c);
int pencil_band(pencil *s, const linsol_config *c, int fill);
int pencil_sparse(pencil *s, const linsol_config *c);
/* Sparse A with its unknowns numbered anew: number k is unknown order[k]. The rows of A as it is: row i's entries begin[i] ..
 * begin[i+1]-1 are in columns index[], at places place[]. */
int pencil_reorder(pencil *s, const int *order, const int *begin, const int *index, const int *place, const costate_allocator *a);
void pencil_close(pencil *s, const costate_allocator *a);

/* a = A, with the values that M has at this time. The real part of place p is a[step*p], its imaginary part a[step*p + imag];
 * imag 0: a real matrix. 0 or LINSOL_NOT_FINITE. */
int pencil_form(const pencil *s, size_t step, size_t imag, double re, double im, const double *jac, double *a);

#endif
