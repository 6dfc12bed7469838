/* sparsity.h - where a matrix has entries (dense, banded, CSC), seen column by column whatever its format. */
#ifndef COSTATE_BASE_SPARSITY_H
#define COSTATE_BASE_SPARSITY_H

#include <costate/costate.h>

typedef struct pattern_column { /* entry k < count is in row rows[k], or first + k if rows is NULL; its value is number at + k */
    int count, first;
    const int *rows;
    size_t at;
} pattern_column;

static inline pattern_column pattern_entries(const costate_pattern *q, int n, int j)
{
    if (q->format == COSTATE_CSC) {
        int at = q->colptr[j];
        return (pattern_column){.count = q->colptr[j + 1] - at, .rows = q->rowind + at, .at = (size_t)at};
    }
    if (q->format == COSTATE_DENSE) return (pattern_column){.count = n, .at = (size_t)j * (size_t)n};
    int above = j < q->upper ? j : q->upper, below = n - 1 - j < q->lower ? n - 1 - j : q->lower;
    size_t width = (size_t)q->lower + (size_t)q->upper + 1;
    return (pattern_column){.count = above + 1 + below, .first = j - above, .at = width * (size_t)j + (size_t)(q->upper - above)};
}

static inline int pattern_row(const pattern_column *c, int k)
{
    return c->rows ? c->rows[k] : c->first + k;
}

/* sparsity_apply.c: out += A x or A^T x for a block of w lanes, A having these values in the pattern. */
void pattern_apply(const costate_pattern *q, int n, const double *values, int transposed, int w, const double *x, double *out);

/* COSTATE_OK or COSTATE_ERR_PATTERN, then `why` (size bytes) names the column and the row. */
int pattern_check(const costate_pattern *q, int n, char *why, size_t size);

/* Values of a Jacobian on this pattern, unused corners of a band included. */
size_t pattern_values(const costate_pattern *q, int n);

#endif
