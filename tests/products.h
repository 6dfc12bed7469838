/* products.h - checks of every hand-written product of a problem, of its right-hand side and of its functions, at random points
 * and for w = 1, 3 and 8 lanes: against differences of order 8, by the identities <u, J v> = <J^T u, v> and of symmetric second
 * derivatives, and by the rules of costate.h on NULL and on what is written and what is added to.
 *
 * All numbers are taken in units of their sizes: t, y and p of the sizes given, u of a size for which u.f is about 1. */
#ifndef COSTATE_TESTS_PRODUCTS_H
#define COSTATE_TESTS_PRODUCTS_H

#include "problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 80, NP = 84, W = 8 }; /* the most that problems have here */

static const int widths[] = {1, 3, 8};
static const double identity_tolerance = 1e-13;   /* of sums, relative to the sum of their terms' sizes */
static const double difference_tolerance = 1e-10; /* of differences, relative to the largest component */

/* A point, with a seed; and w directions, as blocks. */
typedef struct point {
    double t, y[N], p[NP], u[N];
} point;

typedef struct directions {
    double t[W], y[N * W], p[NP * W], u[N * W];
} directions;

/* The right-hand side (fn NULL) or one of the functions. */
typedef struct subject {
    const problem *q;
    const char *part;
    const costate_function *fn;
    int k, n, np, rows; /* n is 0 for init, which has no y */
    point size;
} subject;

static double uniform(void) /* in (-1, 1) */
{
    static uint64_t state = 20240607;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* w lanes of random numbers in units of size */
static void fill_block(double *x, int count, int w, const double *size)
{
    for (int i = 0; i < count; i++)
        for (int l = 0; l < w; l++) x[i * w + l] = uniform() * size[i];
}

static point random_point(const subject *s, double fraction)
{
    const problem *q = s->q;
    point x = {.t = q->t0 + fraction * (q->t1 - q->t0)};
    for (int i = 0; i < q->prob.np; i++) x.p[i] = q->p[i] * (1 + 0.1 * uniform());
    if (q->y0) memcpy(x.y, q->y0, sizeof(double) * (size_t)q->prob.n);
    else q->prob.init.eval(0, q->t0, NULL, x.p, x.y, q->prob.data);
    for (int i = 0; i < q->prob.n; i++) x.y[i] += 0.1 * s->size.y[i] * uniform();
    fill_block(x.u, s->rows, 1, s->size.u);
    return x;
}

static void random_directions(const subject *s, directions *d, int w)
{
    memset(d, 0, sizeof *d);
    fill_block(d->t, 1, w, &s->size.t);
    fill_block(d->y, s->n, w, s->size.y);
    fill_block(d->p, s->np, w, s->size.p);
    fill_block(d->u, s->rows, w, s->size.u);
}

/* ---- calls, the same for all subjects ----------------------------------------------------------------------------------- */

static const double *state_of(const subject *s, const point *x)
{
    return s->n ? x->y : NULL;
}

static void eval(const subject *s, const point *x, double *g)
{
    const costate_problem *c = &s->q->prob;
    int rc = s->fn ? s->fn->eval(s->k, x->t, state_of(s, x), x->p, g, c->data) : c->rhs(x->t, x->y, x->p, g, c->data);
    assert_int_equal(rc, 0);
}

static void jvp(const subject *s, const point *x, int w, const double *td, const double *yd, const double *pd, double *g)
{
    const costate_problem *c = &s->q->prob;
    for (int i = 0; i < s->rows * w; i++) g[i] = NAN; /* it must be written, not added to */
    int rc = s->fn ? s->fn->jvp(s->k, x->t, state_of(s, x), x->p, w, td, yd, pd, g, c->data)
                   : c->jvp(x->t, x->y, x->p, w, td, yd, pd, g, c->data);
    assert_int_equal(rc, 0);
}

static void vjp(const subject *s, const point *x, int w, const double *u, double *yb, double *pb)
{
    const costate_problem *c = &s->q->prob;
    int rc = s->fn ? s->fn->vjp(s->k, x->t, state_of(s, x), x->p, w, u, yb, pb, c->data)
                   : c->vjp(x->t, x->y, x->p, w, u, yb, pb, c->data);
    assert_int_equal(rc, 0);
}

static void vjp_dot(const subject *s, const point *x, int w, const double *td, const double *yd, const double *pd,
                    const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd)
{
    const costate_problem *c = &s->q->prob;
    int rc = s->fn ? s->fn->vjp_dot(s->k, x->t, state_of(s, x), x->p, w, td, yd, pd, u, ud, yb, ybd, pb, pbd, c->data)
                   : c->vjp_dot(x->t, x->y, x->p, w, td, yd, pd, u, ud, yb, ybd, pb, pbd, c->data);
    assert_int_equal(rc, 0);
}

static void jvp2(const subject *s, const point *x, int w, const double *td1, const double *yd1, const double *pd1,
                 const double *td2, const double *yd2, const double *pd2, double *g)
{
    for (int i = 0; i < s->rows * w; i++) g[i] = NAN;
    assert_int_equal(s->q->prob.jvp2(x->t, x->y, x->p, w, td1, yd1, pd1, td2, yd2, pd2, g, s->q->prob.data), 0);
}

/* ---- comparisons ---------------------------------------------------------------------------------------------------------- */

static void wrong(const subject *s, const char *what, int w, double a, double b)
{
    fail_msg("%s, %s: %s, w = %d: %.17g and %.17g", s->q->name, s->part, what, w, a, b);
}

/* Lane l of a block (w lanes) against lane m of another (v lanes), times unit, relative to the second's largest component, or
 * 1. */
static void same(const subject *s, const char *what, const double *unit, int count, const double *a, int w, int l,
                 const double *b, int v, int m, double tol)
{
    double scale = 1;
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs(b[i * v + m] * unit[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i * w + l] - b[i * v + m]) * unit[i] <= tol * scale)) wrong(s, what, w, a[i * w + l], b[i * v + m]);
}

static void same_blocks(const subject *s, const char *what, const double *unit, const double *a, const double *b, int w,
                        int count, double tol)
{
    for (int l = 0; l < w; l++) same(s, what, unit, count, a, w, l, b, w, l, tol);
}

/* sum += a.b in lane l of two blocks, size += the sizes of its terms. */
static void dot(const double *a, const double *b, int count, int w, int l, double *sum, double *size)
{
    for (int i = 0; i < count; i++) {
        *sum += a[i * w + l] * b[i * w + l];
        *size += fabs(a[i * w + l] * b[i * w + l]);
    }
}

typedef void vector_fn(const subject *s, const point *x, const void *fixed, double *out);

static void value(const subject *s, const point *x, const void *fixed, double *out)
{
    (void)fixed;
    eval(s, x, out);
}

static void pulled(const subject *s, const point *x, const void *fixed, double *out)
{
    (void)fixed;
    memset(out, 0, sizeof(double) * (size_t)(s->n + s->np));
    vjp(s, x, 1, x->u, out, out + s->n);
}

static void pushed(const subject *s, const point *x, const void *fixed, double *out)
{
    const directions *d = fixed; /* of one lane */
    jvp(s, x, 1, d->t, d->y, d->p, out);
}

/* The derivative of a vector along lane l of the directions, by differences of order 8. */
static void differences(const subject *s, vector_fn *f, const point *x, const directions *d, int w, int l, const void *fixed,
                        int count, double *out)
{
    static const double h = 2e-3, weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    memset(out, 0, sizeof(double) * (size_t)count);
    for (int m = -4; m <= 4; m++) {
        if (m == 0) continue;
        point z = *x;
        double at[N + NP], weight = (m > 0 ? weights[m - 1] : -weights[-m - 1]) / h;
        z.t += m * h * d->t[l];
        for (int i = 0; i < s->n; i++) z.y[i] += m * h * d->y[i * w + l];
        for (int i = 0; i < s->rows; i++) z.u[i] += m * h * d->u[i * w + l];
        for (int i = 0; i < s->np; i++) z.p[i] += m * h * d->p[i * w + l];
        f(s, &z, fixed, at);
        for (int i = 0; i < count; i++) out[i] += weight * at[i];
    }
}

/* Lane l of the directions, alone. */
static directions alone(const directions *d, int w, int l)
{
    directions one = {.t = {d->t[l]}};
    for (int i = 0; i < N; i++) one.y[i] = d->y[i * w + l], one.u[i] = d->u[i * w + l];
    for (int i = 0; i < NP; i++) one.p[i] = d->p[i * w + l];
    return one;
}

static const double zeros[NP * W];

/* ---- products -------------------------------------------------------------------------------------------------------------- */

static void check_jvp(const subject *s, const point *x, int w)
{
    directions d;
    double g[N * W], masked[N * W], expected[N * W];
    random_directions(s, &d, w);
    jvp(s, x, w, d.t, d.y, d.p, g);
    for (int l = 0; l < w; l++) {
        double reference[N];
        differences(s, value, x, &d, w, l, NULL, s->rows, reference);
        same(s, "jvp against differences", s->size.u, s->rows, g, w, l, reference, 1, 0, difference_tolerance);
    }
    for (int mask = 0; mask < 8; mask++) {
        jvp(s, x, w, mask & 1 ? NULL : d.t, mask & 2 ? NULL : d.y, mask & 4 ? NULL : d.p, masked);
        jvp(s, x, w, mask & 1 ? zeros : d.t, mask & 2 ? zeros : d.y, mask & 4 ? zeros : d.p, expected);
        same_blocks(s, "jvp with parts that are NULL", s->size.u, masked, expected, w, s->rows, 1e-14);
    }
}

static void check_vjp(const subject *s, const point *x, int w)
{
    directions d;
    double u[N * W], g[N * W], yb[N * W] = {0}, pb[NP * W] = {0}, ys[N * W], ps[NP * W], base_y[N * W], base_p[NP * W];
    double only[NP * W] = {0};
    random_directions(s, &d, w);
    fill_block(u, s->rows, w, s->size.u);
    vjp(s, x, w, u, yb, pb);
    jvp(s, x, w, NULL, d.y, d.p, g);
    for (int l = 0; l < w; l++) {
        double forward = 0, backward = 0, size = 1e-300;
        dot(u, g, s->rows, w, l, &forward, &size);
        dot(yb, d.y, s->n, w, l, &backward, &size);
        dot(pb, d.p, s->np, w, l, &backward, &size);
        if (!(fabs(forward - backward) <= identity_tolerance * size)) wrong(s, "<u, J v> = <J^T u, v>", w, forward, backward);
    }
    for (int i = 0; i < s->n * w; i++) ys[i] = base_y[i] = uniform() / s->size.y[i / w];
    for (int i = 0; i < s->np * w; i++) ps[i] = base_p[i] = uniform() / s->size.p[i / w];
    vjp(s, x, w, u, ys, ps);
    for (int i = 0; i < s->n * w; i++) ys[i] -= base_y[i];
    for (int i = 0; i < s->np * w; i++) ps[i] -= base_p[i];
    same_blocks(s, "vjp adds to yb", s->size.y, ys, yb, w, s->n, identity_tolerance);
    same_blocks(s, "vjp adds to pb", s->size.p, ps, pb, w, s->np, identity_tolerance);
    vjp(s, x, w, u, only, NULL);
    same_blocks(s, "vjp without pb", s->size.y, only, yb, w, s->n, 1e-14);
    memset(only, 0, sizeof only);
    vjp(s, x, w, u, NULL, only);
    same_blocks(s, "vjp without yb", s->size.p, only, pb, w, s->np, 1e-14);
    vjp(s, x, w, u, NULL, NULL);
}

typedef struct pullback {
    double yb[N * W], ybd[N * W], pb[NP * W], pbd[NP * W];
} pullback;

static void check_vjp_dot_nulls(const subject *s, const point *x, int w, const directions *d, const double *u)
{
    for (int mask = 0; mask < 16; mask++) {
        pullback a = {.yb = {0}}, b = {.yb = {0}}, base;
        vjp_dot(s, x, w, mask & 1 ? NULL : d->t, mask & 2 ? NULL : d->y, mask & 4 ? NULL : d->p, u, mask & 8 ? NULL : d->u, a.yb,
                a.ybd, a.pb, a.pbd);
        vjp_dot(s, x, w, mask & 1 ? zeros : d->t, mask & 2 ? zeros : d->y, mask & 4 ? zeros : d->p, u, mask & 8 ? zeros : d->u,
                b.yb, b.ybd, b.pb, b.pbd);
        same_blocks(s, "vjp_dot with inputs that are NULL", s->size.y, a.ybd, b.ybd, w, s->n, 1e-14);
        same_blocks(s, "vjp_dot with inputs that are NULL", s->size.p, a.pbd, b.pbd, w, s->np, 1e-14);

        /* The same masks on the outputs, which already hold something. */
        memset(&a, 0, sizeof a);
        vjp_dot(s, x, w, d->t, d->y, d->p, u, d->u, a.yb, a.ybd, a.pb, a.pbd);
        for (int i = 0; i < s->n * w; i++) base.yb[i] = uniform() / s->size.y[i / w], base.ybd[i] = uniform() / s->size.y[i / w];
        for (int i = 0; i < s->np * w; i++) base.pb[i] = uniform() / s->size.p[i / w], base.pbd[i] = uniform() / s->size.p[i / w];
        b = base;
        vjp_dot(s, x, w, d->t, d->y, d->p, u, d->u, mask & 1 ? NULL : b.yb, mask & 2 ? NULL : b.ybd, mask & 4 ? NULL : b.pb,
                mask & 8 ? NULL : b.pbd);
        const struct {
            double *got, *from, *full;
            const double *unit;
            int count;
        } outputs[] = {{b.yb, base.yb, a.yb, s->size.y, s->n}, {b.ybd, base.ybd, a.ybd, s->size.y, s->n},
                       {b.pb, base.pb, a.pb, s->size.p, s->np}, {b.pbd, base.pbd, a.pbd, s->size.p, s->np}};
        for (int o = 0; o < 4; o++) {
            for (int i = 0; i < outputs[o].count * w; i++) {
                outputs[o].got[i] -= outputs[o].from[i];
                if (mask >> o & 1) outputs[o].full[i] = 0;
            }
            same_blocks(s, "vjp_dot adds to the outputs that are wanted", outputs[o].unit, outputs[o].got, outputs[o].full, w,
                        outputs[o].count, identity_tolerance);
        }
    }
}

/* <H d, e> = <H e, d> for the Hessian H of <u, f>, lane by lane. */
static void check_symmetry(const subject *s, const point *x, int w, const directions *d, const double *u)
{
    directions e;
    pullback a = {.yb = {0}}, b = {.yb = {0}};
    random_directions(s, &e, w);
    vjp_dot(s, x, w, NULL, d->y, d->p, u, NULL, NULL, a.ybd, NULL, a.pbd);
    vjp_dot(s, x, w, NULL, e.y, e.p, u, NULL, NULL, b.ybd, NULL, b.pbd);
    for (int l = 0; l < w; l++) {
        double de = 0, ed = 0, size = 1e-300;
        dot(a.ybd, e.y, s->n, w, l, &de, &size);
        dot(a.pbd, e.p, s->np, w, l, &de, &size);
        dot(b.ybd, d->y, s->n, w, l, &ed, &size);
        dot(b.pbd, d->p, s->np, w, l, &ed, &size);
        if (!(fabs(de - ed) <= identity_tolerance * size)) wrong(s, "symmetry of vjp_dot", w, de, ed);
        if (s->fn) continue;
        double fdd[N * W], through = 0;
        jvp2(s, x, w, NULL, d->y, d->p, NULL, e.y, e.p, fdd);
        dot(u, fdd, s->rows, w, l, &through, &size);
        if (!(fabs(de - through) <= identity_tolerance * size)) wrong(s, "vjp_dot and jvp2", w, de, through);
    }
}

static void check_vjp_dot(const subject *s, const point *x, int w)
{
    directions d;
    double u[N * W], yb[N * W] = {0}, pb[NP * W] = {0};
    pullback a = {.yb = {0}};
    random_directions(s, &d, w);
    fill_block(u, s->rows, w, s->size.u);
    vjp_dot(s, x, w, d.t, d.y, d.p, u, d.u, a.yb, a.ybd, a.pb, a.pbd);
    vjp(s, x, w, u, yb, pb);
    same_blocks(s, "vjp within vjp_dot", s->size.y, a.yb, yb, w, s->n, 1e-14);
    same_blocks(s, "vjp within vjp_dot", s->size.p, a.pb, pb, w, s->np, 1e-14);
    for (int l = 0; l < w; l++) {
        point z = *x;
        double reference[N + NP];
        for (int i = 0; i < s->rows; i++) z.u[i] = u[i * w + l];
        differences(s, pulled, &z, &d, w, l, NULL, s->n + s->np, reference);
        same(s, "vjp_dot against differences, states", s->size.y, s->n, a.ybd, w, l, reference, 1, 0, difference_tolerance);
        same(s, "vjp_dot against differences, parameters", s->size.p, s->np, a.pbd, w, l, reference + s->n, 1, 0,
             difference_tolerance);
    }
    check_vjp_dot_nulls(s, x, w, &d, u);
    check_symmetry(s, x, w, &d, u);
}

static void check_jvp2(const subject *s, const point *x, int w)
{
    directions d, e;
    double g[N * W], swapped[N * W], expected[N * W];
    random_directions(s, &d, w);
    random_directions(s, &e, w);
    jvp2(s, x, w, d.t, d.y, d.p, e.t, e.y, e.p, g);
    jvp2(s, x, w, e.t, e.y, e.p, d.t, d.y, d.p, swapped);
    same_blocks(s, "symmetry of jvp2", s->size.u, g, swapped, w, s->rows, identity_tolerance);
    for (int l = 0; l < w; l++) {
        directions fixed = alone(&e, w, l);
        double reference[N];
        differences(s, pushed, x, &d, w, l, &fixed, s->rows, reference);
        same(s, "jvp2 against differences", s->size.u, s->rows, g, w, l, reference, 1, 0, difference_tolerance);
    }
    for (int mask = 0; mask < 64; mask++) {
        jvp2(s, x, w, mask & 1 ? NULL : d.t, mask & 2 ? NULL : d.y, mask & 4 ? NULL : d.p, mask & 8 ? NULL : e.t,
             mask & 16 ? NULL : e.y, mask & 32 ? NULL : e.p, g);
        jvp2(s, x, w, mask & 1 ? zeros : d.t, mask & 2 ? zeros : d.y, mask & 4 ? zeros : d.p, mask & 8 ? zeros : e.t,
             mask & 16 ? zeros : e.y, mask & 32 ? zeros : e.p, expected);
        same_blocks(s, "jvp2 with parts that are NULL", s->size.u, g, expected, w, s->rows, 1e-14);
    }
}

/* ---- the Jacobian ---------------------------------------------------------------------------------------------------------- */

static int jac_values(const costate_problem *c)
{
    const costate_pattern *p = &c->pattern;
    if (p->format == COSTATE_CSC) return p->colptr[c->n];
    return c->n * (p->format == COSTATE_BANDED ? p->lower + p->upper + 1 : c->n);
}

/* Where entry (i, j) is among the values; -1: nowhere */
static int jac_place(const costate_problem *c, int i, int j)
{
    const costate_pattern *p = &c->pattern;
    if (p->format == COSTATE_DENSE) return i + c->n * j;
    if (p->format == COSTATE_BANDED)
        return i - j <= p->lower && j - i <= p->upper ? p->upper + i - j + (p->lower + p->upper + 1) * j : -1;
    for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++)
        if (p->rowind[e] == i) return e;
    return -1;
}

static void check_jac(const subject *s, const point *x)
{
    const costate_problem *c = &s->q->prob;
    double jac[N * N], column[N], entries[N];
    for (int i = 0; i < N * N; i++) jac[i] = NAN;
    assert_int_equal(c->jac(x->t, x->y, x->p, jac, c->data), 0);
    for (int e = 0; e < jac_values(c); e++)
        if (isnan(jac[e])) wrong(s, "jac left a value", 0, e, jac[e]);
    for (int j = 0; j < s->n; j++) {
        double unit[N] = {0};
        unit[j] = s->size.y[j];
        jvp(s, x, 1, NULL, unit, NULL, column);
        for (int i = 0; i < s->n; i++) {
            int at = jac_place(c, i, j);
            entries[i] = at < 0 ? 0 : jac[at] * s->size.y[j];
        }
        same(s, "jac", s->size.u, s->n, entries, 1, 0, column, 1, 0, identity_tolerance);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------- */

static void check_subject(const subject *s)
{
    static const double fractions[] = {0.03, 0.47, 0.83}; /* none near a knot of a control, sunrise or sunset */
    for (int f = 0; f < 3; f++) {
        for (int i = 0; i < 3; i++) {
            point x = random_point(s, fractions[f]);
            check_jvp(s, &x, widths[i]);
            check_vjp(s, &x, widths[i]);
            check_vjp_dot(s, &x, widths[i]);
            if (s->fn) continue;
            check_jvp2(s, &x, widths[i]);
            check_jac(s, &x);
        }
    }
}

/* size.u is that of the right-hand side; functions have sizes of their own. */
static void check_products(const problem *q, const point *size)
{
    const costate_problem *c = &q->prob;
    assert_true(c->n > 0 && c->n <= N && c->np <= NP);
    subject s = {.q = q, .part = "rhs", .n = c->n, .np = c->np, .rows = c->n, .size = *size};
    check_subject(&s);
    s.part = "init", s.fn = &c->init, s.n = 0;
    for (int i = 0; i < c->n; i++) s.size.u[i] = 1 / size->y[i];
    if (c->init.eval) check_subject(&s);
    s.n = c->n, s.rows = c->objectives;
    for (int i = 0; i < c->objectives; i++) s.size.u[i] = 1;
    s.part = "terminal", s.fn = &c->terminal;
    if (c->terminal.eval) check_subject(&s);
    s.part = "running", s.fn = &c->running;
    if (c->running.eval) check_subject(&s);
    s.part = "observe", s.fn = &c->observe;
    for (s.k = 0; s.k < c->observations; s.k++) check_subject(&s);
}

#endif
