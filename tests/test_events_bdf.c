/* test_events_bdf.c - bdf starts anew at events whose times are fixed: doses, two of them at once and one at t0, with running and
 * observed objectives, without and with algebraic states; against another method, by the certificate, and what is refused.
 *
 *     x' = -ke free + sin(t)/5,   0 = x - free - bound,  0 = bound (K + free) - B free;   x+ = x + dose + x sin(tau)/10, mode + 1
 *     without algebraic states   free^2 + (K + B - x) free - K x = 0 */
#include "jets.h"
#include "support.h"

enum { KE, B, K, DOSE, BIND_PARAMS };

static const double bind_p[] = {0.7, 2, 0.4, 1.5}, dae_y[] = {1, 0.5, 0.5}, dae_mass[] = {1, 0, 0};
static const double doses[] = {2.5, 0, 1, 2.5}, seen[] = {0.4, 1, 1.7, 2.6, 4}; /* one when a dose is due */

static jet bind_free(const jets *q, const jet *y, const jet *p)
{
    if (q->n > 1) return y[1];
    const jet b = sub(add(p[B], p[K]), y[0]), d = add(mul(b, b), scale(4, mul(p[K], y[0])));
    const double r = sqrt(d.c[0]), v = d.c[0];
    return scale(0.5, sub(of(d, r, 0.5 / r, -0.25 / (r * v), 0.375 / (r * v * v)), b));
}
static void bind_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)k;
    f[0] = add(scale(-1 - 0.1 * mode, mul(p[KE], bind_free(q, y, p))), scale(0.2, jsin(t)));
    if (q->n == 1) return;
    f[1] = sub(y[0], add(y[1], y[2]));
    f[2] = sub(mul(y[2], add(p[K], y[1])), mul(p[B], y[1]));
}
static void bind_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k;
    to[0] = add(y[0], add(p[DOSE], scale(0.1, mul(y[0], jsin(t)))));
}
static void bind_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)mode, (void)k, (void)t;
    const jet v = bind_free(q, y, p);
    g[0] = mul(v, v);
}
static void bind_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)mode, (void)k, (void)t;
    r[1] = mul(p[KE], bind_free(q, y, p));
}
static void bind_observe(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)mode, (void)t;
    g[0] = scale(1 + k, mul(y[0], bind_free(q, y, p)));
}
static void bind_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[1] = y[0];
}
static int bind_next(int k, int mode, double t, const double *y, const double *p)
{
    (void)k, (void)t, (void)y, (void)p;
    return mode + 1;
}

typedef struct numbers {
    double psi[2], dp[BIND_PARAMS * 2], dy0[2], h[BIND_PARAMS * BIND_PARAMS];
} numbers;

static void fine(costate_solver *s, int status)
{
    if (status) print_message("%s\n", costate_message(s));
    assert_int_equal(status, 0);
}

static costate_problem made(jets *q, int dae)
{
    *q = (jets){.n = dae ? 3 : 1, .np = BIND_PARAMS, .objectives = 2, .timed = COUNT(doses), .next = bind_next,
                .fn = {[OF_RHS] = bind_rhs, [OF_RESET] = bind_reset, [OF_ON_EVENT] = bind_on, [OF_RUNNING] = bind_running,
                       [OF_OBSERVE] = bind_observe, [OF_TERMINAL] = bind_terminal}};
    costate_problem problem = jets_problem(q);
    problem.event_at = doses;
    problem.observe_at = seen;
    problem.observations = COUNT(seen);
    if (dae) problem.mass = dae_mass;
    return problem;
}

static costate_solver *opened(jets *q, int dae, const char *method, double rtol, double step)
{
    const costate_problem problem = made(q, dae);
    costate_options options = costate_defaults(method);
    options.rtol = options.atol = rtol;
    options.step = step;
    costate_solver *s = NULL;
    fine(s, costate_create(&s, &problem, &options));
    return s;
}

static void compute(costate_solver *s, const jets *q, numbers *all)
{
    double y[3], dy[2 * 3];
    const int variable[BIND_PARAMS] = {q->n, q->n + 1, q->n + 2, q->n + 3};
    const double weights[2] = {1, 0.5};
    memcpy(y, dae_y, sizeof y);
    fine(s, costate_solve(s, 0, 5, bind_p, y));
    assert_int_equal(stats_of(s).events, COUNT(doses));
    fine(s, costate_objectives(s, all->psi));
    fine(s, costate_gradient(s, 2, NULL, dy, all->dp));
    memcpy(all->dy0, dy, sizeof all->dy0);
    fine(s, costate_hessian_full(s, weights, BIND_PARAMS, variable, all->h));
}

static double off(const double *a, const double *b, size_t count)
{
    double most = 0, by = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(b[i]));
    for (size_t i = 0; i < count; i++) by = fmax(by, fabs(a[i] - b[i]) / most);
    return by;
}

static void it_agrees_with_others(void **state)
{
    (void)state;
    for (int dae = 0; dae <= 1; dae++) {
        jets q, exact;
        numbers one, other;
        costate_solver *s = opened(&q, dae, "bdf", 1e-10, 0), *e = opened(&exact, 0, "dopri853", 1e-12, 0);
        compute(s, &q, &one);
        compute(e, &exact, &other);
        const double by[4] = {off(one.psi, other.psi, 2), off(one.dp, other.dp, 2 * BIND_PARAMS), off(one.dy0, other.dy0, 2),
                              off(one.h, other.h, BIND_PARAMS * BIND_PARAMS)};
        print_message("psi %.1e, gradient %.1e %.1e, Hessian %.1e\n", by[0], by[1], by[2], by[3]);
        assert_true(by[0] < 1e-8 && by[1] < 1e-7 && by[2] < 1e-7 && by[3] < 1e-7);
        costate_free(s);
        costate_free(e);
    }
}

static void the_certificate_holds(void **state)
{
    (void)state;
    for (int dae = 0; dae <= 1; dae++)
        for (int fixed = 0; fixed <= 1; fixed++) {
            jets q;
            costate_certificate c;
            costate_solver *s = opened(&q, dae, "bdf", 1e-6, fixed ? 0.05 : 0);
            double y[3];
            memcpy(y, dae_y, sizeof y);
            const int status = costate_check(s, 0, 5, bind_p, y, &c);
            print_message("identity %.1e, symmetry %.1e, slopes %.3f %.3f\n", c.identity, c.symmetry, c.slope_gradient,
                          c.slope_hessian);
            if (status) print_message("%s %s\n", costate_message(s), c.text);
            assert_int_equal(status, 0);
            assert_true(c.identity < 1e-12 && c.symmetry < 1e-12);
            assert_true(isnan(c.slope_gradient) || fabs(c.slope_gradient - 2) < 0.1);
            assert_true(isnan(c.slope_hessian) || fabs(c.slope_hessian - 3) < 0.1);
            costate_free(s);
        }
}

static void budgets_and_threads_change_no_bit(void **state)
{
    (void)state;
    for (int dae = 0; dae <= 1; dae++) {
        jets q;
        numbers one, other;
        memset(&one, 0, sizeof one);
        memset(&other, 0, sizeof other);
        costate_solver *s = opened(&q, dae, "bdf", 1e-6, 0);
        compute(s, &q, &one);
        fine(s, costate_set(s, "memory", "8K"));
        fine(s, costate_set(s, "threads", "3"));
        compute(s, &q, &other);
        assert_true(stats_of(s).recomputed_steps > 50);
        assert_memory_equal(&one, &other, sizeof one);
        costate_free(s);
    }
}

static void times_that_move_are_refused(void **state)
{
    (void)state;
    jets q;
    costate_problem problem = made(&q, 0);
    costate_options options = costate_defaults("bdf");
    costate_solver *s = NULL;
    double y[] = {1};
    q.guards = 1;
    q.fn[OF_EVENT] = bind_on;
    problem.events = 1;
    problem.event = jets_event_function;
    assert_int_equal(costate_create(&s, &problem, &options), 0);
    assert_int_equal(costate_solve(s, 0, 5, bind_p, y), COSTATE_ERR_EVENTS);
    assert_non_null(strstr(costate_message(s), "bdf takes events at fixed times"));
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_agrees_with_others), cmocka_unit_test(the_certificate_holds),
                                       cmocka_unit_test(budgets_and_threads_change_no_bit),
                                       cmocka_unit_test(times_that_move_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
