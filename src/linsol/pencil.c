/* pencil.c - see pencil.h. */
#include "linsol/pencil.h"

#include "base/sparsity.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

costate_pattern pencil_pattern(const linsol_config *c)
{
    const costate_pattern identity = {.format = COSTATE_BANDED}, *j = &c->pattern, *m = c->mass ? &c->mass->pattern : &identity;
    costate_pattern both = {.format = COSTATE_CSC};
    if (j->format == COSTATE_DENSE || m->format == COSTATE_DENSE) both.format = COSTATE_DENSE;
    else if (j->format == COSTATE_BANDED && m->format == COSTATE_BANDED) {
        both.format = COSTATE_BANDED;
        both.lower = larger(j->lower, m->lower);
        both.upper = larger(j->upper, m->upper);
    }
    return both;
}

/* ---- maps ---------------------------------------------------------------------------------------------------------------- */

/* Values up to the last entry. */
static size_t values_of(const costate_pattern *q, int n)
{
    pattern_column last = pattern_entries(q, n, n - 1);
    return last.at + (size_t)last.count;
}

static int map_open(pencil_map *map, const costate_pattern *q, const linsol_config *c)
{
    size_t most = values_of(q, c->n);
    if (most > INT_MAX) return COSTATE_ERR_MEMORY;
    map->from = cst__alloc(&c->alloc, 2 * most + 1, sizeof(int));
    if (!map->from) return COSTATE_ERR_MEMORY;
    map->to = map->from + most;
    return 0;
}

/* Entry k of a column goes to place `to`. */
static void map_add(pencil_map *map, const pattern_column *column, int k, size_t to)
{
    map->from[map->entries] = (int)column->at + k;
    map->to[map->entries++] = (int)to;
}

/* For A dense or banded, where places follow from rows and columns. */
static int map_onto(pencil_map *map, const costate_pattern *q, const pencil *s, const linsol_config *c)
{
    if (q->format == COSTATE_DENSE) return 0;
    int st = s->size > INT_MAX ? COSTATE_ERR_MEMORY : map_open(map, q, c);
    for (int j = 0; j < c->n && !st; j++) {
        pattern_column column = pattern_entries(q, c->n, j);
        for (int k = 0; k < column.count; k++)
            map_add(map, &column, k, s->offset + (size_t)pattern_row(&column, k) + s->column * (size_t)j);
    }
    return st;
}

static int map_both(pencil *s, const linsol_config *c)
{
    int st = map_onto(&s->jac, &c->pattern, s, c);
    if (!st && c->mass) st = map_onto(&s->mass, &c->mass->pattern, s, c);
    if (st) pencil_close(s, &c->alloc);
    return st;
}

int pencil_dense(pencil *s, const linsol_config *c)
{
    size_t n = (size_t)c->n;
    *s = (pencil){.n = c->n, .size = n * n, .m = c->mass, .column = n};
    return map_both(s, c);
}

int pencil_band(pencil *s, const linsol_config *c, int fill)
{
    costate_pattern q = pencil_pattern(c);
    size_t upper = (size_t)(fill + q.upper), rows = upper + (size_t)q.lower + 1;
    *s = (pencil){.n = c->n, .size = rows * (size_t)c->n, .m = c->mass, .offset = upper, .column = rows - 1};
    return map_both(s, c);
}

/* The row of a column's entry k; n beyond the last. */
static int next_row(const pattern_column *column, int k, int n)
{
    return k < column->count ? pattern_row(column, k) : n;
}

/* Merges J, M and the diagonal. */
static void merge_columns(pencil *s, const linsol_config *c)
{
    int n = c->n, at = 0;
    for (int j = 0; j < n; j++) {
        pattern_column jac = pattern_entries(&c->pattern, n, j), mass = {0};
        if (c->mass) mass = pattern_entries(&c->mass->pattern, n, j);
        s->colptr[j] = at;
        for (int k = 0, m = 0, on = j; on < n || k < jac.count || m < mass.count; at++) {
            int row = smaller(on, smaller(next_row(&jac, k, n), next_row(&mass, m, n)));
            if (row == next_row(&jac, k, n)) map_add(&s->jac, &jac, k++, (size_t)at);
            if (row == next_row(&mass, m, n)) map_add(&s->mass, &mass, m++, (size_t)at);
            if (row == on) {
                s->diag[j] = at;
                on = n;
            }
            s->rowind[at] = row;
        }
    }
    s->colptr[n] = at;
    s->size = (size_t)at;
}

int pencil_sparse(pencil *s, const linsol_config *c)
{
    size_t n = (size_t)c->n, most = n + values_of(&c->pattern, c->n) + (c->mass ? values_of(&c->mass->pattern, c->n) : 0);
    *s = (pencil){.n = c->n, .m = c->mass};
    int st = most > INT_MAX ? COSTATE_ERR_MEMORY : map_open(&s->jac, &c->pattern, c);
    if (!st && c->mass) st = map_open(&s->mass, &c->mass->pattern, c);
    if (!st) s->diag = cst__alloc(&c->alloc, 2 * n + 1 + most, sizeof(int));
    if (!s->diag) {
        pencil_close(s, &c->alloc);
        return COSTATE_ERR_MEMORY;
    }
    s->colptr = s->diag + n;
    s->rowind = s->colptr + n + 1;
    merge_columns(s, c);
    return 0;
}

int pencil_reorder(pencil *s, const int *order, const int *begin, const int *index, const int *place, const costate_allocator *a)
{
    const size_t n = (size_t)s->n;
    int *number = cst__alloc(a, 2 * n + s->size, sizeof *number), *next = number + n, *to = next + n, at = 0;
    if (!number) return COSTATE_ERR_MEMORY;
    for (int k = 0; k < s->n; k++) {
        next[k] = at;
        number[order[k]] = k;
        at += s->colptr[order[k] + 1] - s->colptr[order[k]];
    }
    memcpy(s->colptr, next, n * sizeof *next);
    for (int k = 0; k < s->n; k++) /* rows rise, and so they do within each column */
        for (int e = begin[order[k]]; e < begin[order[k] + 1]; e++) {
            const int column = number[index[e]], p = to[place[e]] = next[column]++;
            s->rowind[p] = k;
            if (column == k) s->diag[k] = p;
        }
    for (int k = 0; k < s->jac.entries; k++) s->jac.to[k] = to[s->jac.to[k]];
    for (int k = 0; k < s->mass.entries; k++) s->mass.to[k] = to[s->mass.to[k]];
    cst__release(a, number);
    return 0;
}

void pencil_close(pencil *s, const costate_allocator *a)
{
    cst__release(a, s->jac.from);
    cst__release(a, s->mass.from);
    cst__release(a, s->diag);
    *s = (pencil){0};
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

/* a += (re + i im) M; the imaginary parts are zero so far. 0: not finite. */
static int add_mass(const pencil *s, size_t step, size_t imag, double re, double im, double *a)
{
    const pencil_map *map = &s->mass;
    int finite = 1;
    size_t count = map->from ? (size_t)map->entries : s->size;
    for (size_t k = 0; k < count; k++) {
        double v = s->m->values[map->from ? (size_t)map->from[k] : k];
        size_t p = step * (map->from ? (size_t)map->to[k] : k);
        finite &= fabs(v) <= DBL_MAX;
        a[p] += re * v;
        if (imag) a[p + imag] = im * v;
    }
    return finite;
}

static void add_identity(const pencil *s, size_t step, size_t imag, double re, double im, double *a)
{
    for (size_t j = 0; j < (size_t)s->n; j++) {
        size_t p = step * (s->diag ? (size_t)s->diag[j] : s->offset + (s->column + 1) * j);
        a[p] += re;
        if (imag) a[p + imag] = im;
    }
}

int pencil_form(const pencil *s, size_t step, size_t imag, double re, double im, const double *jac, double *a)
{
    int finite = isfinite(re) && isfinite(im);
    if (s->jac.from) {
        memset(a, 0, s->size * (imag ? 2 : 1) * sizeof *a);
        for (int k = 0; k < s->jac.entries; k++) {
            double v = jac[s->jac.from[k]];
            finite &= fabs(v) <= DBL_MAX;
            a[step * (size_t)s->jac.to[k]] = -v;
        }
    } else {
        if (imag) memset(a, 0, 2 * s->size * sizeof *a);
        for (size_t k = 0; k < s->size; k++) {
            finite &= fabs(jac[k]) <= DBL_MAX;
            a[step * k] = -jac[k];
        }
    }
    if (s->m) finite &= add_mass(s, step, imag, re, im, a);
    else add_identity(s, step, imag, re, im, a);
    return finite ? 0 : LINSOL_NOT_FINITE;
}
