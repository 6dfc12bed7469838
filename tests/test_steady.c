/* test_steady.c - runs from a steady state, or from states that go with given slopes: known answers, first and second order, by
 * every implicit method; threads and linear solvers; what is refused. */
#include "generated.h"
#include "support.h"

#include <math.h>

enum { N = 4, NP = 3 };

/* y(0) = (p2 (p0 - v)/p1)^(1/3), v the slope that is given; powers of three factors. */
static double power(const double *x, const int *e)
{
    double value = 1;
    for (int i = 0; i < NP; i++) value *= pow(x[i], e[i] / 3.0);
    return value;
}

/* The derivative of that by x_i, and by x_i and x_j: x is (p0 - v, p1, p2). */
static double slope(const double *x, int i, int j)
{
    static const int one[NP] = {1, -1, 1};
    int e[NP] = {1, -1, 1};
    double factor = one[i] / 3.0;
    e[i] -= 3;
    if (j >= 0) {
        factor *= e[j] / 3.0;
        e[j] -= 3;
    }
    return factor * power(x, e);
}

static void known(const char *define, const char *method, const char *linsol, int threads)
{
    costate_model *model = generated_model("steady_start", define);
    const costate_problem *q = costate_model_problem(model);
    const costate_model_info about = costate_model_about(model);
    const double v = define ? 0.3 : 0, x[NP] = {about.p[0] - v, about.p[1], about.p[2]}, pdot[NP] = {0.6, -0.8, 0.3};
    static const int e[NP] = {1, -1, 1};
    costate_options o = costate_defaults(method);
    double y[N] = {0}, psi, psidot, ydot[N] = {0}, dy0[N], dp[NP], hy0[N], hp[NP], along = 0;
    o.linsol = linsol;
    o.threads = threads;
    costate_solver *s = make_solver(q, &o);
    memcpy(y, about.y0, (size_t)q->n * sizeof *y);
    assert_ok(s, costate_tangent(s, about.t0, about.t1, about.p, y, 1, ydot, pdot));
    assert_non_null(strstr(stats_of(s).start, "x from 1 to"));
    assert_ok(s, costate_objectives(s, &psi));
    assert_ok(s, costate_objectives_dot(s, &psidot));
    assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
    assert_ok(s, costate_hessian(s, 1, NULL, NULL, pdot, hy0, hp));
    assert_near(psi, power(x, e), 1e-12);
    if (!define) assert_near(y[1], psi, 1e-9); /* at rest */
    for (int i = 0; i < NP; i++) {
        double product = 0;
        for (int j = 0; j < NP; j++) product += slope(x, i, j) * pdot[j];
        assert_near(dp[i], slope(x, i, -1), 1e-10);
        assert_near(hp[i], product, 1e-9);
        along += dp[i] * pdot[i];
    }
    assert_near(psidot, along, 1e-14);
    for (int i = 0; i < 2; i++) assert_true(dy0[i] == 0 && hy0[i] == 0); /* guesses */
    if (define) assert_near(dy0[2], -slope(x, 0, -1), 1e-10);            /* the slope that is given */
    costate_free(s);
    costate_model_close(model);
}

static void test_known(void **unused)
{
    static const char *const forms[] = {NULL, "RESIDUAL"}, *const linsols[] = {"auto", "dense", "gmres"};
    (void)unused;
    for (size_t f = 0; f < COUNT(forms); f++) {
        for (int i = 0; i < costate_method_count(); i++) {
            const costate_table *t = costate_method(i);
            const int first = t->family == COSTATE_ERK || !t->e;
            /* a residual asks for methods that end at a stage */
            if (!first && (!f || !strcmp(t->name, "radau2a") || !strcmp(t->name, "rodas4") || !strcmp(t->name, "bdf")))
                known(forms[f], t->name, "auto", 1);
        }
        for (size_t l = 0; l < COUNT(linsols); l++) known(forms[f], "auto", linsols[l], 3);
    }
}

static int kept(double t, const double *y, const double *p, double *f, void *data) /* y0 + y1 is conserved */
{
    (void)t, (void)data;
    f[0] = y[1] - p[0] * y[0];
    f[1] = -f[0];
    return 0;
}

static int none(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = y[0] * y[0] + 0.7 * p[0];
    f[1] = -y[1];
    return 0;
}

static void refused(costate_problem q, const char *method, int status, const char *words)
{
    costate_options o = costate_defaults(method);
    costate_solver *s = NULL;
    double y[2] = {1, 1}, p[1] = {1};
    q.n = 2, q.np = 1, q.steady = q.steady ? q.steady : 1;
    int got = costate_create(&s, &q, &o);
    if (!got) got = costate_solve(s, 0, 1, p, y);
    assert_int_equal(got, status);
    if (!strstr(costate_message(s), words)) fail_msg("\"%s\" lacks \"%s\"", costate_message(s), words);
    costate_free(s);
}

static void test_refused(void **unused)
{
    static const double mass[] = {1, 0}, index[] = {0, 2};
    (void)unused;
    refused((costate_problem){.rhs = none}, "dopri5", COSTATE_ERR_STEADY, "dopri5 solves no equations");
    refused((costate_problem){.rhs = none, .steady = 2}, "auto", COSTATE_ERR_STEADY, "is 2, and not 0 or 1");
    refused((costate_problem){.rhs = none, .mass = mass, .index = index}, "auto", COSTATE_ERR_STEADY, "index 2");
    refused((costate_problem){.rhs = kept}, "auto", COSTATE_ERR_CONSISTENT, "as it is where something is conserved");
    refused((costate_problem){.rhs = none}, "radau2a", COSTATE_ERR_CONSISTENT, "Newton's method does not converge");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
