/* test_certificate.c - what a certificate says is about what was computed: each objective and component is judged by its own
 * size, what cannot be measured is not said to hold, steps that move are seen, and Newton's tolerance is named. */
#include "known.h"

#include <math.h>

static const char *const methods[] = {"rk32", "dopri5", "dopri853", "ros4", "rodas4", "sdirk2a", "sdirk4b", "radau2a", "gauss"};
enum { METHODS = sizeof methods / sizeof *methods };

static costate_certificate certify(const costate_problem *q, const char *method, double t1, const double *p, const double *y)
{
    costate_options o = costate_defaults(method);
    costate_solver *s = solver(q, &o);
    costate_certificate c;
    int status = costate_check(s, 0, t1, p, y, &c);
    if (status && status != COSTATE_CHECK_FAILED) fail_msg("%s: %s", method, costate_message(s));
    assert_int_equal(c.holds, !status);
    costate_free(s);
    return c;
}

/* ---- small parts of large numbers ------------------------------------------------------------------------------------- */

/* y_i' = -p_i y_i. One objective, offset + y_0 + share y_1, or two, y_0 and share y_1. With `wrong` all products have the same
 * wrong sign of d f_1 / d p_1, so that only differences can tell. */
static double share, offset;
static int apart, wrong;

static double sign_of(int i)
{
    return wrong && i == 1 ? 1 : -1;
}

static int pair_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < 2; i++) f[i] = -p[i] * y[i];
    return 0;
}

static int pair_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                    double *fd, void *data)
{
    (void)t, (void)td, (void)data;
    for (int k = 0; k < 2 * w; k++)
        fd[k] = (yd ? -p[k / w] * yd[k] : 0) + (pd ? sign_of(k / w) * pd[k] * y[k / w] : 0);
    return 0;
}

static int pair_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)data;
    for (int k = 0; k < 2 * w; k++) {
        if (yb) yb[k] -= p[k / w] * u[k];
        if (pb) pb[k] += sign_of(k / w) * y[k / w] * u[k];
    }
    return 0;
}

static int pair_vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                        const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    pair_vjp(t, y, p, w, u, yb, pb, data);
    if (ud) pair_vjp(t, y, p, w, ud, ybd, pbd, data);
    (void)td;
    for (int k = 0; k < 2 * w; k++) {
        if (ybd && pd) ybd[k] += sign_of(k / w) * pd[k] * u[k];
        if (pbd && yd) pbd[k] += sign_of(k / w) * yd[k] * u[k];
    }
    return 0;
}

static int goal_eval(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = apart ? y[0] : offset + y[0] + share * y[1];
    if (apart) g[1] = share * y[1];
    return 0;
}

static int goal_jvp(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                    const double *pd, double *g, void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)td, (void)pd, (void)data;
    for (int l = 0; l < w; l++) {
        double a = yd ? yd[l] : 0, b = yd ? share * yd[w + l] : 0;
        g[l] = apart ? a : a + b;
        if (apart) g[w + l] = b;
    }
    return 0;
}

static int goal_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int l = 0; yb && l < w; l++) yb[l] += u[l], yb[w + l] += share * u[apart ? w + l : l];
    return 0;
}

static int goal_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                        const double *pd, const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd,
                        void *data)
{
    (void)td, (void)yd, (void)pd;
    goal_vjp(k, t, y, p, w, u, yb, pb, data);
    return ud && ybd ? goal_vjp(k, t, y, p, w, ud, ybd, pbd, data) : 0;
}

static costate_certificate pair(const char *method, int set_apart, double set_share, double set_offset, int set_wrong)
{
    static const double p[] = {1, 2}, y[] = {1, 1};
    costate_problem q = {.n = 2, .np = 2, .rhs = pair_rhs, .jvp = pair_jvp, .vjp = pair_vjp, .vjp_dot = pair_vjp_dot,
                         .objectives = set_apart ? 2 : 1, .autonomous = 1,
                         .terminal = {goal_eval, goal_jvp, goal_vjp, goal_vjp_dot, NULL}};
    apart = set_apart, share = set_share, offset = set_offset, wrong = set_wrong;
    return certify(&q, method, 1, p, y);
}

static void test_small_parts(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (double s = 1; s > 1e-13; s /= 1e3)
            for (int two = 0; two < 2; two++) {
                costate_certificate c = pair(methods[m], two, s, 0, 0);
                if (!c.holds) fail_msg("%s, share %g: %s", methods[m], s, c.text);
                c = pair(methods[m], two, s, 0, 1);
                if (c.holds || !c.products.wrong) fail_msg("%s, share %g, wrong: %s", methods[m], s, c.text);
                if (two || s > 1e-4) assert_true(c.steps.wrong > 0); /* and by whole runs, where round-off lets them */
            }
}

static void test_offset(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (double o = 1; o < 1e12; o *= 100) {
            costate_certificate c = pair(methods[m], 0, 1, o, 0);
            if (!c.holds) fail_msg("%s, offset %g: %s", methods[m], o, c.text);
            c = pair(methods[m], 0, 1, o, 1);
            if (c.holds || !c.steps.wrong) fail_msg("%s, offset %g, wrong: %s", methods[m], o, c.text);
        }
}

/* Behind 1e20 nothing is left to be measured, and nothing is said to hold. */
static void test_nothing_left(void **unused)
{
    (void)unused;
    costate_certificate c = pair("dopri5", 0, 1, 1e20, 0);
    assert_false(c.holds);
    assert_int_equal(c.steps.measured, 0);
    assert_true(isnan(c.slope_gradient) && isnan(c.slope_hessian) && isnan(c.steps.defect));
    assert_non_null(strstr(c.text, "not measured"));
    assert_non_null(strstr(c.remark, "not judged: g[0]"));
}

/* ---- judged variables ------------------------------------------------------------------------------------------------- */

static void test_some(void **unused)
{
    static const double p[] = {1, 2}, y[] = {1, 1};
    static const int first[] = {0, 1, 2}, last[] = {3}, beyond[] = {4};
    costate_problem q = {.n = 2, .np = 2, .rhs = pair_rhs, .jvp = pair_jvp, .vjp = pair_vjp, .vjp_dot = pair_vjp_dot};
    costate_certificate c;
    (void)unused;
    wrong = 1;
    costate_options o = costate_defaults("dopri5");
    costate_solver *s = solver(&q, &o);
    GOOD(s, costate_check_some(s, 0, 1, p, y, 3, first, &c));
    assert_int_equal(c.components, 3);
    assert_int_equal(costate_check_some(s, 0, 1, p, y, 1, last, &c), COSTATE_CHECK_FAILED);
    assert_int_equal(c.components, 1);
    assert_int_equal(costate_check_some(s, 0, 1, p, y, 1, beyond, &c), COSTATE_ERR_WIDTH);
    assert_int_equal(costate_check_some(s, 0, 1, p, y, 0, last, &c), COSTATE_ERR_WIDTH);
    assert_int_equal(costate_check_some(s, 0, 1, p, y, 3, NULL, &c), COSTATE_ERR_WIDTH);
    assert_int_equal(costate_check_some(s, 0, 1, p, y, -1, NULL, &c), COSTATE_ERR_WIDTH);
    assert_true(isnan(c.identity) && !c.holds);
    wrong = 0;
    GOOD(s, costate_check_some(s, 0, 1, p, y, 4, NULL, &c)); /* that is all of them */
    costate_free(s);
}

/* ---- a switch that moves ---------------------------------------------------------------------------------------------- */

/* y' = -p_2 y + (t < p_1 ? p_0 : 0): the derivative by p_1 is 3 exp(-0.3), and frozen steps say 0. */
static int dose_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)data;
    f[0] = -p[2] * y[0] + (t < p[1] ? p[0] : 0);
    return 0;
}

static int dose_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                    double *fd, void *data)
{
    (void)td, (void)data;
    for (int l = 0; l < w; l++)
        fd[l] = (yd ? -p[2] * yd[l] : 0) + (pd ? -pd[2 * w + l] * y[0] + (t < p[1] ? pd[l] : 0) : 0);
    return 0;
}

static int dose_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)data;
    for (int l = 0; l < w; l++) {
        if (yb) yb[l] -= p[2] * u[l];
        if (pb) pb[2 * w + l] -= y[0] * u[l];
        if (pb && t < p[1]) pb[l] += u[l];
    }
    return 0;
}

/* By methods whose step control sees a jump. */
static void test_moving_switch(void **unused)
{
    static const char *const sees[] = {"rk32", "rk43", "dopri5", "cashkarp", "verner65", "dopri853", "ros4", "rodas4", "radau2a"};
    static const double p[] = {3, 0.4, 0.5}, y[] = {0};
    const costate_problem q = {.n = 1, .np = 3, .rhs = dose_rhs, .jvp = dose_jvp, .vjp = dose_vjp};
    (void)unused;
    for (size_t m = 0; m < sizeof sees / sizeof *sees; m++) {
        costate_certificate c = certify(&q, sees[m], 1, p, y);
        if (c.holds || !c.free_steps.wrong) fail_msg("%s: %s", sees[m], c.text);
    }
}

/* ---- objectives and states that vanish --------------------------------------------------------------------------------- */

/* y' = p - y, y(0) = p = 1: (y - 1)^2 is zero, and so is its gradient. */
static int still_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = p[0] - y[0];
    return 0;
}

static int still_jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)y, (void)p, (void)data;
    j[0] = -1;
    return 0;
}

static int square(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = (y[0] - 1) * (y[0] - 1);
    return 0;
}

/* Powers of what begins at 0: to one side of it there is nothing. */
static int root_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = p[0] - y[0];
    f[1] = p[1] * pow(y[0], 1.5) - y[1];
    return 0;
}

static int root_jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)data;
    j[0] = j[3] = -1, j[1] = 1.5 * p[1] * sqrt(y[0]), j[2] = 0;
    return 0;
}

static void test_vanishes(void **unused)
{
    static const double one[] = {1}, p[] = {1, 0.5}, zero[] = {0, 0};
    const costate_problem still = {.n = 1, .np = 1, .rhs = still_rhs, .jac = still_jac, .objectives = 1,
                                   .terminal = {.eval = square}};
    const costate_problem root = {.n = 2, .np = 2, .rhs = root_rhs, .jac = root_jac};
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        costate_certificate c = certify(&still, methods[m], 10, one, one);
        if (!c.holds) fail_msg("%s: %s", methods[m], c.text);
    }
    costate_certificate c = certify(&root, "dopri5", 2, p, zero);
    if (!c.holds) fail_msg("%s", c.text);
    assert_true(c.failed > 0 && c.runs > c.failed);
    assert_non_null(strstr(c.remark, "perturbed runs failed"));
    assert_non_null(strstr(c.remark, "the Hessian was not judged"));
}

/* ---- derivatives by time ------------------------------------------------------------------------------------------------ */

/* y0' = y1, 0 = y0 - p sin t: where it begins, y1 follows from the constraint's derivative by time, whose derivatives are those
 * of jvp2 and vjp_dot along t. With `timeless` they know of none. */
static int timeless;

static int follow_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)data;
    f[0] = y[1], f[1] = y[0] - p[0] * sin(t);
    return 0;
}

static int follow_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                      double *fd, void *data)
{
    (void)y, (void)data;
    for (int l = 0; l < w; l++) {
        fd[l] = yd ? yd[w + l] : 0;
        fd[w + l] = (yd ? yd[l] : 0) - (pd ? pd[l] * sin(t) : 0) - (td ? td[l] * p[0] * cos(t) : 0);
    }
    return 0;
}

static int follow_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)y, (void)p, (void)data;
    for (int l = 0; l < w; l++) {
        if (yb) yb[l] += u[w + l], yb[w + l] += u[l];
        if (pb) pb[l] -= sin(t) * u[w + l];
    }
    return 0;
}

static int follow_jvp2(double t, const double *y, const double *p, int w, const double *t1, const double *y1, const double *p1,
                       const double *t2, const double *y2, const double *p2, double *fdd, void *data)
{
    (void)y, (void)y1, (void)y2, (void)data;
    for (int l = 0; l < w; l++) {
        const double a = t1 && !timeless ? t1[l] : 0, b = t2 && !timeless ? t2[l] : 0;
        fdd[l] = 0;
        fdd[w + l] = a * b * p[0] * sin(t) - (a * (p2 ? p2[l] : 0) + b * (p1 ? p1[l] : 0)) * cos(t);
    }
    return 0;
}

static int follow_vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                          const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    follow_vjp(t, y, p, w, u, yb, pb, data);
    if (ud) follow_vjp(t, y, p, w, ud, ybd, pbd, data);
    (void)yd, (void)pd;
    for (int l = 0; pbd && td && !timeless && l < w; l++) pbd[l] -= td[l] * cos(t) * u[w + l];
    return 0;
}

static void test_timeless(void **unused)
{
    static const char *const takes[] = {"radau2a", "sdirk4a", "bdf"};
    static const double p[] = {2}, y[] = {0, 0}, mass[] = {1, 0}, of_index2[] = {0, 2};
    const costate_problem q = {.n = 2, .np = 1, .rhs = follow_rhs, .jvp = follow_jvp, .vjp = follow_vjp, .jvp2 = follow_jvp2,
                               .vjp_dot = follow_vjp_dot, .mass = mass, .index = of_index2};
    (void)unused;
    for (int m = 0; m < 3; m++)
        for (timeless = 0; timeless < 2; timeless++) {
            const costate_certificate c = certify(&q, takes[m], 2, p, y);
            if (c.holds == timeless || (c.products.wrong > 0) != timeless) fail_msg("%s, %d: %s", takes[m], timeless, c.text);
        }
    timeless = 0;
}

/* ---- Newton's tolerance ------------------------------------------------------------------------------------------------ */

/* The options are the caller's. Where Newton's iteration is stopped far too early, the gradient is not that of the objective. */
static void test_newton(void **unused)
{
    static const char *const implicit[] = {"sdirk4a", "sdirk2a", "radau2a"};
    const problem *q = &problem_lotka_volterra;
    (void)unused;
    for (int m = 0; m < 3; m++) {
        double off[2];
        for (int tight = 0; tight < 2; tight++) {
            costate_options o = costate_defaults(implicit[m]);
            o.rtol = 1e-4;
            o.newton_tol = tight ? 1e-8 : 0.5;
            costate_solver *s = solver(&q->prob, &o);
            costate_certificate c;
            int status = costate_check(s, q->t0, q->t1, q->p, q->y0, &c);
            off[tight] = c.steps.defect;
            if (tight && status) fail_msg("%s: %s", implicit[m], c.text);
            if (!tight) assert_non_null(strstr(c.remark, "newton_tol"));
            costate_free(s);
        }
        print_message("%s: off by %.1e, with a tight iteration by %.1e\n", implicit[m], off[0], off[1]);
        assert_true(off[0] > 10 * off[1] && off[1] < 1e-6);
    }
}

/* Steps of a given size are solved to round-off: there a gradient is right or it is not, by these methods too. */
static void test_given_steps(void **unused)
{
    const problem *q = &problem_lotka_volterra;
    (void)unused;
    for (int i = 0; costate_method(i); i++) {
        const costate_table *method = costate_method(i);
        if (method->family != COSTATE_SDIRK && method->family != COSTATE_FIRK) continue;
        costate_options o = costate_defaults(method->name);
        o.rtol = 1e-2;
        o.step = (q->t1 - q->t0) / 100;
        costate_solver *s = solver(&q->prob, &o);
        costate_certificate c;
        if (costate_check(s, q->t0, q->t1, q->p, q->y0, &c)) fail_msg("%s: %s", method->name, c.text);
        if (!(c.steps.defect < 1e-6 && c.steps.most < 1e-5 && c.slope_gradient > 1.9)) fail_msg("%s: %s", method->name, c.text);
        costate_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_parts),   cmocka_unit_test(test_offset),   cmocka_unit_test(test_nothing_left),
        cmocka_unit_test(test_some),          cmocka_unit_test(test_vanishes), cmocka_unit_test(test_moving_switch),
        cmocka_unit_test(test_newton),        cmocka_unit_test(test_given_steps),
        cmocka_unit_test(test_timeless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
