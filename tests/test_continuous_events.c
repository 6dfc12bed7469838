/* test_continuous_events.c - events on the way back along the adjoint equations: closed forms, agreement with the discrete
 * adjoint in every family, budgets, threads, lanes, scales, lambda(t) on both sides of a jump. */
#include "forced_events.h"
#include "known_events.h"
#include "support.h"

static void fine(costate_solver *s, const char *what, int status)
{
    if (status) print_message("%s: %s\n", what, costate_message(s));
    assert_int_equal(status, 0);
}

static costate_solver *opened(const known_problem *k, jets *q, const char *method, double rtol)
{
    *q = k->q;
    costate_problem problem = jets_problem(q);
    costate_options options = costate_defaults(method);
    problem.direction = k->direction;
    problem.observe_at = k->observe_at;
    problem.observations = k->observations;
    problem.first_mode = k->first_mode;
    options.rtol = options.atol = rtol;
    options.adjoint = "continuous";
    costate_solver *s = NULL;
    fine(s, k->name, costate_create(&s, &problem, &options));
    return s;
}

/* ---- closed forms ------------------------------------------------------------------------------------------------------ */

/* The largest of a's errors, relative to b, which is no less than a thousandth of its largest. */
static double off(const double *a, size_t stride, const double *b, int count)
{
    double most = 0, error = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(b[i]));
    for (int i = 0; i < count; i++) error = fmax(error, fabs(a[(size_t)i * stride] - b[i]) / fmax(fabs(b[i]), 1e-3 * most));
    return error;
}

/* Errors of gradients and of Hessians, the largest each. */
static void measure(const known_problem *k, const char *method, double rtol, double worst[2])
{
    jets q;
    costate_solver *s = opened(k, &q, method, rtol);
    const int no = q.objectives, np = q.np;
    double y[4], dp[6 * 3], dy[4 * 3], hp[6 * 6], hy[4 * 6], unit[6 * 6] = {0}, exact[6 * 6];
    memcpy(y, k->y0, sizeof y);
    fine(s, k->name, costate_solve(s, 0, k->t1, k->p, y));
    fine(s, k->name, costate_gradient(s, no, NULL, dy, dp));
    worst[0] = worst[1] = 0;
    for (int i = 0; i < np; i++) unit[i * np + i] = 1;
    for (int o = 0; o < no; o++) {
        double weights[3 * 6] = {0};
        worst[0] = fmax(worst[0], off(dp + o, (size_t)no, k->gradient[o], np));
        for (int l = 0; l < np; l++) weights[o * np + l] = 1;
        fine(s, k->name, costate_hessian(s, np, weights, NULL, unit, hy, hp));
        for (int i = 0; i < np * np; i++) exact[i] = k->hessian[o][i / np][i % np];
        worst[1] = fmax(worst[1], off(hp, 1, exact, np * np));
    }
    costate_free(s);
}

static void they_have_closed_forms(void **state)
{
    (void)state;
    for (int i = 0; i < KNOWN_PROBLEMS; i++) {
        double worst[2];
        measure(&known_problems[i], "dopri853", 1e-12, worst);
        print_message("%-10s gradient %.1e, Hessian %.1e\n", known_problems[i].name, worst[0], worst[1]);
        assert_true(worst[0] < 1e-11);
        assert_true(worst[1] < 1e-11);
    }
}

/* ---- beside the discrete adjoint --------------------------------------------------------------------------------------- */

enum { NP = FORCED_PARAMS, W = 2, GRADIENT = W * (NP + 3), ALL = GRADIENT + NP + 3 };

typedef struct wish {
    const char *method, *back, *adjoint, *memory;
    double rtol, last, end, scale;
    int threads, lanes;
} wish;

static costate_solver *forced(const wish *x, jets *q)
{
    const costate_problem problem = forced_problem(q, &x->last);
    costate_options o = costate_defaults(x->method);
    o.rtol = o.atol = x->rtol;
    o.adjoint = x->adjoint;
    if (x->back) o.adjoint_method = x->back;
    if (x->threads) o.threads = x->threads;
    if (x->lanes) o.lanes = x->lanes;
    costate_solver *s = NULL;
    fine(s, x->method, costate_create(&s, &problem, &o));
    if (x->memory) fine(s, x->method, costate_set(s, "memory", x->memory));
    return s;
}

/* Gradients by parameters and initial values, then a Hessian times a direction. */
static costate_stats all_of(const wish *x, double to[ALL])
{
    jets q;
    costate_solver *s = forced(x, &q);
    const double scale = x->scale != 0 ? x->scale : 1, weights[W * W] = {scale, 0, 0, scale}, both[W] = {scale, 2 * scale};
    double y[3], pd[NP], yd[3] = {1, -0.5, 0.3};
    memcpy(y, forced_y, sizeof y);
    fine(s, x->method, costate_solve(s, 0, x->end, forced_p, y));
    fine(s, x->method, costate_gradient(s, W, weights, to + W * NP, to));
    costate_stats st = stats_of(s);
    for (int i = 0; i < NP; i++) pd[i] = 1 + 0.1 * i;
    fine(s, x->method, costate_hessian(s, 1, both, yd, pd, to + GRADIENT + NP, to + GRADIENT));
    costate_free(s);
    return st;
}

static wish by(const char *method, double rtol, int stops)
{
    return (wish){.method = method, .rtol = rtol, .last = stops ? 1.2 : 100, .end = stops ? 20 : 8, .adjoint = "continuous"};
}

static void the_truth(int stops, double to[ALL])
{
    wish x = by("dopri853", 1e-13, stops);
    x.adjoint = "discrete";
    all_of(&x, to);
}

/* Forward and backward method, and the tolerances. */
static const struct pair {
    const char *method, *back;
    double loose, tight;
} pairs[] = {
    {"rk32", NULL, 1e-4, 1e-7},          {"rk43", NULL, 1e-4, 1e-8},           {"dopri5", NULL, 1e-4, 1e-9},
    {"verner65", NULL, 1e-4, 1e-9},      {"cashkarp", NULL, 1e-4, 1e-9},       {"dopri853", NULL, 1e-4, 1e-9},
    {"sdirk2a", NULL, 1e-3, 1e-5},       {"sdirk2b", NULL, 1e-3, 1e-5},        {"sdirk3a", NULL, 1e-3, 1e-5},
    {"sdirk4a", NULL, 1e-4, 1e-8},       {"sdirk4b", NULL, 1e-4, 1e-8},        {"radau2a", NULL, 1e-4, 1e-8},
    {"radau1a", NULL, 1e-4, 1e-8},       {"gauss", NULL, 1e-4, 1e-8},          {"lobatto3c", NULL, 1e-4, 1e-8},
    {"ros2", NULL, 1e-3, 1e-5},          {"ros3", NULL, 1e-4, 1e-6},           {"ros4", NULL, 1e-4, 1e-7},
    {"rodas3", NULL, 1e-4, 1e-6},        {"rodas4", NULL, 1e-4, 1e-8},         {"dopri5", "radau2a", 1e-4, 1e-8},
    {"radau2a", "dopri853", 1e-4, 1e-8}, {"rodas4", "dopri5", 1e-4, 1e-8},     {"dopri853", "bdf", 1e-4, 1e-7},
    {"sdirk4a", "bdf", 1e-4, 1e-7},      {"lobatto3c", "rk43", 1e-4, 1e-7},
};

static void errors_fall_with_the_tolerance(void **state)
{
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        double exact[ALL], all[ALL];
        the_truth(stops, exact);
        for (size_t i = 0; i < COUNT(pairs); i++)
            for (int k = 0; k < 2; k++) {
                wish x = by(pairs[i].method, k ? pairs[i].tight : pairs[i].loose, stops);
                x.back = pairs[i].back;
                const costate_stats st = all_of(&x, all);
                const double first = off(all, 1, exact, GRADIENT), second = off(all + GRADIENT, 1, exact + GRADIENT, NP + 3);
                if (x.back) assert_string_equal(st.adjoint_method, x.back);
                if (!(first < 300 * x.rtol) || !(second < 300 * x.rtol) || st.events != 4)
                    fail_msg("%s, %s back, at %g: gradient %.2e, Hessian %.2e, %d events", x.method, st.adjoint_method, x.rtol,
                             first, second, (int)st.events);
            }
    }
}

/* Bars of objectives are the defect's, over all intervals between events, and with what happens at these. */
static void objectives_are_off_by_half_their_bars(void **state)
{
    static const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "rodas4"};
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        double exact[W], psi[W], bar[W], y[3], g[GRADIENT], off_g[GRADIENT];
        for (size_t i = 0; i <= COUNT(methods); i++) {
            jets q;
            wish x = i ? by(methods[i - 1], 1e-6, stops) : by("dopri853", 1e-13, stops);
            costate_solver *s = forced(&x, &q);
            memcpy(y, forced_y, sizeof y);
            fine(s, x.method, costate_solve(s, 0, x.end, forced_p, y));
            fine(s, x.method, costate_objectives(s, i ? psi : exact));
            fine(s, x.method, costate_gradient(s, W, NULL, g, g + W * 3));
            if (i) fine(s, x.method, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT,
                                                                            .w = W,
                                                                            .value = {g, g + W * 3},
                                                                            .bar = {off_g, off_g + W * 3},
                                                                            .psi = bar}));
            for (int o = 0; i && o < W; o++) {
                const double ratio = bar[o] / 2 / fabs(psi[o] - exact[o]);
                if (!(fabs(ratio - 1) < 0.1)) fail_msg("%s: objective %d, bar over error %.3g", x.method, o, ratio);
            }
            costate_free(s);
        }
    }
}

/* ---- what it does not depend on ---------------------------------------------------------------------------------------- */

static void budgets_and_threads_change_no_bit(void **state)
{
    static const char *const methods[] = {"dopri5", "dopri853", "sdirk4a", "radau2a", "rodas4"};
    static const char *const memory[] = {"4K", "2K", "1K"};
    int64_t again = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++)
        for (int stops = 0; stops < 2; stops++) {
            double one[ALL], other[ALL];
            wish x = by(methods[i], 1e-7, stops);
            all_of(&x, one);
            for (size_t k = 0; k < COUNT(memory); k++) {
                x.memory = memory[k];
                x.threads = k == 2 ? 3 : 1;
                again += all_of(&x, other).recomputed_steps;
                assert_bits(one, other, ALL);
            }
        }
    assert_true(again > 1000);
}

static void the_scale_of_the_objective_is_nothing_to_it(void **state)
{
    static const char *const methods[] = {"dopri5", "sdirk4a", "radau2a"};
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++)
        for (int stops = 0; stops < 2; stops++)
            for (double scale = 1e-30; scale < 1e31; scale *= 1e60) {
                double one[ALL], other[ALL];
                wish x = by(methods[i], 1e-6, stops);
                const costate_stats st = all_of(&x, one);
                x.scale = scale;
                assert_int_equal(all_of(&x, other).adjoint_steps, st.adjoint_steps);
                for (int k = 0; k < ALL; k++) assert_true(fabs(other[k] / scale - one[k]) <= 1e-6 * fabs(one[k]));
            }
}

/* Lanes beside each other, in blocks of one, lanes of zeros: each as it is alone, to the tolerance. */
static void lanes_agree(void **state)
{
    enum { L = 5 };
    static const double weights[W * L] = {0, 1, 0, 2, -1, 0, 0, 1, 1e-9, 3};
    double exact[ALL], dp[NP * L], dy[3 * L], y[3];
    jets q;
    (void)state;
    the_truth(0, exact);
    for (int lanes = 1; lanes < 9; lanes += 7) {
        wish x = by("dopri853", 1e-9, 0);
        x.lanes = lanes;
        costate_solver *s = forced(&x, &q);
        memcpy(y, forced_y, sizeof y);
        fine(s, x.method, costate_solve(s, 0, x.end, forced_p, y));
        fine(s, x.method, costate_gradient(s, L, weights, dy, dp));
        for (int i = 0; i < NP + 3; i++)
            for (int l = 0; l < L; l++) {
                const double wanted = weights[l] * exact[W * i] + weights[L + l] * exact[W * i + 1];
                const double got = i < NP ? dp[i * L + l] : dy[(i - NP) * L + l];
                assert_true(fabs(got - wanted) <= 1e-7 * (fabs(wanted) + 1e-2) && (l || got == 0));
            }
        costate_free(s);
    }
}

/* ---- the wrong way round, and at once ---------------------------------------------------------------------------------- */

/* From 8 to 0. A seed on the last state, objectives playing no role. */
static void runs_may_go_back_in_time(void **state)
{
    double y[3], lambda[2][3 * 2], mu[2][NP * 2], dp[2][NP * W], dy[2][3 * W];
    jets q;
    (void)state;
    for (int k = 0; k < 2; k++) {
        wish x = by("dopri853", 1e-11, 0);
        if (k) x.adjoint = "discrete";
        costate_problem problem = forced_problem(&q, &x.last);
        costate_options o = costate_defaults(x.method);
        problem.observe_at = (double[]){3.3, 2.1, 0.7};
        o.rtol = o.atol = x.rtol;
        o.adjoint = x.adjoint;
        costate_solver *s = NULL;
        fine(s, x.method, costate_create(&s, &problem, &o));
        memcpy(y, forced_y, sizeof y);
        fine(s, x.method, costate_solve(s, 5, 0.5, forced_p, y));
        assert_true(stats_of(s).events > 2);
        fine(s, x.method, costate_gradient(s, W, NULL, dy[k], dp[k]));
        memcpy(lambda[k], (double[]){1, 0, 0, 1, -1, 2}, sizeof lambda[k]);
        fine(s, x.method, costate_adjoint(s, 2, lambda[k], mu[k]));
        costate_free(s);
    }
    assert_true(off(dp[0], 1, dp[1], NP * W) < 1e-8 && off(dy[0], 1, dy[1], 3 * W) < 1e-8);
    assert_true(off(mu[0], 1, mu[1], NP * 2) < 1e-8 && off(lambda[0], 1, lambda[1], 3 * 2) < 1e-8);
}

static void observations_behind_the_end_are_not_there(void **state)
{
    double one[ALL], other[ALL];
    wish x = by("dopri853", 1e-11, 1);
    (void)state;
    x.last = 0.5; /* met before the last observation */
    all_of(&x, one);
    x.adjoint = "discrete";
    const costate_stats st = all_of(&x, other);
    assert_true(st.events > 1 && st.events < 4);
    assert_true(off(one, 1, other, GRADIENT) < 1e-8 && off(one + GRADIENT, 1, other + GRADIENT, NP + 3) < 1e-8);
}

/* x' = -p0 x + t; doses x+ = x^2 + p_j at times p1, p2, p3, which may be the same, an observation's, or an end of the run. */
static void dosed_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k;
    f[0] = sub(t, mul(p[0], y[0]));
}
static void dosed_times(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *tau)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    for (int j = 0; j < 3; j++) tau[j] = p[1 + j];
}
static void dosed_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode;
    to[0] = add(mul(y[0], jsin(add(y[0], mul(t, num(k + 1))))), p[0]);
}
static void dosed_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    r[0] = mul(y[0], y[0]);
}
static void dosed_observe(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t;
    g[0] = mul(p[0], mul(y[0], y[0]));
}
static void dosed_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)p;
    g[0] = mul(t, y[0]);
}

static void dosed(const char *method, double rtol, const char *adjoint, const double p[4], double to[2 * 5])
{
    jets q = {.n = 1, .np = 4, .objectives = 1, .timed = 3};
    jet_fn *const parts[] = {[OF_RHS] = dosed_rhs,     [OF_TERMINAL] = dosed_terminal, [OF_RUNNING] = dosed_running,
                             [OF_OBSERVE] = dosed_observe, [OF_RESET] = dosed_reset,   [OF_TIMES] = dosed_times};
    memcpy(q.fn, parts, sizeof parts);
    costate_problem b = jets_problem(&q);
    costate_options o = costate_defaults(method);
    b.observe_at = (const double[]){0, 1, 2};
    b.observations = 3;
    o.rtol = o.atol = rtol;
    o.adjoint = adjoint;
    costate_solver *s = NULL;
    double y[1] = {0.4}, pd[4] = {1, 0.4, -0.7, 0.3};
    fine(s, adjoint, costate_create(&s, &b, &o));
    fine(s, adjoint, costate_solve(s, 0, 2, p, y));
    assert_int_equal(stats_of(s).events, 3);
    fine(s, adjoint, costate_gradient(s, 1, NULL, to + 4, to));
    fine(s, adjoint, costate_hessian(s, 1, NULL, (double[]){1}, pd, to + 9, to + 5));
    costate_free(s);
}

static void events_at_once_and_at_the_ends(void **state)
{
    static const double times[][3] = {{0.5, 0.5, 0.5}, {0, 0, 1}, {1, 2, 2}, {0, 1, 2}, {0.5, 0.6, 1.5}};
    (void)state;
    for (size_t i = 0; i < COUNT(times); i++) {
        const double p[4] = {0.7, times[i][0], times[i][1], times[i][2]};
        double one[2 * 5], other[2 * 5];
        dosed("dopri853", 1e-12, "discrete", p, one);
        dosed("dopri853", 1e-12, "continuous", p, other);
        assert_true(off(other, 1, one, 5) < 1e-11);
        assert_true(off(other + 5, 1, one + 5, 5) < 1e-11);
    }
}

/* A step of 1e-13 between two that move, and f with t in it: what its size is multiplied by is 1e13. */
static void events_may_be_close(void **state)
{
    static const char *const methods[] = {"dopri853", "dopri5", "radau2a", "rodas4", "sdirk4b"};
    static const char *const adjoint[] = {"discrete", "continuous"};
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++)
        for (int k = 0; k < 2; k++) {
            const double rtol = i ? 1e-8 : 1e-12;
            double once[2 * 5], nearly[2 * 5];
            dosed(methods[i], rtol, adjoint[k], (double[]){0.7, 1, 1, 2}, once);
            for (double apart = 1e-13; apart < 1e-8; apart *= 100) {
                const double most = 1e3 * apart + (i ? 1e-7 : 1e-11);
                dosed(methods[i], rtol, adjoint[k], (double[]){0.7, 1, 1 + apart, 2}, nearly);
                const double first = off(nearly, 1, once, 5), second = off(nearly + 5, 1, once + 5, 5);
                if (!(first < most) || !(second < most))
                    fail_msg("%s, %s, %g apart: %.1e, %.1e", methods[i], adjoint[k], apart, first, second);
            }
        }
}

/* ---- lambda(t) --------------------------------------------------------------------------------------------------------- */

/* At an observation (x^2, b v), at event 2 with x+ = x + q cos(v + t), g = (sin(t) r v, t^2), and at an event that ends the
 * run. */
static void both_sides_of_a_jump(void **state)
{
    enum { ROWS = 8, ROW = 3 * W };
    double y[3], dp[NP * W], dy[3 * W], rows[ROWS][ROW], last = 0, x_seen = NAN, v = NAN;
    const double q = forced_p[F_Q], seen = forced_seen[0], t = forced_p[F_S], r = forced_p[F_R];
    jets j;
    const wish x = by("dopri853", 1e-11, 1);
    costate_event e;
    (void)state;
    costate_solver *s = forced(&x, &j);
    memcpy(y, forced_y, sizeof y);
    fine(s, x.method, costate_output(s, 1, &seen, y, NULL));
    fine(s, x.method, costate_solve(s, 0, x.end, forced_p, (double[]){forced_y[0], forced_y[1], forced_y[2]}));
    x_seen = y[0];
    for (int i = 0; costate_events(s, i, &e) == 0; i++) {
        last = e.t;
        if (e.k == 2) v = e.before[1];
    }
    const double times[ROWS] = {0, seen, seen, t, t, last, last, 20};
    fine(s, x.method, costate_adjoint_output(s, ROWS, times, rows[0]));
    fine(s, x.method, costate_gradient(s, W, NULL, dy, dp));
    costate_free(s);
    assert_bits(rows[0], dy, ROW);
    assert_bits(rows[5], rows[6], ROW);
    assert_nan(rows[7], ROW);
    const double jump[2][ROW] = {{2 * x_seen, 0, 0, forced_p[F_B]},
                                 {0, 0, sin(t) * r - q * sin(v + t) * rows[4][0], -q * sin(v + t) * rows[4][1]}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ROW; i++) assert_true(fabs(rows[2 * k + 1][i] - rows[2 * k + 2][i] - jump[k][i]) < 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_have_closed_forms),
        cmocka_unit_test(errors_fall_with_the_tolerance),
        cmocka_unit_test(objectives_are_off_by_half_their_bars),
        cmocka_unit_test(budgets_and_threads_change_no_bit),
        cmocka_unit_test(the_scale_of_the_objective_is_nothing_to_it),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(runs_may_go_back_in_time),
        cmocka_unit_test(observations_behind_the_end_are_not_there),
        cmocka_unit_test(events_at_once_and_at_the_ends),
        cmocka_unit_test(events_may_be_close),
        cmocka_unit_test(both_sides_of_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
