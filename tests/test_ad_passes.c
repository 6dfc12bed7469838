/* test_ad_passes.c - every pass of the table does something to a text made for it, and nothing where it must not. */
#include "ad_loops.h"

#define INNER "for (int i = 1; i < N - 1; i++) "
#define OUTER "for (int j = 1; j < N - 1; j++) "
#define PRODUCT FOR "{ double s = 0; for (int j = 0; j < N; j++) s += p[i * N + j] * y[j]; f[i] = s; }"
#define LOTKA FOR "{ double s = p[i]; for (int j = 0; j < N; j++) s += p[N + i * N + j] * y[j]; f[i] = y[i] * s; }"
#define FIVE(y, at) y "[" at " - 1] + " y "[" at " + 1] + " y "[" at " - N] + " y "[" at " + N] - 4 * " y "[" at "]"
#define FIELDS OUTER INNER "{ int c = j * N + i, d = N * N + c; f[c] = " FIVE("y", "c") "; f[d] = " FIVE("y", "d") "; }"
#define BY_Y .by = AD_BY_Y
#define BY_P .by = AD_BY_P
#define BOTH .by = AD_BY_Y | AD_BY_P
#define LANES .lanes = 1

/* comes, goes: what is in the tree after the pass and was not before, and the other way round; NULL: not said. still 1: the
 * tree stays as it is. */
static const struct {
    const char *pass;
    ad_plan plan;
    int n;
    const char *text, *comes, *goes;
    int still;
} cases[] = {
    {"index-set-split", {0}, 20, FOR "f[i] = y[(i + 1) % N];", NULL, "%", 0},
    {"index-set-split", {0}, 20, FOR "f[i] = y[i];", NULL, NULL, 1},
    {"dead-code", {0}, 4, "double unused = y[0]; f[0] = y[1];", NULL, "unused", 0},
    {"dead-code", {0}, 4, "double used = y[0]; f[0] = used;", NULL, NULL, 1},
    {"unfold", {BY_Y}, 4, "f[0] = y[0] > 0 ? sqrt(y[0]) : 0;", "if (", "?", 0},
    {"unfold", {BY_Y}, 4, "f[0] = y[0] > 0 ? y[0] : 0;", NULL, NULL, 1},
    {"scalar-arrays", {BY_Y}, 4, "double a[2]; a[0] = y[0]; a[1] = a[0] * y[1]; f[0] = a[1];", "a_1", "a[1]", 0},
    {"privatize", {BY_Y}, 4, "double a[2]; " FOR "{ a[0] = y[i]; a[1] = a[0] * y[i]; f[i] = a[1]; }", "{\n        double a", NULL,
     0},
    {"privatize", {BY_Y}, 4, "double s = 0; " FOR "{ s += y[i]; f[i] = s * s; }", NULL, NULL, 1},
    {"reverse", {BY_Y}, 4, "f[0] = y[0] * y[1];", "yb[1]", NULL, 0},
    {"first-sums", {BY_Y}, 4, "double s = y[0] * y[1]; f[0] = s;", NULL, "s_b = 0", 0},
    {"accumulate", {BY_Y}, 4, "double a = y[0] * y[1]; f[0] = a * a; f[1] = a * y[1];", NULL, "a_b +=", 0},
    {"points", {BY_P, .points = 1}, 4, FOR "f[i] = p[i] * y[i];", "point < points", NULL, 0},
    {"tangent", {.levels = 1, .move = {"y"}}, 4, "f[0] = y[0] * y[1];", "fdot[0]", NULL, 0},
    {"second-tangent", {.levels = 2, .move = {"y", "y"}}, 4, "f[0] = y[0] * y[1];", "fdotdot2[0]", NULL, 0},
    {"common-factors", {0}, 4, "f[0] = p[0] * y[0] + p[0] * y[1] + p[0] * y[2];", "p[0] * (", NULL, 0},
    {"common-factors", {0}, 4, "f[0] = p[0] * y[0] + p[0] * y[1];", NULL, NULL, 1},
    {"register-tile", {BY_P, .points = 1}, 80, PRODUCT, "tile", NULL, 0},
    {"register-tile", {BY_P, LANES, .points = 1}, 80, PRODUCT, "tile", NULL, 0},
    {"register-tile", {BY_P, LANES, .points = 1}, 7, PRODUCT, NULL, NULL, 1},
    {"local-sums", {BY_P}, 20, FOR "f[i] = p[0] * y[i];", "pb_0 +=", NULL, 0},
    {"local-sums", {BY_P}, 20, FOR "f[i] = p[i] * y[i];", NULL, NULL, 1},
    {"scalar-sums", {LANES, .levels = 1, .move = {"y"}}, 48, LOTKA, NULL, NULL, 0},
    {"scalar-sums", {LANES, .levels = 1, .move = {"y"}}, 48, FOR "f[i] = y[i] * y[i];", NULL, NULL, 1},
    {"fusion", {BY_Y}, 48, LOTKA, NULL, NULL, 0},
    {"fusion", {BY_Y}, 48, PRODUCT, NULL, NULL, 1},
    {"scatter-to-gather", {BY_Y}, 20, INNER "f[i] = p[0] * (y[i - 1] - 2 * y[i] + y[i + 1]);", NULL, "yb[i - 1] +=", 0},
    {"scatter-to-gather", {BY_Y, LANES}, 20, INNER "f[i] = p[0] * (y[i - 1] - 2 * y[i] + y[i + 1]);", NULL, "yb[i - 1] +=", 0},
    {"scatter-to-gather", {BY_Y}, 20, INNER "f[i] = exp(y[i - 1] * y[i + 1]) * y[i];", NULL, NULL, 1},
    {"defer", {BY_Y}, 48, LOTKA, "yb_later", NULL, 0},
    {"defer", {BY_Y}, 48, PRODUCT, NULL, NULL, 1},
    {"merge-sums", {BY_Y}, 20, FOR "{ f[i] = sin(y[i]); f[N + i] = y[i] * y[i]; }", "yb_here", NULL, 0},
    {"merge-sums", {BY_Y}, 20, FOR "f[i] = y[i] * y[N + i];", NULL, NULL, 1},
    {"vectorize", {0}, 20, FOR "f[i] = y[i] * y[i];", "/* simd */", NULL, 0},
    {"vectorize", {0}, 20, "double s = 0; " FOR "{ s = s * s + y[i]; f[i] = s; }", NULL, NULL, 1},
    {"distribute", {BY_Y}, 20, INNER "f[i] = exp(y[i - 1] * y[i + 1]) * y[i];", "row[", NULL, 0},
    {"distribute", {BY_Y}, 20, FOR "f[i] = exp(y[i]);", NULL, NULL, 1},
    {"unroll-jam", {0}, 40, PRODUCT, "i += 4", NULL, 0},
    {"unroll-jam", {LANES, BY_Y}, 40, PRODUCT, "i += 4", NULL, 0},
    {"unroll-jam", {0}, 6, PRODUCT, NULL, NULL, 1},
    {"peel-sums", {0}, 50, "double s = 0; " FOR "s += y[i]; f[0] = s;", "i < 48", NULL, 0},
    {"peel-sums", {0}, 48, "double s = 0; " FOR "s += y[i]; f[0] = s;", NULL, NULL, 1},
    {"first-local-sums", {BY_Y}, 20, FOR "{ f[i] = sin(y[i]); f[N + i] = y[i] * y[i]; }", NULL, "yb_here = 0", 0},
    {"single-additions", {BY_Y, .levels = 1, .move = {"yu"}}, 20, FOR "f[i] = y[i] * y[N + i];", NULL, "] + y[", 0},
    {"single-additions", {0}, 4, "f[0] = p[0] * y[0] + p[1] * y[1];", NULL, NULL, 1},
    {"order-factors", {BOTH, LANES}, 4, "f[0] = p[0] * y[0] * y[1] * y[2];", NULL, NULL, 0},
    {"order-factors", {BOTH, LANES}, 4, "f[0] = p[0] * y[0];", NULL, NULL, 1},
    {"row-pointers", {0}, 20, FIELDS, "_row", NULL, 0},
    {"row-pointers", {.checked = 1}, 20, FIELDS, NULL, NULL, 1},
    {"row-pointers", {0}, 20, OUTER INNER "f[j * N + i] = y[j * N + i - 1] + y[j * N + i + 1];", NULL, NULL, 1},
};

enum { CASES = sizeof cases / sizeof *cases };

/* The tree before and after the pass with this name. */
typedef struct look {
    ad_arena *m;
    const char *pass, *last, *before, *after;
} look;

static void after(void *context, const ad_plan *plan, const ad_pass *pass, const ad_fn *fn)
{
    look *w = context;
    (void)plan;
    const char *text = ad_print_fn(w->m, fn);
    if (strcmp(pass->name, w->pass) == 0) w->before = w->last, w->after = text;
    w->last = text;
}

static int good(ad_arena *m, int i)
{
    const char *comes = cases[i].comes, *goes = cases[i].goes;
    ad_fn *fn = function(m, cases[i].n, cases[i].text);
    look w = {.m = m, .pass = cases[i].pass, .last = ad_print_fn(m, fn)};
    ad_plan plan = cases[i].plan;
    plan.watch = &(ad_watch){after, &w};
    fn = ad_derive(m, fn, &plan);
    assert_non_null(fn);
    ad_shape(m, fn, &plan);
    if (!w.after) w.after = w.before = ""; /* it has not run */
    const int came = !comes || (strstr(w.after, comes) && !strstr(w.before, comes));
    const int went = !goes || (strstr(w.before, goes) && !strstr(w.after, goes));
    if (came && went && (strcmp(w.before, w.after) == 0) == cases[i].still) return 1;
    print_error("%s, %s\nbefore: %s\nafter: %s\n", cases[i].pass, cases[i].text, w.before, w.after);
    return 0;
}

static void fires(void **state)
{
    (void)state;
    check_cases(CASES, good);
}

/* Every row of the table has a case in which it does something, and a line for people. */
static void all_have_cases(void **state)
{
    (void)state;
    int count, missing = 0;
    const ad_pass *pass = ad_passes(&count);
    for (int k = 0; k < count; k++) {
        int found = 0;
        for (int i = 0; i < CASES; i++) found |= strcmp(cases[i].pass, pass[k].name) == 0 && !cases[i].still;
        if (!found) print_error("%s has no case\n", pass[k].name);
        missing += !found;
        assert_ptr_equal(ad_pass_named(pass[k].name), &pass[k]);
        assert_true(*pass[k].about);
    }
    for (int i = 0; i < CASES; i++) assert_non_null(ad_pass_named(cases[i].pass));
    assert_null(ad_pass_named("jam"));
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fires), cmocka_unit_test(all_have_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
