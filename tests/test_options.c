/* test_options.c - options by name and text, and methods of the user's own. */
#include "support.h"

#include "core/workers.h"
#include "solver/solver.h"
#include "problems.h"

#include <stdio.h>

static const problem *const lv = &problem_lotka_volterra;

static int solve(costate_solver *s, double *y)
{
    memcpy(y, lv->y0, 2 * sizeof *y);
    return costate_solve(s, lv->t0, lv->t1, lv->p, y);
}

/* ---- the listing ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *type, *help, *choices;
} expected[] = {
#define COSTATE_REAL(name, init, lo, hi, affects, help) {#name, "real", help, ""},
#define COSTATE_WHOLE(name, init, lo, hi, affects, help) {#name, "whole", help, ""},
#define COSTATE_BYTES(name, init, lo, hi, affects, help) {#name, "bytes", help, ""},
#define COSTATE_TEXT(name, init, choices, affects, help) {#name, "text", help, choices},
#include <costate/options.def>
};

static void test_listing(void **unused)
{
    (void)unused;
    costate_option_info info;
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(costate_option((int)i, &info), 0);
        assert_string_equal(info.name, expected[i].name);
        assert_string_equal(info.type, expected[i].type);
        assert_string_equal(info.help, expected[i].help);
        assert_string_equal(info.choices, expected[i].choices);
        assert_true(info.preset && (!strcmp(info.type, "text") || info.lo < info.hi));
    }
    assert_int_equal(costate_option((int)COUNT(expected), &info), -1);
    assert_int_equal(costate_option(-1, &info), -1);
    assert_int_equal(costate_option(0, NULL), -1);
}

/* Defaults are those of the listing: setting every option to its preset changes nothing. */
static void test_presets(void **unused)
{
    (void)unused;
    costate_option_info info;
    costate_solver *s = make_solver(&lv->prob, NULL);
    double y[2], z[2];
    assert_ok(s, solve(s, y));
    for (int i = 0; !costate_option(i, &info); i++) {
        assert_ok(s, costate_set(s, info.name, info.preset));
        assert_ok(s, solve(s, z));
        assert_bits(y, z, 2);
    }
    costate_options a = costate_defaults(NULL), b = costate_defaults("rk43");
    assert_string_equal(a.method, "auto");
    assert_string_equal(b.method, "rk43");
    assert_true(a.rtol == s->opt.rtol && a.memory == s->opt.memory && a.lanes == s->opt.lanes && !a.atols && !a.table);
    costate_free(s);
}

/* ---- setting ----------------------------------------------------------------------------------------------------- */

static int code_of(const costate_option_info *info) /* for a value out of bounds */
{
    if (!strcmp(info->type, "bytes")) return COSTATE_ERR_BUDGET;
    return !strcmp(info->name, "rtol") || !strcmp(info->name, "atol") ? COSTATE_ERR_TOLERANCE : COSTATE_ERR_VALUE;
}

/* A refused value leaves solver, run and results as they were. */
static void refuse(costate_solver *s, const char *name, const char *value, int code, const char *detail)
{
    double before[2], after[2], dp[4];
    assert_ok(s, solve(s, before));
    assert_refused(s, costate_set(s, name, value), code, detail);
    assert_ok(s, costate_gradient(s, 1, NULL, after, dp));
    assert_ok(s, solve(s, after));
    assert_bits(before, after, 2);
}

static void test_bad_values(void **unused)
{
    (void)unused;
    static const char *const words[] = {"", "x", "1x", "1 ", "--1", "1e", "1.0.0", "0.5 K"};
    costate_option_info info;
    costate_solver *s = make_solver(&lv->prob, NULL);
    for (int i = 0; !costate_option(i, &info); i++) {
        char text[64];
        if (!strcmp(info.type, "text")) {
            if (info.choices[0]) refuse(s, info.name, "nonsense", COSTATE_ERR_VALUE, info.choices);
            if (info.choices[0]) refuse(s, info.name, "", COSTATE_ERR_VALUE, info.choices);
            continue;
        }
        for (size_t k = 0; k < COUNT(words); k++) refuse(s, info.name, words[k], COSTATE_ERR_VALUE, info.name);
        snprintf(text, sizeof text, "%lld", (long long)info.lo - 1);
        refuse(s, info.name, text, code_of(&info), info.name);
        if (!strcmp(info.type, "real")) {
            refuse(s, info.name, "nan", code_of(&info), info.name);
            refuse(s, info.name, "inf", code_of(&info), info.name);
            refuse(s, info.name, "-inf", code_of(&info), info.name);
        }
        if (info.hi < 1e6) {
            snprintf(text, sizeof text, "%lld", (long long)info.hi + 1);
            refuse(s, info.name, text, code_of(&info), info.name);
        }
    }
    refuse(s, "max_steps", "10.5", COSTATE_ERR_VALUE, "whole number");
    refuse(s, "max_steps", "1K", COSTATE_ERR_VALUE, "whole number");
    refuse(s, "max_steps", "99999999999999999999", COSTATE_ERR_VALUE, "whole number");
    refuse(s, "Rtol", "1e-3", COSTATE_ERR_OPTION, "\"Rtol\" is none of method, rtol, atol");
    refuse(s, "rtol ", "1e-3", COSTATE_ERR_OPTION, "lanes");
    refuse(s, "", "1", COSTATE_ERR_OPTION, "method");
    refuse(s, NULL, "1", COSTATE_ERR_NULL, "name");
    refuse(s, "rtol", NULL, COSTATE_ERR_NULL, "value");
    refuse(s, "method", "dopri", COSTATE_ERR_METHOD, "\"dopri\" is none of ");
    for (int i = 0; i < costate_method_count(); i++) refuse(s, "method", "", COSTATE_ERR_METHOD, costate_method(i)->name);
    costate_free(s);
}

/* Values that make no sense together. */
static void test_contradictions(void **unused)
{
    (void)unused;
    costate_solver *s = make_solver(&lv->prob, NULL);
    assert_ok(s, costate_set(s, "hmax", "0.5"));
    refuse(s, "hmin", "0.6", COSTATE_ERR_VALUE, "larger than hmax");
    assert_ok(s, costate_set(s, "step", "0.125"));
    refuse(s, "h0", "0.1", COSTATE_ERR_VALUE, "fixed steps");
    assert_ok(s, costate_set(s, "step", "0"));
    assert_ok(s, costate_set(s, "rtol", "0"));
    refuse(s, "atol", "0", COSTATE_ERR_TOLERANCE, "both zero");
    costate_free(s);
}

static void test_good_values(void **unused)
{
    (void)unused;
    costate_solver *s = make_solver(&lv->prob, NULL);
    static const char *const good[][2] = {
        {"rtol", "1e-8"},          {"atol", "1e-10"},      {"h0", "0.01"},     {"hmin", "1e-9"},   {"hmax", "0.5"},
        {"max_steps", "5000"},     {"safety", "0.8"},      {"facmin", "0.1"},  {"facmax", "5"},    {"control", "elementary"},
        {"control", "gustafsson"}, {"control", "pi"},      {"record", "0"},    {"record", "1"},    {"tangent_control", "all"},
        {"memory", "1M"},          {"disk", "1M"},         {"lanes", "3"},     {"method", "rk43"}, {"disk_dir", "/tmp"},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        char name[32], value[32]; /* neither is kept */
        double y[2];
        snprintf(name, sizeof name, "%s", good[i][0]);
        snprintf(value, sizeof value, "%s", good[i][1]);
        assert_ok(s, costate_set(s, name, value));
        memset(value, '?', sizeof value - 1);
        assert_ok(s, solve(s, y));
        assert_near(y[0], lv->state[0], 1e-3);
    }
    costate_options *o = &s->opt;
    assert_true(o->rtol == 1e-8 && o->atol == 1e-10 && o->h0 == 0.01 && o->hmin == 1e-9 && o->hmax == 0.5 &&
                o->max_steps == 5000);
    assert_true(o->safety == 0.8 && o->facmin == 0.1 && o->facmax == 5 && o->record == 1 && o->lanes == 3);
    assert_true(o->memory == 1048576 && o->disk == 1048576);
    assert_string_equal(o->control, "pi");
    assert_string_equal(o->tangent_control, "all");
    assert_string_equal(o->disk_dir, "/tmp");
    assert_string_equal(stats_of(s).method, "rk43");
    costate_free(s);
}

static void test_sizes(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {{"0", 0}, {"65536", 65536}, {"64K", 65536}, {"64k", 65536}, {"64KB", 65536}, {"64KiB", 65536}, {"1.5M", 1572864},
                 {"2G", 2147483648}, {"3T", 3298534883328}, {"9223372036854775807", INT64_MAX}};
    static const char *const bad[] = {"64Q", "K", "64KK", "1e30", "9e18T", "nanK", "infK", "1.5", "9223372036854775808"};
    static const char *const names[] = {"memory", "disk"};
    costate_solver *s = make_solver(&lv->prob, NULL);
    for (int i = 0; i < 2; i++) {
        const int64_t *value = i ? &s->opt.disk : &s->opt.memory;
        for (size_t k = 0; k < COUNT(sizes); k++) {
            assert_ok(s, costate_set(s, names[i], sizes[k].text));
            assert_true(*value == sizes[k].bytes);
        }
        assert_ok(s, costate_set(s, names[i], "1G"));
        for (size_t k = 0; k < COUNT(bad); k++) refuse(s, names[i], bad[k], COSTATE_ERR_VALUE, "is not a size");
        refuse(s, names[i], "-1K", COSTATE_ERR_BUDGET, names[i]);
        assert_ok(s, costate_set(s, names[i], "1M"));
    }
    costate_free(s);
}

/* A change forgets the run, keeps the tolerances of the components, and gives what a solver made that way gives. */
static void test_change(void **unused)
{
    (void)unused;
    double atols[2] = {1e-4, 1e-9}, y[2], z[2], dp[4];
    for (int m = 0; m < costate_method_count(); m++) {
        costate_options opt = costate_defaults(NULL);
        opt.atols = atols;
        costate_solver *s = make_solver(&lv->prob, &opt);
        assert_ok(s, solve(s, y));
        assert_ok(s, costate_set(s, "method", costate_method(m)->name));
        assert_refused(s, costate_gradient(s, 1, NULL, z, dp), COSTATE_ERR_NO_RECORD, "");
        assert_nan(z, 2);
        assert_ok(s, solve(s, y));
        costate_free(s);
        opt.method = costate_method(m)->name;
        s = make_solver(&lv->prob, &opt);
        assert_ok(s, solve(s, z));
        assert_bits(y, z, 2);
        costate_free(s);
    }
}

/* ---- what a change makes anew ------------------------------------------------------------------------------------- */

/* One other value of every option, by name and as a member. */
typedef struct other {
    const char *name, *value;
    int requests; /* of memory, at most, when it is set; -1: any */
} other;
static const other others[] = {
    {"method", "rk43", -1},        {"rtol", "1e-5", 0},        {"atol", "1e-7", 0},           {"h0", "0.01", 0},
    {"step", "0.03125", 0},        {"hmin", "1e-6", 0},        {"hmax", "0.25", 0},           {"max_steps", "5000", 0},
    {"control", "elementary", 1},  {"safety", "0.8", 0},       {"facmin", "0.5", 0},          {"facmax", "2", 0},
    {"tangent_control", "all", 1}, {"record", "0", 0},         {"memory", "8K", 0},           {"disk", "1M", 0},
    {"disk_dir", "/tmp", 1},       {"linsol", "gmres", -1},    {"newton_most", "7", 0},       {"newton_tol", "1e-4", 0},
    {"tangent_solve", "direct", 1}, {"adjoint_solve", "iterated", 1}, {"sweep_tol", "1e-9", 0}, {"estimator", "sdirk", -1},
    {"gmres_tol", "1e-8", -1},     {"gmres_basis", "7", -1},   {"gmres_most", "40", -1},      {"lanes", "16", -1},
    {"sensitivities", "tangent", 1}, {"threads", "2", 0},       {"adjoint", "continuous", 1}, {"adjoint_method", "rk43", 1},
    {"probe", "1", 0},             {"event_samples", "3", 1},  {"max_events", "10", 1},       {"switches", "off", 1},
};

static void set_member(costate_options *o, const char *name, const char *value)
{
#define COSTATE_REAL(id, init, lo, hi, affects, help) if (!strcmp(name, #id)) o->id = strtod(value, NULL);
#define COSTATE_WHOLE(id, init, lo, hi, affects, help) if (!strcmp(name, #id)) o->id = strtoll(value, NULL, 10);
#define COSTATE_BYTES(id, init, lo, hi, affects, help) \
    if (!strcmp(name, #id)) o->id = strtoll(value, NULL, 10) * (strchr(value, 'K') ? 1024 : 1048576);
#define COSTATE_TEXT(id, init, choices, affects, help) if (!strcmp(name, #id)) o->id = value;
#include <costate/options.def>
}

enum { WIDE = 17 }; /* lanes: several blocks, so that there is work for threads */
typedef struct outcome {
    double y[2], d[6 * WIDE], dy0[2 * WIDE], dp[4 * WIDE];
    int64_t steps, rhs;
} outcome;

/* A run with its whole matrix of derivatives, and gradients if it was recorded. */
static outcome compute(costate_solver *s)
{
    outcome r;
    double weights[WIDE];
    for (int l = 0; l < WIDE; l++) weights[l] = 1 + l;
    memset(&r, 0, sizeof r);
    memcpy(r.y, lv->y0, sizeof r.y);
    assert_ok(s, costate_sensitivities(s, lv->t0, lv->t1, lv->p, r.y, 6, NULL, WIDE, weights, r.d));
    if (s->opt.record) assert_ok(s, costate_gradient(s, WIDE, weights, r.dy0, r.dp));
    r.steps = stats_of(s).steps;
    r.rhs = stats_of(s).rhs;
    return r;
}

/* Threads follow, though which of them does what is left to chance. */
static void assert_followed(costate_solver *s, const char *name)
{
    const costate_solver *w = cst__worker(s, 1);
    if (!w) fail_msg("%s: there are no threads", name);
    costate_options opt = s->opt;
    opt.threads = 1;
    opt.atols = w->atol;
    assert_memory_equal(&opt, &w->opt, sizeof opt);
    assert_bits(s->atol, w->atol, 2);
}

/* A solver whose option was changed is one that was created with it: the same bits, the same work. What an option does not affect
 * is not made anew: its memory stays. */
static void test_changes(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "rodas4"};
    assert_int_equal(COUNT(others), OPTION_COUNT);
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t i = 0; i < COUNT(others); i++) {
            heap h = {0};
            const other *o = &others[i];
            costate_options opt = costate_defaults(methods[m]);
            opt.threads = 2;
            set_member(&opt, o->name, !strcmp(o->name, "threads") ? "3" : o->value);
            costate_solver *fresh = make_solver(&lv->prob, &opt);
            const outcome wanted = compute(fresh);
            costate_free(fresh);

            opt = costate_defaults(methods[m]);
            opt.threads = 2;
            opt.allocator = heap_allocator(&h);
            costate_solver *s = make_solver(&lv->prob, &opt);
            compute(s);
            const int64_t before = h.requests;
            assert_ok(s, costate_set(s, o->name, !strcmp(o->name, "threads") ? "3" : o->value));
            if (o->requests >= 0 && h.requests - before > o->requests)
                fail_msg("%s: %s = %s takes memory %lld times", methods[m], o->name, o->value, (long long)(h.requests - before));
            const outcome got = compute(s);
            if (s->opt.record && strcmp(o->name, "adjoint")) assert_followed(s, o->name); /* that one needs no workers */
            if (memcmp(&got, &wanted, sizeof got)) fail_msg("%s: %s = %s gives other results", methods[m], o->name, o->value);
            costate_free(s);
            assert_int_equal(h.live, 0);
        }
}

/* Tolerances of each component stay whatever is changed. */
static void test_changes_keep_tolerances(void **unused)
{
    (void)unused;
    const double atols[] = {1e-4, 1e-8};
    costate_options opt = costate_defaults("rodas4");
    opt.atols = atols;
    costate_solver *s = make_solver(&lv->prob, &opt), *fresh = make_solver(&lv->prob, &opt);
    const outcome wanted = compute(fresh);
    static const char *const changes[][2] = {
        {"atol", "1"}, {"lanes", "3"}, {"lanes", "8"}, {"linsol", "gmres"}, {"linsol", "auto"}};
    for (size_t i = 0; i < COUNT(changes); i++) assert_ok(s, costate_set(s, changes[i][0], changes[i][1]));
    const outcome got = compute(s);
    assert_memory_equal(&got, &wanted, sizeof got);
    costate_free(s);
    costate_free(fresh);
}

/* ---- methods of the user's own ----------------------------------------------------------------------------------- */

static const double rk4_a[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                    rk4_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const costate_table rk4 = {.name = "classical", .family = COSTATE_ERK, .stages = 4, .order = 4, .a = rk4_a, .b = rk4_b};

static const double heun_a[] = {0, 0, 1, 0}, heun_b[] = {0.5, 0.5}, heun_e[] = {-0.5, 0.5};
static const costate_table heun = {.name = "Heun-Euler", .family = COSTATE_ERK, .stages = 2, .order = 2, .embedded_order = 1,
                                   .a = heun_a, .b = heun_b, .e = heun_e};

static costate_options with_table(const costate_table *table, double size)
{
    costate_options opt = costate_defaults(NULL);
    opt.table = table;
    opt.step = size;
    return opt;
}

/* The error halves 4 times over when the step does, and the derivatives are those of this method. */
static void test_rk4(void **unused)
{
    (void)unused;
    double y[2], error[2];
    for (int i = 0; i < 2; i++) {
        costate_options opt = with_table(&rk4, i ? 1.0 / 64 : 1.0 / 32);
        costate_solver *s = make_solver(&lv->prob, &opt);
        assert_ok(s, solve(s, y));
        error[i] = hypot(y[0] - lv->state[0], y[1] - lv->state[1]);
        assert_string_equal(stats_of(s).method, "classical");
        assert_int_equal(stats_of(s).rhs, 4 * stats_of(s).steps);
        costate_certificate c;
        assert_ok(s, costate_check(s, lv->t0, lv->t1, lv->p, lv->y0, &c));
        if (!i) { /* without an estimate there is no other way than fixed steps */
            assert_ok(s, solve(s, y));
            assert_refused(s, costate_set(s, "step", "0"), COSTATE_ERR_TABLE, "no error estimate");
            assert_ok(s, solve(s, error));
            assert_bits(y, error, 2);
            error[0] = hypot(y[0] - lv->state[0], y[1] - lv->state[1]);
        }
        costate_free(s);
    }
    assert_near(log2(error[0] / error[1]), 4, 0.2);
    costate_options opt = with_table(&rk4, 0);
    costate_solver *s = NULL;
    int status = costate_create(&s, &lv->prob, &opt);
    assert_refused(s, status, COSTATE_ERR_TABLE, "no error estimate");
    costate_free(s);
}

static void test_heun_euler(void **unused)
{
    (void)unused;
    costate_options opt = with_table(&heun, 0);
    opt.rtol = opt.atol = 1e-8;
    costate_solver *s = make_solver(&lv->prob, &opt);
    double y[2];
    assert_ok(s, solve(s, y));
    assert_near(y[0], lv->state[0], 1e-4);
    assert_near(y[1], lv->state[1], 1e-4);
    assert_true(stats_of(s).steps > 1000);
    assert_ok(s, costate_set(s, "rtol", "1e-4"));
    costate_certificate c;
    assert_ok(s, costate_check(s, lv->t0, lv->t1, lv->p, lv->y0, &c));
    costate_free(s);
}

static void test_own_copy(void **unused)
{
    (void)unused;
    for (int m = 0; m < costate_method_count(); m++) {
        costate_table copy = *costate_method(m);
        copy.name = "mine";
        costate_options opt = with_table(&copy, 0);
        costate_solver *s = make_solver(&lv->prob, &opt);
        double y[2], z[2];
        assert_ok(s, solve(s, y));
        assert_string_equal(stats_of(s).method, "mine");
        costate_free(s);
        opt = costate_defaults(costate_method(m)->name);
        s = make_solver(&lv->prob, &opt);
        assert_ok(s, solve(s, z));
        assert_bits(y, z, 2);
        costate_free(s);
    }
}

static void test_bad_tables(void **unused)
{
    (void)unused;
    static const double implicit[] = {0, 0, 0.5, 0.5}, light[] = {0.5, 0.25}, blind[] = {0, 0}, spoilt[] = {0, 0, NAN, 0};
    costate_table bad[] = {heun, heun, heun, heun, heun, heun, heun, heun};
    static const char *const why[] = {"earlier ones only", "sum of b",    "e is zero", "not finite",
                                      "order 3",           "stages is 0", "a is NULL", "name"};
    bad[0].a = implicit, bad[1].b = light, bad[2].e = blind, bad[3].a = spoilt;
    bad[4].order = 3, bad[5].stages = 0, bad[6].a = NULL, bad[7].name = NULL;
    for (size_t i = 0; i < COUNT(bad); i++) {
        heap h = {0};
        costate_options opt = with_table(&bad[i], 0);
        opt.allocator = heap_allocator(&h);
        costate_solver *s = NULL;
        double y[2] = {0};
        int status = costate_create(&s, &lv->prob, &opt);
        assert_refused(s, status, COSTATE_ERR_TABLE, why[i]);
        assert_int_equal(solve(s, y), COSTATE_ERR_TABLE);
        costate_free(s);
        assert_int_equal(h.live, 0);
    }
}

/* Many Euler steps as one step, with idle rows and stages of dense output: a table is refused, or it works. */
static void test_long_tables(void **unused)
{
    (void)unused;
    enum { MOST = 64 };
    static const int shapes[][3] = {{40, 0, 0}, {63, 0, 0},   {64, 0, 0},  {10, 8, 40},
                                    {10, 9, 0}, {10, 64, 53}, {10, 1, 64}, {64, 64, 64}};
    static double a[MOST * MOST], b[MOST], zeros[MOST * (2 * MOST + 1)];
    for (size_t i = 0; i < COUNT(shapes); i++) {
        int s = shapes[i][0];
        for (int r = 0; r < s; r++)
            for (int c = 0; c < s; c++) a[r * s + c] = c < r ? 1.0 / s : 0;
        fill(b, (size_t)s, 1.0 / s);
        costate_table euler = {.name = "Euler", .family = COSTATE_ERK, .stages = s, .order = 1, .a = a, .b = b,
                               .dense_rows = shapes[i][1], .dense_stages = shapes[i][2], .dense_d = zeros, .dense_a = zeros};
        costate_options opt = with_table(&euler, 1);
        costate_solver *solver = NULL;
        int status = costate_create(&solver, &lv->prob, &opt);
        if (status) assert_refused(solver, status, COSTATE_ERR_TABLE, "");
        else {
            double y[2] = {lv->y0[0], lv->y0[1]}, f[2], rows[2], ydot[2] = {1, 1}, dots[2], half = 0.5;
            assert_ok(solver, costate_output(solver, 1, &half, rows, dots));
            assert_ok(solver, costate_tangent(solver, 0, 1, lv->p, y, 1, ydot, NULL));
            double z[2] = {lv->y0[0], lv->y0[1]};
            for (int r = 0; r < s; r++) {
                lv->prob.rhs(0, z, lv->p, f, lv->prob.data);
                z[0] += f[0] / s, z[1] += f[1] / s;
            }
            assert_near(y[0], z[0], 1e-12 * fabs(z[0]));
            assert_near(y[1], z[1], 1e-12 * fabs(z[1]));
            assert_finite(rows, 2), assert_finite(dots, 2);
        }
        costate_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listing),        cmocka_unit_test(test_presets),     cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_contradictions), cmocka_unit_test(test_good_values), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_changes),        cmocka_unit_test(test_changes_keep_tolerances),
        cmocka_unit_test(test_change),         cmocka_unit_test(test_rk4),         cmocka_unit_test(test_heun_euler),
        cmocka_unit_test(test_own_copy),       cmocka_unit_test(test_bad_tables),  cmocka_unit_test(test_long_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
