/* test_continuous_lanes.c - many objectives and many directions by the adjoint equations, in threads: the same bits for any
 * number of these, for budgets that leave checkpoints alone, and after options have changed; failures of some of the lanes. */
#include "support.h"

#include <costate/diff.h>
#include <stdatomic.h>

enum { NP = 5, GOALS = 2, W = 40, WAYS = 20 };

static costate_model *model;

static costate_options by(const char *method, double rtol, int threads)
{
    costate_options o = costate_defaults(method);
    o.rtol = o.atol = rtol;
    o.adjoint = "continuous";
    o.threads = threads;
    return o;
}

static costate_solver *run(const costate_problem *q, const costate_options *o)
{
    costate_solver *s = make_solver(q, o);
    const costate_model_info about = costate_model_about(model);
    double y[2];
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    return s;
}

typedef struct results {
    double dp[NP * W], dy[2 * W], hp[NP * WAYS], hy[2 * WAYS], rows[2 * 2 * W];
} results;

static void weigh(int w, double *weights)
{
    for (int l = 0; l < w; l++) weights[l] = 1 + l % 7, weights[w + l] = sin(1.0 + l / 6); /* directions: six of an objective */
}

static costate_stats compute(costate_solver *s, results *r)
{
    const double times[] = {1, 4};
    double weights[GOALS * W], ways[GOALS * WAYS], ydot[2 * WAYS], pdot[NP * WAYS];
    weigh(W, weights);
    for (int l = 0; l < WAYS; l++) ways[l] = 1, ways[WAYS + l] = l / 6;
    for (int i = 0; i < 2 * WAYS; i++) ydot[i] = cos(i + 1);
    for (int i = 0; i < NP * WAYS; i++) pdot[i] = sin(i + 1);
    assert_ok(s, costate_adjoint_output(s, 2, times, r->rows));
    assert_ok(s, costate_gradient(s, W, weights, r->dy, r->dp));
    const costate_stats st = stats_of(s);
    assert_ok(s, costate_hessian(s, WAYS, ways, ydot, pdot, r->hy, r->hp));
    assert_true(st.adjoint_steps > 0 && st.adjoint_method[0]);
    return st;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "rodas4", "bdf"};
    const int threads[] = {2, 3, 7, 3, 3};
    const int64_t budgets[] = {0, 0, 0, 40000, 16000};
    for (size_t i = 0; i < COUNT(methods); i++) {
        static results one, other;
        costate_options o = by(methods[i], 1e-6, 1);
        costate_solver *s = run(costate_model_problem(model), &o);
        const costate_stats st = compute(s, &one);
        costate_free(s);
        for (size_t k = 0; k < COUNT(threads); k++) {
            o.threads = threads[k];
            o.memory = budgets[k] ? budgets[k] : costate_defaults(NULL).memory;
            s = run(costate_model_problem(model), &o);
            assert_int_equal(compute(s, &other).adjoint_steps, st.adjoint_steps);
            assert_bits((double *)&one, (double *)&other, sizeof one / sizeof(double));
            costate_free(s);
        }
    }
}

/* What threads keep of the adjoint equations has the options of the call before. */
static void options_may_change_between_calls(void **state)
{
    (void)state;
    static results one, other;
    costate_options o = by("radau2a", 1e-4, 3);
    const costate_model_info about = costate_model_about(model);
    double y[2];
    costate_solver *s = run(costate_model_problem(model), &o);
    compute(s, &one);
    assert_ok(s, costate_set(s, "rtol", "1e-8"));
    assert_ok(s, costate_set(s, "hmax", "0.05"));
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    compute(s, &one);
    costate_free(s);
    o.rtol = 1e-8;
    o.hmax = 0.05;
    o.threads = 1;
    s = run(costate_model_problem(model), &o);
    compute(s, &other);
    assert_bits((double *)&one, (double *)&other, sizeof one / sizeof(double));
    costate_free(s);
}

/* Objectives of 1e-30 and 1e30; a direction 1e9 times another beside it, and one of zeros, which has a product of zeros. */
static void products_do_not_see_the_scale(void **state)
{
    (void)state;
    enum { LANES = 3 };
    const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "bdf"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        const costate_options o = by(methods[i], 1e-8, 1);
        double one[NP * LANES], h[NP * LANES], y[2 * LANES], weights[GOALS * LANES], ydot[2 * LANES], pdot[NP * LANES];
        for (int k = 0; k < NP; k++) pdot[k * LANES] = cos(k), pdot[k * LANES + 1] = 1e9 * cos(k), pdot[k * LANES + 2] = 0;
        for (int k = 0; k < 2; k++) ydot[k * LANES] = sin(k), ydot[k * LANES + 1] = 1e9 * sin(k), ydot[k * LANES + 2] = 0;
        costate_solver *s = run(costate_model_problem(model), &o);
        int64_t steps = 0;
        for (double scale = 1; scale != 0; scale = scale == 1 ? 1e-30 : scale < 1 ? 1e30 : 0) {
            for (int k = 0; k < GOALS * LANES; k++) weights[k] = scale;
            assert_ok(s, costate_hessian(s, LANES, weights, ydot, pdot, y, h));
            if (scale == 1) memcpy(one, h, sizeof h), steps = stats_of(s).adjoint_steps;
            assert_int_equal(stats_of(s).adjoint_steps, steps);
            for (int k = 0; k < NP; k++) {
                assert_near(h[k * LANES] / scale / one[k * LANES], 1, 1e-6);
                assert_near(h[k * LANES + 1] / 1e9 / scale / one[k * LANES], 1, 1e-6);
                assert_true(h[k * LANES + 2] == 0);
            }
        }
        costate_free(s);
    }
}

static const costate_problem *whole;
static atomic_int calls;

static int broken_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const int rc = whole->vjp(t, y, p, w, u, yb, pb, data);
    calls++;
    return t < 2 && yb && w > 1 ? -3 : rc;
}

static void a_failure_in_a_thread_is_that_of_the_call(void **state)
{
    (void)state;
    costate_problem prob = *(whole = costate_model_problem(model));
    double weights[GOALS * W], dy[2 * W], dp[NP * W];
    const costate_options o = by("dopri5", 1e-5, 3);
    prob.vjp = broken_vjp;
    weigh(W, weights);
    costate_solver *s = run(&prob, &o);
    const int status = costate_gradient(s, W, weights, dy, dp);
    assert_true(status < 0 && calls > 0);
    assert_message(s, status, "the adjoint equations, backwards");
    assert_near(stats_of(s).fail_t, 2, 0.5);
    assert_nan(dy, COUNT(dy));
    assert_nan(dp, COUNT(dp));
    costate_free(s);
}

static int open_model(void **state)
{
    (void)state;
    return costate_model_open(&model, SOURCE_DIR "/tests/cli/models/parts.c", &(costate_model_options){.order = 2});
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
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(options_may_change_between_calls),
        cmocka_unit_test(products_do_not_see_the_scale),
        cmocka_unit_test(a_failure_in_a_thread_is_that_of_the_call),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
