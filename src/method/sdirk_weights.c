/* sdirk_weights.c - weights of the z_i that follow from a table: of the new state and of the estimate by A^-1; of starting
 * values and of the continuous extension by what is known of the z_i of a smooth solution (extend.h),
 *
 *     z_i = c_i h y' + (A c)_i h^2 y'' + (A c^2)_i h^3 ... + (A A c)_i h^3 ... + ..., with c_i^2/2 for (A c)_i if f_y is large.
 *
 * Weights x of y(t + theta h) - y ~ sum x_i z_i have <c, x> = theta, <A c, x> = theta^2/2, <c^2, x> = theta^2, <A c^2, x> =
 * theta^3/3, <A A c, x> = theta^3/6, as many of these facts as the stages allow and the new state has, and are the shortest that
 * do. Weights of a starting value of z_i have what z_i has. */
#include "method/sdirk.h"

#include <math.h>

static void by_inverse(const costate_table *tb, const double *x, double *out) /* x^T A^-1 */
{
    int s = tb->stages;
    for (int i = s - 1; i >= 0; i--) {
        out[i] = x[i];
        for (int j = i + 1; j < s; j++) out[i] -= out[j] * tb->a[j * s + i];
        out[i] /= tb->a[0];
    }
}

static row guess(int i, const extend_facts *f)
{
    extend_facts known = {.count = f->count, .of = {{1}}}; /* of h slope the first alone; then those of z_1 .. z_(i-1) */
    double target[EXTEND_FACTS], x[SDIRK_MOST];
    for (int k = 0; k < f->count; k++) {
        memcpy(known.of[k] + 1, f->of[k], (size_t)i * sizeof **known.of);
        target[k] = f->of[k][i];
    }
    cst__extend_fit(i + 1, &known, 1, target, x);
    return row_make(x, i + 1, 1);
}

/* h times the slope at the end, if the new state is the last stage, else that of the extension. */
static void last_slope(const sdirk *m, const costate_table *tb, double *slope)
{
    int s = m->s;
    double unit[SDIRK_MOST] = {0};
    unit[s - 1] = 1;
    for (int i = 0; i < s; i++)
        if (fabs(tb->b[i] - tb->a[(s - 1) * s + i]) > 1e-14) return;
    by_inverse(tb, unit, slope);
}

/* The slope at the start is that of the step before. */
static int witness_of(sdirk *m, const costate_table *tb, const extend_facts *f)
{
    witness_slopes q = {0};
    double d[WITNESS_MOST], x[WITNESS_MOST];
    if (!tb->e) return 0;
    witness_add(&q, 0, 0, 0, 0);
    for (int i = 0; i < m->s; i++) witness_add(&q, m->c[i], f->of[1][i], tb->b[i], tb->e[i]);
    int k = 1 + (tb->order < tb->embedded_order ? tb->order : tb->embedded_order), order = cst__witness(&q, k, d);
    x[0] = d[0];
    by_inverse(tb, d + 1, x + 1);
    m->watch = row_make(x, order ? q.s : 0, 1);
    return order;
}

int cst__sdirk_weights(sdirk *m, const costate_table *tb)
{
    int s = m->s = tb->stages;
    double d[SDIRK_MOST], e[SDIRK_MOST], slope[SDIRK_MOST];
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
    extend_facts f;
    cst__extend_stages(s, tb->a, m->c, &f);
    cst__extend(s, &f, d, m->dense);
    for (int i = 0; i < s; i++) slope[i] = m->dense[i][0] + 2 * m->dense[i][1] + 3 * m->dense[i][2];
    m->slope = row_make(slope, s, 1);
    last_slope(m, tb, slope);
    m->last = row_make(slope, s, 1);
    for (int i = 0; i < s; i++) m->guess[i] = guess(i, &f);
    return witness_of(m, tb, &f);
}
