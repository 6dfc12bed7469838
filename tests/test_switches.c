/* test_switches.c - conditions in the text of a model that make derivatives of a run doubtful: which of them a run tells of, what
 * they do, and when. The times are those of closed forms. */
#include "support.h"

#include <costate/diff.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH = 512 };

typedef struct text {
    const char *name;
    const char *before; /* what stands before the right-hand side: helpers, and the functions that `others` names */
    const char *rhs;
    const char *others; /* further members of the descriptor */
    const char *p;      /* two parameters */
    double y0[3], t1;
    int effect;         /* of all that is found; 0: nothing is */
    double t;           /* when */
    int count;          /* how many */
    int mover;          /* the only parameter that moves it; -1: all may */
} text;

enum { BOTH = -2, ANY = -3 }; /* movers: both parameters; whichever */

static const text texts[] = {
    {"a time that is a parameter", "", "f[0] = (t > p[1] ? 1 : 0) - p[0] * y[0];", "", "0.5, 1",
     {1}, 3, COSTATE_SWITCH_JUMP, 1, 1, 1},
    {"the same with an if", "", "f[0] = -p[0] * y[0]; if (t < p[1]) f[0] += 3;", "", "0.5, 0.4",
     {0}, 1, COSTATE_SWITCH_JUMP, 0.4, 1, 1},
    {"backwards in time", "", "f[0] = (t > p[1] ? 1 : 0) - p[0] * y[0];", "", "0.5, -1", {1}, -3, COSTATE_SWITCH_JUMP, -1, 1, 1},
    {"a time in two parameters", "", "f[0] = p[0] * t > p[1] ? 1 : 0;", "", "2, 1", {1}, 3, COSTATE_SWITCH_JUMP, 0.5, 1, BOTH},
    {"a fixed time", "", "f[0] = (t > 1 ? 1 : 0) - p[0] * y[0];", "", "0.5, 1", {1}, 3, 0, 0, 0, 0},
    {"a fixed day", "", "f[0] = floor(t) * p[1] - p[0] * y[0] + fmod(t, 0.7);", "", "0.5, 1", {1}, 3, 0, 0, 0, 0},
    {"behind a refusal", "", "if (p[0] < 0) f[0] = 0; else f[0] = (t > 1) * p[0];", "", "0.5, 1", {1}, 3, 0, 0, 0, 0},
    {"a state", "", "f[0] = y[0] < 1 ? p[0] : 2 * p[0];", "", "1.5, 1", {0}, 1, COSTATE_SWITCH_JUMP, 2. / 3, 1, -1},
    {"a state and a parameter", "", "if (y[0] < p[1]) f[0] = p[0]; else f[0] = 1;", "", "1.5, 0.3",
     {0}, 1, COSTATE_SWITCH_JUMP, 0.2, 1, -1},
    {"a clock", "", "f[1] = 1; f[0] = y[1] > p[0];", "", "0.5, 1", {0}, 1, COSTATE_SWITCH_JUMP, 0.5, 1, -1},
    {"a kink", "", "f[0] = -p[0] * fmax(y[0] - 1, 0) - y[0];", "", "5, 1", {3}, 1, COSTATE_SWITCH_KINK, 0.42749155957, 1, -1},
    {"fabs", "", "f[0] = -1; f[1] = fabs(y[0]);", "", "5, 1", {0.7}, 1, COSTATE_SWITCH_KINK, 0.7, 1, -1},
    {"a kink that moves with p", "", "f[0] = fmin(t, p[1]);", "", "5, 0.25", {0}, 1, COSTATE_SWITCH_KINK, 0.25, 1, 1},
    {"smooth enough", "", "const double x = fmax(y[0] - 1, 0); f[0] = -p[0] * x * x * x - y[0];", "", "5, 1", {3}, 3, 0, 0, 0, 0},
    {"both sides are the same", "", "f[0] = y[0] > 1 ? -y[0] : -1 * y[0];", "", "5, 1", {3}, 3, 0, 0, 0, 0},
    {"nested, the inner one", "", "f[0] = -0.1; if (y[0] > 0.5) { if (t > p[0]) f[0] = -0.2; }", "", "0.7, 1",
     {1}, 1, COSTATE_SWITCH_JUMP, 0.7, 1, 0},
    {"nested, the outer one", "", "f[0] = -0.1; if (t > p[0]) { if (y[0] > 0.5) f[0] = -0.2; else f[0] = 4; }", "", "0.7, 1",
     {1}, 1, COSTATE_SWITCH_JUMP, 0.7, 1, 0},
    {"one of two with &&", "", "f[0] = y[0] > -2 && t > p[0] ? 1 : -1;", "", "0.7, 1", {1}, 1, COSTATE_SWITCH_JUMP, 0.7, 1, 0},
    {"friction", "static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }\n", "f[0] = -1; f[1] = sign(y[0]);", "",
     "0.7, 1", {0.5}, 1, COSTATE_SWITCH_JUMP, 0.5, 1, -1}, /* x < 0 is met behind it only */
    {"one within the other", "", "f[0] = 1; if (y[0] > 0.25) f[1] = 2; if (y[0] >= 0.25) f[2] = 3;", "",
     "0.7, 1", {0}, 1, COSTATE_SWITCH_JUMP, 0.25, 2, -1},
    {"in a loop", "", "for (int i = 0; i < 2; i++) f[i] = y[i] > p[0] ? -1 : -2;", "", "0.5, 1",
     {0.9, 0.2}, 1, COSTATE_SWITCH_JUMP, 0.4, 1, -1},
    {"in a helper", "static double relay(double x) { if (x > 1) return 2; return 1; }\n", "f[0] = relay(y[0]);", "", "0.5, 1",
     {0.5}, 1, COSTATE_SWITCH_JUMP, 0.5, 1, -1},
    {"in a value that is kept", "", "const int on = y[0] > 1; double rate = 1; if (on) rate = 2; f[0] = rate;", "", "0.5, 1",
     {0.5}, 1, COSTATE_SWITCH_JUMP, 0.5, 1, -1},
    {"two at once", "", "if (t > p[0]) f[0] = 1; else f[0] = 2; f[1] = t > p[0] ? 3 : 1;", "", "0.7, 1",
     {1}, 1, COSTATE_SWITCH_JUMP, 0.7, 2, 0},
    {"there and back in a step", "", "f[0] = y[1]; f[1] = -y[0]; f[2] = y[0] > 0.9999 ? 5 : 0;", "", "1, 1",
     {0, 1}, 3, COSTATE_SWITCH_JUMP, 1.55665420881, 1, -1},
    {"only touched", "", "f[0] = 1 - t; f[1] = y[0] > 0.5 + 1e-12 ? 5 : 0;", "", "1, 1",
     {0, 1}, 3, COSTATE_SWITCH_TOUCH, 1, 1, -1},
    {"missed", "", "f[0] = 1 - t; f[1] = y[0] > 0.6 ? 5 : 0;", "", "1, 1", {0, 1}, 3, 0, 0, 0, 0},
    {"never", "", "f[0] = y[0] > -1 ? -y[0] : 7;", "", "1, 1", {1}, 3, 0, 0, 0, 0},
    {"where it begins", "", "f[0] = y[0] > 1 ? 3 : 1;", "", "1, 1", {1}, 1, COSTATE_SWITCH_JUMP, 0, 1, -1},
    {"a lag of zero", "", "f[0] = t > p[0] ? 3 : 1;", "", "0, 1", {1}, 1, COSTATE_SWITCH_TOUCH, 0, 1, 0},
    {"where it ends", "", "f[0] = t < p[1] ? 3 : 1;", "", "0, 1", {1}, 1, COSTATE_SWITCH_TOUCH, 1, 1, 1},
    {"a parameter at its edge", "", "f[0] = p[0] > 1 ? 3 : 1;", "", "1, 1", {1}, 1, COSTATE_SWITCH_TOUCH, 0, 1, 0},
    {"a parameter", "", "f[0] = p[0] > 1 ? 3 : 1;", "", "1.5, 1", {1}, 1, 0, 0, 0, 0},
    {"not a number", "", "f[0] = floor(sqrt(y[0] - 2)) > 0 ? 3 : 1;", "", "1.5, 1", {0}, 1, 0, 0, 0, 0},
    {"steps that move", "", "f[0] = floor(t / p[0]);", "", "0.4, 1", {1}, 1, COSTATE_SWITCH_JUMP, 0.4, 1, -1},
    {"pulses that move", "", "f[0] = fmod(t, p[0]) < 0.1 ? 1 : 0;", "", "0.4, 1", {1}, 0.45, COSTATE_SWITCH_JUMP, 0.4, 2, ANY},
    {"an index", "static const double rate[] = {1, 2, 3};\n", "f[0] = rate[(int)y[0]];", "", "0.4, 1",
     {0.5}, 1, COSTATE_SWITCH_JUMP, 0.5, 1, -1},
    {"sign", "", "f[0] = -1; f[1] = copysign(2, y[0]);", "", "0.4, 1", {0.5}, 1, COSTATE_SWITCH_JUMP, 0.5, 1, -1},
    {"a point, not a side", "", "f[0] = y[0] == 0 ? 1 : sin(y[0]) / y[0];", "", "0.4, 1", {0}, 1, 0, 0, 0, 0},
    {"dying out", "", "f[0] = -40 * fmax(y[0], 0); f[1] = y[0] < 0 ? 0 : y[0];", "", "0.4, 1", {1}, 3, 0, 0, 0, 0},
    {"an integrand", "static void running(double t, const double *y, const double *p, double *r) { r[0] = y[0] > 1; }\n",
     "f[0] = 1;", ".running = running, ", "0.4, 1", {0.5}, 1, COSTATE_SWITCH_JUMP, 0.5, 1, -1},
    {"an objective at its kink",
     "static void terminal(double t, const double *y, const double *p, double *g) { g[0] = fabs(y[0] - 1); }\n",
     "f[0] = p[0];", ".terminal = terminal, ", "0.5, 1", {0.5}, 1, COSTATE_SWITCH_EDGE, 1, 1, -1},
    {"an objective beside its kink",
     "static void terminal(double t, const double *y, const double *p, double *g) { g[0] = fabs(y[0] - 1.1); }\n",
     "f[0] = p[0];", ".terminal = terminal, ", "0.5, 1", {0.5}, 1, 0, 0, 0, 0},
    {"an objective that is smooth there",
     "static void terminal(double t, const double *y, const double *p, double *g) { g[0] = pow(fmax(y[0] - 1, 0), 2); }\n",
     "f[0] = p[0];", ".terminal = terminal, ", "0.5, 1", {0.5}, 1, 0, 0, 0, 0},
    {"an observation at its kink",
     "static void observe(int k, double t, const double *y, const double *p, double *g) { g[0] = fmax(y[0], 0.75 + 0 * k); }\n",
     "f[0] = p[0];", ".observe = observe, .observations = 2, .observe_at = COSTATE_VALUES(0.25, 0.5), ", "0.5, 1", {0.5}, 1,
     COSTATE_SWITCH_EDGE, 0.5, 1, -1},
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* ---- models ------------------------------------------------------------------------------------------------------------ */

static costate_model *open_text(const text *x, char path[PATH])
{
    char folder[] = "/tmp/test_switches-XXXXXX";
    costate_model *m = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, PATH, "%s/text.c", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#include <costate/model.h>\n%s", x->before);
    fprintf(f, "static void rhs(double t, const double *y, const double *p, double *f) { f[0] = f[1] = f[2] = 0; %s }\n", x->rhs);
    fprintf(f, "COSTATE_MODEL(text, .states = 3, .params = 2, .p = COSTATE_VALUES(%s), %s", x->p, x->others);
    fprintf(f, ".y0 = COSTATE_VALUES(%.17g, %.17g, %.17g), .t0 = 0, .t1 = %.17g, .rhs = rhs)\n", x->y0[0], x->y0[1], x->y0[2],
            x->t1);
    assert_int_equal(fclose(f), 0);
    const costate_model_options options = {.flags = "-O0", .cache = "none", .switches = "off"};
    if (costate_model_open(&m, path, &options)) fail_msg("%s: %s", x->name, costate_model_message(m));
    unlink(path);
    rmdir(folder);
    return m;
}

static costate_solver *run_text(costate_model *m, const char *method, double rtol, double hmax)
{
    const costate_model_info about = costate_model_about(m);
    costate_options o = costate_defaults(method);
    costate_solver *s = NULL;
    double y[3];
    o.rtol = rtol;
    o.atol = rtol;
    o.hmax = hmax;
    memcpy(y, about.y0, sizeof y);
    assert_int_equal(costate_create(&s, costate_model_problem(m), &o), 0);
    if (costate_solve(s, about.t0, about.t1, about.p, y)) fail_msg("%s", costate_message(s));
    return s;
}

static void compare(const text *x, const char *method, const costate_solver *s)
{
    costate_switch found;
    int count = 0;
    for (; costate_switches(s, count, &found) == 0; count++) {
        const double back = strcmp(x->name, "there and back in a step") ? x->t : 1.58493844478; /* either may be found */
        const int there = fabs(found.t - x->t) < 1e-6 || fabs(found.t - back) < 1e-6;
        if ((int)found.effect != x->effect || !there)
            fail_msg("%s, %s: effect %d at t = %.10g: %s", x->name, method, found.effect, found.t, found.text);
        const int params = x->mover == BOTH ? 2 : x->mover < 0 ? -1 : 1;
        if (x->mover != ANY && (found.params != params || (params == 1 && found.param[0] != x->mover)))
            fail_msg("%s, %s: moved by %d parameters, the first being %d", x->name, method, found.params, found.param[0]);
        assert_non_null(strstr(found.text, "text.c:"));
        assert_true(strlen(found.text) + 1 < sizeof found.text);
    }
    if (count != x->count) fail_msg("%s, %s: %d found, not %d", x->name, method, count, x->count);
}

static void table(void **state)
{
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        char path[PATH];
        costate_model *m = open_text(&texts[i], path);
        const char *const methods[] = {"dopri5", "dopri853", "rk43"};
        for (int k = 0; k < 3; k++) {
            costate_solver *s = run_text(m, methods[k], 1e-10, 0);
            compare(&texts[i], methods[k], s);
            costate_free(s);
        }
        costate_model_close(m);
    }
}

/* By name. */
static const text *the(const char *name)
{
    int i = 0;
    while (strcmp(texts[i].name, name) != 0) i++;
    return &texts[i];
}

/* Every method. Some of them step across a jump unawares, hence hmax. */
static void methods(void **state)
{
    static const char *const names[] = {"a time that is a parameter", "a state", "a kink", "smooth enough", "never"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[PATH];
        const text *x = the(names[i]);
        costate_model *m = open_text(x, path);
        for (int k = 0; k < costate_method_count(); k++) {
            const char *method = costate_method(k)->name;
            costate_switch found;
            costate_solver *s = run_text(m, method, 1e-5, 0.02);
            int count = 0;
            for (; costate_switches(s, count, &found) == 0; count++)
                if ((int)found.effect != x->effect || !(fabs(found.t - x->t) < 2e-2))
                    fail_msg("%s, %s: effect %d at t = %.10g: %s", x->name, method, found.effect, found.t, found.text);
            if (count != x->count) fail_msg("%s, %s: %d found, not %d", x->name, method, count, x->count);
            costate_free(s);
        }
        costate_model_close(m);
    }
}

/* Runs that carry directions are watched, those that nothing will be derived from are not, and none is told of that failed. */
static void when(void **state)
{
    (void)state;
    char path[PATH];
    costate_model *m = open_text(the("a state"), path);
    const costate_model_info about = costate_model_about(m);
    costate_options o = costate_defaults("dopri5");
    costate_solver *s = NULL;
    costate_switch found;
    double y[3] = {0}, ydot[3] = {1, 0, 0};
    o.record = 0;
    assert_int_equal(costate_create(&s, costate_model_problem(m), &o), 0);
    assert_int_equal(costate_switches(s, 0, &found), -1);
    assert_int_equal(costate_solve(s, 0, 1, about.p, y), 0);
    assert_int_equal(costate_switches(s, 0, &found), -1);
    memset(y, 0, sizeof y);
    assert_int_equal(costate_tangent(s, 0, 1, about.p, y, 1, ydot, NULL), 0);
    assert_int_equal(costate_switches(s, 0, &found), 0);
    assert_int_equal(found.guard->line, 2);
    assert_string_equal(found.guard->text, "y[0] < 1");
    assert_string_equal(found.function, "rhs");
    assert_int_equal(found.changes, 1);
    assert_float_equal(found.from, 1.5, 1e-12);
    assert_float_equal(found.to, 3, 1e-12);
    assert_int_equal(costate_switches(s, 1, &found), -1);
    assert_int_equal(costate_switches(s, -1, &found), -1);
    assert_int_equal(costate_switches(NULL, 0, &found), -1);
    assert_int_equal(costate_set(s, "max_steps", "2"), 0);
    memset(y, 0, sizeof y);
    assert_int_equal(costate_tangent(s, 0, 1, about.p, y, 1, ydot, NULL), COSTATE_ERR_MAX_STEPS);
    assert_int_equal(costate_switches(s, 0, &found), -1);
    costate_free(s);
    costate_model_close(m);
}

/* The run is the same, bit for bit, with the guards and without them; members of an ensemble say what is doubtful. */
static void nothing_changes(void **state)
{
    (void)state;
    char path[PATH];
    const text *x = the("a state");
    costate_model *m = open_text(x, path);
    costate_problem plain = *costate_model_problem(m);
    memset(&plain.guards, 0, sizeof plain.guards);
    double y[2][6], dy0[2][6 * 3], dp[2][4 * 3];
    const double p[4] = {1.5, 1, 0.2, 1};
    costate_member member[2][2];
    for (int k = 0; k < 2; k++) {
        costate_options o = costate_defaults("dopri5");
        costate_solver *s = NULL;
        o.threads = 2;
        memset(y[k], 0, sizeof y[k]);
        assert_int_equal(costate_create(&s, k ? &plain : costate_model_problem(m), &o), 0);
        const costate_members all = {.count = 2, .t0 = 0, .t1 = x->t1, .p = p, .y = y[k], .w = 3, .dy0 = dy0[k], .dp = dp[k],
                                     .member = member[k]};
        assert_int_equal(costate_ensemble(s, &all), 0);
        costate_free(s);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(dy0[0], dy0[1], sizeof dy0[0]);
    assert_memory_equal(dp[0], dp[1], sizeof dp[0]);
    assert_non_null(strstr(member[0][0].doubt, "'y[0] < 1' changes at t = 0.66"));
    assert_string_equal(member[0][1].doubt, ""); /* 0.2 t stays below 1 */
    assert_string_equal(member[1][0].doubt, "");
    costate_model_close(m);
}

/* Whatever request for memory fails: the call fails, or nothing is told; nothing leaks. */
static void no_memory(void **state)
{
    (void)state;
    char path[PATH];
    costate_model *m = open_text(the("a state"), path);
    const costate_model_info about = costate_model_about(m);
    for (int64_t at = 1, failed = 1; failed; at++) {
        heap h = {.fail_at = at};
        costate_options o = costate_defaults("dopri5");
        costate_solver *s = NULL;
        costate_switch found;
        double y[3] = {0};
        o.allocator = (costate_allocator){heap_alloc, heap_release, &h};
        int status = costate_create(&s, costate_model_problem(m), &o);
        if (!status) status = costate_solve(s, 0, 1, about.p, y);
        failed = h.requests >= at;
        if (status) assert_int_equal(status, COSTATE_ERR_MEMORY);
        if (!status && !failed) assert_int_equal(costate_switches(s, 0, &found), 0);
        costate_free(s);
        assert_int_equal(h.live, 0);
    }
    costate_model_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(methods),
        cmocka_unit_test(when),
        cmocka_unit_test(nothing_changes),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
