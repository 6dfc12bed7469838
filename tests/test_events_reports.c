/* test_events_reports.c - what is refused, and said: bad input, events that accumulate; held conditions; many events, and events
 * at once. */
#include "known_events.h"
#include "support.h"

enum { BALL, THERMOSTAT, DOSING, NEURON };

typedef struct wish {
    jets q;
    costate_problem problem;
    costate_options options;
    double t0, t1, y[4], p[6];
} wish;

static void wish_for(wish *x, int which)
{
    const known_problem *k = &known_problems[which];
    x->q = k->q;
    x->problem = jets_problem(&x->q);
    x->problem.direction = k->direction;
    x->problem.observe_at = k->observe_at;
    x->problem.observations = k->observations;
    x->problem.first_mode = k->first_mode;
    x->options = costate_defaults("dopri5");
    x->options.rtol = x->options.atol = 1e-8;
    x->t0 = 0, x->t1 = k->t1;
    memcpy(x->y, k->y0, sizeof x->y);
    memcpy(x->p, k->p, sizeof x->p);
}

/* The status of making a solver, or of a run by it, and whether the message says that; no numbers are left. */
static void refused(wish *x, int status, const char *words)
{
    costate_solver *s = NULL;
    int got = costate_create(&s, &x->problem, &x->options);
    if (!got) {
        got = costate_solve(s, x->t0, x->t1, x->p, x->y);
        assert_true(got != 0);
        assert_nan(x->y, (size_t)x->problem.n);
    }
    if (got != status || !strstr(costate_message(s), words)) print_message("%d: %s\n", got, costate_message(s));
    assert_int_equal(got, status);
    assert_non_null(strstr(costate_message(s), words));
    costate_free(s);
}

static int five(int k, int mode, double t, const double *y, const double *p)
{
    (void)k, (void)mode, (void)t, (void)y, (void)p;
    return -5;
}

static void no_number(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y, (void)p;
    to[0] = num(NAN);
}

static void nothing(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y, (void)p;
    e[0] = num(0);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    const double two[] = {2}, none[] = {INFINITY, 1, 2};
    wish x;
    wish_for(&x, BALL);
    x.problem.direction = two;
    refused(&x, COSTATE_ERR_EVENTS, "the direction of event 0 is 2");
    wish_for(&x, BALL);
    x.problem.first_mode = -1;
    refused(&x, COSTATE_ERR_MODE, "first_mode is -1");
    wish_for(&x, BALL);
    x.problem.event = (costate_function){0};
    refused(&x, COSTATE_ERR_EVENTS, "event.eval is NULL");
    wish_for(&x, DOSING);
    x.problem.event_times = (costate_function){0};
    refused(&x, COSTATE_ERR_EVENTS, "neither event_times nor event_at");
    wish_for(&x, DOSING);
    x.problem.event_times = (costate_function){0};
    x.problem.event_at = none;
    refused(&x, COSTATE_ERR_TIMES, "the time of event 0 is inf");
    wish_for(&x, NEURON);
    x.q.fn[OF_RESET] = no_number;
    refused(&x, COSTATE_ERR_NOT_FINITE, "reset makes y[0] nan at event 0");
    wish_for(&x, NEURON);
    x.q.next = five;
    x.problem.next_mode = jets_next;
    refused(&x, COSTATE_ERR_MODE, "next_mode returned -5 after event 0");
    wish_for(&x, NEURON);
    x.q.fn[OF_EVENT] = nothing;
    refused(&x, COSTATE_ERR_EVENT_GUARD, "the guard of event 0 is 0");
    wish_for(&x, NEURON);
    x.options.max_events = 3;
    refused(&x, COSTATE_ERR_MAX_EVENTS, "max_events = 3 reached");
}

/* ---- what accumulates ---------------------------------------------------------------------------------------------------- */

static void a_ball_that_comes_to_rest_is_told_of(void **state)
{
    (void)state;
    wish x;
    wish_for(&x, BALL);
    x.t1 = 10; /* the bounces end at 5.746957711... */
    refused(&x, COSTATE_ERR_EVENT_ZENO, "event 0 accumulates at t = 5.746957711 (intervals shrink by 0.80)");
}

/* y' = 1 below the threshold, -1 above, by a condition of the text that is held: the run would be caught there. */
static void pushed(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)mode, (void)k, (void)t, (void)y, (void)p;
    f[0] = num(q->held & 1 ? -1 : 1);
}

static void no_run_fails_for_a_condition_that_is_held(void **state)
{
    (void)state;
    wish x;
    wish_for(&x, NEURON);
    x.q.fn[OF_RHS] = pushed;
    x.problem.reset = x.problem.on_event = (costate_function){0};
    x.problem.direction = NULL;
    x.problem.held = 1;
    costate_solver *s = NULL;
    costate_stats st;
    assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
    assert_int_equal(costate_solve(s, 0, 20, x.p, x.y), 0);
    costate_get_stats(s, &st);
    assert_int_equal(st.events, 0);
    assert_non_null(strstr(st.warning, "event 0 is not held"));
    assert_true(fabs(x.y[0] - 20) < 1e-6); /* what is not held is for the text to decide, and here it does not */
    costate_free(s);
}

/* The same on the way through: y' = 1 below, 2 above. p[2] = 15 is the threshold; y(20) = 15 + 2 (20 - 15). */
static void passed(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)mode, (void)k, (void)t, (void)y, (void)p;
    f[0] = num(q->held & 1 ? 2 : 1);
}

static void a_condition_that_is_held_moves_with_the_parameters(void **state)
{
    (void)state;
    wish x;
    double dp[2 * 4], dy[2];
    wish_for(&x, NEURON);
    x.q.fn[OF_RHS] = passed;
    x.problem.reset = x.problem.on_event = (costate_function){0};
    x.problem.direction = NULL;
    x.problem.held = 1;
    costate_solver *s = NULL;
    assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
    assert_int_equal(costate_solve(s, 0, 20, x.p, x.y), 0);
    assert_true(fabs(x.y[0] - 25) < 1e-12);
    assert_int_equal(costate_gradient(s, 2, NULL, dy, dp), 0);
    assert_true(fabs(dp[2 * 2 + 1] + 1) < 1e-12 && fabs(dy[1] - 2) < 1e-12);
    assert_int_equal(costate_set(s, "switches", "off"), 0);
    x.y[0] = 0;
    assert_int_equal(costate_solve(s, 0, 20, x.p, x.y), 0);
    assert_true(fabs(x.y[0] - 20) < 1e-12);
    costate_free(s);
}

/* ---- many, and at once --------------------------------------------------------------------------------------------------- */

static void ten_thousand_spikes(void **state)
{
    (void)state;
    wish x;
    double dp[2 * 4], dy[2];
    wish_for(&x, NEURON);
    x.t1 = 1.1e5;
    x.options.rtol = x.options.atol = 1e-6;
    costate_solver *s = NULL;
    costate_stats st;
    assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
    assert_int_equal(costate_solve(s, 0, x.t1, x.p, x.y), 0);
    costate_get_stats(s, &st);
    const int64_t events = st.events, steps = st.steps, forward = st.rhs;
    assert_int_equal(costate_gradient(s, 2, NULL, dy, dp), 0);
    costate_get_stats(s, &st);
    print_message("%lld spikes, %.1f steps and %.1f f for each; back: %.1f vjp and %.1f f\n", (long long)events,
                  (double)steps / (double)events, (double)forward / (double)events, (double)st.vjp / (double)events,
                  (double)(st.rhs - forward) / (double)events);
    assert_true(events >= 10000);
    for (int i = 0; i < 2 * 4; i++) assert_true(isfinite(dp[i]));
    costate_free(s);
}

/* Doses at the same time as an observation, as t0, as the end: one-sided derivatives, counted. */
static void times_that_coincide_are_counted(void **state)
{
    (void)state;
    wish x;
    double dp[2 * 6], dy[2 * 2];
    wish_for(&x, DOSING);
    x.p[3] = 0, x.p[5] = 10; /* doses at 0, 10, 20; observations at 2, 6, 10, 14, 20 */
    costate_solver *s = NULL;
    costate_stats st;
    assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
    assert_int_equal(costate_solve(s, 0, 24, x.p, x.y), 0);
    costate_get_stats(s, &st);
    assert_int_equal(st.events, 3);
    assert_int_equal(st.ties, 3);
    assert_int_equal(costate_gradient(s, 2, NULL, dy, dp), 0);
    /* the same by a lag that is a little more: doses behind the observations, as here */
    double more[2 * 6], y[4] = {0};
    x.p[3] = 1e-9;
    assert_int_equal(costate_solve(s, 0, 24, x.p, y), 0);
    assert_int_equal(costate_gradient(s, 2, NULL, dy, more), 0);
    for (int i = 0; i < 2 * 6; i++) assert_true(fabs(dp[i] - more[i]) <= 1e-6 * (fabs(dp[i]) + 1e-3));
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused),        cmocka_unit_test(a_ball_that_comes_to_rest_is_told_of),
        cmocka_unit_test(no_run_fails_for_a_condition_that_is_held),
        cmocka_unit_test(a_condition_that_is_held_moves_with_the_parameters), cmocka_unit_test(ten_thousand_spikes),
        cmocka_unit_test(times_that_coincide_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
