/* test_drift_forms.c - what test_drift.c shows of ordinary equations, of other forms of the same oscillator: with an algebraic
 * state, with an event at which nothing happens, and by bdf. Derivatives are right within 30 tolerances, or are warned of. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* x' = v, v' = p (w v - x), w = 1 - x^2: as an equation of its own, 0 = w - 1 + x^2, if there are three states. */
static double slaved(int n, const double *y)
{
    return n == 3 ? y[2] : 1 - y[0] * y[0];
}

static int rhs_of(int n, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = p[0] * (slaved(n, y) * y[1] - y[0]);
    if (n == 3) f[2] = y[2] - 1 + y[0] * y[0];
    return 0;
}

static int jvp_of(int n, const double *y, const double *p, int w, const double *yd, const double *pd, double *fd)
{
    for (int l = 0; l < w; l++) {
        const double a = yd ? yd[l] : 0, b = yd ? yd[w + l] : 0, c = n == 3 ? (yd ? yd[2 * w + l] : 0) : -2 * y[0] * a;
        fd[l] = b;
        fd[w + l] = p[0] * (c * y[1] + slaved(n, y) * b - a) + (pd ? pd[l] * (slaved(n, y) * y[1] - y[0]) : 0);
        if (n == 3) fd[2 * w + l] = c + 2 * y[0] * a;
    }
    return 0;
}

static int vjp_of(int n, const double *y, const double *p, int w, const double *u, double *yb, double *pb)
{
    for (int l = 0; l < w; l++) {
        const double b = u[w + l], c = p[0] * y[1] * b;
        if (yb) yb[l] += -p[0] * b + (n == 3 ? 2 * y[0] * u[2 * w + l] : -2 * y[0] * c);
        if (yb) yb[w + l] += u[l] + p[0] * slaved(n, y) * b;
        if (yb && n == 3) yb[2 * w + l] += c + u[2 * w + l];
        if (pb) pb[l] += (slaved(n, y) * y[1] - y[0]) * b;
    }
    return 0;
}

#define PRODUCTS(n)                                                                                                              \
    static int rhs##n(double t, const double *y, const double *p, double *f, void *data)                                        \
    {                                                                                                                            \
        (void)t, (void)data;                                                                                                     \
        return rhs_of(n, y, p, f);                                                                                               \
    }                                                                                                                            \
    static int jvp##n(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,   \
                      double *fd, void *data)                                                                                    \
    {                                                                                                                            \
        (void)t, (void)td, (void)data;                                                                                           \
        return jvp_of(n, y, p, w, yd, pd, fd);                                                                                   \
    }                                                                                                                            \
    static int vjp##n(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)    \
    {                                                                                                                            \
        (void)t, (void)data;                                                                                                     \
        return vjp_of(n, y, p, w, u, yb, pb);                                                                                    \
    }
PRODUCTS(2)
PRODUCTS(3)

/* Met in every jump; there is no reset. And the objective. */
static int guard(int k, double t, const double *y, const double *p, double *e, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    e[0] = y[0];
    return 0;
}

static int guard_jvp(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                     const double *pd, double *ed, void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)td, (void)pd, (void)data;
    for (int l = 0; l < w; l++) ed[l] = yd ? yd[l] : 0;
    return 0;
}

static int guard_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                     void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int l = 0; yb && l < w; l++) yb[l] += u[l];
    return 0;
}

enum { ORDINARY, ALGEBRAIC, EVENT, BOTH, FORMS };
static const double mu2[] = {1e6}, mass[] = {1, 1, 0};

typedef struct result {
    double g[3]; /* of x(2), by x(0), v(0) and p */
    costate_stats stats;
    char warning[256];
} result;

static result gradient(int form, const char *method, double rtol)
{
    costate_problem q = {.n = form % 2 ? 3 : 2, .np = 1, .autonomous = 1, .rhs = rhs2, .jvp = jvp2, .vjp = vjp2};
    if (form % 2) q.mass = mass, q.rhs = rhs3, q.jvp = jvp3, q.vjp = vjp3;
    if (form >= EVENT) q.events = 1, q.event = (costate_function){.eval = guard, .jvp = guard_jvp, .vjp = guard_vjp};
    q.objectives = 1;
    q.terminal = (costate_function){.eval = guard, .vjp = guard_vjp};
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    costate_solver *s = make_solver(&q, &o);
    double y[3] = {2, -0.66, -3}, dy0[3];
    result r;
    memset(&r, 0, sizeof r);
    assert_ok(s, costate_solve(s, 0, 2, mu2, y));
    assert_ok(s, costate_gradient(s, 1, NULL, dy0, &r.g[2]));
    memcpy(r.g, dy0, 2 * sizeof *dy0);
    costate_get_stats(s, &r.stats);
    snprintf(r.warning, sizeof r.warning, "%s", r.stats.warning);
    costate_free(s);
    return r;
}

static double off(result a)
{
    static result known;
    static int have;
    double most = 0;
    if (!have) known = gradient(ORDINARY, "radau2a", 1e-12), have = 1;
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(a.g[i] / known.g[i] - 1));
    return most;
}

/* Method auto makes the run again with tighter tolerances. */
static void test_forms(void **unused)
{
    (void)unused;
    static const double rtol[] = {1e-3, 1e-4, 1e-6, 1e-8};
    for (int form = ALGEBRAIC; form < FORMS; form++)
        for (size_t i = 0; i < COUNT(rtol); i++) {
            const result r = gradient(form, NULL, rtol[i]);
            if (!(off(r) < 30 * rtol[i])) fail_msg("form %d, %g: off by %g", form, rtol[i], off(r));
            assert_string_equal(r.warning, "");
        }
}

/* Named ones warn. bdf knows no event. */
static void test_named(void **unused)
{
    (void)unused;
    static const char *names[] = {"radau2a", "rodas4", "bdf"};
    for (int form = ORDINARY; form < FORMS; form++)
        for (int m = 0; m < (form >= EVENT ? 2 : 3); m++)
            for (double rtol = 1e-4; rtol > 5e-8; rtol /= 10) {
                const result r = gradient(form, names[m], rtol);
                const int warns = strstr(r.warning, "derivatives are off by about") != NULL;
                if (off(r) > 3e-3 && !warns) fail_msg("%s, form %d, %g: off by %g, unsaid", names[m], form, rtol, off(r));
                if (off(r) < 3e-4 && warns) fail_msg("%s, form %d, %g: off by %g, %s", names[m], form, rtol, off(r), r.warning);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
