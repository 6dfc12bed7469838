/* tableau.c - the list of methods, and the check that a table, ours or a user's, is what it declares to be. */
#include "tableau/tableau.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const costate_table *table;
    const int *count;
} lists[] = {{tableau_erk, &tableau_erk_count},
             {tableau_ros, &tableau_ros_count},
             {tableau_sdirk, &tableau_sdirk_count},
             {tableau_firk, &tableau_firk_count},
             {tableau_bdf, &tableau_bdf_count}};

enum { LISTS = sizeof lists / sizeof *lists };

int costate_method_count(void)
{
    int sum = 0;
    for (int k = 0; k < LISTS; k++) sum += *lists[k].count;
    return sum;
}

const costate_table *costate_method(int i)
{
    for (int k = 0; i >= 0 && k < LISTS; i -= *lists[k++].count)
        if (i < *lists[k].count) return &lists[k].table[i];
    return NULL;
}

const costate_table *costate_method_find(const char *name)
{
    for (int i = 0; name && i < costate_method_count(); i++)
        if (!strcmp(costate_method(i)->name, name)) return costate_method(i);
    return NULL;
}

/* ---- the check ------------------------------------------------------------------------------------------------------ */

/* Published decimals are good to ten digits or more; a wrong digit shows above this, relative to the size of the coefficients. */
static const double tolerance = 1e-9;

enum { ORDER_LOOKED_AT = 5, HERMITE_ORDER = 3 };

typedef struct verdict {
    char *why;
    size_t size;
    double scale;     /* largest coefficient so far, at least 1 */
    const char *kind; /* of method */
} verdict;

__attribute__((format(printf, 2, 3))) static int reject(const verdict *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->why, v->size, format, args);
    va_end(args);
    return COSTATE_ERR_TABLE;
}

static int exceeds(const verdict *v, double defect)
{
    return !(defect <= tolerance * v->scale);
}

/* A rows x columns array is there and finite, and row i is zero from column first + i on (first < 0: no such limit). */
static int check_array(verdict *v, const char *name, const double *x, int rows, int columns, int first)
{
    if (!x) return reject(v, "%s is NULL", name);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double value = x[i * columns + j];
            if (!isfinite(value)) return reject(v, "%s[%d][%d] is not finite", name, i, j);
            if (first >= 0 && j >= first + i && value != 0)
                return reject(v, "%s[%d][%d] = %g: a stage of %s method uses %s only", name, i, j, value, v->kind,
                              first == 1 ? "itself and earlier ones" : "earlier ones");
            v->scale = fmax(v->scale, fabs(value));
        }
    }
    return 0;
}

/* The conditions of the declared order, lowest first, so that the message names the order that is really reached. */
static int check_order(const verdict *v, const costate_table *t, const char *which, const double *b, int order)
{
    if (order < 1) return reject(v, "the %s is declared as of order %d; it must be at least 1", which, order);
    for (int q = 1; q <= order && q <= ORDER_LOOKED_AT; q++) {
        double defect = tableau_order_defect(t, b, q);
        if (exceeds(v, defect))
            return reject(v, "the %s is declared as of order %d, but the conditions of order %d are violated by %.2g", which,
                          order, q, defect);
    }
    return 0;
}

static int check_weights(verdict *v, const costate_table *t)
{
    int s = t->stages, sums = t->family != COSTATE_ROS, rc = check_array(v, "b", t->b, 1, s, -1);
    if (!rc && t->e) rc = check_array(v, "e", t->e, 1, s, -1);
    if (rc) return rc;
    double sum_b = 0, sum_e = 0, size_e = 0, embedded[TABLEAU_STAGES];
    for (int i = 0; i < s; i++) {
        double e = t->e ? t->e[i] : 0;
        embedded[i] = t->b[i] - e;
        sum_b += t->b[i];
        sum_e += e;
        size_e += fabs(e);
    }
    if (sums && exceeds(v, fabs(sum_b - 1))) return reject(v, "the sum of b is %.12g, not 1", sum_b);
    if (sums && exceeds(v, fabs(sum_e))) return reject(v, "the sum of e is %.12g, not 0", sum_e);
    if (t->e && size_e == 0) return reject(v, "e is zero, an estimate that never sees an error; NULL says that there is none");
    rc = check_order(v, t, "solution", t->b, t->order);
    return rc || !t->e ? rc : check_order(v, t, "embedded solution", embedded, t->embedded_order);
}

/* What only Rosenbrock tables have. The row sums make a problem that depends on t the same as one with t among its states. */
static int check_ros(verdict *v, const costate_table *t)
{
    int s = t->stages, rc = check_array(v, "g", t->g, s, s, 0);
    if (!rc) rc = check_array(v, "alpha", t->alpha, 1, s, -1);
    if (!rc) rc = check_array(v, "gamma", t->gamma, 1, s, -1);
    if (rc) return rc;
    if (!(t->gamma[0] > 0)) return reject(v, "gamma[0] is %g; W = I/(h gamma[0]) - f_y asks for a positive number", t->gamma[0]);
    if (t->dense_rows)
        return reject(v, "dense_rows is %d; a Rosenbrock method's dense output follows from its stages", t->dense_rows);
    double alpha[s * s], gamma[s * s];
    tableau_ros_standard(t, alpha, gamma);
    for (int i = 0; i < s; i++) {
        double sum_alpha = 0, sum_gamma = 0;
        for (int j = 0; j <= i; j++) {
            sum_alpha += alpha[i * s + j];
            sum_gamma += gamma[i * s + j];
        }
        if (exceeds(v, fabs(sum_alpha - t->alpha[i])))
            return reject(v, "alpha[%d] is %.12g, but a, g and gamma[0] make it %.12g", i, t->alpha[i], sum_alpha);
        if (exceeds(v, fabs(sum_gamma - t->gamma[i])))
            return reject(v, "gamma[%d] is %.12g, but g and gamma[0] make it %.12g", i, t->gamma[i], sum_gamma);
    }
    return 0;
}

/* A dense row is a correction to H, so it must not touch what H has right already: the terms up to h^3. */
static int check_dense(verdict *v, const costate_table *t)
{
    int s = t->stages, rows = t->dense_rows, more = t->dense_stages, columns = s + 1 + more;
    if (rows < 0 || rows > TABLEAU_ROWS) return reject(v, "dense_rows is %d, not in 0 .. %d", rows, TABLEAU_ROWS);
    if (more < 0 || columns > TABLEAU_STAGES)
        return reject(v, "dense_stages is %d, not in 0 .. %d", more, TABLEAU_STAGES - s - 1);
    if (more > 0 && rows == 0) return reject(v, "there are %d dense_stages, but no dense_rows that would use them", more);
    if (rows == 0) return 0;
    int rc = check_array(v, "dense_d", t->dense_d, rows, columns, -1);
    if (!rc && more > 0) rc = check_array(v, "dense_a", t->dense_a, more, columns, s + 1);
    if (rc) return rc;
    int order = t->order < HERMITE_ORDER ? t->order : HERMITE_ORDER;
    for (int m = 0; m < rows; m++) {
        double defect = tableau_dense_defect(t, m, order);
        if (exceeds(v, defect))
            return reject(v, "row %d of dense_d is inconsistent: it disturbs order %d by %.2g", m, order, defect);
    }
    return 0;
}

/* One positive number on the diagonal of A. */
static int check_sdirk(const verdict *v, const costate_table *t)
{
    for (int i = 0; i < t->stages; i++) {
        double value = t->a[i * t->stages + i];
        if (!(value > 0) || value != t->a[0])
            return reject(v, "a[%d][%d] = %g: %s method has one positive number on its diagonal", i, i, value, v->kind);
    }
    return t->dense_rows
               ? reject(v, "dense_rows is %d; the dense output of %s method follows from its stages", t->dense_rows, v->kind)
               : 0;
}

/* Fully implicit methods: A is full, e holds two weights, and the rest of the estimates follows from them; it is of order 3. */
static int check_firk(verdict *v, const costate_table *t)
{
    if (t->stages != 3) return reject(v, "stages is %d; a fully implicit method has 3", t->stages);
    int rc = check_array(v, "a", t->a, 3, 3, -1);
    if (!rc) rc = check_array(v, "b", t->b, 1, 3, -1);
    if (!rc && t->e) rc = check_array(v, "e", t->e, 1, 2, -1);
    if (!rc) rc = check_order(v, t, "solution", t->b, t->order);
    if (rc) return rc;
    if (t->e && (t->e[0] == 0 || t->e[1] == 0))
        return reject(v, "e is zero, an estimate that never sees an error; NULL says that there is none");
    if (t->e && t->embedded_order != 3)
        return reject(v, "embedded_order is %d; the estimates of a fully implicit method are of order 3", t->embedded_order);
    if (t->dense_rows)
        return reject(v, "dense_rows is %d; a fully implicit method's dense output follows from its stages", t->dense_rows);
    return 0;
}

int tableau_check(const costate_table *t, char *why, size_t size)
{
    verdict v = {why, size, 1, "an explicit"};
    if (!t) return reject(&v, "the table is NULL");
    if (!t->name) return reject(&v, "name is NULL");
    if (t->family == COSTATE_FIRK) return check_firk(&v, t);
    if (t->family == COSTATE_BDF) {
        const int good = t->order >= 1 && t->order <= 5 && t->stages == 1 && t->a && t->b;
        return good ? 0 : reject(&v, "bdf has one stage, and order 1 to 5; copy the table named bdf");
    }
    if (t->family == COSTATE_ROS) v.kind = "a Rosenbrock";
    else if (t->family == COSTATE_SDIRK) v.kind = "a singly diagonally implicit";
    else if (t->family != COSTATE_ERK) return reject(&v, "family %d is not known", (int)t->family);
    if (t->stages < 1 || t->stages > TABLEAU_STAGES - 1)
        return reject(&v, "stages is %d, not in 1 .. %d", t->stages, TABLEAU_STAGES - 1);
    int rc = check_array(&v, "a", t->a, t->stages, t->stages, t->family == COSTATE_SDIRK);
    if (!rc && t->family == COSTATE_SDIRK) rc = check_sdirk(&v, t);
    if (!rc && t->family == COSTATE_ROS) rc = check_ros(&v, t);
    if (!rc) rc = check_weights(&v, t);
    if (!rc) rc = check_dense(&v, t);
    return rc;
}

int tableau_stiffly_accurate(const costate_table *t)
{
    const int s = t->stages, ros = t->family == COSTATE_ROS;
    const double *last = t->a + (s - 1) * s;
    double worst = ros ? fmax(fabs(t->b[s - 1] - 1), fabs(t->alpha[s - 1] - 1)) : fabs(t->b[s - 1] - last[s - 1]);
    for (int j = 0; j < s - 1; j++) worst = fmax(worst, fabs(t->b[j] - last[j]));
    return worst < 1e-12;
}

double tableau_node(const costate_table *t, int i)
{
    double c = t->alpha ? t->alpha[i] : 0;
    for (int j = 0; !t->alpha && t->a && j < t->stages; j++) c += t->a[i * t->stages + j];
    return c;
}
