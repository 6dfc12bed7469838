/* corpus_subject.h - a function of a text of the corpus at a random point, with its whole Jacobian found from the text itself,
 * compiled plainly: by the complex step, to round-off, or, where the text has kinks, by differences of order 8 at a point at
 * which two step sizes agree. Every column of the Jacobian has a size, that of its variable, and every row a scale, the sum of
 * its entries times the sizes: errors are taken in these units. */
#ifndef TESTS_CORPUS_SUBJECT_H
#define TESTS_CORPUS_SUBJECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "corpus.h"

enum { POINTS = 2, TRIES = 40 };
static const int widths[] = {1, 3, 4, 8, 11};

static corpus *all;
static int failures; /* of the running test */

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static double uniform(void) /* in (-1, 1) */
{
    static uint64_t state = 88172645463325252u;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* Arrays of exactly the size that is asked for, filled with NaN, freed together. */
static struct {
    int count;
    void *block[4096];
} taken;

static double *take(int count)
{
    double *x = malloc(sizeof *x * (size_t)(count ? count : 1));
    assert_non_null(x);
    assert_true(taken.count < 4096);
    taken.block[taken.count++] = x;
    memset(x, 0xFF, sizeof *x * (size_t)count);
    return x;
}

static void drop(int mark)
{
    while (taken.count > mark) free(taken.block[--taken.count]);
}

static double *zeros(int count)
{
    double *x = take(count);
    for (int i = 0; i < count; i++) x[i] = 0;
    return x;
}

/* ---- subjects ---------------------------------------------------------------------------------------------------------- */

/* A function of a text at a point. Columns of its Jacobian: t, the states (none for init), the parameters. */
typedef struct subject {
    const text *x;
    part which;
    int k, n, np, rows, columns;
    double t, *y, *p;        /* the point */
    double *size;            /* of each column */
    double *value;           /* rows */
    double *jac;             /* rows x columns, from the reference */
    double *scale;           /* of each row: sum of |jac| size, and with kinks |value| */
    double tolerance, floor; /* of an entry, relative to itself and to its row */
    const costate_function *fn;
} subject;

static void wrong(const subject *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(const subject *s, const char *format, ...)
{
    char line[400];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (failures++ < 60) print_error("%s.c, %s: %s\n", s->x->name, part_name[s->which], line);
}

static void call_eval(const subject *s, double t, const double *y, const double *p, double *g)
{
    const int status = s->which == RHS ? s->x->made->rhs(t, y, p, g, s->x->data) : s->fn->eval(s->k, t, y, p, g, s->x->data);
    if (status) wrong(s, "returns %d", status);
}

static void call_jvp(const subject *s, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                     const double *pd, double *gd)
{
    const int status = s->which == RHS ? s->x->made->jvp(t, y, p, w, td, yd, pd, gd, s->x->data)
                                       : s->fn->jvp(s->k, t, y, p, w, td, yd, pd, gd, s->x->data);
    if (status) wrong(s, "jvp returns %d", status);
}

static void call_vjp(const subject *s, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb)
{
    const int status = s->which == RHS ? s->x->made->vjp(t, y, p, w, u, yb, pb, s->x->data)
                                       : s->fn->vjp(s->k, t, y, p, w, u, yb, pb, s->x->data);
    if (status) wrong(s, "vjp returns %d", status);
}

static void call_vjp_dot(const subject *s, int w, const double *d, const double *u, const double *ud, double *b, double *bd)
{
    const int n = s->n;
    double *yb = n ? b + w : NULL, *ybd = n ? bd + w : NULL;
    const double *yd = n ? d + w : NULL, *pd = d + w * (1 + n);
    double *pb = b + w * (1 + n), *pbd = bd + w * (1 + n);
    const int status =
        s->which == RHS ? s->x->made->vjp_dot(s->t, s->y, s->p, w, d, yd, pd, u, ud, yb, ybd, pb, pbd, s->x->data)
                        : s->fn->vjp_dot(s->k, s->t, s->y, s->p, w, d, yd, pd, u, ud, yb, ybd, pb, pbd, s->x->data);
    if (status) wrong(s, "vjp_dot returns %d", status);
}

/* Blocks hold the columns one after the other: (tdot, ydot, pdot), and likewise for adjoints, whose first row stays unused. */
static void jvp(const subject *s, const double *at, int w, const double *d, double *gd)
{
    call_jvp(s, at[0], s->n ? at + 1 : NULL, at + 1 + s->n, w, d, s->n ? d + w : NULL, d + w * (1 + s->n), gd);
}

static void vjp(const subject *s, const double *at, int w, const double *u, double *b)
{
    call_vjp(s, at[0], s->n ? at + 1 : NULL, at + 1 + s->n, w, u, s->n ? b + w : NULL, b + w * (1 + s->n));
}

/* ---- the reference ----------------------------------------------------------------------------------------------------- */

static void real_value(const subject *s, const double *at, double *g)
{
    s->x->real[s->which](s->k, at[0], at + 1, at + 1 + s->n, g, s->x->data);
}

static void complex_jacobian(subject *s, const double *at)
{
    double _Complex *z = malloc(sizeof *z * (size_t)(s->columns + s->rows));
    assert_non_null(z);
    for (int j = 0; j < s->columns; j++) z[j] = at[j];
    for (int j = 0; j < s->columns; j++) {
        const double h = 1e-30 * s->size[j];
        z[j] = at[j] + h * _Complex_I;
        for (int i = 0; i < s->rows; i++) z[s->columns + i] = 0;
        s->x->complex_[s->which](s->k, z[0], z + 1, z + 1 + s->n, z + s->columns, s->x->complex_data);
        for (int i = 0; i < s->rows; i++) s->jac[i * s->columns + j] = cimag(z[s->columns + i]) / h;
        z[j] = at[j];
    }
    free(z);
}

static const double stencil[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}; /* of order 8 */

static void difference_jacobian(const subject *s, double *at, double step, double *jac)
{
    double *up = take(s->rows), *down = take(s->rows);
    for (int j = 0; j < s->columns; j++) {
        const double h = step * s->size[j], x = at[j];
        for (int i = 0; i < s->rows; i++) jac[i * s->columns + j] = 0;
        for (int k = 1; k <= 4; k++) {
            at[j] = x + k * h, real_value(s, at, up);
            at[j] = x - k * h, real_value(s, at, down);
            for (int i = 0; i < s->rows; i++) jac[i * s->columns + j] += stencil[k - 1] * (up[i] - down[i]) / h;
        }
        at[j] = x;
    }
}

static void row_scales(subject *s)
{
    for (int i = 0; i < s->rows; i++) {
        s->scale[i] = s->x->kinks ? fabs(s->value[i]) : 0;
        for (int j = 0; j < s->columns; j++) s->scale[i] += fabs(s->jac[i * s->columns + j]) * s->size[j];
    }
}

/* 0: a kink is near, try another point */
static int reference(subject *s, double *at)
{
    real_value(s, at, s->value);
    s->tolerance = s->x->kinks ? 1e-7 : 1e-11, s->floor = s->x->kinks ? 1e-9 : 1e-14;
    if (!s->x->kinks) complex_jacobian(s, at);
    else difference_jacobian(s, at, 2e-4, s->jac);
    row_scales(s);
    if (!s->x->kinks) return 1;
    double *other = take(s->rows * s->columns);
    difference_jacobian(s, at, 1e-4, other);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->columns; j++) {
            const double a = s->jac[i * s->columns + j], b = other[i * s->columns + j];
            if (!(fabs(a - b) <= 0.1 * (s->tolerance * fabs(a) + s->floor * s->scale[i] / s->size[j]))) return 0;
        }
    return 1;
}

static double around(double x, double spread) { return x != 0 ? x * (1 + spread * uniform()) : spread * uniform(); }

/* The point: near the nominal one. at: t, y, p in a row. */
static void draw(subject *s, double *at)
{
    const costate_descriptor *d = s->x->descriptor;
    double *p = take(d->params), *y = take(d->states);
    if (d->defaults) d->defaults(p);
    for (int i = 0; i < d->params; i++) p[i] = around(d->defaults ? p[i] : d->p.item[i], 0.05);
    if (s->x->real[INIT]) s->x->real[INIT](0, d->t0, NULL, p, y, s->x->data);
    for (int i = 0; i < d->states; i++) y[i] = around(s->x->real[INIT] ? y[i] : d->y0.item[i], 0.05);
    at[0] = d->t0 + (d->t1 - d->t0) * (0.5 + 0.4 * uniform());
    memcpy(at + 1, y, sizeof *y * (size_t)s->n);
    memcpy(at + 1 + s->n, p, sizeof *p * (size_t)s->np);
    s->size[0] = d->t1 - d->t0;
    for (int j = 1; j < s->columns; j++) s->size[j] = at[j] != 0 ? fabs(at[j]) : 1e-3;
}

/* Sets up a function of a text at a random point; 0: the text has no such function. */
static int subject_at(subject *s, const text *x, part which)
{
    const costate_function *fns[PARTS] = {NULL, &x->made->init, &x->made->terminal, &x->made->running, &x->made->observe};
    if (!x->real[which]) return 0;
    const int objectives = x->made->objectives;
    *s = (subject){.x = x, .which = which, .n = which == INIT ? 0 : x->made->n, .np = x->made->np, .fn = fns[which]};
    s->rows = which <= INIT ? x->made->n : objectives;
    s->k = which == OBSERVE ? (int)((uniform() + 1) / 2 * x->made->observations) : 0;
    s->columns = 1 + s->n + s->np;
    s->size = take(s->columns), s->value = take(s->rows), s->jac = take(s->rows * s->columns), s->scale = take(s->rows);
    double *at = take(s->columns);
    s->y = s->n ? take(s->n) : NULL, s->p = take(s->np);
    for (int tries = 0; tries < TRIES; tries++) {
        const int mark = taken.count;
        draw(s, at);
        const int good = reference(s, at);
        drop(mark);
        if (!good) continue;
        s->t = at[0];
        if (s->n) memcpy(s->y, at + 1, sizeof *at * (size_t)s->n);
        memcpy(s->p, at + 1 + s->n, sizeof *at * (size_t)s->np);
        return 1;
    }
    wrong(s, "no point away from kinks was found");
    return 0;
}

static void for_all(void (*check)(const subject *))
{
    int checked = 0;
    failures = 0;
    for (int i = 0; i < all->count; i++) {
        const text *x = &all->item[i];
        if (!x->made || !x->descriptor) continue;
        for (part which = 0; which < PARTS; which++)
            for (int point = 0; point < POINTS; point++) {
                subject s;
                if (subject_at(&s, x, which)) check(&s), checked++;
                drop(0);
            }
    }
    assert_true(checked > 0);
    assert_int_equal(failures, 0);
}

static double *packed(const subject *s)
{
    double *at = take(s->columns);
    at[0] = s->t;
    if (s->n) memcpy(at + 1, s->y, sizeof *at * (size_t)s->n);
    memcpy(at + 1 + s->n, s->p, sizeof *at * (size_t)s->np);
    return at;
}

/* Directions in units of the columns' sizes, seeds in those of the rows. */
static double *directions(const subject *s, int w)
{
    double *d = take(s->columns * w);
    for (int j = 0; j < s->columns; j++)
        for (int l = 0; l < w; l++) d[j * w + l] = uniform() * s->size[j];
    return d;
}

static double *seeds(const subject *s, int w)
{
    double *u = take(s->rows * w);
    for (int i = 0; i < s->rows; i++)
        for (int l = 0; l < w; l++) u[i * w + l] = uniform() / (s->scale[i] > 0 ? s->scale[i] : 1);
    return u;
}

static int near_entry(const subject *s, int i, int j, double got)
{
    const double exact = s->jac[i * s->columns + j];
    return fabs(got - exact) <= s->tolerance * fabs(exact) + s->floor * s->scale[i] / s->size[j];
}

#endif
