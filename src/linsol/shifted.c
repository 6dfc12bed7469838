/* shifted.c - see shifted.h. In every format the values of a column are consecutive, and so are its rows unless they are
 * listed. */
#include "linsol/shifted.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct column {
    int first, count; /* its values */
    int row;          /* of the first value; the others follow, unless */
    const int *rows;  /* this lists them all */
} column;

static column column_of(const linsol_config *c, int j)
{
    const costate_pattern *p = &c->pattern;
    if (p->format == COSTATE_CSC) return (column){p->colptr[j], p->colptr[j + 1] - p->colptr[j], 0, p->rowind + p->colptr[j]};
    int top = j > p->upper ? j - p->upper : 0, end = c->n - j > p->lower ? j + p->lower + 1 : c->n;
    return (column){p->upper + top - j + (p->lower + p->upper + 1) * j, end - top, top, NULL};
}

static int row_of(const column *col, int k)
{
    return col->rows ? col->rows[k] : col->row + k;
}

/* One block of memory for all index arrays; `sparse` more are wanted for a pattern of M with at most that many entries. */
static int make_maps(shifted *s, const linsol_config *c, size_t sparse)
{
    size_t n = (size_t)c->n, entries = 0;
    for (int j = 0; j < c->n; j++) entries += (size_t)column_of(c, j).count;
    if (entries > INT_MAX || s->size > INT_MAX) return COSTATE_ERR_MEMORY;
    size_t pattern = sparse ? n + 1 + sparse : 0;
    s->from = cst__alloc(&c->alloc, 2 * entries + n + pattern, sizeof(int));
    if (!s->from) return COSTATE_ERR_MEMORY;
    s->entries = (int)entries;
    s->to = s->from + entries;
    s->diag = s->to + entries;
    if (sparse) {
        s->colptr = s->diag + n;
        s->rowind = s->colptr + n + 1;
    }
    return 0;
}

int shifted_dense(shifted *s, const linsol_config *c)
{
    *s = (shifted){.n = c->n, .size = (size_t)c->n * (size_t)c->n};
    if (c->pattern.format == COSTATE_DENSE) return 0;
    int st = make_maps(s, c, 0), k = 0;
    if (st) return st;
    for (int j = 0; j < c->n; j++) {
        column col = column_of(c, j);
        s->diag[j] = j + c->n * j;
        for (int i = 0; i < col.count; i++, k++) {
            s->from[k] = col.first + i;
            s->to[k] = row_of(&col, i) + c->n * j;
        }
    }
    return 0;
}

int shifted_band(shifted *s, const linsol_config *c)
{
    int lower = c->pattern.lower, upper = c->pattern.upper, rows = 2 * lower + upper + 1;
    *s = (shifted){.n = c->n, .size = (size_t)c->n * (size_t)rows};
    int st = make_maps(s, c, 0), k = 0;
    if (st) return st;
    for (int j = 0; j < c->n; j++) {
        column col = column_of(c, j);
        s->diag[j] = lower + upper + rows * j;
        for (int i = 0; i < col.count; i++, k++) {
            s->from[k] = col.first + i;
            s->to[k] = s->diag[j] + row_of(&col, i) - j;
        }
    }
    return 0;
}

int shifted_sparse(shifted *s, const linsol_config *c)
{
    *s = (shifted){.n = c->n};
    size_t most = (size_t)c->n;
    for (int j = 0; j < c->n; j++) most += (size_t)column_of(c, j).count;
    s->size = most;
    int st = make_maps(s, c, most), k = 0, at = 0;
    if (st) return st;
    for (int j = 0; j < c->n; j++) {
        column col = column_of(c, j);
        s->colptr[j] = at;
        s->diag[j] = -1;
        for (int i = 0; i <= col.count; i++) {
            int row = i < col.count ? row_of(&col, i) : c->n;
            if (s->diag[j] < 0 && row >= j) { /* here the diagonal is, or is missing */
                s->diag[j] = at;
                if (row > j) s->rowind[at++] = j;
            }
            if (i == col.count) break;
            s->from[k] = col.first + i;
            s->to[k++] = at;
            s->rowind[at++] = row;
        }
    }
    s->colptr[c->n] = at;
    s->size = (size_t)at;
    return 0;
}

void shifted_close(shifted *s, const costate_allocator *a)
{
    cst__release(a, s->from); /* the one block */
    *s = (shifted){0};
}

int shifted_form(const shifted *s, size_t step, size_t imag, double re, double im, const double *jac, double *m)
{
    int finite = isfinite(re) && isfinite(im);
    if (s->from) {
        memset(m, 0, s->size * (imag ? 2 : 1) * sizeof *m);
        for (int k = 0; k < s->entries; k++) {
            double v = jac[s->from[k]];
            finite &= fabs(v) <= DBL_MAX;
            m[step * (size_t)s->to[k]] = -v;
        }
    } else {
        if (imag) memset(m, 0, 2 * s->size * sizeof *m);
        for (size_t k = 0; k < s->size; k++) {
            finite &= fabs(jac[k]) <= DBL_MAX;
            m[step * k] = -jac[k];
        }
    }
    for (size_t j = 0; j < (size_t)s->n; j++) {
        size_t p = step * (s->diag ? (size_t)s->diag[j] : j * ((size_t)s->n + 1));
        m[p] += re;
        if (imag) m[p + imag] = im;
    }
    return finite ? 0 : LINSOL_NOT_FINITE;
}
