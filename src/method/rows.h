/* rows.h - the nonzero entries of a row of coefficients, and linear combinations over them. */
#ifndef COSTATE_METHOD_ROWS_H
#define COSTATE_METHOD_ROWS_H

enum { ROW_MOST = 64 };

typedef struct row {
    int m;
    int j[ROW_MOST];
    double a[ROW_MOST];
} row;

/* Entries x[0], x[stride], ... of which there are `count`. */
static inline row row_make(const double *x, int count, int stride)
{
    row r;
    r.m = 0;
    for (int j = 0; j < count; j++)
        if (x[j * stride] != 0) {
            r.j[r.m] = j;
            r.a[r.m++] = x[j * stride];
        }
    return r;
}

/* Coefficients scale * a_j and the vectors they belong to, ready for cst__combine, from place `at` on; returns how many
 * there are then. */
static inline int row_terms(const row *r, double scale, double *const *k, double *c, const double **v, int at)
{
    for (int q = 0; q < r->m; q++, at++) {
        c[at] = scale * r->a[q];
        v[at] = k[r->j[q]];
    }
    return at;
}

#endif
