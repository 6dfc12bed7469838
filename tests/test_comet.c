/* test_comet.c - derivatives past a close encounter, of an explicit method that suits the problem. The steps beside the sun are
 * a thousandth of the longest, what follows multiplies what the steps' own derivative lacks there, and the state is right to
 * three digits where derivatives are wrong by factors. Method "auto" makes such a run again, for directions as for adjoints,
 * with time in f and without. */
#include "support.h"

#include <math.h>
#include <string.h>

/* x'' = -p0 x/|x|^3 + p1 (cos t, 0), autonomous if p1 is not there */
typedef struct pull {
    double a[2], ax[2][2], over; /* acceleration for p0 = 1, its derivative by x */
} pull;

static pull pull_of(const double *y)
{
    const double r2 = y[0] * y[0] + y[1] * y[1], over = 1 / (r2 * sqrt(r2));
    pull q = {.over = over};
    for (int i = 0; i < 2; i++) {
        q.a[i] = -y[i] * over;
        for (int j = 0; j < 2; j++) q.ax[i][j] = 3 * y[i] * y[j] * over / r2 - (i == j ? over : 0);
    }
    return q;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const pull q = pull_of(y);
    for (int i = 0; i < 2; i++) f[i] = y[2 + i], f[2 + i] = p[0] * q.a[i];
    if (data) f[2] += p[1] * cos(t);
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
               double *fd, void *data)
{
    const pull q = pull_of(y);
    for (int l = 0; l < w; l++)
        for (int i = 0; i < 2; i++) {
            const double *x = yd ? yd + l : NULL;
            fd[i * w + l] = x ? x[(2 + i) * w] : 0;
            fd[(2 + i) * w + l] = (x ? p[0] * (q.ax[i][0] * x[0] + q.ax[i][1] * x[w]) : 0) + (pd ? pd[l] * q.a[i] : 0);
            if (!data || i) continue;
            if (td) fd[2 * w + l] -= p[1] * sin(t) * td[l];
            if (pd) fd[2 * w + l] += pd[w + l] * cos(t);
        }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const pull q = pull_of(y);
    for (int l = 0; l < w; l++)
        for (int i = 0; i < 2; i++) {
            const double v = u[(2 + i) * w + l];
            if (yb) yb[(2 + i) * w + l] += u[i * w + l];
            for (int j = 0; yb && j < 2; j++) yb[j * w + l] += p[0] * q.ax[i][j] * v;
            if (pb) pb[l] += q.a[i] * v;
            if (pb && data && i == 0) pb[w + l] += cos(t) * v;
        }
    return 0;
}

enum { N = 4, NP = 2 };
static const double mass[NP] = {1, 1e-3};

static costate_problem comet(int forced)
{
    static int with_time = 1;
    return (costate_problem){
        .n = N, .np = NP, .rhs = rhs, .jvp = jvp, .vjp = vjp, .autonomous = !forced, .data = forced ? &with_time : NULL};
}

/* Of the final states by all variables, relative to the largest of each state. */
static double off(const double *g, const double *known)
{
    double most = 0;
    for (int o = 0; o < N; o++) {
        double size = 0, d = 0;
        for (int k = 0; k < N + NP; k++) {
            size = fmax(size, fabs(known[k * N + o]));
            d = fmax(d, fabs(g[k * N + o] - known[k * N + o]));
        }
        most = fmax(most, d / size);
    }
    return most;
}

static void derivatives(const costate_problem *q, const char *method, const char *way, double rtol, double *y, double *g,
                        costate_stats *a, char *warning)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    costate_solver *s = make_solver(q, &o);
    const double e = 0.997, at[N] = {1 + e, 0, 0, sqrt((1 - e) / (1 + e))};
    memcpy(y, at, sizeof at);
    assert_ok(s, costate_set(s, "sensitivities", way));
    assert_ok(s, costate_sensitivities(s, 0, 10, mass, y, N + NP, NULL, N, NULL, g));
    costate_get_stats(s, a);
    strcpy(warning, a->warning);
    a->choice = strstr(a->choice, "with rtol = ");
    costate_free(s);
}

static void test_close(void **unused)
{
    (void)unused;
    static const double rtol[] = {1e-3, 1e-4, 1e-6, 1e-7};
    static const char *const way[] = {"tangent", "adjoint"};
    for (int forced = 0; forced < 2; forced++) {
        const costate_problem q = comet(forced);
        double known[N * (N + NP)], g[N * (N + NP)], y[N], yknown[N];
        char warning[1024];
        costate_stats a;
        derivatives(&q, "dopri853", "adjoint", 1e-13, yknown, known, &a, warning);
        for (size_t i = 0; i < COUNT(rtol); i++)
            for (size_t k = 0; k < COUNT(way); k++) {
                derivatives(&q, NULL, way[k], rtol[i], y, g, &a, warning);
                assert_true(off(g, known) < 30 * rtol[i]);
                assert_non_null(a.choice);
                assert_string_equal(warning, "");
            }
        for (size_t k = 0; k < COUNT(way); k++) { /* steps of a named method stay */
            derivatives(&q, "dopri5", way[k], 1e-6, y, g, &a, warning);
            for (int i = 0; i < N; i++) assert_true(fabs(y[i] - yknown[i]) < 0.02);
            assert_true(off(g, known) > 100);
            assert_int_equal(strstr(warning, "derivatives are off by about") != NULL, !forced);
        }
    }
}

/* Where steps are even directions are left alone: nothing is evaluated once more. */
static void test_even(void **unused)
{
    (void)unused;
    const costate_problem q = comet(0);
    costate_stats a[2];
    for (int k = 0; k < 2; k++) {
        const costate_options o = costate_defaults(k ? "dopri5" : "auto");
        costate_solver *s = make_solver(&q, &o);
        double y[N] = {1.2, 0, 0, 0.9}, ydot[N] = {1};
        assert_ok(s, costate_tangent(s, 0, 10, mass, y, 1, ydot, NULL));
        costate_get_stats(s, &a[k]);
        costate_free(s);
    }
    assert_int_equal(a[0].steps, a[1].steps);
    assert_int_equal(a[0].jvp, a[1].jvp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_close), cmocka_unit_test(test_even)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
