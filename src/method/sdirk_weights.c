/* sdirk_weights.c - weights of the z_i that follow from a table: of the new state and of the estimate by A^-1; of starting
 * values and of the continuous extension by what is known of the z_i of a smooth solution,
 *
 *     z_i = c_i h y' + (A c)_i h^2 y'' + (A c^2)_i h^3 ... + (A A c)_i h^3 ... + ..., with c_i^2/2 for (A c)_i if f_y is large.
 *
 * Weights x of y(t + theta h) - y ~ sum x_i z_i have <c, x> = theta, <A c, x> = theta^2/2, <c^2, x> = theta^2, <A c^2, x> =
 * theta^3/3, <A A c, x> = theta^3/6, as many of these facts as the stages allow, and are the shortest that do. Weights of a
 * starting value of z_i have what z_i has. */
#include "method/sdirk.h"

#include <math.h>

enum { FACTS = 5 }; /* in the order of their weight */

typedef struct facts {
    double of[FACTS][SDIRK_MOST]; /* c, A c, c^2, A c^2, A A c */
} facts;

static const int fact_degree[FACTS] = {1, 2, 2, 3, 3};
static const double fact_value[FACTS] = {1, 1.0 / 2, 1, 1.0 / 3, 1.0 / 6};

static void times(const costate_table *tb, const double *x, double *out) /* A x */
{
    for (int i = 0; i < tb->stages; i++) {
        out[i] = 0;
        for (int j = 0; j <= i; j++) out[i] += tb->a[i * tb->stages + j] * x[j];
    }
}

static void by_inverse(const costate_table *tb, const double *x, double *out) /* x^T A^-1 */
{
    int s = tb->stages;
    for (int i = s - 1; i >= 0; i--) {
        out[i] = x[i];
        for (int j = i + 1; j < s; j++) out[i] -= out[j] * tb->a[j * s + i];
        out[i] /= tb->a[0];
    }
}

static facts find_facts(const costate_table *tb, const double *c)
{
    facts f;
    for (int i = 0; i < tb->stages; i++) {
        f.of[0][i] = c[i];
        f.of[2][i] = c[i] * c[i];
    }
    times(tb, c, f.of[1]);
    times(tb, f.of[2], f.of[3]);
    times(tb, f.of[1], f.of[4]);
    return f;
}

/* The shortest x (m numbers, `columns` of them side by side) with <f.of[k], x> = target[k], for all k with use[k] that are
 * independent. */
static void fit(int m, const facts *f, const int *use, int columns, const double *target, double *x)
{
    double q[FACTS][SDIRK_MOST], value[FACTS][SDIRK_DEGREE];
    int rank = 0;
    memset(x, 0, (size_t)(m * columns) * sizeof *x);
    for (int k = 0; k < FACTS && rank < m; k++) {
        double before = 0, after = 0;
        if (!use[k]) continue;
        for (int i = 0; i < m; i++) before += f->of[k][i] * f->of[k][i];
        memcpy(q[rank], f->of[k], (size_t)m * sizeof **q);
        memcpy(value[rank], target + k * columns, (size_t)columns * sizeof **value);
        for (int r = 0; r < rank; r++) { /* Gram and Schmidt */
            double along = 0;
            for (int i = 0; i < m; i++) along += q[r][i] * q[rank][i];
            for (int i = 0; i < m; i++) q[rank][i] -= along * q[r][i];
            for (int p = 0; p < columns; p++) value[rank][p] -= along * value[r][p];
        }
        for (int i = 0; i < m; i++) after += q[rank][i] * q[rank][i];
        if (after <= 1e-6 * before) continue; /* as good as dependent: weights would be huge */
        for (int i = 0; i < m; i++) q[rank][i] /= sqrt(after);
        for (int p = 0; p < columns; p++) value[rank][p] /= sqrt(after);
        for (int i = 0; i < m; i++)
            for (int p = 0; p < columns; p++) x[i * columns + p] += value[rank][p] * q[rank][i];
        rank++;
    }
}

/* d: weights of the new state, where the extension ends; only facts that they have can be had all the way. */
static void extend(sdirk *m, const double *d, const facts *f)
{
    int use[FACTS], top = 0;
    double target[FACTS][SDIRK_DEGREE] = {{0}}, slope[SDIRK_MOST];
    for (int k = 0; k < FACTS; k++) {
        double end = 0;
        for (int i = 0; i < m->s; i++) end += d[i] * f->of[k][i];
        use[k] = fabs(end - fact_value[k]) < 1e-9;
        target[k][fact_degree[k] - 1] = fact_value[k];
        if (use[k] && k < m->s) top = fact_degree[k] - 1;
    }
    fit(m->s, f, use, SDIRK_DEGREE, *target, *m->dense);
    for (int i = 0; i < m->s; i++) {
        double *x = m->dense[i];
        x[top] += d[i] - (x[0] + x[1] + x[2]); /* what the facts leave open */
        slope[i] = x[0] + 2 * x[1] + 3 * x[2];
    }
    m->slope = row_make(slope, m->s, 1);
}

static row guess(int i, const facts *f)
{
    static const int use[FACTS] = {1, 1, 1, 1, 1};
    facts known = {{{1}}}; /* of h slope the first alone; then those of z_1 .. z_(i-1) */
    double target[FACTS], x[SDIRK_MOST];
    for (int k = 0; k < FACTS; k++) {
        memcpy(known.of[k] + 1, f->of[k], (size_t)i * sizeof **known.of);
        target[k] = f->of[k][i];
    }
    fit(i + 1, &known, use, 1, target, x);
    return row_make(x, i + 1, 1);
}

void cst__sdirk_weights(sdirk *m, const costate_table *tb)
{
    int s = m->s = tb->stages;
    double d[SDIRK_MOST], e[SDIRK_MOST];
    m->gamma = tb->a[0];
    for (int i = 0; i < s; i++) {
        double unit[SDIRK_MOST] = {0}, inverse[SDIRK_MOST], column[SDIRK_MOST] = {0};
        unit[i] = 1;
        by_inverse(tb, unit, inverse);
        for (int j = 0; j < i; j++) inverse[j] *= -m->gamma; /* I - gamma A^-1 */
        m->g[i] = row_make(inverse, i, 1);
        for (int j = i + 1; j < s; j++) column[j] = tb->a[j * s + i];
        m->at[i] = row_make(column, s, 1);
        for (int j = 0; j <= i; j++) m->c[i] += tb->a[i * s + j];
        if (fabs(m->c[i] - 1) < 1e-14) m->c[i] = 1; /* a row sum's round-off must not miss tn */
    }
    by_inverse(tb, tb->b, d);
    m->d = row_make(d, s, 1);
    if (tb->e) {
        by_inverse(tb, tb->e, e);
        m->e = row_make(e, s, 1);
    }
    m->filter = tb->embedded_order > 1;
    facts f = find_facts(tb, m->c);
    extend(m, d, &f);
    for (int i = 0; i < s; i++) m->guess[i] = guess(i, &f);
}
