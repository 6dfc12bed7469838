/* test_results.c - what a run leaves behind: counts of calls, objectives, and nothing that a later run could notice. */
#include "methods.h"
#include "support.h"
#include "third.h"

#include "problems.h"

/* ---- what is counted --------------------------------------------------------------------------------------------- */

static int counted_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    ++*(int64_t *)data;
    return problem_lotka_volterra.prob.rhs(t, y, p, f, NULL);
}

/* The number of calls that a run takes is what its method says; it is the number counted, and the number made. */
static void test_counts(void **unused)
{
    (void)unused;
    const problem *lv = &problem_lotka_volterra;
    int64_t calls;
    costate_problem prob = lv->prob;
    prob.rhs = counted_rhs;
    prob.data = &calls;
    for (int i = 0; i < 4; i++) {
        int fsal = i < 2, given = i % 2;
        costate_options opt = costate_defaults(fsal ? "dopri5" : "cashkarp");
        opt.h0 = given ? 5 : 0; /* far too long; else an automatic first step, for which f is evaluated at t0 and at a probe */
        costate_solver *s = make_solver(&prob, &opt);
        double y[2] = {lv->y0[0], lv->y0[1]};
        calls = 0;
        assert_ok(s, costate_solve(s, lv->t0, lv->t1, lv->p, y));
        costate_stats st = stats_of(s);
        assert_int_equal(st.rhs, calls);
        if (given) assert_true(st.rejected > 0);
        if (fsal) assert_int_equal(calls, 6 * (st.steps + st.rejected) + (given ? 1 : 2)); /* one f serves two steps */
        else assert_int_equal(calls, 6 * st.steps + 5 * st.rejected + (given ? 0 : 1));    /* one f serves two attempts */
        assert_string_equal(st.method, opt.method);
        costate_free(s);
    }
}

/* Products: six live stages in every step and block; eleven lanes are two blocks of at most eight. */
static void test_counts_of_products(void **unused)
{
    (void)unused;
    const problem *lv = &problem_lotka_volterra;
    costate_solver *s = make_solver(&lv->prob, NULL);
    double y[2] = {lv->y0[0], lv->y0[1]}, ydot[22], weights[11], dy0[22], dp[44];
    fill(ydot, 22, 1), fill(weights, 11, 1);
    assert_ok(s, costate_tangent(s, lv->t0, lv->t1, lv->p, y, 11, ydot, NULL));
    int64_t steps = stats_of(s).steps, rhs = stats_of(s).rhs;
    assert_int_equal(stats_of(s).jvp, 12 * steps);
    assert_ok(s, costate_gradient(s, 11, weights, dy0, dp));
    assert_int_equal(stats_of(s).vjp, 12 * steps);
    assert_int_equal(stats_of(s).rhs, rhs);
    assert_ok(s, costate_hessian(s, 11, weights, ydot, NULL, dy0, dp));
    assert_int_equal(stats_of(s).vjp_dot, 12 * steps);
    assert_int_equal(stats_of(s).jvp, 24 * steps);
    assert_int_equal(stats_of(s).rhs, rhs); /* the stages are read */
    y[0] = lv->y0[0], y[1] = lv->y0[1];
    assert_ok(s, costate_solve(s, lv->t0, lv->t1, lv->p, y));
    costate_stats st = stats_of(s);
    assert_true(st.vjp == 0 && st.jvp == 0 && st.vjp_dot == 0 && st.steps == steps);
    assert_true(isnan(st.fail_t) && isnan(st.fail_h) && st.fail_step == -1 && st.fail_stage == -1 && st.fail_component == -1);
    costate_free(s);
}

/* A Hessian product reads the stages of the state, whatever the method: it evaluates no right-hand side. */
static void test_stages_are_read(void **unused)
{
    (void)unused;
    problem q = third_problem(THIRD_LOGISTIC);
    for (int m = 0; costate_method(m); m++) {
        costate_options opt = costate_defaults(costate_method(m)->name);
        costate_solver *s = make_solver(&q.prob, &opt);
        double y[THIRD_MOST], hy0[THIRD_MOST], hp[THIRD_MOST];
        if (q.y0) memcpy(y, q.y0, (size_t)q.prob.n * sizeof *y);
        assert_ok(s, costate_solve(s, q.t0, q.t1, q.p, y));
        int64_t rhs = stats_of(s).rhs;
        assert_ok(s, costate_hessian(s, 1, NULL, NULL, q.p, hy0, hp));
        assert_int_equal(stats_of(s).rhs, rhs);
        costate_free(s);
    }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void test_objectives(void **unused)
{
    (void)unused;
    const problem *lv = &problem_lotka_volterra;
    costate_problem without = lv->prob;
    without.objectives = 0;
    without.terminal = (costate_function){0};
    for (int i = 0; i < 2; i++) {
        costate_solver *s = make_solver(i ? &without : &lv->prob, NULL);
        double y[2] = {lv->y0[0], lv->y0[1]}, psi[2] = {0};
        assert_ok(s, costate_solve(s, lv->t0, lv->t1, lv->p, y));
        assert_ok(s, costate_objectives(s, psi));
        assert_bits(psi, y, i ? 2 : 1);
        assert_string_equal(costate_message(s), "");
        costate_free(s);
    }
}

typedef struct results {
    double y[2], psi[2], ydot[22], psidot[22], lambda[22], mu[99], dy0[4], dp[18], hy0[22], hp[99];
} results;

/* Everything there is, at parameters that depend on `which`. */
static void everything(costate_solver *s, int which, results *r)
{
    double p[9], pdot[99], t1 = which ? 6.4 : 8;
    memset(r, 0, sizeof *r);
    for (int i = 0; i < 9; i++) p[i] = problem_duffing.p[i] * (1 + 0.05 * which);
    for (int i = 0; i < 99; i++) pdot[i] = sin(i + 1.0);
    fill(r->ydot, 22, 0.5), fill(r->lambda, 22, 0.25);
    assert_ok(s, costate_tangent(s, 0, t1, p, r->y, 11, r->ydot, pdot));
    assert_ok(s, costate_objectives_dot(s, r->psidot));
    assert_ok(s, costate_solve(s, 0, t1, p, r->y));
    assert_ok(s, costate_objectives(s, r->psi));
    assert_ok(s, costate_adjoint(s, 11, r->lambda, r->mu));
    assert_ok(s, costate_gradient(s, 2, NULL, r->dy0, r->dp));
    assert_ok(s, costate_hessian(s, 11, NULL, NULL, pdot, r->hy0, r->hp));
}

/* A solver that has seen other runs gives the bits of one that has not. */
static void test_reuse(void **unused)
{
    (void)unused;
    costate_problem prob = problem_duffing.prob;
    prob.observations = 9; /* those up to 6.4 */
    for (int m = 0; m < explicit_methods(); m++) {
        costate_options opt = costate_defaults(costate_method(m)->name);
        results fresh[2], again;
        for (int which = 0; which < 2; which++) {
            costate_solver *s = make_solver(&prob, &opt);
            everything(s, which, &fresh[which]);
            costate_free(s);
        }
        costate_solver *s = make_solver(&prob, &opt);
        for (int i = 0; i < 4; i++) {
            everything(s, i % 2, &again);
            assert_memory_equal(&fresh[i % 2], &again, sizeof again);
        }
        costate_free(s);
    }
}

/* The product may be put where the direction was. */
static void test_in_place(void **unused)
{
    (void)unused;
    const problem *lv = &problem_lotka_volterra;
    for (int w = 1; w <= 8; w += 3) {
        costate_solver *s = make_solver(&lv->prob, NULL);
        double y[2] = {lv->y0[0], lv->y0[1]}, pdot[32], hy0[16], hp[32];
        fill(pdot, 4 * (size_t)w, 1);
        assert_ok(s, costate_solve(s, lv->t0, lv->t1, lv->p, y));
        assert_ok(s, costate_hessian(s, w, NULL, NULL, pdot, hy0, hp));
        assert_ok(s, costate_hessian(s, w, NULL, NULL, pdot, hy0, pdot));
        assert_memory_equal(pdot, hp, (size_t)(4 * w) * sizeof *hp);
        costate_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_of_products),
        cmocka_unit_test(test_stages_are_read),
        cmocka_unit_test(test_objectives),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
