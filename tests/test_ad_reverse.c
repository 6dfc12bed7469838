/* test_ad_reverse.c - reverse mode: the traps of recomputing loops, what goes on the tape and what does not, vectors, several
 * points at once. */
#include "ad_products.h"

#include "emit/emit.h"
#include "shape/passes.h"

#define HEAD(name) "void " #name "(double t, const double *y, const double *p, double *f) {\n"

static const ad_case traps[] = {
    {"accumulated_twice",
     4,
     3, /* s and total must not grow again when the body is recomputed */
     HEAD(accumulated_twice) "    double total = p[2];\n"
                             "    for (int i = 0; i < 4; i++) {\n"
                             "        double s = p[0];\n"
                             "        for (int j = 0; j < 4; j++) { s += y[j] * y[i]; total += s * p[1]; }\n"
                             "        f[i] = s * s * y[i];\n"
                             "    }\n"
                             "    f[0] += total * total; f[3] += sin(total);\n"
                             "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4},
     {0.9, 0.2, -0.5}},
    {"needs_the_old",
     3,
     2,
     HEAD(needs_the_old) "    double x = y[0] * p[0], z = y[1];\n"
                         "    x = x * x; z = sin(z) * x; x = x * z + t; z = z * z * x;\n"
                         "    f[0] = x * z;\n"
                         "    for (int i = 0; i < 5; i++) { x = sin(x * y[2]) + x * x * p[1]; z = z * x; }\n"
                         "    f[1] = x; f[2] = z * x;\n"
                         "}\n",
     0.3,
     {0.7, -0.3, 0.5},
     {0.9, 0.2}},
    {"array_from_outside",
     4,
     2, /* written in part by each iteration, read by all */
     HEAD(array_from_outside) "    double a[4] = {1, 2, 3, 4};\n"
                              "    for (int i = 0; i < 4; i++) {\n"
                              "        for (int j = 0; j < 4; j++) if ((i + j) % 2 == 0) a[j] = a[j] * y[i] + p[0];\n"
                              "        f[i] = a[i] * a[(i + 1) % 4] * p[1];\n"
                              "    }\n"
                              "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4},
     {0.9, 0.2}},
    {"read_back",
     3,
     2,
     HEAD(read_back) "    f[0] = y[0] * y[1] * p[0];\n"
                     "    f[1] = f[0] * f[0] + y[2];\n"
                     "    for (int i = 0; i < 3; i++) f[2] = i ? f[2] * f[1] + y[i] : sin(f[0]) * p[1];\n"
                     "    f[0] = f[0] * f[2];\n"
                     "}\n",
     0,
     {0.7, -0.3, 1.1},
     {0.9, 0.2}},
    {"assigned_twice",
     4,
     2,
     HEAD(assigned_twice) "    for (int i = 0; i < 4; i++) f[i] = y[i] * y[i] * p[0];\n"
                          "    f[2] = y[0] * p[1];\n"
                          "    for (int i = 0; i < 6; i++) f[i / 2] = y[i % 4] * p[i % 2] * y[1];\n"
                          "    if (y[0] > 0) f[3] = y[3]; else f[3] = y[2] * y[2];\n"
                          "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4},
     {0.9, 0.2}},
    {"zero_then_sums",
     4,
     3,
     HEAD(zero_then_sums) "    for (int i = 0; i < 4; i++) f[i] = 0;\n"
                          "    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) f[(i + j) % 4] += y[i] * y[j] * p[(i * j) "
                          "% 3];\n"
                          "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4},
     {0.9, 0.2, -0.5}},
    {"linear_recurrence",
     6,
     2, /* no value is needed, but the order is */
     HEAD(linear_recurrence) "    double a[6];\n"
                             "    for (int i = 0; i < 6; i++) a[i] = y[i];\n"
                             "    for (int i = 1; i < 6; i++) a[i] += a[i - 1] * 0.5 + 0.25 * y[i - 1];\n"
                             "    for (int i = 4; i >= 0; i--) a[i] -= 2 * a[i + 1];\n"
                             "    for (int i = 0; i < 6; i++) f[i] = a[i] * p[0];\n"
                             "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4, 0.2, -0.9},
     {0.9}},
    {"thomas",
     6,
     3, /* a tridiagonal system, solved in place */
     HEAD(thomas) "    double c[6], d[6];\n"
                  "    for (int i = 0; i < 6; i++) d[i] = y[i] * y[i];\n"
                  "    c[0] = p[2] / p[1]; d[0] = d[0] / p[1];\n"
                  "    for (int i = 1; i < 6; i++) {\n"
                  "        const double m = 1 / (p[1] - p[0] * c[i - 1]);\n"
                  "        c[i] = p[2] * m; d[i] = (d[i] - p[0] * d[i - 1]) * m;\n"
                  "    }\n"
                  "    for (int i = 4; i >= 0; i--) d[i] -= c[i] * d[i + 1];\n"
                  "    for (int i = 0; i < 6; i++) f[i] = d[i] * y[(i + 1) % 6];\n"
                  "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4, 0.2, -0.9},
     {0.5, 2.5, -0.4}},
    {"counters",
     5,
     2, /* integers that are carried, steps other than one, unsigned and triangular loops, old style declarations */
     HEAD(counters) "    int i, j, k = 0; double s, last = 1;\n"
                    "    for (i = 0; i < 5; i += 2) { s = y[k % 5]; k += 2 + i % 2; for (j = i; j < 5; j++) s += y[j] * y[k % "
                    "5]; f[i] = s * last; last = s; }\n"
                    "    for (unsigned long q = 1; q < 5; q += 2) { s = y[q] * last; last = s * s + p[0]; f[q] = last * p[1]; }\n"
                    "}\n",
     0,
     {0.7, -0.3, 0.6, 0.4, 0.2},
     {0.9, 0.3}},
    {"leaves_early",
     4,
     2,
     HEAD(leaves_early) "    double x = y[0];\n"
                        "    for (int i = 0; i < 4; i++) f[i] = y[i] * p[1];\n"
                        "    for (int i = 0; i < 20; i++) {\n"
                        "        if (i == 2) continue;\n"
                        "        x = x * y[i % 4] * p[0] + 0.3;\n"
                        "        if (x > 0.45) break;\n"
                        "        f[i % 4] += x * x;\n"
                        "    }\n"
                        "    if (y[3] < 0) return;\n"
                        "    f[0] *= x; f[1] = f[1] * f[0];\n"
                        "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4},
     {0.9, 0.2}},
    {"stencil",
     80,
     3, /* split into rows; with values that change between the additions */
     HEAD(stencil) "    const double k = p[2] * 81;\n"
                   "    f[0] = f[39] = f[40] = f[79] = 0;\n"
                   "    for (int i = 1; i < 39; i++) {\n"
                   "        const double u = y[i], v = y[40 + i];\n"
                   "        f[i] = p[0] + u * u * v - (p[1] + 1) * u + k * (y[i - 1] - 2 * u + y[i + 1]);\n"
                   "        f[40 + i] = p[1] * u - u * u * v + k * (y[39 + i] - 2 * v + y[41 + i]);\n"
                   "    }\n"
                   "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4, 0.9, -0.1, 0.2, 0.5},
     {0.9, 0.2, 0.01}},
    {"fluxes",
     600,
     2, /* local arrays, longer than a strip */
     HEAD(fluxes) "    double flux[601];\n"
                  "    flux[0] = p[0]; flux[600] = 0;\n"
                  "    for (int i = 1; i < 600; i++) flux[i] = p[1] * (y[i] - y[i - 1]) * (y[i] + y[i - 1]);\n"
                  "    for (int i = 0; i < 600; i++) f[i] = flux[i + 1] - flux[i] + y[i] * y[599 - i];\n"
                  "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4, 0.9, -0.1, 0.2, 0.5},
     {0.9, 0.2}},
    {"interactions",
     20,
     8, /* the diagonal is put off */
     HEAD(interactions) "    for (int i = 0; i < 20; i++) {\n"
                        "        double s = p[i % 8];\n"
                        "        for (int j = 0; j < 20; j++) s += p[(i + j) % 8] * y[j];\n"
                        "        f[i] = y[i] * s;\n"
                        "    }\n"
                        "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4, 0.9, -0.1, 0.2, 0.5},
     {0.9, 0.2, -0.5, 0.1, 0.6, 0.3, -0.2, 0.4}},
    {"side_by_side",
     20,
     4, /* loops that read the same: the first two may be joined, the others need what was computed before, or change it */
     HEAD(side_by_side) "    double a[20], g = 0;\n"
                        "    for (int i = 0; i < 20; i++) a[i] = y[i] * p[0];\n"
                        "    for (int i = 0; i < 20; i++) {\n"
                        "        double s = p[2], q = 0, r = 0;\n"
                        "        for (int j = 0; j < 20; j++) s += 0.1 * a[j] * y[j];\n"
                        "        const double c = sin(y[i]) * p[1];\n"
                        "        for (int k = 0; k < 20; k++) q += a[k] * c * y[k] * y[k];\n"
                        "        a[i] = c + 0.1 * s;\n"
                        "        for (int j = 0; j < 20; j++) r += 0.1 * a[j] * y[j] * s;\n"
                        "        for (int j = 0; j < 20; j++) { a[j] = 0.9 * a[j] + 0.01 * r * y[j]; g += 0.01 * a[j]; }\n"
                        "        f[i] = s * y[i] + q * p[3] + r + g;\n"
                        "        for (int j = 0; j < i; j++) f[j] += 0.01 * a[j] * g;\n"
                        "    }\n"
                        "}\n",
     0,
     {0.7, -0.3, 1.1, 0.4, 0.9, -0.1, 0.2, 0.5},
     {0.9, 0.2, -0.5, 0.1}},
};

static void trapped(void **state)
{
    (void)state;
    ad_check_cases(traps, (int)(sizeof traps / sizeof *traps), 0, AD_WARNINGS "-O0");
}

/* ---- what the reverse function looks like ------------------------------------------------------------------------------ */

static ad_fn *reverse_of(ad_arena *m, const char *name, const char *text, const ad_plan *plan)
{
    ad_diag *d = ad_diag_open(m);
    ad_fn *fn = ad_front_function(m, d, name, text, name);
    assert_non_null(fn);
    ad_fn *r = ad_derive(m, fn, plan);
    assert_non_null(r);
    return r;
}

static const char *reversed(ad_arena *m, const char *name, const char *text, unsigned wrt)
{
    return ad_print_fn(m, reverse_of(m, name, text, &(ad_plan){.by = wrt, .lanes = 1}));
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

/* A dense loop: one fused loop, no tape, nothing computed that is not needed. */
static void fused(void **state)
{
    (void)state;
    static const char glv[] =
        HEAD(glv) "for (int i = 0; i < 48; i++) { double s = p[i]; for (int j = 0; j < 48; j++) s += p[48 + i * 48 + j] * y[j];\n"
                  "f[i] = y[i] * s; } }\n";
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    const char *both = reversed(m, "glv", glv, AD_BY_Y | AD_BY_P), *p = reversed(m, "glv", glv, AD_BY_P);
    assert_int_equal(count(both, "for ("), 3);
    assert_int_equal(count(both, "--"), 0);
    assert_int_equal(count(both, "push"), 0);
    assert_int_equal(count(p, "for ("), 2); /* the sum itself is needed by yb alone */
    const ad_plan one = {.by = AD_BY_Y}, lanes = {.by = AD_BY_Y, .lanes = 1};
    ad_fn *row = reverse_of(m, "glv", glv, &one), *wide = reverse_of(m, "glv", glv, &lanes);
    ad_shape(m, row, &one);
    ad_shape(m, wide, &lanes);
    assert_int_equal(count(ad_print_fn(m, row), "for ("), 3); /* rows, once through each for s and yb, and what was deferred */
    assert_int_equal(count(ad_print_fn(m, wide), "for ("), 3); /* s, which has no lanes, apart */
    ad_arena_close(m);
}

/* The tape holds carried scalars, and nothing for arrays that are written once. */
static void taped(void **state)
{
    (void)state;
    static const char horner[] =
        HEAD(horner) "double x = 1; for (int i = 0; i < 8; i++) x = x * y[0] + p[i] * x * x; f[0] = x; }\n";
    static const char once[] =
        HEAD(once) "double a[9]; a[0] = y[0]; for (int i = 1; i < 9; i++) a[i] = a[i - 1] * a[i - 1] * p[0]; f[0] = a[8]; }\n";
    static const char place[] = HEAD(place) "double a[9]; for (int i = 0; i < 9; i++) a[i] = y[i];\n"
                                            "for (int i = 1; i < 9; i++) a[i] = a[i] * a[i - 1]; f[0] = a[8]; }\n";
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    assert_int_equal(count(reversed(m, "horner", horner, AD_BY_Y), "push"), 1);
    assert_int_equal(count(reversed(m, "once", once, AD_BY_Y), "push"), 0);
    assert_true(count(reversed(m, "place", place, AD_BY_Y), "push") > 0);
    ad_arena_close(m);
}

/* ---- several points ---------------------------------------------------------------------------------------------------- */

typedef int points_fn(int points, const double *t, const double *const *y, const double *p, int w, const double *const *u,
                      double *pb, void *data);

static void check_points(ad_arena *m, const ad_case *c, const costate_problem *g, int w)
{
    enum { POINTS = 3 };
    unsigned long long seed = 5;
    double t[POINTS], *sum = ad_filled(m, c->np * w, 0.5), *one = ad_filled(m, c->np * w, 0.5);
    const double *y[POINTS], *u[POINTS], *p = ad_point(m, c->p, c->np);
    for (int k = 0; k < POINTS; k++) {
        t[k] = c->t + 0.1 * k;
        y[k] = ad_randoms(m, c->n, &seed);
        u[k] = ad_randoms(m, c->n * w, &seed);
        assert_int_equal(g->vjp(t[k], y[k], p, w, u[k], NULL, one, NULL), 0);
    }
    assert_non_null(g->vjp_points);
    assert_int_equal(g->vjp_points(POINTS, t, y, p, w, u, sum, NULL), 0);
    assert_true(ad_defect(c->np * w, sum, one) < 1e-13);
}

static const ad_case pointwise[] = {
    {"rows",
     9,
     90,
     HEAD(rows) "    for (int i = 0; i < 9; i++) { double s = p[i]; for (int j = 0; j < 9; j++) s += p[9 + i * 9 + j] * y[j]; "
                "f[i] = y[i] * s; }\n}\n",
     0,
     {0.7},
     {0.9, 0.2, -0.5}},
    {"factor_outside",
     9,
     4, /* k_b is summed over the points */
     HEAD(factor_outside) "    const double k = p[3] * p[3];\n"
                          "    for (int i = 0; i < 9; i++) f[i] = k * y[i] * p[i % 3] + t * p[0];\n"
                          "}\n",
     0.2,
     {0.7},
     {0.9, 0.2, -0.5, 0.3}},
    {"factor_of_the_point",
     9,
     4,
     HEAD(factor_of_the_point) "    const double k = p[3] * p[3] * y[0] * t;\n    for (int i = 0; i < 9; i++) f[i] = k * y[i] * "
                               "p[i % 3];\n}\n",
     0.2,
     {0.7},
     {0.9, 0.2, -0.5, 0.3}},
    {"straight",
     2,
     3,
     HEAD(straight) "    const double r = p[0] * y[0] * y[1]; f[0] = -r + p[2] * t; f[1] = r - p[1] * p[1] * y[1];\n}\n",
     0.2,
     {0.7},
     {0.9, 0.2, -0.5}},
    {"two_loops",
     6,
     3, /* the second loop takes what the first one made */
     HEAD(two_loops) "    double a[6];\n"
                     "    for (int i = 0; i < 6; i++) a[i] = p[0] * y[i] * y[i];\n"
                     "    for (int i = 0; i < 6; i++) f[i] = a[i] * a[5 - i] * p[1] + p[2];\n"
                     "}\n",
     0,
     {0.7},
     {0.9, 0.2, -0.5}},
    {"plate",
     24,
     5, /* in pieces, several iterations side by side, and a rest */
     HEAD(plate) "    const double through = p[0] * 3;\n"
                 "    for (int i = 0; i < 24; i++) {\n"
                 "        double in = i > 0 ? through * (y[i - 1] - y[i]) : p[2], out = i < 23 ? through * (y[i] - y[i + 1]) : "
                 "p[3] * (y[i] - p[4]);\n"
                 "        f[i] = (in - out) / p[1];\n"
                 "    }\n"
                 "}\n",
     0,
     {0.7},
     {0.9, 1.2, -0.5, 0.3, 0.1}},
    {"carried",
     4,
     3,
     HEAD(carried) "    double x = p[0]; for (int i = 0; i < 4; i++) { x = x * y[i] + p[1] * x * x; f[i] = x * p[2]; }\n}\n",
     0,
     {0.7},
     {0.9, 0.2, -0.5}},
};

static void points(void **state)
{
    (void)state;
    const int cases = (int)(sizeof pointwise / sizeof *pointwise);
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    const char *text = ad_emit_cases(m, pointwise, cases, AD_FIRST);
    assert_non_null(text);
    void *handle = ad_load(text, AD_WARNINGS "-O0");
    assert_non_null(handle);
    static const int lanes[] = {1, 3, 4, 8};
    for (int i = 0; i < cases; i++)
        for (size_t w = 0; w < sizeof lanes / sizeof *lanes; w++)
            check_points(m, &pointwise[i], ad_table(handle, pointwise[i].name), lanes[w]);
    dlclose(handle);
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trapped), cmocka_unit_test(fused), cmocka_unit_test(taped),
                                       cmocka_unit_test(points)};
    if (setjmp(ad_no_memory)) return 1;
    ad_folder_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ad_folder_close();
    return failed;
}
