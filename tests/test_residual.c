/* test_residual.c - F(t, y, y', p) = 0: a problem that is not solved for y', known answers by several methods, products that are
 * transposes, guesses of y', the form that a library's user writes, and what is wrong, by name. The forms of test_mass.c are
 * tested there. */
#define _GNU_SOURCE /* mkstemps */
#include "generated.h"
#include "support.h"

#include <costate/diff.h>

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const methods[] = {"radau2a", "bdf", "sdirk4a", "rodas4", "lobatto3c", "sdirk4b"};

static costate_options options_of(const char *method, double tol)
{
    costate_options o = costate_defaults(method);
    o.rtol = o.atol = tol;
    o.max_steps = 1000000;
    return o;
}

/* ---- known answers ----------------------------------------------------------------------------------------------------- */

/* A rotation by 1.57; y1' and y2' are in both equations. */
static void test_rotation(void **unused)
{
    (void)unused;
    costate_model *model = generated_model("rotation", NULL);
    const costate_problem *q = costate_model_problem(model);
    assert_int_equal(q->n, 4);
    assert_int_equal(q->slopes, 2);
    for (size_t m = 0; m < COUNT(methods); m++) {
        costate_options o = options_of(methods[m], 1e-9);
        costate_solver *s = make_solver(q, &o);
        double y[4] = {0, 1, 0, 0}, dy0[4], h[4];
        assert_ok(s, costate_solve(s, 0, 1.57, NULL, y));
        assert_near(y[0], sin(1.57), 3e-7);
        assert_near(y[1], cos(1.57), 3e-7);
        assert_near(y[2], y[1], 1e-6); /* y1' = y2 */
        assert_near(y[3], -y[0], 1e-6);
        assert_string_equal(stats_of(s).start, ""); /* slopes are found, not corrected */
        assert_ok(s, costate_gradient(s, 1, NULL, dy0, NULL));
        assert_near(dy0[0], -0.9992033562211013, 1e-6);
        assert_near(dy0[1], 1.0007960096425679, 1e-6);
        assert_true(dy0[2] == 0 && dy0[3] == 0);
        const double direction[4] = {1, 0.5, 7, 7}; /* the solution is linear in y0 */
        assert_ok(s, costate_hessian(s, 1, NULL, direction, NULL, h, NULL));
        for (int i = 0; i < 4; i++) assert_near(h[i], 0, 3e-7);
        costate_free(s);
    }
    costate_model_close(model);
}

/* ---- transposes -------------------------------------------------------------------------------------------------------- */

static void test_identity(void **unused)
{
    enum { N = 16, NP = 19 };
    (void)unused;
    costate_model *model = generated_model("transistor", NULL);
    costate_problem q = *costate_model_problem(model); /* with initial values that are given */
    q.init = (costate_function){0};
    const costate_model_info about = costate_model_about(model);
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int w = 1; w <= 3; w += 2) {
            costate_options o = options_of(methods[m], 1e-4);
            costate_solver *s = make_solver(&q, &o);
            double y[N], ydot[3 * N], pdot[3 * NP], start[3 * N], lambda[3 * N], mu[3 * NP];
            memcpy(y, about.y0, sizeof y);
            for (int i = 0; i < N * w; i++) start[i] = ydot[i] = sin(i), lambda[i] = i < N / 2 * w ? cos(3 * i) : 1e-4 * cos(i);
            for (int i = 0; i < NP * w; i++) pdot[i] = cos(2 * i) * about.p[i / w];
            assert_ok(s, costate_tangent(s, 0, 0.02, about.p, y, w, ydot, pdot));
            double off[3] = {0}, size[3] = {0};
            for (int i = 0; i < N * w; i++) off[i % w] += lambda[i] * ydot[i], size[i % w] += fabs(lambda[i] * ydot[i]);
            assert_ok(s, costate_adjoint(s, w, lambda, mu));
            for (int i = 0; i < N * w; i++) off[i % w] -= lambda[i] * start[i], size[i % w] += fabs(lambda[i] * start[i]);
            for (int i = 0; i < NP * w; i++) off[i % w] -= mu[i] * pdot[i], size[i % w] += fabs(mu[i] * pdot[i]);
            for (int l = 0; l < w; l++)
                if (!(fabs(off[l]) <= 1e-11 * size[l])) fail_msg("%s, lane %d: %g", methods[m], l, off[l] / size[l]);
            costate_free(s);
        }
    costate_model_close(model);
}

/* ---- slopes ------------------------------------------------------------------------------------------------------------ */

/* y'^2 = p y: two branches, and none from y' = 0, where the equation does not tell them apart. */
static const char *const square =
    "#include <costate/model.h>\n"
    "static void residual(double t, const double *y, const double *yp, const double *p, double *r)\n"
    "{ r[0] = yp[0] * yp[0] - p[0] * y[0]; }\n"
    "#if GUESS\n"
    "static void init(const double *p, double *y) { y[0] = p[0] * p[0]; }\n"
    "#define START .init = init, .yp0 = COSTATE_VALUES(GUESS)\n"
    "#else\n"
    "#define START .y0 = COSTATE_VALUES(1)\n"
    "#endif\n"
    "COSTATE_MODEL(square, .states = 1, .state_names = COSTATE_NAMES(\"height\"), .params = 1, .p = COSTATE_VALUES(1), .t1 = 1,\n"
    "    .residual = residual, START)\n";

static costate_model *model_of(const char *text, int defines, const char *const *define)
{
    char name[] = "/tmp/costate-residual-XXXXXX.c";
    const int fd = mkstemps(name, 2);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    costate_model *m = NULL;
    const costate_model_options options = {.defines = defines, .define = define};
    if (costate_model_open(&m, name, &options)) fail_msg("%s", m ? costate_model_message(m) : "out of memory");
    unlink(name);
    return m;
}

static void test_guess(void **unused)
{
    static const char *const guess[] = {"GUESS=2", "GUESS=-3", "GUESS=0"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const double sign = k ? -1 : 1;
        costate_model *model = model_of(square, 1, &guess[k]);
        const costate_problem *q = costate_model_problem(model);
        const costate_model_info about = costate_model_about(model);
        costate_options o = options_of("radau2a", 1e-9);
        costate_solver *s = make_solver(q, &o);
        double y[2] = {about.y0[0], about.y0[1]}, dy0[2], dp[1];
        assert_near(about.y0[0], 1, 0);
        assert_near(about.y0[1], k ? k == 1 ? -3 : 0 : 2, 0);
        const int status = costate_solve(s, 0, 1, about.p, y);
        if (k == 2) {
            assert_int_equal(status, COSTATE_ERR_CONSISTENT);
            assert_non_null(strstr(costate_message(s), ".yp0"));
        } else {
            assert_ok(s, status); /* y = (sqrt(y0) +- sqrt(p) t/2)^2, y0 = p^2 */
            assert_near(y[0], (1 + sign / 2) * (1 + sign / 2), 1e-7);
            assert_near(y[1], sign * (1 + sign / 2), 1e-7);
            assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
            assert_near(dp[0], 2 * (1 + sign / 2) * (1 + sign / 4), 1e-7);
        }
        costate_free(s);
        costate_model_close(model);
    }
}

/* A capacitor between two nodes, many times: only differences of slopes count, of as many pairs as there are. */
static const char *const pairs =
    "#include <costate/model.h>\n"
    "static void residual(double t, const double *y, const double *yp, const double *p, double *r)\n"
    "{\n"
    "    for (int i = 0; i < PAIRS; i++) {\n"
    "        const double current = p[0] * (1 + i) * (yp[2 * i] - yp[2 * i + 1]);\n"
    "        r[2 * i] = current + y[2 * i] - sin(t);\n"
    "        r[2 * i + 1] = y[2 * i + 1] - current;\n"
    "    }\n"
    "}\n"
    "static const double zero[2 * PAIRS];\n"
    "COSTATE_MODEL(pairs, .states = 2 * PAIRS, .params = 1, .p = COSTATE_VALUES(0.7), .y0 = COSTATE_ARRAY(zero), .t1 = 1,\n"
    "    .residual = residual)\n";

static void test_pairs(void **unused)
{
    enum { PAIRS = 300 };
    static const char *const define[] = {"PAIRS=300"};
    static double y[4 * PAIRS];
    (void)unused;
    costate_model *model = model_of(pairs, 1, define);
    costate_options o = options_of("bdf", 1e-8);
    costate_solver *s = make_solver(costate_model_problem(model), &o);
    assert_ok(s, costate_solve(s, 0, 1, costate_model_about(model).p, y));
    for (int i = 0; i < PAIRS; i++) { /* d = y0 - y1: c d' = (sin t - d)/2 */
        const double a = 0.5 / (0.7 * (1 + i)), d = a * (a * sin(1) - cos(1) + exp(-a)) / (1 + a * a);
        assert_near(y[2 * i], (sin(1) + d) / 2, 1e-6);
        assert_near(y[2 * i + 1], (sin(1) - d) / 2, 1e-6);
    }
    costate_free(s);
    costate_model_close(model);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------------- */

/* (y, v) as a library has it: y' = v, 0 = v + p y. */
static int decay(double t, const double *x, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = x[1];
    f[1] = x[1] + p[0] * x[0];
    return 0;
}

static int decay_jvp(double t, const double *x, const double *p, int w, const double *tdot, const double *xdot,
                     const double *pdot, double *fdot, void *data)
{
    (void)t, (void)tdot, (void)data;
    for (int l = 0; l < w; l++) {
        const double y = xdot ? xdot[l] : 0, v = xdot ? xdot[w + l] : 0, q = pdot ? pdot[l] : 0;
        fdot[l] = v;
        fdot[w + l] = v + p[0] * y + q * x[0];
    }
    return 0;
}

static int decay_vjp(double t, const double *x, const double *p, int w, const double *u, double *xb, double *pb, void *data)
{
    (void)t, (void)data;
    for (int l = 0; l < w; l++) {
        if (xb) xb[l] += p[0] * u[w + l], xb[w + l] += u[l] + u[w + l];
        if (pb) pb[l] += x[0] * u[w + l];
    }
    return 0;
}

static int decay_vjp_dot(double t, const double *x, const double *p, int w, const double *tdot, const double *xdot,
                         const double *pdot, const double *u, const double *udot, double *xb, double *xbdot, double *pb,
                         double *pbdot, void *data)
{
    (void)tdot;
    if (xb || pb) decay_vjp(t, x, p, w, u, xb, pb, data);
    if (udot && (xbdot || pbdot)) decay_vjp(t, x, p, w, udot, xbdot, pbdot, data);
    for (int l = 0; l < w; l++) {
        if (xbdot && pdot) xbdot[l] += pdot[l] * u[w + l];
        if (pbdot && xdot) pbdot[l] += xdot[l] * u[w + l];
    }
    return 0;
}

/* With products of one's own, and without. */
static void test_plain(void **unused)
{
    static const double mass[] = {1, 0};
    costate_problem q = {.n = 2, .np = 1, .rhs = decay, .mass = mass, .slopes = 1};
    (void)unused;
    for (int own = 0; own < 2; own++)
        for (size_t m = 0; m < COUNT(methods); m++) {
            if (own) q.jvp = decay_jvp, q.vjp = decay_vjp, q.vjp_dot = decay_vjp_dot;
            costate_options o = options_of(methods[m], 1e-7);
            costate_solver *s = make_solver(&q, &o);
            double y[2] = {2, 5}, p[1] = {0.7}, psi[1], dy0[2], dp[1], hp[1], pdot[1] = {1};
            assert_ok(s, costate_solve(s, 0, 2, p, y));
            assert_near(y[0], 2 * exp(-1.4), 1e-5);
            assert_ok(s, costate_objectives(s, psi)); /* of one state: its slope is none */
            assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
            assert_near(dy0[0], exp(-1.4), 1e-5);
            assert_near(dp[0], -4 * exp(-1.4), 1e-5);
            if (own && strncmp(methods[m], "ro", 2)) { /* Rosenbrock methods want third derivatives */
                assert_ok(s, costate_hessian(s, 1, NULL, NULL, pdot, dy0, hp));
                assert_near(hp[0], 8 * exp(-1.4), 3e-5);
                assert_near(dy0[0], -2 * exp(-1.4), 1e-5);
            }
            costate_free(s);
        }
    q = (costate_problem){.n = 2, .np = 1, .rhs = decay, .slopes = 1};
    costate_solver *s = NULL;
    assert_int_equal(costate_create(&s, &q, NULL), COSTATE_ERR_MASS);
    assert_non_null(strstr(costate_message(s), "slopes = 1 of 2 states, mass is NULL"));
    costate_free(s);
    q.mass = mass, q.slopes = 2, s = NULL;
    assert_int_equal(costate_create(&s, &q, NULL), COSTATE_ERR_MASS);
    costate_free(s);
}

/* ---- what is wrong, by name -------------------------------------------------------------------------------------------- */

/* The residual of (a, b), from (1, 0.6). */
static const char *const pair =
    "#include <costate/model.h>\n"
    "static void residual(double t, const double *y, const double *yp, const double *p, double *r)\n"
    "{ r[0] = FIRST; r[1] = SECOND; }\n"
    "COSTATE_MODEL(pair, .states = 2, .state_names = COSTATE_NAMES(\"a\", \"b\"), .y0 = COSTATE_VALUES(1, 0.6), .t1 = 1,\n"
    "    .residual = residual)\n";

/* x' = u, u' = -force x, 0 = x - 1. */
static const char *const third =
    "#include <costate/model.h>\n"
    "static void residual(double t, const double *y, const double *yp, const double *p, double *r)\n"
    "{ r[0] = yp[0] - y[1]; r[1] = yp[1] + y[2] * y[0]; r[2] = y[0] - 1; }\n"
    "COSTATE_MODEL(third, .states = 3, .state_names = COSTATE_NAMES(\"x\", \"u\", \"force\"),\n"
    "    .y0 = COSTATE_VALUES(1, 0, 0), .t1 = 1, .residual = residual, .index = COSTATE_VALUES(INDEX))\n";

static const struct wrong {
    const char *text, *defines[2], *method;
    int status;
    const char *words;
} wrongs[] = {
    {pair, {"FIRST=yp[0] + y[0]", "SECOND=y[1] - sqrt(y[0] - 2)"}, "auto", COSTATE_ERR_NOT_FINITE, "residual[1] is"},
    {pair,
     {"FIRST=yp[0] + y[0]", "SECOND=t < 0.5 ? y[1] - y[0] : log(-y[0])"},
     "radau2a",
     COSTATE_ERR_NOT_FINITE,
     "residual[1] in stage"},
    {pair,
     {"FIRST=yp[0] + y[0]", "SECOND=y[1] * y[1] + 1"},
     "bdf",
     COSTATE_ERR_CONSISTENT,
     "does not converge at t = 0: residual[1] is off by 1"},
    {pair,
     {"FIRST=yp[0] + yp[1] + y[0]", "SECOND=2 * (yp[0] + yp[1]) + y[0]"},
     "auto",
     COSTATE_ERR_CONSISTENT,
     "left open by residual[0], residual[1]: b;"},
    {pair,
     {"FIRST=yp[0] + y[0]", "SECOND=y[1] - y[0]"},
     "dopri5",
     COSTATE_ERR_MASS,
     "dopri5 does not solve F(t, y, y', p) = 0; those that do are auto, rodas3"},
    {pair, {"FIRST=sqrt(yp[0]) - y[0]", "SECOND=y[1] - y[0]"}, "auto", COSTATE_ERR_JACOBIAN, "of residual[0] by a' is inf"},
    {third, {"INDEX=0, 0, 1"}, "auto", COSTATE_ERR_CONSISTENT, "left open by residual[2]: force, u';"},
    {third, {"INDEX=0, 0, 2"}, "auto", COSTATE_ERR_CONSISTENT, "the index is above 2, or not in Hessenberg's form; left open by"},
    {third, {"INDEX=0, 0, 2"}, "rodas4", COSTATE_ERR_MASS, "rodas4 does not solve F(t, y, y', p) = 0 with variables of index 2"},
};

static void test_wrong(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < COUNT(wrongs); k++) {
        const struct wrong *x = &wrongs[k];
        costate_model *model = model_of(x->text, x->defines[1] ? 2 : 1, x->defines);
        const costate_model_info about = costate_model_about(model);
        costate_options o = options_of(x->method, 1e-6);
        costate_solver *s = NULL;
        double y[6];
        int status = costate_create(&s, costate_model_problem(model), &o);
        memcpy(y, about.y0, (size_t)costate_model_problem(model)->n * sizeof *y);
        if (!status) status = costate_solve(s, 0, 1, about.p, y);
        assert_int_equal(status, x->status);
        if (!strstr(costate_message(s), x->words)) fail_msg("\"%s\" lacks \"%s\"", costate_message(s), x->words);
        costate_free(s);
        costate_model_close(model);
    }
}

/* Newton's method from 0.6 goes to the root 1, and says so. */
static void test_other_root(void **unused)
{
    static const char *const defines[] = {"FIRST=yp[0]", "SECOND=y[1] * y[1] * y[1] - y[1]"};
    (void)unused;
    costate_model *model = model_of(pair, 2, defines);
    costate_options o = options_of("auto", 1e-6);
    costate_solver *s = make_solver(costate_model_problem(model), &o);
    double y[4] = {1, 0.6};
    assert_ok(s, costate_solve(s, 0, 1, NULL, y));
    assert_near(y[1], 1, 1e-12);
    assert_string_equal(stats_of(s).start, "b from 0.6 to 1");
    costate_free(s);
    costate_model_close(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation),   cmocka_unit_test(test_identity), cmocka_unit_test(test_guess),
        cmocka_unit_test(test_pairs),      cmocka_unit_test(test_plain),    cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_other_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
