/* test_dae_orders.c - the orders in which objectives, gradients, tangents and Hessian products converge, by every method that
 * takes algebraic equations: steps of equal sizes on problems of index 1 and 2, in both forms; and bdf of order 1 to 5 over given
 * grids of varying steps, on index 0, 1 and 2. */
#include "bdf_grid.h"
#include "dae.h"

enum { VALUE, GRADIENT, TANGENT, PRODUCT, KINDS };
enum { GOALS = 3 };

static const char *const kinds[] = {"value", "gradient", "tangent", "Hessian product"};
static const char *const forms[] = {NULL, "RESIDUAL=1"};
static const double pdot[NP] = {0.6, -0.8, 0.3, 0.1};

typedef double results[GOALS][KINDS][NP];

/* Orders that steps of equal sizes show: of an objective that sees all states, and of differential and of algebraic states. */
static const struct row {
    const char *method;
    double index1, index2[2];
    int steps1, steps2; /* that show it; 0: refused */
} rows[] = {{"radau2a", 5, {5, 3}, 20, 40},   {"lobatto3c", 4, {4, 2}, 40, 200}, {"sdirk4a", 4, {2, 1}, 80, 400},
            {"sdirk4b", 4, {2, 1}, 80, 400},  {"sdirk2a", 2, {2, 1}, 80, 1600},  {"sdirk2b", 2, {2, 1}, 80, 1600},
            {"sdirk3a", 2, {2, 1}, 80, 1600}, {"rodas4", 4, {0}, 80, 0},         {"rodas3", 3, {0}, 80, 0}};

/* ---- a run in every mode ------------------------------------------------------------------------------------------------ */

static void gradients(costate_solver *s, const subject *q, results r)
{
    const int np = q->prob->np, m = q->prob->objectives;
    double dp[GOALS * NP], dy0[GOALS * MOST];
    assert_ok(s, costate_gradient(s, m, NULL, dy0, dp));
    for (int k = 0; k < m; k++) {
        const double weights[GOALS] = {k == 0, k == 1, k == 2};
        for (int i = 0; i < np; i++) r[k][GRADIENT][i] = dp[m * i + k];
        assert_ok(s, costate_hessian(s, 1, weights, NULL, pdot, dy0, r[k][PRODUCT]));
    }
}

/* By steps of equal sizes; 0: by a tolerance. */
static void run(const subject *q, const char *method, int steps, double rtol, results r)
{
    costate_options o = options_of(method, rtol, rtol);
    o.step = steps ? q->about.t1 / steps : 0;
    o.tangent_solve = o.adjoint_solve = "direct";
    costate_solver *s = make_solver(q->prob, &o);
    double y[MOST], psi[GOALS], psidot[GOALS], ydot[MOST] = {0};
    memset(r, 0, sizeof(results));
    memcpy(y, q->about.y0, (size_t)q->prob->n * sizeof *y);
    assert_ok(s, costate_tangent(s, q->about.t0, q->about.t1, q->about.p, y, 1, ydot, pdot));
    assert_ok(s, costate_objectives_dot(s, psidot));
    assert_ok(s, costate_objectives(s, psi));
    for (int k = 0; k < q->prob->objectives; k++) r[k][VALUE][0] = psi[k], r[k][TANGENT][0] = psidot[k];
    gradients(s, q, r);
    costate_free(s);
}

/* bdf of order k over a grid of varying steps of about this size, which is returned. */
static double over_grid(const subject *q, int k, double H, results r)
{
    costate_table table = *costate_method_find("bdf");
    costate_options o = options_of("bdf", 1e-6, 1e-6);
    double y[MOST], end[MOST], psi[GOALS], psidot[GOALS];
    table.order = k;
    o.table = &table;
    o.tangent_solve = o.adjoint_solve = "direct";
    o.step = H; /* Newton's method to round-off */
    costate_solver *s = make_solver(q->prob, &o);
    memset(r, 0, sizeof(results));
    solve(s, q, y);
    H = bdf_over(s, k, H, q->about.t1, end, psi);
    bdf_tangent_over(s, pdot, psidot);
    for (int i = 0; i < q->prob->objectives; i++) r[i][VALUE][0] = psi[i], r[i][TANGENT][0] = psidot[i];
    gradients(s, q, r);
    costate_free(s);
    return H;
}

/* ---- orders ------------------------------------------------------------------------------------------------------------- */

static double off_by(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < NP; i++) sum = hypot(sum, a[i] - b[i]);
    return sum;
}

/* From two runs whose sizes have this ratio. */
static void check_orders(const subject *q, const char *who, results coarse, results fine, results exact, const double *order,
                         double ratio)
{
    for (int k = 0; k < q->prob->objectives; k++) {
        double found[KINDS];
        for (int kind = 0; kind < KINDS; kind++)
            found[kind] = log(off_by(coarse[k][kind], exact[k][kind]) / off_by(fine[k][kind], exact[k][kind])) / log(ratio);
        print_message("%-12s %5g %9.2f %9.2f %9.2f %9.2f\n", who, order[k], found[VALUE], found[GRADIENT], found[TANGENT],
                      found[PRODUCT]);
        for (int kind = 0; kind < KINDS; kind++)
            if (!(fabs(found[kind] - order[k]) <= 0.25))
                fail_msg("%s, objective %d, %s: order %.2f instead of %g", who, k, kinds[kind], found[kind], order[k]);
    }
}

static void by_equal_steps(const subject *q, const char *method, int steps, const double *order, results exact)
{
    results coarse, fine;
    run(q, method, steps, 1e-6, coarse);
    run(q, method, 2 * steps, 1e-6, fine);
    check_orders(q, method, coarse, fine, exact, order, 2);
}

/* bdf of orders that a size is given for. */
static void by_bdf(const subject *q, const double sizes[6], results exact)
{
    results coarse, fine;
    for (int k = 1; k <= 5; k++) {
        if (sizes[k] == 0) continue;
        const double order[GOALS] = {k, k, k}, one = over_grid(q, k, sizes[k], coarse), two = over_grid(q, k, sizes[k] / 2, fine);
        char who[32];
        snprintf(who, sizeof who, "bdf, k = %d", k);
        check_orders(q, who, coarse, fine, exact, order, one / two);
    }
}

/* exact: by `steps` steps, if there are any. */
static subject begin(const char *name, const char *form, double t1, int steps, results exact)
{
    subject q = subject_open(name, form);
    q.about.t1 = t1;
    if (steps) run(&q, "radau2a", steps, 1e-12, exact);
    print_message("%s%s\n%-12s order     value  gradient   tangent   Hessian\n", name, form ? ", as a residual" : "", "method");
    return q;
}

/* Errors of an objective at one time may cancel: two times. */
static void test_index0(void **unused)
{
    static const double sizes[2][6] = {{0, 0.005, 0.01, 0.005, 0.005}, {[5] = 0.009}}, t1[2] = {5, 2};
    results exact;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        subject q = begin("logistic", NULL, t1[k], 4000, exact);
        by_bdf(&q, sizes[k], exact);
        costate_model_close(q.model);
    }
}

/* Of the linear system the errors of order 5 are round-off before they are as its first term. */
static void test_index1(void **unused)
{
    static const double sizes[6] = {0, 0.002, 0.004, 0.008, 0.008}, high[6] = {[4] = 0.002, [5] = 0.004};
    results exact;
    (void)unused;
    for (size_t f = 0; f < COUNT(forms); f++) {
        subject q = begin("linear_index1", forms[f], 2, 1000, exact);
        for (size_t m = 0; m < COUNT(rows); m++) by_equal_steps(&q, rows[m].method, rows[m].steps1, &rows[m].index1, exact);
        by_bdf(&q, sizes, exact);
        costate_model_close(q.model);
        q = begin("pendulum", forms[f], 2, 2000, exact);
        by_bdf(&q, high, exact);
        costate_model_close(q.model);
    }
}

/* What slopes in combinations of varying factors cost methods of a low stage order. */
static void test_coupled(void **unused)
{
    static const struct row few[] = {{"radau2a", 5, {0}, 20, 0},
                                     {"lobatto3c", 4, {0}, 20, 0},
                                     {"sdirk4a", 2, {0}, 640, 0},
                                     {"sdirk2a", 2, {0}, 160, 0},
                                     {"rodas4", 2, {0}, 320, 0}};
    static const double sizes[6] = {0, 0.002, 0.002, 0.004, 0.004, 0.012};
    results exact;
    (void)unused;
    subject q = begin("coupled_slopes", NULL, 1, 1000, exact);
    for (size_t m = 0; m < COUNT(few); m++) by_equal_steps(&q, few[m].method, few[m].steps1, &few[m].index1, exact);
    by_bdf(&q, sizes, exact);
    costate_model_close(q.model);
}

/* exponential_index2 in closed form. On the constraint, and with its derivative by time, w = y2 z solves 2 p0 w^2 - 3 w + 1 = 0,
 * y1 = p1 e^(a t) with a = p0 w^2, and z = w y1^2. For p = (1, 1): w = a = 1, by p0 w' = -2, a' = -3, w'' = a'' = 0. */
static void closed_form(double T, results r)
{
    const double e = exp(T), ee = exp(2 * T), value[2] = {e, ee}, by[2][2] = {{-3 * T * e, e}, {-(2 + 6 * T) * ee, 2 * ee}};
    const double twice[2][2][2] = {{{9 * T * T * e, -3 * T * e}, {-3 * T * e, 0}},
                                   {{(24 * T + 36 * T * T) * ee, -(4 + 12 * T) * ee}, {-(4 + 12 * T) * ee, 2 * ee}}};
    memset(r, 0, sizeof(results));
    for (int k = 0; k < 2; k++) {
        r[k][VALUE][0] = value[k];
        for (int i = 0; i < 2; i++) {
            r[k][GRADIENT][i] = by[k][i];
            r[k][TANGENT][0] += by[k][i] * pdot[i];
            for (int j = 0; j < 2; j++) r[k][PRODUCT][i] += twice[k][i][j] * pdot[j];
        }
    }
}

/* The first objective sees a differential state, the second one an algebraic one. */
static void test_index2(void **unused)
{
    static const double sizes[6] = {0, 0.002, 0.004, 0.004, 0.004, 0.012};
    results exact;
    (void)unused;
    for (size_t f = 0; f < COUNT(forms); f++) {
        subject q = begin("exponential_index2", forms[f], 1, 0, exact);
        closed_form(1, exact);
        for (size_t m = 0; m < COUNT(rows); m++)
            if (rows[m].steps2) by_equal_steps(&q, rows[m].method, rows[m].steps2, rows[m].index2, exact);
        by_bdf(&q, sizes, exact);
        costate_model_close(q.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index0),
        cmocka_unit_test(test_index1),
        cmocka_unit_test(test_coupled),
        cmocka_unit_test(test_index2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
