/* test_light.c - linear solvers that iterate, whose factors are light: the stage systems of tangents and adjoints have factors of
 * their own, as exact as the direct way's by complete factors, instead of iterations that solve with those of the step for every
 * digit each time. The same bits whatever is recorded, and by any thread. */
#include "problems.h"
#include "support.h"

typedef struct product {
    double dy[2 * 288], dp[2 * 8];
    costate_stats before, after;
} product;

/* The gradient of the first two final states, over a short time, in which steps are small. */
static void gradient(const problem *q, const char *method, const char *linsol, const char *how, int64_t memory, int threads,
                     product *g)
{
    const size_t n = (size_t)q->prob.n;
    costate_problem states = q->prob;
    costate_options o = costate_defaults(method);
    double *y = malloc(n * sizeof *y);
    assert_non_null(y);
    memcpy(y, q->y0, n * sizeof *y);
    o.rtol = o.atol = 1e-5, o.adjoint_solve = how, o.linsol = linsol, o.memory = memory, o.threads = threads, o.lanes = 1;
    states.objectives = 0;
    states.terminal = (costate_function){0};
    costate_solver *s = make_solver(&states, &o);
    *g = (product){.dy[0] = 1, .dy[3] = 1};
    assert_ok(s, costate_solve(s, q->t0, q->t0 + 0.3, q->p, y));
    g->before = stats_of(s);
    assert_ok(s, costate_adjoint(s, 2, g->dy, g->dp));
    g->after = stats_of(s);
    costate_free(s);
    free(y);
}

static void test_stages(void **state)
{
    static product own, step, klu, other;
    problem *q = brusselator_2d(12);
    (void)state;
    assert_non_null(q);
    const char *const methods[] = {"sdirk4b", "radau2a"};
    for (size_t k = 0; k < COUNT(methods); k++) {
        gradient(q, methods[k], "ilu", "auto", 1 << 30, 1, &own);
        gradient(q, methods[k], "ilu", "iterated", 1 << 30, 1, &step);
        gradient(q, methods[k], "klu", "direct", 1 << 30, 1, &klu);
        const double solved = (double)(own.after.solve - own.before.solve);
        const double other_way = (double)(step.after.solve - step.before.solve);
        print_message("%s, %lld steps: %g solutions, iterated %g\n", methods[k], (long long)own.after.steps, solved, other_way);
        assert_true(solved < 0.4 * other_way);
        assert_int_equal(own.after.fallbacks, 0);
        for (int i = 0; i < 2 * q->prob.n; i++) {
            assert_near(own.dy[i], step.dy[i], 1e-9);
            assert_near(own.dy[i], klu.dy[i], 1e-4); /* Newton's corrections are not the same */
        }
        gradient(q, methods[k], "ilu", "auto", 100000, 1, &other);
        assert_true(other.after.recomputed_steps > 0);
        assert_memory_equal(own.dy, other.dy, sizeof other.dy);
        gradient(q, methods[k], "ilu", "auto", 1 << 30, 2, &other);
        assert_memory_equal(own.dy, other.dy, sizeof other.dy);
        assert_memory_equal(own.dp, other.dp, sizeof other.dp);
    }
    problem_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
