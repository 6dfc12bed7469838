/* test_reduction.c - order reduction of every implicit method on Prothero and Robinson's problem,
 *
 *     y' = -(y - phi(t)) / eps + phi'(t),   phi = sin(t + 0.3),   y(0) = phi(0),   so that y = phi for every eps:
 *
 * the orders that are observed for eps << h, and what the error does as eps vanishes. The table of docs/theory.md is what this
 * program prints. */
#include "known.h"

static int pr_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const double *eps = data;
    (void)p;
    f[0] = -(y[0] - sin(t + 0.3)) / *eps + cos(t + 0.3);
    return 0;
}

static int pr_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                  double *fdot, void *data)
{
    const double *eps = data;
    (void)y, (void)p, (void)pdot;
    for (int l = 0; l < w; l++)
        fdot[l] = (tdot ? tdot[l] * (cos(t + 0.3) / *eps - sin(t + 0.3)) : 0) - (ydot ? ydot[l] / *eps : 0);
    return 0;
}

static double pr_error(const char *method, double eps, int steps)
{
    double y = sin(0.3);
    costate_problem q = {.n = 1, .data = &eps, .rhs = pr_rhs, .jvp = pr_jvp};
    costate_options o = costate_defaults(method);
    o.step = 1.0 / steps;
    o.rtol = o.atol = 1e-14; /* for Newton's method; the steps are given */
    costate_solver *s = solver(&q, &o);
    GOOD(s, costate_solve(s, 0, 1, NULL, &y));
    costate_free(s);
    return fabs(y - sin(1.3));
}

/* Orders in h where eps << h, and in eps. Hairer, Wanner: Solving ODEs II, IV.15, for the fully implicit methods; stages of
 * order 1 leave h^2 to SDIRK and Rosenbrock methods. A stiffly accurate method ends with a stage, where the error is eps/h times
 * that of the stages. */
typedef struct expected {
    const char *method;
    int order, in_h, in_eps;
} expected;

static const expected all[] = {
    {"ros2", 2, 2, 0},    {"ros3", 3, 2, 0},    {"ros4", 4, 2, 0},      {"rodas3", 3, 1, 1},    {"rodas4", 4, 1, 1},
    {"sdirk2a", 2, 1, 1}, {"sdirk2b", 2, 1, 1}, {"sdirk3a", 2, 1, 1},   {"sdirk4a", 4, 1, 1},   {"sdirk4b", 4, 1, 1},
    {"radau2a", 5, 3, 1}, {"radau1a", 5, 3, 0}, {"lobatto3c", 4, 2, 1}, {"gauss", 6, 4, 0},
};
enum { COUNT = sizeof all / sizeof *all, LEVELS = 3 };

static double observed(const char *method, double eps, int steps, double *fine)
{
    *fine = pr_error(method, eps, 2 * steps);
    return log2(pr_error(method, eps, steps) / *fine);
}

static void test_orders(void **unused)
{
    static const double eps[LEVELS] = {1e-6, 1e-7, 1e-8};
    (void)unused;
    print_message("method     order   eps = 1    1e-6             1e-7             1e-8\n");
    for (int m = 0; m < COUNT; m++) {
        const expected *x = &all[m];
        double fine[LEVELS], order[LEVELS], e, smooth = observed(x->method, 1, x->order > 4 ? 4 : 32, &e);
        print_message("%-10s %5d   %7.2f", x->method, x->order, smooth);
        for (int k = 0; k < LEVELS; k++) {
            order[k] = observed(x->method, eps[k], x->in_h > 2 ? 8 : 16, &fine[k]); /* well above round-off */
            print_message("    %4.2f (%.1e)", order[k], fine[k]);
        }
        print_message("\n");
        assert_int_equal(costate_method_find(x->method)->order, x->order);
        assert_true(fabs(smooth - x->order) < 0.25);
        for (int k = 0; k < LEVELS; k++) assert_true(fabs(order[k] - x->in_h) < 0.15);
        for (int k = 1; k < LEVELS; k++) assert_true(fabs(log10(fine[k - 1] / fine[k]) - x->in_eps) < 0.1);
    }
}

/* None is left out but bdf, which has no stages that could be of lower order. */
static void test_complete(void **unused)
{
    int implicit = 0;
    (void)unused;
    for (int i = 0; i < costate_method_count(); i++) {
        const costate_family family = costate_method(i)->family;
        implicit += family != COSTATE_ERK && family != COSTATE_BDF;
    }
    assert_int_equal(implicit, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_complete)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
