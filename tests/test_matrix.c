/* test_matrix.c - whole matrices: tangents and adjoint give the same one, the cheaper is taken, the Hessian is symmetric and made
 * of Hessian products; with any number of threads the same bits; no numbers after a failure. */
#include "support.h"

#include "glv.h"
#include "problems.h"

enum { MOST = 40 };

static size_t objectives(const problem *q)
{
    return (size_t)(q->prob.objectives ? q->prob.objectives : q->prob.n);
}

static costate_solver *solver(const problem *q, const char *method, const char *way, int threads)
{
    costate_options opt = costate_defaults(method);
    opt.rtol = opt.atol = 1e-6;
    opt.lanes = 4;
    opt.threads = threads;
    opt.sensitivities = way;
    opt.sweep_tol = 1e-13;
    return make_solver(&q->prob, &opt);
}

static void matrix(const problem *q, const char *method, const char *way, int threads, int count, const int *list, int w,
                   const double *weights, double *d)
{
    costate_solver *s = solver(q, method, way, threads);
    double y[MOST] = {0};
    if (q->y0) memcpy(y, q->y0, (size_t)q->prob.n * sizeof *y);
    assert_ok(s, costate_sensitivities(s, q->t0, q->t1, q->p, y, count, list, w, weights, d));
    if (strcmp(way, "auto")) assert_string_equal(stats_of(s).sensitivities, way);
    assert_int_equal(stats_of(s).vjp > 0, !strcmp(stats_of(s).sensitivities, "adjoint"));
    costate_free(s);
}

/* a and b agree relative to the largest entry of each lane: their units differ. */
static void agree(const double *a, const double *b, size_t rows, size_t w, double most)
{
    for (size_t l = 0; l < w; l++) {
        double size = 0;
        for (size_t k = 0; k < rows; k++) size = fmax(size, fabs(a[k * w + l]));
        for (size_t k = 0; k < rows; k++) assert_near(a[k * w + l], b[k * w + l], most * size);
    }
}

static void test_both_ways(void **unused)
{
    static const char *const methods[] = {"dopri5", "rodas3", "sdirk4a", "radau2a"};
    const problem *const problems[] = {&problem_lotka_volterra, &problem_duffing, &problem_van_der_pol_control_2};
    double a[MOST * MOST], b[MOST * MOST], weights[MOST];
    (void)unused;
    for (size_t i = 0; i < COUNT(problems); i++)
        for (size_t m = 0; m < COUNT(methods); m++) {
            const problem *q = problems[i];
            int all = q->prob.n + q->prob.np, nobj = (int)objectives(q), list[2] = {all - 1, 0};
            double most = m ? 1e-9 : 1e-12;
            assert_true(all * nobj <= MOST * MOST && all <= MOST);
            matrix(q, methods[m], "tangent", 1, 0, NULL, nobj, NULL, a);
            matrix(q, methods[m], "adjoint", 1, 0, NULL, nobj, NULL, b);
            agree(a, b, (size_t)all, (size_t)nobj, most);
            for (int j = 0; j < nobj; j++) weights[j] = 1 + j;
            matrix(q, methods[m], "tangent", 1, 2, list, 1, weights, a);
            matrix(q, methods[m], "adjoint", 1, 2, list, 1, weights, b);
            agree(a, b, 2, 1, most);
        }
}

/* Few variables and many objectives, and the other way round; where vjp has to be made of differences, tangents again. */
static void test_choice(void **unused)
{
    enum { N = 20 };
    static double p[N + N * N], y0[N], d[(N + N + N * N) * N];
    glv model = {N};
    problem q = {.prob = glv_problem(&model), .y0 = y0, .p = p, .t1 = 1};
    const int few[] = {N, 2 * N + 3};
    (void)unused;
    glv_defaults(N, p, y0);
    for (int k = 0; k < 3; k++) {
        const int narrow = k > 0;
        if (k == 2) q.prob.vjp = NULL, q.prob.vjp_points = NULL;
        costate_solver *s = solver(&q, "dopri5", "auto", 1);
        double y[N];
        memcpy(y, y0, sizeof y);
        assert_ok(s, costate_sensitivities(s, 0, 1, p, y, narrow ? 2 : 0, narrow ? few : NULL, N, NULL, d));
        assert_string_equal(stats_of(s).sensitivities, narrow ? "tangent" : "adjoint");
        costate_free(s);
    }
}

/* Tangents record nothing. What needs a record later has the run repeated, and gets the bits of a run that was recorded. */
static void test_unrecorded(void **unused)
{
    static const char *const methods[] = {"dopri5", "rodas4", "sdirk4a", "radau2a"};
    const problem *q = &problem_lotka_volterra;
    const int n = q->prob.n, np = q->prob.np, nobj = (int)objectives(q);
    (void)unused;
    for (size_t m = 0; m < COUNT(methods); m++) {
        double y[MOST], d[MOST * MOST], g[2][MOST * MOST], h[2][MOST], unit[MOST];
        costate_solver *s = solver(q, methods[m], "tangent", 1);
        fill(unit, MOST, 1);
        for (int recorded = 0; recorded < 2; recorded++) {
            memcpy(y, q->y0, (size_t)n * sizeof *y);
            if (recorded) assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
            else assert_ok(s, costate_sensitivities(s, q->t0, q->t1, q->p, y, 0, NULL, nobj, NULL, d));
            assert_int_equal(stats_of(s).trajectory_bytes > 0, recorded);
            assert_string_equal(stats_of(s).tier, recorded ? "stages" : "none");
            if (m != 1) assert_ok(s, costate_hessian(s, 1, NULL, unit, unit, h[recorded], h[recorded] + n)); /* not rodas4 */
            assert_ok(s, costate_gradient(s, nobj, NULL, g[recorded], g[recorded] + n * nobj));
        }
        assert_bits(g[0], g[1], (size_t)((n + np) * nobj));
        if (m != 1) assert_bits(h[0], h[1], (size_t)(n + np));
        costate_free(s);
    }
}

static void test_threads(void **unused)
{
    const problem *q = &problem_duffing;
    int all = q->prob.n + q->prob.np, nobj = (int)objectives(q);
    double one[MOST * MOST], several[MOST * MOST];
    (void)unused;
    for (int way = 0; way < 2; way++) {
        matrix(q, "dopri5", way ? "tangent" : "adjoint", 1, 0, NULL, nobj, NULL, one);
        matrix(q, "dopri5", way ? "tangent" : "adjoint", 3, 0, NULL, nobj, NULL, several);
        assert_bits(one, several, (size_t)(all * nobj));
    }
}

static void test_hessian(void **unused)
{
    static const char *const methods[] = {"dopri5", "sdirk4a"};
    const problem *q = &problem_duffing;
    const int n = q->prob.n, np = q->prob.np, all = n + np, list[] = {n + 1, 0, n};
    double y[MOST] = {0}, h[MOST * MOST], part[9], column[MOST], unit[MOST], weights[MOST];
    (void)unused;
    for (int j = 0; j < (int)objectives(q); j++) weights[j] = 2 - j;
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int threads = 1; threads < 4; threads += 2) {
            costate_solver *s = solver(q, methods[m], "auto", threads);
            if (q->y0) memcpy(y, q->y0, (size_t)n * sizeof *y);
            assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
            assert_ok(s, costate_hessian_full(s, weights, 0, NULL, h));
            assert_ok(s, costate_hessian_full(s, weights, 3, list, part));
            double size = 0;
            for (int i = 0; i < all * all; i++) size = fmax(size, fabs(h[i]));
            for (int i = 0; i < all; i++)
                for (int k = 0; k < i; k++) assert_near(h[i * all + k], h[k * all + i], 1e-8 * size);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) assert_near(part[3 * i + k], h[list[i] * all + list[k]], 1e-12 * size);
            for (int v = 0; v < all; v++) {
                fill(unit, MOST, 0);
                unit[v] = 1;
                assert_ok(s, costate_hessian(s, 1, weights, unit, np ? unit + n : NULL, column, column + n));
                for (int k = 0; k < all; k++) assert_near(column[k], h[k * all + v], 1e-12 * size);
            }
            costate_free(s);
        }
}

static void test_refusals(void **unused)
{
    const problem *q = &problem_lotka_volterra;
    const int bad[] = {0, 99}, nobj = (int)objectives(q), all = q->prob.n + q->prob.np;
    double y[MOST], d[MOST * MOST], p[MOST];
    (void)unused;
    costate_solver *s = solver(q, "dopri5", "auto", 1);
    memcpy(y, q->y0, (size_t)q->prob.n * sizeof *y);
    assert_refused(s, costate_sensitivities(s, 0, 1, q->p, y, 2, bad, nobj, NULL, d), COSTATE_ERR_WIDTH, "number 99");
    assert_refused(s, costate_sensitivities(s, 0, 1, q->p, y, 0, bad, nobj, NULL, d), COSTATE_ERR_WIDTH, "0 variables");
    assert_refused(s, costate_sensitivities(s, 0, 1, q->p, y, 0, NULL, nobj, NULL, NULL), COSTATE_ERR_NULL, "d");
    fill(d, MOST * MOST, 1); /* without a list there are as many as there are: with another count nothing is written */
    assert_refused(s, costate_sensitivities(s, 0, 1, q->p, y, 2, NULL, nobj, NULL, d), COSTATE_ERR_WIDTH, "without a list");
    assert_refused(s, costate_hessian_full(s, NULL, all + 1, NULL, d), COSTATE_ERR_WIDTH, "without a list");
    assert_refused(s, costate_sensitivities(s, 0, 1, q->p, y, 0, NULL, nobj + 1, NULL, d), COSTATE_ERR_WIDTH, "without weights");
    assert_refused(s, costate_sensitivities(s, 0, 1, q->p, y, 0, NULL, -1, d, d), COSTATE_ERR_WIDTH, "w = -1");
    for (int i = 0; i < MOST * MOST; i++) assert_true(d[i] == 1);
    assert_refused(s, costate_hessian_full(s, NULL, 0, NULL, d), COSTATE_ERR_NO_RECORD, "");
    assert_nan(d, (size_t)(all * all));
    fill(d, MOST * MOST, 1);
    fill(p, MOST, NAN);
    memcpy(y, q->y0, (size_t)q->prob.n * sizeof *y);
    assert_refused(s, costate_sensitivities(s, 0, 1, p, y, 0, NULL, nobj, NULL, d), COSTATE_ERR_INPUT, "parameter");
    assert_nan(d, (size_t)(all * nobj));
    assert_nan(y, (size_t)q->prob.n);
    costate_free(s);
}

/* A tank that starts empty, y' = p_0 - p_1 sqrt(y): derivatives by p, of first and second order; that by y(0) is infinite. */
static int tank(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = p[0] - p[1] * sqrt(y[0]);
    return 0;
}

static int tank_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                    double *fdot, void *data)
{
    (void)t, (void)tdot, (void)data;
    for (int l = 0; l < w; l++) {
        fdot[l] = pdot ? pdot[l] - sqrt(y[0]) * pdot[w + l] : 0;
        if (ydot && ydot[l] != 0) fdot[l] -= p[1] * ydot[l] / (2 * sqrt(y[0]));
    }
    return 0;
}

static int tank_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)data;
    for (int l = 0; l < w; l++) {
        if (yb) yb[l] -= p[1] * u[l] / (2 * sqrt(y[0]));
        if (pb) pb[l] += u[l], pb[w + l] -= sqrt(y[0]) * u[l];
    }
    return 0;
}

static int tank_vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    const double r = sqrt(y[0]);
    (void)tdot;
    for (int l = 0; l < w; l++) {
        const double yd = ydot ? ydot[l] : 0, pd = pdot ? pdot[w + l] : 0, ud = udot ? udot[l] : 0;
        if (ybdot) ybdot[l] -= (pd * u[l] + p[1] * ud) / (2 * r) - p[1] * u[l] * yd / (4 * r * r * r);
        if (pbdot) pbdot[l] += ud, pbdot[w + l] -= r * ud + (yd != 0 ? u[l] * yd / (2 * r) : 0);
    }
    return tank_vjp(t, y, p, w, u, yb, pb, data);
}

static void test_params_only(void **unused)
{
    (void)unused;
    const costate_problem q = {
        .n = 1, .np = 2, .rhs = tank, .jvp = tank_jvp, .vjp = tank_vjp, .vjp_dot = tank_vjp_dot, .autonomous = 1};
    const int list[] = {1, 2};
    for (int m = 0; m < costate_method_count(); m++) {
        if (costate_method(m)->family != COSTATE_ERK) continue; /* the others need f_y there */
        double y, d[2][2], h[4], dp[2], dy0, p[2] = {1, 0.5};
        for (int adjoint = 0; adjoint < 2; adjoint++) {
            costate_options o = costate_defaults(costate_method(m)->name);
            o.sensitivities = adjoint ? "adjoint" : "tangent";
            o.step = 0.01;
            costate_solver *s = make_solver(&q, &o);
            y = 0;
            assert_ok(s, costate_sensitivities(s, 0, 1, p, &y, 2, list, 1, NULL, d[adjoint]));
            if (adjoint) {
                assert_ok(s, costate_gradient(s, 1, NULL, NULL, dp));
                assert_bits(dp, d[adjoint], 2);
                assert_ok(s, costate_hessian_full(s, NULL, 2, list, h));
                assert_refused(s, costate_gradient(s, 1, NULL, &dy0, dp), COSTATE_ERR_SWEEP_NOT_FINITE, "adjoint of y[0]");
                assert_refused(s, costate_gradient(s, 1, NULL, NULL, NULL), COSTATE_ERR_NULL, "dy0 and dp");
            }
            for (int k = 0; adjoint && k < 2; k++) { /* the Hessian, from differences of gradients */
                double side[2][2], step = 1e-5, x[2];
                for (int i = 0; i < 2; i++) {
                    memcpy(x, p, sizeof x);
                    x[k] += i ? step : -step;
                    y = 0;
                    assert_ok(s, costate_solve(s, 0, 1, x, &y));
                    assert_ok(s, costate_gradient(s, 1, NULL, NULL, side[i]));
                }
                for (int i = 0; i < 2; i++) assert_near(h[2 * i + k], (side[1][i] - side[0][i]) / (2 * step), 1e-8);
            }
            costate_free(s);
        }
        for (int k = 0; k < 2; k++) assert_near(d[0][k], d[1][k], 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways), cmocka_unit_test(test_choice),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_unrecorded), cmocka_unit_test(test_params_only),
        cmocka_unit_test(test_hessian),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
