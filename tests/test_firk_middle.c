/* test_firk_middle.c - transposed stage systems of steps along which the Jacobian changes much are iterated with the Jacobian of
 * the middle stage, and give the gradients of the direct way without its factors; and new factors have a new Jacobian. */
#include "dae.h"

static void test_food_web(void **unused)
{
    (void)unused;
    subject q = subject_open("food_web", NULL);
    const size_t n = (size_t)q.prob->n, np = (size_t)q.prob->np, nobj = (size_t)q.prob->objectives, count = nobj * (n + np);
    double *g = calloc(2 * count + n, sizeof *g), *y = g + 2 * count, most = 0, apart = 0;
    costate_stats stats[2];
    for (int direct = 0; direct < 2; direct++) {
        costate_options o = options_of("radau2a", 1e-4, 1e-4);
        o.adjoint_solve = direct ? "direct" : "iterated";
        costate_solver *s = make_solver(q.prob, &o);
        memcpy(y, q.about.y0, n * sizeof *y);
        assert_ok(s, costate_solve(s, q.about.t0, q.about.t1, q.about.p, y));
        assert_ok(s, costate_gradient(s, (int)nobj, NULL, g + (size_t)direct * count, g + (size_t)direct * count + nobj * n));
        costate_get_stats(s, &stats[direct]);
        costate_free(s);
    }
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(g[i]));
        apart = fmax(apart, fabs(g[i] - g[count + i]));
    }
    if (!(apart <= 1e-11 * most)) fail_msg("%g apart", apart / most);
    assert_true(stats[0].steps > 4);
    if (stats[0].fallbacks) fail_msg("%lld systems went direct", (long long)stats[0].fallbacks);
    free(g);
    costate_model_close(q.model);
}

/* Where factors are made anew, so is a Jacobian that costs little beside them: the way back takes few iterations. */
static void test_new_jacobians(void **unused)
{
    (void)unused;
    subject q = subject_open("food_web", NULL);
    const size_t n = (size_t)q.prob->n, np = (size_t)q.prob->np, nobj = (size_t)q.prob->objectives;
    double *g = calloc(nobj * (n + np) + n, sizeof *g), *y = g + nobj * (n + np);
    costate_options o = options_of("radau2a", 1e-6, 1e-6);
    costate_stats stats[2];
    costate_solver *s = make_solver(q.prob, &o);
    memcpy(y, q.about.y0, n * sizeof *y);
    assert_ok(s, costate_solve(s, q.about.t0, q.about.t1, q.about.p, y));
    costate_get_stats(s, &stats[0]);
    assert_ok(s, costate_gradient(s, (int)nobj, NULL, g, g + nobj * n));
    costate_get_stats(s, &stats[1]);
    const double a_step = (double)(stats[1].solve - stats[0].solve) / (double)stats[0].steps;
    print_message("%lld steps, %g solutions for each of them on the way back\n", (long long)stats[0].steps, a_step);
    assert_true(a_step < 25);
    costate_free(s);
    free(g);
    costate_model_close(q.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_food_web), cmocka_unit_test(test_new_jacobians)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
