/* test_events_random.c - models with events that look random: gradients against differences of whole runs, Hessians against
 * differences of gradients, and the continuous adjoint against the discrete one, at tight tolerance. */
#include "random_events.h"
#include "support.h"

#include "core/events.h"

enum { V = R_N + R_P, MODELS = 12 };

static random_model m;
static jets q;
static double x[V]; /* initial values and parameters in their units */

static costate_solver *opened(const costate_problem *b, const char *adjoint)
{
    double atols[R_N];
    costate_options o = costate_defaults("dopri853");
    for (int i = 0; i < m.n; i++) atols[i] = 1e-12 * m.size[i];
    o.rtol = 1e-12;
    o.atols = atols;
    o.adjoint = adjoint;
    return make_solver(b, &o);
}

/* At x + h d: the sum of the objectives, their gradient if wanted; the events. */
static int run(costate_solver *s, const double *d, double h, double *psi, double *g, uint64_t *which)
{
    double y[R_N], p[R_P], both[R_OBJ], dy[R_N], dp[R_P];
    const double weights[R_OBJ] = {1, 1};
    for (int i = 0; i < m.n; i++) y[i] = (x[i] + h * d[i]) * m.size[i];
    for (int i = 0; i < m.np; i++) p[i] = (x[m.n + i] + h * d[m.n + i]) * m.unit[i];
    if (costate_solve(s, 0, 3 * m.time, p, y)) return -1;
    assert_ok(s, costate_objectives(s, both));
    *psi = both[0] + both[1];
    *which = cst__events_signature(s);
    if (!g) return 0;
    assert_ok(s, costate_gradient(s, 1, weights, dy, dp));
    for (int i = 0; i < m.n; i++) g[i] = dy[i] * m.size[i];
    for (int i = 0; i < m.np; i++) g[m.n + i] = dp[i] * m.unit[i];
    return 0;
}

static void product(costate_solver *s, const double *d, double *h)
{
    double yd[R_N], pd[R_P], hy[R_N], hp[R_P];
    for (int i = 0; i < m.n; i++) yd[i] = d[i] * m.size[i];
    for (int i = 0; i < m.np; i++) pd[i] = d[m.n + i] * m.unit[i];
    assert_ok(s, costate_hessian(s, 1, NULL, yd, pd, hy, hp));
    for (int i = 0; i < m.n; i++) h[i] = hy[i] * m.size[i];
    for (int i = 0; i < m.np; i++) h[m.n + i] = hp[i] * m.unit[i];
}

/* 1: the model was measured; 0: it has no run, or other events nearby. */
static int measure(int seed, int scaled)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const costate_problem b = random_problem(&m, &q, seed, scaled);
    const double apart = 1e-4;
    double d[V], psi, g[V], h[V], gc[V], hc[V], size = 1, slope = 0, along = 0, bend[V] = {0};
    uint64_t which, others;
    for (int i = 0; i < m.n + m.np; i++) {
        x[i] = i < m.n ? m.y0[i] / m.size[i] : m.p[i - m.n] / m.unit[i - m.n];
        d[i] = cos(3 * i + seed);
    }
    costate_solver *s = opened(&b, "discrete"), *c = opened(&b, "continuous");
    int fine = run(s, d, 0, &psi, g, &which) == 0;
    if (fine) {
        product(s, d, h);
        assert_int_equal(run(c, d, 0, &psi, gc, &others), 0);
        product(c, d, hc);
    }
    for (int k = 0; k < 4 && fine; k++) {
        double there[V];
        fine = run(s, d, at[k] * apart, &psi, there, &others) == 0 && which == others;
        slope += weight[k] / apart * psi;
        for (int i = 0; i < m.n + m.np && fine; i++) bend[i] += weight[k] / apart * there[i];
    }
    for (int i = 0; i < m.n + m.np && fine; i++) size = fmax(size, fmax(fabs(g[i]), fabs(h[i]))), along += g[i] * d[i];
    if (fine && !(fabs(slope - along) < 1e-6 * size)) fail_msg("model %d: slope %.12g, differences %.12g", seed, along, slope);
    for (int i = 0; i < m.n + m.np && fine; i++) {
        if (!(fabs(gc[i] - g[i]) < 1e-8 * size)) fail_msg("model %d: %.12g and %.12g, continuous", seed, g[i], gc[i]);
        if (!(fabs(hc[i] - h[i]) < 1e-7 * size)) fail_msg("model %d: Hessian %.12g and %.12g, continuous", seed, h[i], hc[i]);
        if (!(fabs(bend[i] - h[i]) < 1e-5 * size)) fail_msg("model %d: Hessian %.12g, differences %.12g", seed, h[i], bend[i]);
    }
    costate_free(s);
    costate_free(c);
    return fine;
}

static void derivatives_are_those_of_differences(void **state)
{
    int measured = 0;
    (void)state;
    for (int i = 0; i < MODELS; i++) measured += measure(1002 + i, i % 2);
    assert_true(measured > MODELS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_those_of_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
