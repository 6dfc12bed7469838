/* test_firk_stiff.c - the fully implicit methods at work: stiff problems with few steps, few rejections and few factors; steps
 * repeated bit for bit; every kind of Jacobian and linear solver; dense output; and what is said when Newton's iteration or the
 * matrix will not do. */
#include "known.h"

#include "solver/solver.h"
#include "method/firk.h"

enum { METHODS = 4, W = 3 };

static const char *const methods[METHODS] = {"radau2a", "radau1a", "lobatto3c", "gauss"};

static costate_stats stats_of(const costate_solver *s)
{
    costate_stats st;
    costate_get_stats(s, &st);
    return st;
}

static costate_options options(const char *method, const problem *q, double rtol, double atols[STATES])
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    for (int i = 0; i < q->prob.n; i++) atols[i] = rtol * (q->scale ? q->scale[i] : 1);
    o.atols = atols;
    return o;
}

/* ---- stiff runs -------------------------------------------------------------------------------------------------------- */

static costate_stats run_stiff(const problem *q, costate_options o, double *y)
{
    costate_solver *s = solver(&q->prob, &o);
    start(q, y);
    GOOD(s, costate_solve(s, q->t0, q->t1, q->p, y));
    costate_stats st = stats_of(s);
    costate_free(s);
    return st;
}

static double error(const problem *q, const double *y, const double *exact) /* in relative tolerances of 1 */
{
    double most = 0;
    for (int i = 0; i < q->prob.n; i++)
        most = larger(most, fabs(y[i] - exact[i]) / (fabs(exact[i]) + (q->scale ? q->scale[i] : 1)));
    return most;
}

/* Steps at rtol 1e-6; the Jacobian serves for several of them, and every second step finds its factors. */
static void test_stiff(void **unused)
{
    const struct {
        const problem *q;
        int steps;
    } cases[] = {{stiff_van_der_pol_mu(), 30},  {stiff_van_der_pol_3(), 1200}, {stiff_van_der_pol_4(), 1500},
                 {stiff_van_der_pol_5(), 1800}, {stiff_van_der_pol_6(), 2100}, {stiff_robertson(), 600},
                 {stiff_hires(), 350}};
    (void)unused;
    print_message("%-15s %-10s steps  rejected   rhs   jac factor  solve  error/tol\n", "problem", "method");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const problem *q = cases[c].q;
        double exact[STATES], y[STATES], atols[STATES];
        run_stiff(q, options("radau2a", q, 1e-10, atols), exact);
        for (int k = 0; k < 3; k += 2) { /* the stiffly accurate ones */
            costate_options o = options(methods[k], q, 1e-6, atols);
            o.control = "gustafsson";
            costate_stats st = run_stiff(q, o, y);
            double off = error(q, y, exact) / 1e-6;
            print_message("%-15s %-10s %5lld %9lld %5lld %5lld %6lld %6lld %10.2g\n", q->name, methods[k], (long long)st.steps,
                          (long long)st.rejected, (long long)st.rhs, (long long)st.jac, (long long)st.factor, (long long)st.solve,
                          off);
            assert_true(st.steps < cases[c].steps);
            assert_true(st.rejected <= 3 + st.steps / 10);
            assert_true(off < 20);
            if (st.steps < 50) continue;
            assert_true(2 * st.jac < st.steps + st.rejected);
            assert_true(10 * st.factor < 18 * (st.steps + st.rejected)); /* two make a pair */
        }
    }
}

/* Not stiffly accurate, so that the stiff components are off their manifold at the end of a step: it must not come to ever
 * smaller ones. */
static void test_other_methods(void **unused)
{
    const problem *q = stiff_van_der_pol_3();
    double exact[STATES], y[STATES], atols[STATES];
    (void)unused;
    run_stiff(q, options("radau2a", q, 1e-10, atols), exact);
    for (int k = 0; k < METHODS; k++)
        for (int sdirk = 0; sdirk < 2; sdirk++) {
            costate_options o = options(methods[k], q, 1e-6, atols);
            o.estimator = sdirk ? "sdirk" : "classical";
            costate_stats st = run_stiff(q, o, y);
            assert_true(st.steps + st.rejected < 1500);
            assert_true(error(q, y, exact) < 50e-6);
        }
}

static int decay(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -1e4 * (y[0] - y[1]);
    f[1] = y[2];
    f[2] = -y[1];
    return 0;
}

static int decay_jac(double t, const double *y, const double *p, double *jac, void *data)
{
    (void)t, (void)y, (void)p, (void)data;
    const double j[9] = {-1e4, 0, 0, 1e4, 0, -1, 0, 1, 0};
    memcpy(jac, j, sizeof j);
    return 0;
}

/* A linear problem with fixed steps: one Jacobian, one pair of factors, and Newton's method is done when it has seen that. */
static void test_linear(void **unused)
{
    costate_problem q = {.n = 3, .rhs = decay, .jac = decay_jac, .autonomous = 1};
    (void)unused;
    for (int k = 0; k < METHODS; k++) {
        double y[3] = {1, 1, 0};
        costate_options o = costate_defaults(methods[k]);
        o.step = 0.125;
        costate_solver *s = solver(&q, &o);
        GOOD(s, costate_solve(s, 0, 10, NULL, y));
        costate_stats st = stats_of(s);
        assert_int_equal(st.jac, 1);
        assert_int_equal(st.factor, 2);
        assert_int_equal(st.steps, 80);
        assert_true(st.rhs <= 2 * 3 * st.steps);
        assert_true(fabs(y[1] - cos(10)) < 1e-4 && fabs(y[0] - y[1]) < 1e-2);
        costate_free(s);
    }
}

/* <lambda(t1), ydot(t1)> = <lambda(t0), ydot(t0)> + <mu, pdot> to round-off, or to what the iteration leaves; directions and
 * seeds in proportion to the state. */
static void test_identity(void **unused)
{
    const problem *const problems[] = {stiff_van_der_pol_mu(), stiff_hires()};
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 * METHODS; k++) {
            const problem *q = problems[i];
            int n = q->prob.n, np = q->prob.np;
            double y[STATES], ydot[STATES], pdot[PARAMS], lambda[STATES], mu[PARAMS], atols[STATES];
            uint64_t seed = 11;
            sum before = {0}, after = {0};
            costate_options o = options(methods[k / 2], q, 1e-6, atols);
            o.tangent_solve = o.adjoint_solve = k % 2 ? "iterated" : "direct";
            o.sweep_tol = 1e-12;
            costate_solver *s = solver(&q->prob, &o);
            start(q, y);
            for (int j = 0; j < n; j++) ydot[j] = uniform(&seed) * (q->y0 ? q->y0[j] : 1);
            for (int j = 0; j < np; j++) pdot[j] = uniform(&seed) * q->p[j];
            double first[STATES];
            memcpy(first, ydot, sizeof first);
            GOOD(s, costate_tangent(s, q->t0, q->t1, q->p, y, 1, ydot, pdot));
            for (int j = 0; j < n; j++) lambda[j] = uniform(&seed) / (fabs(y[j]) + (q->scale ? q->scale[j] : 1));
            add_dot(&after, n, 1, lambda, 0, ydot, 0);
            GOOD(s, costate_adjoint(s, 1, lambda, mu));
            add_dot(&before, n, 1, lambda, 0, first, 0);
            add_dot(&before, np, 1, mu, 0, pdot, 0);
            if (!(defect(before, after) < (k % 2 ? 1e-11 : 1e-13)))
                fail_msg("%s, %s, %s: %g", q->name, o.method, o.adjoint_solve, defect(before, after));
            costate_free(s);
        }
}

/* ---- repeated steps ---------------------------------------------------------------------------------------------------- */

enum { N = 40 }; /* states of the Brusselator: two species in a row of cells */

static void neighbours(int *colptr, int *rowind)
{
    int at = 0;
    for (int j = 0; j < N; j++) {
        colptr[j] = at;
        for (int i = 0; i < N; i++)
            if (i == j || i == (j ^ 1) || i == j - 2 || i == j + 2) rowind[at++] = i;
    }
    colptr[N] = at;
}

typedef struct results {
    double psi[GOALS], gradient[(STATES + PARAMS) * W], hessian[(STATES + PARAMS) * W], again[(STATES + PARAMS) * W];
    char tier[16];
    int64_t bytes, recomputed, kept, fresh, rejected;
} results;

static void everything(const problem *q, const costate_options *o, results *r)
{
    int n = q->prob.n, np = q->prob.np, g = goals(&q->prob), p = n * W;
    double y[STATES], weights[GOALS * W], dir[(STATES + PARAMS) * W];
    uint64_t seed = 5;
    fill(weights, g * W, &seed);
    fill(dir, (n + np) * W, &seed);
    memset(r, 0, sizeof *r);
    costate_solver *s = solver(&q->prob, o);
    start(q, y);
    GOOD(s, costate_solve(s, q->t0, q->t1, q->p, y));
    costate_stats st = stats_of(s);
    snprintf(r->tier, sizeof r->tier, "%s", st.tier);
    r->bytes = st.steps * (int64_t)((s->state + s->fam->stage_doubles(s)) * sizeof(double));
    r->rejected = st.rejected;
    for (int64_t i = 0; i < s->log.count; i++) ++*(s->log.note[i] ? &r->fresh : &r->kept);
    GOOD(s, costate_objectives(s, r->psi));
    GOOD(s, costate_gradient(s, W, weights, r->gradient, r->gradient + p));
    r->recomputed = stats_of(s).recomputed_steps;
    GOOD(s, costate_hessian(s, W, weights, dir, dir + p, r->hessian, r->hessian + p));
    GOOD(s, costate_gradient(s, W, weights, r->again, r->again + p));
    costate_free(s);
}

/* Gradients and Hessian products are the same bits whether steps are kept or computed again. Returns how many attempts were
 * rejected. */
static int64_t same_bits(const problem *q, costate_options o)
{
    static results all, r;
    const struct {
        double memory, disk; /* of what all states and stages take */
        const char *tier;
    } budgets[] = {{0.9, 0, "states"}, {0.1, 0, "checkpoints"}, {0.06, 0.3, "checkpoints"}};
    o.memory = INT64_MAX;
    everything(q, &o, &all);
    assert_string_equal(all.tier, "stages");
    assert_int_equal(all.recomputed, 0);
    assert_memory_equal(all.gradient, all.again, sizeof all.gradient);
    print_message("%-15s %-10s %-9s %lld rejected, Jacobian kept %lld, fresh %lld\n", q->name, o.method, o.adjoint_solve,
                  (long long)all.rejected, (long long)all.kept, (long long)all.fresh);
    assert_true(all.fresh > 1 && (all.kept > 0 || !strcmp(o.linsol, "gmres")));
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        o.memory = (int64_t)(budgets[b].memory * (double)all.bytes);
        o.disk = (int64_t)(budgets[b].disk * (double)all.bytes);
        everything(q, &o, &r);
        assert_string_equal(r.tier, budgets[b].tier);
        assert_true(r.recomputed > 0);
        assert_memory_equal(all.psi, r.psi, sizeof all.psi);
        assert_memory_equal(all.gradient, r.gradient, sizeof all.gradient);
        assert_memory_equal(all.again, r.again, sizeof all.again);
        assert_memory_equal(all.hessian, r.hessian, sizeof all.hessian);
    }
    return all.rejected;
}

static void test_repeated(void **unused)
{
    const problem *const problems[] = {stiff_van_der_pol_3(), stiff_hires(), &problem_duffing};
    (void)unused;
    int64_t rejected = 0;
    for (int k = 0; k < METHODS; k++)
        for (int i = 0; i < 3; i++) {
            double atols[STATES];
            costate_options o = options(methods[k], problems[i], 1e-6, atols);
            o.tangent_solve = k % 2 ? "direct" : "iterated";
            o.adjoint_solve = i % 2 ? "direct" : "iterated";
            o.lanes = 2;
            rejected += same_bits(problems[i], o);
        }
    assert_true(rejected > 100);
    problem bare = problem_duffing; /* Jacobian and products by differences */
    bare.prob = given(bare.prob, 0);
    same_bits(&bare, costate_defaults("radau2a"));
    static const char *const solvers[] = {"klu", "superlu", "gmres"};
    int colptr[N + 1], rowind[4 * N];
    problem sparse = problem_brusselator;
    neighbours(colptr, rowind);
    sparse.prob.jac = NULL;
    sparse.prob.pattern = (costate_pattern){.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2 && linsol_find(solvers[i]); k++) {
            costate_options o = costate_defaults("lobatto3c");
            o.tangent_solve = o.adjoint_solve = k ? "iterated" : "direct";
            o.linsol = solvers[i];
            same_bits(&sparse, o);
        }
}

/* ---- matrices ---------------------------------------------------------------------------------------------------------- */

static void derivatives(const costate_problem *q, const char *name, const char *how, double *gradient, double *hessian,
                        int64_t *fallbacks)
{
    double y[N] = {0}, weights[2] = {1, 0.7}, ydot[N], pdot[3] = {0.3, -0.2, 0.001};
    for (int i = 0; i < N; i++) ydot[i] = cos(i);
    costate_options o = costate_defaults("radau2a");
    o.step = 0.1;
    o.newton_tol = 1e-12;
    o.newton_most = 30;
    o.linsol = name;
    o.tangent_solve = o.adjoint_solve = how;
    o.gmres_tol = 1e-13;
    o.sweep_tol = 1e-13;
    costate_solver *s = solver(q, &o);
    GOOD(s, costate_solve(s, 0, problem_brusselator.t1, problem_brusselator.p, y));
    GOOD(s, costate_gradient(s, 1, weights, gradient, gradient + N));
    GOOD(s, costate_hessian(s, 1, weights, ydot, pdot, hessian, hessian + N));
    *fallbacks = stats_of(s).fallbacks;
    costate_free(s);
}

/* Dense, banded and sparse, the user's or compressed from jvp; every linear solver there is, direct and iterated. */
static void test_matrices(void **unused)
{
    int colptr[N + 1], rowind[4 * N];
    neighbours(colptr, rowind);
    const costate_pattern dense = {.format = COSTATE_DENSE}, band = {.format = COSTATE_BANDED, .lower = 2, .upper = 2},
                          sparse = {.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
    const struct {
        costate_pattern pattern;
        const char *linsol, *how;
    } cases[] = {{dense, "dense", "iterated"},  {band, "band", "direct"},     {band, "band", "iterated"},
                 {band, "dense", "direct"},     {band, "klu", "direct"},      {sparse, "dense", "direct"},
                 {sparse, "klu", "direct"},     {sparse, "klu", "iterated"},  {sparse, "superlu", "direct"},
                 {sparse, "umfpack", "direct"}, {dense, "gmres", "iterated"}, {sparse, "auto", "direct"}};
    double gradient[N + 3], hessian[N + 3], g[N + 3], h[N + 3];
    int64_t fallbacks;
    (void)unused;
    derivatives(&problem_brusselator.prob, "dense", "direct", gradient, hessian, &fallbacks);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        costate_problem q = problem_brusselator.prob;
        if (strcmp(cases[c].linsol, "auto") && !linsol_find(cases[c].linsol)) continue;
        q.pattern = cases[c].pattern;
        q.jac = NULL;
        derivatives(&q, cases[c].linsol, cases[c].how, g, h, &fallbacks);
        double dg = distance(N + 3, g, gradient), dh = distance(N + 3, h, hessian);
        print_message("format %d, %-8s %-9s gradient %.0e Hessian %.0e\n", (int)q.pattern.format, cases[c].linsol, cases[c].how,
                      dg, dh);
        assert_true(dg < 1e-11);
        assert_true(dh < 1e-11);
        assert_true(fallbacks <= 2); /* a faint component may halt at the round-off of others */
    }
}

/* Where the factors at (t, y) are no good for the stages, iterated systems are solved directly after all, and still right. */
static void test_fallback(void **unused)
{
    const problem *q = stiff_robertson();
    double atols[STATES], y[STATES], lambda[2][3], mu[2][3];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        costate_options o = options("radau2a", q, 1e-3, atols);
        o.adjoint_solve = k ? "iterated" : "direct";
        o.sweep_tol = 1e-12;
        costate_solver *s = solver(&q->prob, &o);
        start(q, y);
        GOOD(s, costate_solve(s, q->t0, q->t1, q->p, y));
        for (int i = 0; i < 3; i++) lambda[k][i] = i == 0;
        GOOD(s, costate_adjoint(s, 1, lambda[k], mu[k]));
        assert_true(k ? stats_of(s).fallbacks > 0 : stats_of(s).fallbacks == 0);
        costate_free(s);
    }
    for (int i = 0; i < 3; i++) assert_true(fabs(mu[0][i] - mu[1][i]) < 1e-6 * fabs(mu[0][i]));
}

/* Unless the user says so, systems of three states are solved directly and those of forty iterated, which takes more products and
 * no coupled factors. */
static void test_auto(void **unused)
{
    const problem *const problems[] = {stiff_robertson(), &problem_brusselator};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        const problem *q = problems[i];
        double y[STATES] = {0}, dy0[2][STATES * 3], dp[2][PARAMS * 3], weights[GOALS] = {1, 0.5, 0.25};
        costate_stats stats[2];
        for (int direct = 0; direct < 2; direct++) {
            costate_options o = costate_defaults("radau2a");
            if (direct) o.tangent_solve = o.adjoint_solve = "direct";
            costate_solver *s = solver(&q->prob, &o);
            start(q, y);
            GOOD(s, costate_solve(s, q->t0, q->t1, q->p, y));
            GOOD(s, costate_gradient(s, 1, weights, dy0[direct], dp[direct]));
            assert_int_equal(((firk *)s->method)->coupled.ls.ops != NULL, direct || q->prob.n == 3);
            stats[direct] = stats_of(s);
            costate_free(s);
        }
        double change = distance(q->prob.np, dp[0], dp[1]);
        print_message("%-15s products %lld, direct %lld, gradients differ by %.1e\n", q->name, (long long)stats[0].vjp,
                      (long long)stats[1].vjp, change);
        if (q->prob.n == 3) assert_true(stats[0].vjp == stats[1].vjp && !memcmp(dp[0], dp[1], (size_t)q->prob.np * sizeof **dp));
        else assert_true(stats[0].vjp > stats[1].vjp && change < 0.01 * 1e-6);
    }
}

/* ---- dense output ------------------------------------------------------------------------------------------------------ */

enum { ROWS = 60 };

/* Between the ends of long steps along the slow manifold the stages' polynomial is as good as they are; f at the ends would
 * magnify every error. */
static void test_dense(void **unused)
{
    const problem *q = stiff_van_der_pol_3();
    static double times[ROWS], rows[ROWS * 2], exact[ROWS * 2];
    double atols[STATES], y[STATES];
    (void)unused;
    for (int i = 0; i < ROWS; i++) times[i] = 0.01 + 0.78 * i / ROWS; /* before the first jump */
    for (int k = 0; k < 2; k++) {
        costate_options o = options("radau2a", q, k ? 1e-6 : 1e-11, atols);
        costate_solver *s = solver(&q->prob, &o);
        GOOD(s, costate_output(s, ROWS, times, k ? rows : exact, NULL));
        start(q, y);
        GOOD(s, costate_solve(s, q->t0, q->t1, q->p, y));
        costate_free(s);
    }
    double off = distance(ROWS * 2, rows, exact);
    print_message("rows of a stiff run: %.1e\n", off);
    assert_true(off < 1e-4);
}

/* ---- trouble ----------------------------------------------------------------------------------------------------------- */

typedef enum kind { HEALTHY, NOISY, JAC_NOT_A_NUMBER, RHS_NOT_A_NUMBER, RHS_REFUSES } kind;

typedef struct ailment {
    kind kind;
    int calls;
} ailment;

static int trouble(double t, const double *y, const double *p, double *f, void *data)
{
    ailment *a = data;
    (void)p;
    f[0] = -y[0] * y[0] + cos(t);
    f[1] = y[0];
    if (a->kind == NOISY && t > 0) f[0] = a->calls++ % 7 < 3 ? 1e100 : -1e100;
    if (a->kind == RHS_NOT_A_NUMBER && t > 1) f[1] = NAN;
    return a->kind == RHS_REFUSES && t > 1;
}

static int trouble_jac(double t, const double *y, const double *p, double *jac, void *data)
{
    const ailment *a = data;
    (void)t, (void)p;
    jac[0] = a->kind == JAC_NOT_A_NUMBER ? NAN : -2 * y[0];
    jac[1] = 1;
    jac[2] = 0;
    jac[3] = 0;
    return 0;
}

static void test_trouble(void **unused)
{
    static const struct {
        kind kind;
        int code;
        const char *words;
    } cases[] = {{HEALTHY, 0, ""},
                 {NOISY, COSTATE_ERR_NEWTON, "Newton"},
                 {JAC_NOT_A_NUMBER, COSTATE_ERR_JACOBIAN, "d y[0]' / d y[0] is nan"},
                 {RHS_NOT_A_NUMBER, COSTATE_ERR_NOT_FINITE, "component 1"},
                 {RHS_REFUSES, COSTATE_ERR_RETRY, "refusing"}};
    (void)unused;
    for (int k = 0; k < METHODS; k++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int fixed = 0; fixed < 2; fixed++) {
                ailment a = {.kind = cases[c].kind};
                double y[2] = {1, 0};
                costate_problem q = {.n = 2, .rhs = trouble, .jac = trouble_jac, .data = &a};
                costate_options o = costate_defaults(methods[k]);
                o.step = fixed ? 0.01 : 0;
                costate_solver *s = solver(&q, &o);
                int status = costate_solve(s, 0, 3, NULL, y);
                if (status != cases[c].code || !strstr(costate_message(s), cases[c].words))
                    fail_msg("%s, case %zu, fixed %d: %d, %s", methods[k], c, fixed, status, costate_message(s));
                if (status) {
                    assert_true(isnan(y[0]) && isnan(y[1]));
                    double at = stats_of(s).fail_t;
                    assert_true(cases[c].kind < RHS_NOT_A_NUMBER ? at == 0 : at > 0.9 && at < 1.1);
                }
                costate_free(s);
            }
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

typedef struct heap {
    int64_t live, requests, fail_at;
} heap;

static void *heap_alloc(size_t bytes, void *ctx)
{
    heap *h = ctx;
    if (++h->requests == h->fail_at) return NULL;
    h->live++;
    return malloc(bytes);
}

static void heap_release(void *block, void *ctx)
{
    ((heap *)ctx)->live--;
    free(block);
}

/* Any request may fail: a clean error, nothing is lost, and the solver works when memory is back. */
static void test_memory(void **unused)
{
    int colptr[N + 1], rowind[4 * N], failures = 0;
    costate_problem q = problem_brusselator.prob;
    (void)unused;
    neighbours(colptr, rowind);
    q.jac = NULL;
    q.pattern = (costate_pattern){.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
    for (int64_t k = 1;; k++) {
        heap h = {.fail_at = k};
        double y[N] = {0}, dy0[N], dp[3], weights[2] = {1, 1}, ydot[N] = {1};
        costate_solver *s = NULL;
        costate_options o = costate_defaults("radau2a");
        o.step = 0.1;
        o.linsol = "klu";
        o.allocator = (costate_allocator){heap_alloc, heap_release, &h};
        int status = costate_create(&s, &q, &o), created = !status;
        if (!status) status = costate_tangent(s, 0, 0.3, problem_brusselator.p, y, 1, ydot, NULL);
        if (!status) status = costate_gradient(s, 1, weights, dy0, dp);
        if (!status) status = costate_hessian(s, 1, weights, ydot, NULL, dy0, dp);
        int met = h.requests >= k;
        if (met && status != COSTATE_ERR_MEMORY) fail_msg("request %lld: %d, %s", (long long)k, status, costate_message(s));
        if (met && created) {
            GOOD(s, costate_solve(s, 0, 0.3, problem_brusselator.p, y));
            GOOD(s, costate_gradient(s, 1, weights, dy0, dp));
        }
        costate_free(s);
        assert_int_equal(h.live, 0);
        if (!met) break;
        failures++;
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff),    cmocka_unit_test(test_other_methods), cmocka_unit_test(test_linear),
        cmocka_unit_test(test_identity), cmocka_unit_test(test_repeated),      cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_fallback), cmocka_unit_test(test_auto),          cmocka_unit_test(test_dense),
        cmocka_unit_test(test_trouble),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
