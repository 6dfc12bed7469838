/* runs.h - products and triangular solutions with a sparse matrix whose unknowns are numbered by levels, on blocks of rows of
 * lanes; entries are real (z = 0) or pairs (z = 1), and so are then the lanes.
 *
 * Rows that follow each other are a run if their entries are in columns that follow each other: the pattern of the first row,
 * moved along, with zeros where a row lacks an entry. A grid is runs as long as a level is; on other patterns a run may be a
 * single row. What stands at one place of the pattern is stored along the run, so that several rows are worked on at once. */
#ifndef COSTATE_LINSOL_RUNS_H
#define COSTATE_LINSOL_RUNS_H

#include "linsol/pencil.h"

/* Rows of a square matrix: the entries begin[i] .. begin[i+1]-1 of row i are in columns index[], which rise; diag: the place of
 * the one on the diagonal, which every row has; place: where the value of an entry is; NULL: at its own place. */
typedef struct lists {
    int n;
    const int *begin, *index, *diag, *place;
} lists;

/* The columns of a sparse pencil, as rows of A^T, and its rows, made in `at`: 2 size + 2 n + 1 ints. */
lists lists_columns(const pencil *p);
lists lists_rows(const pencil *p, int *at);

/* order[k]: the unknown to be number k, level[k] its level: all unknowns of a level come one after the other and none of them
 * is coupled with another; with whom an unknown is coupled comes before it if it did, and so elimination with a fixed pattern
 * has the same factors in this order. Those of a level that have about the same pattern around them come one after the other. */
int levels_find(const lists *columns, const lists *rows, int *order, int *level, const costate_allocator *a);

typedef struct runs {
    int n, count;
    int *first, *begin; /* of a run: its first row; its part of column[], count + 1 of both; rows are those up to the next */
    int *column;        /* of the first row's entries */
    int *from;          /* place of each value, run by run, entry by entry, row by row */
    size_t values;
} runs;

enum { RUNS_ALL, RUNS_LOWER, RUNS_UPPER }; /* the last two without the diagonal */
int runs_open(runs *r, const lists *rows, int part, const int *level, const costate_allocator *a);
void runs_close(runs *r, const costate_allocator *a);
void runs_take(const runs *r, int z, const double *matrix, double *values); /* values, laid out */

void runs_subtract(const runs *r, int z, int w, const double *values, const double *x, double *out); /* out -= A x */
void runs_enlarge(const runs *r, int z, int w, const double *values, const double *x, double *out);  /* out += |A| |x| */

/* T x = b in place, T a lower or an upper triangle with ones on its diagonal, or with that whose reciprocals are `pivots`. */
void runs_solve(const runs *r, int upper, int z, int w, const double *values, const double *pivots, double *x);

#endif
