/* jacobian.c - see jacobian.h.
 *
 *     compressed from jvp     one direction per colour: the sum of the unit vectors of its columns
 *     by differences          f_y(i, j) ~ (f_i(y + s) - f_i(y - s)) / (2 h_j),   s = sum over the colour's columns j of h_j e_j
 *
 * with the steps h_j of differ.c, each component its own. One-sided differences would save half of the evaluations and be good
 * enough for Newton matrices, and for a Rosenbrock method's order too. But its adjoint takes this matrix for f_y, so that its
 * error is one of the gradient, and central differences make that a hundred times smaller.
 *
 * Patterns are looked for at points that are moved from (t, y) by irregular amounts, about 1e-3 of the size of every component,
 * away from zero, so that no sign changes. That tells an entry that is always zero from one that happens to be. To put NaN into
 * y_j and see where it comes out would also do without luck, but fmin, fmax and comparisons swallow it. */
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

static int least(int a, int b)
{
    return a < b ? a : b;
}

static double largest(int n, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i]));
    return most;
}

/* The step of a difference along a state y. differ_eps asks of the others only how large the largest is: two stand for all. */
static double step_along(double y, double most)
{
    deriv_source pair = {.ny = 2};
    deriv_place at = {.y = (double[]){y, most}};
    return differ_eps(&pair, at, 1, (deriv_dirs){.y = (double[]){1, 0}}, 0, 1);
}

/* ---- opening ---- */

static size_t lines(size_t bytes)
{
    return cst__pad((bytes + sizeof(double) - 1) / sizeof(double));
}

/* One block: head, colours, scratch. Colouring comes before the first evaluation, so its scratch is the same. */
static int make_workspace(jacobian *j)
{
    int n = j->d->prob.n, lanes = least(j->lanes, n), jvp = j->source == from_jvp;
    size_t head = lines(sizeof(workspace)), colours = lines((2 * (size_t)n + 1) * sizeof(int));
    size_t block = cst__pad((size_t)n * (jvp ? (size_t)lanes : 1)), scratch = (jvp ? 2 : 4) * block;
    size_t work = lines(colour_work(&j->pattern, n) * sizeof(int));
    if (work > scratch) scratch = work;
    double *at = j->memory = cst__alloc(&j->alloc, head + colours + scratch, sizeof(double));
    if (!at) return COSTATE_ERR_MEMORY;
    workspace *ws = j->memory;
    ws->start = (int *)(at + head);
    ws->member = ws->start + n + 1;
    at += head + colours;
    j->colours = colour_columns(&j->pattern, n, ws->start, ws->member, (int *)at);
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
    status = make_workspace(j);
    if (!status) return COSTATE_OK;
    snprintf(why, size, "scratch for the Jacobian of %d states", d->prob.n);
    *j = (jacobian){0};
    return status;
}

void jacobian_close(jacobian *j)
{
    cst__release(&j->alloc, j->memory);
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

static int compress(jacobian *j, double t, const double *y, const double *p, double *values)
{
    const workspace *ws = j->memory;
    int n = j->d->prob.n;
    for (int first = 0; first < j->colours; first += j->lanes) {
        int w = least(j->lanes, j->colours - first);
        seed(ws, first, w, 1);
        int rc = deriv_jvp(j->d, t, y, p, w, NULL, ws->seed, NULL, ws->out);
        seed(ws, first, w, 0);
        if (rc) return rc;
        for (int l = 0; l < w; l++)
            for (int m = ws->start[first + l]; m < ws->start[first + l + 1]; m++)
                scatter(pattern_entries(&j->pattern, n, ws->member[m]), 1, w, l, ws->out, values);
    }
    return 0;
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
    double most = largest(n, y);
    for (int i = 0; i < n; i++) ws->step[i] = step_along(y[i], most);
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

/* ---- looking for entries ---- */

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
    double most = largest(n, y), one = 1;
    double far_t = FAR * differ_eps(&(deriv_source){0}, (deriv_place){.t = t}, 1, (deriv_dirs){.t = &one}, 0, 1);
    uint64_t state = 0;
    for (int i = 0; i < n; i++) q->far[i] = (y[i] < 0 ? -FAR : FAR) * step_along(y[i], most);
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
    *q = (probe){.d = d, .p = p, .lanes = jvp ? lanes : 1, .alloc = *alloc};
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

int jacobian_detect(deriv *d, double t, const double *y, const double *p, int lanes, const costate_allocator *alloc,
                    int **colptr, int **rowind)
{
    int n = d->prob.n;
    size_t count = 0, room = 8 * (size_t)n;
    probe q;
    int rc = probe_open(&q, d, t, y, p, POINTS, least(lanes, n), alloc), w = 1;
    *colptr = cst__alloc(alloc, (size_t)n + 1, sizeof **colptr);
    *rowind = cst__alloc(alloc, room, sizeof **rowind);
    if (!rc && (!*colptr || !*rowind)) rc = COSTATE_ERR_MEMORY;
    for (int j = 0, l = 0; !rc && j < n; j++, l++) {
        (*colptr)[j] = (int)count;
        if (j % q.lanes == 0) {
            l = 0;
            w = least(q.lanes, n - j);
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
    int rc = probe_open(&q, j->d, t, y, p, 1, least(j->lanes, n), &j->alloc);
    for (int first = 0; !rc && found < 0 && first < n; first += q.lanes) {
        int w = least(q.lanes, n - first);
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
