/* test_problems.c - every hand-written product of every problem, of the right-hand side and of its functions, at random points
 * and for w = 1, 3 and 8 lanes: against differences of order 8, by the identities <u, J v> = <J^T u, v> and of symmetric second
 * derivatives, and by the rules of costate.h on NULL and on what is written and what is added to. */
#include "problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40, NP = 11, W = 8 };

static const int widths[] = {1, 3, 8};
static const double identity_tolerance = 1e-13;   /* of sums, relative to the sum of their terms' sizes */
static const double difference_tolerance = 1e-10; /* of differences, relative to the largest component */

/* The right-hand side (fn NULL) or one of the functions. */
typedef struct subject {
    const problem *q;
    const char *part;
    const costate_function *fn;
    int k, n, np, rows; /* n is 0 for init, which has no y */
} subject;

/* A point, with a seed; and w directions, as blocks. */
typedef struct point {
    double t, y[N], p[NP], u[N];
} point;

typedef struct directions {
    double t[W], y[N * W], p[NP * W], u[N * W];
} directions;

static double uniform(void) /* in (-1, 1) */
{
    static uint64_t state = 20240607;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void fill(double *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = uniform();
}

static point random_point(const subject *s, double fraction)
{
    const problem *q = s->q;
    point x = {.t = q->t0 + fraction * (q->t1 - q->t0)};
    for (int i = 0; i < q->prob.np; i++) x.p[i] = q->p[i] * (1 + 0.1 * uniform());
    if (q->y0) memcpy(x.y, q->y0, sizeof(double) * (size_t)q->prob.n);
    else q->prob.init.eval(0, q->t0, NULL, x.p, x.y, q->prob.data);
    for (int i = 0; i < q->prob.n; i++) x.y[i] += 0.1 * uniform();
    fill(x.u, s->rows);
    return x;
}

static void random_directions(directions *d)
{
    fill(d->t, W);
    fill(d->y, N * W);
    fill(d->p, NP * W);
    fill(d->u, N * W);
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

/* Lane l of a block (w lanes) against a vector, relative to the vector's largest component, or 1. */
static void same(const subject *s, const char *what, const double *block, int w, int l, const double *x, int count, double tol)
{
    double scale = 1;
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs(x[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(block[i * w + l] - x[i]) <= tol * scale)) wrong(s, what, w, block[i * w + l], x[i]);
}

static void same_blocks(const subject *s, const char *what, const double *a, const double *b, int w, int count)
{
    same(s, what, a, 1, 0, b, count * w, 1e-14);
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
        for (int i = 0; i < N; i++) z.y[i] += m * h * d->y[i * w + l], z.u[i] += m * h * d->u[i * w + l];
        for (int i = 0; i < NP; i++) z.p[i] += m * h * d->p[i * w + l];
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

static const double zeros[N * W];

/* ---- products -------------------------------------------------------------------------------------------------------------- */

static void check_jvp(const subject *s, const point *x, int w)
{
    directions d;
    double g[N * W], masked[N * W], expected[N * W];
    random_directions(&d);
    jvp(s, x, w, d.t, d.y, d.p, g);
    for (int l = 0; l < w; l++) {
        double reference[N];
        differences(s, value, x, &d, w, l, NULL, s->rows, reference);
        same(s, "jvp against differences", g, w, l, reference, s->rows, difference_tolerance);
    }
    for (int mask = 0; mask < 8; mask++) {
        jvp(s, x, w, mask & 1 ? NULL : d.t, mask & 2 ? NULL : d.y, mask & 4 ? NULL : d.p, masked);
        jvp(s, x, w, mask & 1 ? zeros : d.t, mask & 2 ? zeros : d.y, mask & 4 ? zeros : d.p, expected);
        same_blocks(s, "jvp with parts that are NULL", masked, expected, w, s->rows);
    }
}

static void check_vjp(const subject *s, const point *x, int w)
{
    directions d;
    double u[N * W], g[N * W], yb[N * W] = {0}, pb[NP * W] = {0}, ys[N * W], ps[NP * W], only[N * W] = {0};
    random_directions(&d);
    fill(u, s->rows * w);
    vjp(s, x, w, u, yb, pb);
    jvp(s, x, w, NULL, d.y, d.p, g);
    for (int l = 0; l < w; l++) {
        double forward = 0, backward = 0, size = 1e-300;
        dot(u, g, s->rows, w, l, &forward, &size);
        dot(yb, d.y, s->n, w, l, &backward, &size);
        dot(pb, d.p, s->np, w, l, &backward, &size);
        if (!(fabs(forward - backward) <= identity_tolerance * size)) wrong(s, "<u, J v> = <J^T u, v>", w, forward, backward);
    }
    memcpy(ys, d.y, sizeof ys);
    memcpy(ps, d.p, sizeof ps);
    vjp(s, x, w, u, ys, ps);
    for (int i = 0; i < s->n * w; i++) ys[i] -= d.y[i];
    for (int i = 0; i < s->np * w; i++) ps[i] -= d.p[i];
    same(s, "vjp adds to yb", ys, 1, 0, yb, s->n * w, identity_tolerance);
    same(s, "vjp adds to pb", ps, 1, 0, pb, s->np * w, identity_tolerance);
    vjp(s, x, w, u, only, NULL);
    same_blocks(s, "vjp without pb", only, yb, w, s->n);
    memset(only, 0, sizeof only);
    vjp(s, x, w, u, NULL, only);
    same_blocks(s, "vjp without yb", only, pb, w, s->np);
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
        same_blocks(s, "vjp_dot with inputs that are NULL", a.ybd, b.ybd, w, s->n);
        same_blocks(s, "vjp_dot with inputs that are NULL", a.pbd, b.pbd, w, s->np);

        /* The same masks on the outputs, which already hold something. */
        memset(&a, 0, sizeof a);
        vjp_dot(s, x, w, d->t, d->y, d->p, u, d->u, a.yb, a.ybd, a.pb, a.pbd);
        fill(base.yb, N * W), fill(base.ybd, N * W), fill(base.pb, NP * W), fill(base.pbd, NP * W);
        b = base;
        vjp_dot(s, x, w, d->t, d->y, d->p, u, d->u, mask & 1 ? NULL : b.yb, mask & 2 ? NULL : b.ybd, mask & 4 ? NULL : b.pb,
                mask & 8 ? NULL : b.pbd);
        const struct {
            double *got, *from, *full;
            int count;
        } outputs[] = {{b.yb, base.yb, a.yb, s->n}, {b.ybd, base.ybd, a.ybd, s->n}, {b.pb, base.pb, a.pb, s->np},
                       {b.pbd, base.pbd, a.pbd, s->np}};
        for (int o = 0; o < 4; o++) {
            for (int i = 0; i < outputs[o].count * w; i++) {
                outputs[o].got[i] -= outputs[o].from[i];
                if (mask >> o & 1) outputs[o].full[i] = 0;
            }
            same(s, "vjp_dot adds to the outputs that are wanted", outputs[o].got, 1, 0, outputs[o].full, outputs[o].count * w,
                 identity_tolerance);
        }
    }
}

/* <H d, e> = <H e, d> for the Hessian H of <u, f>, lane by lane. */
static void check_symmetry(const subject *s, const point *x, int w, const directions *d, const double *u)
{
    directions e;
    pullback a = {.yb = {0}}, b = {.yb = {0}};
    random_directions(&e);
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
    random_directions(&d);
    fill(u, s->rows * w);
    vjp_dot(s, x, w, d.t, d.y, d.p, u, d.u, a.yb, a.ybd, a.pb, a.pbd);
    vjp(s, x, w, u, yb, pb);
    same_blocks(s, "vjp within vjp_dot", a.yb, yb, w, s->n);
    same_blocks(s, "vjp within vjp_dot", a.pb, pb, w, s->np);
    for (int l = 0; l < w; l++) {
        point z = *x;
        double reference[N + NP];
        for (int i = 0; i < s->rows; i++) z.u[i] = u[i * w + l];
        differences(s, pulled, &z, &d, w, l, NULL, s->n + s->np, reference);
        same(s, "vjp_dot against differences, states", a.ybd, w, l, reference, s->n, difference_tolerance);
        same(s, "vjp_dot against differences, parameters", a.pbd, w, l, reference + s->n, s->np, difference_tolerance);
    }
    check_vjp_dot_nulls(s, x, w, &d, u);
    check_symmetry(s, x, w, &d, u);
}

static void check_jvp2(const subject *s, const point *x, int w)
{
    directions d, e;
    double g[N * W], swapped[N * W], expected[N * W];
    random_directions(&d);
    random_directions(&e);
    jvp2(s, x, w, d.t, d.y, d.p, e.t, e.y, e.p, g);
    jvp2(s, x, w, e.t, e.y, e.p, d.t, d.y, d.p, swapped);
    same(s, "symmetry of jvp2", g, 1, 0, swapped, s->rows * w, identity_tolerance);
    for (int l = 0; l < w; l++) {
        directions fixed = alone(&e, w, l);
        double reference[N];
        differences(s, pushed, x, &d, w, l, &fixed, s->rows, reference);
        same(s, "jvp2 against differences", g, w, l, reference, s->rows, difference_tolerance);
    }
    for (int mask = 0; mask < 64; mask++) {
        jvp2(s, x, w, mask & 1 ? NULL : d.t, mask & 2 ? NULL : d.y, mask & 4 ? NULL : d.p, mask & 8 ? NULL : e.t,
             mask & 16 ? NULL : e.y, mask & 32 ? NULL : e.p, g);
        jvp2(s, x, w, mask & 1 ? zeros : d.t, mask & 2 ? zeros : d.y, mask & 4 ? zeros : d.p, mask & 8 ? zeros : e.t,
             mask & 16 ? zeros : e.y, mask & 32 ? zeros : e.p, expected);
        same_blocks(s, "jvp2 with parts that are NULL", g, expected, w, s->rows);
    }
}

static void check_jac(const subject *s, const point *x)
{
    double jac[N * N], column[N];
    for (int i = 0; i < s->n * s->n; i++) jac[i] = NAN;
    assert_int_equal(s->q->prob.jac(x->t, x->y, x->p, jac, s->q->prob.data), 0);
    for (int j = 0; j < s->n; j++) {
        double unit[N] = {0};
        unit[j] = 1;
        jvp(s, x, 1, NULL, unit, NULL, column);
        same(s, "jac", jac + s->n * j, 1, 0, column, s->n, identity_tolerance);
    }
}

static void check_subject(const subject *s)
{
    static const double fractions[] = {0.03, 0.47, 0.83}; /* none near a knot of a control */
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

static void products(void **state)
{
    const problem *q = *state;
    const costate_problem *c = &q->prob;
    assert_true(c->n <= N && c->np <= NP);
    subject s = {.q = q, .part = "rhs", .n = c->n, .np = c->np, .rows = c->n};
    check_subject(&s);
    s = (subject){.q = q, .part = "init", .fn = &c->init, .np = c->np, .rows = c->n};
    if (c->init.eval) check_subject(&s);
    s = (subject){.q = q, .part = "terminal", .fn = &c->terminal, .n = c->n, .np = c->np, .rows = c->objectives};
    if (c->terminal.eval) check_subject(&s);
    s.part = "running", s.fn = &c->running;
    if (c->running.eval) check_subject(&s);
    s.part = "observe", s.fn = &c->observe;
    for (s.k = 0; s.k < c->observations; s.k++) check_subject(&s);
}

static void found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < problem_count(); i++) assert_ptr_equal(problem_find(problem_get(i)->name), problem_get(i));
    assert_null(problem_get(-1));
    assert_null(problem_get(problem_count()));
    assert_null(problem_find("no such problem"));
}

int main(void)
{
    int count = problem_count();
    struct CMUnitTest tests[count + 1];
    for (int i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){problem_get(i)->name, products, NULL, NULL, (void *)problem_get(i)};
    tests[count] = (struct CMUnitTest)cmocka_unit_test(found_by_name);
    return _cmocka_run_group_tests("problems", tests, (size_t)count + 1, NULL, NULL);
}
