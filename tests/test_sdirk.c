/* test_sdirk.c - derivatives by singly diagonally implicit methods: observed orders, identities to round-off with direct stage
 * systems and within sweep_tol with iterated ones, the certificate, the same bits from every kind of trajectory, dense output,
 * linear solvers. */
#include "modes.h"
#include "stiff.h"
#include "trial.h"

#include "method/sdirk.h"

enum { METHODS = 5, COUNTS = 4 };
static const char *const methods[METHODS] = {"sdirk2a", "sdirk2b", "sdirk3a", "sdirk4a", "sdirk4b"};

/* Newton's method as exact as round-off lets it be: else its error is in the objectives, but not in their derivatives. */
static costate_options exact_options(const char *method)
{
    costate_options o = costate_defaults(method);
    o.newton_tol = 1e-12, o.newton_most = 50;
    return o;
}

/* ---- orders -------------------------------------------------------------------------------------------------------------- */

/* unit: the longest stretch that steps must divide so as to meet the end and every observation. */
static void check_orders(problem q, const double *p, double unit)
{
    modes reference, m;
    costate_options o = costate_defaults("dopri853");
    q.p = p;
    o.step = unit / 40;
    run_modes(&q, &o, &reference);
    print_message("%-10s order   state tangent gradient Hessian\n", q.name);
    for (int i = 0; i < METHODS; i++) {
        int order = costate_method_find(methods[i])->order;
        double h[COUNTS], e[MODES][COUNTS], seen[MODES];
        for (int c = 0; c < COUNTS; c++) {
            o = exact_options(methods[i]);
            o.step = h[c] = unit / ((order == 2 ? 48 : 24) * (4 + c) / 4);
            run_modes(&q, &o, &m);
            for (int k = 0; k < MODES; k++) e[k][c] = distance(m.count[k], m.value[k], reference.value[k]);
        }
        for (int k = 0; k < MODES; k++) seen[k] = slope(COUNTS, h, e[k]);
        print_message("%-10s %5d %7.2f %7.2f %8.2f %7.2f\n", methods[i], order, seen[0], seen[1], seen[2], seen[3]);
        for (int k = 0; k < MODES; k++) assert_true(fabs(seen[k] - order) < 0.2);
    }
}

static void test_orders(void **unused)
{
    (void)unused;
    static const double logistic_p[] = {0.66, 1.2, 0.4, 3.3}, duffing_p[] = {0.2, 1.5, 0.53, 1, 0.96, 0.77, 0.48, 1.4, 0.023};
    check_orders(problem_logistic, logistic_p, 1);
    check_orders(problem_duffing, duffing_p, 0.8);
}

/* ---- identities ---------------------------------------------------------------------------------------------------------- */

typedef struct defects {
    double identity, symmetry;
    int64_t steps;
} defects;

static defects run_identity(costate_solver *s, const problem *q, int w)
{
    trial *x = prepare(*q, w, (uint64_t)w);
    costate_stats stats;
    run_trial(s, x);
    GOOD(s, costate_get_stats(s, &stats));
    defects out = {identity(x), symmetry(x), stats.steps};
    free(x);
    return out;
}

static void test_identity(void **unused)
{
    static const int widths[] = {1, 3, 8, 11};
    (void)unused;
    print_message("%-10s identity symmetry  iterated (of steps sweep_tol)\n", "method");
    for (int k = 0; k < METHODS; k++) {
        double identity = 0, symmetry = 0, iterated = 0;
        for (int i = 0; i < problem_count(); i++)
            for (int v = 0; v < 4; v++) {
                const problem *q = problem_get(i);
                costate_options o = costate_defaults(methods[k]);
                o.rtol = 1e-4, o.atol = 1e-6; /* what is exact for the discrete map is so for any steps */
                o.tangent_solve = o.adjoint_solve = "direct";
                o.sweep_tol = 1e-12;
                costate_solver *s = solver(&q->prob, &o);
                defects d = run_identity(s, q, widths[v]);
                identity = larger(identity, d.identity);
                symmetry = larger(symmetry, d.symmetry);
                GOOD(s, costate_set(s, "tangent_solve", "iterated"));
                GOOD(s, costate_set(s, "adjoint_solve", "iterated"));
                d = run_identity(s, q, widths[v]);
                iterated = larger(iterated, larger(d.identity, d.symmetry) / ((double)d.steps * o.sweep_tol));
                costate_free(s);
            }
        print_message("%-10s %8.1e %8.1e %9.2f\n", methods[k], identity, symmetry, iterated);
        assert_true(identity < 1e-12);
        assert_true(symmetry < 1e-12);
        assert_true(iterated < 1);
    }
}

/* Van der Pol while it is stiff. (In its jumps derivatives grow and vanish again by powers of mu, and digits with them,
 * whatever the method.) */
static void test_identity_stiff(void **unused)
{
    (void)unused;
    double mu[] = {1e3, 1e6};
    for (int k = 0; k < METHODS; k++)
        for (int i = 0; i < 2; i++) {
            problem q = {.name = "van der Pol", .prob = van_der_pol(), .p = mu + i, .t1 = 0.5};
            costate_options o = costate_defaults(methods[k]);
            o.tangent_solve = o.adjoint_solve = "direct";
            costate_solver *s = solver(&q.prob, &o);
            defects d = run_identity(s, &q, 3);
            print_message("%-10s mu = %.0e: %lld steps, identity %.1e, symmetry %.1e\n", methods[k], mu[i], (long long)d.steps,
                          d.identity, d.symmetry);
            assert_true(d.identity < 1e-12);
            assert_true(d.symmetry < 1e-12);
            costate_free(s);
        }
}

static void test_check(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++)
        for (int i = 0; i < problem_count(); i++) {
            const problem *q = problem_get(i);
            costate_options o = exact_options(methods[k]);
            o.rtol = 1e-4, o.atol = 1e-6;
            costate_solver *s = solver(&q->prob, &o);
            costate_certificate c;
            if (costate_check(s, q->t0, q->t1, q->p, q->y0, &c)) fail_msg("%s, %s: %s", methods[k], q->name, c.text);
            costate_free(s);
        }
}

/* Iterated systems that do not converge, because f_y moves too much within a step, are solved directly; the identity does not
 * suffer. */
static void test_switch_to_direct(void **unused)
{
    (void)unused;
    costate_options o = costate_defaults("sdirk4b");
    o.rtol = 1e-4, o.atol = 1e-6;
    o.tangent_solve = o.adjoint_solve = "iterated";
    o.sweep_tol = 1e-12;
    costate_solver *s = solver(&problem_kepler.prob, &o);
    defects d = run_identity(s, &problem_kepler, 3);
    int64_t systems = 5 * d.steps; /* at least: one block, one mode */
    print_message("%lld systems of %lld steps went direct\n", (long long)s->stats.fallbacks, (long long)d.steps);
    assert_true(s->stats.fallbacks > 0 && s->stats.fallbacks < systems);
    assert_true(d.identity < (double)d.steps * o.sweep_tol);
    costate_free(s);
}

/* Which systems are iterated unless the user says so: those of wide matrices. What that leaves of the errors is below the
 * tolerance of the run by far. */
static void test_auto(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++) {
        problem *q = k < 2 ? shallow_water(k ? 8 : 5) : brusselator_1d(100); /* 75 and 192 states; 200, but a narrow band */
        size_t n = (size_t)q->prob.n;
        double *y = malloc(4 * n * sizeof *y), *lambda[2] = {y + n, y + 2 * n}, *ydot = y + 3 * n, psidot[2] = {0};
        double change = 0, size = 0;
        int64_t factors[2];
        for (int direct = 0; direct < 2; direct++) {
            costate_options o = costate_defaults("sdirk4a");
            o.rtol = o.atol = 1e-5;
            if (direct) o.tangent_solve = o.adjoint_solve = "direct";
            costate_solver *s = NULL;
            GOOD(s, costate_create(&s, &q->prob, &o));
            memcpy(y, q->y0, n * sizeof *y);
            for (size_t i = 0; i < n; i++) ydot[i] = cos((double)i), lambda[direct][i] = i == 0;
            GOOD(s, costate_tangent(s, q->t0, q->t0 + (q->t1 - q->t0) / 4, q->p, y, 1, ydot, NULL));
            GOOD(s, costate_adjoint(s, 1, lambda[direct], NULL));
            factors[direct] = s->stats.factor;
            for (size_t i = 0; i < n; i++) psidot[direct] += lambda[direct][i] * cos((double)i);
            assert_true(fabs(psidot[direct] - ydot[0]) < (direct ? 1e-10 : 0.01 * o.rtol) * fabs(ydot[0]));
            assert_int_equal(s->stats.fallbacks, 0);
            costate_free(s);
        }
        for (size_t i = 0; i < n; i++) {
            change = larger(change, fabs(lambda[0][i] - lambda[1][i]));
            size = larger(size, fabs(lambda[1][i]));
        }
        print_message("%s, %zu states: %lld factors, direct %lld, gradients differ by %.1e\n", q->name, n, (long long)factors[0],
                      (long long)factors[1], change / size);
        if (k == 1) assert_true(5 * factors[0] < factors[1] && change < 0.01 * 1e-5 * size);
        else assert_true(factors[0] == factors[1] && change == 0);
        free(y);
        problem_free(q);
    }
}

/* ---- the same bits ------------------------------------------------------------------------------------------------------- */

typedef struct answers {
    double gradient[2 * (STATES + PARAMS)], hessian[2 * (STATES + PARAMS)];
    costate_stats run, sweep;
} answers;

static void run_answers(const problem *q, const costate_options *o, answers *a)
{
    int n = q->prob.n, p = 2 * n;
    double y[STATES], weights[2 * GOALS], dir[2 * (STATES + PARAMS)];
    uint64_t seed = 5;
    fill(weights, 2 * GOALS, &seed);
    fill(dir, 2 * (STATES + PARAMS), &seed);
    memset(a, 0, sizeof *a);
    costate_solver *s = solver(&q->prob, o);
    start(q, y);
    GOOD(s, costate_solve(s, q->t0, q->t1, q->p, y));
    costate_get_stats(s, &a->run);
    GOOD(s, costate_gradient(s, 2, weights, a->gradient, a->gradient + p));
    costate_get_stats(s, &a->sweep);
    GOOD(s, costate_hessian(s, 2, weights, dir, dir + p, a->hessian, a->hessian + p));
    costate_free(s);
}

static void same_bits(const problem *q, costate_options o)
{
    answers all, some;
    o.memory = 1 << 30;
    run_answers(q, &o, &all);
    assert_string_equal(all.run.tier, "stages");
    double state = 8.0 * (3 * q->prob.n + CARRY_VECTORS) + 16, steps = (double)all.run.steps;
    const struct {
        double memory, disk;
        const char *tier;
    } budgets[] = {{1.1 * steps * state, 0, "states"},
                   {0.5 * steps * state, 0, "checkpoints"},
                   {12 * state, 0, "checkpoints"},
                   {12 * state, 2 * steps * state, NULL}};
    for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++) {
        o.memory = (int64_t)budgets[k].memory;
        o.disk = (int64_t)budgets[k].disk;
        run_answers(q, &o, &some);
        if (budgets[k].tier) assert_string_equal(some.run.tier, budgets[k].tier);
        else assert_true(some.run.disk_bytes > 0);
        assert_true(some.sweep.recomputed_steps > 0);
        assert_memory_equal(some.gradient, all.gradient, sizeof all.gradient);
        assert_memory_equal(some.hessian, all.hessian, sizeof all.hessian);
    }
}

static void test_bits(void **unused)
{
    (void)unused;
    double mu = 1e3;
    problem vdp = {.name = "van der Pol", .prob = van_der_pol(), .p = &mu, .t1 = 2};
    for (int k = 0; k < METHODS; k++)
        for (int iterated = 0; iterated < 2; iterated++) {
            costate_options o = costate_defaults(methods[k]);
            o.rtol = 1e-5, o.atol = 1e-6; /* more steps than the smallest budget holds */
            o.tangent_solve = o.adjoint_solve = iterated ? "iterated" : "direct";
            same_bits(&vdp, o);
            same_bits(&problem_brusselator, o);
        }
}

/* A step whose kept factors fail renews them; repeated, it does so at once. */
static void test_bits_renewed(void **unused)
{
    (void)unused;
    double y0 = 2, y = y0;
    problem q = {.name = "switched", .prob = switched(), .y0 = &y0, .t1 = 2};
    costate_options o = costate_defaults("sdirk4a");
    o.step = 1.0 / 16;
    costate_solver *s = solver(&q.prob, &o);
    GOOD(s, costate_solve(s, 0, 2, NULL, &y));
    assert_int_equal(s->log.count, 32);
    int kept = 0, renewed = 0;
    for (int i = 0; i < 32; i++) kept += s->log.note[i] == NOTE_KEPT, renewed += s->log.note[i] == NOTE_RENEWED;
    assert_int_equal(kept, 30); /* all but the first and the one from t = 1 on */
    assert_int_equal(renewed, 2);
    costate_stats stats;
    costate_get_stats(s, &stats);
    assert_int_equal(stats.factor, 2);
    assert_int_equal(stats.jac, 2);
    costate_free(s);
    same_bits(&q, o);
}

/* ---- dense output -------------------------------------------------------------------------------------------------------- */

/* Between the steps the order is that of the method; the directions are those of the same polynomial. */
static void test_dense(void **unused)
{
    enum { ROWS = 997 };
    (void)unused;
    problem q = problem_logistic;
    double t[ROWS], y[ROWS], ydot[ROWS * 2], exact[ROWS], end, enddot[2];
    static const double pdot[8] = {0, 1};
    for (int i = 0; i < ROWS; i++) {
        t[i] = q.t0 + (q.t1 - q.t0) * (i + 0.4) / ROWS;
        q.exact(t[i], q.y0, q.p, &exact[i]);
    }
    for (int k = 0; k < METHODS; k++) {
        int order = costate_method_find(methods[k])->order;
        double h[COUNTS], e[COUNTS];
        for (int c = 0; c < COUNTS; c++) {
            costate_options o = exact_options(methods[k]);
            o.step = h[c] = (q.t1 - q.t0) / (96 * (4 + c) / 4);
            costate_solver *s = solver(&q.prob, &o);
            GOOD(s, costate_output(s, ROWS, t, y, ydot));
            end = q.y0[0];
            enddot[0] = 1, enddot[1] = 0;
            GOOD(s, costate_tangent(s, q.t0, q.t1, q.p, &end, 2, enddot, pdot));
            e[c] = distance(ROWS, y, exact);
            static const double eps = 1e-6; /* the direction of y0 by differences, over the same steps */
            double hi[ROWS], lo[ROWS];
            for (int side = 0; side < 2; side++) {
                end = q.y0[0] + (side ? eps : -eps);
                GOOD(s, costate_output(s, ROWS, t, side ? hi : lo, NULL));
                GOOD(s, costate_solve(s, q.t0, q.t1, q.p, &end));
            }
            for (int i = 0; i < ROWS; i++) assert_true(fabs((hi[i] - lo[i]) / (2 * eps) - ydot[2 * i]) < 1e-7);
            costate_free(s);
        }
        print_message("%-10s dense order %.2f\n", methods[k], slope(COUNTS, h, e));
        assert_true(slope(COUNTS, h, e) > order - 0.2);
    }
}

/* ---- linear solvers ------------------------------------------------------------------------------------------------------ */

/* A band, a sparse pattern and no matrix at all give what the dense matrix gives. */
static void test_solvers(void **unused)
{
    enum { N = 40 };
    static int colptr[N + 1], rowind[5 * N];
    (void)unused;
    int count = 0;
    for (int j = 0; j < N; j++) {
        for (int i = j - 2 < 0 ? 0 : j - 2; i <= j + 2 && i < N; i++) rowind[count++] = i;
        colptr[j + 1] = count;
    }
    const struct {
        const char *linsol;
        costate_pattern pattern;
        double most;
    } cases[] = {{"band", {.format = COSTATE_BANDED, .lower = 2, .upper = 2}, 1e-12},
                 {"auto", {.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind}, 1e-12},
                 {"gmres", {.format = COSTATE_DENSE}, 1e-9}};
    modes dense, m;
    problem q = problem_brusselator;
    costate_options o = exact_options("sdirk4a");
    o.step = (q.t1 - q.t0) / 40;
    o.gmres_tol = 1e-14;
    o.sweep_tol = 1e-12;
    run_modes(&q, &o, &dense);
    q.prob.jac = NULL; /* compressed from jvp */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int iterated = 0; iterated < 2; iterated++) {
            q.prob.pattern = cases[c].pattern;
            o.linsol = cases[c].linsol;
            o.tangent_solve = o.adjoint_solve = iterated ? "iterated" : "direct";
            run_modes(&q, &o, &m);
            for (int k = 0; k < MODES; k++) {
                double off = distance(m.count[k], m.value[k], dense.value[k]);
                if (!(off < (iterated ? larger(cases[c].most, 40 * o.sweep_tol) : cases[c].most)))
                    fail_msg("%s, mode %d: %g", o.linsol, k, off);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),           cmocka_unit_test(test_identity),
        cmocka_unit_test(test_identity_stiff),   cmocka_unit_test(test_check),
        cmocka_unit_test(test_switch_to_direct), cmocka_unit_test(test_auto),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_bits_renewed),     cmocka_unit_test(test_dense),
        cmocka_unit_test(test_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
