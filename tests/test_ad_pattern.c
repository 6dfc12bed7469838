/* Patterns: exactly what was derived by hand where the control flow is sure, never less than the nonzeros elsewhere; and
 * Jacobians entry by entry. */
#include "ad_products.h"

#include <malloc.h>

#define HEAD(name) "void " #name "(double t, const double *y, const double *p, double *f) {\n"

/* rows: for each output the states and parameters it depends on, as "0 1 p0|1 2|"; NULL: only the nonzeros are looked at. */
static const struct {
    ad_case c;
    const char *rows;
} cases[] = {
    {{"plain", 3, 2, HEAD(plain) "    f[0] = y[1] * p[1]; f[1] = t; f[2] = y[0] + 2 * y[2] * y[2];\n}\n", 0, {1, 2, 3}, {4, 5}},
     "1 p1||0 2|"},
    {{"periodic",
      5,
      1,
      HEAD(periodic) "    for (int i = 0; i < 5; i++) f[i] = p[0] * (y[(i + 4) % 5] - 2 * y[i] + y[(i + 1) % 5]);\n}\n",
      0,
      {1, 2, 3, 4, 5},
      {6}},
     "0 1 4 p0|0 1 2 p0|1 2 3 p0|2 3 4 p0|0 3 4 p0|"},
    {{"both",
      3,
      1,
      HEAD(both) "    f[0] = y[0] > 0 ? y[1] : y[2];\n"
                 "    if (p[0] > 0) f[1] = y[0]; else f[1] = y[2];\n"
                 "    double a = y[0];\n"
                 "    if (t > 1) a = y[1];\n"
                 "    f[2] = a;\n"
                 "}\n",
      0,
      {1, 2, 3},
      {1}},
     "1 2|0 2|0 1|"},
    {{"sure",
      4,
      0,
      HEAD(sure) "    static const int from[4] = {3, 0, 2, 1};\n"
                 "    for (int i = 0; i < 4; i++) {\n"
                 "        const double c = 0.5 * i;\n"
                 "        if (c > 0.7) f[i] = y[from[i]];\n"
                 "        else f[i] = i > 0 ? y[i - 1] * c : c;\n"
                 "    }\n"
                 "}\n",
      0,
      {1, 2, 3, 4},
      {0}},
     "|0|2|1|"},
    {{"unasked",
      3,
      0,
      HEAD(unasked) "    for (int i = 0; i < 3; i++) {\n"
                    "        f[i] = y[i];\n"
                    "        if (y[0] > 0 && i > 0) f[i] += y[i - 1];\n"
                    "    }\n"
                    "}\n",
      0,
      {1, 2, 3},
      {0}},
     "0|0 1|1 2|"},
    {{"any",
      3,
      0,
      HEAD(any) "    int k = (int)y[0];\n    f[0] = y[k]; f[1] = y[1]; f[2] = floor(y[2]) * y[1];\n}\n",
      0,
      {1.5, 2, 3},
      {0}},
     "0 1 2|1|1|"},
    {{"stopped",
      3,
      0,
      HEAD(stopped) "    double s = 0;\n"
                    "    for (int i = 0; i < 3; i++) f[i] = 0;\n"
                    "    for (int i = 0; i < 3; i++) {\n"
                    "        s += y[i];\n"
                    "        if (s > 1) break;\n"
                    "        f[i] = s;\n"
                    "    }\n"
                    "}\n",
      0,
      {0.2, 0.3, 3},
      {0}},
     "0|0 1|0 1 2|"},
    {{"returned",
      3,
      1,
      HEAD(returned) "    for (int i = 0; i < 3; i++) f[i] = 0;\n"
                     "    for (int i = 0; i < 3; i++) {\n"
                     "        if (!(y[i] > 0)) return;\n"
                     "        const int k = (i + 1) % 3;\n"
                     "        double s = y[0];\n"
                     "        s = p[0] * y[k];\n"
                     "        f[i] = s;\n"
                     "    }\n"
                     "}\n",
      0,
      {1, 2, 3},
      {1}},
     "1 p0|2 p0|0 p0|"},
    {{"unknown_bound",
      2,
      0,
      HEAD(unknown_bound) "    f[0] = 0; f[1] = y[1];\n    for (int i = 0; i < (int)y[0]; i++) f[0] += y[1];\n}\n",
      0,
      {2.5, 2},
      {0}},
     NULL},
    {{"temporaries",
      4,
      1,
      HEAD(temporaries) "    for (int i = 0; i < 4; i++) {\n"
                        "        double a[3];\n"
                        "        for (int k = 0; k < 3; k++) a[k] = y[(i + k) % 4];\n"
                        "        double s = a[0];\n"
                        "        s = s * a[2];\n"
                        "        a[1] = 0;\n"
                        "        f[i] = s + a[1];\n"
                        "    }\n"
                        "}\n",
      0,
      {1, 2, 3, 4},
      {1}},
     "0 2|1 3|0 2|1 3|"},
};
enum { CASES = sizeof cases / sizeof *cases };

static char *rows_as_text(ad_arena *m, const costate_pattern_sink *sink)
{
    ad_out o = {.m = m};
    ad_puts(&o, "");
    for (int i = 0; i < sink->rows; i++) {
        for (int k = 0; k < sink->row[i].count; k++) {
            const int j = sink->row[i].item[k];
            ad_put(&o, "%s%s%d", k ? " " : "", j < sink->states ? "" : "p", j < sink->states ? j : j - sink->states);
        }
        ad_puts(&o, "|");
    }
    return o.text;
}

static void by_hand(void **state)
{
    (void)state;
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    ad_case plain[CASES];
    for (int i = 0; i < CASES; i++) plain[i] = cases[i].c;
    void *emitted = ad_load(ad_emit_cases(m, plain, CASES, AD_FIRST), AD_WARNINGS "-O1");
    assert_non_null(emitted);
    for (int i = 0; i < CASES; i++) {
        const ad_case *c = &plain[i];
        const costate_problem *g = ad_table(emitted, c->name);
        costate_pattern_sink sink = {
            .rows = c->n, .states = c->n, .params = 1, .row = ad_take(m, (size_t)c->n * sizeof(costate_index_set))};
        assert_int_equal(ad_generated(emitted, c->name)->pattern(c->t, c->y, c->p, &sink, NULL), 0);
        if (cases[i].rows) assert_string_equal(rows_as_text(m, &sink), cases[i].rows);
        double fdot[8], ydot[8];
        for (int j = 0; j < c->n; j++) {
            for (int k = 0; k < 8; k++) ydot[k] = k == j;
            assert_int_equal(g->jvp(c->t, c->y, c->p, 1, NULL, ydot, NULL, fdot, NULL), 0);
            for (int k = 0; k < c->n; k++) {
                const int at = costate_set_place(&sink.row[k], j);
                if (fdot[k] != 0) assert_true(at < sink.row[k].count && sink.row[k].item[at] == j);
            }
        }
        for (int k = 0; k < c->n; k++) costate_set_free(&sink.row[k]);
    }
    dlclose(emitted);
    ad_arena_close(m);
}

/* A grid of 1000 x 1000: five entries a row, and no more memory than a few integers for each. */
static void large(void **state)
{
    (void)state;
    enum { N = 1000 * 1000 };
    const ad_case c = {.name = "grid", .n = N, .np = 1,
                       .text = HEAD(grid)
                       "    for (int j = 0; j < 1000; j++)\n"
                       "        for (int i = 0; i < 1000; i++) {\n"
                       "            const int k = 1000 * j + i, l = 1000 * j + (i + 999) % 1000, r = 1000 * j + (i + 1) % 1000;\n"
                       "            const int d = 1000 * ((j + 999) % 1000) + i, u = 1000 * ((j + 1) % 1000) + i;\n"
                       "            f[k] = p[0] * (y[l] + y[r] + y[d] + y[u] - 4 * y[k]);\n"
                       "        }\n"
                       "}\n"};
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    void *emitted = ad_load(ad_emit_cases(m, &c, 1, AD_FIRST), AD_WARNINGS "-O1");
    assert_non_null(emitted);
    const costate_generated *g = ad_generated(emitted, c.name);
    costate_pattern_sink sink = {.rows = N, .states = N, .row = calloc(N, sizeof *sink.row)};
    assert_non_null(sink.row);
    assert_int_equal(g->pattern(0, NULL, NULL, &sink, NULL), 0);
    size_t entries = 0, bytes = N * sizeof *sink.row;
    for (int i = 0; i < N; i++) {
        entries += (size_t)sink.row[i].count;
        bytes += malloc_usable_size(sink.row[i].item) + sizeof(size_t);
        costate_set_free(&sink.row[i]);
    }
    assert_int_equal(entries, 5 * (size_t)N);
    assert_true(bytes < 4 * entries * sizeof(int));
    free(sink.row);
    dlclose(emitted);
    ad_arena_close(m);
}

/* ---- Jacobians --------------------------------------------------------------------------------------------------------- */

static const ad_case straight[] = {
    {"dense",
     3,
     2,
     HEAD(dense) "    const double r = p[0] * y[0] * y[1];\n    f[0] = -r; f[1] = r - p[1] * y[1] * y[2]; f[2] = exp(y[2]) * "
                 "r;\n}\n",
     0,
     {0.7, 0.4, 1.1},
     {0.9, 0.3}},
    {"branched",
     4,
     1,
     HEAD(branched) "    double a = y[0] * y[1], b = 0;\n"
                    "    f[3] = 0;\n"
                    "    if (y[2] > 0) { a = a * y[2]; b = y[3]; f[3] += a; }\n"
                    "    else { b = y[0]; if (y[3] > 0) f[3] = b * b; }\n"
                    "    f[0] = a * b; f[1] = b > 0 ? sqrt(b) * y[1] : y[2]; f[2] = fmax(a, b) * p[0];\n"
                    "}\n",
     0,
     {0.7, 0.4, 1.1, 0.6},
     {0.9}},
    {"read_again",
     3,
     1,
     HEAD(read_again) "    f[0] = y[0] * y[1];\n    f[1] = f[0] * y[2];\n    f[0] = p[0] * f[1] + y[0];\n    f[2] = f[0] * "
                      "f[1];\n}\n",
     0,
     {0.7, 0.4, 1.1},
     {0.9}},
    {"sparse",
     12,
     2,
     HEAD(sparse) "    double w[3];\n"
                  "    w[0] = y[0] * p[0]; w[1] = w[0] * y[5]; w[2] = sin(w[1]) / y[11];\n"
                  "    f[0] = w[0]; f[1] = w[1] - y[1]; f[2] = w[2]; f[3] = y[4]; f[4] = y[3]; f[5] = t; f[6] = y[6] * y[6] * "
                  "p[1];\n"
                  "    f[7] = -y[7]; f[8] = y[9] * y[10]; f[9] = 0; f[9] += w[2] * y[2]; f[10] = 3; f[11] = y[11] - y[0];\n"
                  "}\n",
     0.2,
     {0.7, 0.4, 1.1, 0.6, -0.2, 0.3, 0.8, 1.2, 0.7, 0.4, 1.1, 0.6},
     {0.9, 0.5}},
    {"constant", 2, 0, HEAD(constant) "    f[0] = 1; f[1] = t;\n}\n", 0, {1, 2}, {0}},
};
enum { STRAIGHT = sizeof straight / sizeof *straight };

static void entry_by_entry(void **state)
{
    (void)state;
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    void *emitted = ad_load(ad_emit_cases(m, straight, STRAIGHT, AD_FIRST), AD_WARNINGS "-O1");
    assert_non_null(emitted);
    unsigned long long seed = 7;
    for (int i = 0; i < STRAIGHT; i++)
        for (int trial = 0; trial < 8; trial++) { /* of either sign, so that all branches are met */
            const ad_case *c = &straight[i];
            const costate_problem *g = ad_table(emitted, c->name);
            const int n = c->n;
            const double *y = trial ? ad_randoms(m, n, &seed) : ad_point(m, c->y, n);
            assert_non_null(g->jac);
            const costate_pattern *pattern = &g->pattern;
            double *jac = ad_filled(m, n * n, NAN), *column = ad_zeros(m, n), *ydot = ad_zeros(m, n), *should = ad_zeros(m, n);
            assert_int_equal(g->jac(c->t, y, c->p, jac, NULL), 0);
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < n; k++) ydot[k] = k == j, column[k] = pattern->colptr ? 0 : jac[k + n * j];
                for (int k = pattern->colptr ? pattern->colptr[j] : 0; pattern->colptr && k < pattern->colptr[j + 1]; k++) {
                    if (k > pattern->colptr[j]) assert_true(pattern->rowind[k] > pattern->rowind[k - 1]);
                    column[pattern->rowind[k]] = jac[k];
                }
                assert_int_equal(g->jvp(c->t, y, c->p, 1, NULL, ydot, NULL, should, NULL), 0);
                AD_NEAR(c->name, "jac", ad_defect(n, column, should), 1e-14);
            }
        }
    assert_int_equal(ad_table(emitted, "sparse")->pattern.format, COSTATE_CSC);
    assert_null(ad_table(emitted, "dense")->pattern.colptr);
    dlclose(emitted);
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(large), cmocka_unit_test(entry_by_entry)};
    if (setjmp(ad_no_memory)) return 1;
    ad_folder_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ad_folder_close();
    return failed;
}
