/* test_sdirk_stiff.c - singly diagonally implicit methods at work: stiff problems in few steps, factors that are kept and shared,
 * iterations and matrices that fail, users' own tables, memory that runs out. */
#include "known.h"
#include "stiff.h"

#include "method/sdirk.h"
#include "tableau/tableau.h"

enum { METHODS = 5 };
static const char *const methods[METHODS] = {"sdirk2a", "sdirk2b", "sdirk3a", "sdirk4a", "sdirk4b"};

static costate_stats stats_of(const costate_solver *s)
{
    costate_stats stats;
    assert_int_equal(costate_get_stats(s, &stats), 0);
    return stats;
}

/* ---- stiff problems ------------------------------------------------------------------------------------------------------ */

/* Error of a run in tolerances, against a Rosenbrock method with tolerances a thousand times tighter. */
static double run_stiff(const char *method, const costate_problem *q, double t1, const double *p, const double *y0, double tol,
                        double floor, costate_stats *stats)
{
    double y[STATES] = {0}, exact[STATES] = {0}, worst = 0;
    for (int k = 0; k < 2; k++) {
        costate_options o = costate_defaults(k ? method : "rodas4");
        o.rtol = k ? tol : tol / 1e3;
        o.atol = o.rtol * floor;
        o.record = 0;
        costate_solver *s = solver(q, &o);
        double *at = k ? y : exact;
        if (y0) memcpy(at, y0, (size_t)q->n * sizeof *at);
        GOOD(s, costate_solve(s, 0, t1, p, at));
        if (k) *stats = stats_of(s);
        costate_free(s);
    }
    for (int i = 0; i < q->n; i++) worst = larger(worst, fabs(y[i] - exact[i]) / (tol * (floor + fabs(exact[i]))));
    return worst;
}

static void test_stiff(void **unused)
{
    static const double mu[] = {1e3, 1e4, 1e5, 1e6}, start_at[] = {1, 0, 0};
    (void)unused;
    costate_problem vdp = van_der_pol(), rob = robertson();
    print_message("%-10s %-18s  steps rejected   f_y factors solves  error\n", "method", "problem");
    for (int k = 0; k < METHODS; k++)
        for (int i = 0; i < 5; i++) {
            costate_stats z;
            double error = i < 4 ? run_stiff(methods[k], &vdp, 2, mu + i, NULL, 1e-6, 1, &z)
                                 : run_stiff(methods[k], &rob, 1e5, NULL, start_at, 1e-6, 1e-4, &z);
            int order = costate_method_find(methods[k])->order;
            print_message("%-10s %-12s %.0e %6lld %8lld %5lld %7lld %6lld %6.2f\n", methods[k],
                          i < 4 ? "van der Pol" : "Robertson", i < 4 ? mu[i] : 0, (long long)z.steps, (long long)z.rejected,
                          (long long)z.jac, (long long)z.factor, (long long)z.solve, error);
            assert_true(error < 20);
            assert_true(z.rejected * 100 <= z.steps * 15);
            if (order == 4) assert_true(z.steps < 2000); /* a method that stiffness slows down would need more than mu of them */
            assert_true(z.factor * 2 < z.steps + z.rejected || z.steps < 250); /* attempts share matrices */
            assert_true(z.jac <= z.factor);
        }
}

/* Derivatives with respect to mu, of which the initial value is a function too; known to 3e-15, as far as Radau and DOP853
 * agree. */
static void test_known_derivative(void **unused)
{
    static const double known[] = {-2.1164116029898493e-07, -1.2821778828878358e-06}, mu = 1e3;
    (void)unused;
    for (int k = 3; k < METHODS; k++)
        for (int iterated = 0; iterated < 2; iterated++) {
            costate_problem q = van_der_pol();
            costate_options o = costate_defaults(methods[k]);
            o.rtol = 1e-9, o.atol = 1e-13; /* the derivatives are of 1e-7 and 1e-6 */
            o.adjoint_solve = iterated ? "iterated" : "direct";
            costate_solver *s = solver(&q, &o);
            double y[2], dy0[4], dp[2];
            GOOD(s, costate_solve(s, 0, 0.5, &mu, y));
            GOOD(s, costate_gradient(s, 2, NULL, dy0, dp));
            print_message("%s: %.10e %.10e\n", methods[k], dp[0], dp[1]);
            assert_true(distance(2, dp, known) < 1e-6);
            costate_free(s);
        }
}

/* ---- statistics ---------------------------------------------------------------------------------------------------------- */

static int count_jac(double t, const double *y, const double *p, double *j, void *data)
{
    ++*(int *)data;
    return problem_brusselator.prob.jac(t, y, p, j, NULL);
}

/* Steps of one size keep their factors; a sweep makes one set of factors for each stage, whatever the number of lanes; an
 * iterated one keeps those of the run. */
static void test_statistics(void **unused)
{
    (void)unused;
    int called = 0;
    problem q = problem_brusselator;
    q.prob.jac = count_jac, q.prob.data = &called;
    costate_options o = costate_defaults("sdirk4a");
    o.step = (q.t1 - q.t0) / 200, o.newton_tol = 0.01; /* not to round-off: few iterations are counted */
    double y[STATES] = {0}, dy0[STATES * 11], dp[3 * 11], weights[2 * 11], ydot[STATES * 11] = {0}, pdot[3 * 11];
    uint64_t seed = 1;
    fill(weights, 22, &seed);
    fill(pdot, 33, &seed);
    for (int iterated = 0; iterated < 2; iterated++) {
        o.tangent_solve = o.adjoint_solve = iterated ? "iterated" : "direct";
        costate_solver *s = solver(&q.prob, &o);
        called = 0;
        GOOD(s, costate_solve(s, q.t0, q.t1, q.p, y));
        costate_stats run = stats_of(s);
        assert_int_equal(run.steps, 200);
        assert_true(run.factor < 40 && run.jac == run.factor && run.jac == called);
        assert_true(run.rhs >= 5 * 200 && run.rhs <= 5 * 200 * 3 + 1 && run.solve >= run.rhs - 1);
        for (int w = 1; w <= 11; w += 10) {
            costate_stats before = stats_of(s);
            GOOD(s, costate_gradient(s, w, weights, dy0, dp));
            costate_stats sweep = stats_of(s);
            int64_t factors = sweep.factor - before.factor, blocks = w == 1 ? 1 : 2;
            if (!iterated) {
                assert_int_equal(factors, 5 * 200);
                assert_int_equal(sweep.solve - before.solve, blocks * 5 * 200);
                assert_int_equal(sweep.vjp - before.vjp, blocks * 5 * 200);
            } else assert_true(factors <= run.factor + 5 * sweep.fallbacks && factors < 100);
        }
        called = 0;
        start(&q, y);
        GOOD(s, costate_tangent(s, q.t0, q.t1, q.p, y, 11, ydot, pdot));
        costate_stats tangent = stats_of(s);
        assert_int_equal(tangent.rhs, run.rhs);
        if (!iterated) assert_int_equal(tangent.factor, run.factor + 5 * 200);
        else assert_true(tangent.factor < run.factor + 100);
        costate_free(s);
    }
}

/* ---- failures ------------------------------------------------------------------------------------------------------------ */

enum { FLIP, NAN_JAC, NAN_RHS, REFUSE, STOP };

typedef struct broken {
    int how, calls;
} broken;

static int broken_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    broken *b = data;
    (void)p;
    b->calls++;
    f[0] = -y[0], f[1] = y[0] - y[1];
    if (b->how == FLIP) f[0] = b->calls % 2 ? 1e100 : -1e100; /* never the same twice: no iteration can settle */
    if (b->how == NAN_RHS && t > 0.5) f[1] = sqrt(-1);
    if (b->how == REFUSE && t > 0.5) return 1;
    if (b->how == STOP && t > 0.5) return -7;
    return 0;
}

static int broken_jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)y, (void)p;
    j[0] = -1, j[1] = 1, j[2] = 0, j[3] = -1;
    if (((broken *)data)->how == NAN_JAC) j[3] = NAN;
    return 0;
}

static void test_failures(void **unused)
{
    static const struct {
        int how, code;
        const char *mention;
    } cases[] = {{FLIP, COSTATE_ERR_NEWTON, "h ="},
                 {NAN_JAC, COSTATE_ERR_JACOBIAN, "d y[1]' / d y[1] is nan at t = 0 "},
                 {NAN_RHS, COSTATE_ERR_NOT_FINITE, "component 1"},
                 {REFUSE, COSTATE_ERR_RETRY, "h ="},
                 {STOP, COSTATE_ERR_CALLBACK, "-7"}};
    (void)unused;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int fixed = 0; fixed < 2; fixed++) {
            broken b = {.how = cases[c].how};
            costate_problem q = {.n = 2, .rhs = broken_rhs, .jac = broken_jac, .data = &b};
            costate_options o = costate_defaults("sdirk4a");
            if (fixed) o.step = 0.0625;
            else o.h0 = 1e-3;
            costate_solver *s = solver(&q, &o);
            double y[2] = {1, 0};
            int status = costate_solve(s, 0, 2, NULL, y);
            if (status != cases[c].code) fail_msg("case %zu, fixed %d: status %d, %s", c, fixed, status, costate_message(s));
            if (!fixed && !strstr(costate_message(s), cases[c].mention))
                fail_msg("\"%s\" does not mention \"%s\"", costate_message(s), cases[c].mention);
            assert_true(isnan(y[0]) && isnan(y[1]));
            b.how = -1; /* a solver goes on after a failure */
            y[0] = 1, y[1] = 0;
            GOOD(s, costate_solve(s, 0, 2, NULL, y));
            assert_true(fabs(y[0] - exp(-2)) < 1e-5);
            costate_free(s);
        }
}

/* shift I - f_y is zero for this h: fixed steps fail, adaptive ones find another h. */
static int growth_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p;
    f[0] = *(double *)data * y[0];
    return 0;
}

static int growth_jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)y, (void)p;
    j[0] = *(double *)data;
    return 0;
}

static void test_singular(void **unused)
{
    (void)unused;
    double rate = 1 / (0.25 * costate_method_find("sdirk2a")->a[0]), y = 1;
    costate_problem q = {.n = 1, .rhs = growth_rhs, .jac = growth_jac, .data = &rate};
    costate_options o = costate_defaults("sdirk2a");
    o.step = 0.25;
    costate_solver *s = solver(&q, &o);
    assert_int_equal(costate_solve(s, 0, 1, NULL, &y), COSTATE_ERR_SINGULAR);
    GOOD(s, costate_set(s, "step", "0"));
    GOOD(s, costate_set(s, "h0", "0.25"));
    y = 1;
    GOOD(s, costate_solve(s, 0, 1, NULL, &y));
    assert_true(fabs(y - exp(rate)) < 1e-3 * exp(rate));
    costate_free(s);
}

/* ---- users' tables ------------------------------------------------------------------------------------------------------- */

/* The implicit midpoint rule and Crouzeix's method of order 3: neither ends in its last stage, neither has an estimate. */
static void test_own_table(void **unused)
{
    (void)unused;
    double g = (3 + sqrt(3)) / 6, half[] = {0.5}, one[] = {1}, a[] = {g, 0, 1 - 2 * g, g}, b[] = {0.5, 0.5};
    const costate_table tables[] = {{.name = "midpoint", .family = COSTATE_SDIRK, .stages = 1, .order = 2, .a = half, .b = one},
                                    {.name = "crouzeix", .family = COSTATE_SDIRK, .stages = 2, .order = 3, .a = a, .b = b}};
    const problem *q = &problem_duffing;
    for (int k = 0; k < 2; k++) {
        costate_options o = costate_defaults(NULL);
        o.table = &tables[k];
        o.newton_tol = 1e-12, o.newton_most = 50;
        o.step = 0.02;
        costate_solver *s = solver(&q->prob, &o);
        costate_certificate c;
        if (costate_check(s, q->t0, q->t1, q->p, q->y0, &c)) fail_msg("%s: %s", tables[k].name, c.text);
        double error[2], y[2], exact[2];
        for (int i = 0; i < 3; i++) {
            costate_options e = costate_defaults("dopri853");
            e.rtol = e.atol = 1e-12;
            costate_solver *r = i ? s : solver(&q->prob, &e);
            if (i == 2) GOOD(s, costate_set(s, "step", "0.01"));
            GOOD(r, costate_solve(r, q->t0, q->t1, q->p, i ? y : exact));
            if (i) error[i - 1] = distance(2, y, exact);
            else costate_free(r);
        }
        print_message("%s: order %.2f\n", tables[k].name, log2(error[0] / error[1]));
        assert_true(fabs(log2(error[0] / error[1]) - tables[k].order) < 0.2);
        costate_free(s);
    }
}

static void test_wrong_table(void **unused)
{
    (void)unused;
    double a[4], b[] = {0.5, 0.5}, dense[3] = {0};
    static const struct {
        double a[4];
        int dense;
        const char *mention;
    } cases[] = {{{0.5, 0, 0.5, 0.25}, 0, "one positive number on its diagonal"},
                 {{0.5, 0.1, 0.4, 0.5}, 0, "itself and earlier ones only"},
                 {{-0.5, 0, 2, -0.5}, 0, "one positive number on its diagonal"},
                 {{0, 0, 1, 0}, 0, "one positive number on its diagonal"},
                 {{0.5, 0, 0, 0.5}, 1, "dense_rows is 1"},
                 {{0.5, 0, 0.5, 0.5}, 0, "order 2"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char why[256] = "";
        memcpy(a, cases[c].a, sizeof a);
        costate_table t = {.name = "own",
                           .family = COSTATE_SDIRK,
                           .stages = 2,
                           .order = 2,
                           .a = a,
                           .b = b,
                           .dense_rows = cases[c].dense,
                           .dense_d = dense};
        assert_int_equal(tableau_check(&t, why, sizeof why), COSTATE_ERR_TABLE);
        if (!strstr(why, cases[c].mention)) fail_msg("case %zu: \"%s\" does not mention \"%s\"", c, why, cases[c].mention);
    }
    for (int k = 0; k < METHODS; k++) {
        char why[256] = "";
        if (tableau_check(costate_method_find(methods[k]), why, sizeof why)) fail_msg("%s: %s", methods[k], why);
    }
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

typedef struct purse {
    int64_t live, asked, fail_at;
} purse;

static void *purse_alloc(size_t bytes, void *ctx)
{
    purse *p = ctx;
    if (++p->asked == p->fail_at) return NULL;
    p->live++;
    return malloc(bytes);
}

static void purse_release(void *block, void *ctx)
{
    ((purse *)ctx)->live--;
    free(block);
}

/* Each request for memory fails once: a status, no leak; and steps make no requests. */
static void test_memory(void **unused)
{
    (void)unused;
    const problem *q = &problem_duffing;
    int status = -1;
    for (int64_t k = 1; status; k++) {
        purse p = {.fail_at = k};
        costate_options o = costate_defaults("sdirk4a");
        o.allocator = (costate_allocator){purse_alloc, purse_release, &p};
        costate_solver *s = NULL;
        double y[2], dy0[4], dp[18], weights[2] = {1, 1};
        status = costate_create(&s, &q->prob, &o);
        if (!status) status = costate_solve(s, q->t0, q->t1, q->p, y);
        assert_true(status == 0 || status == COSTATE_ERR_MEMORY);
        if (!status) {
            status = costate_gradient(s, 1, weights, dy0, dp);
            assert_true(isnan(dy0[0]) == (status != 0) && isnan(dp[0]) == (status != 0));
        }
        costate_free(s);
        assert_int_equal(p.live, 0);
        assert_true(k < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff),       cmocka_unit_test(test_known_derivative), cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_failures),    cmocka_unit_test(test_singular),         cmocka_unit_test(test_own_table),
        cmocka_unit_test(test_wrong_table), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
