/* test_events_found.c - guards that are met only briefly, 1 to 16 times as fast as the solution: every one is found.
 *
 *     x'' = -x,   e = c - sin(w t),   c = 0.5 .. 0.9999:   below zero for 1/3 to 1/220 of its period */
#include "jets.h"
#include "support.h"

static double speed;

static void swing(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    f[0] = y[1];
    f[1] = scale(-1, y[0]);
}

static void brief(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)y;
    e[0] = sub(p[0], jsin(scale(speed, t)));
}

static void straight(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    f[0] = scale(1, y[1]);
    f[1] = scale(0, y[1]);
}

static int still; /* f does not change, and steps are as long as they may be */

/* How many of them, before `end`, are not found; too many found count alike. */
static int lost(const char *method, double c, int samples, double end)
{
    jets q = {.n = 2, .np = 1, .guards = 1, .fn = {[OF_RHS] = still ? straight : swing, [OF_EVENT] = brief}};
    const costate_problem problem = jets_problem(&q);
    costate_options options = costate_defaults(method);
    options.event_samples = samples;
    costate_solver *s = NULL;
    costate_stats st;
    double y[2] = {0, 1}, at = asin(c), pi = acos(-1);
    int64_t all = 0;
    assert_int_equal(costate_create(&s, &problem, &options), 0);
    if (costate_solve(s, 0, end, &c, y)) fail_msg("%s, speed %g: %s", method, speed, costate_message(s));
    costate_get_stats(s, &st);
    for (int k = 0; (at + 2 * pi * k) / speed < end; k++) all += 1 + ((pi - at + 2 * pi * k) / speed < end);
    costate_event e;
    for (int64_t i = 0; costate_events(s, i, &e) == 0; i++) {
        const double turn = (double)(i / 2) * 2 * pi, true_time = ((i % 2 ? pi - at : at) + turn) / speed;
        if (st.events == all) assert_true(fabs(e.t - true_time) < 1e-9 * end);
    }
    costate_free(s);
    return (int)llabs(all - st.events);
}

static void none_is_lost(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "dopri853", "rodas4", "radau2a"};
    static const double brevity[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (speed = 1; speed <= 16; speed *= 2)
            for (size_t b = 0; b < COUNT(brevity); b++)
                for (int samples = speed < 16 ? 1 : 8; samples <= 8; samples *= 8)
                    if (lost(methods[m], brevity[b], samples, 40))
                        fail_msg("%s, speed %g, c = %g, %d samples: %d lost", methods[m], speed, brevity[b], samples,
                                 lost(methods[m], brevity[b], samples, 40));
}

/* By every method, at default settings if the guard is up to 8 times as fast as the solution, else in parts of steps. */
static void none_is_lost_by_any_method(void **state)
{
    (void)state;
    static const double brevity[] = {0.9, 0.9999};
    for (int m = 0; m < costate_method_count(); m++) {
        const costate_table *method = costate_method(m);
        if (method->family == COSTATE_BDF) continue; /* it does not start anew at events */
        for (speed = 2; speed <= 16; speed *= 2)
            for (size_t b = 0; b < COUNT(brevity); b++) {
                const int samples = speed < 16 ? 1 : 8, missing = lost(method->name, brevity[b], samples, 10);
                if (missing) fail_msg("%s, speed %g, c = %g: %d lost", method->name, speed, brevity[b], missing);
            }
    }
}

/* A guard may be much faster than a step that nothing holds back. */
static void nor_where_nothing_happens(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "dopri853", "verner65", "rodas4", "radau2a", "sdirk4a"};
    still = 1;
    for (size_t m = 0; m < COUNT(methods); m++)
        for (speed = 300; speed <= 30000; speed *= 10)
            if (lost(methods[m], 0.3, 1, 1)) fail_msg("%s, speed %g: %d lost", methods[m], speed, lost(methods[m], 0.3, 1, 1));
    still = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_is_lost), cmocka_unit_test(none_is_lost_by_any_method),
                                       cmocka_unit_test(nor_where_nothing_happens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
