/* test_driver.c - the steps of a run: what controls their size, where they begin and end.
 *
 * The work horse is a rotation with a frequency that varies a hundredfold,
 *
 *     y0' = -omega(t) y1,  y1' = omega(t) y0,   omega = 20 / (1 + 100 (t - 1)^2),   angle = 2 atan(10 (t - 1)) + 2 atan(10).
 *
 * Its flow keeps the length of every error, so that the error at the end is at most the sum of the steps' own errors. */
#include "support.h"

#include "solver/solver.h"
#include "problems.h"

#include <float.h>

static int rotation(double t, const double *y, const double *p, double *f, void *data)
{
    (void)p, (void)data;
    double omega = 20 / (1 + 100 * (t - 1) * (t - 1));
    f[0] = -omega * y[1];
    f[1] = omega * y[0];
    return 0;
}

static const costate_problem rotating = {.n = 2, .rhs = rotation};

static double rotation_error(double t, const double *y) /* root mean square, from (1, 0) at t = 0 */
{
    double angle = 2 * atan(10 * (t - 1)) + 2 * atan(10);
    return hypot(y[0] - cos(angle), y[1] - sin(angle)) / sqrt(2);
}

/* y' = p y */
static int growth(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = p[0] * y[0];
    return 0;
}

static const costate_problem growing = {.n = 1, .np = 1, .rhs = growth};

static int cosine(double t, const double *y, const double *p, double *f, void *data)
{
    (void)y, (void)p, (void)data;
    f[0] = cos(t);
    return 0;
}

static const costate_problem quadrature = {.n = 1, .rhs = cosine};

static costate_options with_tolerance(double tol)
{
    costate_options opt = costate_defaults(NULL);
    opt.rtol = opt.atol = tol;
    return opt;
}

/* ---- step size control ------------------------------------------------------------------------------------------- */

/* Every step's own error is at most atol + rtol |y|, and |y_i| <= 1. */
static void test_control(void **unused)
{
    (void)unused;
    static const char *const controls[] = {"elementary", "pi", "gustafsson", "auto"};
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    for (int m = 0; m < costate_method_count(); m++)
        for (size_t q = 0; q < COUNT(tolerances); q++) {
            double ends[COUNT(controls)][2];
            for (size_t c = 0; c < COUNT(controls); c++) {
                costate_options opt = with_tolerance(tolerances[q]);
                opt.method = costate_method(m)->name;
                opt.control = controls[c];
                opt.record = 0;
                costate_solver *s = make_solver(&rotating, &opt);
                double *y = ends[c];
                y[0] = 1, y[1] = 0;
                assert_ok(s, costate_solve(s, 0, 2, NULL, y));
                double most = 2 * tolerances[q] * (double)stats_of(s).steps, error = rotation_error(2, y);
                if (!(error <= most)) fail_msg("%s, %s, %g: error %g > %g", opt.method, controls[c], tolerances[q], error, most);
                costate_free(s);
            }
            if (costate_method(m)->family == COSTATE_BDF) { /* it chooses its sizes together with its order */
                for (size_t c = 1; c < COUNT(controls); c++) assert_memory_equal(ends[0], ends[c], sizeof ends[0]);
                continue;
            }
            for (size_t c = 1; c < COUNT(controls); c++) assert_memory_not_equal(ends[0], ends[c], sizeof ends[0]);
            assert_memory_equal(ends[3], ends[costate_method(m)->family == COSTATE_ERK ? 1 : 2], sizeof ends[3]);
        }
}

/* Over twelve orders of magnitude the first step costs at most what it takes to grow tenfold from step to step. It may be tried
 * again with half its size, for a jump within it. */
static void test_first_step(void **unused)
{
    (void)unused;
    costate_solver *s = make_solver(&growing, NULL);
    int64_t usual = 0;
    for (int back = 0; back < 2; back++)
        for (int e = 0; e <= 6; e++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double p = -pow(10, sign * e), y = 1, t1 = back ? 5 / p : -5 / p;
                assert_ok(s, costate_solve(s, 0, t1, &p, &y));
                double exact = back ? exp(5) : exp(-5);
                assert_near(y, exact, exact * 1e-5);
                if (e == 0) usual = stats_of(s).steps;
                assert_in_range(stats_of(s).steps, usual - 2, usual + 2 + e);
                assert_in_range(stats_of(s).rejected, 0, 2 + 1);
            }
    costate_free(s);
}

/* Nothing moves, or nothing can be told from the initial value: a small step, then ever larger ones. */
static void test_first_step_without_scale(void **unused)
{
    (void)unused;
    costate_solver *s = make_solver(&growing, NULL);
    double zero = 0, y = 0;
    assert_ok(s, costate_solve(s, 0, 1e3, &zero, &y));
    assert_true(y == 0);
    assert_in_range(stats_of(s).steps, 1, 12);
    y = 3;
    assert_ok(s, costate_solve(s, 0, 1e3, &zero, &y));
    assert_true(y == 3);
    assert_in_range(stats_of(s).steps, 1, 12);
    double fast = -1e160; /* a slope whose norm is beyond all numbers */
    y = 1;
    assert_ok(s, costate_solve(s, 0, 5e-160, &fast, &y));
    assert_near(y, exp(-5), 1e-5);
    costate_free(s);
    s = make_solver(&quadrature, NULL);
    y = 0;
    assert_ok(s, costate_solve(s, 0, 10, NULL, &y));
    assert_near(y, sin(10), 1e-5);
    costate_free(s);
}

/* A component that is and stays zero meets any tolerance, a purely relative one as well. */
static void test_zero_with_relative_tolerance(void **unused)
{
    (void)unused;
    costate_options opt = costate_defaults(NULL);
    opt.atol = 0;
    costate_solver *s = make_solver(&growing, &opt);
    double p = -1, y = 0;
    assert_ok(s, costate_solve(s, 0, 1, &p, &y));
    assert_true(y == 0);
    costate_free(s);
}

/* ---- sizes given by the user ------------------------------------------------------------------------------------- */

static double smallest(const costate_solver *s) /* size of a step that was not cut short by the end */
{
    double least = HUGE_VAL;
    for (int64_t i = 0; i < s->log.count - 1; i++) least = fmin(least, fabs(s->log.h[i]));
    return least;
}

static double largest(const costate_solver *s)
{
    double most = 0;
    for (int64_t i = 0; i < s->log.count; i++) most = fmax(most, fabs(s->log.h[i]));
    return most;
}

static costate_solver *rotated(const costate_options *opt, int *status)
{
    costate_solver *s = make_solver(&rotating, opt);
    double y[2] = {1, 0};
    *status = costate_solve(s, 0, 2, NULL, y);
    if (*status) assert_nan(y, 2);
    return s;
}

static void test_h0_and_hmax(void **unused)
{
    (void)unused;
    int status;
    costate_options opt = with_tolerance(1e-6);
    opt.h0 = 0.0078125;
    costate_solver *s = rotated(&opt, &status);
    assert_ok(s, status);
    assert_true(s->log.h[0] == opt.h0);
    double natural = largest(s);
    costate_free(s);
    opt.hmax = natural / 3;
    s = rotated(&opt, &status);
    assert_ok(s, status);
    assert_true(largest(s) <= opt.hmax);
    assert_true(rotation_error(2, s->yend) <= 2e-6 * (double)s->log.count);
    costate_free(s);
    opt.h0 = 1; /* far too long for the tolerance: rejected, not trusted */
    opt.hmax = 0;
    s = rotated(&opt, &status);
    assert_ok(s, status);
    assert_true(s->log.h[0] < 1 && stats_of(s).rejected > 0);
    costate_free(s);
}

/* No step is smaller than hmin, and a run that would need one fails. */
static void test_hmin(void **unused)
{
    (void)unused;
    int status;
    costate_options opt = with_tolerance(1e-6);
    costate_solver *free_run = rotated(&opt, &status);
    assert_ok(free_run, status);
    double least = smallest(free_run);
    static const double factors[] = {0.5, 1.01, 1.2, 2, 10};
    for (size_t i = 0; i < COUNT(factors); i++) {
        opt.hmin = factors[i] * least;
        costate_solver *s = rotated(&opt, &status);
        if (factors[i] < 1) assert_bits(s->yend, free_run->yend, 2);
        if (factors[i] > 5) assert_refused(s, status, COSTATE_ERR_STEP, "at t = ");
        else if (status) assert_int_equal(status, COSTATE_ERR_STEP);
        if (s->log.count > 1) assert_true(smallest(s) >= opt.hmin);
        costate_free(s);
    }
    costate_free(free_run);
    opt.hmin = 1e-3; /* the automatic first step would be 1e-6 */
    costate_solver *s = make_solver(&quadrature, &opt);
    double y = 0;
    assert_ok(s, costate_solve(s, 0, 1, NULL, &y));
    assert_true(smallest(s) >= opt.hmin);
    costate_free(s);
}

static int square(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = y[0] * y[0];
    return 0;
}

/* y' = y^2, y(0) = 1 ceases to exist at t = 1. */
static void test_singularity(void **unused)
{
    (void)unused;
    costate_problem prob = {.n = 1, .rhs = square};
    costate_solver *s = make_solver(&prob, NULL);
    double y = 1;
    assert_refused(s, costate_solve(s, 0, 2, NULL, &y), COSTATE_ERR_STEP, "at t = ");
    assert_true(isnan(y));
    assert_near(stats_of(s).fail_t, 1, 1e-4);
    assert_true(stats_of(s).fail_h > 0 && stats_of(s).fail_h < 1e-10);
    assert_int_equal(stats_of(s).fail_step, stats_of(s).steps);
    y = 1;
    assert_ok(s, costate_solve(s, 0, 0.5, NULL, &y));
    assert_near(y, 2, 1e-4);
    costate_free(s);
}

static void test_fixed_steps(void **unused)
{
    (void)unused;
    static const struct {
        double t0, t1, step;
        int64_t steps;
    } runs[] = {{0, 1, 0.3, 4}, {0, 1, 0.25, 4},       {0, 1, 0.1, 10},     {1, 0, 0.3, 4},
                {0, 1, 7, 1},   {0, 10, 1e-4, 100000}, {5, -5, 1e-3, 10000}};
    for (size_t i = 0; i < COUNT(runs); i++) {
        costate_options opt = costate_defaults("rk32");
        opt.step = runs[i].step;
        costate_solver *s = make_solver(&quadrature, &opt);
        double y = sin(runs[i].t0), h = copysign(opt.step, runs[i].t1 - runs[i].t0);
        assert_ok(s, costate_solve(s, runs[i].t0, runs[i].t1, NULL, &y));
        assert_int_equal(stats_of(s).steps, runs[i].steps);
        assert_int_equal(stats_of(s).rejected, 0);
        for (int64_t k = 0; k < s->log.count - 1; k++) assert_true(s->log.h[k] == h);
        assert_true(s->log.t[s->log.count] == runs[i].t1);
        costate_free(s);
    }
}

/* Order five over fixed steps: halving the step divides the error by 32. */
static void test_fixed_steps_converge(void **unused)
{
    (void)unused;
    double error[2];
    for (int i = 0; i < 2; i++) {
        costate_options opt = costate_defaults("dopri5");
        opt.step = i ? 1.0 / 256 : 1.0 / 128;
        costate_solver *s = make_solver(&rotating, &opt);
        double y[2] = {1, 0};
        assert_ok(s, costate_solve(s, 0, 2, NULL, y));
        error[i] = rotation_error(2, y);
        costate_free(s);
    }
    assert_near(log2(error[0] / error[1]), 5, 0.3);
}

static void test_max_steps(void **unused)
{
    (void)unused;
    costate_options opt = costate_defaults(NULL);
    double y = 0;
    opt.step = 0.125;
    opt.max_steps = 8;
    costate_solver *s = make_solver(&quadrature, &opt);
    assert_ok(s, costate_solve(s, 0, 1, NULL, &y));
    assert_ok(s, costate_set(s, "max_steps", "7"));
    y = 0;
    assert_refused(s, costate_solve(s, 0, 1, NULL, &y), COSTATE_ERR_MAX_STEPS, "max_steps = 7 reached at t = 0.875");
    assert_true(isnan(y) && stats_of(s).fail_t == 0.875 && stats_of(s).fail_step == 7);
    costate_free(s);
    int status; /* rejected steps count too */
    opt = with_tolerance(1e-6);
    opt.h0 = 1;
    s = rotated(&opt, &status);
    int64_t attempts = stats_of(s).steps + stats_of(s).rejected;
    costate_free(s);
    for (int i = 0; i < 2; i++) {
        opt.max_steps = attempts - i;
        s = rotated(&opt, &status);
        assert_int_equal(status, i ? COSTATE_ERR_MAX_STEPS : 0);
        costate_free(s);
    }
}

/* ---- tolerances and direction ------------------------------------------------------------------------------------ */

static void test_atols(void **unused)
{
    (void)unused;
    const problem *kepler = &problem_kepler;
    size_t n = (size_t)kepler->prob.n;
    double end[3][16], atols[16];
    int64_t steps[3];
    for (int i = 0; i < 3; i++) {
        costate_options opt = with_tolerance(1e-8);
        fill(atols, n, opt.atol);
        if (i == 2) atols[0] = 1e-2;
        if (i) opt.atols = atols;
        costate_solver *s = make_solver(&kepler->prob, &opt);
        fill(atols, n, NAN); /* they are copied */
        if (kepler->y0) memcpy(end[i], kepler->y0, n * sizeof(double));
        assert_ok(s, costate_solve(s, kepler->t0, kepler->t1, kepler->p, end[i]));
        steps[i] = stats_of(s).steps;
        costate_free(s);
    }
    assert_bits(end[0], end[1], n);
    assert_int_equal(steps[0], steps[1]);
    assert_true(steps[2] < steps[0]);
}

/* Forth and back: the errors of both ways add up. */
static void test_backward(void **unused)
{
    (void)unused;
    for (int m = 0; m < costate_method_count(); m++) {
        costate_options opt = with_tolerance(1e-7);
        opt.method = costate_method(m)->name;
        costate_solver *s = make_solver(&rotating, &opt);
        double y[2] = {1, 0}, steps = 0;
        assert_ok(s, costate_solve(s, 0, 2, NULL, y));
        steps += (double)stats_of(s).steps;
        assert_true(s->log.h[0] > 0);
        assert_ok(s, costate_solve(s, 2, 0, NULL, y));
        steps += (double)stats_of(s).steps;
        assert_true(s->log.h[0] < 0 && s->log.t[s->log.count] == 0);
        assert_true(rotation_error(0, y) <= 2e-7 * steps);
        costate_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_first_step_without_scale),
        cmocka_unit_test(test_zero_with_relative_tolerance),
        cmocka_unit_test(test_h0_and_hmax),
        cmocka_unit_test(test_hmin),
        cmocka_unit_test(test_singularity),
        cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_fixed_steps_converge),
        cmocka_unit_test(test_max_steps),
        cmocka_unit_test(test_atols),
        cmocka_unit_test(test_backward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
