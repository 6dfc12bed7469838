/* test_budget.c - one long run within budgets from 64 KiB to unlimited, with and without disk: gradients and Hessian
 * products are the same bit for bit, what is computed again is no more than the optimum, and neither memory nor disk is
 * used beyond the budget. */
#include "chain.h"
#include "support.h"

#include "solver/solver.h"

enum { STEPS = 20000, W = 11, LANES = 8 };

static const double t1 = 10;

typedef struct block {
    double y0[CHAIN * W], p[CHAIN_NP * W];
} block;

typedef enum kind { GRADIENT, WIDE_GRADIENT, ADJOINT, HESSIAN, WIDE_HESSIAN, KINDS } kind; /* of sweeps; wide: eleven lanes */

typedef struct results {
    double psi;
    block of[KINDS];
} results;

typedef struct budget {
    const char *name;
    int64_t memory, disk;
    const char *tier;
    int second; /* Hessian products as well */
} budget;

static const budget budgets[] = {
    {"unlimited", INT64_MAX, 0, "stages", 1},
    {"16 MiB", 16 << 20, 0, "stages", 0},
    {"8 MiB", 8 << 20, 0, "states", 0},
    {"1 MiB", 1 << 20, 0, "checkpoints", 1},
    {"128 KiB", 128 << 10, 0, "checkpoints", 0},
    {"64 KiB", 64 << 10, 0, "checkpoints", 1},
    {"64 KiB + 1 MiB disk", 64 << 10, 1 << 20, "checkpoints", 1},
    {"64 KiB + all the disk", 64 << 10, INT64_MAX, "checkpoints", 0},
};

/* ---- what is done within each budget ----------------------------------------------------------------------------- */

static costate_options within(const budget *b)
{
    costate_options opt = costate_defaults("rk32");
    opt.step = t1 / STEPS;
    opt.memory = b->memory;
    opt.disk = b->disk;
    opt.lanes = LANES;
    return opt;
}

static void solve_to(costate_solver *s, double end)
{
    double p[CHAIN_NP], y[CHAIN];
    chain_defaults(p, y);
    assert_ok(s, costate_solve(s, 0, end, p, y));
}

static void solve(costate_solver *s)
{
    solve_to(s, t1);
}

static void sweep(costate_solver *s, kind k, block *out)
{
    double weights[W], ydot[CHAIN * W], pdot[CHAIN_NP * W];
    int w = k == WIDE_GRADIENT || k == WIDE_HESSIAN ? W : 1;
    for (int l = 0; l < W; l++) weights[l] = 1 + 0.1 * l;
    for (int i = 0; i < CHAIN * W; i++) ydot[i] = sin(i + 1.0);
    for (int i = 0; i < CHAIN_NP * W; i++) pdot[i] = cos(i + 1.0);
    memset(out, 0, sizeof *out);
    if (k == ADJOINT) {
        memcpy(out->y0, ydot, CHAIN * sizeof *ydot); /* seeds as good as any */
        assert_ok(s, costate_adjoint(s, w, out->y0, out->p));
    } else if (k < HESSIAN) assert_ok(s, costate_gradient(s, w, weights, out->y0, out->p));
    else assert_ok(s, costate_hessian(s, w, weights, ydot, pdot, out->y0, out->p));
}

static void assert_same(const block *a, const block *b)
{
    assert_bits(a->y0, b->y0, CHAIN * W);
    assert_bits(a->p, b->p, CHAIN_NP * W);
}

/* Steps that the optimum evaluates at most twice: then the choice of checkpoints is optimal although the number of steps
 * was not known. */
static int twice_at_most(int64_t steps, int64_t slots)
{
    return steps < (slots + 2) * (slots + 1) / 2;
}

static void check_sweep(const costate_solver *s, int which, const budget *b, const char *what)
{
    costate_stats st = stats_of(s);
    traj_info info;
    traj_get_info(s->tr[which], &info);
    int thin = !strcmp(info.tier, "checkpoints");
    int64_t optimum = thin ? traj_optimum(st.steps, info.slots) : !strcmp(info.tier, "states") ? st.steps : 0;
    print_message("%-22s %-9s %-12s %8lld %10lld %10lld\n", b->name, what, info.tier, (long long)(thin ? info.slots : 0),
                  (long long)st.recomputed_steps, (long long)optimum);
    if (!thin || twice_at_most(st.steps, info.slots)) assert_true(st.recomputed_steps <= optimum);
    else assert_true((double)st.recomputed_steps <= 1.07 * (double)optimum); /* what online.c promises for any number of slots */
    assert_true(st.trajectory_bytes > 0 && st.trajectory_bytes <= b->memory);
    assert_true(st.disk_bytes <= b->disk);
}

static void everything(const budget *b, results *r)
{
    costate_problem prob = chain_problem();
    costate_options opt = within(b);
    costate_solver *s = make_solver(&prob, &opt);
    memset(r, 0, sizeof *r);
    solve(s);
    assert_int_equal(stats_of(s).steps, STEPS);
    assert_string_equal(stats_of(s).tier, b->tier);
    assert_ok(s, costate_objectives(s, &r->psi));
    sweep(s, GRADIENT, &r->of[GRADIENT]);
    check_sweep(s, PRIMAL, b, "gradient");
    sweep(s, WIDE_GRADIENT, &r->of[WIDE_GRADIENT]);
    sweep(s, ADJOINT, &r->of[ADJOINT]);
    if (b->second) {
        sweep(s, HESSIAN, &r->of[HESSIAN]);
        check_sweep(s, JOINT, b, "Hessian");
        sweep(s, WIDE_HESSIAN, &r->of[WIDE_HESSIAN]);
    }
    costate_free(s);
}

/* What is compared below are derivatives, indeed. */
static void test_certificate(void **unused)
{
    (void)unused;
    double p[CHAIN_NP], y[CHAIN];
    costate_problem prob = chain_problem();
    costate_options opt = within(&budgets[0]);
    costate_certificate c;
    opt.step = t1 / 200;
    costate_solver *s = make_solver(&prob, &opt);
    chain_defaults(p, y);
    assert_ok(s, costate_check(s, 0, t1, p, y, &c));
    costate_free(s);
}

static void test_same_bits(void **unused)
{
    (void)unused;
    static results reference, r;
    print_message("%-22s %-9s %-12s %8s %10s %10s\n", "budget", "sweep", "tier", "slots", "recomputed", "optimum");
    for (size_t i = 0; i < COUNT(budgets); i++) {
        everything(&budgets[i], &r);
        if (i == 0) reference = r;
        assert_bits(&r.psi, &reference.psi, 1);
        for (int k = 0; k < (budgets[i].second ? KINDS : HESSIAN); k++) assert_same(&r.of[k], &reference.of[k]);
    }
}

/* ---- one after the other ----------------------------------------------------------------------------------------- */

/* Sweeps in any order, repeated, after one another: each gives what it gives right after a run within an unlimited budget. */
static void any_order(int points)
{
    static const kind orders[][6] = {{ADJOINT, ADJOINT, GRADIENT, GRADIENT, WIDE_GRADIENT, WIDE_GRADIENT},
                                     {HESSIAN, ADJOINT, HESSIAN, HESSIAN, GRADIENT, WIDE_HESSIAN},
                                     {WIDE_HESSIAN, WIDE_GRADIENT, WIDE_HESSIAN, ADJOINT, HESSIAN, WIDE_GRADIENT}};
    costate_problem prob = chain_problem();
    static block reference[KINDS], out;
    if (!points) prob.vjp_points = NULL;
    for (size_t i = 0; i < COUNT(budgets); i++) {
        costate_options opt = within(&budgets[i]);
        opt.step = t1 / 2000; /* a tenth of the steps, a tenth of the memory */
        if (opt.memory < INT64_MAX) opt.memory /= 10;
        for (size_t k = 0; k < COUNT(orders); k++) {
            costate_solver *s = make_solver(&prob, &opt);
            for (int q = 0; q < KINDS && i + k == 0; q++) {
                solve(s);
                sweep(s, (kind)q, &reference[q]);
            }
            solve(s);
            for (size_t q = 0; q < COUNT(orders[k]); q++) {
                sweep(s, orders[k][q], &out);
                assert_same(&out, &reference[orders[k][q]]);
            }
            costate_free(s);
        }
    }
}

static void test_any_order(void **unused)
{
    (void)unused;
    any_order(0);
    any_order(1); /* the parameter parts of many steps in one pass */
}

/* ---- memory that is really taken --------------------------------------------------------------------------------- */

static int64_t peak(int64_t memory, int64_t steps)
{
    heap h = {0};
    block out;
    costate_problem prob = chain_problem();
    costate_options opt = within(&(budget){.memory = memory});
    opt.step = t1 / (double)steps;
    opt.allocator = heap_allocator(&h);
    costate_solver *s = make_solver(&prob, &opt);
    for (int i = 0; i < 2; i++) { /* the order decides which trajectory is there first */
        solve(s);
        if (i) sweep(s, HESSIAN, &out);
        sweep(s, GRADIENT, &out);
        sweep(s, HESSIAN, &out);
    }
    costate_free(s);
    assert_int_equal(h.live, 0);
    return h.peak;
}

/* A short run that fills a small budget shows what everything else takes. A long one takes no more than that, its
 * budget, and the log of steps: 16 bytes a step, grown by doubling, so that old and new together have room for less than
 * three times the steps. */
static void test_memory_is_kept(void **unused)
{
    (void)unused;
    static const int64_t memories[] = {64 << 10, 1 << 20, 9 << 20, 24 << 20, 40 << 20};
    int64_t small = 64 << 10, rest = peak(small, 200) - small, log = 3 * 16 * STEPS;
    for (size_t i = 0; i < COUNT(memories); i++) {
        int64_t taken = peak(memories[i], STEPS) - rest;
        print_message("budget %8lld: %8lld bytes, and at most %lld for the log of steps\n", (long long)memories[i],
                      (long long)(taken > log ? taken - log : 0), (long long)log);
        if (taken > memories[i] + log) fail_msg("%lld bytes more than the budget", (long long)(taken - log - memories[i]));
    }
}

/* Second order keeps its memory from run to run, until a longer run needs it. */
static void test_longer_run(void **unused)
{
    (void)unused;
    heap h = {0};
    block out, again;
    costate_problem prob = chain_problem();
    costate_options opt = within(&(budget){.memory = 48 << 20});
    opt.allocator = heap_allocator(&h);
    int64_t small = 64 << 10, rest = peak(small, 200) - small, log = 3 * 16 * STEPS;
    costate_solver *s = make_solver(&prob, &opt);
    solve(s);
    sweep(s, HESSIAN, &out);
    assert_string_equal(stats_of(s).tier, "stages");
    int64_t requests = h.requests;
    solve(s);
    sweep(s, HESSIAN, &again);
    assert_int_equal(h.requests, requests);
    assert_same(&again, &out);
    solve_to(s, 2 * t1);
    sweep(s, HESSIAN, &out);
    assert_true(h.peak <= rest + opt.memory + 2 * log);
    solve(s);
    sweep(s, HESSIAN, &out);
    assert_same(&again, &out);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

/* ---- beside the budget ------------------------------------------------------------------------------------------------ */

enum { MANY = 100000 };

static int many_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < MANY; i++) f[i] = -p[0] * y[i];
    return 0;
}

static int many_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < MANY; i++)
        for (int l = 0; l < w; l++) {
            if (yb) yb[i * w + l] += -p[0] * u[i * w + l];
            if (pb) pb[l] += -y[i] * u[i * w + l];
        }
    return 0;
}

static int many_sum(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = 0;
    for (int i = 0; i < MANY; i++) g[0] += y[i];
    return 0;
}

static int many_sum_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                        void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int i = 0; yb && i < MANY; i++)
        for (int l = 0; l < w; l++) yb[i * w + l] += u[l];
    return 0;
}

/* Products that nobody calls, so that there is no memory for differences. */
static int no_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                  double *fd, void *data)
{
    (void)t, (void)y, (void)p, (void)w, (void)td, (void)yd, (void)pd, (void)fd, (void)data;
    return -1;
}

static int no_jvp2(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                   const double *td2, const double *yd2, const double *pd2, double *fdd, void *data)
{
    (void)td2, (void)yd2, (void)pd2;
    return no_jvp(t, y, p, w, td, yd, pd, fdd, data);
}

static int no_vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                      const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    (void)u, (void)ud, (void)yb, (void)ybd, (void)pb, (void)pbd;
    return no_jvp(t, y, p, w, td, yd, pd, NULL, data);
}

static int no_sum_jvp(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                      const double *pd, double *gd, void *data)
{
    (void)k;
    return no_jvp(t, y, p, w, td, yd, pd, gd, data);
}

static int no_sum_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,
                          const double *pd, const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd,
                          void *data)
{
    (void)k;
    return no_vjp_dot(t, y, p, w, td, yd, pd, u, ud, yb, ybd, pb, pbd, data);
}

/* A gradient of dopri5 needs, beside its trajectory: tolerances, first and last state, two states and f at both; five k and five
 * stages; one seed. */
static void test_work_vectors(void **unused)
{
    enum { VECTORS = 7 + 5 + 5 + 1 };
    static double y[MANY], dy0[MANY];
    (void)unused;
    for (int64_t states = 4; states <= 400; states *= 10) {
        heap h = {0};
        costate_problem q = {.n = MANY, .np = 1, .rhs = many_rhs, .jvp = no_jvp, .vjp = many_vjp,
                             .jvp2 = no_jvp2, .vjp_dot = no_vjp_dot, .objectives = 1,
                             .terminal = {.eval = many_sum, .jvp = no_sum_jvp, .vjp = many_sum_vjp, .vjp_dot = no_sum_vjp_dot}};
        costate_options o = costate_defaults("dopri5");
        const double p[] = {1};
        double dp[1];
        o.allocator = heap_allocator(&h);
        o.memory = states * MANY * (int64_t)sizeof(double);
        o.step = 0.05;
        costate_solver *s = make_solver(&q, &o);
        fill(y, MANY, 1);
        assert_ok(s, costate_solve(s, 0, 1, p, y));
        assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
        assert_near(dy0[MANY / 2], exp(-1), 1e-6);
        const double work = (double)(h.peak - stats_of(s).trajectory_bytes) / (MANY * sizeof(double));
        if (work > VECTORS + 0.5) fail_msg("%lld states: %.2f vectors", (long long)states, work);
        costate_free(s);
    }
}

static int many_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                    double *fd, void *data)
{
    (void)t, (void)td, (void)data;
    for (int i = 0; i < MANY; i++)
        for (int l = 0; l < w; l++) fd[i * w + l] = -(pd ? pd[l] * y[i] : 0) - (yd ? p[0] * yd[i * w + l] : 0);
    return 0;
}

/* Tangents need those but the seed, and objectives, which are the final states here; and for each direction two states and f at
 * both, a row of output, three of objectives, five k and five stages. */
static void test_tangent_vectors(void **unused)
{
    enum { DIRECTIONS = 3, VECTORS = 7 + 5 + 5 + 1 + DIRECTIONS * (4 + 1 + 3 + 5 + 5) };
    static double y[MANY], ydot[DIRECTIONS * MANY];
    (void)unused;
    heap h = {0};
    costate_problem q = {.n = MANY, .np = 1, .rhs = many_rhs, .jvp = many_jvp, .vjp = many_vjp,
                         .jvp2 = no_jvp2, .vjp_dot = no_vjp_dot};
    costate_options o = costate_defaults("dopri5");
    const double p[] = {1}, pdot[DIRECTIONS] = {1, -1, 0};
    o.allocator = heap_allocator(&h);
    o.step = 0.05;
    o.record = 0;
    costate_solver *s = make_solver(&q, &o);
    fill(y, MANY, 1);
    assert_ok(s, costate_tangent(s, 0, 1, p, y, DIRECTIONS, ydot, pdot));
    assert_near(ydot[DIRECTIONS * (MANY / 2)], -exp(-1), 1e-6);
    const double work = (double)h.peak / (MANY * sizeof(double));
    if (work > VECTORS + 0.5) fail_msg("%.2f vectors", work);
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_memory_is_kept),
        cmocka_unit_test(test_longer_run),
        cmocka_unit_test(test_work_vectors),
        cmocka_unit_test(test_tangent_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
