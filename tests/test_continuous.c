/* test_continuous.c - gradients by the adjoint equations: their order in every family, independence of the scale of the
 * objective, of the memory budget and of threads, and what is refused. The model has all parts of objectives and a nonlinear
 * initial state. */
#include "support.h"

#include <costate/diff.h>
#include <stdio.h>

enum { NP = 5, GOALS = 2, ALL = NP * GOALS };

static costate_model *model;
static double exact[ALL], exact_y[2 * GOALS];

typedef struct wish {
    costate_options options;
    double scale; /* of the objectives; 0: 1 */
    const double *weights;
    int w;
} wish;

static wish by(const char *method, double rtol)
{
    wish x = {.options = costate_defaults(method)};
    x.options.rtol = x.options.atol = rtol;
    x.options.adjoint = "continuous";
    return x;
}

/* np x w; y: n x w, or NULL */
static costate_stats gradient(wish x, double *dp, double *dy)
{
    costate_solver *s = make_solver(costate_model_problem(model), &x.options);
    const double scale = x.scale != 0 ? x.scale : 1, own[GOALS * GOALS] = {scale, 0, 0, scale};
    const costate_model_info about = costate_model_about(model);
    double y[2], none[2 * 8];
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    assert_ok(s, costate_gradient(s, x.w ? x.w : GOALS, x.weights ? x.weights : own, dy ? dy : none, dp));
    costate_stats st = stats_of(s);
    costate_free(s);
    return st;
}

static double error_of(const double *dp)
{
    double most = 0;
    for (int i = 0; i < ALL; i++) most = fmax(most, fabs(dp[i] / exact[i] - 1));
    return most;
}

/* ---- accuracy ---------------------------------------------------------------------------------------------------------- */

typedef struct expected {
    const char *method;
    double order, step; /* the larger of two steps, where the error is far above round-off */
    const char *back;   /* the method of the way back */
} expected;

static const expected orders[] = {
    {"rk32", 3, 0.05, "rk32"},        {"rk43", 4, 0.05, "rk43"},          {"dopri5", 5, 0.1, "dopri5"},
    {"verner65", 6, 0.1, "verner65"}, {"cashkarp", 5, 0.1, "cashkarp"},   {"dopri853", 8, 0.5, "dopri853"},
    {"sdirk2a", 2, 0.05, "sdirk2a"},  {"sdirk3a", 2, 0.05, "sdirk3a"},    {"sdirk4a", 4, 0.05, "sdirk4a"},
    {"sdirk4b", 4, 0.05, "sdirk4b"},  {"radau2a", 5, 0.1, "radau2a"},     {"radau1a", 5, 0.1, "radau1a"},
    {"gauss", 6, 0.25, "gauss"},      {"lobatto3c", 4, 0.1, "lobatto3c"}, {"ros2", 2, 0.025, "sdirk4a"},
    {"ros3", 3, 0.025, "sdirk4a"},    {"ros4", 4, 0.025, "sdirk4a"},      {"rodas3", 3, 0.025, "sdirk4a"},
    {"rodas4", 4, 0.025, "sdirk4a"},  {"bdf", 2, 0.005, "bdf"}, /* it begins with implicit Euler, once */
};

static void gradients_have_the_order_of_the_method(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        double dp[ALL], error[2];
        for (int k = 0; k < 2; k++) {
            wish x = by(orders[i].method, 1e-6);
            x.options.step = orders[i].step / (1 << k);
            const costate_stats st = gradient(x, dp, NULL);
            assert_string_equal(st.adjoint_method, orders[i].back);
            error[k] = error_of(dp);
        }
        const double order = log2(error[0] / error[1]);
        if (!(order > orders[i].order - 0.25) || !(error[1] > 1e-13) || !(error[1] < 1e-3))
            fail_msg("%s: errors %.2e and %.2e, order %.2f, not %g", orders[i].method, error[0], error[1], order,
                     orders[i].order);
    }
}

static void errors_fall_with_the_tolerance(void **state)
{
    (void)state;
    const char *const methods[] = {"dopri5", "dopri853", "sdirk4a", "radau2a", "rodas4", "bdf"};
    for (size_t i = 0; i < COUNT(methods); i++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
            double dp[ALL], dy[2 * GOALS];
            const costate_stats st = gradient(by(methods[i], rtol), dp, dy);
            const double error = error_of(dp), most = 200 * rtol;
            if (!(error < most)) fail_msg("%s at %g: error %.2e", methods[i], rtol, error);
            for (int k = 0; k < 2 * GOALS; k++) assert_near(dy[k] / exact_y[k], 1, most);
            assert_true(st.adjoint_steps > 0 && st.adjoint_rejected <= st.adjoint_steps / 5 + 2);
        }
}

/* ---- what it does not depend on ---------------------------------------------------------------------------------------- */

static void the_scale_of_the_objective_is_nothing_to_it(void **state)
{
    (void)state;
    const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "bdf"};
    for (size_t i = 0; i < COUNT(methods); i++)
        for (double scale = 1e-30; scale < 1e31; scale *= 1e60) {
            double one[ALL], other[ALL];
            wish x = by(methods[i], 1e-6);
            const costate_stats st = gradient(x, one, NULL);
            x.scale = scale;
            assert_int_equal(gradient(x, other, NULL).adjoint_steps, st.adjoint_steps);
            for (int k = 0; k < ALL; k++) assert_near(other[k] / scale / one[k], 1, 1e-6);
        }
}

static void budgets_and_threads_change_no_bit(void **state)
{
    (void)state;
    const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "rodas4", "bdf"};
    int checkpoints = 0;
    for (size_t i = 0; i < COUNT(methods); i++) {
        double dp[ALL], other[ALL];
        wish x = by(methods[i], 1e-9);
        assert_string_equal(gradient(x, dp, NULL).tier, "stages");
        for (x.options.memory = 4000; x.options.memory >= 1000; x.options.memory /= 2) {
            const costate_stats st = gradient(x, other, NULL);
            checkpoints += !strcmp(st.tier, "checkpoints");
            assert_true(st.recomputed_steps > 0 || x.options.memory > 2000);
            assert_bits(dp, other, ALL);
        }
        x.options.memory = 1000;
        x.options.threads = 3;
        gradient(x, other, NULL);
        assert_bits(dp, other, ALL);
    }
    assert_true(checkpoints > 2);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------------- */

static void lanes_agree_and_those_of_zero_stay_zero(void **state)
{
    (void)state;
    const double weights[GOALS * 4] = {0, 1, 0, 1e-9, 0, 0, 1, 2e-9};
    const char *const methods[] = {"dopri5", "radau2a", "bdf"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        double dp[NP * 4], dy[2 * 4];
        wish x = by(methods[i], 1e-7);
        x.weights = weights;
        x.w = 4;
        gradient(x, dp, dy);
        for (int k = 0; k < NP; k++) {
            assert_true(dp[k * 4] == 0);
            assert_near(dp[k * 4 + 1] / exact[k * GOALS], 1, 1e-5);
            assert_near(dp[k * 4 + 2] / exact[k * GOALS + 1], 1, 1e-5);
            assert_near(1e9 * dp[k * 4 + 3] / (exact[k * GOALS] + 2 * exact[k * GOALS + 1]), 1, 1e-5);
        }
        x.w = 1;
        x.weights = (double[]){0, 0};
        gradient(x, dp, dy);
        for (int k = 0; k < NP; k++) assert_true(dp[k] == 0);
    }
}

static void many_lanes_go_back_in_parts(void **state)
{
    (void)state;
    enum { W = 70 };
    double weights[GOALS * W], dp[NP * W], dy[2 * W];
    for (int l = 0; l < W; l++) weights[l] = 1 + l, weights[W + l] = 2;
    costate_options o = by("dopri5", 1e-8).options;
    o.lanes = 1;
    costate_solver *s = make_solver(costate_model_problem(model), &o);
    const costate_model_info about = costate_model_about(model);
    double y[2];
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    assert_ok(s, costate_gradient(s, W, weights, dy, dp));
    for (int l = 0; l < W; l++)
        for (int k = 0; k < NP; k++)
            assert_near(dp[k * W + l] / ((1 + l) * exact[k * GOALS] + 2 * exact[k * GOALS + 1]), 1, 1e-5);
    costate_free(s);
}

/* Seeds on the final state alone: objectives play no role. */
static void seeds_go_back_too(void **state)
{
    (void)state;
    double y[2], lambda[4], mu[NP * 2], other[4], mu2[NP * 2];
    const costate_model_info about = costate_model_about(model);
    for (int k = 0; k < 2; k++) {
        costate_options o = by("dopri853", 1e-11).options;
        if (k) o.adjoint = "discrete";
        costate_solver *s = make_solver(costate_model_problem(model), &o);
        double *l = k ? other : lambda, *m = k ? mu2 : mu;
        l[0] = l[3] = 1, l[1] = l[2] = 0;
        assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
        assert_ok(s, costate_adjoint(s, 2, l, m));
        costate_free(s);
    }
    for (int i = 0; i < 4; i++) assert_near(lambda[i] / other[i], 1, 1e-8);
    for (int i = 0; i < NP * 2; i++) assert_near(mu[i] / mu2[i], 1, 1e-8);
}

/* A run that goes from the later time to the earlier one. */
static void runs_may_go_back_in_time(void **state)
{
    (void)state;
    const costate_model_info about = costate_model_about(model);
    double y[2], dp[2][NP], dy[2][2], seeds[2] = {1, -2};
    for (int k = 0; k < 2; k++) {
        costate_problem prob = *costate_model_problem(model);
        prob.observations = 0;
        prob.observe = prob.init = (costate_function){0};
        costate_options o = by("dopri5", 1e-9).options;
        if (k) o.adjoint = "discrete";
        costate_solver *s = make_solver(&prob, &o);
        y[0] = 5, y[1] = 2;
        assert_ok(s, costate_solve(s, 2, 0.5, about.p, y));
        assert_ok(s, costate_gradient(s, 1, seeds, dy[k], dp[k]));
        costate_free(s);
    }
    for (int i = 0; i < 4; i++) assert_near(dp[0][i] / dp[1][i], 1, 1e-7);
    for (int i = 0; i < 2; i++) assert_near(dy[0][i] / dy[1][i], 1, 1e-7);
}

/* ---- lambda(t) -------------------------------------------------------------------------------------------------------- */

/* By what a run from there on gives: y(t) and the observations that are left. */
static void rows_are_gradients_of_what_is_left(void **state)
{
    (void)state;
    enum { ROWS = 4 };
    const double times[ROWS] = {0, 0.7, 3, 6}, weights[2 * 3] = {0, 1, -1, 0, 0, 0};
    const int left[ROWS] = {0, 0, 1, 2};
    const costate_model_info about = costate_model_about(model);
    const char *const methods[] = {"dopri853", "radau2a", "bdf"};
    for (size_t m = 0; m < COUNT(methods); m++) {
        double rows[ROWS * 2 * 3], y[2], at[ROWS * 2], dy[2 * 3];
        costate_options back = by(methods[m], 1e-9).options;
        costate_solver *s = make_solver(costate_model_problem(model), &back);
        assert_ok(s, costate_adjoint_output(s, ROWS, times, rows));
        assert_ok(s, costate_output(s, ROWS, times, at, NULL));
        assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
        assert_ok(s, costate_gradient(s, 3, weights, dy, NULL));
        assert_true(rows[0] == 0 && rows[1] == dy[1] && rows[4] == dy[4]);
        costate_free(s);
        for (int k = 0; k < 3; k++) { /* at t1 there is no run */
            costate_problem rest = *costate_model_problem(model);
            rest.init = (costate_function){0};
            rest.observe_at += left[k];
            rest.observations -= left[k];
            costate_options o = by("dopri853", 1e-12).options;
            o.adjoint = "discrete";
            s = make_solver(&rest, &o);
            assert_ok(s, costate_solve(s, times[k], about.t1, about.p, at + 2 * k));
            assert_ok(s, costate_gradient(s, 1, (double[]){1, 0}, dy, NULL));
            for (int i = 0; i < 2; i++) {
                assert_near(rows[(k * 2 + i) * 3 + 1] / dy[i], 1, 1e-5);
                assert_near(rows[(k * 2 + i) * 3 + 2] / dy[i], -1, 1e-5);
            }
            costate_free(s);
        }
    }
}

static void rows_of_a_discrete_adjoint_are_refused(void **state)
{
    (void)state;
    const double times[] = {3, 1};
    double rows[2 * 2 * GOALS], y[2], dp[ALL];
    const costate_model_info about = costate_model_about(model);
    costate_options o = by("bdf", 1e-6).options;
    costate_solver *s = make_solver(costate_model_problem(model), &o);
    assert_ok(s, costate_adjoint_output(s, 2, times, rows)); /* the wrong way round */
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    assert_refused(s, costate_gradient(s, GOALS, NULL, NULL, dp), COSTATE_ERR_TIMES, "time 1 of the adjoint");
    assert_nan(rows, COUNT(rows));
    costate_free(s);
    o.adjoint = "discrete";
    s = make_solver(costate_model_problem(model), &o);
    assert_refused(s, costate_adjoint_output(s, 2, times, rows), COSTATE_ERR_CONTINUOUS, "need not be near lambda(t)");
    costate_free(s);
}

/* ---- second order ------------------------------------------------------------------------------------------------------ */

enum { WAYS = 3, PARTS = WAYS * (NP + 2) };

/* Three directions, the first two with the same objective, the third with another. */
static void products(costate_options o, double *h)
{
    costate_solver *s = make_solver(costate_model_problem(model), &o);
    const costate_model_info about = costate_model_about(model);
    const double weights[GOALS * WAYS] = {1, 1, 0.5, 1, 1, 2};
    double y[2], ydot[2 * WAYS], pdot[NP * WAYS];
    for (int i = 0; i < 2 * WAYS; i++) ydot[i] = cos(i + 1);
    for (int i = 0; i < NP * WAYS; i++) pdot[i] = sin(i + 1);
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    assert_ok(s, costate_hessian(s, WAYS, weights, ydot, pdot, h + NP * WAYS, h));
    costate_free(s);
}

/* Of all components together: one that passes zero has no order. */
static double error_of_products(const double *h, const double *exact_h)
{
    double off = 0, size = 0;
    for (int i = 0; i < PARTS; i++) {
        off += (h[i] - exact_h[i]) * (h[i] - exact_h[i]);
        size += exact_h[i] * exact_h[i];
    }
    return sqrt(off / size);
}

static void products_have_the_order_of_the_method(void **state)
{
    (void)state;
    double h[PARTS], exact_h[PARTS], error[2];
    costate_options o = by("dopri853", 1e-13).options;
    o.adjoint = "discrete";
    products(o, exact_h);
    for (size_t i = 0; i < COUNT(orders); i++) {
        for (int k = 0; k < 2; k++) {
            o = by(orders[i].method, 1e-6).options;
            o.step = orders[i].step / (1 << k);
            products(o, h);
            error[k] = error_of_products(h, exact_h);
        }
        const double order = log2(error[0] / error[1]);
        if (!(order > orders[i].order - 0.25) || !(error[1] > 1e-13) || !(error[1] < 2e-3))
            fail_msg("%s: errors %.2e and %.2e, order %.2f, not %g", orders[i].method, error[0], error[1], order,
                     orders[i].order);
    }
    const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "bdf"};
    for (size_t i = 0; i < COUNT(methods); i++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
            products(by(methods[i], rtol).options, h);
            if (!(error_of_products(h, exact_h) < 300 * rtol))
                fail_msg("%s at %g: error %.2e", methods[i], rtol, error_of_products(h, exact_h));
        }
}

/* Where lambdadot begins at zero it is not held against what it is there. And directions of bdf, which begin at what their past
 * predicts, take few solutions: a step of the run takes about three of them, its directions no more. */
static void products_take_few_steps_and_solutions(void **state)
{
    (void)state;
    costate_model *heat = NULL;
    const char *const methods[] = {"sdirk4a", "bdf"}, *const define[] = {"M=20"};
    const costate_model_options size = {.order = 2, .defines = 1, .define = define};
    if (costate_model_open(&heat, SOURCE_DIR "/problems/heat_rim.c", &size)) fail_msg("%s", costate_model_message(heat));
    const costate_problem *q = costate_model_problem(heat);
    const costate_model_info about = costate_model_about(heat);
    double *y = calloc((size_t)q->n + 2 * (size_t)q->np, sizeof *y), *dp = y + q->n, *pdot = dp + q->np;
    assert_non_null(y);
    pdot[0] = 1;
    for (size_t i = 0; i < COUNT(methods); i++) {
        costate_options o = by(methods[i], 1e-7).options;
        o.atol = 1e-9;
        costate_solver *s = make_solver(q, &o);
        assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
        const costate_stats run = stats_of(s);
        assert_ok(s, costate_gradient(s, 1, (double[]){1}, NULL, dp));
        const costate_stats first = stats_of(s);
        assert_ok(s, costate_hessian(s, 1, NULL, NULL, pdot, NULL, dp));
        const costate_stats second = stats_of(s);
        if (!((double)second.adjoint_steps < 1.2 * (double)first.adjoint_steps))
            fail_msg("%s: %lld steps after %lld", methods[i], (long long)second.adjoint_steps, (long long)first.adjoint_steps);
        const double solutions = (double)(second.solve - first.solve) / (double)run.solve;
        if (i == 1 && !(solutions < 0.8)) fail_msg("%s: directions take %.2f of the run's solutions", methods[i], solutions);
        costate_free(s);
    }
    free(y);
    costate_model_close(heat);
}

static void products_do_not_depend_on_budgets(void **state)
{
    (void)state;
    const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "rodas4", "bdf"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        double h[PARTS], other[PARTS];
        costate_options o = by(methods[i], 1e-7).options;
        products(o, h);
        for (o.memory = 16000; o.memory >= 4000; o.memory /= 2) {
            products(o, other);
            assert_bits(h, other, PARTS);
        }
    }
}

/* ---- what is refused, and what fails ----------------------------------------------------------------------------------- */

static void refused(costate_options o, const char *detail)
{
    costate_solver *s = make_solver(costate_model_problem(model), &o);
    const costate_model_info about = costate_model_about(model);
    double y[2], dy[2 * GOALS], dp[ALL];
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    assert_refused(s, costate_gradient(s, GOALS, NULL, dy, dp), COSTATE_ERR_CONTINUOUS, detail);
    assert_nan(dy, 2 * GOALS);
    assert_nan(dp, ALL);
    costate_free(s);
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    costate_options o = by("radau2a", 1e-6).options;
    o.adjoint_method = "rodas4";
    refused(o, "Rosenbrock");
    o.adjoint_method = "radau";
    refused(o, "\"radau\" is no method");
    costate_table bare = *costate_method_find("dopri5");
    bare.name = "bare";
    bare.dense_rows = bare.dense_stages = 0;
    o = by(NULL, 1e-6).options;
    o.table = &bare;
    refused(o, "order 4");
}

static const costate_problem *whole;
static double from_here; /* products are not numbers before */

static int broken_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const int rc = whole->vjp(t, y, p, w, u, yb, pb, data);
    if (t < from_here && yb) yb[0] = NAN;
    return rc;
}

static void a_failure_says_where_and_leaves_no_numbers(void **state)
{
    (void)state;
    const costate_model_info about = costate_model_about(model);
    const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "bdf"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        costate_problem prob = *(whole = costate_model_problem(model));
        costate_options o = by(methods[i], 1e-5).options;
        double y[2], dy[2 * GOALS], dp[ALL];
        prob.vjp = broken_vjp;
        from_here = 2.25;
        costate_solver *s = make_solver(&prob, &o);
        assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
        const int status = costate_gradient(s, GOALS, NULL, dy, dp);
        assert_true(status < 0);
        assert_message(s, status, "the adjoint equations, backwards");
        assert_near(stats_of(s).fail_t, from_here, 0.05);
        assert_nan(dy, 2 * GOALS);
        assert_nan(dp, ALL);
        costate_free(s);
    }
}

/* ---- the model --------------------------------------------------------------------------------------------------------- */

static int open_model(void **state)
{
    (void)state;
    if (costate_model_open(&model, SOURCE_DIR "/tests/cli/models/parts.c", &(costate_model_options){.order = 2})) return -1;
    wish x = by("dopri853", 1e-13);
    x.options.adjoint = "discrete";
    gradient(x, exact, exact_y);
    return 0;
}

static int close_model(void **state)
{
    (void)state;
    costate_model_close(model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_have_the_order_of_the_method),
        cmocka_unit_test(errors_fall_with_the_tolerance),
        cmocka_unit_test(the_scale_of_the_objective_is_nothing_to_it),
        cmocka_unit_test(budgets_and_threads_change_no_bit),
        cmocka_unit_test(lanes_agree_and_those_of_zero_stay_zero),
        cmocka_unit_test(many_lanes_go_back_in_parts),
        cmocka_unit_test(seeds_go_back_too),
        cmocka_unit_test(runs_may_go_back_in_time),
        cmocka_unit_test(rows_are_gradients_of_what_is_left),
        cmocka_unit_test(rows_of_a_discrete_adjoint_are_refused),
        cmocka_unit_test(products_have_the_order_of_the_method),
        cmocka_unit_test(products_take_few_steps_and_solutions),
        cmocka_unit_test(products_do_not_depend_on_budgets),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(a_failure_says_where_and_leaves_no_numbers),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
