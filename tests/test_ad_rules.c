/* Every rule of rules.def: all products against differences, smooth rules against the complex step to round-off, and the values
 * taken at kinks. */
#include "ad_products.h"

#include "tree/rules.h"

/* Where each rule is looked at; others at (0.3, 0.7). */
static const struct {
    const char *rule;
    double a, b;
} points[] = {{"acosh", 1.4, 0},  {"fmod", 2.3, 0.7}, {"fabs", -0.6, 0}, {"copysign", 0.8, -0.4},
              {"fdim", 1.7, 0.4}, {"fmax", 0.2, 0.9}, {"round", 1.2, 0}, {"atanh", 0.4, 0}};

static ad_case all_rules(ad_arena *m)
{
    ad_case c = {.name = "rules", .np = 2, .p = {1.3, 0.2}, .t = 0.5};
    ad_out o = {.m = m};
    ad_puts(&o, "void rules(double t, const double *y, const double *p, double *f) {\n");
    for (int rule = 0; rule < AD_RULES; rule++) {
        const char *name = ad_rule_name(rule);
        const int k = c.n;
        if (ad_rule_inner(rule)) continue;
        assert_true(k + 2 <= AD_CYCLE);
        c.y[k] = 0.3, c.y[k + 1] = 0.7;
        for (size_t i = 0; i < sizeof points / sizeof *points; i++)
            if (strcmp(points[i].rule, name) == 0) c.y[k] = points[i].a, c.y[k + 1] = points[i].b;
        const char *second = ad_rule_arity(rule) == 2 ? ad_text(m, ", y[%d]", k + 1) : "";
        ad_put(&o, "    f[%d] = %s(y[%d]%s);\n", k, name, k, second);
        ad_put(&o, "    f[%d] = p[0] * y[%d] * %s(y[%d] + p[1] * (t - 0.5)%s) - y[%d] / (1 + p[1]);\n", k + 1, k, name, k, second,
               k + 1);
        c.n += 2;
    }
    ad_puts(&o, "}\n");
    c.text = ad_out_text(&o);
    return c;
}

static void every_rule(void **state)
{
    (void)state;
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    const ad_case c = all_rules(m);
    ad_check_cases(&c, 1, 0, AD_WARNINGS "-O0");
    ad_arena_close(m);
}

/* ---- complex step ------------------------------------------------------------------------------------------------------ */

static const ad_case smooth[] = {
    {"elementary", 8, 3,
     "void elementary(double t, const double *y, const double *p, double *f) {\n"
     "    f[0] = exp(y[0] * p[0]) + log(y[1]) * t;\n"
     "    f[1] = sqrt(y[1]) / (1 + y[0]);\n"
     "    f[2] = sin(y[2]) * cos(y[3]) + tan(y[0]);\n"
     "    f[3] = asin(y[0]) + acos(y[3]) - atan(y[4]);\n"
     "    f[4] = sinh(y[4]) * cosh(y[5]) * tanh(y[6]);\n"
     "    f[5] = asinh(y[5]) + acosh(y[6]) + atanh(y[7]);\n"
     "    f[6] = pow(y[6], p[1]) + pow(y[1], 3) + pow(p[2], y[7]);\n"
     "    f[7] = pow(y[5], -1.0) - pow(y[4], 0.5) + pow(y[3], 2.5);\n"
     "}\n",
     0.7, {0.3, 0.9, 1.7, 0.4, 0.6, 0.8, 1.5, 0.2}, {1.1, 1.9, 0.6}},
};

typedef void complex_fn(double _Complex t, const double _Complex *y, const double _Complex *p, double _Complex *f);

static void complex_step(void **state)
{
    (void)state;
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    const ad_case *c = &smooth[0];
    void *emitted = ad_load(ad_emit_cases(m, smooth, 1, AD_FIRST), AD_WARNINGS "-O1"),
         *in_complex = ad_load(ad_text_with(m, smooth, 1, AD_COMPLEX), "-O1 -w");
    assert_non_null(emitted);
    assert_non_null(in_complex);
    const costate_problem *g = ad_table(emitted, c->name);
    complex_fn *f;
    *(void **)&f = dlsym(in_complex, c->name);
    const int n = c->n, np = c->np;
    const double h = 1e-150;
    double *jac = ad_zeros(m, n * n), fdot[8], should[8];
    assert_non_null(g->jac);
    assert_int_equal(g->jac(c->t, c->y, c->p, jac, NULL), 0);
    for (int j = 0; j < 1 + n + np; j++) {
        double _Complex t = c->t, y[8], p[8], r[8];
        double tdot = 0, ydot[8] = {0}, pdot[8] = {0};
        for (int i = 0; i < 8; i++) y[i] = c->y[i], p[i] = c->p[i];
        if (j == 0) tdot = 1, t += h * I;
        else if (j <= n) ydot[j - 1] = 1, y[j - 1] += h * I;
        else pdot[j - 1 - n] = 1, p[j - 1 - n] += h * I;
        f(t, y, p, r);
        for (int i = 0; i < n; i++) should[i] = cimag(r[i]) / h;
        assert_int_equal(g->jvp(c->t, c->y, c->p, 1, &tdot, ydot, pdot, fdot, NULL), 0);
        AD_NEAR(c->name, "jvp", ad_defect(n, fdot, should), 1e-14);
        if (j == 0 || j > n) continue;
        if (!g->pattern.colptr) {
            AD_NEAR(c->name, "jac", ad_defect(n, jac + n * (j - 1), should), 1e-14);
            continue;
        }
        double column[8] = {0};
        for (int k = g->pattern.colptr[j - 1]; k < g->pattern.colptr[j]; k++) column[g->pattern.rowind[k]] = jac[k];
        AD_NEAR(c->name, "jac", ad_defect(n, column, should), 1e-14);
    }
    dlclose(emitted);
    dlclose(in_complex);
    ad_arena_close(m);
}

/* ---- kinks and powers at the edge -------------------------------------------------------------------------------------- */

/* d f[0] / d y[0] and / d y[1] at a point, and which of rules.def's conventions it shows. */
static const struct {
    const char *expression;
    double y[2], by[2];
} edges[] = {
    {"fabs(y[0])", {0.0, 0}, {1, 0}},
    {"fabs(y[0])", {-0.0, 0}, {-1, 0}},
    {"fmin(y[0], y[1])", {2, 2}, {1, 0}},
    {"fmax(y[0], y[1])", {2, 2}, {1, 0}},
    {"fdim(y[0], y[1])", {2, 2}, {0, 0}},
    {"floor(y[0]) * y[1]", {2.5, 3}, {0, 2}},
    {"pow(y[0], 0)", {0, 0}, {0, 0}},
    {"pow(y[0], 1)", {0, 0}, {1, 0}},
    {"pow(y[0], 2)", {0, 0}, {0, 0}},
    {"pow(y[0], 2.0)", {-3, 0}, {-6, 0}},
    {"pow(y[0], 3)", {-2, 0}, {12, 0}},
    {"pow(y[0], -1)", {-2, 0}, {-0.25, 0}},
    {"pow(y[0], 0.5)", {4, 0}, {0.25, 0}},
    {"pow(y[0], y[1])", {0, 2}, {0, 0}},
    {"pow(y[0], y[1])", {0, 1}, {1, 0}},
    {"pow(y[0], y[1])", {0, 0}, {0, -INFINITY}},
    {"pow(y[0], (int)p[0])", {-2, 0}, {12, 0}},
    {"sqrt(y[0] * 0.0 + y[1])", {1, 4}, {0, 0.25}},
    {"y[0] > 1 ? y[0] * y[1] : y[1]", {1, 5}, {0, 1}},
    {"y[0] >= 1 ? y[0] * y[1] : y[1]", {1, 5}, {5, 1}},
    {"y[0] > 0 ? log(y[0]) : y[1]", {0, 5}, {0, 1}},
    {"y[0] / 4 + 1 / y[1]", {1, 2}, {0.25, -0.25}},
    {"3 * (y[0] - -y[1]) / -2.0", {1, 2}, {-1.5, -1.5}},
};
enum { EDGES = sizeof edges / sizeof *edges };

static void at_the_edge(void **state)
{
    (void)state;
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    ad_case cases[EDGES] = {0};
    for (int i = 0; i < EDGES; i++) {
        cases[i] = (ad_case){.name = ad_text(m, "edge_%d", i), .n = 2, .np = 1};
        cases[i].text =
            ad_text(m, "void edge_%d(double t, const double *y, const double *p, double *f) { f[0] = %s; f[1] = t; }\n", i,
                    edges[i].expression);
    }
    void *emitted = ad_load(ad_emit_cases(m, cases, EDGES, AD_FIRST), AD_WARNINGS "-O0");
    assert_non_null(emitted);
    for (int i = 0; i < EDGES; i++) {
        const costate_problem *g = ad_table(emitted, cases[i].name);
        const double p[1] = {3}, ydot[2][2] = {{1, 0}, {0, 1}}, u[2] = {1, 0};
        double yb[2] = {0, 0}, fdot[2];
        assert_int_equal(g->vjp(0, edges[i].y, p, 1, u, yb, NULL, NULL), 0);
        for (int j = 0; j < 2; j++) {
            assert_int_equal(g->jvp(0, edges[i].y, p, 1, NULL, ydot[j], NULL, fdot, NULL), 0);
            const double by = edges[i].by[j];
            AD_NEAR(edges[i].expression, "jvp", fdot[0] == by ? 0 : fabs(fdot[0] - by), 1e-15);
            AD_NEAR(edges[i].expression, "vjp", yb[j] == by ? 0 : fabs(yb[j] - by), 1e-15);
        }
    }
    dlclose(emitted);
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule), cmocka_unit_test(complex_step),
                                       cmocka_unit_test(at_the_edge)};
    if (setjmp(ad_no_memory)) return 1;
    ad_folder_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ad_folder_close();
    return failed;
}
