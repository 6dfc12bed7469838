/* test_ros_stiff.c - Rosenbrock methods on what they are meant for: steps, rejections and errors on stiff problems, and
 * what a step costs. */
#include "known.h"

enum { METHODS = 5 };
static const char *const methods[METHODS] = {"ros2", "ros3", "ros4", "rodas3", "rodas4"};

/* ---- work and accuracy --------------------------------------------------------------------------------------------------- */

static costate_stats solve(const problem *q, const char *method, double rtol, double *y)
{
    double atols[STATES];
    costate_stats stats;
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.record = 0;
    for (int i = 0; i < q->prob.n; i++) atols[i] = (q->scale ? q->scale[i] : 1e-2) * rtol;
    o.atols = atols;
    costate_solver *s = solver(&q->prob, &o);
    start(q, y);
    GOOD(s, costate_solve(s, q->t0, q->t1, q->p, y));
    costate_get_stats(s, &stats);
    costate_free(s);
    return stats;
}

static double error(const problem *q, const double *y, const double *reference)
{
    double most = 0;
    for (int i = 0; i < q->prob.n; i++)
        most = larger(most, fabs(y[i] - reference[i]) / (fabs(reference[i]) + (q->scale ? q->scale[i] : 1e-2)));
    return most;
}

/* Errors are a few tolerances (12 for the sake of ros4: by the last bits of `safety` alone, its error on van_der_pol_3 at 1e-4 is
 * anything from 0.1 to 10.4), at most one attempt in three is rejected, and a hundredth of the tolerance costs no more than
 * the factor 100^(1/2), by which the steps shrink if order reduction leaves an estimate of order 1. van_der_pol_6 moves
 * within 1e-12 in its jumps, so that steps of third order come down to the spacing of the numbers around t for any tolerance
 * much smaller, and those of the reference already for 1e-8. */
static void work(const problem *q, int tolerances)
{
    static const double rtol[] = {1e-4, 1e-6};
    double reference[STATES], y[STATES];
    solve(q, "rodas4", tolerances == 2 ? 1e-10 : 1e-7, reference);
    for (int m = 0; m < METHODS; m++) {
        costate_stats stats[2];
        print_message("%-14s %-7s", q->name, methods[m]);
        for (int k = 0; k < tolerances; k++) {
            stats[k] = solve(q, methods[m], rtol[k], y);
            double e = error(q, y, reference) / rtol[k];
            print_message("   %6lld steps, %4lld rejected, error %4.2f rtol", (long long)stats[k].steps,
                          (long long)stats[k].rejected, e);
            assert_true(e < 12);
            assert_true(2 * stats[k].rejected <= stats[k].steps);
        }
        print_message("\n");
        if (tolerances == 2) assert_true((double)stats[1].steps < 1.1 * sqrt(100) * (double)stats[0].steps);
    }
}

static void test_work(void **unused)
{
    (void)unused;
    work(stiff_robertson(), 2);
    work(stiff_hires(), 2);
    work(stiff_van_der_pol_3(), 2);
    work(stiff_van_der_pol_4(), 2);
    work(stiff_van_der_pol_5(), 2);
    work(stiff_van_der_pol_6(), 1);
}

/* Sunrise throws the radicals of CBM-IV off their slow motion. An estimate that does not vanish on them must not shorten the
 * steps down to their lifetimes, a tiny fraction of a second. */
static void test_sunrise(void **unused)
{
    static const double rtol[] = {1e-3, 1e-4, 1e-5};
    const problem *q = stiff_cbm4();
    double reference[STATES], y[STATES];
    (void)unused;
    solve(q, "rodas4", 1e-8, reference);
    for (int m = 0; m < 3; m++) /* ros2, ros3, ros4 */
        for (int k = 0; k < 3; k++) {
            costate_stats stats = solve(q, methods[m], rtol[k], y);
            double e = error(q, y, reference) / rtol[k];
            print_message("%-7s rtol %.0e   %6lld steps, %4lld rejected, error %5.2f rtol\n", methods[m], rtol[k],
                          (long long)stats.steps, (long long)stats.rejected, e);
            assert_true(e < 50);
            assert_true(5 * stats.rejected <= stats.steps);
        }
}

/* ---- what a step costs --------------------------------------------------------------------------------------------------- */

/* Stages with rows of A of their own: the others share what is evaluated. */
static int points(const costate_table *t)
{
    int count = 0;
    for (int i = 0; i < t->stages; i++) {
        int first = 0;
        while (memcmp(t->a + i * t->stages, t->a + first * t->stages, (size_t)t->stages * sizeof(double))) first++;
        count += first == i;
    }
    return count;
}

/* One Jacobian and one f_t per step, however often it is rejected; one factorization per attempt. */
static void count_forward(const char *method, const problem *q)
{
    const costate_table *t = costate_method_find(method);
    double y[STATES];
    costate_stats n = solve(q, method, 1e-6, y);
    int64_t attempts = n.steps + n.rejected;
    assert_int_equal(n.jac, n.steps);
    assert_int_equal(n.factor, attempts);
    /* and an estimate may be filtered after the second rejection of a step */
    int filters = strncmp(method, "rodas", 5) != 0, watches = !strcmp(method, "ros3"); /* and so may ros3's witness */
    assert_true(n.solve >= attempts * t->stages && n.solve <= attempts * t->stages + filters * n.rejected + watches * n.steps);
    /* one more for the first step's size; a witness sees f at the end of the last one too, and of those it spoke against */
    assert_in_range(n.rhs - (n.steps + attempts * (points(t) - 1) + 1), 0, watches * (1 + n.rejected));
    assert_int_equal(n.jvp, q->prob.autonomous ? 0 : n.steps);
    assert_int_equal(n.vjp + n.jvp2 + n.vjp_dot, 0);
}

/* Blocks of lanes share Jacobian and factors. A sweep over recorded stages evaluates no f. Stages share calls of vjp_dot as
 * far as there are lanes. */
static void count_sweeps(const char *method, const problem *q, int w)
{
    enum { LANES_AT_ONCE = 8 };
    const costate_table *t = costate_method_find(method);
    int blocks = (w + LANES_AT_ONCE - 1) / LANES_AT_ONCE, last = w - (blocks - 1) * LANES_AT_ONCE;
    int each = t->stages * last > 2 && 2 * last < LANES_AT_ONCE ? LANES_AT_ONCE / last : 1;
    int shared = (t->stages + each - 1) / each;
    double y[STATES], ydot[STATES * LANES] = {0}, lambda[STATES * LANES] = {0}, mu[PARAMS * LANES];
    costate_stats a, b;
    costate_options o = costate_defaults(method);
    o.step = (q->t1 - q->t0) / 64;
    costate_solver *s = solver(&q->prob, &o);
    start(q, y);
    GOOD(s, costate_tangent(s, q->t0, q->t1, q->p, y, w, ydot, NULL));
    costate_get_stats(s, &a);
    assert_int_equal(a.steps, 64);
    assert_int_equal(a.jac, a.steps);
    assert_int_equal(a.factor, a.steps);
    assert_int_equal(a.solve, a.steps * t->stages * (1 + blocks));
    assert_int_equal(a.rhs, a.steps * points(t));
    assert_int_equal(a.jvp, a.steps * (points(t) * blocks + !q->prob.autonomous));
    assert_int_equal(a.jvp2, a.steps * t->stages * blocks);
    GOOD(s, costate_adjoint(s, w, lambda, mu));
    costate_get_stats(s, &b);
    assert_string_equal(b.tier, "stages");
    assert_int_equal(b.recomputed_steps, 0);
    assert_int_equal(b.rhs, a.rhs);
    assert_int_equal(b.jac, a.jac + a.steps - 1); /* the last step's is still there */
    assert_int_equal(b.factor, a.factor + a.steps - 1);
    assert_int_equal(b.solve, a.solve + a.steps * t->stages * blocks);
    assert_int_equal(b.vjp, a.steps * points(t) * blocks);
    assert_int_equal(b.vjp_dot, a.steps * ((blocks - 1) * t->stages + shared));
    costate_free(s);
}

static void test_counts(void **unused)
{
    static const int widths[] = {1, 2, 3, 4, 7, 8, 11};
    (void)unused;
    problem season = problem_logistic, jumps = *stiff_van_der_pol_3();
    season.prob.running = (costate_function){0};
    for (int m = 0; m < METHODS; m++) {
        count_forward(methods[m], &jumps); /* rejects steps */
        count_forward(methods[m], &season);
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
            count_sweeps(methods[m], &season, widths[k]);
            count_sweeps(methods[m], &problem_lotka_volterra, widths[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_sunrise),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
