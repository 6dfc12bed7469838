/* jacobian.c - see jacobian.h.
 *
 *     compressed from jvp     one direction per colour: the sum of the unit vectors of its columns; long rows from vjp, one each
 *     by differences          f_y(i, j) ~ (f_i(y + s) - f_i(y - s)) / (2 h_j),   s = sum over the colour's columns j of h_j e_j
 *
 * with the steps h_j of differ.c, each component its own. One-sided differences would save half of the evaluations and be good
 * enough for Newton matrices, and for a Rosenbrock method's order too. But its adjoint takes this matrix for f_y, so that its
 * error is one of the gradient, and central differences make that a hundred times smaller.
 */
#include "deriv/jacobian.h"

#include "base/alloc.h"
#include "deriv/colour.h"
#include "deriv/source.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char from_user[] = "user", from_jvp[] = "jvp", from_rhs[] = "differences";

typedef struct workspace { /* the head of j->memory */
    int *start, *member;   /* the columns of each colour, see colour.h */
    double *seed, *out;    /* jvp: directions, all zero between uses, and their products, n x lanes */
    double *moved, *step;  /* differences: the shifted state, the steps */
    double *hi, *lo;       /* and the values on both sides */
} workspace;

/* ---- opening ---- */

static size_t lines(size_t bytes)
{
    return cst__pad((bytes + sizeof(double) - 1) / sizeof(double));
}

/* One block: head, colours, scratch. Colouring comes before the first evaluation, so its scratch is the same. */
static int make_workspace(jacobian *j, const costate_pattern *q)
{
    int n = j->d->prob.n, lanes = j->lanes < n ? j->lanes : n, jvp = j->source == from_jvp;
    size_t head = lines(sizeof(workspace)), colours = lines((2 * (size_t)n + 1) * sizeof(int));
    size_t block = cst__pad((size_t)n * (jvp ? (size_t)lanes : 1)), scratch = (jvp ? 2 : 4) * block;
    size_t work = lines(colour_work(q, n) * sizeof(int));
    if (work > scratch) scratch = work;
    double *at = j->memory = cst__alloc(&j->alloc, head + colours + scratch, sizeof(double));
    if (!at) return COSTATE_ERR_MEMORY;
    workspace *ws = j->memory;
    ws->start = (int *)(at + head);
    ws->member = ws->start + n + 1;
    at += head + colours;
    j->colours = colour_columns(q, n, ws->start, ws->member, (int *)at);
    if (jvp) {
        ws->seed = memset(at, 0, block * sizeof *at);
        ws->out = at + block;
        return COSTATE_OK;
    }
    ws->moved = at;
    ws->step = at + block;
    ws->hi = at + 2 * block;
    ws->lo = at + 3 * block;
    return COSTATE_OK;
}

int jacobian_open(jacobian *j, deriv *d, const costate_pattern *pattern, int lanes, const costate_allocator *alloc, char *why,
                  size_t size)
{
    *j = (jacobian){0};
    int status = pattern_check(pattern, d->prob.n, why, size);
    if (status) return status;
    *j = (jacobian){.d = d, .alloc = *alloc, .pattern = *pattern, .nnz = pattern_values(pattern, d->prob.n), .lanes = lanes};
    j->source = d->prob.jac ? from_user : d->prob.jvp ? from_jvp : from_rhs;
    if (j->source == from_user) return COSTATE_OK;
    /* A mistake in a vjp of the user's must not reach the run, which the certificate takes for granted. */
    if (j->source == from_jvp && d->prob.vjp && d->prob.derived && pattern->format == COSTATE_CSC)
        status = full_rows_open(&j->full, pattern, d->prob.n, alloc);
    if (!status) status = make_workspace(j, j->full.count ? &j->full.rest : pattern);
    full_rows_settle(&j->full, alloc);
    if (!status) return COSTATE_OK;
    full_rows_close(&j->full, alloc);
    snprintf(why, size, "scratch for the Jacobian of %d states", d->prob.n);
    *j = (jacobian){0};
    return status;
}

void jacobian_close(jacobian *j)
{
    cst__release(&j->alloc, j->memory);
    if (j->full.count) full_rows_close(&j->full, &j->alloc);
    *j = (jacobian){0};
}

/* ---- values ---- */

/* The entries of column c, times `by`: lane l of out, which has w. */
static void scatter(pattern_column c, double by, int w, int l, const double *out, double *restrict values)
{
    out += l;
    values += c.at;
    if (c.rows)
        for (ptrdiff_t k = 0; k < c.count; k++) values[k] = by * out[(ptrdiff_t)c.rows[k] * w];
    else
        for (ptrdiff_t k = 0; k < c.count; k++) values[k] = by * out[(c.first + k) * w];
}

/* Sets the seeds of w colours, one in each lane, to 1 or back to 0. */
static void seed(const workspace *ws, int first, int w, double value)
{
    for (int l = 0; l < w; l++)
        for (int m = ws->start[first + l]; m < ws->start[first + l + 1]; m++) ws->seed[(ptrdiff_t)ws->member[m] * w + l] = value;
}

/* The long rows, what stands there of several columns together being no value. */
static int transposed(jacobian *j, double t, const double *y, const double *p, double *values)
{
    const workspace *ws = j->memory;
    const full_rows *f = &j->full;
    for (int first = 0; first < f->count; first += j->lanes) {
        const int w = f->count - first < j->lanes ? f->count - first : j->lanes;
        for (int l = 0; l < w; l++) ws->seed[(ptrdiff_t)f->row[first + l] * w + l] = 1;
        memset(ws->out, 0, (size_t)j->d->prob.n * (size_t)w * sizeof *ws->out);
        const int rc = deriv_vjp(j->d, t, y, p, w, ws->seed, ws->out, NULL);
        for (int l = 0; l < w; l++) ws->seed[(ptrdiff_t)f->row[first + l] * w + l] = 0;
        if (rc) return rc;
        for (int l = 0; l < w; l++)
            for (int k = f->begin[first + l]; k < f->begin[first + l + 1]; k++)
                values[f->place[k]] = ws->out[(ptrdiff_t)f->column[k] * w + l];
    }
    return 0;
}

static int compress(jacobian *j, double t, const double *y, const double *p, double *values)
{
    const workspace *ws = j->memory;
    int n = j->d->prob.n;
    for (int first = 0; first < j->colours; first += j->lanes) {
        int w = j->colours - first < j->lanes ? j->colours - first : j->lanes;
        seed(ws, first, w, 1);
        int rc = deriv_jvp(j->d, t, y, p, w, NULL, ws->seed, NULL, ws->out);
        seed(ws, first, w, 0);
        if (rc) return rc;
        for (int l = 0; l < w; l++)
            for (int m = ws->start[first + l]; m < ws->start[first + l + 1]; m++)
                scatter(pattern_entries(&j->pattern, n, ws->member[m]), 1, w, l, ws->out, values);
    }
    return transposed(j, t, y, p, values);
}

/* f with the columns of colour c moved by `way` steps. */
static int side(jacobian *j, int c, double way, double t, const double *y, const double *p, double *f)
{
    const workspace *ws = j->memory;
    for (int m = ws->start[c]; m < ws->start[c + 1]; m++) {
        int i = ws->member[m];
        ws->moved[i] = y[i] + way * ws->step[i];
    }
    return deriv_rhs(j->d, t, ws->moved, p, f);
}

static int differ(jacobian *j, double t, const double *y, const double *p, double *values)
{
    const workspace *ws = j->memory;
    int n = j->d->prob.n;
    double most = differ_largest(n, y);
    for (int i = 0; i < n; i++) ws->step[i] = differ_step(y[i], most);
    memcpy(ws->moved, y, (size_t)n * sizeof *y);
    for (int c = 0; c < j->colours; c++) {
        int rc = side(j, c, 1, t, y, p, ws->hi);
        if (!rc) rc = side(j, c, -1, t, y, p, ws->lo);
        if (rc) return rc;
        for (int i = 0; i < n; i++) ws->hi[i] -= ws->lo[i];
        for (int m = ws->start[c]; m < ws->start[c + 1]; m++) {
            int i = ws->member[m];
            double gap = (y[i] + ws->step[i]) - (y[i] - ws->step[i]); /* as far as the two points really are apart */
            scatter(pattern_entries(&j->pattern, n, i), 1 / gap, 1, 0, ws->hi, values);
            ws->moved[i] = y[i];
        }
    }
    return 0;
}

int jacobian_eval(jacobian *j, double t, const double *y, const double *p, double *values)
{
    j->d->count->jac++;
    if (j->source == from_user) return j->d->prob.jac(t, y, p, values, j->d->prob.data);
    if (j->pattern.format == COSTATE_BANDED) memset(values, 0, j->nnz * sizeof *values); /* the corners */
    return j->source == from_jvp ? compress(j, t, y, p, values) : differ(j, t, y, p, values);
}
