/* Every construct of the language through every product: against differences of the same text, lane by lane. */
#include "ad_products.h"

#define HEAD(name) "void " #name "(double t, const double *y, const double *p, double *f) {\n"

static const ad_case cases[] = {
    {"overwritten", 3, 2,
     HEAD(overwritten)
     "    double x = y[0];\n"
     "    x = x * x + p[0] * y[1];\n"
     "    x *= sin(x) + t;\n"
     "    double z = x;\n"
     "    x = 2;\n"
     "    z += x * y[2];\n"
     "    f[0] = z; f[1] = x * p[1]; f[2] = z * z / (2 + y[1] * y[1]);\n"
     "}\n",
     0.4, {0.7, -0.3, 1.1}, {0.9, 0.2}},
    {"loops", 6, 6,
     HEAD(loops)
     "    for (int i = 0; i < 6; i++) {\n"
     "        double s = p[i];\n"
     "        for (int j = 0; j < 6; j++) s += 0.1 * (i + 2 * j) * y[j] * y[(i + j) % 6];\n"
     "        f[i] = s * y[i];\n"
     "    }\n"
     "}\n",
     0, {0.7, -0.3, 1.1, 0.4, 0.2, -0.8}, {0.9, 0.2, 0.5, -0.1, 0.3, 1.0}},
    {"downwards", 5, 1,
     HEAD(downwards)
     "    double c = p[0];\n"
     "    for (int i = 4; i >= 0; i -= 1) { c = c * y[i] + t; f[i] = c; }\n"
     "    for (int i = 0; i < 5; i += 2) f[i] += y[4 - i] * c;\n"
     "}\n",
     0.3, {0.7, -0.3, 1.1, 0.4, 0.9}, {0.8}},
    {"branches", 4, 2,
     HEAD(branches)
     "    double s = 0;\n"
     "    for (int i = 0; i < 4; i++) {\n"
     "        if (y[i] > 0.5) s += y[i] * y[i] * p[0];\n"
     "        else if (i % 2 == 0) s -= sin(y[i]) * p[1];\n"
     "        else s = s * 0.5;\n"
     "        f[i] = i > 0 ? y[i - 1] * s : exp(s * t);\n"
     "    }\n"
     "}\n",
     0.6, {0.7, -0.3, 1.1, 0.4}, {0.9, 0.2}},
    {"arrays", 4, 2,
     HEAD(arrays)
     "    double a[4], b[2][4];\n"
     "    for (int i = 0; i < 4; i++) { a[i] = y[i] * p[0]; b[0][i] = a[i] * a[i]; b[1][i] = 1 / (2 + y[i]); }\n"
     "    for (int i = 1; i < 4; i++) a[i] = a[i - 1] * a[i] + b[1][i];\n"
     "    for (int i = 0; i < 4; i++) f[i] = a[i] + b[0][3 - i] * b[1][i] * p[1];\n"
     "}\n",
     0, {0.7, -0.3, 1.1, 0.4}, {0.9, 0.2}},
    {"read_back", 4, 1,
     HEAD(read_back)
     "    f[0] = y[0] * y[1];\n"
     "    f[1] = f[0] * y[2];\n"
     "    f[0] = f[1] + p[0] * y[3];\n"
     "    f[2] = 0;\n"
     "    f[2] += f[0] * f[1];\n"
     "    f[3] = y[3] * t;\n"
     "    f[3] *= f[2];\n"
     "}\n",
     0.3, {0.7, -0.3, 1.1, 0.4}, {0.9}},
    {"integers", 4, 4,
     HEAD(integers)
     "    static const int order[4] = {2, 0, 3, 1};\n"
     "    static const double weight[2][2] = {{0.5, 1.5}, {2.5, -0.5}};\n"
     "    int k = 1;\n"
     "    for (int i = 0; i < 4; i++) {\n"
     "        k = (3 * k + i) % 4;\n"
     "        const double scale = (double)(k + 1) / 3;\n"
     "        f[i] = scale * y[order[i]] * y[k] * p[i] + weight[i / 2][i % 2] * i;\n"
     "    }\n"
     "}\n",
     0, {0.7, -0.3, 1.1, 0.4}, {0.9, 0.2, 0.6, -0.4}},
    {"early", 3, 1,
     HEAD(early)
     "    f[0] = f[1] = f[2] = 0;\n"
     "    double s = p[0];\n"
     "    for (int i = 0; i < 3; i++) {\n"
     "        if (i == 1) continue;\n"
     "        s += y[i] * y[i];\n"
     "        if (s > 100) break;\n"
     "        f[i] = s * y[(i + 1) % 3];\n"
     "    }\n"
     "    if (s < 0) return;\n"
     "    f[1] = s * t;\n"
     "}\n",
     0.8, {0.7, -0.3, 1.1}, {0.9}},
    {"helpers", 3, 2,
     "static double rate(double k, double x) { return x > 0 ? k * x * sqrt(x) : 0; }\n"
     "static void add(double *to, const double *from, double c, int n) { for (int i = 0; i < n; i++) to[i] += c * from[i]; }\n"
     HEAD(helpers)
     "    for (int i = 0; i < 3; i++) f[i] = rate(p[0], y[i]);\n"
     "    add(f, y, p[1] * f[0], 3);\n"
     "}\n",
     0, {0.7, 0.3, 1.1}, {0.9, 0.2}},
    {"nothing", 2, 2, HEAD(nothing) "    f[0] = 3; f[1] = -1;\n}\n", 0, {1, 2}, {3, 4}},
    {"time_only", 2, 1, HEAD(time_only) "    f[0] = sin(t); f[1] = t * t * t;\n}\n", 0.7, {1, 2}, {3}},
    {"linear", 3, 0, HEAD(linear) "    f[0] = y[1]; f[1] = -y[0] + 2 * y[2]; f[2] = (y[0] - y[1]) / 3;\n}\n", 0, {1, 2, 3}, {0}},
    {"own_names", 3, 2,
     "void own_names(double l_, const double *ydot, const double *work, double *mark) {\n"
     "    double ld = ydot[0] * work[0], blocks = ld * ydot[1], lanes = blocks + l_, zeros = 0, s_d = ydot[2], s = s_d * s_d;\n"
     "    mark[0] = ld + blocks * lanes; mark[1] = zeros + s; mark[2] = s * s_d * work[1];\n"
     "}\n",
     0.2, {0.7, -0.3, 1.1}, {0.9, 0.4}},
    {"choices", 4, 2,
     HEAD(choices)
     "    const double a = y[0] < y[1] ? y[0] * p[0] : y[1] / p[1];\n"
     "    const double b = p[0] > 0 ? (y[2] > 0 ? y[2] : -y[2]) : 1 / y[3];\n"
     "    f[0] = a * b; f[1] = (t > 0 ? a : b) * y[3]; f[2] = fmax(a, b) * fmin(y[0], 2.0); f[3] = fabs(y[1]) * hypot(a, b);\n"
     "}\n",
     0.4, {0.7, -0.3, 1.1, 0.4}, {0.9, 0.2}},
    {"large_local", 3, 1,
     HEAD(large_local)
     "    double a[9000];\n"
     "    for (int i = 0; i < 9000; i++) a[i] = y[i % 3] * (i % 7);\n"
     "    for (int k = 0; k < 3; k++) {\n"
     "        double b[5000];\n"
     "        for (int i = 0; i < 5000; i++) b[i] = a[i] * a[8999 - i] * p[0];\n"
     "        f[k] = b[k] + b[4999 - k] * y[k];\n"
     "    }\n"
     "}\n",
     0, {0.07, -0.03, 0.11}, {0.9}},
};

static void constructs(void **state)
{
    (void)state;
    ad_check_cases(cases, (int)(sizeof cases / sizeof *cases), 0, AD_WARNINGS "-O0");
}

/* A body long enough to be cut into parts: a chain of reactions with values that live across the cuts, and a branch. */
static void long_body(void **state)
{
    (void)state;
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    ad_out o = {.m = m};
    ad_puts(&o, "void chain(double t, const double *y, const double *p, double *f) {\n    double first = y[0] * p[0] + t;\n");
    for (int i = 0; i < 12; i++) ad_put(&o, "    f[%d] = 0;\n", i);
    for (int i = 0; i < 160; i++) {
        const int a = i % 12, b = (5 * i + 3) % 12;
        ad_put(&o, "    const double r%d = p[%d] * y[%d] * y[%d];\n    f[%d] -= r%d;\n    f[%d] += 0.5 * r%d;\n", i, i % 5, a, b,
               a, i, b, i);
    }
    ad_puts(&o, "    if (first > 0) f[3] += first * r7;\n    else f[4] -= first * r90;\n    f[11] += first * r3 * r150;\n}\n");
    const ad_case c = {"chain",
                       12,
                       5,
                       ad_out_text(&o),
                       0.1,
                       {0.7, -0.3, 1.1, 0.4, 0.5, 0.2, 0.8, -0.6, 0.7, -0.3, 1.1, 0.4},
                       {0.9, 0.2, -0.4, 0.3, 0.6}};
    ad_check_cases(&c, 1, 200, AD_WARNINGS "-O0");
    ad_arena_close(m);
}

/* The version that looks for NaN says where the first one comes from, and stops. */
static void not_a_number(void **state)
{
    (void)state;
    const ad_case c = {"root", 2, 2, HEAD(root)
                       "    double a = y[0] + 1;\n    a = sqrt(a);\n    f[0] = a;\n    f[1] = 0;\n"
                       "    for (int i = 0; i < 2; i++) f[1] += a * y[1] * p[i] / 2;\n}\n", 0, {3, 2}, {1, 1}};
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    void *emitted = ad_load(ad_emit_with(m, &c, 1, &(ad_generate_options){.products = AD_FIRST | AD_SECOND, .nan_check = 1}),
                            AD_WARNINGS "-O1");
    assert_non_null(emitted);
    const costate_problem *g = ad_table(emitted, c.name);
    double f[2], bad[2] = {-3, 2}, u[2] = {1, 1}, yb[2] = {0, 0};
    assert_int_equal(g->rhs(0, c.y, c.p, f, NULL), 0);
    assert_true(f[0] == 2 && f[1] == 4);
    char said[200] = "", path[300];
    snprintf(path, sizeof path, "%s/said", ad_folder);
    fflush(stderr);
    const int kept = dup(2);
    FILE *to = fopen(path, "w+");
    assert_non_null(to);
    dup2(fileno(to), 2);
    const int status = g->rhs(0, bad, c.p, f, NULL);
    const int again = g->vjp(0, bad, c.p, 1, u, yb, NULL, NULL);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    rewind(to);
    const size_t length = fread(said, 1, sizeof said - 1, to);
    said[length] = 0;
    fclose(to);
    unlink(path);
    assert_int_equal(status, -1);
    assert_int_equal(again, -1);
    assert_string_equal(said, "root:3: a is not a number\n");
    dlclose(emitted);
    ad_arena_close(m);
}

/* The same text twice: nothing depends on addresses or on the time of day. */
static void repeatable(void **state)
{
    (void)state;
    char *text[2];
    for (int i = 0; i < 2; i++) {
        ad_arena *m = ad_arena_open(&ad_no_memory, 0);
        text[i] = strdup(ad_emit_cases(m, cases, 5, AD_FIRST | AD_SECOND));
        ad_arena_close(m);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constructs), cmocka_unit_test(long_body), cmocka_unit_test(not_a_number),
                                       cmocka_unit_test(repeatable)};
    if (setjmp(ad_no_memory)) return 1;
    ad_folder_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ad_folder_close();
    return failed;
}
