/* test_bdf.c - backward differentiation formulas: errors by tolerance and order, with an algebraic equation; what does not depend
 * on how it is asked; first steps; dense output. Orders on given grids: test_dae_orders.c. */
#include "problems.h"
#include "support.h"

#include <math.h>

/* y' = -p0 y + p1 cos t: a closed form, with an integral, and beside it 0 = z - y^2 - p1 sin t. */
enum { Y, Z };

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)data;
    f[Y] = -p[0] * y[Y] + p[1] * cos(t);
    f[Z] = y[Z] - y[Y] * y[Y] - p[1] * sin(t);
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    (void)data;
    for (int l = 0; l < w; l++) {
        const double td = tdot ? tdot[l] : 0, yd = ydot ? ydot[l] : 0, zd = ydot ? ydot[w + l] : 0;
        const double ad = pdot ? pdot[l] : 0, bd = pdot ? pdot[w + l] : 0;
        fdot[l] = -ad * y[Y] - p[0] * yd + bd * cos(t) - p[1] * sin(t) * td;
        fdot[w + l] = zd - 2 * y[Y] * yd - bd * sin(t) - p[1] * cos(t) * td;
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)data;
    for (int l = 0; l < w; l++) {
        if (yb) yb[l] -= p[0] * u[l] + 2 * y[Y] * u[w + l], yb[w + l] += u[w + l];
        if (pb) pb[l] -= y[Y] * u[l], pb[w + l] += cos(t) * u[l] - sin(t) * u[w + l];
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    if (yb || pb) vjp(t, y, p, w, u, yb, pb, data);
    if (udot && (ybdot || pbdot)) vjp(t, y, p, w, udot, ybdot, pbdot, data);
    (void)tdot; /* no caller moves t here */
    for (int l = 0; l < w; l++) {
        const double yd = ydot ? ydot[l] : 0, ad = pdot ? pdot[l] : 0;
        if (ybdot) ybdot[l] -= ad * u[l] + 2 * yd * u[w + l];
        if (pbdot) pbdot[l] -= yd * u[l];
    }
    return 0;
}

/* psi = integral of z: z is y^2 + p1 sin t. */
static int running(int k, double t, const double *y, const double *p, double *r, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    r[0] = y[Z];
    return 0;
}

static int running_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                       const double *pdot, double *gdot, void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)tdot, (void)pdot, (void)data;
    for (int l = 0; l < w; l++) gdot[l] = ydot ? ydot[Z * w + l] : 0;
    return 0;
}

static int running_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                       void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int l = 0; yb && l < w; l++) yb[Z * w + l] += u[l];
    return 0;
}

static int running_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                           const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                           double *pbdot, void *data)
{
    (void)tdot, (void)ydot, (void)pdot, (void)pb, (void)pbdot;
    running_vjp(k, t, y, p, w, u, yb, NULL, data);
    if (udot) running_vjp(k, t, y, p, w, udot, ybdot, NULL, data);
    return 0;
}

static const double mass[] = {1, 0};
static const double params[] = {0.7, 1.3};
enum { T = 2 };

static costate_problem problem_of(void)
{
    costate_problem q = {.n = 2, .np = 2, .rhs = rhs, .jvp = jvp, .vjp = vjp, .vjp_dot = vjp_dot, .objectives = 1, .mass = mass};
    q.running = (costate_function){.eval = running, .jvp = running_jvp, .vjp = running_vjp, .vjp_dot = running_vjp_dot};
    return q;
}

/* y = A cos t + B sin t + (y0 - A) e^(-a t), A = a b/(1 + a^2), B = b/(1 + a^2); its value or, with a step, derivatives. */
static double exact_y(double a, double b, double t)
{
    const double A = a * b / (1 + a * a), B = b / (1 + a * a);
    return A * cos(t) + B * sin(t) + (1 - A) * exp(-a * t);
}

/* Integral of y^2 + b sin t over (0, T), by the trapezoidal rule extrapolated four times. */
static double exact_psi(double a, double b)
{
    double table[12][12];
    for (int k = 0; k < 12; k++) {
        const int n = 1 << k;
        double sum = 0;
        for (int i = 0; i <= n; i++) {
            const double t = (double)T * i / n, y = exact_y(a, b, t), z = y * y + b * sin(t);
            sum += (i == 0 || i == n ? 0.5 : 1) * z;
        }
        table[k][0] = sum * T / n;
        for (int j = 1; j <= k; j++) table[k][j] = table[k][j - 1] + (table[k][j - 1] - table[k - 1][j - 1]) / (pow(4, j) - 1);
    }
    return table[9][7];
}

static double exact_slope(double (*value)(double, double), int k, double eps)
{
    double d[3];
    for (int i = 0; i < 3; i++, eps /= 2)
        d[i] = (value(params[0] + (k ? 0 : eps), params[1] + (k ? eps : 0)) -
                value(params[0] - (k ? 0 : eps), params[1] - (k ? eps : 0))) /
               (2 * eps);
    const double one = (4 * d[1] - d[0]) / 3, two = (4 * d[2] - d[1]) / 3;
    return (16 * two - one) / 15;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

/* y(T) and its gradient by tolerance, and that more of an order is worth it. */
static void test_tolerance(void **unused)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    int64_t steps[6] = {0};
    (void)unused;
    costate_problem q = problem_of();
    const double psi_exact = exact_psi(params[0], params[1]), slope = exact_slope(exact_psi, 0, 0.01);
    for (int k = 1; k <= 5; k++)
        for (size_t i = 0; i < COUNT(tolerances); i++) {
            if (k == 1 && i > 1) continue;
            costate_table table = *costate_method_find("bdf");
            costate_options o = costate_defaults("bdf");
            double y[2] = {1, 0}, psi, dy0[2], dp[2];
            table.order = k;
            o.table = &table;
            o.rtol = o.atol = tolerances[i];
            costate_solver *s = make_solver(&q, &o);
            assert_ok(s, costate_solve(s, 0, T, params, y));
            assert_ok(s, costate_objectives(s, &psi));
            assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
            const double most = 2 * tolerances[i] * (double)stats_of(s).steps; /* their errors may add up */
            assert_near(psi, psi_exact, most);
            assert_near(dp[0], slope, most);
            assert_true(dy0[1] == 0);
            if (i == 1) steps[k] = stats_of(s).steps;
            costate_free(s);
        }
    for (int k = 2; k <= 4; k++) assert_true(steps[k] < steps[k - 1]);
}

/* The way back has the factors of the last steps: of a short run, of all of them, but for that of the initial values. */
static void test_factors(void **unused)
{
    (void)unused;
    costate_problem q = problem_of();
    costate_options o = costate_defaults("bdf");
    double y[2] = {1, 0}, dy0[2], dp[2];
    o.rtol = o.atol = 1e-3;
    o.adjoint_solve = "iterated";
    costate_solver *s = make_solver(&q, &o);
    assert_ok(s, costate_solve(s, 0, 0.5, params, y));
    const int64_t forward = stats_of(s).factor;
    assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
    assert_true(forward > 4);
    assert_int_equal(stats_of(s).factor, forward + 1);
    costate_free(s);
}

typedef struct way_back {
    double dy[2 * 288], dp[2 * 8]; /* of two objectives */
    costate_stats before, after;
} way_back;

/* The gradient of the first two final states of the Brusselator on a grid. */
static void go_back(const problem *q, const char *how, int64_t memory, int threads, way_back *b)
{
    const size_t n = (size_t)q->prob.n;
    costate_problem states = q->prob;
    costate_options o = costate_defaults("bdf");
    double *y = malloc(n * sizeof *y);
    assert_non_null(y);
    memcpy(y, q->y0, n * sizeof *y);
    o.rtol = o.atol = 1e-6, o.adjoint_solve = how, o.linsol = "klu", o.memory = memory, o.threads = threads;
    o.lanes = 1;
    states.objectives = 0;
    states.terminal = (costate_function){0};
    costate_solver *s = make_solver(&states, &o);
    *b = (way_back){.dy[0] = 1, .dy[3] = 1};
    assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
    b->before = stats_of(s);
    assert_ok(s, costate_adjoint(s, 2, b->dy, b->dp));
    b->after = stats_of(s);
    costate_free(s);
    free(y);
}

/* Steps of one size and order share factors with their own shift, where those cost less than iterations on the matrix that they
 * kept: few solutions a step, and as exact; with the same bits whatever is recorded, and by any thread. */
static void alike(problem *q, double most)
{
    static way_back shared, direct, kept, other;
    assert_non_null(q);
    go_back(q, "auto", 1 << 30, 1, &shared);
    go_back(q, "direct", 1 << 30, 1, &direct);
    go_back(q, "iterated", 1 << 30, 1, &kept);
    const double steps = (double)shared.after.steps;
    const double solved = (double)(shared.after.solve - shared.before.solve) / (2 * steps);
    const double factored = (double)(shared.after.factor - shared.before.factor) / steps;
    print_message("%g steps: %g solutions and %g factorizations a step\n", steps, solved, factored);
    assert_true(solved < most && factored < 0.3);
    assert_true(shared.after.solve < kept.after.solve && shared.after.factor > kept.after.factor);
    for (int i = 0; i < 2 * q->prob.n; i++) assert_near(shared.dy[i], direct.dy[i], 1e-9);
    go_back(q, "auto", 200000, 1, &other);
    assert_true(other.after.recomputed_steps > 0);
    assert_memory_equal(shared.dy, other.dy, sizeof other.dy);
    assert_memory_equal(shared.dp, other.dp, sizeof other.dp);
    go_back(q, "auto", 1 << 30, 2, &other);
    assert_memory_equal(shared.dy, other.dy, sizeof other.dy);
    assert_memory_equal(shared.dp, other.dp, sizeof other.dp);
    problem_free(q);
}

static void test_alike(void **unused)
{
    (void)unused;
    alike(heat_two_modes(16), 2.5);
    alike(brusselator_2d(12), 6.5);
}

/* Rows between the steps are those of the polynomials, directions along. */
static void test_dense(void **unused)
{
    enum { ROWS = 40 };
    double times[ROWS], rows[2 * ROWS], dots[2 * ROWS], y[2] = {1, 0}, ydot[2] = {0}, pdot[2] = {1, 0};
    (void)unused;
    costate_problem q = problem_of();
    costate_options o = costate_defaults("bdf");
    o.rtol = o.atol = 1e-8;
    for (int i = 0; i < ROWS; i++) times[i] = T * (i + 0.37) / ROWS;
    costate_solver *s = make_solver(&q, &o);
    assert_ok(s, costate_output(s, ROWS, times, rows, dots));
    assert_ok(s, costate_tangent(s, 0, T, params, y, 1, ydot, pdot));
    for (int i = 0; i < ROWS; i++) {
        const double exact = exact_y(params[0], params[1], times[i]), eps = 1e-4;
        const double above = exact_y(params[0] + eps, params[1], times[i]), below = exact_y(params[0] - eps, params[1], times[i]);
        const double slope = (above - below) / (2 * eps);
        assert_near(rows[2 * i], exact, 1e-6);
        assert_near(dots[2 * i], slope, 2e-6);
        assert_near(rows[2 * i + 1], exact * exact + params[1] * sin(times[i]), 3e-6);
    }
    costate_free(s);
}

/* Directions in the error test, in any number of lanes, give the same derivative. */
static void test_directions(void **unused)
{
    (void)unused;
    costate_problem q = problem_of();
    const double slope = exact_slope(exact_psi, 0, 0.01), other = exact_slope(exact_psi, 1, 0.01);
    for (int all = 0; all < 2; all++) {
        costate_options o = costate_defaults("bdf");
        double y[2] = {1, 0}, ydot[2 * 3] = {0}, pdot[2 * 3] = {1, 0, 1, 0, 1, 1}, psidot[3];
        o.rtol = o.atol = 1e-7;
        o.lanes = 2;
        o.tangent_control = all ? "all" : "state";
        costate_solver *s = make_solver(&q, &o);
        assert_ok(s, costate_tangent(s, 0, T, params, y, 3, ydot, pdot));
        assert_ok(s, costate_objectives_dot(s, psidot));
        assert_near(psidot[0], slope, 2e-5);
        assert_near(psidot[1], other, 2e-5);
        assert_near(psidot[2], psidot[0] + psidot[1], 1e-13);
        costate_free(s);
    }
}

/* Backward in time, stops on the way, one step only. */
static int decay(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = p[0] * y[0];
    return 0;
}

static int seen(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = y[0];
    return 0;
}

static void test_stops(void **unused)
{
    static const double times[] = {-0.001, -0.5, -0.5001, -1, -3};
    (void)unused;
    costate_problem q = {.n = 1, .np = 1, .rhs = decay, .objectives = 1, .observations = COUNT(times), .observe_at = times};
    q.observe.eval = seen;
    costate_options o = costate_defaults("bdf");
    o.rtol = o.atol = 1e-8;
    costate_solver *s = make_solver(&q, &o);
    double y[1] = {1}, p[1] = {0.9}, psi, dy0[1], dp[1], sum = 0, slope = 0;
    assert_ok(s, costate_solve(s, 0, -3, p, y));
    for (size_t i = 0; i < COUNT(times); i++) sum += exp(0.9 * times[i]), slope += times[i] * exp(0.9 * times[i]);
    assert_ok(s, costate_objectives(s, &psi));
    assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
    assert_near(psi, sum, 2e-6);
    assert_near(dy0[0], sum, 2e-6);
    assert_near(dp[0], slope, 4e-6);
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tolerance), cmocka_unit_test(test_dense),   cmocka_unit_test(test_directions),
        cmocka_unit_test(test_stops),     cmocka_unit_test(test_factors), cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
