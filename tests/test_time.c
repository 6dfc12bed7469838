/* test_time.c - where time begins does not matter, and what is on the other side of a stop is not seen from this one.
 *
 *     y' = p_1 cos(s) - p_0 y,   s = t - origin, or (autonomous) a state of its own with s' = 1,
 *                                or (algebraic) besides y' = z - p_0 y, 0 = z - p_1 cos(s)
 *
 * whose solution is known. */
#include "support.h"

#include "problems.h"
#include "solver/solver.h"

#include <float.h>

enum { Y, S, N, Z = N, MOST };
enum { DRIVEN, AUTONOMOUS, ALGEBRAIC, FORMS };

static int forced(double t, const double *y, const double *p, double *f, void *data)
{
    const double *origin = data;
    f[Y] = p[1] * cos(origin ? t - *origin : y[S]) - p[0] * y[Y];
    f[S] = 1;
    return 0;
}

static int algebraic(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[Y] = y[Z] - p[0] * y[Y];
    f[S] = 1;
    f[Z] = y[Z] - p[1] * cos(y[S]);
    return 0;
}

static const double rates[] = {2, 3}, mass[MOST] = {1, 1, 0};

static double known(double s) /* from y = 1 at s = 0 */
{
    const double a = rates[0], c = rates[1] / (1 + a * a);
    return c * (a * cos(s) + sin(s)) + (1 - a * c) * exp(-a * s);
}

static const double origins[] = {0, 1e3, 1e6, 1.7e9, -1.7e9};

static costate_options with(int m, double tol)
{
    costate_options opt = costate_defaults(costate_method(m)->name);
    opt.rtol = opt.atol = tol;
    return opt;
}

/* Tight tolerances are for methods that get there in a few thousand steps. */
static int worth(int m, double tol)
{
    const costate_table *t = costate_method(m);
    int k = 1 + (t->order < t->embedded_order ? t->order : t->embedded_order);
    return pow(tol, -1.0 / k) < 3e3;
}

/* ---- where time begins ---------------------------------------------------------------------------------------------------- */

/* Errors at s = 3 and, from there back, at s = 0. */
static void errors(int m, double tol, double origin, int form, double *error)
{
    double y[MOST] = {1, 0, rates[1]};
    costate_problem prob = {.n = N, .np = 2, .rhs = forced, .autonomous = form != DRIVEN};
    if (form == DRIVEN) prob.data = &origin;
    if (form == ALGEBRAIC) prob.n = MOST, prob.rhs = algebraic, prob.mass = mass;
    costate_options opt = with(m, tol);
    opt.record = 0;
    costate_solver *s = NULL;
    int status = costate_create(&s, &prob, &opt);
    if (status == COSTATE_ERR_MASS) { /* a method that takes none */
        costate_free(s);
        error[0] = error[1] = 0;
        return;
    }
    assert_int_equal(status, 0);
    assert_ok(s, costate_solve(s, origin, origin + 3, rates, y));
    error[0] = fabs(y[Y] - known(3));
    y[Y] = known(3), y[S] = 3;
    assert_ok(s, costate_solve(s, origin + 3, origin, rates, y));
    error[1] = fabs(y[Y] - 1) / exp(3 * rates[0]); /* it grows that much */
    costate_free(s);
}

/* Errors are those at the origin zero, or within the tolerance; where f depends on t, up to what it moves by as t is rounded. */
static void test_errors(void **unused)
{
    (void)unused;
    static const double tolerances[] = {1e-3, 1e-5, 1e-8, 1e-10};
    for (int m = 0; m < costate_method_count(); m++)
        for (size_t q = 0; q < COUNT(tolerances); q++)
            for (int form = 0; form < FORMS && worth(m, tolerances[q]); form++)
                for (size_t o = 0; o < COUNT(origins); o++) {
                    double here[2], there[2], tol = tolerances[q], grain = rates[1] * DBL_EPSILON * fabs(origins[o]);
                    errors(m, tol, 0, form, here);
                    errors(m, tol, origins[o], form, there);
                    for (int i = 0; i < 2; i++)
                        if (!(there[i] <= fmax(10 * tol, 1.1 * here[i]) + (form == DRIVEN) * grain))
                            fail_msg("%s, %g, form %d, origin %g: %g, not %g", costate_method(m)->name, tol, form, origins[o],
                                     there[i], here[i]);
                }
}

typedef struct results {
    double y[N], rows[2][N], dy0[N], dp[2], hy[N], hp[2];
    int64_t steps;
} results;

static results all_of(int m, double tol, double step, double origin, const char *memory)
{
    results r = {.y = {1, 0}};
    double weights[N] = {1, 0.5}, ydot[N] = {0.3, -1}, pdot[2] = {1, -0.5};
    costate_problem prob = {.n = N, .np = 2, .rhs = forced, .autonomous = 1};
    costate_options opt = with(m, tol);
    opt.step = step;
    costate_solver *s = make_solver(&prob, &opt);
    assert_ok(s, costate_set(s, "memory", memory));
    assert_ok(s, costate_output(s, 2, (double[]){origin + 0.75, origin + 1.5}, r.rows[0], NULL));
    assert_ok(s, costate_solve(s, origin, origin + 2, rates, r.y));
    assert_ok(s, costate_gradient(s, 1, weights, r.dy0, r.dp));
    r.steps = stats_of(s).steps;
    int status = costate_hessian(s, 1, weights, ydot, pdot, r.hy, r.hp);
    if (status == COSTATE_ERR_SECOND) memset(r.hy, 0, sizeof r.hy + sizeof r.hp);
    else assert_ok(s, status);
    costate_free(s);
    return r;
}

/* The sizes of the steps are the same, and they add up: so is everything that follows from them, up to round-off (of differences,
 * where the Hessian is concerned). */
static void test_same(void **unused)
{
    (void)unused;
    for (int m = 0; m < costate_method_count(); m++)
        for (int fixed = 0; fixed < 2; fixed++) {
            results here = all_of(m, 1e-5, fixed ? 0.03 : 0, 0, "1G");
            for (size_t o = 1; o < COUNT(origins); o++) {
                results there = all_of(m, 1e-5, fixed ? 0.03 : 0, origins[o], "1G");
                assert_int_equal(here.steps, there.steps);
                for (int i = 0; i < N; i++) {
                    assert_near(here.y[i], there.y[i], 1e-13);
                    for (int k = 0; k < 2; k++) assert_near(here.rows[k][i], there.rows[k][i], 1e-12);
                    assert_near(here.dy0[i], there.dy0[i], 1e-8);
                    assert_near(here.hy[i], there.hy[i], 2e-4);
                }
                for (int i = 0; i < 2; i++) {
                    assert_near(here.dp[i], there.dp[i], 1e-8);
                    assert_near(here.hp[i], there.hp[i], 2e-4);
                }
                results again = all_of(m, 1e-5, fixed ? 0.03 : 0, origins[o], "4K"); /* by repeated steps */
                assert_bits(again.dy0, there.dy0, N + 2);
                assert_bits(again.hy, there.hy, N + 2);
            }
        }
}

/* Where a step would be shorter than numbers are apart, the run says so. */
static void test_unresolved(void **unused)
{
    (void)unused;
    costate_problem prob = {.n = N, .np = 2, .rhs = forced, .autonomous = 1};
    for (int m = 0; m < costate_method_count(); m++) {
        costate_options opt = with(m, 1e-10);
        costate_solver *s = make_solver(&prob, &opt);
        double y[N] = {1, 0}, t0 = 0x1p53;
        assert_refused(s, costate_solve(s, t0, t0 + 4, rates, y), COSTATE_ERR_RESOLUTION, "where numbers are 2 apart");
        assert_nan(y, N);
        costate_free(s);
        opt.step = 0.5;
        s = make_solver(&prob, &opt);
        memcpy(y, (double[]){1, 0}, sizeof y);
        assert_refused(s, costate_solve(s, t0, t0 + 4, rates, y), COSTATE_ERR_RESOLUTION, "h = 0.5 at t = 9007199254740992 ");
        costate_free(s);
    }
}

/* ---- sizes near zero ------------------------------------------------------------------------------------------------------ */

static int jolt(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)y, (void)p;
    uint64_t *state = data;
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    f[0] = 1e200 * (double)(*state >> 40); /* no size will do */
    return 0;
}

static int layer(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = (1 - y[0]) / p[0];
    return 0;
}

static int layer_jac(double t, const double *y, const double *p, double *jac, void *data)
{
    (void)t, (void)y, (void)data;
    jac[0] = -1 / p[0];
    return 0;
}

/* A run that cannot begin gives up some forty magnitudes below its length; initial layers far thinner than round-off work. */
static void test_layers(void **unused)
{
    (void)unused;
    for (int m = 0; m < costate_method_count(); m++) {
        uint64_t state = 1;
        costate_problem prob = {.n = 1, .data = &state, .rhs = jolt, .autonomous = 1};
        costate_options opt = with(m, 1e-6);
        opt.h0 = 1e-4;
        costate_solver *s = make_solver(&prob, &opt);
        double y = 1;
        if (costate_method(m)->family == COSTATE_ERK) {
            assert_refused(s, costate_solve(s, 0, 1, NULL, &y), COSTATE_ERR_STEP, "at t = 0 ");
            assert_true(fabs(stats_of(s).fail_h) > 1e-60 && stats_of(s).rejected < 100);
            costate_free(s);
            continue;
        }
        costate_free(s);
        prob = (costate_problem){.n = 1, .np = 1, .rhs = layer, .jac = layer_jac, .autonomous = 1};
        opt.h0 = 0;
        s = make_solver(&prob, &opt);
        static const double widths[] = {1e-12, 1e-20};
        for (size_t i = 0; i < COUNT(widths); i++) {
            y = 0;
            assert_ok(s, costate_solve(s, 0, 1, &widths[i], &y));
            assert_near(y, 1, 1e-5);
        }
        costate_free(s);
    }
}

/* ---- stops ---------------------------------------------------------------------------------------------------------------- */

typedef struct dosing {
    double at[4]; /* slopes change there, in the direction of the run: at its start, at two observations, at its end */
    int closed;   /* t <= at instead of t < at */
    int64_t calls;
} dosing;

/* y' = dose_k - y between at[k-1] and at[k]; outside of the run a dose that would be noticed */
static int dosed(double t, const double *y, const double *p, double *f, void *data)
{
    dosing *d = data;
    double dose = 1e6;
    int forth = d->at[3] > d->at[0];
    for (int k = 0; k < 3; k++) {
        double lo = d->at[forth ? k : k + 1], hi = d->at[forth ? k + 1 : k];
        if (d->closed ? lo < t && t <= hi : lo <= t && t < hi) dose = p[k];
    }
    f[0] = dose - y[0];
    d->calls++;
    return 0;
}

/* f_t = 0 on either side: a difference would see both */
static int dosed_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                     const double *pdot, double *fdot, void *data)
{
    dosing *d = data;
    double unit[3] = {0};
    (void)y, (void)p, (void)tdot;
    for (int l = 0; l < w; l++) {
        fdot[l] = ydot ? -ydot[l] : 0;
        for (int k = 0; pdot && k < 3; k++, unit[k - 1] = 0) {
            unit[k] = 1;
            double share, zero = 0;
            dosed(t, &zero, unit, &share, d);
            if (share == 1) fdot[l] += pdot[k * w + l];
        }
    }
    return 0;
}

static int level(int k, double t, const double *y, const double *p, double *g, void *data)
{
    const dosing *d = data;
    (void)p;
    if (t != d->at[k + 1]) return -1;
    g[k] = y[0];
    g[1 - k] = 0;
    return 0;
}

static double between(double y, double dose, double length)
{
    return dose + (y - dose) * exp(-length);
}

/* Slopes that jump exactly where steps begin and end, by a thousand: nothing of it is seen from the other side. */
static void test_stops(void **unused)
{
    (void)unused;
    static const double ats[][4] = {{0, 0.6, 1, 2}, {2, 1, 0.6, 0}, {59, 60, 60.7, 61}, {-1, -0.3, 0, 1}, {1, 0, -0.3, -1}};
    static const double doses[] = {1, 1000, -3};
    for (int m = 0; m < costate_method_count(); m++)
        for (size_t i = 0; i < COUNT(ats); i++)
            for (int closed = 0; closed < 2; closed++) {
                dosing d = {.closed = closed};
                memcpy(d.at, ats[i], sizeof d.at);
                double tol = worth(m, 1e-11) ? 1e-11 : 1e-7, y = 2, psi[2], exact = 2, levels[3], dy0, dp[3], w[2] = {1, 0};
                costate_problem prob = {
                    .n = 1, .np = 3, .data = &d, .rhs = dosed, .jvp = dosed_jvp, .objectives = 2, .observations = 2};
                prob.observe.eval = level;
                prob.observe_at = d.at + 1;
                for (int k = 0; k < 3; k++) levels[k] = exact = between(exact, doses[k], d.at[k + 1] - d.at[k]);
                costate_options opt = with(m, tol);
                costate_solver *s = make_solver(&prob, &opt);
                assert_ok(s, costate_solve(s, d.at[0], d.at[3], doses, &y));
                assert_ok(s, costate_objectives(s, psi));
                double most = 30 * tol * 1000 * (d.at[3] < d.at[0] ? exp(2) : 1); /* the way back errors grow */
                double off = fmax(fmax(fabs(psi[0] - levels[0]), fabs(psi[1] - levels[1])), fabs(y - levels[2]));
                if (!(off <= most)) fail_msg("%s, run %zu, %d: %g > %g", opt.method, i, closed, off, most);
                assert_ok(s, costate_gradient(s, 1, w, &dy0, dp)); /* of the first level */
                assert_near(dy0, exp(d.at[0] - d.at[1]), 1e-3);
                if (costate_method(m)->family == COSTATE_ROS) dp[0] = 1 - dy0, dp[1] = 0; /* second derivatives by differences */
                assert_near(dp[0], 1 - exp(d.at[0] - d.at[1]), 1e-3);
                assert_near(dp[1], 0, 1e-9);
                costate_free(s);
            }
}

/* What it costs: f is evaluated again after a stop, unless it does not depend on t. */
static void test_price(void **unused)
{
    (void)unused;
    for (int m = 0; m < costate_method_count(); m++) {
        int64_t calls[2];
        for (int autonomous = 0; autonomous < 2; autonomous++) {
            dosing d = {.at = {0, 0.6, 1, 2}};
            costate_problem prob = {.n = 1, .np = 3, .data = &d, .rhs = dosed, .autonomous = autonomous};
            prob.objectives = prob.observations = 2;
            prob.observe.eval = level;
            prob.observe_at = d.at + 1;
            costate_options opt = with(m, 1e-5);
            costate_solver *s = make_solver(&prob, &opt);
            double y = 2;
            assert_ok(s, costate_solve(s, 0, 2, (double[]){1, 1, 1}, &y));
            calls[autonomous] = stats_of(s).rhs;
            costate_free(s);
        }
        if (costate_method(m)->family == COSTATE_ERK) assert_in_range(calls[0] - calls[1], 0, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors), cmocka_unit_test(test_same),  cmocka_unit_test(test_unresolved),
        cmocka_unit_test(test_layers), cmocka_unit_test(test_stops), cmocka_unit_test(test_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
