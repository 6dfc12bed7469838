/* test_auto.c - method "auto": gradients of stiff problems without an option, what is not stiff stays explicit, the choice
 * depends on the input alone, others are tried where one fails, and a named explicit method whose derivatives are worthless
 * says so. */
#include "support.h"

#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 }; /* states and parameters */

typedef struct result {
    double y[MOST], g[2 * MOST];
    costate_stats stats;
    char method[32], warning[256];
} result;

static costate_options options_of(const problem *q, const char *method, double rtol, double *atols)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    for (int i = 0; i < q->prob.n; i++) atols[i] = rtol * (q->scale ? q->scale[i] : 1e-3);
    o.atols = atols;
    return o;
}

/* The gradient of a weighted sum of the objectives by (y0, p), over [t0, t1]. */
static int gradient(costate_solver *s, const problem *q, double t1, result *r)
{
    double weights[MOST];
    const int n = q->prob.n;
    for (int i = 0; i < MOST; i++) weights[i] = 1 + 0.5 * sin(1.7 * i);
    if (q->y0) memcpy(r->y, q->y0, (size_t)n * sizeof *r->y);
    int status = costate_solve(s, q->t0, t1, q->p, r->y);
    if (!status) status = costate_gradient(s, 1, weights, r->g, r->g + n);
    costate_get_stats(s, &r->stats);
    snprintf(r->method, sizeof r->method, "%s", r->stats.method);
    snprintf(r->warning, sizeof r->warning, "%s", r->stats.warning);
    return status;
}

static result gradient_by(const problem *q, const char *method, double rtol, double t1)
{
    double atols[MOST];
    result r = {.y = {0}};
    costate_options o = options_of(q, method, rtol, atols);
    costate_solver *s = make_solver(&q->prob, &o);
    assert_ok(s, gradient(s, q, t1, &r));
    costate_free(s);
    return r;
}

/* |D (g - truth)| / |D truth| */
static double error(const problem *q, const result *a, const result *truth)
{
    double defect = 0, size = 0;
    for (int i = q->y0 ? 0 : q->prob.n; i < q->prob.n + q->prob.np; i++) {
        const double x = i < q->prob.n ? q->y0[i] : q->p[i - q->prob.n], d = x == 0 ? 1 : fabs(x);
        defect = hypot(defect, d * (a->g[i] - truth->g[i]));
        size = hypot(size, d * truth->g[i]);
    }
    return defect / size;
}

static void test_stiff(void **unused)
{
    (void)unused;
    const problem *const all[] = {stiff_robertson(), stiff_hires(), stiff_pollu()};
    static const double rtol[] = {1e-3, 1e-6};
    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t k = 0; k < COUNT(rtol); k++) {
            const double t1 = all[i] == stiff_robertson() ? 40 : all[i]->t1;
            const result truth = gradient_by(all[i], "radau2a", 1e-3 * rtol[k], t1), a = gradient_by(all[i], NULL, rtol[k], t1);
            assert_string_not_equal(a.method, "dopri5");
            assert_string_equal(a.warning, "");
            assert_true(error(all[i], &a, &truth) < 30 * rtol[k]);
        }
}

/* Same bits as those of dopri5, where no step was at its limit. */
static void test_not_stiff(void **unused)
{
    (void)unused;
    const problem *const all[] = {&problem_lotka_volterra, &problem_duffing, &problem_kepler, &problem_logistic,
                                  &problem_van_der_pol_control_2};
    static const double rtol[] = {1e-3, 1e-6, 1e-9};
    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t k = 0; k < COUNT(rtol); k++) {
            const result a = gradient_by(all[i], NULL, rtol[k], all[i]->t1);
            const result b = gradient_by(all[i], "dopri5", rtol[k], all[i]->t1);
            assert_string_equal(a.method, "dopri5");
            assert_string_equal(b.warning, "");
            if (k) assert_bits(a.g, b.g, (size_t)(all[i]->prob.n + all[i]->prob.np));
        }
}

/* ---- modes that the solution does not show -------------------------------------------------------------------------------- */

enum { ABSENT, BALANCED, SPIRAL, HIDDEN };

/* y' = M_kind y, whose last state goes as e^-t; what is fast is exactly at rest. */
static const double hidden[HIDDEN][9] = {
    [ABSENT] = {-1e4, 0, 0, 5, -1, 0, 0, 0, -1},                 /* y_0 = 0 */
    [BALANCED] = {-2e3, 1e3, 0, 2e3, -1e3, 0, 0, 0, -1},         /* A <-> B in equilibrium */
    [SPIRAL] = {-100, 1000, 99, -1000, -100, 1000, 0, 0, -1}};   /* y_0 = y_2: -100 +- 1000 i */
static const double at_rest[HIDDEN][3] = {{0, 1, 1}, {1, 2, 1}, {1, 0, 1}};

static int hidden_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const double *m = data;
    (void)t, (void)p;
    for (int i = 0; i < 3; i++) f[i] = m[3 * i] * y[0] + m[3 * i + 1] * y[1] + m[3 * i + 2] * y[2];
    return 0;
}

static int hidden_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const double *m = data;
    (void)t, (void)y, (void)p, (void)pb;
    for (int i = 0; yb && i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < w; l++) yb[j * w + l] += m[3 * i + j] * u[i * w + l];
    return 0;
}

/* d (sum of y(2)) / d y0, and the warning. */
static void of_sum(int kind, const char *method, double rtol, double *g, char *warning)
{
    const double w[3] = {1, 1, 1};
    double y[3], m[9];
    memcpy(m, hidden[kind], sizeof m);
    memcpy(y, at_rest[kind], sizeof y);
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    const costate_problem q = {.n = 3, .rhs = hidden_rhs, .vjp = hidden_vjp, .data = m, .autonomous = 1};
    costate_solver *s = make_solver(&q, &o);
    assert_ok(s, costate_solve(s, 0, 2, NULL, y));
    assert_ok(s, costate_gradient(s, 1, w, g, NULL));
    snprintf(warning, 256, "%s", stats_of(s).warning);
    costate_free(s);
}

/* They are in derivatives all the same, and auto sees them. */
static void test_hidden(void **unused)
{
    (void)unused;
    static const double rtol[] = {1e-2, 1e-4, 1e-6};
    for (int kind = 0; kind < HIDDEN; kind++)
        for (size_t k = 0; k < COUNT(rtol); k++) {
            double truth[3], g[3];
            char warning[256];
            of_sum(kind, "radau2a", 1e-10, truth, warning);
            of_sum(kind, NULL, rtol[k], g, warning);
            assert_string_equal(warning, "");
            for (int i = 0; i < 3; i++) assert_near(g[i], truth[i], 30 * rtol[k]);
            of_sum(kind, "dopri5", rtol[k], g, warning); /* which has them grow, and says so */
            const int grown = fabs(g[0]) > 1e6; /* unless round-off has brought them into the solution */
            assert_true(grown || kind != ABSENT);
            if (grown) assert_non_null(strstr(warning, "derivatives are not to be trusted"));
        }
}

/* A slow manifold, z near y/(1 + y), y' = -y. At tight tolerances the steps of dopri5 are half of what its stability allows. */
static int slaved(double t, const double *y, const double *p, double *f, void *data)
{
    const double gamma = 1e3, x = y[0], x1 = 1 + x;
    (void)t, (void)p, (void)data;
    f[0] = -x;
    f[1] = -gamma * y[1] + ((gamma - 1) * x + gamma * x * x) / (x1 * x1);
    return 0;
}

static void test_damped(void **unused)
{
    (void)unused;
    static const double rtol[] = {1e-5, 1e-6, 1e-8};
    const costate_problem q = {.n = 2, .rhs = slaved};
    for (size_t k = 0; k < COUNT(rtol); k++) {
        costate_options o = costate_defaults(NULL);
        o.rtol = rtol[k];
        o.atol = 1e-3 * rtol[k];
        costate_solver *s = make_solver(&q, &o);
        double y[2] = {3, 0.75};
        assert_ok(s, costate_solve(s, 0, 5, NULL, y));
        assert_string_not_equal(stats_of(s).method, "dopri5");
        assert_true(stats_of(s).steps < 500);
        costate_free(s);
    }
}

/* Diffusion that is soon at rest: at 1e-3 dopri5 has derivatives by the initial state fifty times too large. */
static void test_at_rest(void **unused)
{
    (void)unused;
    const problem *q = &problem_brusselator;
    static const double rtol[] = {1e-2, 1e-3, 1e-6, 1e-9};
    const result truth = gradient_by(q, "radau2a", 1e-11, q->t1);
    for (size_t k = 0; k < COUNT(rtol); k++) {
        const result a = gradient_by(q, NULL, rtol[k], q->t1);
        assert_true(error(q, &a, &truth) < 30 * rtol[k]);
    }
}

/* Neither budgets nor what the solver did before play a role. */
static void test_same_bits(void **unused)
{
    (void)unused;
    const problem *q = stiff_robertson();
    const result first = gradient_by(q, NULL, 1e-6, 40);
    static const char *const memory[] = {"4K", "16K", "1M"};
    double atols[MOST];
    costate_options o = options_of(q, NULL, 1e-6, atols);
    costate_solver *s = make_solver(&q->prob, &o);
    for (size_t i = 0; i < COUNT(memory); i++) {
        result a = {.y = {0}};
        assert_ok(s, costate_set(s, "memory", memory[i]));
        assert_ok(s, gradient(s, q, 1e-3, &a)); /* too short to be stiff */
        assert_string_equal(a.method, "dopri5");
        assert_ok(s, gradient(s, q, 40, &a));
        assert_string_equal(a.method, first.method);
        assert_bits(a.g, first.g, 6);
        assert_ok(s, gradient(s, q, 40, &a));
        assert_bits(a.g, first.g, 6);
    }
    costate_free(s);
}

enum { MEMBERS = 7 };

/* Stiff members and others, dealt out to threads. */
static void test_ensemble(void **unused)
{
    (void)unused;
    const problem *q = stiff_robertson();
    static const char *const threads[] = {"1", "2", "3"};
    double atols[MOST], p[MEMBERS][3], w[3] = {1, 2, 3}, first[MEMBERS][3];
    costate_options o = options_of(q, NULL, 1e-6, atols);
    costate_solver *s = make_solver(&q->prob, &o);
    for (size_t t = 0; t < COUNT(threads); t++) {
        double y[MEMBERS][3], dy0[MEMBERS][3], dp[MEMBERS][3];
        costate_member member[MEMBERS];
        for (int k = 0; k < MEMBERS; k++) {
            memcpy(p[k], q->p, sizeof p[k]);
            p[k][2] = k % 2 ? 3e7 : 3e-3; /* without the fast reaction it is not stiff */
            p[k][1] = k % 2 ? 1e4 : 1e-2;
            memcpy(y[k], q->y0, sizeof y[k]);
        }
        const costate_members m = {.count = MEMBERS, .t0 = 0, .t1 = 40, .p = p[0], .y = y[0], .w = 1, .weights = w, .dy0 = dy0[0],
                                   .dp = dp[0], .member = member};
        assert_ok(s, costate_set(s, "threads", threads[t]));
        assert_ok(s, costate_ensemble(s, &m));
        for (int k = 0; k < MEMBERS; k++) assert_string_equal(member[k].method, k % 2 ? "radau2a" : "dopri5");
        if (!t) memcpy(first, dp, sizeof first);
        assert_bits(first[0], dp[0], MEMBERS * 3);
    }
    costate_free(s);
}

/* Directions that steer the steps do not steer the choice. */
static void test_tangent(void **unused)
{
    (void)unused;
    const problem *q = stiff_robertson();
    static const char *const control[] = {"state", "all"};
    for (size_t i = 0; i < COUNT(control); i++) {
        double atols[MOST], y[3], ydot[3] = {0}, pdot[3] = {1, 0, 0};
        costate_options o = options_of(q, NULL, 1e-6, atols);
        o.tangent_control = control[i];
        costate_solver *s = make_solver(&q->prob, &o);
        memcpy(y, q->y0, sizeof y);
        assert_ok(s, costate_tangent(s, 0, 40, q->p, y, 1, ydot, pdot));
        assert_string_equal(stats_of(s).method, "radau2a");
        assert_near(ydot[0], -4.2476, 1e-3);
        costate_free(s);
    }
}

/* y' = y^2 from 1 ends at t = 1, whoever tries. */
static int blow_up(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = y[0] * y[0];
    return 0;
}

static int stop(double t, const double *y, const double *p, double *f, void *data)
{
    int *after = data;
    (void)p;
    f[0] = -1000 * y[0];
    if (t < 0.5) return 0;
    ++*after;
    return -1;
}

static void test_failures(void **unused)
{
    (void)unused;
    int after = 0;
    double y[1] = {1};
    const costate_problem singular = {.n = 1, .rhs = blow_up}, stopped = {.n = 1, .rhs = stop, .data = &after};
    costate_solver *s = make_solver(&singular, NULL);
    assert_true(costate_solve(s, 0, 2, NULL, y) != 0);
    assert_non_null(strstr(costate_message(s), "tried: dopri5, radau2a, rodas4"));
    assert_nan(y, 1);
    costate_free(s);
    s = make_solver(&stopped, NULL);
    y[0] = 1;
    assert_int_equal(costate_solve(s, 0, 1, NULL, y), COSTATE_ERR_CALLBACK);
    assert_int_equal(after, 1);
    costate_free(s);
}

static void test_warning(void **unused)
{
    (void)unused;
    const result a = gradient_by(stiff_robertson(), "dopri5", 1e-3, 3), b = gradient_by(stiff_hires(), "dopri5", 1e-6, 321.8122);
    assert_non_null(strstr(a.warning, "derivatives are not to be trusted"));
    assert_string_equal(b.warning, ""); /* stiff, but its derivatives are right */
    assert_true(b.stats.limited > b.stats.steps / 2);
}

/* A step that is given: one that is too long for the explicit method is no trouble to an implicit one. */
static void test_fixed(void **unused)
{
    (void)unused;
    int after = 0;
    const costate_problem q = {.n = 1, .rhs = stop, .data = &after};
    costate_options o = costate_defaults(NULL);
    o.step = 0.01;
    costate_solver *s = make_solver(&q, &o);
    double y[1] = {1};
    assert_ok(s, costate_solve(s, 0, 0.4, NULL, y));
    assert_true(fabs(y[0]) < 1e-9 && strcmp(stats_of(s).method, "dopri5"));
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff),   cmocka_unit_test(test_not_stiff), cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_at_rest), cmocka_unit_test(test_damped),    cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_ensemble), cmocka_unit_test(test_tangent),  cmocka_unit_test(test_failures),
        cmocka_unit_test(test_warning), cmocka_unit_test(test_fixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
