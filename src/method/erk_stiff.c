/* erk_stiff.c - what a step of an explicit method shows of the fastest mode of f_y =: J.
 *
 * Weights d_i on the stages whose sum is zero see J alone, of an autonomous linear problem exactly so:
 *
 *     sum d_i k_i = J (sum d_i Y_i),      lambda ~ |J x| / |x| at the angle between the two,      x = sum d_i Y_i
 *
 * Two stages at one time (dopri5: c_6 = c_7 = 1; Hairer and Wanner, Solving ODEs II, IV.2), or else differences of higher order,
 * leave little but the fastest modes in x. On such a mode a step multiplies errors, and derivatives, by R(h lambda), R(z) = 1 +
 * sum_k (b^T A^(k-1) 1) z^k. */
#include "method/erk.h"

#include <float.h>
#include <math.h>

/* ---- from the table ---------------------------------------------------------------------------------------------------- */

static int evaluated(const erk *m, const costate_table *tb, int i, int estimate)
{
    return m->live[i] || (estimate && tb->e[i] != 0);
}

/* Two stages at the same time, the last ones; 0: there are none. */
static int pair(const erk *m, const costate_table *tb, int estimate, double *d)
{
    for (int j = m->s - 1; j > 0; j--)
        for (int i = j - 1; i > 0; i--)
            if (m->c[i] == m->c[j] && evaluated(m, tb, i, estimate) && evaluated(m, tb, j, estimate)) {
                d[i] = -1;
                d[j] = 1;
                return 1;
            }
    return 0;
}

/* The divided difference over the stages, at most four of them: 1 / prod (c_i - c_j). */
static void divided(const erk *m, double *d)
{
    enum { MOST = 4 };
    int at[MOST] = {0}, count = 0;
    for (int i = m->s - 1; i >= 0 && count < MOST; i--) {
        int seen = !m->live[i];
        for (int q = 0; q < count; q++) seen |= m->c[at[q]] == m->c[i];
        if (!seen) at[count++] = i;
    }
    for (int q = 0; q < count; q++) {
        d[at[q]] = 1;
        for (int r = 0; r < count; r++)
            if (r != q) d[at[q]] /= m->c[at[q]] - m->c[at[r]];
    }
    if (count < 2) d[at[0]] = 0;
}

static row pick(const erk *m, const costate_table *tb, int estimate)
{
    double d[ERK_MOST] = {0};
    if (pair(m, tb, estimate, d)) return row_make(d, m->s, 1);
    if (estimate) return m->e;
    divided(m, d);
    return row_make(d, m->s, 1);
}

/* log |R(z)|, z = size (cosine + i sine) */
static double log_growth(const erk *m, double size, double cosine)
{
    const double re = size * cosine, im = size * sqrt(fmax(0, 1 - cosine * cosine));
    double a = 0, b = 0;
    for (int k = m->s; k >= 0; k--) {
        const double real = a * re - b * im + m->growth[k];
        b = a * im + b * re;
        a = real;
    }
    return log(hypot(a, b));
}

static double safe_end(const erk *m)
{
    const double grid = 0.01, most = 100;
    double end = 0;
    for (double x = grid; x < most; x += grid) {
        const double g = log_growth(m, x, -1);
        if (g > 0) break;
        if (g <= -M_LN2) end = x;
    }
    return end > 0 ? end : 1;
}

void cst__erk_stiff_open(erk *m, const costate_table *tb)
{
    double x[ERK_MOST], next[ERK_MOST];
    const int s = m->s;
    for (int i = 0; i < s; i++) x[i] = 1;
    m->growth[0] = 1;
    for (int k = 1; k <= s; k++) {
        m->growth[k] = 0;
        for (int i = 0; i < s; i++) {
            m->growth[k] += tb->b[i] * x[i];
            next[i] = 0;
            for (int j = 0; j < i; j++) next[i] += tb->a[i * s + j] * x[j];
        }
        memcpy(x, next, sizeof x);
    }
    m->safe = safe_end(m);
    m->difference[0] = pick(m, tb, 0);
    if (tb->e) m->difference[1] = pick(m, tb, 1);
}

/* ---- of a step --------------------------------------------------------------------------------------------------------- */

double cst__erk_growth(const costate_solver *s, double size, double cosine)
{
    return log_growth(s->method, size, cosine);
}

int cst__erk_mode(costate_solver *s, const step *st, fast_mode *found)
{
    const erk *m = s->method;
    const row *d = &m->difference[s->opt.step == 0];
    const double *y[ERK_MOST], *k[ERK_MOST];
    double xx = 0, xj = 0, jj = 0, noise = 0;
    for (int q = 0; q < d->m; q++) {
        y[q] = erk_stage(m, st, d->j[q], s->state);
        k[q] = m->k[d->j[q]];
    }
    for (int i = 0; i < s->prob.n; i++) {
        const double scale = s->atol[i] + s->opt.rtol * fabs(st->ynew[i]), w = scale > 0 ? 1 / scale : 0;
        double x = 0, j = 0;
        for (int q = 0; q < d->m; q++) {
            x += d->a[q] * y[q][i];
            j += d->a[q] * k[q][i];
        }
        x *= w;
        j *= w;
        xx += x * x;
        xj += x * j;
        jj += j * j;
        noise += st->ynew[i] * w * st->ynew[i] * w;
    }
    if (!(xx > 4096 * DBL_EPSILON * DBL_EPSILON * noise) || !isfinite(jj)) return 0; /* round-off */
    found->size = fabs(st->h) * sqrt(jj / xx);
    found->cosine = jj > 0 ? copysign(1, st->h) * xj / sqrt(xx * jj) : 0;
    found->log_growth = log_growth(m, found->size, found->cosine);
    found->safe = m->safe;
    return 1;
}
