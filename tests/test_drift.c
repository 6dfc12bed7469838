/* test_drift.c - derivatives through the jumps of a relaxation oscillator. The steps' own derivative loses lambda^T f
 * there, which is constant along solutions, while the solution is right to its tolerance: 2.7 % at rtol 1e-6, a factor
 * of 160 at 1e-4. Method "auto" makes the run again where that happens; a named method says so. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* x' = v, v' = p ((1 - x^2) v - x), p = mu^2 */
static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = y[1];
    f[1] = p[0] * ((1 - y[0] * y[0]) * y[1] - y[0]);
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
               double *fd, void *data)
{
    (void)t, (void)td, (void)data;
    const double x = y[0], v = y[1];
    for (int l = 0; l < w; l++) {
        const double a = yd ? yd[l] : 0, b = yd ? yd[w + l] : 0;
        fd[l] = b;
        fd[w + l] = p[0] * ((-2 * x * v - 1) * a + (1 - x * x) * b) + (pd ? pd[l] * ((1 - x * x) * v - x) : 0);
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)data;
    const double x = y[0], v = y[1];
    for (int l = 0; l < w; l++) {
        const double b = u[w + l];
        if (yb) yb[l] += p[0] * (-2 * x * v - 1) * b;
        if (yb) yb[w + l] += u[l] + p[0] * (1 - x * x) * b;
        if (pb) pb[l] += ((1 - x * x) * v - x) * b;
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                   const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    (void)t, (void)td;
    const double x = y[0], v = y[1];
    if (yb || pb) vjp(t, y, p, w, u, yb, pb, data);
    for (int l = 0; l < w; l++) {
        const double a = yd ? yd[l] : 0, b = yd ? yd[w + l] : 0, c = pd ? pd[l] : 0, z = u[w + l], zd = ud ? ud[w + l] : 0;
        if (ybd) ybd[l] += p[0] * (-2 * x * v - 1) * zd + z * (c * (-2 * x * v - 1) - 2 * p[0] * (a * v + x * b));
        if (ybd) ybd[w + l] += (ud ? ud[l] : 0) + p[0] * (1 - x * x) * zd + z * (c * (1 - x * x) - 2 * p[0] * x * a);
        if (pbd) pbd[l] += ((1 - x * x) * v - x) * zd + z * ((-2 * x * v - 1) * a + (1 - x * x) * b);
    }
    return 0;
}

/* An objective: x at three times, and an integral, of x^2 or of t x^2, which makes nothing constant. */
static int value(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = y[0];
    return 0;
}

static int value_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                     void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int l = 0; yb && l < w; l++) yb[l] += u[l];
    return 0;
}

static int square(int k, double t, const double *y, const double *p, double *r, void *data)
{
    (void)k, (void)p;
    const int timed = *(const int *)data;
    r[0] = y[0] * y[0] * (timed ? t : 1);
    return 0;
}

static int square_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                      void *data)
{
    (void)k, (void)p, (void)pb;
    const int timed = *(const int *)data;
    for (int l = 0; yb && l < w; l++) yb[l] += 2 * y[0] * (timed ? t : 1) * u[l];
    return 0;
}

static const double mu2[] = {1e6};
static const double start[] = {2, -0.66};
static const costate_problem oscillator = {
    .n = 2, .np = 1, .rhs = rhs, .jvp = jvp, .vjp = vjp, .vjp_dot = vjp_dot, .autonomous = 1};

typedef struct result {
    double y[2], g[6]; /* of x and v by x(0), v(0) and p */
    costate_stats stats;
    char choice[256], warning[256];
} result;

static costate_solver *solver(const costate_problem *q, const char *method, double rtol)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    return make_solver(q, &o);
}

static void look(const costate_solver *s, result *r)
{
    costate_get_stats(s, &r->stats);
    snprintf(r->choice, sizeof r->choice, "%s", r->stats.choice);
    snprintf(r->warning, sizeof r->warning, "%s", r->stats.warning);
}

static result sensitivities(costate_solver *s)
{
    result r = {.y = {start[0], start[1]}};
    assert_ok(s, costate_sensitivities(s, 0, 2, mu2, r.y, 3, NULL, 2, NULL, r.g));
    look(s, &r);
    return r;
}

static result gradient(costate_solver *s)
{
    result r = {.y = {start[0], start[1]}};
    assert_ok(s, costate_solve(s, 0, 2, mu2, r.y));
    assert_ok(s, costate_gradient(s, 2, NULL, r.g, r.g + 4));
    look(s, &r);
    return r;
}

static result truth(void)
{
    static result r;
    static int known;
    if (known) return r;
    costate_solver *s = solver(&oscillator, "radau2a", 1e-12);
    r = gradient(s);
    costate_free(s);
    known = 1;
    return r;
}

static double worst(const double *a, const double *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] / b[i] - 1));
    return most;
}

/* By tangents, adjoint and sweep, at all tolerances, method "auto" comes within 30 of them, and says that it took finer ones. */
static void comes_right(const costate_problem *q, const result *known)
{
    static const double rtol[] = {1e-3, 1e-4, 1e-6, 1e-8};
    for (size_t i = 0; i < COUNT(rtol); i++)
        for (int way = 0; way < 3; way++) {
            costate_solver *s = solver(q, NULL, rtol[i]);
            if (way < 2) assert_ok(s, costate_set(s, "sensitivities", way ? "tangent" : "adjoint"));
            const result r = way < 2 ? sensitivities(s) : gradient(s);
            assert_true(worst(r.g, known->g, 6) < 30 * rtol[i]);
            assert_string_equal(r.warning, "");
            assert_non_null(strstr(r.choice, "with rtol = "));
            costate_free(s);
        }
}

static void test_gradient(void **unused)
{
    (void)unused;
    const result known = truth();
    comes_right(&oscillator, &known);
}

/* Directions, and the state beside them, which is that of the same run. */
static void test_tangent(void **unused)
{
    (void)unused;
    costate_solver *s = solver(&oscillator, NULL, 1e-6);
    double y[2] = {start[0], start[1]}, yd[2] = {1, 0}, row[4], rowd[4], psi[2];
    static const double times[] = {1, 2};
    assert_ok(s, costate_output(s, 2, times, row, rowd));
    assert_ok(s, costate_tangent(s, 0, 2, mu2, y, 1, yd, NULL));
    assert_ok(s, costate_objectives(s, psi));
    const result known = truth();
    assert_true(fabs(yd[0] / known.g[0] - 1) < 3e-5 && fabs(yd[1] / known.g[1] - 1) < 3e-5);
    assert_bits(y, psi, 2);
    assert_bits(y, row + 2, 2);
    assert_bits(yd, rowd + 2, 2);
    costate_free(s);
}

/* Along (1, 0, 0), against differences of gradients. Here 1/eps = 1e4: second derivatives through jumps that are sharper are
 * round-off. */
static void test_hessian(void **unused)
{
    (void)unused;
    const double weights[] = {1, 0}, yd[] = {1, 0}, eps = 1e-4, soft[] = {1e4}, rtol[] = {1e-3, 1e-4, 1e-5};
    double g[2][3], slope[3];
    costate_solver *s = solver(&oscillator, "radau2a", 1e-12);
    for (int k = 0; k < 2; k++) {
        double y[2] = {start[0] + (k ? eps : -eps), start[1]};
        assert_ok(s, costate_solve(s, 0, 2, soft, y));
        assert_ok(s, costate_gradient(s, 1, weights, g[k], g[k] + 2));
    }
    costate_free(s);
    for (int i = 0; i < 3; i++) slope[i] = (g[1][i] - g[0][i]) / (2 * eps);
    for (size_t k = 0; k < COUNT(rtol); k++) {
        double y[2] = {start[0], start[1]}, h[3];
        s = solver(&oscillator, NULL, rtol[k]);
        assert_ok(s, costate_solve(s, 0, 2, soft, y));
        assert_ok(s, costate_hessian(s, 1, weights, yd, NULL, h, h + 2));
        assert_true(worst(h, slope, 3) < 30 * rtol[k]);
        costate_free(s);
    }
}

/* What is lost at a jump of f that nobody knows of is not won back: the run stays, and something is said. x' = 1, and 2 beyond
 * x = 1; z follows x quickly. */
static int broken_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = y[0] < 1 ? 1 : 2;
    f[1] = -1e4 * (y[1] - y[0]);
    return 0;
}

static int broken_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int l = 0; yb && l < w; l++) {
        yb[l] += 1e4 * u[w + l];
        yb[w + l] -= 1e4 * u[w + l];
    }
    return 0;
}

/* "auto" stays with the run that it made, which is that of the method named; with a word of warning or without. */
static void stays(const costate_problem *q, int warns)
{
    double y[2][2] = {{0.5, 0.5}, {0.5, 0.5}}, g[2][4];
    result r = {.choice = ""};
    for (int k = 0; k < 2; k++) {
        costate_solver *s = solver(q, k ? r.stats.method : NULL, 1e-4);
        assert_ok(s, costate_solve(s, 0, 1, NULL, y[k]));
        assert_ok(s, costate_gradient(s, 2, NULL, g[k], NULL));
        look(s, &r);
        assert_int_equal(strstr(r.warning, "derivatives are off by about") != NULL, warns);
        assert_null(strstr(r.choice, "with rtol"));
        costate_free(s);
    }
    assert_bits(y[0], y[1], 2);
    assert_bits(g[0], g[1], 4);
}

static void test_jump(void **unused)
{
    (void)unused;
    const costate_problem q = {.n = 2, .rhs = broken_rhs, .vjp = broken_vjp, .autonomous = 1};
    stays(&q, 1);
}

/* The steps of a named method stay, with a word of warning where there is reason. */
static void test_named(void **unused)
{
    (void)unused;
    static const struct {
        const char *method;
        double rtol;
        int warns;
    } all[] = {{"radau2a", 1e-6, 1}, {"rodas4", 1e-5, 1}, {"sdirk4a", 1e-6, 1}, {"radau2a", 1e-10, 0}};
    for (size_t i = 0; i < COUNT(all); i++) {
        costate_solver *s = solver(&oscillator, all[i].method, all[i].rtol);
        const result r = gradient(s), known = truth();
        assert_int_equal(strstr(r.warning, "derivatives are off by about") != NULL, all[i].warns);
        assert_true(all[i].warns == (worst(r.g, known.g, 6) > 1e-3));
        costate_free(s);
        s = solver(&oscillator, all[i].method, all[i].rtol);
        assert_ok(s, costate_set(s, "sensitivities", "tangent"));
        const result q = sensitivities(s);
        assert_int_equal(strstr(q.warning, "derivatives are off by about") != NULL, all[i].warns);
        costate_free(s);
    }
}

/* Threads, lanes, budgets; and what another call leaves behind. */
static void test_bits(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *value;
    } set[] = {{"threads", "2"}, {"lanes", "4"}, {"memory", "40000"}};
    costate_solver *s = solver(&oscillator, NULL, 1e-5), *other = solver(&oscillator, NULL, 1e-5);
    const result r = gradient(s);
    double first[2] = {start[0], start[1]}, again[2] = {start[0], start[1]};
    for (size_t i = 0; i < COUNT(set); i++) {
        assert_ok(other, costate_set(other, set[i].name, set[i].value));
        const result q = gradient(other);
        assert_bits(r.g, q.g, 6);
    }
    assert_ok(s, costate_solve(s, 0, 2, mu2, again)); /* at the tolerance that was asked for */
    costate_free(other);
    other = solver(&oscillator, NULL, 1e-5);
    assert_ok(other, costate_solve(other, 0, 2, mu2, first));
    assert_bits(first, again, 2);
    assert_bits(first, r.y, 2);
    gradient(s);
    assert_ok(s, costate_set(s, "rtol", "1e-6"));
    assert_ok(s, costate_set(s, "atol", "1e-8"));
    const result finer = gradient(s);
    costate_free(other);
    other = solver(&oscillator, NULL, 1e-6);
    assert_ok(other, costate_set(other, "atol", "1e-8"));
    const result same = gradient(other);
    assert_bits(finer.g, same.g, 6);
    costate_free(s);
    costate_free(other);
}

/* An integral takes part in what is constant, unless t is in it; observations move it. */
static void test_running(void **unused)
{
    (void)unused;
    static const double times[] = {0.5, 1, 1.7};
    for (int timed = 0; timed < 2; timed++) {
        costate_problem q = oscillator;
        q.objectives = 1;
        q.running = (costate_function){.eval = square, .vjp = square_vjp};
        q.observe = (costate_function){.eval = value, .vjp = value_vjp};
        q.observations = (int)COUNT(times);
        q.observe_at = times;
        q.data = &timed;
        costate_solver *s = solver(&q, NULL, 1e-6), *sharp = solver(&q, "radau2a", 1e-11);
        double y[2] = {start[0], start[1]}, z[2] = {start[0], start[1]}, g[3], known[3];
        assert_ok(s, costate_solve(s, 0, 2, mu2, y));
        assert_ok(s, costate_gradient(s, 1, NULL, g, g + 2));
        assert_ok(sharp, costate_solve(sharp, 0, 2, mu2, z));
        assert_ok(sharp, costate_gradient(sharp, 1, NULL, known, known + 2));
        costate_stats a;
        costate_get_stats(s, &a);
        assert_int_equal(strstr(a.choice, "with rtol") != NULL, !timed);
        if (!timed) assert_true(worst(g, known, 3) < 3e-5);
        costate_free(s);
        costate_free(sharp);
    }
}

/* Time in f: v' = p ((1 - x^2) v - x + sin(t)/5), whose f is carried forward as a direction. */
static int forced_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    rhs(t, y, p, f, data);
    f[1] += 0.2 * p[0] * sin(t);
    return 0;
}

static int forced_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                      double *fd, void *data)
{
    jvp(t, y, p, w, NULL, yd, pd, fd, data);
    for (int l = 0; l < w; l++) fd[w + l] += 0.2 * ((pd ? pd[l] * sin(t) : 0) + (td ? p[0] * cos(t) * td[l] : 0));
    return 0;
}

static int forced_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    vjp(t, y, p, w, u, yb, pb, data);
    for (int l = 0; pb && l < w; l++) pb[l] += 0.2 * sin(t) * u[w + l];
    return 0;
}

static void test_forced(void **unused)
{
    (void)unused;
    costate_problem q = oscillator;
    q.rhs = forced_rhs, q.jvp = forced_jvp, q.vjp = forced_vjp, q.vjp_dot = NULL, q.autonomous = 0;
    costate_solver *s = solver(&q, "radau2a", 1e-12);
    const result known = gradient(s);
    costate_free(s);
    comes_right(&q, &known);
}

/* A force that jumps at a time of which nobody is told takes from f as a relaxation does, but tighter tolerances do not help, and
 * so the run stays. */
static int pushed_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)p, (void)data;
    f[0] = -y[0] + (t > 0.6 ? 2 : 1);
    f[1] = -1e4 * (y[1] - y[0]);
    return 0;
}

static int pushed_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int l = 0; yb && l < w; l++) {
        yb[l] += 1e4 * u[w + l] - u[l];
        yb[w + l] -= 1e4 * u[w + l];
    }
    return 0;
}

static int pushed_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                      double *fd, void *data)
{
    (void)t, (void)y, (void)p, (void)td, (void)pd, (void)data;
    for (int l = 0; l < w; l++) {
        fd[l] = yd ? -yd[l] : 0;
        fd[w + l] = yd ? -1e4 * (yd[w + l] - yd[l]) : 0;
    }
    return 0;
}

static void test_pushed(void **unused)
{
    (void)unused;
    const costate_problem q = {.n = 2, .rhs = pushed_rhs, .jvp = pushed_jvp, .vjp = pushed_vjp};
    stays(&q, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_tangent), cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_jump),     cmocka_unit_test(test_named),   cmocka_unit_test(test_bits),
        cmocka_unit_test(test_running),  cmocka_unit_test(test_forced),  cmocka_unit_test(test_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
