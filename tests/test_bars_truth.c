/* test_bars_truth.c - error bars hold what they promise where the truth is known: ordinary problems, algebraic equations, events
 * and conditions. `make bars` has a great many more. */
#include "support.h"

#include "bars.h"

static void honest(const char *file, const char *best, const char *const *method, int second)
{
    subject q = {0};
    assert_int_equal(subject_open(&q, file, NULL, best, second), 0);
    for (; *method; method++)
        for (int d = 4; d <= 8; d += 2) {
            const costate_options o = bars_options(*method, pow(10, -d));
            answer a = answer_make(q.all);
            answer_fill(&q, &o, 1, second, &a);
            if (a.status) fail_msg("%s, %s: %s", file, *method, a.reason);
            const double g = bars_norm(&q, a.g_bar, NULL) / bars_norm(&q, a.g, q.truth.g);
            const double h = second ? bars_norm(&q, a.h_bar, NULL) / bars_norm(&q, a.h, q.truth.h) : 1;
            if (!(g > 0.5 && g < 4 && h > 0.5 && h < 4))
                fail_msg("%s, %s, 1e-%d: bars over errors: gradient %.3g, Hessian %.3g", file, *method, d, g, h);
            answer_free(&a);
        }
    subject_close(&q);
}

static void against_truth(void **state)
{
    static const char *const stiff[] = {"bdf", "sdirk4b", "radau2a", "rodas4", NULL}, *const not [] = {"dopri5", "bdf", NULL};
    static const char *const index2[] = {"bdf", "radau2a", NULL};
    (void)state;
    honest("problems/duffing", "dopri853", not, 1);        /* init, running parts, observations */
    honest("problems/linear_index1", "radau2a", stiff, 0); /* consistent initial values */
    honest("problems/pendulum", "radau2a", index2, 0);     /* of index 2 */
    honest("problems/hires", "radau2a", (const char *const[]){"bdf", "rodas4", NULL}, 0);
}

/* lambda against the defect is the objective's error itself, of every part of it; gradients are off by what their bars say. */
static void by_equations(const char *file, const char *best, int goals, const char *const *method)
{
    subject q = {0};
    assert_int_equal(subject_load(&q, file, NULL), 0);
    for (int goal = 0; goal < goals; goal++) {
        assert_int_equal(subject_truth(&q, goal, best, 0), 0);
        for (const char *const *m = method; *m; m++)
            for (int d = 4; d <= 8; d += 2) {
                costate_options o = bars_options(*m, pow(10, -d));
                answer a = answer_make(q.all);
                o.adjoint = "continuous";
                answer_fill(&q, &o, 1, 0, &a);
                if (a.status) fail_msg("%s, %s: %s", file, *m, a.reason);
                const double psi = a.psi_bar / fabs(a.psi - q.truth.psi);
                const double g = bars_norm(&q, a.g_bar, NULL) / bars_norm(&q, a.g, q.truth.g);
                if (!(psi > 1.8 && psi < 2.2 && g > 0.5 && g < 4))
                    fail_msg("%s, %s, 1e-%d: bars over errors: objective %d %.3g, gradient %.3g", file, *m, d, goal, psi, g);
                answer_free(&a);
            }
    }
    subject_close(&q);
}

static void continuous(void **state)
{
    static const char *const stiff[] = {"bdf", "sdirk4b", "radau2a", "rodas4", NULL}, *const not [] = {"dopri5", "bdf", NULL};
    (void)state;
    by_equations("problems/duffing", "dopri853", 1, not); /* init, running parts, observations */
    by_equations("problems/linear_index1", "radau2a", 1, stiff);
    by_equations("problems/pendulum", "radau2a", 1, (const char *const[]){"bdf", "radau2a", NULL});
    by_equations("tests/harsh/slaved", "radau2a", 1, stiff);
}

/* Several objectives at once, in any order: bars are those of each alone; of what is in no lane they are those of the halves. */
static void lanes_of_objectives(void **state)
{
    subject q = {0};
    const double order[] = {0, 1, 1, 0}, second[] = {0, 1};
    double bars[3][2], y[2];
    (void)state;
    assert_int_equal(subject_load(&q, "tests/harsh/slaved", NULL), 0);
    costate_options o = bars_options("radau2a", 1e-5);
    o.adjoint = "continuous";
    for (int k = 0; k < 3; k++) {
        const int w = k == 2 ? 1 : 2, n = 2;
        double gradient[12], bar[12];
        costate_solver *s = make_solver(&q.prob, &o);
        memcpy(y, q.about.y0, sizeof y);
        assert_ok(s, costate_solve(s, q.about.t0, q.about.t1, q.about.p, y));
        const double *weights = k == 0 ? NULL : k == 1 ? order : second;
        assert_ok(s, costate_gradient(s, w, weights, gradient, gradient + n * w));
        assert_ok(s, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT,
                                                           .w = w,
                                                           .weights = weights,
                                                           .psi = bars[k],
                                                           .value = {gradient, gradient + n * w},
                                                           .bar = {bar, bar + n * w}}));
        costate_free(s);
    }
    for (int k = 0; k < 2; k++) assert_near(bars[1][k], bars[0][k], 0.01 * bars[0][k]);
    assert_near(bars[2][1], bars[0][1], 0.01 * bars[0][1]);
    assert_true(bars[2][0] != bars[0][0] && bars[2][0] > 0.5 * bars[0][0]);
    subject_close(&q);
}

/* Events happen at other times in the halves, and all that follows them does. */
static void events_move(void **state)
{
    static const char *const method[] = {"dopri5", "sdirk4b", "radau2a", "rodas4"};
    static const char *const file[] = {"examples/models/thermostat", "examples/models/neuron", "tests/harsh/relay",
                                       "tests/harsh/bounces", "tests/harsh/fires"};
    (void)state;
    for (size_t f = 0; f < COUNT(file); f++) {
        subject q = {0};
        assert_int_equal(subject_load(&q, file[f], NULL), 0);
        for (int goal = 0; goal < 2; goal++) {
            assert_int_equal(subject_truth(&q, goal, "dopri853", 1), 0);
            for (size_t k = 0; k < 2 * COUNT(method); k++) {
                const costate_options o = bars_options(method[k / 2], k % 2 ? 1e-4 : 1e-6);
                answer a = answer_make(q.all);
                answer_fill(&q, &o, 1, 1, &a);
                assert_int_equal(a.status, 0);
                const double psi = a.psi_bar / fabs(a.psi - q.truth.psi);
                const double g = bars_norm(&q, a.g_bar, NULL) / bars_norm(&q, a.g, q.truth.g);
                const double h = bars_norm(&q, a.h_bar, NULL) / bars_norm(&q, a.h, q.truth.h);
                if (!(psi > 0.5 && psi < 4 && g > 0.5 && g < 4 && h > 0.5 && h < 4))
                    fail_msg("%s, %s: bars over errors: objective %d %.3g, gradient %.3g, Hessian %.3g", file[f], o.method, goal,
                             psi, g, h);
                answer_free(&a);
            }
        }
        subject_close(&q);
    }
}

/* Conditions of the text that are not held in the run are not in the halves either. */
static void switches_off(void **state)
{
    static const char *const method[] = {"dopri5", "radau2a", "rodas4"};
    subject q = {0};
    (void)state;
    assert_int_equal(subject_open(&q, "examples/models/lockdown", NULL, "dopri853", 0), 0);
    for (size_t m = 0; m < COUNT(method); m++) {
        costate_options o = bars_options(method[m], 1e-5);
        answer a = answer_make(q.all);
        o.switches = "off";
        answer_fill(&q, &o, 1, 0, &a);
        assert_int_equal(a.status, 0);
        const double ratio = a.psi_bar / fabs(a.psi - q.truth.psi);
        if (!(ratio > 0.3 && ratio < 10)) fail_msg("%s: the bar is %.3g of the error", method[m], ratio);
        answer_free(&a);
    }
    subject_close(&q);
}

/* A pulse that the steps have stepped over, and their halves meet: nothing is known, and an accuracy takes tighter steps. */
static void pulse(void **state)
{
    static const struct {
        const char *method;
        double rtol;
    } blind[] = {{"radau2a", 1e-4}, {"dopri853", 1e-3}};
    subject q = {0};
    (void)state;
    assert_int_equal(subject_open(&q, "tests/harsh/pulse", NULL, "dopri853", 0), 0);
    for (size_t k = 0; k < COUNT(blind); k++) {
        costate_options o = bars_options(blind[k].method, blind[k].rtol);
        costate_solver *s = make_solver(&q.prob, &o);
        double y = q.about.y0[0], g[5], bar[5], d_bar[5], psi_bar;
        assert_ok(s, costate_solve(s, q.about.t0, q.about.t1, q.about.p, &y));
        assert_true(fabs(y - q.truth.psi) > 0.5 * q.truth.psi);
        assert_ok(s, costate_gradient(s, 1, NULL, g, g + 1));
        assert_ok(s, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT,
                                                           .w = 1,
                                                           .psi = &psi_bar,
                                                           .value = {g, g + 1},
                                                           .bar = {bar, bar + 1}}));
        assert_true(isinf(psi_bar));
        for (int i = 0; i < 5; i++) assert_true(isinf(bar[i]));
        assert_non_null(strstr(stats_of(s).warning, "stepped over"));
        y = q.about.y0[0];
        costate_accuracy a = {.wanted = 1e-3, .t0 = q.about.t0, .t1 = q.about.t1, .p = q.about.p, .y = &y, .w = 1, .d = g,
                              .d_bar = d_bar};
        assert_ok(s, costate_attain(s, &a));
        assert_true(fabs(y - q.truth.psi) < 1e-3 * q.truth.psi);
        costate_free(s);
    }
    subject_close(&q);
}

/* What derivatives lack at a jump that is not held, they lack over the halves as well: no bar says how much it is. */
static void jumps(void **state)
{
    subject q = {0};
    double y[2], g[5], bar[5], goal, ydot[4] = {0}, pdot[6] = {1, 0, 0, 0, 0, 1}, psidot[2], ybar[4], pbar[2];
    (void)state;
    assert_int_equal(subject_load(&q, "examples/models/lockdown", NULL), 0);
    costate_options o = bars_options("radau2a", 1e-5);
    o.switches = "off";
    costate_solver *s = make_solver(&q.prob, &o);
    memcpy(y, q.about.y0, sizeof y);
    assert_ok(s, costate_solve(s, q.about.t0, q.about.t1, q.about.p, y));
    assert_ok(s, costate_gradient(s, 1, NULL, g, g + 2));
    assert_ok(s, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT,
                                                       .w = 1,
                                                       .psi = &goal,
                                                       .value = {g, g + 2},
                                                       .bar = {bar, bar + 2}}));
    assert_true(isfinite(goal));
    for (int i = 0; i < 5; i++) assert_int_equal(isinf(bar[i]) != 0, i == 2); /* the date */
    memcpy(y, q.about.y0, sizeof y);
    assert_ok(s, costate_tangent(s, q.about.t0, q.about.t1, q.about.p, y, 2, ydot, pdot));
    assert_ok(s, costate_objectives_dot(s, psidot));
    assert_ok(s, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_TANGENT,
                                                       .w = 2,
                                                       .pdot = pdot,
                                                       .value = {ydot, psidot},
                                                       .bar = {ybar, pbar}}));
    for (int l = 0; l < 2; l++) assert_true((isinf(ybar[l]) && isinf(ybar[2 + l]) && isinf(pbar[l])) == (l == 0)); /* along it */
    costate_accuracy a = {.wanted = 1e-3, .t0 = q.about.t0, .t1 = q.about.t1, .p = q.about.p, .y = y, .w = 1, .d = g};
    memcpy(y, q.about.y0, sizeof y);
    assert_refused(s, costate_attain(s, &a), COSTATE_ERR_ACCURACY, "jump");
    assert_int_equal(a.runs, 1);
    costate_free(s);
    subject_close(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_truth),
        cmocka_unit_test(continuous),
        cmocka_unit_test(lanes_of_objectives),
        cmocka_unit_test(events_move),
        cmocka_unit_test(switches_off),
        cmocka_unit_test(jumps),
        cmocka_unit_test(pulse),
    };
    return cmocka_run_group_tests_name("bars against the truth", tests, NULL, NULL);
}
