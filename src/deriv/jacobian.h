/* jacobian.h - f_y as values on a fixed pattern, for Newton and Rosenbrock matrices. By a chain, resolved once:
 *
 *     the user's jac  ->  compressed from the user's jvp  ->  compressed from rhs by differences
 *
 * Compressed: columns that share no row (distance-2 colouring of the pattern, greedy) are evaluated together, one direction
 * per colour, `lanes` directions a call; but for rows that are much longer than the others, which come from the user's vjp, if
 * there is one. Without a pattern the Jacobian is dense and every column is a colour of its own. */
#ifndef COSTATE_DERIV_JACOBIAN_H
#define COSTATE_DERIV_JACOBIAN_H

#include "deriv/deriv.h"
#include "deriv/full_rows.h"

typedef struct jacobian {
    deriv *d;
    costate_allocator alloc;
    costate_pattern pattern;
    size_t nnz;        /* values */
    int colours;       /* 0: the user's jac */
    const char *source; /* "user", "jvp" or "differences" */
    int lanes;
    full_rows full;
    void *memory;      /* colouring and scratch; laid out in jacobian.c */
} jacobian;

/* pattern: checked (COSTATE_ERR_PATTERN with `why`), not copied. */
int jacobian_open(jacobian *j, deriv *d, const costate_pattern *pattern, int lanes, const costate_allocator *alloc, char *why,
                  size_t size);
void jacobian_close(jacobian *j);

/* values[nnz] = f_y(t, y, p). Returns what the callback did. Counts as stats.jac. */
int jacobian_eval(jacobian *j, double t, const double *y, const double *p, double *values);

/* detect.c: the pattern of f_y around (t, y, p), found by looking at every column at irregular points nearby (n directions
 * of jvp, `lanes` a call, or n rhs evaluations each). CSC; *colptr and *rowind are allocated with `alloc`. */
int jacobian_detect(deriv *d, double t, const double *y, const double *p, int lanes, const costate_allocator *alloc, int **colptr,
                    int **rowind);

/* First entry (row, column) of f_y at (t, y, p) that is not zero and not in the pattern; 0 if there is one, 1 if there is
 * none, < 0 a callback's refusal. */
int jacobian_missing(jacobian *j, double t, const double *y, const double *p, int *row, int *column);

/* Is it f_y? One product with a direction that has every component, at an irregular point near (t, y), against the user's jvp
 * or a difference of rhs. *row: where it is least so, and *defect: by how much, relative to the terms of that row; 0: not by
 * more than round-off, or what differences allow. Returns 0 or what a callback did. */
int jacobian_defect(jacobian *j, double t, const double *y, const double *p, int *row, double *defect);

#endif
