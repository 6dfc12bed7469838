/* test_bdf_record.c - what bdf keeps of a run, and what it looks up in it: neighbouring steps share a state; results have the
 * same bits whatever memory, disk and threads there are; observations are interpolated and change no step. */
#include "support.h"

#include <stdio.h>

/* A predator and its prey with seasons, and 0 = sum - a - b: orders and sizes change all the time. */
enum { PREY, PREDATOR, SUM, STATES };
enum { PARAMS = 4, OBJECTIVES = 3, SEEN = 30 };

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)data;
    f[PREY] = p[0] * y[PREY] * (1 + 0.3 * sin(0.7 * t)) - p[1] * y[PREY] * y[PREDATOR];
    f[PREDATOR] = p[2] * y[PREY] * y[PREDATOR] - p[3] * y[SUM] * y[PREDATOR];
    f[SUM] = y[SUM] - y[PREY] * 0.1 - y[PREDATOR];
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd, double *f,
               void *data)
{
    const double season = 1 + 0.3 * sin(0.7 * t);
    (void)td, (void)data;
    for (int l = 0; l < w; l++) {
        const double a = yd ? yd[l] : 0, b = yd ? yd[w + l] : 0, c = yd ? yd[2 * w + l] : 0;
        double q[PARAMS];
        for (int i = 0; i < PARAMS; i++) q[i] = pd ? pd[i * w + l] : 0;
        f[l] = (q[0] * y[PREY] + p[0] * a) * season - q[1] * y[PREY] * y[PREDATOR] - p[1] * (a * y[PREDATOR] + y[PREY] * b);
        f[w + l] = q[2] * y[PREY] * y[PREDATOR] + p[2] * (a * y[PREDATOR] + y[PREY] * b) - q[3] * y[SUM] * y[PREDATOR] -
                   p[3] * (c * y[PREDATOR] + y[SUM] * b);
        f[2 * w + l] = c - 0.1 * a - b;
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const double season = 1 + 0.3 * sin(0.7 * t), x = y[PREY], z = y[PREDATOR];
    (void)data;
    for (int l = 0; l < w; l++) {
        const double ua = u[l], ub = u[w + l], uc = u[2 * w + l];
        if (yb) {
            yb[l] += (p[0] * season - p[1] * z) * ua + p[2] * z * ub - 0.1 * uc;
            yb[w + l] += -p[1] * x * ua + (p[2] * x - p[3] * y[SUM]) * ub - uc;
            yb[2 * w + l] += -p[3] * z * ub + uc;
        }
        if (pb) {
            pb[l] += x * season * ua;
            pb[w + l] -= x * z * ua;
            pb[2 * w + l] += x * z * ub;
            pb[3 * w + l] -= y[SUM] * z * ub;
        }
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                   const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    const double season = 1 + 0.3 * sin(0.7 * t), x = y[PREY], z = y[PREDATOR];
    (void)td;
    if (yb || pb) vjp(t, y, p, w, u, yb, pb, data);
    if (ud) vjp(t, y, p, w, ud, ybd, pbd, data);
    for (int l = 0; l < w; l++) {
        const double ua = u[l], ub = u[w + l], a = yd ? yd[l] : 0, b = yd ? yd[w + l] : 0, c = yd ? yd[2 * w + l] : 0;
        double q[PARAMS];
        for (int i = 0; i < PARAMS; i++) q[i] = pd ? pd[i * w + l] : 0;
        if (ybd) {
            ybd[l] += (q[0] * season - q[1] * z - p[1] * b) * ua + (q[2] * z + p[2] * b) * ub;
            ybd[w + l] += -(q[1] * x + p[1] * a) * ua + (q[2] * x + p[2] * a - q[3] * y[SUM] - p[3] * c) * ub;
            ybd[2 * w + l] -= (q[3] * z + p[3] * b) * ub;
        }
        if (pbd) {
            pbd[l] += a * season * ua;
            pbd[w + l] -= (a * z + x * b) * ua;
            pbd[2 * w + l] += (a * z + x * b) * ub;
            pbd[3 * w + l] -= (c * z + y[SUM] * b) * ub;
        }
    }
    return 0;
}

/* Objective o of observation k: the state o squared, times 1 + k/10. */
static int seen(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)t, (void)p, (void)data;
    for (int o = 0; o < OBJECTIVES; o++) g[o] = (1 + 0.1 * k) * y[o] * y[o];
    return 0;
}

static int seen_jvp(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                    const double *pd, double *gd, void *data)
{
    (void)t, (void)p, (void)td, (void)pd, (void)data;
    for (int i = 0; i < OBJECTIVES * w; i++) gd[i] = yd ? 2 * (1 + 0.1 * k) * y[i / w] * yd[i] : 0;
    return 0;
}

static int seen_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)p, (void)pb, (void)data;
    for (int i = 0; yb && i < OBJECTIVES * w; i++) yb[i] += 2 * (1 + 0.1 * k) * y[i / w] * u[i];
    return 0;
}

static int seen_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                        const double *pd, const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd,
                        void *data)
{
    (void)td, (void)pd, (void)pbd;
    seen_vjp(k, t, y, p, w, u, yb, pb, data);
    if (ud) seen_vjp(k, t, y, p, w, ud, ybd, NULL, data);
    for (int i = 0; ybd && yd && i < OBJECTIVES * w; i++) ybd[i] += 2 * (1 + 0.1 * k) * yd[i] * u[i];
    return 0;
}

static const double mass[] = {1, 1, 0};
static const double params[PARAMS] = {1.1, 0.4, 0.1, 0.2};

static costate_problem problem_of(int observations, const double *times)
{
    costate_problem q = {.n = STATES, .np = PARAMS, .rhs = rhs, .jvp = jvp, .vjp = vjp, .vjp_dot = vjp_dot, .mass = mass};
    q.objectives = observations ? OBJECTIVES : 0;
    q.observations = observations;
    q.observe_at = times;
    if (observations) q.observe = (costate_function){.eval = seen, .jvp = seen_jvp, .vjp = seen_vjp, .vjp_dot = seen_vjp_dot};
    return q;
}

static void lay(double *times, double T)
{
    for (int k = 0; k < SEEN; k++) times[k] = T * (k + 0.31 * sin(k) + 0.35) / SEEN;
    times[SEEN / 2] = times[SEEN / 2 - 1]; /* twice at a time */
    times[SEEN - 1] = T;
}

/* ---- bits -------------------------------------------------------------------------------------------------------------- */

enum { LANES = 7 };

typedef struct outcome {
    double y[STATES], dy0[STATES * LANES], dp[PARAMS * LANES], hy0[STATES * LANES], hp[PARAMS * LANES];
} outcome;

static costate_stats whole(const costate_problem *q, const costate_options *o, double T, outcome *r)
{
    double weights[OBJECTIVES * LANES], pdot[PARAMS * LANES];
    for (int i = 0; i < OBJECTIVES * LANES; i++) weights[i] = cos(1.0 + i);
    for (int i = 0; i < PARAMS * LANES; i++) pdot[i] = sin(2.0 + i);
    *r = (outcome){.y = {10, 5, 6}};
    costate_solver *s = make_solver(q, o);
    assert_ok(s, costate_solve(s, 0, T, params, r->y));
    assert_ok(s, costate_gradient(s, LANES, weights, r->dy0, r->dp));
    assert_ok(s, costate_hessian(s, LANES, weights, NULL, pdot, r->hy0, r->hp));
    costate_stats stats;
    assert_ok(s, costate_get_stats(s, &stats));
    costate_free(s);
    return stats;
}

static void test_bits(void **unused)
{
    static const struct {
        int64_t memory, disk;
        const char *tier;
    } budgets[] = {{(int64_t)1 << 30, 0, "stages"}, {5000000, 0, "states"},         {100000, 0, "checkpoints"},
                   {12000, 0, "checkpoints"},       {12000, 1 << 20, "checkpoints"}, {0, 1 << 20, "checkpoints"}};
    const double T = 2200;
    double times[SEEN];
    outcome first, r;
    (void)unused;
    lay(times, T);
    const costate_problem q = problem_of(SEEN, times);
    costate_options o = costate_defaults("bdf");
    o.rtol = o.atol = 1e-6;
    o.lanes = 2;
    o.tangent_solve = o.adjoint_solve = "iterated"; /* on the matrix of the step, which may be one of long before */
    for (size_t b = 0; b < COUNT(budgets); b++)
        for (int threads = 1; threads <= 3; threads += b == 0 || b == 2 ? 1 : 2) {
            o.memory = budgets[b].memory, o.disk = budgets[b].disk, o.threads = threads;
            const costate_stats stats = whole(&q, &o, T, b + (size_t)threads == 1 ? &first : &r);
            print_message("%10lld %10lld %d threads: %lld steps, %s, %lld again\n", (long long)o.memory, (long long)o.disk,
                          threads, (long long)stats.steps, stats.tier, (long long)stats.recomputed_steps);
            assert_true(stats.steps >= 20000);
            if (threads == 1) assert_string_equal(stats.tier, budgets[b].tier);
            if (b + (size_t)threads > 1) assert_memory_equal(&r, &first, sizeof r);
        }
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* A chain that diffuses: a step is kept with little more than its own state. */
enum { LONG = 2000 };

static int diffuse(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < LONG; i++) f[i] = p[0] * ((i ? y[i - 1] : 0) - 2 * y[i] + (i < LONG - 1 ? y[i + 1] : 0));
    return 0;
}

static void test_memory(void **unused)
{
    static double y[LONG];
    const double p[] = {100};
    costate_stats stats;
    (void)unused;
    costate_problem q = {.n = LONG, .np = 1, .rhs = diffuse};
    q.pattern = (costate_pattern){.format = COSTATE_BANDED, .lower = 1, .upper = 1};
    costate_options o = costate_defaults("bdf");
    o.rtol = 1e-9;
    for (int i = 0; i < LONG; i++) y[i] = sin(0.01 * i);
    costate_solver *s = make_solver(&q, &o);
    assert_ok(s, costate_solve(s, 0, 1, p, y));
    assert_ok(s, costate_get_stats(s, &stats));
    const double states = (double)stats.trajectory_bytes / ((double)stats.steps * LONG * sizeof *y);
    print_message("%lld steps, %.2f states for each\n", (long long)stats.steps, states);
    assert_string_equal(stats.tier, "stages");
    assert_true(stats.steps > 200);
    assert_true(states < 2 * 1.5); /* the store grows by doubling */
    costate_free(s);
}

/* ---- observations ------------------------------------------------------------------------------------------------------ */

static void test_observations(void **unused)
{
    const double T = 20;
    double times[SEEN], y[3][STATES] = {{10, 5, 6}, {10, 5, 6}, {10, 5, 6}}, psi[OBJECTIVES], exact[OBJECTIVES];
    costate_stats stats[2];
    (void)unused;
    lay(times, T);
    costate_options o = costate_defaults("bdf");
    o.rtol = o.atol = 1e-7;
    for (int i = 0; i < 2; i++) {
        const costate_problem q = problem_of(i ? SEEN : 0, times);
        costate_solver *s = make_solver(&q, &o);
        assert_ok(s, costate_solve(s, 0, T, params, y[i]));
        assert_ok(s, costate_get_stats(s, &stats[i]));
        if (i) assert_ok(s, costate_objectives(s, psi));
        costate_free(s);
    }
    assert_int_equal(stats[0].steps, stats[1].steps);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    o = costate_defaults("radau2a");
    o.rtol = o.atol = 1e-12;
    const costate_problem q = problem_of(SEEN, times);
    costate_solver *s = make_solver(&q, &o);
    assert_ok(s, costate_solve(s, 0, T, params, y[2]));
    assert_ok(s, costate_objectives(s, exact));
    for (int k = 0; k < OBJECTIVES; k++) assert_true(fabs(psi[k] - exact[k]) < 5e-6 * fabs(exact[k]));
    costate_free(s);
}

/* Along given steps the gradient is that of the interpolated objectives, and the Hessian is symmetric. */
static void test_transposes(void **unused)
{
    const double T = 20;
    double times[SEEN], psidot[OBJECTIVES * PARAMS], H[PARAMS][PARAMS];
    (void)unused;
    lay(times, T);
    const costate_problem q = problem_of(SEEN, times);
    costate_options o = costate_defaults("bdf");
    o.rtol = o.atol = 1e-6;
    o.tangent_solve = o.adjoint_solve = "direct";
    o.memory = 40000;
    double y[STATES] = {10, 5, 6}, ydot[STATES * PARAMS] = {0}, pdot[PARAMS * PARAMS] = {0};
    double dy0[STATES * OBJECTIVES], dp[PARAMS * OBJECTIVES], weights[OBJECTIVES * PARAMS], hy0[STATES * PARAMS];
    for (int i = 0; i < PARAMS; i++) pdot[i * PARAMS + i] = 1;
    for (int i = 0; i < OBJECTIVES * PARAMS; i++) weights[i] = 1 + i / PARAMS;
    costate_solver *s = make_solver(&q, &o);
    assert_ok(s, costate_tangent(s, 0, T, params, y, PARAMS, ydot, pdot));
    assert_ok(s, costate_objectives_dot(s, psidot));
    assert_ok(s, costate_gradient(s, OBJECTIVES, NULL, dy0, dp));
    for (int k = 0; k < OBJECTIVES; k++)
        for (int i = 0; i < PARAMS; i++)
            assert_true(fabs(psidot[k * PARAMS + i] - dp[i * OBJECTIVES + k]) < 1e-12 * fabs(psidot[k * PARAMS + i]));
    assert_ok(s, costate_hessian(s, PARAMS, weights, NULL, pdot, hy0, &H[0][0]));
    for (int i = 0; i < PARAMS; i++)
        for (int j = 0; j < i; j++) assert_true(fabs(H[i][j] - H[j][i]) < 1e-11 * (fabs(H[i][j]) + fabs(H[j][i])));
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_observations),
        cmocka_unit_test(test_transposes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
