/* test_order.c - the observed order of every method in every mode: state and objectives, tangent, gradient, Hessian product; of
 * dense output; and of adaptive runs, whose error must follow the tolerance.
 *
 * Problems: logistic growth with seasons (not autonomous, terminal and running objectives, known in closed form) and the forced
 * oscillator (init and observations too). Order 8 has to show between 1e-7 and 1e-12, that is with large steps, so the parameters
 * are such that the second term of the error is small. References are dopri853 with small steps, held against verner65 with even
 * more of them and, where there is one, against the closed form. */
#include "methods.h"
#include "modes.h"

enum { COUNTS = 4, ROWS = 401, WIDE = 3 };

static const double logistic_p[] = {0.66, 1.2, 0.4, 3.3}, duffing_p[] = {0.2, 1.5, 0.53, 1, 0.96, 0.77, 0.48, 1.4, 0.023};

/* A problem, and the longest stretch that steps must divide so as to meet the end and every observation. */
typedef struct subject {
    problem q;
    double unit;
} subject;

static subject logistic(void)
{
    subject x = {problem_logistic, 1};
    x.q.p = logistic_p;
    return x;
}

static subject duffing(void)
{
    subject x = {problem_duffing, 0.8};
    x.q.p = duffing_p;
    return x;
}

/* Steps per unit: as many as keep the error of that order between the second term of its expansion and round-off. */
static int steps_per_unit(int order, int i)
{
    static const int least[] = {[1] = 64, [2] = 48, [3] = 40, [4] = 24, [5] = 20, [6] = 12, [7] = 8, [8] = 4};
    assert_true(order >= 1 && order <= 8);
    return least[order] * (4 + i) / 4;
}

/* ---- the four modes, fixed steps ------------------------------------------------------------------------------------------- */

static void run(const subject *x, const char *method, int per_unit, modes *m)
{
    costate_options o = costate_defaults(method);
    o.step = x->unit / per_unit;
    run_modes(&x->q, &o, m);
    assert_int_equal(m->steps, (int64_t)round(fabs(x->q.t1 - x->q.t0) / x->unit) * per_unit);
}

static void check_closed_form(const problem *q, const modes *reference)
{
    double y, psi[2], dy0[2], dp[8], g[5];
    q->exact(q->t1, q->y0, q->p, &y);
    q->exact_gradient(q->y0, q->p, psi, dy0, dp);
    assert_true(fabs(reference->value[STATE][0] - y) < 1e-12 * fabs(y));
    assert_true(distance(2, reference->value[STATE] + 1, psi) < 1e-12);
    g[0] = dy0[0] + 0.7 * dy0[1];
    for (int i = 0; i < 4; i++) g[1 + i] = dp[2 * i] + 0.7 * dp[2 * i + 1];
    assert_true(distance(5, reference->value[GRADIENT], g) < 1e-12);
}

static void orders(const subject *x)
{
    modes reference, second, m;
    run(x, "dopri853", 40, &reference);
    run(x, "verner65", 160, &second);
    for (int k = 0; k < MODES; k++) assert_true(mode_error(&second, &reference, k) < 1e-12);
    if (x->q.exact) check_closed_form(&x->q, &reference);
    print_message("%-10s order   state tangent gradient Hessian   (%s)\n", "method", x->q.name);
    for (int i = 0; i < explicit_methods(); i++) {
        const costate_table *table = costate_method(i);
        double h[COUNTS], e[MODES][COUNTS], observed[MODES];
        for (int c = 0; c < COUNTS; c++) {
            int per_unit = steps_per_unit(table->order, c);
            h[c] = 1.0 / per_unit;
            run(x, table->name, per_unit, &m);
            for (int k = 0; k < MODES; k++) e[k][c] = mode_error(&m, &reference, k);
        }
        for (int k = 0; k < MODES; k++) observed[k] = slope(COUNTS, h, e[k]);
        print_message("%-10s %5d %7.2f %7.2f %8.2f %7.2f\n", table->name, table->order, observed[STATE], observed[TANGENT],
                      observed[GRADIENT], observed[HESSIAN]);
        for (int k = 0; k < MODES; k++) {
            assert_true(e[k][COUNTS - 1] > 1e-13); /* else it is round-off that is measured */
            if (!(fabs(observed[k] - table->order) < 0.2)) fail_msg("%s, mode %d: order %g", table->name, k, observed[k]);
        }
    }
}

static void test_logistic(void **unused)
{
    (void)unused;
    subject x = logistic();
    orders(&x);
}

static void test_duffing(void **unused)
{
    (void)unused;
    subject x = duffing();
    orders(&x);
}

/* ---- dense output ---------------------------------------------------------------------------------------------------------- */

typedef struct rows { /* state and directions at ROWS times between the ends */
    double t[ROWS], y[ROWS * STATES], ydot[ROWS * STATES * WIDE];
} rows;

/* What every run for dense output starts from: the state and WIDE directions. */
static void begin(const problem *q, double *y, double *ydot, double *pdot)
{
    uint64_t seed = 7;
    start(q, y);
    fill(ydot, q->prob.n * WIDE, &seed);
    fill(pdot, q->prob.np * WIDE, &seed);
}

/* The rows by runs that end there, without any interpolation. */
static void rows_by_runs(const problem *q, rows *r)
{
    int n = q->prob.n;
    double pdot[PARAMS * WIDE];
    costate_options o = costate_defaults("dopri853");
    o.step = 0.04;
    costate_solver *s = solver(&q->prob, &o);
    for (int k = 0; k < ROWS; k++) {
        double *y = r->y + k * n, *ydot = r->ydot + k * n * WIDE;
        r->t[k] = q->t0 + (q->t1 - q->t0) * (k + 0.4) / ROWS;
        begin(q, y, ydot, pdot);
        GOOD(s, costate_tangent(s, q->t0, r->t[k], q->p, y, WIDE, ydot, pdot));
    }
    costate_free(s);
}

static void rows_by_output(const problem *q, const char *method, double h, rows *r)
{
    double y[STATES], ydot[STATES * WIDE], pdot[PARAMS * WIDE];
    costate_options o = costate_defaults(method);
    o.step = h;
    o.lanes = 2; /* two blocks */
    costate_solver *s = solver(&q->prob, &o);
    GOOD(s, costate_output(s, ROWS, r->t, r->y, r->ydot));
    begin(q, y, ydot, pdot);
    GOOD(s, costate_tangent(s, q->t0, q->t1, q->p, y, WIDE, ydot, pdot));
    costate_free(s);
}

/* The interpolant has degree 3 + dense_rows, so between the steps the order is 4 + dense_rows, or that of the method if lower. */
static void test_dense(void **unused)
{
    (void)unused;
    subject x = duffing();
    problem *q = &x.q;
    q->prob.observations = 0;
    q->prob.observe = (costate_function){0};
    static rows exact, r;
    rows_by_runs(q, &exact);
    print_message("%-10s dense order   state tangent\n", "method");
    for (int i = 0; i < explicit_methods(); i++) {
        const costate_table *table = costate_method(i);
        int expected = table->order < 4 + table->dense_rows ? table->order : 4 + table->dense_rows;
        double h[COUNTS], e[COUNTS], edot[COUNTS];
        for (int c = 0; c < COUNTS; c++) {
            h[c] = x.unit / steps_per_unit(expected, c);
            memcpy(r.t, exact.t, sizeof r.t);
            rows_by_output(q, table->name, h[c], &r);
            e[c] = distance(ROWS * q->prob.n, r.y, exact.y);
            edot[c] = distance(ROWS * q->prob.n * WIDE, r.ydot, exact.ydot);
        }
        double observed = slope(COUNTS, h, e), observed_dot = slope(COUNTS, h, edot);
        print_message("%-10s %11d %7.2f %7.2f\n", table->name, expected, observed, observed_dot);
        assert_true(observed > expected - 0.2);
        assert_true(observed_dot > expected - 0.2);
    }
}

/* ---- adaptive runs --------------------------------------------------------------------------------------------------------- */

/* The controller keeps the estimate, which goes as h^(q+1) with q the lower of the two orders, at the tolerance; the error goes
 * as h^p, so as the tolerance to the power p/(q+1). */
static void test_adaptive(void **unused)
{
    enum { TOLERANCES = 13 };
    static const char *const controls[] = {"elementary", "pi", "gustafsson"};
    (void)unused;
    subject x = duffing();
    modes reference;
    run(&x, "dopri853", 40, &reference);
    print_message("%-10s p/(q+1)  elementary      pi  gustafsson\n", "method");
    for (int i = 0; i < explicit_methods(); i++) {
        const costate_table *table = costate_method(i);
        int q = table->order < table->embedded_order ? table->order : table->embedded_order;
        double expected = (double)table->order / (q + 1), observed[3];
        for (int c = 0; c < 3; c++) {
            double tol[TOLERANCES], e[TOLERANCES];
            for (int k = 0; k < TOLERANCES; k++) {
                double y[STATES];
                costate_options o = costate_defaults(table->name);
                o.rtol = o.atol = tol[k] = pow(10, -4 - 0.5 * k);
                o.control = controls[c];
                costate_solver *s = solver(&x.q.prob, &o);
                GOOD(s, costate_solve(s, x.q.t0, x.q.t1, x.q.p, y));
                costate_free(s);
                e[k] = distance(x.q.prob.n, y, reference.value[STATE]);
            }
            observed[c] = slope(TOLERANCES, tol, e);
        }
        print_message("%-10s %7.2f %11.2f %7.2f %11.2f\n", table->name, expected, observed[0], observed[1], observed[2]);
        for (int c = 0; c < 3; c++) assert_true(fabs(observed[c] - expected) < 0.15 * expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logistic),
        cmocka_unit_test(test_duffing),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_adaptive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
