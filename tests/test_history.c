/* test_history.c - a family whose state has a history that is differentiated and a part that is not (adams.h), in every mode:
 * what driver, repeated runs, trajectory and sweeps do with a live part that is longer than y. No family of the library has
 * one. */
#include "adams.h"
#include "core/create.h"
#include "core/driver.h"
#include "modes.h"
#include "trial.h"

enum { WIDEST = 11 };

static const double identity_most = 1e-12;

static costate_solver *adams_solver(const costate_problem *q, const costate_options *o, const family *f)
{
    costate_solver *s = NULL;
    int status = cst__create(&s, q, o, f);
    if (status) fail_msg("create: %d, %s", status, costate_message(s));
    return s;
}

static costate_options options(void)
{
    costate_options o = costate_defaults("rk23");
    o.rtol = o.atol = 1e-4;
    o.threads = 1;
    return o;
}

static costate_solver *solver_of(const trial *x, const family *f)
{
    costate_options o = options();
    return adams_solver(&x->q.prob, &o, f);
}

/* ---- identities -------------------------------------------------------------------------------------------------------- */

/* Steps of each order in the last run. */
static void count_orders(const costate_solver *s, int64_t orders[3])
{
    for (int64_t i = 0; i < s->log.count; i++) orders[s->log.note[i]]++;
}

static void test_identity(void **unused)
{
    static const int widths[] = {1, 3, 8, WIDEST};
    int64_t orders[3] = {0}, rejected = 0;
    (void)unused;
    for (int i = 0; i < problem_count(); i++)
        for (int k = 0; k < 4; k++) {
            trial *x = prepare(*problem_get(i), widths[k], 1);
            costate_solver *s = solver_of(x, &adams_family);
            run_trial(s, x);
            count_orders(s, orders);
            rejected += s->stats.rejected;
            if (k == 3) print_message("%-22s %8.1e %8.1e\n", x->q.name, identity(x), symmetry(x));
            assert_true(identity(x) < identity_most);
            assert_true(symmetry(x) < identity_most);
            costate_free(s);
            free(x);
        }
    print_message("steps of order 1: %lld, of order 2: %lld, rejected: %lld\n", (long long)orders[1], (long long)orders[2],
                  (long long)rejected);
    assert_true(orders[0] == 0 && orders[1] > 20 && orders[2] > 1000 && rejected > 20);
}

/* The Hessian against differences, Taylor slopes, components: over the steps of the run, with their orders. */
static void test_certificate(void **unused)
{
    (void)unused;
    for (int i = 0; i < problem_count(); i++) {
        const problem *q = problem_get(i);
        costate_options o = options();
        costate_solver *s = adams_solver(&q->prob, &o, &adams_family);
        costate_certificate c;
        double y[STATES];
        start(q, y);
        int status = costate_check(s, q->t0, q->t1, q->p, y, &c);
        print_message("%-22s %8.1e %8.1e %.2f %.2f %8.1e\n", q->name, c.identity, c.symmetry, c.slope_gradient, c.slope_hessian,
                      c.worst);
        if (status) fail_msg("%s: %s", q->name, c.text);
        costate_free(s);
    }
}

/* With fixed steps order 2 is that of the solution and of all its derivatives. */
static void test_order(void **unused)
{
    const problem *q = problem_find("lotka_volterra");
    modes m[4];
    (void)unused;
    assert_non_null(q);
    for (int k = 0; k < 4; k++) {
        trial *x = prepare(*q, 1, 3);
        costate_options o = options();
        if (k < 3) o.step = (q->t1 - q->t0) / (2000 << k);
        else o = costate_defaults("dopri5"), o.rtol = o.atol = 1e-12;
        costate_solver *s = k < 3 ? adams_solver(&q->prob, &o, &adams_family) : solver(&q->prob, &o);
        run_trial(s, x);
        m[k] = (modes){.count = {x->n, x->g, x->n + x->np, x->n + x->np}};
        const double *from[MODES] = {x->y, x->psidot, x->gradient, x->hessian[0]};
        for (int mode = 0; mode < MODES; mode++) memcpy(m[k].value[mode], from[mode], (size_t)m[k].count[mode] * sizeof(double));
        costate_free(s);
        free(x);
    }
    for (int mode = 0; mode < MODES; mode++) {
        double order = log2(mode_error(&m[1], &m[3], mode) / mode_error(&m[2], &m[3], mode));
        print_message("order %.2f\n", order);
        assert_true(fabs(order - 2) < 0.15);
    }
}

/* ---- one run, whatever the budget, the threads and the blocks ---------------------------------------------------------- */

static void assert_same(const trial *a, const trial *b)
{
    size_t m = (size_t)((a->n + a->np) * a->w) * sizeof(double), g = (size_t)(a->g * a->w) * sizeof(double);
    assert_memory_equal(a->y, b->y, (size_t)a->n * sizeof(double));
    assert_memory_equal(a->psi, b->psi, (size_t)a->g * sizeof(double));
    assert_memory_equal(a->psidot, b->psidot, g);
    assert_memory_equal(a->gradient, b->gradient, m);
    assert_memory_equal(a->adjoint, b->adjoint, m);
    for (int k = 0; k < 2; k++) assert_memory_equal(a->hessian[k], b->hessian[k], m);
}

/* Budgets in states with their directions; again: steps have to be computed again. */
static void test_same_bits(void **unused)
{
    static const struct {
        int64_t memory, disk, threads;
        int again;
    } ways[] = {{100000, 0, 1, 0}, {6, 0, 1, 1}, {40, 0, 3, 1}, {6, 20, 2, 1}, {100000, 0, 3, 0}, {30, 0, 2, 1}};
    (void)unused;
    for (int i = 0; i < problem_count(); i++) {
        trial *first = prepare(*problem_get(i), WIDEST, 5);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            trial *x = k ? prepare(*problem_get(i), WIDEST, 5) : first;
            costate_options o = options();
            o.lanes = 4, o.threads = ways[k].threads;
            int64_t unit = 8 * (8 + 5 * (2 * x->n + x->g));
            o.memory = ways[k].memory * unit, o.disk = ways[k].disk * unit;
            costate_solver *s = adams_solver(&x->q.prob, &o, &adams_family);
            run_trial(s, x);
            assert_int_equal(s->stats.recomputed_steps > 0, ways[k].again);
            assert_same(first, x);
            costate_free(s);
            if (k) free(x);
        }
        free(first);
    }
}

/* The recorded steps taken again, history from y0 included. */
static void test_repeated(void **unused)
{
    (void)unused;
    for (int i = 0; i < problem_count(); i++) {
        trial *x = prepare(*problem_get(i), 3, 7);
        double y[STATES], psi[GOALS];
        costate_solver *s = solver_of(x, &adams_family);
        run_first_order(s, x);
        assert_int_equal(cst__repeat(s, s->y0, NULL, -1, y, psi), 0);
        assert_memory_equal(y, x->y, (size_t)x->n * sizeof *y);
        assert_memory_equal(psi, x->psi, (size_t)x->g * sizeof *psi);
        costate_free(s);
        free(x);
    }
}

/* ---- output within the steps, which the history bends ------------------------------------------------------------------ */

enum { ROWS = 7 };

static void rows(const problem *q, double eps, double *y, double *ydot)
{
    double times[ROWS], end[STATES], p[PARAMS], dot[STATES] = {0}, pdot[PARAMS] = {0};
    costate_options o = options();
    o.step = (q->t1 - q->t0) / 300;
    costate_solver *s = adams_solver(&q->prob, &o, &adams_family);
    for (int k = 0; k < ROWS; k++) times[k] = q->t0 + (q->t1 - q->t0) * k / (ROWS - 1.0) * 0.99;
    start(q, end);
    memcpy(p, q->p, (size_t)q->prob.np * sizeof *p);
    p[0] += eps;
    pdot[0] = 1;
    GOOD(s, costate_output(s, ROWS, times, y, ydot));
    GOOD(s, costate_tangent(s, q->t0, q->t1, p, end, 1, dot, pdot));
    costate_free(s);
}

static void test_output(void **unused)
{
    static const double eps = 1e-5;
    (void)unused;
    for (int i = 0; i < problem_count(); i++) {
        const problem *q = problem_get(i);
        double y[2][ROWS * STATES], ydot[ROWS * STATES], other[ROWS * STATES], size = 0;
        if (q->prob.np < 1 || q->prob.n * ROWS > ROWS * STATES) continue;
        rows(q, 0, y[0], ydot);
        rows(q, eps, y[1], other);
        rows(q, -eps, y[0], other);
        for (int k = 0; k < ROWS * q->prob.n; k++) size = larger(size, fabs(ydot[k]));
        for (int k = 0; k < ROWS * q->prob.n; k++)
            assert_true(fabs((y[1][k] - y[0][k]) / (2 * eps) - ydot[k]) <= 1e-6 * (1 + size));
    }
}

/* ---- families that are wrong ------------------------------------------------------------------------------------------- */

/* A transposed history that is left out, or a tangent, shows. */
static void test_left_out(void **unused)
{
    family without[2] = {adams_family, adams_family};
    without[0].history_adjoint = NULL;
    without[1].history_tangent = NULL;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        trial *x = prepare(*problem_find("lotka_volterra"), 1, 1);
        costate_solver *s = solver_of(x, &without[k]);
        run_trial(s, x);
        assert_true(identity(x) > 1e6 * identity_most);
        costate_free(s);
        free(x);
    }
}

static int adjoint_not_finite(costate_solver *s, const step *st, ablock *b)
{
    TRY(adams_adjoint(s, st, b));
    b->lambda[s->live * (size_t)b->w - 1] = NAN;
    return 0;
}

/* Rows of a history have no names of the problem's. */
static void test_not_finite(void **unused)
{
    family wrong = adams_family;
    wrong.adjoint = adjoint_not_finite;
    (void)unused;
    trial *x = prepare(*problem_find("lotka_volterra"), 3, 1);
    costate_solver *s = solver_of(x, &wrong);
    run_tangent(s, x);
    assert_int_equal(costate_gradient(s, x->w, x->weights, x->gradient, NULL), COSTATE_ERR_SWEEP_NOT_FINITE);
    assert_non_null(strstr(costate_message(s), "the adjoint of the family's history"));
    assert_int_equal(s->stats.fail_component, -1);
    costate_free(s);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),  cmocka_unit_test(test_certificate), cmocka_unit_test(test_order),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_repeated),    cmocka_unit_test(test_output),
        cmocka_unit_test(test_left_out),  cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
