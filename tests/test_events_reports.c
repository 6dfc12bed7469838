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

/* y' = 1 in mode 0, -1 in mode 1: relays of several kinds at y = 1. */
enum { BOTH_WAYS, TWO_GUARDS, NO_WIDTH, WIDTH, TRIANGLE, ONE_WAY, RELAYS };
static int relay;

static void relay_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k, (void)t, (void)y;
    f[0] = mode ? scale(-1, p[0]) : p[0];
}
static void relay_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    const jet high = sub(y[0], num(1)), low = sub(y[0], num(relay == NO_WIDTH ? 1 : 0.5));
    const int waits = relay == NO_WIDTH || relay == WIDTH;
    (void)k, (void)t, (void)p;
    e[0] = relay == TRIANGLE ? mul(high, low) : waits && mode ? num(-1) : high;
    if (q->guards > 1) e[1] = !waits ? high : mode ? low : num(1);
}
static void relay_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[0] = y[0];
}
static int relay_next(int k, int mode, double t, const double *y, const double *p)
{
    (void)t, (void)y, (void)p;
    return relay == TWO_GUARDS || relay == NO_WIDTH || relay == WIDTH ? k == 0 : 1 - mode;
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
    wish_for(&x, NEURON);
    x.t1 = 1.2e6;
    x.options.rtol = x.options.atol = 1e-3;
    refused(&x, COSTATE_ERR_MAX_EVENTS, "max_events = 100000 reached at t = 109");
    const double period[] = {-1};
    wish_for(&x, NEURON);
    x.problem.event_period = period;
    refused(&x, COSTATE_ERR_EVENTS, "event_period of event 0 is -1");
    const double nan[] = {1, NAN, 2};
    wish_for(&x, DOSING);
    x.problem.event_times = (costate_function){0};
    x.problem.event_at = nan;
    refused(&x, COSTATE_ERR_TIMES, "the time of event 1 is nan");
}

/* ---- what is doubted ------------------------------------------------------------------------------------------------------ */

/* y = t - t^2/2, which is 1/2 at most: e = p[0] - y. */
static void slower(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)y, (void)p;
    f[0] = sub(num(1), t);
}

static void ceiling(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t;
    e[0] = sub(p[0], y[0]);
}

static void wish_for_a_touch(wish *x, double ceiling_at)
{
    wish_for(x, NEURON);
    x->q.fn[OF_RHS] = slower;
    x->q.fn[OF_EVENT] = ceiling;
    x->problem.reset = x->problem.on_event = (costate_function){0};
    x->problem.direction = NULL;
    x->p[0] = ceiling_at;
    x->t1 = 3;
}

static void what_only_touches_is_told_of(void **state)
{
    (void)state;
    wish x;
    wish_for_a_touch(&x, 0.5 - 1e-15);
    refused(&x, COSTATE_ERR_EVENT_GRAZING, "event 0 only touches zero at t = "); /* 1, but for some 1e-8 */
    static const double over[] = {-1e-6, 1e-9, 1e-6}; /* of a tolerance of 1e-8 */
    for (int i = 0; i < 3; i++) {
        costate_solver *s = NULL;
        costate_stats st;
        wish_for_a_touch(&x, 0.5 - over[i]);
        assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
        if (costate_solve(s, 0, 3, x.p, x.y)) fail_msg("%g: %s", over[i], costate_message(s));
        costate_get_stats(s, &st);
        assert_int_equal(st.events, i == 0 ? 0 : 2);
        assert_int_equal(st.grazing, i == 1 ? 2 : 0);
        assert_int_equal(strstr(st.warning, "event 0 at t = 0.99") && strstr(st.warning, "tighten rtol"), i == 1);
        costate_free(s);
    }
}

/* y' = 1, and at 5 the state is put back by less than time can tell. */
static void onward(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y, (void)p;
    f[0] = num(1);
}

static void five_less(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    e[0] = sub(y[0], num(5));
}

static void back_a_little(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    to[0] = sub(y[0], num(8e-14));
}

static void to_jump(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    e[0] = num(y[0].c[0] < 5 ? -1 : 1);
}

static void a_run_that_is_caught_is_told_of(void **state)
{
    (void)state;
    wish x;
    wish_for_a_touch(&x, 0);
    x.q.fn[OF_RHS] = onward;
    x.q.fn[OF_EVENT] = five_less;
    x.q.fn[OF_RESET] = back_a_little;
    x.problem.reset = jets_problem(&x.q).reset;
    x.t1 = 20;
    refused(&x, COSTATE_ERR_EVENT_SLIDING, "event 0: both modes push back to its guard at t = 5");
    wish_for_a_touch(&x, 0);
    x.q.fn[OF_RHS] = onward;
    x.q.fn[OF_EVENT] = to_jump;
    x.t1 = 20;
    refused(&x, COSTATE_ERR_EVENT_ROOT, "event 0: the guard is");
}

/* A guard that is zero at t0 has the side that its slope leads to: it has not happened, whatever its direction. */
static void no_event_happens_where_a_run_begins(void **state)
{
    (void)state;
    static const double directions[] = {-1, 0, 1};
    for (int i = 0; i < 3; i++) {
        wish x;
        costate_solver *s = NULL;
        costate_stats st;
        wish_for_a_touch(&x, 0);
        x.q.fn[OF_RHS] = onward;
        x.q.fn[OF_EVENT] = five_less;
        x.problem.direction = &directions[i];
        x.y[0] = 5;
        assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
        assert_int_equal(costate_solve(s, 0, 3, x.p, x.y), 0);
        costate_get_stats(s, &st);
        assert_int_equal(st.events, 0);
        assert_true(x.y[0] == 8);
        costate_free(s);
    }
}

static void times_outside_are_counted(void **state)
{
    (void)state;
    wish x;
    const double at[] = {-1, 5, 24.5};
    costate_solver *s = NULL;
    costate_stats st;
    wish_for(&x, DOSING);
    x.problem.event_times = (costate_function){0};
    x.problem.event_at = at;
    assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
    assert_int_equal(costate_solve(s, 0, 24, x.p, x.y), 0);
    costate_get_stats(s, &st);
    assert_true(st.events == 1 && st.outside == 2);
    costate_free(s);
}

/* A run that both modes push back to a guard would have to stay there: it is no run of either. With a width, or where a guard is
 * met in one direction, it goes on. */
static void modes_that_push_back_are_refused(void **state)
{
    static const double both[] = {0}, two[] = {1, -1}, last[RELAYS] = {NAN, NAN, NAN, 1, 0.7, -3};
    static const char *const methods[] = {"dopri5", "radau2a", "rodas4"};
    (void)state;
    for (relay = 0; relay < RELAYS; relay++)
        for (size_t i = 0; i < COUNT(methods); i++) {
            const int guards = relay == TWO_GUARDS || relay == NO_WIDTH || relay == WIDTH ? 2 : 1;
            wish x = {.q = {.n = 1, .np = 1, .objectives = 1, .guards = guards, .next = relay_next}, .t1 = 5, .p = {1}};
            x.q.fn[OF_RHS] = relay_rhs, x.q.fn[OF_EVENT] = relay_event, x.q.fn[OF_TERMINAL] = relay_terminal;
            x.problem = jets_problem(&x.q);
            x.problem.direction = relay == BOTH_WAYS ? both : two;
            x.options = costate_defaults(methods[i]);
            x.y[0] = relay == TRIANGLE ? 0.7 : 0;
            if (relay < WIDTH) {
                refused(&x, COSTATE_ERR_EVENT_SLIDING, "both modes push back to its guard at t = 1");
                continue;
            }
            costate_solver *s = NULL;
            assert_int_equal(costate_create(&s, &x.problem, &x.options), 0);
            assert_int_equal(costate_solve(s, 0, x.t1, x.p, x.y), 0);
            assert_true(fabs(x.y[0] - last[relay]) < 1e-9);
            costate_free(s);
        }
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
        cmocka_unit_test(modes_that_push_back_are_refused),
        cmocka_unit_test(no_run_fails_for_a_condition_that_is_held),
        cmocka_unit_test(a_condition_that_is_held_moves_with_the_parameters), cmocka_unit_test(ten_thousand_spikes),
        cmocka_unit_test(times_that_coincide_are_counted), cmocka_unit_test(what_only_touches_is_told_of),
        cmocka_unit_test(a_run_that_is_caught_is_told_of), cmocka_unit_test(no_event_happens_where_a_run_begins),
        cmocka_unit_test(times_outside_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
