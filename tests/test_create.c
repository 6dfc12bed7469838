/* test_create.c - solvers that cannot be made: problems and options that make no sense are refused, each with a status of
 * its own and a message that says what and what to try; what is left of the solver gives NaN and can be freed. */
#include "support.h"

#include "problems.h"

#include <limits.h>

enum { N = 2, NOBJ = 2 };

static const problem *const duffing = &problem_duffing;

/* Every later call says the same and gives NaN. */
static void not_made(const costate_problem *prob, costate_options opt, int code, const char *detail)
{
    heap h = {0};
    costate_solver *s = NULL;
    double y[N] = {1, 1}, ydot[N] = {1, 1}, dy0[N] = {1, 1}, psi[NOBJ] = {1, 1}, weights[NOBJ] = {1, 1};
    if (!opt.allocator.alloc && !opt.allocator.release) opt.allocator = heap_allocator(&h);
    int status = costate_create(&s, prob, &opt);
    assert_refused(s, status, code, detail);
    assert_int_equal(costate_solve(s, 0, 1, duffing->p, y), code);
    assert_int_equal(costate_tangent(s, 0, 1, duffing->p, y, 1, ydot, NULL), code);
    assert_int_equal(costate_gradient(s, 1, weights, dy0, NULL), code);
    assert_int_equal(costate_objectives(s, psi), code);
    assert_int_equal(costate_set(s, "rtol", "1e-6"), code);
    assert_message(s, code, detail);
    if (prob && prob->n == N) {
        assert_nan(y, N);
        assert_nan(ydot, N);
        assert_nan(dy0, N);
    }
    costate_free(s);
    assert_int_equal(h.live, 0);
}

static void test_problems(void **unused)
{
    (void)unused;
    costate_options opt = costate_defaults(NULL);
    costate_problem prob = duffing->prob;
    not_made(NULL, opt, COSTATE_ERR_NULL, "problem");
    prob.n = 0;
    not_made(&prob, opt, COSTATE_ERR_N, "n = 0");
    prob.n = -3;
    not_made(&prob, opt, COSTATE_ERR_N, "n = -3");
    prob = duffing->prob, prob.np = -1;
    not_made(&prob, opt, COSTATE_ERR_NP, "np = -1");
    prob = duffing->prob, prob.rhs = NULL;
    not_made(&prob, opt, COSTATE_ERR_RHS, "rhs");
    prob = duffing->prob, prob.objectives = -2;
    not_made(&prob, opt, COSTATE_ERR_OBJECTIVES, "objectives = -2");
    prob.objectives = 4, prob.terminal.eval = prob.running.eval = prob.observe.eval = NULL;
    not_made(&prob, opt, COSTATE_ERR_OBJECTIVES, "objectives = 4");
    prob = duffing->prob, prob.observations = -1;
    not_made(&prob, opt, COSTATE_ERR_OBJECTIVES, "observations = -1");
    prob = duffing->prob, prob.observations = 0;
    not_made(&prob, opt, COSTATE_ERR_OBJECTIVES, "observations = 0");
    prob = duffing->prob, prob.observe.eval = NULL;
    not_made(&prob, opt, COSTATE_ERR_OBJECTIVES, "observe.eval is NULL");
    prob = duffing->prob, prob.observe_at = NULL;
    not_made(&prob, opt, COSTATE_ERR_OBJECTIVES, "observe_at");
    assert_int_equal(costate_create(NULL, &duffing->prob, &opt), COSTATE_ERR_NULL);
}

/* More variables than an int counts: no call adds the two numbers, nor takes them for sizes of arrays. */
static void test_too_many(void **unused)
{
    (void)unused;
    const int sizes[][2] = {{1 << 30, 1 << 30}, {INT_MAX, 1}, {2, INT_MAX - 1}, {INT_MAX, INT_MAX}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        costate_problem prob = {.n = sizes[i][0], .np = sizes[i][1], .rhs = duffing->prob.rhs};
        costate_options opt = costate_defaults(NULL);
        costate_solver *s = NULL;
        double x[8], weights[8] = {1};
        costate_member member;
        costate_members m = {.count = 1, .t1 = 1, .p = x, .y = x, .psi = x, .w = 1, .weights = weights, .dy0 = x, .dp = x,
                             .member = &member};
        fill(x, COUNT(x), 1);
        const int status = costate_create(&s, &prob, &opt);
        assert_refused(s, status, COSTATE_ERR_NP, "n + np = ");
        assert_int_equal(costate_solve(s, 0, 1, x, x), COSTATE_ERR_NP);
        assert_int_equal(costate_tangent(s, 0, 1, x, x, 2, x, x), COSTATE_ERR_NP);
        assert_int_equal(costate_adjoint(s, 2, x, x), COSTATE_ERR_NP);
        assert_int_equal(costate_gradient(s, 1, weights, x, x), COSTATE_ERR_NP);
        assert_int_equal(costate_hessian(s, 2, NULL, x, x, x, x), COSTATE_ERR_NP);
        assert_int_equal(costate_hessian_full(s, NULL, 0, NULL, x), COSTATE_ERR_NP);
        assert_int_equal(costate_hessian_full(s, NULL, prob.n, NULL, x), COSTATE_ERR_NP);
        assert_int_equal(costate_sensitivities(s, 0, 1, x, x, 0, NULL, 1, weights, x), COSTATE_ERR_NP);
        assert_int_equal(costate_ensemble(s, &m), COSTATE_ERR_NP);
        assert_int_equal(member.status, COSTATE_ERR_NP);
        for (size_t k = 0; k < COUNT(x); k++) assert_true(x[k] == 1);
        costate_free(s);
    }
}

static void test_tolerances(void **unused)
{
    (void)unused;
    static const double bad[] = {-1e-3, NAN, HUGE_VAL, -HUGE_VAL};
    static const char *const names[] = {"position", "speed"};
    costate_problem prob = duffing->prob;
    prob.state_names = names;
    for (size_t i = 0; i < COUNT(bad); i++) {
        costate_options opt = costate_defaults(NULL);
        double atols[N] = {1e-6, bad[i]};
        opt.rtol = bad[i];
        not_made(&prob, opt, COSTATE_ERR_TOLERANCE, "rtol = ");
        opt = costate_defaults(NULL), opt.atol = bad[i];
        not_made(&prob, opt, COSTATE_ERR_TOLERANCE, "atol = ");
        opt = costate_defaults(NULL), opt.atols = atols;
        not_made(&prob, opt, COSTATE_ERR_TOLERANCE, "(speed)");
    }
    costate_options opt = costate_defaults(NULL);
    double none[N] = {0, 1};
    opt.rtol = 0.6;
    not_made(&prob, opt, COSTATE_ERR_TOLERANCE, "rtol = 0.6");
    opt.rtol = opt.atol = 0;
    not_made(&prob, opt, COSTATE_ERR_TOLERANCE, "both zero");
    opt.atols = none;
    not_made(&prob, opt, COSTATE_ERR_TOLERANCE, "atols[0] = 0 (position)");
}

static void test_options(void **unused)
{
    (void)unused;
    costate_options opt = costate_defaults("dopri54");
    for (int i = 0; i < costate_method_count(); i++) not_made(&duffing->prob, opt, COSTATE_ERR_METHOD, costate_method(i)->name);
    opt = costate_defaults(NULL), opt.method = NULL;
    not_made(&duffing->prob, opt, COSTATE_ERR_NULL, "method");
    opt = costate_defaults(NULL), opt.memory = -1;
    not_made(&duffing->prob, opt, COSTATE_ERR_BUDGET, "memory = -1");
    opt = costate_defaults(NULL), opt.disk = -4096;
    not_made(&duffing->prob, opt, COSTATE_ERR_BUDGET, "disk = -4096");
    opt = costate_defaults(NULL), opt.max_steps = 0;
    not_made(&duffing->prob, opt, COSTATE_ERR_VALUE, "max_steps = 0");
    opt = costate_defaults(NULL), opt.lanes = 65;
    not_made(&duffing->prob, opt, COSTATE_ERR_VALUE, "lanes = 65");
    opt = costate_defaults(NULL), opt.safety = NAN;
    not_made(&duffing->prob, opt, COSTATE_ERR_VALUE, "safety");
    opt = costate_defaults(NULL), opt.control = "best";
    not_made(&duffing->prob, opt, COSTATE_ERR_VALUE, "elementary|pi|gustafsson");
    opt = costate_defaults(NULL), opt.hmin = 2, opt.hmax = 1;
    not_made(&duffing->prob, opt, COSTATE_ERR_VALUE, "hmin = 2");
    opt = costate_defaults(NULL), opt.allocator.alloc = heap_alloc;
    not_made(&duffing->prob, opt, COSTATE_ERR_ALLOCATOR, "alloc");
    opt = costate_defaults(NULL), opt.allocator.release = heap_release;
    not_made(&duffing->prob, opt, COSTATE_ERR_ALLOCATOR, "release");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
