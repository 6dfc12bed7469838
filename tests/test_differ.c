/* test_differ.c - how far differences reach: components and directions of any size, zeros, late times, values that are
 * not finite. */
#include "deriv/deriv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 3 };

/* f_i = sin(y_i / s_i + t) + exp(p_i / q_i) */
typedef struct scales {
    double s[N], q[N];
} scales;

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const scales *c = data;
    for (int i = 0; i < N; i++) f[i] = sin(y[i] / c->s[i] + t) + exp(p[i] / c->q[i]);
    return 0;
}

static double f_y(const scales *c, double t, const double *y, int i)
{
    return cos(y[i] / c->s[i] + t) / c->s[i];
}

static double f_p(const scales *c, const double *p, int i)
{
    return exp(p[i] / c->q[i]) / c->q[i];
}

static void open_on(deriv *d, scales *c, costate_stats *count)
{
    costate_problem prob = {.n = N, .np = N, .data = c, .rhs = rhs};
    assert_int_equal(deriv_open(d, &prob, 1, &(costate_allocator){0}, count), COSTATE_OK);
}

static void near(double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol * fabs(want))) fail_msg("got %.17g, want %.17g, relative error %g", got, want, got / want - 1);
}

/* Sizes of states and parameters that differ by 1e10, all large, all small: every entry of the Jacobian is good by itself. */
static void components_of_any_size(void **state)
{
    (void)state;
    static const scales cases[] = {
        {{1e6, 1, 1e-4}, {1e-4, 1e6, 1}}, {{1e10, 1e5, 1}, {1e3, 1, 1e10}}, {{1e-9, 1e-7, 3e-7}, {1e-20, 1e-21, 1e-22}}};
    for (int k = 0; k < 3; k++) {
        scales c = cases[k];
        costate_stats count = {0};
        deriv d;
        double y[N], p[N], u[N] = {1, 1, 1}, yb[N] = {0}, pb[N] = {0};
        for (int i = 0; i < N; i++) y[i] = 0.7 * c.s[i], p[i] = -0.4 * c.q[i];
        open_on(&d, &c, &count);
        assert_int_equal(deriv_vjp(&d, 0.1, y, p, 1, u, yb, pb), 0);
        for (int i = 0; i < N; i++) near(yb[i], f_y(&c, 0.1, y, i), 1e-8), near(pb[i], f_p(&c, p, i), 1e-8);
        deriv_close(&d);
    }
}

/* The length of a direction does not matter, and neither does it if its components are of very different size. */
static void directions_of_any_size(void **state)
{
    (void)state;
    static const double lengths[] = {1e-200, 1e-10, 1, 1e10, 1e200};
    scales c = {{1e6, 1, 1e-4}, {1e-4, 1e6, 1}};
    costate_stats count = {0};
    deriv d;
    double y[N], p[N], ydot[N], pdot[N], fdot[N], fdd[N];
    open_on(&d, &c, &count);
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < N; i++) {
            y[i] = 0.7 * c.s[i], p[i] = -0.4 * c.q[i];
            ydot[i] = (1 + i) * c.s[i] * lengths[k], pdot[i] = (0.5 - i) * c.q[i] * lengths[k];
        }
        assert_int_equal(deriv_jvp(&d, 0.1, y, p, 1, NULL, ydot, pdot, fdot), 0);
        for (int i = 0; i < N; i++) near(fdot[i], f_y(&c, 0.1, y, i) * ydot[i] + f_p(&c, p, i) * pdot[i], 1e-8);
        assert_int_equal(deriv_jvp2(&d, 0.1, y, p, 1, NULL, ydot, NULL, NULL, y, NULL, fdd), 0);
        for (int i = 0; i < N; i++) near(fdd[i], -sin(0.8) * ydot[i] / c.s[i] * 0.7, 1e-4);
    }
    deriv_close(&d);
}

/* Exact zeros count as typical numbers; next to zero round-off costs some digits but no more. */
static void zeros(void **state)
{
    (void)state;
    static const double values[3][N] = {{0, 0, 0}, {0, 0.5, 0}, {1e-17, 0.5, 1e-300}};
    scales c = {{1, 1, 1}, {1, 1, 1}};
    costate_stats count = {0};
    deriv d;
    double t = 0.5, one[N] = {1, 1, 1};
    open_on(&d, &c, &count);
    for (int k = 0; k < 3; k++) {
        const double *y = values[k];
        double yb[N] = {0}, pb[N] = {0}, ybdot[N] = {0}, pbdot[N] = {0}, fdot[N], fdd[N], tol = k < 2 ? 1e-8 : 1e-6;
        assert_int_equal(deriv_vjp(&d, t, y, y, 1, one, yb, pb), 0);
        assert_int_equal(deriv_vjp_dot(&d, t, y, y, 1, NULL, one, one, one, NULL, NULL, ybdot, NULL, pbdot), 0);
        assert_int_equal(deriv_jvp(&d, t, y, y, 1, NULL, one, NULL, fdot), 0);
        assert_int_equal(deriv_jvp2(&d, t, y, y, 1, NULL, one, NULL, NULL, one, NULL, fdd), 0);
        for (int i = 0; i < N; i++) {
            near(yb[i], f_y(&c, t, y, i), tol);
            near(pb[i], f_p(&c, y, i), tol);
            near(fdot[i], f_y(&c, t, y, i), tol);
            near(ybdot[i], -sin(y[i] + t), 1e-4);
            near(pbdot[i], exp(y[i]), 1e-4);
            near(fdd[i], -sin(y[i] + t), 1e-4);
        }
    }
    deriv_close(&d);
}

static void times(void **state)
{
    (void)state;
    static const double at[] = {0, 0.3, -1, 2e1, 1e4};
    scales c = {{1, 1, 1}, {1, 1, 1}};
    costate_stats count = {0};
    deriv d;
    open_on(&d, &c, &count);
    for (int k = 0; k < 5; k++) {
        double y[N] = {0.1, 0.2, 0.3}, tdot = 1, fdot[N];
        assert_int_equal(deriv_jvp(&d, at[k], y, y, 1, &tdot, NULL, NULL, fdot), 0);
        for (int i = 0; i < N; i++) near(fdot[i], f_y(&c, at[k], y, i), fabs(at[k]) < 100 ? 1e-8 : 1e-6);
    }
    deriv_close(&d);
}

/* What is not finite shows, where it belongs if it can be told. */
static void not_finite(void **state)
{
    (void)state;
    scales c = {{1, 0, 1}, {1, 1, 1}}; /* f_1 is NaN */
    costate_stats count = {0};
    deriv d;
    double y[N] = {1, 0, 1}, ydot[N] = {1, 0, 0}, fdot[N];
    open_on(&d, &c, &count);
    assert_int_equal(deriv_jvp(&d, 0, y, y, 1, NULL, ydot, NULL, fdot), 0);
    assert_true(isfinite(fdot[0]) && isnan(fdot[1]) && isfinite(fdot[2]));
    static const double odd[] = {NAN, INFINITY};
    for (int k = 0; k < 2; k++) {
        ydot[0] = odd[k];
        assert_int_equal(deriv_jvp(&d, 0, y, y, 1, NULL, ydot, NULL, fdot), 0);
        assert_true(isnan(fdot[0]));
    }
    deriv_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_any_size),
        cmocka_unit_test(directions_of_any_size),
        cmocka_unit_test(zeros),
        cmocka_unit_test(times),
        cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
