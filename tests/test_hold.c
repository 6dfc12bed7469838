/* test_hold.c - models whose text says `if`, and no event: the gradients are those of closed forms, at the cost of a model with
 * events; without holding they are not, and the certificate says so.
 *
 *     heater    T' = -k (T - a) + (T > hi ? 0.6 u : u), T(0) = 15          psi = time below hi, T(10)
 *     doses     C' = (start < t < stop or later, the same again) rate - e C      psi = C(10), area
 *     friction  x'' = -q x - mu sign(x'), turning three times                psi = x(5), x'(5) */
#include "support.h"

#include <costate/diff.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 6 };

typedef double complex number;

static char root[64] = "/tmp/test_hold-XXXXXX";

/* ---- closed forms ------------------------------------------------------------------------------------------------------ */

static void heater(const number *p, number *psi)
{
    const number k = p[0], a = p[1], u = p[2], hi = p[3], high = a + u / k, low = a + 0.6 * u / k;
    const number tau = clog((high - 15) / (high - hi)) / k;
    psi[0] = tau;
    psi[1] = low + (hi - low) * cexp(-k * (10 - tau));
}

static void doses(const number *p, number *psi)
{
    const number e = p[0], rate = p[1], start = p[2], length = p[3];
    psi[0] = psi[1] = 0;
    for (int i = 0; i < 2; i++) {
        const number from = start + 4 * i, to = from + length, c = rate / e * (1 - cexp(-e * length));
        psi[0] += c * cexp(-e * (10 - to));
        psi[1] += rate / e * (length - (1 - cexp(-e * length)) / e) + c / e * (1 - cexp(-e * (10 - to)));
    }
}

static void friction(const number *p, number *psi)
{
    const number w = csqrt(p[0]), mu = p[1];
    number t = 0, x = p[2], v = p[3];
    for (int sign = 1;; sign = -sign) { /* from one turn to the next */
        const number centre = -sign * mu / p[0], a = x - centre, b = v / w;
        number phase = catan(b / a);
        if (creal(phase) <= 1e-9) phase += 3.14159265358979323846;
        const int last = creal(t + phase / w) >= 5;
        const number by = last ? w * (5 - t) : phase;
        x = centre + a * ccos(by) + b * csin(by);
        v = w * (b * ccos(by) - a * csin(by));
        t += by / w;
        if (!last) v = 0;
        if (last) break;
    }
    psi[0] = x;
    psi[1] = v;
}

/* ---- models ------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text, *events; /* without events, and with them */
    void (*exact)(const number *p, number *psi);
    int np, objectives;
} models[] = {
    {"heater",
     "#include <costate/model.h>\n"
     "static void rhs(double t, const double *y, const double *p, double *f) {\n"
     "    f[0] = -p[0] * (y[0] - p[1]);\n"
     "    if (y[0] > p[3]) f[0] += 0.6 * p[2]; else f[0] += p[2]; }\n"
     "static void running(double t, const double *y, const double *p, double *r) { r[0] = !(y[0] > p[3]); r[1] = 0; }\n"
     "static void terminal(double t, const double *y, const double *p, double *g) { g[0] = 0; g[1] = y[0]; }\n"
     "COSTATE_MODEL(heater, .states = 1, .params = 4, .objectives = 2, .y0 = COSTATE_VALUES(15),\n"
     "    .p = COSTATE_VALUES(0.5, 5, 12, 18), .t0 = 0, .t1 = 10, .rhs = rhs, .running = running, .terminal = terminal)\n",
     "#include <costate/model.h>\n"
     "static void rhs(int mode, double t, const double *y, const double *p, double *f) {\n"
     "    f[0] = -p[0] * (y[0] - p[1]) + (mode ? 0.6 * p[2] : p[2]); }\n"
     "static void running(int mode, double t, const double *y, const double *p, double *r) { r[0] = !mode; r[1] = 0; }\n"
     "static void terminal(double t, const double *y, const double *p, double *g) { g[0] = 0; g[1] = y[0]; }\n"
     "static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0] - p[3]; }\n"
     "static int next_mode(int k, double t, const double *y, const double *p) { return 1; }\n"
     "COSTATE_MODEL(heater, .states = 1, .params = 4, .objectives = 2, .y0 = COSTATE_VALUES(15),\n"
     "    .p = COSTATE_VALUES(0.5, 5, 12, 18), .t0 = 0, .t1 = 10, .rhs = rhs, .running = running, .terminal = terminal,\n"
     "    .events = 1, .event = event, .next_mode = next_mode)\n",
     heater, 4, 2},
    {"doses",
     "#include <costate/model.h>\n"
     "static void rhs(double t, const double *y, const double *p, double *f) {\n"
     "    f[0] = -p[0] * y[0]; f[1] = y[0];\n"
     "    for (int i = 0; i < 2; i++)\n"
     "        if (t > p[2] + 4 * i && t < p[2] + 4 * i + p[3]) f[0] += p[1]; }\n"
     "COSTATE_MODEL(doses, .states = 2, .params = 4, .y0 = COSTATE_VALUES(0, 0), .p = COSTATE_VALUES(0.4, 3, 1.3, 0.8),\n"
     "    .t0 = 0, .t1 = 10, .rhs = rhs)\n",
     "#include <costate/model.h>\n"
     "static void rhs(int mode, double t, const double *y, const double *p, double *f) {\n"
     "    f[0] = -p[0] * y[0] + (mode % 2 ? p[1] : 0); f[1] = y[0]; }\n"
     "static void event_times(const double *p, double *tau) {\n"
     "    for (int i = 0; i < 2; i++) { tau[2 * i] = p[2] + 4 * i; tau[2 * i + 1] = p[2] + 4 * i + p[3]; } }\n"
     "static int next_mode(int k, int mode, double t, const double *y, const double *p) { return mode + 1; }\n"
     "COSTATE_MODEL(doses, .states = 2, .params = 4, .y0 = COSTATE_VALUES(0, 0), .p = COSTATE_VALUES(0.4, 3, 1.3, 0.8),\n"
     "    .t0 = 0, .t1 = 10, .rhs = rhs, .timed_events = 4, .event_times = event_times, .next_mode = next_mode)\n",
     doses, 4, 2},
    {"friction",
     "#include <costate/model.h>\n"
     "static void rhs(double t, const double *y, const double *p, double *f) {\n"
     "    f[0] = y[1];\n"
     "    if (y[1] > 0) f[1] = -p[0] * y[0] - p[1];\n"
     "    else f[1] = -p[0] * y[0] + p[1]; }\n"
     "static void init(const double *p, double *y0) { y0[0] = p[2]; y0[1] = p[3]; }\n"
     "COSTATE_MODEL(friction, .states = 2, .params = 4, .p = COSTATE_VALUES(4, 0.3, 1, 0.5), .t0 = 0, .t1 = 5, .rhs = rhs,\n"
     "    .init = init)\n",
     "#include <costate/model.h>\n"
     "static void rhs(int mode, double t, const double *y, const double *p, double *f) {\n"
     "    f[0] = y[1]; f[1] = -p[0] * y[0] + (mode ? p[1] : -p[1]); }\n"
     "static void init(const double *p, double *y0) { y0[0] = p[2]; y0[1] = p[3]; }\n"
     "static void event(double t, const double *y, const double *p, double *e) { e[0] = y[1]; }\n"
     "static int next_mode(int k, int mode, double t, const double *y, const double *p) { return 1 - mode; }\n"
     "COSTATE_MODEL(friction, .states = 2, .params = 4, .p = COSTATE_VALUES(4, 0.3, 1, 0.5), .t0 = 0, .t1 = 5, .rhs = rhs,\n"
     "    .init = init, .events = 1, .event = event, .next_mode = next_mode)\n",
     friction, 4, 2},
};
enum { MODELS = sizeof models / sizeof *models };

static costate_model *opened(const char *text)
{
    char file[100];
    costate_model *m = NULL;
    snprintf(file, sizeof file, "%s/model.c", root);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && !fclose(f));
    char cache[100];
    snprintf(cache, sizeof cache, "%s/cache", root);
    const costate_model_options options = {.cache = cache, .flags = "-O0"};
    if (costate_model_open(&m, file, &options)) fail_msg("%s", costate_model_message(m));
    unlink(file);
    return m;
}

typedef struct outcome {
    double psi[MOST], tangent[MOST][MOST], adjoint[MOST][MOST]; /* d psi[k] / d p[j] is [k][j] */
    costate_stats stats;
    int64_t events;
} outcome;

static costate_solver *solver_of(const costate_model *m, const char *method, const char *switches, double rtol)
{
    costate_options options = costate_defaults(method);
    costate_solver *s = NULL;
    options.rtol = rtol;
    options.atol = rtol / 10;
    options.switches = switches;
    assert_int_equal(costate_create(&s, costate_model_problem(m), &options), 0);
    return s;
}

static void good(const costate_solver *s, int status)
{
    if (status) fail_msg("%s", costate_message(s));
}

static outcome run(const costate_model *m, const char *method, const char *switches, double rtol)
{
    outcome a = {{0}, {{0}}, {{0}}, {0}, 0};
    const costate_problem *q = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    const int n = q->n, np = q->np, own = q->terminal.eval || q->running.eval, w = own ? q->objectives : n;
    double y[MOST], dy0[MOST * MOST], dp[MOST * MOST], unit[MOST * MOST] = {0}, zero[MOST * MOST] = {0};
    costate_solver *s = solver_of(m, method, switches, rtol);
    memcpy(y, about.y0, (size_t)n * sizeof *y);
    good(s, costate_solve(s, about.t0, about.t1, about.p, y));
    good(s, costate_objectives(s, a.psi));
    assert_int_equal(costate_get_stats(s, &a.stats), 0);
    for (costate_event e; costate_events(s, a.events, &e) == 0; a.events++) continue;
    good(s, costate_gradient(s, w, NULL, dy0, dp));
    for (int k = 0; k < w; k++)
        for (int j = 0; j < np; j++) a.adjoint[k][j] = dp[j * w + k];
    for (int j = 0; j < np; j++) unit[j * np + j] = 1;
    memcpy(y, about.y0, (size_t)n * sizeof *y);
    double psidot[MOST * MOST];
    good(s, costate_tangent(s, about.t0, about.t1, about.p, y, np, zero, unit));
    good(s, costate_objectives_dot(s, psidot));
    for (int k = 0; k < w; k++)
        for (int j = 0; j < np; j++) a.tangent[k][j] = psidot[k * np + j];
    costate_free(s);
    return a;
}

/* Derivatives of the closed form, by the complex step. */
static void exact(int i, const double *p, double *psi, double d[MOST][MOST])
{
    for (int j = 0; j < models[i].np; j++) {
        number z[MOST], g[MOST];
        for (int k = 0; k < models[i].np; k++) z[k] = p[k] + (k == j ? 1e-30 * I : 0);
        models[i].exact(z, g);
        for (int k = 0; k < models[i].objectives; k++) psi[k] = creal(g[k]), d[k][j] = cimag(g[k]) / 1e-30;
    }
}

static double apart(int i, const double is[MOST][MOST], const double should[MOST][MOST])
{
    double most = 0;
    for (int k = 0; k < models[i].objectives; k++)
        for (int j = 0; j < models[i].np; j++) most = fmax(most, fabs(is[k][j] - should[k][j]) / (1 + fabs(should[k][j])));
    return most;
}

static void closed_forms(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri853", "rodas4", "radau2a"};
    for (int i = 0; i < MODELS; i++) {
        costate_model *m = opened(models[i].text);
        double psi[MOST], d[MOST][MOST];
        exact(i, costate_model_about(m).p, psi, d);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            const outcome a = run(m, methods[k], "auto", k ? 1e-9 : 1e-11);
            const double bound = k ? 1e-6 : 1e-8; /* the others' global errors */
            for (int j = 0; j < models[i].objectives; j++)
                if (!(fabs(a.psi[j] - psi[j]) < bound)) fail_msg("%s: %.12g, not %.12g", models[i].name, a.psi[j], psi[j]);
            const double tangent = apart(i, a.tangent, d), adjoint = apart(i, a.adjoint, d);
            const double gap = apart(i, a.tangent, a.adjoint);
            if (!(tangent < bound && adjoint < bound && gap < 1e-11))
                fail_msg("%s, %s: tangent off by %g, adjoint by %g, apart by %g", models[i].name, methods[k], tangent, adjoint,
                         gap);
        }
        costate_model_close(m);
    }
}

/* Without events the text costs hardly more than a model with them. */
static void as_cheap_as_events(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-4, 1e-6, 1e-9};
    for (int i = 0; i < MODELS; i++) {
        costate_model *m = opened(models[i].text), *other = opened(models[i].events);
        for (int k = 0; k < 3; k++) {
            const outcome a = run(m, "dopri5", "auto", tolerances[k]), b = run(other, "dopri5", "auto", tolerances[k]);
            const double cost = (double)(a.stats.steps + a.stats.rejected), with = (double)(b.stats.steps + b.stats.rejected);
            if (!(cost <= 1.3 * with)) fail_msg("%s: %g steps, with events %g", models[i].name, cost, with);
            assert_int_equal(a.events, b.events);
            assert_true(apart(i, a.tangent, b.tangent) < 100 * tolerances[k]);
        }
        costate_model_close(m);
        costate_model_close(other);
    }
}

/* Steps that happen to be where they are: derivatives lack what moves, and whoever asks is told. Over its own steps the model of
 * doses is smooth, and its certificate says no more than what was found. */
static void wrong_and_said_so(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        costate_model *m = opened(models[i].text);
        const costate_model_info about = costate_model_about(m);
        double psi[MOST], d[MOST][MOST];
        exact(i, about.p, psi, d);
        const outcome a = run(m, "dopri5", "off", 1e-9);
        assert_true(apart(i, a.tangent, d) > 1e-3);
        assert_int_equal(a.events, 0);
        for (int held = 0; held < 2; held++) {
            costate_solver *s = solver_of(m, "dopri5", held ? "auto" : "off", 1e-9);
            costate_certificate c;
            costate_switch found;
            double y[MOST];
            memcpy(y, about.y0, sizeof(double) * (size_t)costate_model_problem(m)->n);
            good(s, costate_solve(s, about.t0, about.t1, about.p, y));
            const int any = costate_switches(s, 0, &found) == 0;
            assert_int_equal(any, !held);
            const int status = costate_check(s, about.t0, about.t1, about.p, about.y0, &c);
            if (held && status) fail_msg("%s: %s", models[i].name, costate_message(s));
            if (!held && status != COSTATE_CHECK_FAILED && models[i].exact != doses)
                fail_msg("%s: %d", models[i].name, status);
            if (!held) assert_non_null(strstr(found.text, "jumps"));
            costate_free(s);
        }
        costate_model_close(m);
    }
}

/* ---- a fixed date ------------------------------------------------------------------------------------------------------- */

static const char lockdown[] =
    "#include <costate/model.h>\n"
    "static void rhs(double t, const double *y, const double *p, double *f) {\n"
    "    const double contact = t > 30 ? p[1] : p[0], infection = contact * y[0] * y[1];\n"
    "    f[0] = -infection; f[1] = infection - p[2] * y[1]; }\n"
    "COSTATE_MODEL(sir, .states = 2, .params = 3, .y0 = COSTATE_VALUES(0.999, 0.001), .p = COSTATE_VALUES(0.4, 0.1, 0.14),\n"
    "    .t0 = 0, .t1 = 100, .rhs = rhs)\n";

static void dates_cost_nothing(void **state)
{
    (void)state;
    costate_model *m = opened(lockdown);
    for (int k = 0; k < 2; k++) {
        const char *method = k ? "rodas4" : "dopri5";
        const outcome held = run(m, method, "auto", 1e-6), text = run(m, method, "off", 1e-6);
        costate_solver *s = solver_of(m, method, "auto", 1e-6);
        costate_stats before;
        double y[2] = {0.999, 0.001};
        good(s, costate_solve(s, 0, 30, costate_model_about(m).p, y));
        assert_int_equal(costate_get_stats(s, &before), 0);
        costate_free(s);
        assert_int_equal(held.events, 1);
        assert_int_equal(held.stats.rejected, before.rejected); /* none after that date */
        assert_true(text.stats.rejected > held.stats.rejected + 5);
        assert_true(held.stats.steps <= text.stats.steps + text.stats.rejected);
        assert_true(fabs(held.psi[1] - text.psi[1]) < 1e-5);
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
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(as_cheap_as_events),
        cmocka_unit_test(wrong_and_said_so),
        cmocka_unit_test(dates_cost_nothing),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
