/* detect.c - which entries a Jacobian has: looked for where no pattern is given, and checked where one is.
 *
 * Patterns are looked for at points that are moved from (t, y) by irregular amounts, about 1e-3 of the size of every component,
 * away from zero, so that no sign changes. That tells an entry that is always zero from one that happens to be. To put NaN into
 * y_j and see where it comes out would also do without luck, but fmin, fmax and comparisons swallow it. */
#include "deriv/jacobian.h"

#include "base/alloc.h"
#include "base/sparsity.h"
#include "deriv/source.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { POINTS = 3, FAR = 256 }; /* points looked at; how far they lie at most, in steps of a difference: 256 * 6e-6 = 1.6e-3 */

typedef struct probe { /* f_y column by column, whatever the pattern, at points nearby */
    deriv *d;
    const double *p;
    int lanes;                                /* columns at a time; 1 for differences */
    double t[POINTS], *y[POINTS], *f[POINTS]; /* f: differences only */
    double *far;                              /* how far a state is moved */
    double *unit, *out;                       /* n x lanes: directions, all zero between uses, and the columns they give */
    unsigned char *seen;                      /* n x lanes flags */
    void *block;
    costate_allocator alloc;
} probe;

static void probe_close(probe *q)
{
    cst__release(&q->alloc, q->block);
}

/* 1/2 .. 1, from the upper bits of a linear congruential sequence */
static double irregular(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return 0.5 + (double)(*state >> 12) * (DBL_EPSILON / 2);
}

static void probe_points(probe *q, int points, double t, const double *y)
{
    int n = q->d->prob.n;
    double most = differ_largest(n, y), one = 1;
    double far_t = FAR * differ_eps(&(deriv_source){.d = q->d}, (deriv_place){.t = t}, 1, (deriv_dirs){.t = &one}, 0, 1);
    uint64_t state = 0;
    for (int i = 0; i < n; i++) q->far[i] = (y[i] < 0 ? -FAR : FAR) * differ_step(y[i], most);
    for (int k = 0; k < points; k++) {
        q->t[k] = t + irregular(&state) * far_t;
        for (int i = 0; i < n; i++) q->y[k][i] = y[i] + irregular(&state) * q->far[i];
    }
}

/* 0, COSTATE_ERR_MEMORY or what rhs returned; to be closed in any case. */
static int probe_open(probe *q, deriv *d, double t, const double *y, const double *p, int points, int lanes,
                      const costate_allocator *alloc)
{
    int jvp = d->prob.jvp != NULL, rc = 0;
    *q = (probe){.d = d, .p = p, .lanes = !jvp ? 1 : lanes < d->prob.n ? lanes : d->prob.n, .alloc = *alloc};
    size_t n = cst__pad((size_t)d->prob.n), block = n * (size_t)q->lanes;
    double *at = q->block = cst__alloc(alloc, (2 * (size_t)points + 1) * n + 2 * block + block / sizeof(double), sizeof(double));
    if (!at) return COSTATE_ERR_MEMORY;
    for (int k = 0; k < points; k++, at += 2 * n) {
        q->y[k] = at;
        q->f[k] = at + n;
    }
    q->far = at;
    q->unit = at + n;
    q->out = at + n + block;
    q->seen = (unsigned char *)(at + n + 2 * block);
    memset(q->unit, 0, block * sizeof(double));
    probe_points(q, points, t, y);
    for (int k = 0; !jvp && !rc && k < points; k++) rc = deriv_rhs(d, q->t[k], q->y[k], p, q->f[k]);
    return rc;
}

/* out = w columns of f_y at point k, or what f gains when they are moved. */
static int probe_columns(probe *q, int k, int first, int w)
{
    double *unit = q->unit + (ptrdiff_t)first * w, *y = q->y[k] + first, here = *y;
    if (q->d->prob.jvp) {
        for (ptrdiff_t l = 0; l < w; l++) unit[l * w + l] = 1;
        int rc = deriv_jvp(q->d, q->t[k], q->y[k], q->p, w, NULL, q->unit, NULL, q->out);
        for (ptrdiff_t l = 0; l < w; l++) unit[l * w + l] = 0;
        return rc;
    }
    *y += q->far[first];
    int rc = deriv_rhs(q->d, q->t[k], q->y[k], q->p, q->out);
    *y = here;
    for (int i = 0; i < q->d->prob.n; i++) q->out[i] -= q->f[k][i];
    return rc;
}

/* seen[i*w + l] = 1 if entry i of column first + l is not zero at one of the points. NaN is not zero. */
static int look(probe *q, int first, int w)
{
    size_t entries = (size_t)q->d->prob.n * (size_t)w;
    memset(q->seen, 0, entries);
    for (int k = 0; k < POINTS; k++) {
        int rc = probe_columns(q, k, first, w);
        if (rc) return rc;
        for (size_t e = 0; e < entries; e++) q->seen[e] |= !(q->out[e] == 0);
    }
    return 0;
}

/* Room for n more entries behind the first `used`. */
static int make_room(int **list, size_t used, size_t n, size_t *room, const costate_allocator *alloc)
{
    if (*room - used >= n) return COSTATE_OK;
    *room = 2 * *room + n;
    int *longer = cst__alloc(alloc, *room, sizeof *longer);
    if (longer) memcpy(longer, *list, used * sizeof *longer);
    cst__release(alloc, *list);
    *list = longer;
    return longer ? COSTATE_OK : COSTATE_ERR_MEMORY;
}

int jacobian_detect(deriv *d, double t, const double *y, const double *p, int lanes, const costate_allocator *alloc, int **colptr,
                    int **rowind)
{
    int n = d->prob.n;
    size_t count = 0, room = 8 * (size_t)n;
    probe q;
    int rc = probe_open(&q, d, t, y, p, POINTS, lanes, alloc), w = 1;
    *colptr = cst__alloc(alloc, (size_t)n + 1, sizeof **colptr);
    *rowind = cst__alloc(alloc, room, sizeof **rowind);
    if (!rc && (!*colptr || !*rowind)) rc = COSTATE_ERR_MEMORY;
    for (int j = 0, l = 0; !rc && j < n; j++, l++) {
        (*colptr)[j] = (int)count;
        if (j % q.lanes == 0) {
            l = 0;
            w = n - j < q.lanes ? n - j : q.lanes;
            rc = look(&q, j, w);
        }
        if (!rc) rc = make_room(rowind, count, (size_t)n, &room, alloc);
        for (ptrdiff_t i = 0; !rc && i < n; i++)
            if (q.seen[i * w + l]) (*rowind)[count++] = (int)i;
        if (count > INT_MAX) rc = COSTATE_ERR_MEMORY; /* more than colptr can tell */
    }
    probe_close(&q);
    if (!rc) (*colptr)[n] = (int)count;
    if (!rc) return COSTATE_OK;
    cst__release(alloc, *colptr);
    cst__release(alloc, *rowind);
    *colptr = *rowind = NULL;
    return rc;
}

/* The first row where lane l of the columns has an entry that the pattern's column c has not; -1: none. By differences it counts
 * if f changes by more than the rounding of terms ten thousand times as large as f. NaN tells nothing. */
static int outside(const probe *q, pattern_column c, int w, int l)
{
    double noise = q->d->prob.jvp ? 0 : 1e4 * DBL_EPSILON;
    for (int i = 0, k = 0; i < q->d->prob.n; i++) {
        double v = q->out[(ptrdiff_t)i * w + l], f = noise > 0 ? q->f[0][i] : 0;
        if (k < c.count && pattern_row(&c, k) == i) k++;
        else if (fabs(v) > noise * fmax(fabs(f), fabs(f + v))) return i;
    }
    return -1;
}

/* A positive refusal would read as an answer; it comes back as COSTATE_ERR_RETRY. */
int jacobian_missing(jacobian *j, double t, const double *y, const double *p, int *row, int *column)
{
    int n = j->d->prob.n, found = -1;
    probe q;
    int rc = probe_open(&q, j->d, t, y, p, 1, j->lanes, &j->alloc);
    for (int first = 0; !rc && found < 0 && first < n; first += q.lanes) {
        int w = n - first < q.lanes ? n - first : q.lanes;
        rc = probe_columns(&q, 0, first, w);
        for (int l = 0; !rc && found < 0 && l < w; l++) {
            found = outside(&q, pattern_entries(&j->pattern, n, first + l), w, l);
            if (found < 0) continue;
            *row = found;
            *column = first + l;
        }
    }
    probe_close(&q);
    if (rc) return rc < 0 ? rc : COSTATE_ERR_RETRY;
    return found < 0;
}

/* ---- is it f_y? ----------------------------------------------------------------------------------------------------------- */

/* out = f_y v at the probe's point, by the user's jvp or a central difference; more: n doubles. */
static int product(probe *q, const double *v, double *out, double *more)
{
    deriv *d = q->d;
    if (d->prob.jvp) return deriv_jvp(d, q->t[0], q->y[0], q->p, 1, NULL, v, NULL, out);
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int i = 0; i < d->prob.n; i++) q->far[i] = q->y[0][i] + sign * v[i];
        int rc = deriv_rhs(d, q->t[0], q->far, q->p, sign > 0 ? out : more);
        if (rc) return rc;
    }
    for (int i = 0; i < d->prob.n; i++) out[i] = (out[i] - more[i]) / 2;
    return 0;
}

/* sum = J v, size = |J| |v| */
static void apply(const jacobian *j, const double *values, const double *v, double *sum, double *size)
{
    int n = j->d->prob.n;
    for (int k = 0; k < n; k++) {
        pattern_column c = pattern_entries(&j->pattern, n, k);
        for (int e = 0; e < c.count; e++) {
            double term = values[c.at + (size_t)e] * v[k];
            sum[pattern_row(&c, e)] += term;
            size[pattern_row(&c, e)] += fabs(term);
        }
    }
}

/* Where sum and exact differ most, by more than `allowed`, in terms of the row. What is not finite tells nothing. */
static void compare(const probe *q, const double *sum, const double *size, const double *exact, int *row, double *defect)
{
    int jvp = q->d->prob.jvp != NULL;
    double allowed = jvp ? 1e-8 : 1e-4;
    for (int i = 0; i < q->d->prob.n; i++) {
        double terms = size[i] + fabs(exact[i]), noise = jvp ? 0 : 1e4 * DBL_EPSILON * fabs(q->f[0][i]);
        double off = fabs(sum[i] - exact[i]);
        if (!(off > allowed * terms + noise) || !(off > *defect * terms)) continue;
        *defect = off / terms;
        *row = i;
    }
}

int jacobian_defect(jacobian *j, double t, const double *y, const double *p, int *row, double *defect)
{
    size_t n = cst__pad((size_t)j->d->prob.n);
    uint64_t state = 7;
    probe q;
    int rc = probe_open(&q, j->d, t, y, p, 1, 1, &j->alloc);
    double *v = rc ? NULL : cst__alloc(&j->alloc, 5 * n + j->nnz, sizeof *v);
    if (!rc && !v) rc = COSTATE_ERR_MEMORY;
    *row = -1;
    *defect = 0;
    if (!rc) {
        double *sum = v + n, *size = v + 2 * n, *exact = v + 3 * n, *more = v + 4 * n, *values = v + 5 * n;
        memset(v, 0, 5 * n * sizeof *v);
        for (int i = 0; i < j->d->prob.n; i++) v[i] = (i % 3 ? 1 : -1) * irregular(&state) * q.far[i] / FAR;
        rc = jacobian_eval(j, q.t[0], q.y[0], p, values);
        if (!rc) rc = product(&q, v, exact, more);
        if (!rc) apply(j, values, v, sum, size);
        if (!rc) compare(&q, sum, size, exact, row, defect);
    }
    cst__release(&j->alloc, v);
    probe_close(&q);
    return rc;
}
