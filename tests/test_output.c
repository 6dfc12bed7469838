/* test_output.c - times that a run meets: observations, where steps end exactly, and rows of dense output, for which no
 * step changes. */
#include "methods.h"
#include "support.h"

#include "problems.h"

#include <float.h>

/* ---- observations ------------------------------------------------------------------------------------------------ */

enum { SEEN = 4096, TIMES = 9 };

typedef struct witness {
    int calls, rhs_calls;
    int k[SEEN];
    double t[SEEN], rhs_t[SEEN];
} witness;

static int cosine(double t, const double *y, const double *p, double *f, void *data)
{
    (void)y, (void)p;
    witness *w = data;
    if (w->rhs_calls < SEEN) w->rhs_t[w->rhs_calls++] = t;
    f[0] = cos(t);
    return 0;
}

static int value(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)p;
    witness *w = data;
    if (w->calls < SEEN) {
        w->k[w->calls] = k;
        w->t[w->calls++] = t;
    }
    g[0] = y[0];
    g[1] = t;
    return 0;
}

static int was_seen(const witness *w, double t)
{
    for (int i = 0; i < w->rhs_calls; i++)
        if (w->rhs_t[i] == t) return 1;
    return 0;
}

/* A step began there, seen from its own side; where there is no number between two stops, at one of them. */
static int was_beside(const witness *w, double t, double side)
{
    return was_seen(w, nextafter(t, side)) || was_seen(w, t);
}

/* Twice at t0, thrice at one time, one unit in the last place apart, twice at t1. */
static void test_observations(void **unused)
{
    (void)unused;
    double forth[TIMES] = {0, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0.7, nextafter(0.7, 1), 4, 4}, back[TIMES];
    for (int k = 0; k < TIMES; k++) back[k] = forth[TIMES - 1 - k];
    for (int m = 0; m < explicit_methods(); m++)
        for (int b = 0; b < 2; b++) {
            static witness w;
            w.calls = w.rhs_calls = 0;
            const double *times = b ? back : forth;
            costate_problem prob = {.n = 1, .data = &w, .rhs = cosine, .objectives = 2};
            prob.observe.eval = value, prob.observations = TIMES, prob.observe_at = times;
            costate_options opt = costate_defaults(costate_method(m)->name);
            costate_solver *s = make_solver(&prob, &opt);
            double y = sin(times[0]), psi[2], sum[2] = {0};
            assert_ok(s, costate_solve(s, times[0], times[TIMES - 1], NULL, &y));
            assert_ok(s, costate_objectives(s, psi));
            assert_int_equal(w.calls, TIMES);
            for (int k = 0; k < TIMES; k++) {
                assert_int_equal(w.k[k], k);
                assert_true(w.t[k] == times[k]);
                if (was_seen(&w, times[k])) assert_true(times[k] == 0.7 || times[k] == nextafter(0.7, 1));
                assert_true(was_beside(&w, times[k], b ? -1 : 5) || times[k] == times[TIMES - 1]);
                sum[0] += sin(times[k]);
                sum[1] += times[k];
            }
            assert_near(psi[0], sum[0], TIMES * 2e-6 * (double)stats_of(s).steps);
            assert_near(psi[1], sum[1], TIMES * 4 * DBL_EPSILON * 4);
            costate_free(s);
        }
}

/* A stop costs a step or two, not the step size: the run goes on with the size it had. */
static void test_stops_are_cheap(void **unused)
{
    (void)unused;
    static witness w;
    double times[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    costate_problem prob = {.n = 1, .data = &w, .rhs = cosine};
    int64_t steps[2];
    for (int i = 0; i < 2; i++) {
        if (i) prob.objectives = 2, prob.observe.eval = value, prob.observations = TIMES, prob.observe_at = times;
        costate_solver *s = make_solver(&prob, NULL);
        double y = 0;
        assert_ok(s, costate_solve(s, 0, 10, NULL, &y));
        steps[i] = stats_of(s).steps;
        costate_free(s);
    }
    assert_in_range(steps[1], TIMES + 1, steps[0] + 2 * TIMES);
}

/* ---- dense output of polynomials --------------------------------------------------------------------------------- */

/* y' = q'(t) for q = 1 + t + .. + t^degree: solved without error by methods of that order, so that interpolation shows. */
static int slope(double t, const double *y, const double *p, double *f, void *data)
{
    (void)y, (void)p;
    f[0] = 0;
    for (int d = *(const int *)data; d >= 1; d--) f[0] = f[0] * t + d;
    return 0;
}

static double polynomial(int degree, double t)
{
    double q = 0;
    for (int d = degree; d >= 0; d--) q = q * t + 1;
    return q;
}

/* The cubic Hermite polynomial is exact up to degree three, the continuous extensions of two methods go beyond. */
static int dense_degree(const costate_table *method)
{
    if (!strcmp(method->name, "dopri5")) return 4;
    if (!strcmp(method->name, "dopri853")) return 7;
    return method->order < 3 ? method->order : 3;
}

/* Steps are a quarter: rows at both ends, on step ends, many in one step, none in another. */
static void test_rows(void **unused)
{
    (void)unused;
    static const double times[] = {0, 0, 0.01, 0.02, 0.07, 0.11, 0.23, 0.25, 0.5, 0.51, 0.75, 0.75, 0.8, 1.3, 1.4999, 1.5, 1.5};
    enum { ROWS = COUNT(times) };
    for (int m = 0; m < explicit_methods(); m++)
        for (int b = 0; b < 2; b++) {
            const costate_table *method = costate_method(m);
            int degree = dense_degree(method);
            costate_problem prob = {.n = 1, .data = &degree, .rhs = slope};
            costate_options opt = costate_defaults(method->name);
            double t[ROWS], rows[ROWS + 1], t0 = b ? 1.5 : 0, t1 = 1.5 - t0;
            double y = polynomial(degree, t0), most = polynomial(degree, 1.5);
            for (size_t i = 0; i < ROWS; i++) t[i] = times[b ? ROWS - 1 - i : i];
            opt.step = 0.25;
            costate_solver *s = make_solver(&prob, &opt);
            rows[ROWS] = 42;
            assert_ok(s, costate_output(s, ROWS, t, rows, NULL));
            assert_ok(s, costate_solve(s, t0, t1, NULL, &y));
            for (size_t i = 0; i < ROWS; i++) assert_near(rows[i], polynomial(degree, t[i]), 200 * DBL_EPSILON * most);
            assert_true(rows[0] == polynomial(degree, t0) && rows[1] == rows[0]);
            assert_true(rows[ROWS - 1] == y && rows[ROWS - 2] == y && rows[ROWS] == 42);
            fill(rows, ROWS, 7); /* taken back: nothing is written any more */
            assert_ok(s, costate_output(s, 0, NULL, NULL, NULL));
            y = polynomial(degree, t0);
            assert_ok(s, costate_solve(s, t0, t1, NULL, &y));
            for (size_t i = 0; i < ROWS; i++) assert_true(rows[i] == 7);
            costate_free(s);
        }
}

/* ---- dense output and the run ------------------------------------------------------------------------------------ */

/* Steps, state, objectives and gradient are the same, bit for bit, with and without output. */
static void test_rows_change_nothing(void **unused)
{
    (void)unused;
    enum { ROWS = 200 };
    const problem *duffing = &problem_duffing;
    static double times[ROWS], rows[ROWS][2];
    for (int i = 0; i < ROWS; i++) times[i] = duffing->t0 + (duffing->t1 - duffing->t0) * i / (ROWS - 1);
    for (int m = 0; m < explicit_methods(); m++) {
        costate_options opt = costate_defaults(costate_method(m)->name);
        double y[2][2], psi[2][2], dy0[2][4], dp[2][18];
        int64_t steps[2], rejected[2];
        for (int i = 0; i < 2; i++) {
            costate_solver *s = make_solver(&duffing->prob, &opt);
            if (i) assert_ok(s, costate_output(s, ROWS, times, rows[0], NULL));
            assert_ok(s, costate_solve(s, duffing->t0, duffing->t1, duffing->p, y[i]));
            steps[i] = stats_of(s).steps;
            rejected[i] = stats_of(s).rejected;
            assert_ok(s, costate_objectives(s, psi[i]));
            assert_ok(s, costate_gradient(s, 2, NULL, dy0[i], dp[i]));
            costate_free(s);
        }
        assert_int_equal(steps[0], steps[1]);
        assert_int_equal(rejected[0], rejected[1]);
        assert_bits(y[0], y[1], 2);
        assert_bits(psi[0], psi[1], 2);
        assert_bits(dy0[0], dy0[1], 4);
        assert_bits(dp[0], dp[1], 18);
        assert_bits(rows[ROWS - 1], y[0], 2);
        assert_finite(rows[0], 2 * ROWS);
    }
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

static int rotation(double t, const double *y, const double *p, double *f, void *data)
{
    (void)p, (void)data;
    double omega = 1 + 0.5 * sin(t);
    f[0] = -omega * y[1];
    f[1] = omega * y[0];
    return 0;
}

static int rotation_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, double *fdot, void *data)
{
    (void)y, (void)p, (void)tdot, (void)pdot, (void)data;
    double omega = 1 + 0.5 * sin(t);
    for (int l = 0; l < w; l++) {
        fdot[l] = -omega * ydot[w + l];
        fdot[w + l] = omega * ydot[l];
    }
    return 0;
}

/* The problem is linear: a multiple of the initial state as direction gives that multiple of every row. */
static void test_rows_of_directions(void **unused)
{
    (void)unused;
    enum { ROWS = 40, W = 11 };
    static double rows[ROWS][2], dots[ROWS][2][W];
    costate_problem prob = {.n = 2, .rhs = rotation, .jvp = rotation_jvp};
    for (int m = 0; m < explicit_methods(); m++)
        for (int b = 0; b < 2; b++) {
            costate_options opt = costate_defaults(costate_method(m)->name);
            costate_solver *s = make_solver(&prob, &opt);
            double times[ROWS], y[2] = {1, 0.5}, ydot[2][W], t1 = b ? -3 : 3;
            for (int i = 0; i < ROWS; i++) times[i] = t1 * i / (ROWS - 1);
            for (int i = 0; i < 2; i++)
                for (int l = 0; l < W; l++) ydot[i][l] = (l + 1) * y[i];
            assert_ok(s, costate_output(s, ROWS, times, rows[0], dots[0][0]));
            assert_ok(s, costate_tangent(s, 0, t1, NULL, y, W, ydot[0], NULL));
            for (int r = 0; r < ROWS; r++)
                for (int i = 0; i < 2; i++)
                    for (int l = 0; l < W; l++) assert_near(dots[r][i][l], (l + 1) * rows[r][i], 1e-12 * (l + 1));
            assert_bits(rows[ROWS - 1], y, 2);
            assert_bits(dots[ROWS - 1][0], ydot[0], 2 * W);
            costate_free(s);
        }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static int stops_at_one(double t, const double *y, const double *p, double *f, void *data)
{
    return t > 1 ? -3 : rotation(t, y, p, f, data);
}

/* Rows that had been written before the run failed do not survive it. */
static void test_rows_after_failure(void **unused)
{
    (void)unused;
    enum { ROWS = 5, W = 3 };
    static const double times[ROWS] = {0, 0.1, 0.5, 1, 2};
    double rows[ROWS * 2], dots[ROWS * 2 * W], y[2] = {1, 0}, ydot[2 * W] = {1};
    costate_problem prob = {.n = 2, .rhs = stops_at_one, .jvp = rotation_jvp};
    costate_solver *s = make_solver(&prob, NULL);
    fill(rows, ROWS * 2, 1), fill(dots, ROWS * 2 * W, 1);
    assert_ok(s, costate_output(s, ROWS, times, rows, dots));
    assert_refused(s, costate_tangent(s, 0, 2, NULL, y, W, ydot, NULL), COSTATE_ERR_CALLBACK, "rhs returned -3");
    assert_nan(rows, ROWS * 2);
    assert_nan(dots, ROWS * 2 * W);
    assert_nan(y, 2);
    assert_nan(ydot, 2 * W);
    fill(rows, ROWS * 2, 1);
    y[0] = 1, y[1] = 0;
    assert_ok(s, costate_output(s, ROWS, times, rows, NULL));
    assert_refused(s, costate_solve(s, 0, 2, NULL, y), COSTATE_ERR_CALLBACK, "rhs returned -3");
    assert_nan(rows, ROWS * 2);
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_observations),       cmocka_unit_test(test_stops_are_cheap),
        cmocka_unit_test(test_rows),               cmocka_unit_test(test_rows_change_nothing),
        cmocka_unit_test(test_rows_of_directions), cmocka_unit_test(test_rows_after_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
