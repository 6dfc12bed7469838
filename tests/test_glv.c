/* The derivative products of tests/reference/glv.c against plain loops over the dense Jacobian.
 *
 * With x = (y, p) the right-hand side is a polynomial of degree 3, so its Jacobian J(x), n x (n + np), is one of degree 2 and the
 * derivative of J along d is (J(x + d) - J(x - d)) / 2 without truncation error: second derivatives are checked against first
 * ones. Every expected value carries the sum of the absolute values of its terms; the tolerance is the round-off bound of that
 * sum. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "glv.h"

enum { GUARD = 16, POINTS = 70 }; /* POINTS: more than vjp_points takes at once */

static const int sizes[] = {1, 2, 7, 10, 55}, widths[] = {1, 2, 3, 4, 7, 8, 11};
enum { SIZES = sizeof sizes / sizeof *sizes, WIDTHS = sizeof widths / sizeof *widths };

/* An expected array: values and the sums of the absolute values of their terms. */
typedef struct expected {
    size_t count;
    double *value, *magnitude;
} expected;

static double *fresh(size_t count)
{
    double *a = calloc(count ? count : 1, sizeof *a);
    assert_non_null(a);
    return a;
}

static expected expect(size_t count)
{
    return (expected){count, fresh(count), fresh(count)};
}

static void term(expected *e, size_t at, double x)
{
    e->value[at] += x;
    e->magnitude[at] += fabs(x);
}

static void drop(expected *e)
{
    free(e->value);
    free(e->magnitude);
}

static double uniform(uint64_t *state) /* in (-1, 1) */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/* A random array that is only aligned as a double must be. */
static double *noise(size_t count, uint64_t *state)
{
    double *a = fresh(count + 1) + 1;
    for (size_t i = 0; i < count; i++) a[i] = uniform(state);
    return a;
}

static void drop_noise(double *a)
{
    free(a - 1);
}

/* An output with something in it and a guard behind it. */
static double *output(size_t count)
{
    double *a = fresh(count + GUARD + 1) + 1;
    for (size_t i = 0; i < count + GUARD; i++) a[i] = 1.0 + (double)(i % 5);
    return a;
}

/* Compares an output with `added` to what was in it, or written over it, and drops it. */
static void check(double *out, const expected *e, int added, size_t n)
{
    for (size_t i = 0; i < e->count; i++) {
        double before = added ? 1.0 + (double)(i % 5) : 0.0, bound = (double)(n + 20) * DBL_EPSILON * (e->magnitude[i] + before);
        if (!(fabs(out[i] - (before + e->value[i])) <= bound))
            fail_msg("n %zu: entry %zu is %.17g, not %.17g", n, i, out[i], before + e->value[i]);
    }
    for (size_t i = e->count; i < e->count + GUARD; i++) assert_true(out[i] == 1.0 + (double)(i % 5));
    drop_noise(out);
}

/* J = df/d(y, p), n x (n + np), at (y + c ydot, p + c pdot), rows of the directions w apart, NULL: zero; and f, if asked for. */
static void jacobian(size_t n, const double *y, const double *p, double c, const double *ydot, const double *pdot, size_t w,
                     double *J, double *f)
{
    size_t np = n + n * n, cols = n + np;
    double *x = fresh(cols), *r = x + n, *A = r + n;
    for (size_t i = 0; i < n; i++) x[i] = y[i] + (ydot ? c * ydot[i * w] : 0);
    for (size_t i = 0; i < np; i++) r[i] = p[i] + (pdot ? c * pdot[i * w] : 0);
    memset(J, 0, n * cols * sizeof *J);
    for (size_t i = 0; i < n; i++) {
        double s = r[i];
        for (size_t j = 0; j < n; j++) s += A[i * n + j] * x[j];
        if (f) f[i] = x[i] * s;
        J[i * cols + i] = s;
        J[i * cols + n + i] = x[i];
        for (size_t j = 0; j < n; j++) {
            J[i * cols + j] += x[i] * A[i * n + j];
            J[i * cols + 2 * n + i * n + j] = x[i] * x[j];
        }
    }
    free(x);
}

/* A problem of size n with random contents, and lanes of random directions and seeds. */
typedef struct setup {
    size_t n, np, w, cols;
    glv model;
    costate_problem prob;
    double *y, *p, *ydot, *pdot, *ydot2, *pdot2, *u, *udot, *J, *Jp, *Jm;
} setup;

static setup make(int n, int w)
{
    uint64_t state = (uint64_t)(n * 1000 + w);
    setup s = {.n = (size_t)n, .np = (size_t)(n + n * n), .w = (size_t)w, .model = {n}};
    s.cols = s.n + s.np;
    s.y = noise(s.n, &state), s.p = noise(s.np, &state);
    s.ydot = noise(s.n * s.w, &state), s.pdot = noise(s.np * s.w, &state);
    s.ydot2 = noise(s.n * s.w, &state), s.pdot2 = noise(s.np * s.w, &state);
    s.u = noise(s.n * s.w, &state), s.udot = noise(s.n * s.w, &state);
    s.J = fresh(s.n * s.cols), s.Jp = fresh(s.n * s.cols), s.Jm = fresh(s.n * s.cols);
    jacobian(s.n, s.y, s.p, 0, NULL, NULL, 0, s.J, NULL);
    return s;
}

static void unmake(setup *s)
{
    double *arrays[] = {s->y, s->p, s->ydot, s->pdot, s->ydot2, s->pdot2, s->u, s->udot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) drop_noise(arrays[i]);
    free(s->J), free(s->Jp), free(s->Jm);
}

static void each(void (*test)(setup *s))
{
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < WIDTHS; k++) {
            setup s = make(sizes[i], widths[k]);
            s.prob = glv_problem(&s.model);
            assert_int_equal(s.prob.n, s.n);
            assert_int_equal(s.prob.np, s.np);
            test(&s);
            unmake(&s);
        }
}

/* ---- expected products of a matrix M (n x cols), lane l -------------------------------------------------------------- */

/* e += scale M (ydot, pdot) */
static void expect_jvp(const setup *s, const double *M, size_t l, double scale, const double *ydot, const double *pdot,
                       expected *e)
{
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; ydot && j < s->n; j++) term(e, i * s->w + l, scale * M[i * s->cols + j] * ydot[j * s->w + l]);
        for (size_t j = 0; pdot && j < s->np; j++)
            term(e, i * s->w + l, scale * M[i * s->cols + s->n + j] * pdot[j * s->w + l]);
    }
}

/* (yb, pb) += scale M^T u */
static void expect_vjp(const setup *s, const double *M, size_t l, double scale, const double *u, expected *yb, expected *pb)
{
    for (size_t i = 0; i < s->n; i++) {
        double c = scale * u[i * s->w + l];
        for (size_t j = 0; j < s->n; j++) term(yb, j * s->w + l, M[i * s->cols + j] * c);
        for (size_t j = 0; j < s->np; j++) term(pb, j * s->w + l, M[i * s->cols + s->n + j] * c);
    }
}

/* Jp and Jm at x + d and x - d, d being lane l of a direction */
static void both_sides(setup *s, size_t l, const double *ydot, const double *pdot)
{
    jacobian(s->n, s->y, s->p, 1, ydot ? ydot + l : NULL, pdot ? pdot + l : NULL, s->w, s->Jp, NULL);
    jacobian(s->n, s->y, s->p, -1, ydot ? ydot + l : NULL, pdot ? pdot + l : NULL, s->w, s->Jm, NULL);
}

/* ---- the tests -------------------------------------------------------------------------------------------------------- */

static void one_rhs(setup *s)
{
    expected f = expect(s->n);
    jacobian(s->n, s->y, s->p, 0, NULL, NULL, 0, s->J, f.value);
    for (size_t i = 0; i < s->n; i++) {
        f.magnitude[i] = fabs(s->y[i] * s->p[i]);
        for (size_t j = 0; j < s->n; j++) f.magnitude[i] += fabs(s->y[i] * s->p[s->n + i * s->n + j] * s->y[j]);
    }
    double *out = output(s->n);
    assert_int_equal(s->prob.rhs(0, s->y, s->p, out, s->prob.data), 0);
    check(out, &f, 0, s->n);
    drop(&f);
}

static void one_jvp(setup *s)
{
    for (int parts = 0; parts < 4; parts++) {
        const double *ydot = parts & 1 ? s->ydot : NULL, *pdot = parts & 2 ? s->pdot : NULL;
        expected e = expect(s->n * s->w);
        for (size_t l = 0; l < s->w; l++) expect_jvp(s, s->J, l, 1, ydot, pdot, &e);
        double *out = output(e.count);
        assert_int_equal(s->prob.jvp(0, s->y, s->p, (int)s->w, s->u, ydot, pdot, out, s->prob.data), 0);
        check(out, &e, 0, s->n);
        drop(&e);
    }
}

static void one_vjp(setup *s)
{
    expected yb = expect(s->n * s->w), pb = expect(s->np * s->w);
    for (size_t l = 0; l < s->w; l++) expect_vjp(s, s->J, l, 1, s->u, &yb, &pb);
    for (int parts = 0; parts < 4; parts++) {
        double *oy = parts & 1 ? output(yb.count) : NULL, *op = parts & 2 ? output(pb.count) : NULL;
        assert_int_equal(s->prob.vjp(0, s->y, s->p, (int)s->w, s->u, oy, op, s->prob.data), 0);
        if (oy) check(oy, &yb, 1, s->n);
        if (op) check(op, &pb, 1, s->n);
    }
    drop(&yb), drop(&pb);
}

static void one_vjp_points(setup *s)
{
    uint64_t state = 7;
    double *y[POINTS], *u[POINTS], t[POINTS] = {0};
    expected yb = expect(s->n * s->w), pb = expect(s->np * s->w);
    for (int k = 0, done = 0; k < POINTS; k++) {
        y[k] = noise(s->n, &state), u[k] = noise(s->n * s->w, &state);
        jacobian(s->n, y[k], s->p, 0, NULL, NULL, 0, s->J, NULL);
        for (size_t l = 0; l < s->w; l++) expect_vjp(s, s->J, l, 1, u[k], &yb, &pb);
        if (k != 0 && k != 5 && k != POINTS - 1) continue;
        double *out = output(pb.count);
        const double *const *from_y = (const double *const *)y, *const *from_u = (const double *const *)u;
        done = s->prob.vjp_points(k + 1, t, from_y, s->p, (int)s->w, from_u, out, s->prob.data);
        assert_int_equal(done, 0);
        check(out, &pb, 1, s->n + (size_t)k);
    }
    for (int k = 0; k < POINTS; k++) drop_noise(y[k]), drop_noise(u[k]);
    drop(&yb), drop(&pb);
}

static void one_jvp2(setup *s)
{
    for (int parts = 0; parts < 16; parts++) {
        const double *ydot1 = parts & 1 ? s->ydot : NULL, *pdot1 = parts & 2 ? s->pdot : NULL;
        const double *ydot2 = parts & 4 ? s->ydot2 : NULL, *pdot2 = parts & 8 ? s->pdot2 : NULL;
        expected e = expect(s->n * s->w);
        for (size_t l = 0; l < s->w; l++) {
            both_sides(s, l, ydot1, pdot1);
            expect_jvp(s, s->Jp, l, 0.5, ydot2, pdot2, &e);
            expect_jvp(s, s->Jm, l, -0.5, ydot2, pdot2, &e);
        }
        double *out = output(e.count);
        int st = s->prob.jvp2(0, s->y, s->p, (int)s->w, NULL, ydot1, pdot1, NULL, ydot2, pdot2, out, s->prob.data);
        assert_int_equal(st, 0);
        check(out, &e, 0, s->n);
        drop(&e);
    }
}

/* All eight combinations of the direction's parts and udot, each with outputs missing in turn. */
static void one_vjp_dot(setup *s)
{
    expected yb = expect(s->n * s->w), pb = expect(s->np * s->w);
    for (size_t l = 0; l < s->w; l++) expect_vjp(s, s->J, l, 1, s->u, &yb, &pb);
    for (int parts = 0; parts < 8; parts++) {
        const double *ydot = parts & 1 ? s->ydot : NULL, *pdot = parts & 2 ? s->pdot : NULL, *udot = parts & 4 ? s->udot : NULL;
        expected ybdot = expect(s->n * s->w), pbdot = expect(s->np * s->w);
        for (size_t l = 0; l < s->w; l++) {
            if (udot) expect_vjp(s, s->J, l, 1, udot, &ybdot, &pbdot);
            both_sides(s, l, ydot, pdot);
            expect_vjp(s, s->Jp, l, 0.5, s->u, &ybdot, &pbdot);
            expect_vjp(s, s->Jm, l, -0.5, s->u, &ybdot, &pbdot);
        }
        const expected *e[4] = {&yb, &ybdot, &pb, &pbdot};
        for (int missing = -1; missing < 4; missing++) {
            double *out[4];
            for (int i = 0; i < 4; i++) out[i] = i == missing ? NULL : output(e[i]->count);
            int st = s->prob.vjp_dot(0, s->y, s->p, (int)s->w, NULL, ydot, pdot, s->u, udot, out[0], out[1], out[2], out[3],
                                     s->prob.data);
            assert_int_equal(st, 0);
            for (int i = 0; i < 4; i++)
                if (out[i]) check(out[i], e[i], 1, s->n);
        }
        drop(&ybdot), drop(&pbdot);
    }
    drop(&yb), drop(&pb);
}

static void test_rhs(void **unused)        { (void)unused; each(one_rhs); }
static void test_jvp(void **unused)        { (void)unused; each(one_jvp); }
static void test_vjp(void **unused)        { (void)unused; each(one_vjp); }
static void test_vjp_points(void **unused) { (void)unused; each(one_vjp_points); }
static void test_jvp2(void **unused)       { (void)unused; each(one_jvp2); }
static void test_vjp_dot(void **unused)    { (void)unused; each(one_vjp_dot); }

/* The interactions are as described: -1 on the diagonal, elsewhere normal with mean 0 and standard deviation 0.5/sqrt(n), to
 * within four standard errors of the sample mean and variance. */
static void test_defaults(void **unused)
{
    (void)unused;
    enum { N = 200 };
    double *p = fresh(N + N * N), *y = fresh(N), mean = 0, variance = 0, many = N * (N - 1), sigma = 0.5 / sqrt(N);
    glv_defaults(N, p, y);
    for (int i = 0; i < N; i++) {
        assert_true(y[i] == 0.1 && p[i] == 0.1 && p[N + i * N + i] == -1.0);
        for (int j = 0; j < N; j++) {
            double a = i == j ? 0 : p[N + i * N + j];
            mean += a / many, variance += a * a / many;
        }
    }
    assert_true(fabs(mean) < 4 * sigma / sqrt(many));
    assert_true(fabs(variance - sigma * sigma) < 4 * sigma * sigma * sqrt(2 / many));
    free(p), free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rhs),        cmocka_unit_test(test_jvp),  cmocka_unit_test(test_vjp),
        cmocka_unit_test(test_vjp_points), cmocka_unit_test(test_jvp2), cmocka_unit_test(test_vjp_dot),
        cmocka_unit_test(test_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
