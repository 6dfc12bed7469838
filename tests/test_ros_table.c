/* test_ros_table.c - Rosenbrock tables: the order conditions of the library's own, and what tableau_check refuses of a user's. */
#include "tableau/tableau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 6 }; /* stages of the largest table */

static const double roundoff = 2e-15; /* of sums of products of coefficients, up to 34 in size */
static const double visible = 1e-3;   /* conditions that do not hold are missed by more; the closest is rodas4's, 4e-3 */

/* Conditions of Solving ODEs II, IV.7, Table 7.1, written out for weights b and the matrices alpha and beta = alpha + gamma;
 * the trees that tableau_order_defect makes must agree. */
static double written_out(const costate_table *t, const double *m, int order)
{
    int s = t->stages;
    double alpha[MOST * MOST], beta[MOST * MOST], b[MOST], worst = 0;
    double a1[MOST] = {0}, b1[MOST] = {0}, b2[MOST] = {0}, b3[MOST] = {0}, ba2[MOST] = {0}, ab1[MOST] = {0}, left[8] = {0};
    static const double right[8] = {1, 1.0 / 2, 1.0 / 3, 1.0 / 6, 1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 24};
    static const int of_order[8] = {1, 2, 3, 3, 4, 4, 4, 4};
    tableau_ros_standard(t, alpha, beta);
    tableau_ros_row(t, m, b);
    for (int i = 0; i < s * s; i++) beta[i] += alpha[i];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) a1[i] += alpha[i * s + j], b1[i] += beta[i * s + j];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            b2[i] += beta[i * s + j] * b1[j];
            ba2[i] += beta[i * s + j] * a1[j] * a1[j];
            ab1[i] += alpha[i * s + j] * b1[j];
        }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) b3[i] += beta[i * s + j] * b2[j];
    for (int i = 0; i < s; i++) {
        const double phi[8] = {1, b1[i], a1[i] * a1[i], b2[i], a1[i] * a1[i] * a1[i], a1[i] * ab1[i], ba2[i], b3[i]};
        for (int k = 0; k < 8; k++) left[k] += b[i] * phi[k];
    }
    for (int k = 0; k < 8 && of_order[k] <= order; k++) worst = fmax(worst, fabs(left[k] - right[k]));
    return worst;
}

static void test_conditions(void **unused)
{
    (void)unused;
    for (int i = 0; i < tableau_ros_count; i++) {
        const costate_table *t = &tableau_ros[i];
        double embedded[MOST];
        for (int k = 0; k < t->stages; k++) embedded[k] = t->b[k] - t->e[k];
        assert_true(tableau_order_defect(t, t->b, t->order) < roundoff);
        assert_true(tableau_order_defect(t, t->b, t->order + 1) > visible);
        assert_true(tableau_order_defect(t, embedded, t->embedded_order) < roundoff);
        assert_true(tableau_order_defect(t, embedded, t->embedded_order + 1) > visible);
        for (int q = 1; q <= 4; q++) {
            assert_true(fabs(tableau_order_defect(t, t->b, q) - written_out(t, t->b, q)) < roundoff);
            assert_true(fabs(tableau_order_defect(t, embedded, q) - written_out(t, embedded, q)) < roundoff);
        }
    }
}

/* A and b on the way back to the table's form: a Gamma and m Gamma were right if a = alpha Gamma^-1, g = I/gamma - Gamma^-1. */
static void test_standard_form(void **unused)
{
    (void)unused;
    for (int q = 0; q < tableau_ros_count; q++) {
        const costate_table *t = &tableau_ros[q];
        int s = t->stages;
        double alpha[MOST * MOST], gamma[MOST * MOST];
        tableau_ros_standard(t, alpha, gamma);
        for (int i = 0; i < s; i++) {
            double sum_alpha = 0, sum_gamma = 0;
            assert_true(gamma[i * s + i] == t->gamma[0] && alpha[i * s + i] == 0);
            for (int j = 0; j < s; j++) {
                double a = 0, unit = 0; /* alpha Gamma^-1 and Gamma Gamma^-1, Gamma^-1 = I/gamma_1 - g */
                for (int k = 0; k < s; k++) {
                    double inverse = (k == j ? 1 / t->gamma[0] : 0) - t->g[k * s + j];
                    a += alpha[i * s + k] * inverse;
                    unit += gamma[i * s + k] * inverse;
                }
                assert_true(fabs(a - t->a[i * s + j]) < 4e-13);
                assert_true(fabs(unit - (i == j)) < 4e-13);
                sum_alpha += alpha[i * s + j], sum_gamma += gamma[i * s + j];
            }
            assert_true(fabs(sum_alpha - t->alpha[i]) < 1e-14);
            assert_true(fabs(sum_gamma - t->gamma[i]) < 1e-14);
        }
    }
}

/* ---- the check ----------------------------------------------------------------------------------------------------------- */

typedef struct copy { /* of ros4, with room to change any number */
    double a[4][4], g[4][4], b[4], e[4], alpha[4], gamma[4];
    costate_table t;
} copy;

static costate_table *fresh(copy *c)
{
    const costate_table *t = costate_method_find("ros4");
    memcpy(c->a, t->a, sizeof c->a), memcpy(c->g, t->g, sizeof c->g);
    memcpy(c->b, t->b, sizeof c->b), memcpy(c->e, t->e, sizeof c->e);
    memcpy(c->alpha, t->alpha, sizeof c->alpha), memcpy(c->gamma, t->gamma, sizeof c->gamma);
    c->t = *t;
    c->t.a = c->a[0], c->t.g = c->g[0], c->t.b = c->b, c->t.e = c->e, c->t.alpha = c->alpha, c->t.gamma = c->gamma;
    return &c->t;
}

static void refused(const costate_table *t, const char *reason)
{
    char why[200] = "";
    assert_int_equal(tableau_check(t, why, sizeof why), COSTATE_ERR_TABLE);
    if (!strstr(why, reason)) fail_msg("\"%s\" does not say \"%s\"", why, reason);
    assert_int_equal(tableau_check(t, NULL, 0), COSTATE_ERR_TABLE);
}

static void test_own_tables_pass(void **unused)
{
    (void)unused;
    copy c;
    for (int i = 0; i < tableau_ros_count; i++) {
        char why[200] = "";
        assert_int_equal(tableau_check(&tableau_ros[i], why, sizeof why), 0);
        assert_string_equal(why, "");
    }
    assert_int_equal(tableau_check(fresh(&c), NULL, 0), 0);
    c.t.e = NULL, c.t.embedded_order = 0; /* no estimate, no embedded solution */
    assert_int_equal(tableau_check(&c.t, NULL, 0), 0);
}

static void test_bad_arrays_refused(void **unused)
{
    (void)unused;
    copy c;
    fresh(&c)->g = NULL;
    refused(&c.t, "g is NULL");
    fresh(&c)->alpha = NULL;
    refused(&c.t, "alpha is NULL");
    fresh(&c)->gamma = NULL;
    refused(&c.t, "gamma is NULL");
    fresh(&c), c.g[2][1] = NAN;
    refused(&c.t, "g[2][1] is not finite");
    fresh(&c), c.gamma[3] = INFINITY;
    refused(&c.t, "gamma[0][3] is not finite");
    fresh(&c), c.g[1][1] = 0.5;
    refused(&c.t, "g[1][1] = 0.5: a stage of a Rosenbrock method uses earlier ones only");
    fresh(&c), c.a[1][2] = 0.5;
    refused(&c.t, "a[1][2] = 0.5: a stage of a Rosenbrock method uses earlier ones only");
    fresh(&c), c.gamma[0] = 0;
    refused(&c.t, "gamma[0] is 0; W = I/(h gamma[0]) - f_y asks for a positive number");
    fresh(&c)->dense_rows = 1;
    refused(&c.t, "dense_rows is 1; a Rosenbrock method's dense output follows from its stages");
    fresh(&c)->stages = 64;
    refused(&c.t, "stages is 64");
}

static void test_bad_numbers_refused(void **unused)
{
    (void)unused;
    copy c;
    fresh(&c), c.alpha[2] += 1e-6; /* one wrong digit */
    refused(&c.t, "alpha[2] is 0.655217863816, but a, g and gamma[0] make it 0.655216863816");
    fresh(&c), c.gamma[3] += 1e-6;
    refused(&c.t, "gamma[3] is -0.10490110871, but g and gamma[0] make it -0.10490210871");
    fresh(&c), c.b[1] += 1e-6;
    refused(&c.t, "the solution is declared as of order 4, but the conditions of order 1 are violated by");
    fresh(&c), c.e[1] += 1e-6;
    refused(&c.t, "the embedded solution is declared as of order 3, but the conditions of order 1 are violated by");
    fresh(&c)->order = 5;
    refused(&c.t, "the solution is declared as of order 5, but the conditions of order 5 are violated by");
    fresh(&c)->embedded_order = 4;
    refused(&c.t, "the embedded solution is declared as of order 4, but the conditions of order 4 are violated by");
    fresh(&c), memset(c.e, 0, sizeof c.e);
    refused(&c.t, "e is zero");
    fresh(&c), c.a[2][0] += 1e-6, c.alpha[2] += 1e-6 * c.gamma[0]; /* stages 3 and 4 share a row of A; the row sums are right */
    c.a[3][0] += 1e-6, c.alpha[3] += 1e-6 * c.gamma[0];
    refused(&c.t, "the solution is declared as of order 4, but the conditions of order 2 are violated by");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),          cmocka_unit_test(test_standard_form),
        cmocka_unit_test(test_own_tables_pass),     cmocka_unit_test(test_bad_arrays_refused),
        cmocka_unit_test(test_bad_numbers_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
