/* test_exact.c - how exactly the derivatives of implicit Runge-Kutta methods are those of the numbers a run computes, with the
 * options as they are: gradients against differences over the recorded steps, tangents against adjoints where stage systems are
 * iterated, and recorded steps taken again from other data, on stiff networks where round-off of f is large. */
#include "core/driver.h"
#include "network.h"
#include "problems.h"
#include "support.h"

typedef struct subject {
    const costate_problem *prob;
    const double *y0, *p;
    double t0, t1;
} subject;

static costate_solver *make(const subject *q, const char *method, double rtol, double atol, double every)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol, o.atol = atol, o.step = every;
    return make_solver(q->prob, &o);
}

static int is_iterative(const costate_table *t)
{
    return t->family == COSTATE_SDIRK || t->family == COSTATE_FIRK;
}

static double along(size_t i)
{
    return cos(1.7 * (double)i);
}

static double weight(size_t i)
{
    return 1 + 0.5 * sin((double)i);
}

/* The adjoint of sum_i weight_i y_i(t1), times the direction; *size becomes the sum of the terms' sizes. */
static double slope(costate_solver *s, const subject *q, double *size)
{
    size_t n = (size_t)q->prob->n, np = (size_t)q->prob->np;
    double *y = malloc(n * sizeof *y), *lambda = malloc(n * sizeof *lambda), *mu = calloc(np + 1, sizeof *mu), sum = 0;
    memcpy(y, q->y0, n * sizeof *y);
    assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
    for (size_t i = 0; i < n; i++) lambda[i] = weight(i);
    assert_ok(s, costate_adjoint(s, 1, lambda, mu));
    *size = 0;
    for (size_t i = 0; i < n + np; i++) {
        double term = i < n ? lambda[i] * along(i) * q->y0[i] : mu[i - n] * along(i) * q->p[i - n];
        sum += term;
        *size += fabs(term);
    }
    free(y), free(lambda), free(mu);
    return sum;
}

/* The recorded steps from data that are off by eps along the direction; NaN if they cannot be taken. */
static double repeated(costate_solver *s, const subject *q, double eps)
{
    size_t n = (size_t)q->prob->n, np = (size_t)q->prob->np;
    double *y = calloc(s->state, sizeof *y), *end = malloc(n * sizeof *end), sum = 0;
    for (size_t i = 0; i < n; i++) y[i] = q->y0[i] * (1 + eps * along(i));
    for (size_t i = 0; i < np; i++) s->p[i] = q->p[i] * (1 + eps * along(n + i));
    int rc = cst__repeat(s, y, NULL, -1, end, NULL);
    memcpy(s->p, q->p, np * sizeof *s->p);
    for (size_t i = 0; i < n; i++) sum += weight(i) * end[i];
    free(y), free(end);
    return rc ? NAN : sum;
}

/* Central differences, extrapolated. */
static double difference(costate_solver *s, const subject *q, double eps)
{
    double wide = (repeated(s, q, eps) - repeated(s, q, -eps)) / (2 * eps);
    double near = (repeated(s, q, eps / 2) - repeated(s, q, -eps / 2)) / eps;
    return (4 * near - wide) / 3;
}

/* ---- gradients against differences ------------------------------------------------------------------------------------- */

static double defect(const subject *q, const char *method, double rtol, double atol, double every)
{
    costate_solver *s = make(q, method, rtol, atol, every);
    double size, d = slope(s, q, &size), worst = HUGE_VAL;
    for (double eps = 1e-3; eps > 5e-6; eps /= 10) worst = fmin(worst, fabs(d - difference(s, q, eps)) / size);
    costate_free(s);
    return worst;
}

/* What Newton's iteration leaves is a small share of the tolerance; of steps of a given size, round-off. */
static void test_gradients(void **unused)
{
    const problem *lv = &problem_lotka_volterra, *stiff = stiff_robertson();
    const subject q = {&lv->prob, lv->y0, lv->p, lv->t0, lv->t1}, r = {&stiff->prob, stiff->y0, stiff->p, 0, 100};
    (void)unused;
    for (int m = 0; costate_method(m); m++) {
        const costate_table *t = costate_method(m);
        if (!is_iterative(t)) continue;
        for (double rtol = 1e-2; rtol > 5e-7; rtol /= 100) {
            double off = defect(&r, t->name, rtol, 1e-6 * rtol, 0);
            print_message("%-10s rtol %.0e: %.1e\n", t->name, rtol, off);
            if (!(off < 1e-3 * rtol)) fail_msg("%s at %g: off by %g", t->name, rtol, off);
        }
        double fixed = defect(&q, t->name, 1e-3, 1e-3, (q.t1 - q.t0) / 200);
        print_message("%-10s with fixed steps: %.1e\n", t->name, fixed);
        if (!(fixed < 1e-9)) fail_msg("%s with fixed steps: off by %g", t->name, fixed);
    }
}

/* ---- tangents against adjoints ------------------------------------------------------------------------------------------- */

static double identity(const subject *q, const char *method, double rtol)
{
    size_t n = (size_t)q->prob->n, np = (size_t)q->prob->np;
    costate_solver *s = make(q, method, rtol, 1e-3 * rtol, 0);
    double *y = malloc(n * sizeof *y), *ydot = malloc(n * sizeof *ydot), *pdot = malloc((np + 1) * sizeof *pdot), sum = 0, size;
    double d = slope(s, q, &size);
    memcpy(y, q->y0, n * sizeof *y);
    for (size_t i = 0; i < n; i++) ydot[i] = along(i) * q->y0[i];
    for (size_t i = 0; i < np; i++) pdot[i] = along(n + i) * q->p[i];
    assert_ok(s, costate_tangent(s, q->t0, q->t1, q->p, y, 1, ydot, np ? pdot : NULL));
    for (size_t i = 0; i < n; i++) sum += weight(i) * ydot[i];
    costate_free(s);
    free(y), free(ydot), free(pdot);
    return fabs(sum - d) / size;
}

/* Where stage systems are iterated on the factors of the step, they meet the certificate's bound. */
static void test_iterated(void **unused)
{
    network *net = network_make(120, 6, 2);
    problem *grid = brusselator_2d(8);
    costate_problem bare = {.n = grid->prob.n, .np = grid->prob.np, .data = grid->prob.data, .rhs = grid->prob.rhs,
                            .jvp = grid->prob.jvp, .vjp = grid->prob.vjp, .jac = grid->prob.jac, .pattern = grid->prob.pattern};
    const subject cases[] = {{&net->prob, net->y0, net->p, 0, 10}, {&bare, grid->y0, grid->p, grid->t0, grid->t0 + 1}};
    (void)unused;
    for (int m = 0; costate_method(m); m++) {
        const costate_table *t = costate_method(m);
        if (!is_iterative(t) || t->order < 3) continue;
        for (size_t c = 0; c < COUNT(cases); c++) {
            double off = identity(&cases[c], t->name, 1e-3);
            print_message("%-10s case %zu: identity %.1e\n", t->name, c, off);
            if (!(off < 5e-11)) fail_msg("%s, case %zu: tangent and adjoint differ by %g", t->name, c, off);
        }
    }
    network_free(net);
    problem_free(grid);
}

/* ---- recorded steps ------------------------------------------------------------------------------------------------------- */

/* Fast reactions in equilibrium, whose terms cancel: f is known to h f_y times round-off only, far above what newton_tol asks.
 * A recorded step is taken again all the same, with the same bits from the same data, and from other data too. */
static void test_repeated(void **unused)
{
    static const double rtols[] = {1e-4, 1e-6, 1e-8};
    (void)unused;
    for (int m = 0; costate_method(m); m++) {
        const costate_table *t = costate_method(m);
        if (!is_iterative(t) || t->order < 3) continue;
        for (size_t k = 0; k < (t->order > 3 ? COUNT(rtols) : 2); k++) {
            network *net = network_make(15, 9, 3);
            const subject q = {&net->prob, net->y0, net->p, 0, 10};
            costate_options o = costate_defaults(t->name);
            o.rtol = rtols[k], o.atol = 1e-4 * rtols[k], o.newton_tol = 100 * 2e-16 / rtols[k], o.newton_most = 30;
            costate_solver *s = make_solver(q.prob, &o);
            double size, d = slope(s, &q, &size), y[15], at = 0;
            memcpy(y, q.y0, sizeof y);
            assert_ok(s, costate_solve(s, q.t0, q.t1, q.p, y));
            for (size_t i = 0; i < 15; i++) at += weight(i) * y[i];
            double again = repeated(s, &q, 0);
            assert_bits(&again, &at, 1);
            for (double eps = 0.02; eps > 1e-6; eps /= 8)
                if (!isfinite(repeated(s, &q, eps) + repeated(s, &q, -eps)))
                    fail_msg("%s at %g: steps could not be repeated %g beside: %s", t->name, rtols[k], eps, costate_message(s));
            double off = fabs(d - difference(s, &q, 1e-3)) / size;
            if (!(off < 1e-5)) fail_msg("%s at %g: off by %g", t->name, rtols[k], off);
            costate_free(s);
            network_free(net);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_iterated),
        cmocka_unit_test(test_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
