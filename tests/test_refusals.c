/* test_refusals.c - what cannot be done is refused: with a status of its own, a message that says what, where and what
 * to try, NaN in every output, nothing lost of the memory, and a solver that goes on working. */
#include "support.h"

#include "problems.h"

enum { N = 2, NP = 9, NOBJ = 2, W = 3 };

static const problem *const duffing = &problem_duffing;

static costate_options counted(heap *h)
{
    costate_options opt = costate_defaults(NULL);
    *h = (heap){0};
    opt.allocator = heap_allocator(h);
    return opt;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef struct outputs {
    double y[N], ydot[N * W], psi[NOBJ], lambda[N * W], mu[NP * W], hy0[N * W], hp[NP * W];
} outputs;

static const double direction[NP * W] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5, -6, -7, -8, -9, 2, 0, 2, 0, 2};

/* What the solver gives for good arguments. */
static void good_sweeps(costate_solver *s, outputs *o)
{
    fill(o->lambda, N * W, 0.5);
    assert_ok(s, costate_adjoint(s, W, o->lambda, o->mu));
    assert_ok(s, costate_hessian(s, W, NULL, NULL, direction, o->hy0, o->hp));
}

static void good_run(costate_solver *s, outputs *o)
{
    memset(o, 0, sizeof *o);
    assert_ok(s, costate_solve(s, duffing->t0, duffing->t1, duffing->p, o->y));
    assert_ok(s, costate_objectives(s, o->psi));
    good_sweeps(s, o);
    assert_string_equal(costate_message(s), "");
}

/* After a refused run nothing of an earlier one can be had; a good run is as good as ever. */
static void still_runs(costate_solver *s, const outputs *good)
{
    outputs o;
    fill(o.y, sizeof o / sizeof(double), 1);
    assert_refused(s, costate_objectives(s, o.psi), COSTATE_ERR_NO_RUN, "");
    assert_nan(o.psi, NOBJ);
    assert_refused(s, costate_objectives_dot(s, o.psi), COSTATE_ERR_NO_TANGENT, "");
    assert_refused(s, costate_adjoint(s, W, o.lambda, o.mu), COSTATE_ERR_NO_RECORD, "");
    assert_nan(o.lambda, N * W), assert_nan(o.mu, NP * W);
    fill(o.lambda, N * W, 1), fill(o.mu, NP * W, 1);
    assert_refused(s, costate_gradient(s, W, o.ydot, o.lambda, o.mu), COSTATE_ERR_NO_RECORD, "");
    assert_nan(o.lambda, N * W), assert_nan(o.mu, NP * W);
    assert_refused(s, costate_hessian(s, W, NULL, NULL, direction, o.hy0, o.hp), COSTATE_ERR_NO_RECORD, "");
    assert_nan(o.hy0, N * W), assert_nan(o.hp, NP * W);
    good_run(s, &o);
    assert_memory_equal(&o, good, sizeof o);
}

static void refused_run(costate_solver *s, const outputs *good, double t0, double t1, const double *p, const double *y0, int code,
                        const char *detail)
{
    double y[N] = {0, 0}, ydot[N * W];
    if (y0) memcpy(y, y0, sizeof y);
    assert_refused(s, costate_solve(s, t0, t1, p, y), code, detail);
    assert_nan(y, N);
    still_runs(s, good);
    memset(y, 0, sizeof y);
    fill(ydot, N * W, 1);
    if (y0) memcpy(y, y0, sizeof y);
    assert_refused(s, costate_tangent(s, t0, t1, p, y, W, ydot, direction), code, detail);
    assert_nan(y, N), assert_nan(ydot, N * W);
    still_runs(s, good);
}

static void test_intervals(void **unused)
{
    (void)unused;
    heap h;
    outputs good;
    costate_options opt = counted(&h);
    costate_solver *s = make_solver(&duffing->prob, &opt);
    good_run(s, &good);
    refused_run(s, &good, 0, 0, duffing->p, NULL, COSTATE_ERR_TIME, "t0 = 0, t1 = 0");
    refused_run(s, &good, NAN, 1, duffing->p, NULL, COSTATE_ERR_TIME, "t0 = nan");
    refused_run(s, &good, 0, NAN, duffing->p, NULL, COSTATE_ERR_TIME, "t1 = nan");
    refused_run(s, &good, -HUGE_VAL, 1, duffing->p, NULL, COSTATE_ERR_TIME, "t0 = -inf");
    refused_run(s, &good, 0, HUGE_VAL, duffing->p, NULL, COSTATE_ERR_TIME, "t1 = inf");
    refused_run(s, &good, 0.5, 8, duffing->p, NULL, COSTATE_ERR_TIMES, "observation time 0 is 0, before the run from 0.5");
    refused_run(s, &good, 0, 5, duffing->p, NULL, COSTATE_ERR_TIMES, "beyond the end of the run from 0 to 5");
    refused_run(s, &good, 8, 0, duffing->p, NULL, COSTATE_ERR_TIMES, "observation time");
    refused_run(s, &good, 0, 8, NULL, NULL, COSTATE_ERR_NULL, "p");
    double p[NP];
    memcpy(p, duffing->p, sizeof p);
    p[3] = NAN;
    refused_run(s, &good, 0, 8, p, NULL, COSTATE_ERR_INPUT, duffing->prob.param_names ? duffing->prob.param_names[3] : "p[3]");
    assert_refused(s, costate_solve(s, 0, 8, duffing->p, NULL), COSTATE_ERR_NULL, "y");
    still_runs(s, &good);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

static void test_initial_states(void **unused)
{
    (void)unused;
    static const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL};
    static const char *const names[] = {"position", "speed"};
    heap h;
    costate_options opt = counted(&h);
    costate_problem prob = duffing->prob;
    prob.init = (costate_function){0};
    prob.state_names = names;
    costate_solver *s = make_solver(&prob, &opt);
    for (size_t i = 0; i < COUNT(bad); i++)
        for (int k = 0; k < N; k++) {
            double y[N] = {1, 1};
            y[k] = bad[i];
            assert_refused(s, costate_solve(s, 0, 8, duffing->p, y), COSTATE_ERR_INPUT, names[k]);
            assert_nan(y, N);
            y[0] = y[1] = 1;
            assert_ok(s, costate_solve(s, 0, 8, duffing->p, y));
            assert_finite(y, N);
        }
    costate_free(s);
    assert_int_equal(h.live, 0);
}

static void test_times(void **unused)
{
    (void)unused;
    static const double bad[][3] = {{0, 2, 1}, {-0.1, 1, 2}, {1, 2, 8.1}, {1, NAN, 2}, {1, HUGE_VAL, 2}};
    heap h;
    outputs good;
    costate_options opt = counted(&h);
    costate_solver *s = make_solver(&duffing->prob, &opt);
    good_run(s, &good);
    for (size_t i = 0; i < COUNT(bad); i++) {
        double rows[3 * N];
        assert_ok(s, costate_output(s, 3, bad[i], rows, NULL));
        fill(rows, 3 * N, 1);
        double y[N] = {0};
        assert_refused(s, costate_solve(s, 0, 8, duffing->p, y), COSTATE_ERR_TIMES, "output time ");
        assert_nan(rows, 3 * N), assert_nan(y, N);
        assert_ok(s, costate_output(s, 0, NULL, NULL, NULL));
        still_runs(s, &good);
        costate_problem prob = duffing->prob; /* the same times as observations */
        prob.observations = 3;
        prob.observe_at = bad[i];
        costate_solver *other = make_solver(&prob, &opt);
        y[0] = y[1] = 0;
        assert_refused(other, costate_solve(other, 0, 8, duffing->p, y), COSTATE_ERR_TIMES, "observation time ");
        assert_int_equal(!strstr(costate_advice(other), "sort"), i != 0 && i != 4);
        assert_nan(y, N);
        costate_free(other);
    }
    double row[N];
    assert_refused(s, costate_output(s, -1, bad[0], row, NULL), COSTATE_ERR_TIMES, "count = -1");
    assert_refused(s, costate_output(s, 1, NULL, row, NULL), COSTATE_ERR_NULL, "times");
    assert_refused(s, costate_output(s, 1, bad[0], NULL, NULL), COSTATE_ERR_NULL, "y");
    costate_free(s);
    assert_int_equal(h.live, 0);
}

/* ---- directions, seeds and weights ------------------------------------------------------------------------------- */

static void test_widths(void **unused)
{
    (void)unused;
    heap h;
    outputs good, o;
    costate_options opt = counted(&h);
    costate_solver *s = make_solver(&duffing->prob, &opt);
    good_run(s, &good);
    for (int w = 0; w >= -2; w -= 2) {
        const char *detail = w ? "w = -2" : "w = 0";
        o = good;
        assert_refused(s, costate_adjoint(s, w, o.lambda, o.mu), COSTATE_ERR_WIDTH, detail);
        assert_refused(s, costate_gradient(s, w, NULL, o.lambda, o.mu), COSTATE_ERR_WIDTH, detail);
        assert_refused(s, costate_hessian(s, w, NULL, NULL, direction, o.hy0, o.hp), COSTATE_ERR_WIDTH, detail);
        good_sweeps(s, &o); /* the recorded run is still there */
        assert_memory_equal(&o, &good, sizeof o);
        assert_refused(s, costate_tangent(s, 0, 8, duffing->p, o.y, w, o.ydot, direction), COSTATE_ERR_WIDTH, detail);
        assert_nan(o.y, N);
        still_runs(s, &good);
    }
    for (int w = 1; w <= W; w += W - 1) { /* two objectives, no weights */
        fill(o.lambda, N * W, 1), fill(o.mu, NP * W, 1);
        assert_refused(s, costate_gradient(s, w, NULL, o.lambda, o.mu), COSTATE_ERR_WIDTH, "2 objectives");
        for (int i = 0; i < N * W; i++) assert_true(o.lambda[i] == 1); /* there is no telling how large they are */
        for (int i = 0; i < NP * W; i++) assert_true(o.mu[i] == 1);
    }
    o = good;
    good_sweeps(s, &o);
    assert_memory_equal(&o, &good, sizeof o);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

static void test_inputs(void **unused)
{
    (void)unused;
    static const double bad[] = {NAN, HUGE_VAL};
    heap h;
    outputs good, o;
    costate_options opt = counted(&h);
    costate_solver *s = make_solver(&duffing->prob, &opt);
    good_run(s, &good);
    for (size_t i = 0; i < COUNT(bad); i++) {
        double spoilt[NP * W] = {0};
        spoilt[N * W - 1] = bad[i]; /* the last entry of ydot, lambda and weights */
        o = good;
        memcpy(o.lambda, spoilt, sizeof o.lambda);
        assert_refused(s, costate_adjoint(s, W, o.lambda, o.mu), COSTATE_ERR_INPUT, "lambda");
        assert_nan(o.lambda, N * W), assert_nan(o.mu, NP * W);
        fill(o.lambda, N * W, 1), fill(o.mu, NP * W, 1);
        assert_refused(s, costate_gradient(s, W, spoilt, o.lambda, o.mu), COSTATE_ERR_INPUT, "weight");
        assert_nan(o.lambda, N * W), assert_nan(o.mu, NP * W);
        for (int which = 0; which < 3; which++) {
            o = good;
            int status = costate_hessian(s, W, which == 0 ? spoilt : NULL, which == 1 ? spoilt : NULL, which == 2 ? spoilt : NULL,
                                         o.hy0, o.hp);
            assert_refused(s, status, COSTATE_ERR_INPUT, which ? "direction" : "weight");
            assert_nan(o.hy0, N * W), assert_nan(o.hp, NP * W);
        }
        o = good;
        good_sweeps(s, &o);
        assert_memory_equal(&o, &good, sizeof o);
        for (int which = 0; which < 2; which++) {
            fill(o.ydot, N * W, 0);
            if (!which) o.ydot[1] = bad[i];
            int status = costate_tangent(s, 0, 8, duffing->p, o.y, W, o.ydot, which ? spoilt : NULL);
            assert_refused(s, status, COSTATE_ERR_INPUT, "direction");
            assert_nan(o.y, N), assert_nan(o.ydot, N * W);
            still_runs(s, &good);
        }
    }
    costate_free(s);
    assert_int_equal(h.live, 0);
}

/* ---- missing arguments ------------------------------------------------------------------------------------------- */

static void test_null_solver(void **unused)
{
    (void)unused;
    double x[NP] = {0};
    costate_certificate c;
    costate_stats st;
    assert_int_equal(costate_set(NULL, "rtol", "1"), COSTATE_ERR_NULL);
    assert_int_equal(costate_output(NULL, 0, NULL, NULL, NULL), COSTATE_ERR_NULL);
    assert_int_equal(costate_solve(NULL, 0, 1, x, x), COSTATE_ERR_NULL);
    assert_int_equal(costate_tangent(NULL, 0, 1, x, x, 1, x, x), COSTATE_ERR_NULL);
    assert_int_equal(costate_objectives(NULL, x), COSTATE_ERR_NULL);
    assert_int_equal(costate_objectives_dot(NULL, x), COSTATE_ERR_NULL);
    assert_int_equal(costate_adjoint(NULL, 1, x, x), COSTATE_ERR_NULL);
    assert_int_equal(costate_gradient(NULL, 1, x, x, x), COSTATE_ERR_NULL);
    assert_int_equal(costate_hessian(NULL, 1, x, x, x, x, x), COSTATE_ERR_NULL);
    assert_int_equal(costate_check(NULL, 0, 1, x, x, &c), COSTATE_ERR_NULL);
    assert_int_equal(costate_get_stats(NULL, &st), COSTATE_ERR_NULL);
    assert_non_null(strstr(costate_message(NULL), "out of memory"));
    assert_non_null(costate_status_text(-12345));
    costate_free(NULL);
}

/* An output that is there is filled with NaN although its neighbour is missing. */
static void test_null_outputs(void **unused)
{
    (void)unused;
    heap h;
    outputs good, o;
    costate_options opt = counted(&h);
    costate_solver *s = make_solver(&duffing->prob, &opt);
    good_run(s, &good);
    o = good;
    assert_refused(s, costate_adjoint(s, W, NULL, o.mu), COSTATE_ERR_NULL, "lambda");
    assert_nan(o.mu, NP * W);
    fill(o.mu, NP * W, 1);
    assert_refused(s, costate_gradient(s, 2, NULL, NULL, NULL), COSTATE_ERR_NULL, "dy0 and dp");
    assert_refused(s, costate_hessian(s, W, NULL, NULL, NULL, NULL, NULL), COSTATE_ERR_NULL, "hy0 and hp");
    assert_refused(s, costate_objectives(s, NULL), COSTATE_ERR_NULL, "psi");
    assert_refused(s, costate_objectives_dot(s, NULL), COSTATE_ERR_NULL, "psidot");
    assert_refused(s, costate_objectives_dot(s, o.psi), COSTATE_ERR_NO_TANGENT, "costate_objectives_dot");
    assert_int_equal(costate_get_stats(s, NULL), COSTATE_ERR_NULL);
    o = good;
    good_sweeps(s, &o);
    assert_memory_equal(&o, &good, sizeof o);
    assert_refused(s, costate_tangent(s, 0, 8, duffing->p, o.y, W, NULL, direction), COSTATE_ERR_NULL, "ydot");
    assert_nan(o.y, N);
    still_runs(s, &good);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

/* ---- the order of calls ------------------------------------------------------------------------------------------ */

static void test_order_of_calls(void **unused)
{
    (void)unused;
    heap h;
    outputs good;
    costate_options opt = counted(&h);
    costate_solver *s = make_solver(&duffing->prob, &opt);
    good_run(s, &good);
    costate_free(s);
    s = make_solver(&duffing->prob, &opt);
    still_runs(s, &good); /* before any run */
    assert_ok(s, costate_set(s, "record", "0"));
    outputs o = good;
    assert_ok(s, costate_solve(s, 0, 8, duffing->p, o.y));
    assert_ok(s, costate_objectives(s, o.psi));
    assert_string_equal(stats_of(s).tier, "none");
    assert_refused(s, costate_adjoint(s, W, o.lambda, o.mu), COSTATE_ERR_NO_RECORD, "record is 0");
    assert_nan(o.lambda, N * W), assert_nan(o.mu, NP * W);
    assert_refused(s, costate_gradient(s, NOBJ, NULL, o.ydot, NULL), COSTATE_ERR_NO_RECORD, "record is 0");
    assert_nan(o.ydot, N * NOBJ);
    assert_refused(s, costate_hessian(s, W, NULL, NULL, NULL, o.hy0, o.hp), COSTATE_ERR_NO_RECORD, "record is 0");
    assert_nan(o.hy0, N * W), assert_nan(o.hp, NP * W);
    assert_bits(o.y, good.y, N), assert_bits(o.psi, good.psi, NOBJ);
    assert_ok(s, costate_set(s, "record", "1"));
    still_runs(s, &good);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

static void nothing_certified(const costate_certificate *c)
{
    double figures[] = {c->identity, c->symmetry, c->slope_gradient, c->slope_hessian, c->worst};
    assert_nan(figures, COUNT(figures));
    assert_int_equal(c->holds, 0);
}

static void test_check(void **unused)
{
    (void)unused;
    heap h;
    outputs good;
    costate_options opt = counted(&h);
    costate_certificate c;
    costate_solver *s = make_solver(&duffing->prob, &opt);
    good_run(s, &good);
    assert_refused(s, costate_check(s, 0, 8, duffing->p, NULL, NULL), COSTATE_ERR_NULL, "certificate");
    assert_refused(s, costate_check(s, 0, 8, NULL, NULL, &c), COSTATE_ERR_NULL, "p");
    nothing_certified(&c);
    assert_refused(s, costate_check(s, 1, 1, duffing->p, NULL, &c), COSTATE_ERR_TIME, "t0 = 1");
    nothing_certified(&c);
    still_runs(s, &good);
    assert_ok(s, costate_check(s, 0, 8, duffing->p, NULL, &c));
    assert_ok(s, costate_set(s, "record", "0"));
    assert_refused(s, costate_check(s, 0, 8, duffing->p, NULL, &c), COSTATE_ERR_NO_RECORD, "record is 0");
    nothing_certified(&c);
    costate_free(s);
    costate_problem prob = duffing->prob;
    prob.init = (costate_function){0};
    s = make_solver(&prob, &opt);
    assert_refused(s, costate_check(s, 0, 8, duffing->p, NULL, &c), COSTATE_ERR_NULL, "y");
    nothing_certified(&c);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals),      cmocka_unit_test(test_initial_states), cmocka_unit_test(test_times),
        cmocka_unit_test(test_widths),         cmocka_unit_test(test_inputs),         cmocka_unit_test(test_null_solver),
        cmocka_unit_test(test_null_outputs),   cmocka_unit_test(test_order_of_calls), cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
