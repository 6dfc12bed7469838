/* test_linsol_small.c - small components beside large ones. The species of CBM-IV span fifty orders of magnitude, each with a
 * tolerance of its own, and at sunrise the largest entry of a column of shift I - J is not on the diagonal. Whatever the linear
 * solver, a component of 1e-30 must not receive the round-off of one of 1e12.
 *
 * Solutions are held, in tolerances of the state, against an elimination along the diagonal in long double: such matrices are
 * nearly dominated by the diagonals of their columns, so that it is stable. */
#include "linsol/linsol.h"
#include "problems.h"
#include "support.h"

enum { N = 32, HOURS = 24 };
static const double rtol = 1e-3;

typedef struct point {
    double t, y[N], jac[N * N], f[N]; /* jac on the problem's pattern */
} point;

/* The state at every hour. */
static void follow(const problem *q, point *at)
{
    double atols[N];
    costate_options o = costate_defaults("rodas4");
    for (int i = 0; i < N; i++) atols[i] = rtol * q->scale[i];
    o.rtol = rtol, o.atols = atols, o.record = 0;
    costate_solver *s = make_solver(&q->prob, &o);
    memcpy(at[0].y, q->y0, sizeof at[0].y);
    for (int h = 0; h < HOURS; h++) {
        if (h) memcpy(at[h].y, at[h - 1].y, sizeof at[h].y);
        at[h].t = 3600.0 * (h + 1);
        assert_ok(s, costate_solve(s, at[h].t - 3600, at[h].t, q->p, at[h].y));
        assert_int_equal(q->prob.jac(at[h].t, at[h].y, q->p, at[h].jac, q->prob.data), 0);
        assert_int_equal(q->prob.rhs(at[h].t, at[h].y, q->p, at[h].f, q->prob.data), 0);
    }
    costate_free(s);
}

static void eliminate(const costate_pattern *q, const point *at, double shift, long double *x)
{
    static long double a[N][N];
    memset(a, 0, sizeof a);
    for (int j = 0; j < N; j++) {
        for (int k = q->colptr[j]; k < q->colptr[j + 1]; k++) a[q->rowind[k]][j] = -at->jac[k];
        a[j][j] += shift;
        x[j] = at->f[j];
    }
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            if (a[i][k] == 0) continue;
            long double l = a[i][k] / a[k][k];
            for (int j = k; j < N; j++) a[i][j] -= l * a[k][j];
            x[i] -= l * x[k];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
}

static void test_components(void **state)
{
    (void)state;
    static const char *const solvers[] = {"dense", "klu", "superlu", "umfpack"};
    static const double shifts[] = {1e-4, 1.5e-3, 0.1, 10};
    static point at[HOURS];
    const problem *q = stiff_cbm4();
    assert_int_equal(q->prob.n, N);
    follow(q, at);
    for (size_t k = 0; k < COUNT(solvers); k++) {
        if (!linsol_find(solvers[k])) continue;
        char why[256];
        linsol l;
        linsol_config c = {.n = N, .pattern = q->prob.pattern, .slots = 1};
        assert_int_equal(linsol_open(&l, solvers[k], &c, why, sizeof why), 0);
        double worst = 0;
        for (int h = 0; h < HOURS; h++)
            for (size_t m = 0; m < COUNT(shifts); m++) {
                long double exact[N];
                double x[N];
                memcpy(x, at[h].f, sizeof x);
                eliminate(&q->prob.pattern, &at[h], shifts[m], exact);
                assert_int_equal(l.ops->factor(l.self, 0, 0, shifts[m], 0, at[h].jac), 0);
                assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x), 0);
                for (int i = 0; i < N; i++) {
                    double tolerance = rtol * (q->scale[i] + fabs(at[h].y[i]));
                    worst = fmax(worst, fabs((double)(x[i] - exact[i])) / tolerance);
                }
            }
        linsol_close(&l);
        print_message("%-8s error of at most %.1e tolerances\n", solvers[k], worst);
        if (!(worst <= 1e-3)) fail_msg("%s is wrong by %.1e tolerances", solvers[k], worst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_components)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
