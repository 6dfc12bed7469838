/* test_tableau.c - the tables of coefficients: order conditions over all rooted trees, observed orders of steps, of embedded
 * solutions and of dense output on a nonlinear non-autonomous system, and what tableau_check refuses. */
#include "methods.h"
#include "tableau/tableau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MAX = 16 }; /* stages of the largest table, dense output included */

/* Round-off of the largest table: sums of products of coefficients up to 43. */
static const double roundoff = 5e-13;
/* Conditions that do not hold are missed by more than this; the closest is dopri5's, 2.8e-4. */
static const double visible = 1e-5;

static void embedded_weights(const costate_table *t, double *b)
{
    for (int i = 0; i < t->stages; i++) b[i] = t->b[i] - t->e[i];
}

/* ---- order conditions -------------------------------------------------------------------------------------------------- */

static void counts_of_trees(void **state)
{
    (void)state;
    static const int known[] = {1, 1, 2, 4, 9, 20, 48, 115}; /* OEIS A000081 */
    for (int q = 1; q <= TABLEAU_ORDER; q++) assert_int_equal(tableau_trees(q), known[q - 1]);
}

/* Order 9 is beyond the trees made; two of its trees are simple: the bush, sum b c^8 = 1/9, and the path, b A^8 1 = 1/9!. */
static double defect_of_order_9(const costate_table *t)
{
    int s = t->stages;
    double c[MAX] = {0}, x[MAX], bush = 0, path = 0, factorial = 1;
    for (int i = 0; i < s; i++) {
        x[i] = 1;
        for (int j = 0; j < s; j++) c[i] += t->a[i * s + j];
    }
    for (int q = 2; q <= 9; q++) {
        double ax[MAX] = {0};
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) ax[i] += t->a[i * s + j] * x[j];
        memcpy(x, ax, sizeof x);
        factorial *= q;
    }
    for (int i = 0; i < s; i++) {
        bush += t->b[i] * pow(c[i], 8);
        path += t->b[i] * x[i];
    }
    return fmax(fabs(bush - 1.0 / 9), fabs(path - 1 / factorial));
}

static void order_conditions(void **state)
{
    (void)state;
    for (int m = 0; m < explicit_methods(); m++) {
        const costate_table *t = costate_method(m);
        double embedded[MAX];
        embedded_weights(t, embedded);
        assert_true(tableau_order_defect(t, t->b, t->order) < roundoff);
        assert_true(tableau_order_defect(t, embedded, t->embedded_order) < roundoff);
        assert_true(tableau_order_defect(t, embedded, t->embedded_order + 1) > visible);
        if (t->order < TABLEAU_ORDER) assert_true(tableau_order_defect(t, t->b, t->order + 1) > visible);
        else assert_true(defect_of_order_9(t) > 1e-7);
    }
}

static void row_sums(void **state)
{
    (void)state;
    const double r6 = sqrt(6);
    const struct {
        const char *name;
        double c[12];
    } known[] = {
        {"rk23", {0, 1, 0.5}},
        {"rk32", {0, 1.0 / 3, 2.0 / 3, 1}},
        {"rk43", {0, 1.0 / 3, 2.0 / 3, 1, 1}},
        {"dopri5", {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1}},
        {"cashkarp", {0, 0.2, 0.3, 0.6, 1, 7.0 / 8}},
        {"verner65", {0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1, 1.0 / 15, 1}},
        {"dopri853",
         {0, (12 - 2 * r6) / 135, (6 - r6) / 45, (6 - r6) / 30, (6 + r6) / 30, 1.0 / 3, 0.25, 4.0 / 13, 127.0 / 195, 0.6, 6.0 / 7,
          1}},
    };
    assert_int_equal(explicit_methods(), sizeof known / sizeof *known);
    for (int m = 0; m < explicit_methods(); m++) {
        const costate_table *t = costate_method_find(known[m].name);
        assert_non_null(t);
        for (int i = 0; i < t->stages; i++) {
            double sum = 0;
            for (int j = 0; j < t->stages; j++) sum += t->a[i * t->stages + j];
            assert_true(fabs(sum - known[m].c[i]) < 1e-14);
        }
    }
}

/* ---- dense output ------------------------------------------------------------------------------------------------------ */

/* The continuous extension as weights: y(t + theta h) = y + h sum_i b_i(theta) k_i, i over all columns of dense_d. */
static void dense_weights(const costate_table *t, double theta, double *w)
{
    int s = t->stages, columns = s + 1 + t->dense_stages;
    double r = 1 - theta, P = theta * theta * r * r;
    for (int i = 0; i < columns; i++) w[i] = i < s ? t->b[i] * theta * theta * (3 - 2 * theta) : 0;
    w[0] += theta * r * r; /* H: k_1 = f(t, y), for every explicit method begins there */
    w[s] -= theta * theta * r;
    for (int m = 0; m < t->dense_rows; m++) {
        for (int i = 0; i < columns; i++) w[i] += P * t->dense_d[m * columns + i];
        P *= m % 2 ? r : theta;
    }
}

/* The table with all stages of the dense output, A / theta: with the weights b(theta) / theta its conditions are those of
 * sum_i b_i(theta) Phi_i(tau) = theta^|tau| / gamma(tau). */
static costate_table extended(const costate_table *t, double theta, double *a)
{
    int s = t->stages, columns = s + 1 + t->dense_stages;
    for (int i = 0; i < columns; i++) {
        for (int j = 0; j < columns; j++) {
            const double *row = i < s ? t->a + i * s : i == s ? t->b : t->dense_a + (i - s - 1) * columns;
            a[i * columns + j] = i > s || j < s ? row[j] / theta : 0;
        }
    }
    return (costate_table){.name = t->name, .family = t->family, .stages = columns, .a = a, .b = t->b};
}

/* Order of the continuous extension, as of a solution: the local error is one more. */
static int dense_order(const costate_table *t)
{
    if (!t->dense_rows) return t->order < 3 ? t->order : 3;
    return !strcmp(t->name, "dopri5") ? 4 : !strcmp(t->name, "dopri853") ? 7 : t->order;
}

static void dense_conditions(void **state)
{
    (void)state;
    for (int m = 0; m < explicit_methods(); m++) {
        const costate_table *t = costate_method(m);
        int q = dense_order(t), columns = t->stages + 1 + t->dense_stages;
        double beyond = 0;
        for (double theta = 0.0625; theta <= 1; theta += 0.0625) {
            double a[MAX * MAX], w[MAX];
            costate_table all = extended(t, theta, a);
            dense_weights(t, theta, w);
            for (int i = 0; i < columns; i++) w[i] /= theta;
            /* Scaled back: a condition of order q was divided by theta^q. */
            assert_true(tableau_order_defect(&all, w, q) * pow(theta, q) < roundoff);
            if (theta < 1) beyond = fmax(beyond, tableau_order_defect(&all, w, q + 1) * pow(theta, q + 1));
        }
        assert_true(beyond > 1e-7);
    }
}

/* u' = -u^2 cos t + v^2 - exp(-t), v' = -v u (2 + sin t) / 2 has the solution u = 1 / (2 + sin t), v = exp(-t/2). */
static void rhs(double t, const double *y, double *f)
{
    f[0] = -y[0] * y[0] * cos(t) + y[1] * y[1] - exp(-t);
    f[1] = -y[1] * y[0] * (2 + sin(t)) / 2;
}

static void solution(double t, double *y)
{
    y[0] = 1 / (2 + sin(t));
    y[1] = exp(-t / 2);
}

/* One step of size h from the solution at t; all stages, those of the dense output included. */
static void all_stages(const costate_table *t, double at, double h, double k[MAX][2])
{
    int columns = t->stages + 1 + t->dense_stages;
    double a[MAX * MAX], y[2];
    costate_table all = extended(t, 1, a);
    solution(at, y);
    for (int i = 0; i < columns; i++) {
        double c = 0, z[2] = {y[0], y[1]};
        for (int j = 0; j < i; j++) {
            c += all.a[i * columns + j];
            for (int l = 0; l < 2; l++) z[l] += h * all.a[i * columns + j] * k[j][l];
        }
        rhs(at + c * h, z, k[i]);
    }
}

/* Error at t + theta h of the solution with the given weights, one step from the exact solution at t. */
static double error(const costate_table *t, double at, double h, double theta, const double *w, int columns)
{
    double k[MAX][2], y[2], exact[2];
    all_stages(t, at, h, k);
    solution(at, y);
    solution(at + theta * h, exact);
    for (int i = 0; i < columns; i++)
        for (int l = 0; l < 2; l++) y[l] += h * w[i] * k[i][l];
    return hypot(y[0] - exact[0], y[1] - exact[1]);
}

/* Slope against h of the error's root mean square over the start of the step and, for dense output, over theta. */
static double observed(const costate_table *t, double h, const double *w)
{
    double square[2] = {0, 0};
    for (int half = 0; half < 2; half++) {
        double step = half ? h / 2 : h;
        for (double at = 0; at < 6; at += 0.25) {
            if (w) square[half] += pow(error(t, at, step, 1, w, t->stages), 2);
            for (double theta = 0.125; !w && theta < 1; theta += 0.125) {
                double dense[MAX];
                dense_weights(t, theta, dense);
                square[half] += pow(error(t, at, step, theta, dense, t->stages + 1 + t->dense_stages), 2);
            }
        }
    }
    return log2(square[0] / square[1]) / 2;
}

/* Step sizes for which the error is neither round-off nor far from its leading term. */
static void observed_orders(void **state)
{
    (void)state;
    for (int m = 0; m < explicit_methods(); m++) {
        const costate_table *t = costate_method(m);
        double h = t->order < 4 ? 0.01 : t->order < 5 ? 0.02 : t->order < 6 ? 0.05 : t->order < 8 ? 0.1 : 0.25, embedded[MAX];
        embedded_weights(t, embedded);
        assert_true(fabs(observed(t, h, t->b) - (t->order + 1)) < 0.2);
        assert_true(fabs(observed(t, h, embedded) - (t->embedded_order + 1)) < 0.2);
        assert_true(fabs(observed(t, h, NULL) - (dense_order(t) + 1)) < 0.2);
    }
}

/* ---- the check --------------------------------------------------------------------------------------------------------- */

static void own_tables_pass(void **state)
{
    (void)state;
    for (int m = 0; m < explicit_methods(); m++) {
        char why[200] = "";
        assert_int_equal(tableau_check(costate_method(m), why, sizeof why), 0);
        assert_string_equal(why, "");
        assert_true(strlen(costate_method(m)->source) > 0);
    }
}

static void refused(const costate_table *t, const char *reason)
{
    char why[200] = "";
    assert_int_equal(tableau_check(t, why, sizeof why), COSTATE_ERR_TABLE);
    if (!strstr(why, reason)) fail_msg("\"%s\" does not say \"%s\"", why, reason);
    assert_int_equal(tableau_check(t, NULL, 0), COSTATE_ERR_TABLE);
}

/* rk32 with room to change any number. */
typedef struct copy {
    double a[4][4], b[4], e[4];
    costate_table t;
} copy;

static costate_table *fresh(copy *c)
{
    const costate_table *t = costate_method_find("rk32");
    memcpy(c->a, t->a, sizeof c->a);
    memcpy(c->b, t->b, sizeof c->b);
    memcpy(c->e, t->e, sizeof c->e);
    c->t = *t;
    c->t.a = c->a[0];
    c->t.b = c->b;
    c->t.e = c->e;
    return &c->t;
}

static void bad_shape_refused(void **state)
{
    (void)state;
    copy c;
    refused(NULL, "the table is NULL");
    fresh(&c)->name = NULL;
    refused(&c.t, "name is NULL");
    fresh(&c)->family = (costate_family)0;
    refused(&c.t, "family 0 is not known");
    fresh(&c)->stages = 0;
    refused(&c.t, "stages is 0, not in 1 .. 63");
    fresh(&c)->stages = 65;
    refused(&c.t, "stages is 65");
    fresh(&c)->a = NULL;
    refused(&c.t, "a is NULL");
    fresh(&c)->b = NULL;
    refused(&c.t, "b is NULL");
}

static void bad_numbers_refused(void **state)
{
    (void)state;
    copy c;
    fresh(&c), c.a[2][1] = NAN;
    refused(&c.t, "a[2][1] is not finite");
    fresh(&c), c.a[1][1] = 0.5;
    refused(&c.t, "a[1][1] = 0.5: a stage of an explicit method uses earlier ones only");
    fresh(&c), c.a[0][3] = 1;
    refused(&c.t, "a[0][3] = 1: a stage of an explicit method uses earlier ones only");
    fresh(&c), c.b[0] = INFINITY;
    refused(&c.t, "b[0][0] is not finite");
    fresh(&c), c.b[0] += 0.125;
    refused(&c.t, "the sum of b is 1.125, not 1");
    fresh(&c), c.e[3] = NAN;
    refused(&c.t, "e[0][3] is not finite");
    fresh(&c), c.e[3] = 0.25;
    refused(&c.t, "the sum of e is 0.25, not 0");
    fresh(&c), memset(c.e, 0, sizeof c.e);
    refused(&c.t, "e is zero");
}

static void bad_orders_refused(void **state)
{
    (void)state;
    copy c;
    fresh(&c)->order = 0;
    refused(&c.t, "the solution is declared as of order 0");
    fresh(&c)->order = 4;
    refused(&c.t, "the solution is declared as of order 4, but the conditions of order 4 are violated");
    fresh(&c)->embedded_order = 0;
    refused(&c.t, "the embedded solution is declared as of order 0");
    fresh(&c)->embedded_order = 3;
    refused(&c.t, "the embedded solution is declared as of order 3, but the conditions of order 3 are violated");
    fresh(&c), c.a[2][1] += 1e-6; /* one wrong digit */
    refused(&c.t, "the solution is declared as of order 3, but the conditions of order 2 are violated by 7.5e-07");
    fresh(&c)->e = NULL; /* no estimate, no embedded solution */
    c.t.embedded_order = 0;
    assert_int_equal(tableau_check(&c.t, NULL, 0), 0);
}

static void bad_dense_refused(void **state)
{
    (void)state;
    const costate_table *t = costate_method_find("dopri853");
    double d[4][16], a[3][16];
    costate_table bad = *t;
    memcpy(d, t->dense_d, sizeof d);
    memcpy(a, t->dense_a, sizeof a);
    bad.dense_rows = -1;
    refused(&bad, "dense_rows is -1");
    bad = *t, bad.dense_stages = -1;
    refused(&bad, "dense_stages is -1");
    bad = *t, bad.dense_rows = 0;
    refused(&bad, "3 dense_stages, but no dense_rows");
    bad = *t, bad.dense_d = NULL;
    refused(&bad, "dense_d is NULL");
    bad = *t, bad.dense_a = NULL;
    refused(&bad, "dense_a is NULL");
    bad = *t, bad.dense_d = d[0], bad.dense_a = a[0];
    assert_int_equal(tableau_check(&bad, NULL, 0), 0);
    a[1][14] = 0.5;
    refused(&bad, "dense_a[1][14] = 0.5: a stage of an explicit method uses earlier ones only");
    a[1][14] = NAN;
    refused(&bad, "dense_a[1][14] is not finite");
    a[1][14] = 0, d[2][7] += 1e-3;
    refused(&bad, "row 2 of dense_d is inconsistent: it disturbs order 3 by");
    d[2][7] = NAN;
    refused(&bad, "dense_d[2][7] is not finite");
}

static void found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < explicit_methods(); i++)
        assert_ptr_equal(costate_method_find(costate_method(i)->name), costate_method(i));
    assert_null(costate_method(-1));
    assert_null(costate_method(costate_method_count()));
    assert_null(costate_method_find("dopri"));
    assert_null(costate_method_find(""));
    assert_null(costate_method_find(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_trees),     cmocka_unit_test(order_conditions),   cmocka_unit_test(row_sums),
        cmocka_unit_test(dense_conditions),    cmocka_unit_test(observed_orders),    cmocka_unit_test(own_tables_pass),
        cmocka_unit_test(bad_shape_refused),   cmocka_unit_test(bad_numbers_refused), cmocka_unit_test(bad_orders_refused),
        cmocka_unit_test(bad_dense_refused),   cmocka_unit_test(found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
