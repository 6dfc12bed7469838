/* test_ad_held.c - conditions of the text that are held: which they are, what the functions are with them, released and not; the
 * guards and times that they become; and models without any stay what they are. */
#include "support.h"

#include <costate/diff.h>
#include <costate/runtime.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char root[64] = "/tmp/test_ad_held-XXXXXX";

static costate_model *opened(const char *text, const char *switches)
{
    char file[100];
    costate_model *m = NULL;
    snprintf(file, sizeof file, "%s/held.c", root);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && !fclose(f));
    if (costate_model_open(&m, file, &(costate_model_options){.cache = "none", .flags = "-O0", .switches = switches}))
        fail_msg("%s", costate_model_message(m));
    unlink(file);
    return m;
}

/* Conditions 0: y[0] > p[1], 1: z > 3 behind t > 30; 2..4 and 5..7: doses; 8: t > 30; 9: t against p[2]; 10: t > p[3] + 2. */
static const char many[] =
    "#include <costate/model.h>\n"
    "enum { T, X };\n"
    "enum { K, HIGH, START, STOP };\n"
    "static const double dose[3] = {1, 4, 7.5};\n"
    "static void rhs(double t, const double *y, const double *p, double *f) {\n"
    "    double rate = 0;\n"
    "    for (int i = 0; i < 3; i++)\n"
    "        if (t >= dose[i] && t < dose[i] + p[K]) rate += y[X] * p[K];\n"
    "    f[T] = -p[K] * y[T] * t + (y[T] > p[HIGH] ? y[X] * y[X] : 2) + rate;\n"
    "    if (t > 30) {\n"
    "        double z = y[X] * y[T];\n"
    "        if (z > 3) f[X] = -z * p[K];\n"
    "        else f[X] = sin(z * t);\n"
    "    } else f[X] = t < p[START] || t > p[STOP] + 2 ? 0.5 * y[T] * y[X] : y[T] <= p[HIGH];\n"
    "    for (int i = 0; i < 40; i++) f[X] += y[X] > i ? p[K] : 0;\n"
    "    f[X] += y[X] > 0 ? sqrt(y[X]) : 0;\n"
    "    if (p[K] > 1) f[X] += 1;\n"
    "    if (floor(t / 24) < 8) f[X] += 0.25; }\n"
    "static void running(double t, const double *y, const double *p, double *r) {\n"
    "    r[0] = y[T] > p[HIGH] && 30 > t ? y[X] * y[X] * p[K] : t; }\n"
    "COSTATE_MODEL(held, .states = 2, .params = 4, .y0 = COSTATE_VALUES(1, 1), .p = COSTATE_VALUES(0.5, 2, 3, 8), .t0 = 0,\n"
    "    .t1 = 40, .rhs = rhs, .running = running)\n";

enum { N = 2, NP = 4, HELD = 2, TIMED = 9 };

/* The same with bits for conditions. */
static void by_bits(const char *bit, double t, const double *y, const double *p, double *f)
{
    double rate = 0, z = y[1] * y[0];
    for (int i = 0; i < 3; i++)
        if (bit[2 + i] && !bit[5 + i]) rate += y[1] * p[0];
    f[0] = -p[0] * y[0] * t + (bit[0] ? y[1] * y[1] : 2) + rate;
    if (bit[8]) f[1] = bit[1] ? -z * p[0] : sin(z * t);
    else f[1] = !bit[9] || bit[10] ? 0.5 * y[0] * y[1] : !bit[0];
    for (int i = 0; i < 40; i++) f[1] += y[1] > i ? p[0] : 0;
    f[1] += y[1] > 0 ? sqrt(y[1]) : 0;
    if (p[0] > 1) f[1] += 1;
    if (floor(t / 24) < 8) f[1] += 0.25;
}

static void what_is_held(void **state)
{
    (void)state;
    costate_model *m = opened(many, "auto");
    const costate_problem *q = costate_model_problem(m);
    static const struct {
        const char *text, *why;
        int held;
    } wanted[] = {{"t >= dose[i]", NULL, 3},
                  {"t < dose[i] + p[0]", NULL, 6},
                  {"y[0] > p[1]", NULL, 1},
                  {"t > 30", NULL, 9},
                  {"z > 3", NULL, 2},
                  {"t < p[2]", NULL, 10},
                  {"t > p[3] + 2", NULL, 11},
                  {"y[0] <= p[1]", NULL, 1},
                  {"y[1] > (double)i", "it is in a loop", 0},
                  {"y[1] > 0", "what it guards is not defined beyond it", 0},
                  {"p[0] > 1", NULL, 0},
                  {"floor(t / 24)", "steps of floor and its like are not held", 0},
                  {"floor(t / 24) < 8", "it compares what jumps itself, as floor does", 0}};
    const costate_guards *g = &q->guards.rhs;
    assert_int_equal(q->held, HELD);
    assert_int_equal(q->timed_held, TIMED);
    assert_int_equal(q->events, HELD);
    assert_int_equal(q->timed_events, TIMED);
    assert_int_equal(g->count, sizeof wanted / sizeof *wanted);
    for (int i = 0; i < g->count; i++) {
        assert_string_equal(g->guard[i].text, wanted[i].text);
        assert_int_equal(g->guard[i].held, wanted[i].held);
        assert_int_equal(!g->guard[i].why, !wanted[i].why);
        if (wanted[i].why) assert_string_equal(g->guard[i].why, wanted[i].why);
    }
    assert_int_equal(q->guards.running.guard[0].held, 1); /* the same conditions */
    assert_int_equal(q->guards.running.guard[1].held, 9);
    assert_string_equal(q->event_names[0], "y[0] > p[1]");
    assert_string_equal(q->event_names[HELD + 6], "t > 30");
    costate_model_close(m);
}

static const double at_t = 12.5, at_y[N] = {1.7, 0.8}, at_p[NP] = {0.5, 2, 3, 8};

static costate_modal modal_of(const char *bit)
{
    costate_modal modal = {0};
    for (int i = 0; i < HELD + TIMED; i++) modal.held |= (uint64_t)bit[i] << i;
    return modal;
}

/* All products with the bits as they are, against differences. */
static void products(const costate_problem *q, const char *bit)
{
    enum { W = 3 };
    const double h = 1e-5;
    costate_modal modal = modal_of(bit);
    double tdot[W], ydot[N * W], pdot[NP * W], u[N * W], out[N * W], yb[N * W] = {0}, pb[NP * W] = {0};
    double yb2[N * W] = {0}, ybd[N * W] = {0}, pb2[NP * W] = {0}, pbd[NP * W] = {0}, f[N], g[N];
    for (int i = 0; i < W; i++) tdot[i] = 0.3 * i;
    for (int i = 0; i < N * W; i++) ydot[i] = cos(1 + i), u[i] = sin(2 + 3 * i);
    for (int i = 0; i < NP * W; i++) pdot[i] = sin(5 + 2 * i);
    assert_int_equal(q->rhs(at_t, at_y, at_p, f, &modal), 0);
    by_bits(bit, at_t, at_y, at_p, g);
    for (int i = 0; i < N; i++) assert_true(fabs(f[i] - g[i]) < 1e-14 * (1 + fabs(g[i])));
    assert_int_equal(q->jvp(at_t, at_y, at_p, W, tdot, ydot, pdot, out, &modal), 0);
    assert_int_equal(q->vjp(at_t, at_y, at_p, W, u, yb, pb, &modal), 0);
    assert_int_equal(q->vjp_dot(at_t, at_y, at_p, W, tdot, ydot, pdot, u, NULL, yb2, ybd, pb2, pbd, &modal), 0);
    for (int l = 0; l < W; l++) {
        double d[2][N], left = 0, right = 0, ydd[2][N] = {{0}}, pdd[2][NP] = {{0}};
        for (int s = 0; s < 2; s++) {
            double y[N], p[NP], seed[N];
            const double by = s ? -h : h;
            for (int i = 0; i < N; i++) y[i] = at_y[i] + by * ydot[i * W + l], seed[i] = u[i * W + l];
            for (int i = 0; i < NP; i++) p[i] = at_p[i] + by * pdot[i * W + l];
            by_bits(bit, at_t + by * tdot[l], y, p, d[s]);
            assert_int_equal(q->vjp(at_t + by * tdot[l], y, p, 1, seed, ydd[s], pdd[s], &modal), 0);
        }
        for (int i = 0; i < N; i++) {
            assert_true(fabs(out[i * W + l] - (d[0][i] - d[1][i]) / (2 * h)) < 1e-6);
            assert_true(fabs(ybd[i * W + l] - (ydd[0][i] - ydd[1][i]) / (2 * h)) < 1e-6);
            assert_true(fabs(yb2[i * W + l] - yb[i * W + l]) < 1e-14);
        }
        for (int i = 0; i < NP; i++) assert_true(fabs(pbd[i * W + l] - (pdd[0][i] - pdd[1][i]) / (2 * h)) < 1e-6);
        double still[W] = {0}, plain[N * W];
        assert_int_equal(q->jvp(at_t, at_y, at_p, W, still, ydot, pdot, plain, &modal), 0);
        for (int i = 0; i < N; i++) left += u[i * W + l] * plain[i * W + l], right += yb[i * W + l] * ydot[i * W + l];
        for (int i = 0; i < NP; i++) right += pb[i * W + l] * pdot[i * W + l];
        assert_true(fabs(left - right) < 1e-13);
    }
}

static void bits_decide(void **state)
{
    (void)state;
    costate_model *m = opened(many, "auto");
    const costate_problem *q = costate_model_problem(m);
    for (int pattern = 0; pattern < 1 << (HELD + TIMED); pattern += 37) {
        char bit[HELD + TIMED];
        for (int i = 0; i < HELD + TIMED; i++) bit[i] = (char)(pattern >> i & 1);
        products(q, bit);
    }
    costate_model_close(m);
}

/* Without data, or where all is released, the functions are those of the text. */
static void released_is_the_text(void **state)
{
    (void)state;
    costate_model *m = opened(many, "auto"), *plain = opened(many, "off");
    const costate_problem *q = costate_model_problem(m), *text = costate_model_problem(plain);
    costate_modal released = {.held = 0x155, .released = ~(uint64_t)0};
    assert_int_equal(text->held + text->timed_held + text->events + text->timed_events, 0);
    for (int i = 0; i < 200; i++) {
        const double t = 0.21 * i, y[N] = {3 * sin(i), 3 * cos(2 * i)};
        double f[3][N], yb[3][N] = {{0}}, pb[3][NP] = {{0}};
        const double u[N] = {0.3, -1.1};
        for (int k = 0; k < 3; k++) {
            const costate_problem *of = k ? q : text;
            void *data = k == 2 ? &released : NULL;
            assert_int_equal(of->rhs(t, y, at_p, f[k], data), 0);
            assert_int_equal(of->vjp(t, y, at_p, 1, u, yb[k], pb[k], data), 0);
        }
        for (int k = 1; k < 3; k++) {
            assert_memory_equal(f[k], f[0], sizeof f[0]);
            assert_memory_equal(yb[k], yb[0], sizeof yb[0]);
            assert_memory_equal(pb[k], pb[0], sizeof pb[0]);
        }
    }
    costate_model_close(m);
    costate_model_close(plain);
}

static void guards_and_times(void **state)
{
    (void)state;
    costate_model *m = opened(many, "auto");
    const costate_problem *q = costate_model_problem(m);
    double e[HELD], tau[TIMED], dot[TIMED];
    const double pdot[NP] = {1, 10, 100, 1000}, wanted[TIMED] = {1, 4, 7.5, 1.5, 4.5, 8, 30, 3, 10};
    const double moves[TIMED] = {0, 0, 0, 1, 1, 1, 0, 100, 1000};
    costate_modal modal = {0};
    assert_int_equal(q->event.eval(0, at_t, at_y, at_p, e, &modal), 0);
    assert_true(fabs(e[0] - (at_y[0] - at_p[1])) < 1e-16 && e[1] == 1); /* z > 3 is not come by */
    modal.held = 1u << 8;
    assert_int_equal(q->event.eval(0, at_t, at_y, at_p, e, &modal), 0);
    assert_true(fabs(e[1] - (at_y[0] * at_y[1] - 3)) < 1e-15);
    const double ydot[N] = {1, 2}, none[NP] = {0};
    assert_int_equal(q->event.jvp(0, at_t, at_y, at_p, 1, NULL, ydot, none, e, &modal), 0);
    assert_true(e[0] == 1 && fabs(e[1] - (at_y[1] + 2 * at_y[0])) < 1e-15);
    assert_int_equal(q->event_times.eval(0, 0, NULL, at_p, tau, &modal), 0);
    assert_int_equal(q->event_times.jvp(0, 0, NULL, at_p, 1, NULL, NULL, pdot, dot, &modal), 0);
    for (int i = 0; i < TIMED; i++) assert_true(tau[i] == wanted[i] && dot[i] == moves[i]);
    costate_model_close(m);
}

/* ---- beside events of the model ----------------------------------------------------------------------------------------- */

static const char beside[] =
    "#include <costate/model.h>\n"
    "static void rhs(int mode, double t, const double *y, const double *p, double *f) {\n"
    "    f[0] = mode == 1 && y[0] < 4 ? p[0] : -1; if (t >= 2) f[0] = t <= 5 ? 3 : 4; }\n"
    "static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0] - 7; e[1] = 2 * y[0]; }\n"
    "static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[0] = 100 + k; }\n"
    "static void on_event(int k, int i, double t, const double *y, const double *p, double *g) { g[0] = 10 * k + i; }\n"
    "static int next_mode(int k, double t, const double *y, const double *p) { return 50 + k; }\n"
    "COSTATE_MODEL(beside, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .t0 = 0, .t1 = 9,\n"
    "    .rhs = rhs, .events = 2, .event = event, .event_at = COSTATE_VALUES(1, 3.5), .reset = reset, .on_event = on_event,\n"
    "    .direction = COSTATE_VALUES(1, -1), .next_mode = next_mode,\n"
    "    .event_names = COSTATE_NAMES(\"a\", \"b, \\\"c\\\"\", \"d\", \"e\"))\n";

/* Guards of the model, those of conditions, its times, those of conditions: the model's functions know its own numbers. */
static void numbers_of_the_model(void **state)
{
    (void)state;
    costate_model *m = opened(beside, "auto");
    const costate_problem *q = costate_model_problem(m);
    static const char *const names[] = {"a", "b, \"c\"", "y[0] < 4", "d", "e", "t >= 2", "!(t <= 5)"};
    static const double at[] = {1, 3.5, 2, 5}, direction[] = {1, -1, 0};
    assert_true(q->events == 3 && q->held == 1 && q->timed_events == 4 && q->timed_held == 2);
    for (int i = 0; i < 7; i++) assert_string_equal(q->event_names[i], names[i]);
    assert_memory_equal(q->event_at, at, sizeof at);
    assert_memory_equal(q->direction, direction, sizeof direction);
    const double y[1] = {2};
    double e[3], ynew[1], g[1];
    assert_int_equal(q->event.eval(0, 0, y, at_p, e, NULL), 0);
    assert_true(e[0] == -5 && e[1] == 4 && e[2] == 1); /* mode 0: the condition is not come by */
    costate_modal modal = {.mode = 1};
    assert_int_equal(q->event.eval(0, 0, y, at_p, e, &modal), 0);
    assert_true(e[2] == 4 - y[0]);
    for (int k = 0; k < 7; k++) {
        const int own = k < 2 ? k : k - 1;
        if (k == 2 || k > 4) continue; /* conditions */
        assert_int_equal(q->reset.eval(k, 0, y, at_p, ynew, &modal), 0);
        assert_true(ynew[0] == 100 + own);
        assert_int_equal(q->on_event.eval(k + 7 * 3, 0, y, at_p, g, &modal), 0);
        assert_true(g[0] == 10 * own + 3);
        assert_int_equal(q->next_mode(k, 0, y, at_p, &modal), 50 + own);
    }
    costate_model_close(m);
}

/* ---- phases of cycles --------------------------------------------------------------------------------------------------- */

/* Conditions 0 .. 6, y[0] being x, p[0] the period and p[1] the bound. */
static const char phases[] =
    "#include <costate/model.h>\n"
    "static void rhs(double t, const double *y, const double *p, double *f) {\n"
    "    const double own = y[0] - p[0] * floor(y[0] / p[0]);\n"
    "    f[0] = fmod(y[0], p[0]) > p[1];\n"
    "    f[0] += own > p[1];\n"
    "    f[0] += p[1] >= y[0] - (double)(int)(y[0] / p[0]) * p[0];\n"
    "    f[0] += y[0] / p[0] - floor(y[0] / p[0]) < p[1];\n"
    "    f[0] += fmod(t, 7) > 5;\n"
    "    f[0] += fmod(2 * t + p[1], 24) < 8;\n"
    "    f[0] += fmod(p[0] - t, 24) < p[1]; }\n"
    "COSTATE_MODEL(phases, .states = 1, .params = 2, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(7, 5), .t0 = 0, .t1 = 9,\n"
    "    .rhs = rhs)\n";

static double fraction(double x)
{
    return x - floor(x);
}

/* Guards are positive where their conditions hold, whatever the signs, and do not jump where those change. */
static void guards_of_phases(void **state)
{
    (void)state;
    enum { ALL = 7 };
    costate_model *m = opened(phases, "auto");
    const costate_problem *q = costate_model_problem(m);
    static const double periods[] = {7, -7, 2.5}, bounds[] = {5, -3, 0.4, 0, 7, -9, 100}, known[ALL] = {0, 0, 0, 0, 7, 12, 24};
    assert_true(q->held == ALL && q->timed_held == 0);
    for (int k = 0; k < ALL; k++) assert_true(q->event_period[k] == known[k]);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 7; b++)
            for (int i = -400; i < 400; i++) {
                const double x = 0.0713 * i + 0.01, P = periods[a], c = bounds[b], p[NP] = {P, c}, own = x - P * floor(x / P);
                const int holds[ALL] = {fmod(x, P) > c, own > c, c >= fmod(x, P), fraction(x / P) < c, fmod(x, 7) > 5,
                                        fmod(2 * x + c, 24) < 8, fmod(P - x, 24) < c};
                costate_modal modal = {0};
                double e[ALL], moved[ALL], z = x + 1e-7;
                assert_int_equal(q->event.eval(0, x, &x, p, e, &modal), 0);
                assert_int_equal(q->event.eval(0, z, &z, p, moved, &modal), 0);
                for (int k = 0; k < ALL; k++) {
                    assert_int_equal(e[k] > 0, holds[k]);
                    if (e[k] * moved[k] < 0) assert_true(fabs(e[k] - moved[k]) < 1e-5);
                }
            }
    costate_model_close(m);
}

/* y' = 1 in the last 2 days of each week: y(220) = 62; and weeks of p[0] days, p[1] of them without: 3 (p[0] - p[1]) at 25. Steps
 * could be of any size. */
static void weekends(void **state)
{
    (void)state;
    static const char text[] =
        "#include <costate/model.h>\n"
        "static void rhs(double t, const double *y, const double *p, double *f) {\n"
        "    f[0] = fmod(t, 7) > 5; f[1] = fmod(t, p[0]) > p[1]; }\n"
        "static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[0]; g[1] = y[1]; }\n"
        "COSTATE_MODEL(weekends, .states = 2, .params = 2, .objectives = 2, .y0 = COSTATE_VALUES(0, 0),\n"
        "    .p = COSTATE_VALUES(7, 5), .t0 = 0, .t1 = 220, .rhs = rhs, .terminal = terminal)\n";
    costate_model *m = opened(text, "auto");
    static const char *const methods[] = {"dopri5", "dopri853", "rodas4", "sdirk4b", "radau2a"};
    for (int i = 0; i < 5; i++) {
        costate_options o = costate_defaults(methods[i]);
        costate_solver *s = NULL;
        costate_stats st;
        const double p[2] = {7, 5};
        double y[2] = {0}, dy[4], dp[4];
        assert_int_equal(costate_create(&s, costate_model_problem(m), &o), 0);
        assert_int_equal(costate_solve(s, 0, 25, p, y), 0);
        assert_int_equal(costate_gradient(s, 2, NULL, dy, dp), 0);
        assert_true(fabs(y[1] - 6) < 1e-12 && fabs(dp[1] - 3) < 1e-11 && fabs(dp[3] + 3) < 1e-11);
        y[0] = y[1] = 0;
        assert_int_equal(costate_solve(s, 0, 220, p, y), 0);
        costate_get_stats(s, &st);
        if (fabs(y[0] - 62) > 1e-11) fail_msg("%s: %.17g, not 62, after %d events", methods[i], y[0], (int)st.events);
        costate_free(s);
    }
    costate_model_close(m);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    (void)state;
    return rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held),     cmocka_unit_test(bits_decide),          cmocka_unit_test(released_is_the_text),
        cmocka_unit_test(guards_and_times), cmocka_unit_test(numbers_of_the_model), cmocka_unit_test(guards_of_phases),
        cmocka_unit_test(weekends),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
