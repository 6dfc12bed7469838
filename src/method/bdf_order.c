/* bdf_order.c - order and size of the next attempt at a step.
 *
 *     e_q = y_n - P_q(t_n),  P_q the polynomial through the last q+1 values;   alpha_i = h/(t_n - t_(n-1-i))
 *     sigma_q = product over i = 1..q of i alpha_i,   E(q) = sigma_q |e_q|,   T(q) = (q+1) E(q)
 *     accepted if max(|alpha_k + sum_(i<k) alpha_i - S_k|, alpha_k) |e_k| <= 1,   S_k = 1 + 1/2 + .. + 1/k
 *
 * With variables of index 2 they stand for |(c M - f_y)^-1 c M e|, by the matrix of the step: what an error of the slopes does to
 * y is what is left of it along the constraints, in a direction that the equations choose, and it may be many times as large.
 *
 * The size changes seldom, and grows by two: formulas of high order are not stable on grids that grow from step to step. A run
 * begins with two steps of order 1; then order and size rise with every step until something speaks against it.
 * docs/theory.md (70); the rules are those of DASSL. */
#include "method/bdf.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

#include <math.h>

void cst__bdf_settle_start(bdf *m, int algebraic)
{
    m->k = m->last = 1;
    m->rising = 1;
    m->raised = m->same = 0;
    m->jumps = algebraic;
    m->size = m->away = 0;
    m->witness = (bdf_witness){0};
}

/* An algebraic state may jump where the right-hand side does. Then y_n is off the polynomial by as much however small the step
 * is, and right all the same where the differential states are: only these count in such a step, and in the next one, whose
 * polynomial goes over the jump. So it is in the first step, whose predictor has no slope of theirs: what they are off it by is
 * h z', not h^2 z''. */
enum { JUMPS = 2 };
static const double as_much = 0.7;

/* *norm of the sum of c v, which is lost, in units of the tolerances. */
static int norm_of(costate_solver *s, const step *st, int terms, const double *c, const double *const *v, const double *y,
                   double *norm)
{
    bdf *m = s->method;
    const double one = 1, *e = m->r, *from = st->y;
    const size_t n = (size_t)s->prob.n;
    const int index2 = cst__index2(s);
    if (!index2 && !m->jumps) {
        *norm = judge(s, st->h, terms, c, v, from, y);
        return 0;
    }
    cst__combine(n, NULL, terms, c, v, m->r);
    if (index2) {
        for (size_t i = 0; i < n; i++) m->r[i] *= m->held[m->at].shift * s->prob.mass[i];
        TRY(cst__implicit_solve(s, &m->im, m->at, 0, 1, m->r));
    }
    if (m->jumps) mass_keep_differential(s, m->r);
    *norm = judge(s, st->h, 1, &one, &e, from, y);
    return 0;
}

/* |y_n - P_q(t_n)|; its past values must be there. */
static int distance(costate_solver *s, const step *st, const bdf_formula *f, int q, const double *y, double *norm)
{
    double c[BDF_PAST + 1] = {1};
    const double *v[BDF_PAST + 1] = {y};
    for (int j = 0; j <= q; j++) {
        c[j + 1] = -1;
        for (int i = 0; i <= q; i++)
            if (i != j) c[j + 1] *= f->x[i] / (f->x[i] - f->x[j]);
        v[j + 1] = bdf_past(s, st->y, j, 1);
    }
    return norm_of(s, st, q + 2, c, v, y, norm);
}

static double alpha(const bdf_formula *f, int i)
{
    return -f->h / f->x[i];
}

/* E(q) and T(q), unless there are too few values. */
static int estimate(costate_solver *s, const step *st, const bdf_formula *f, int q, const double *y)
{
    bdf *m = s->method;
    const double *ages = bdf_copied(s, st) + CARRY_AGES;
    m->term[q] = -1;
    if (q < 1 || q > BDF_MOST || (q && ages[q - 1] == 0)) return 0;
    TRY(distance(s, st, f, q, y, &m->e[q]));
    for (int i = 1; i <= q; i++) m->e[q] *= i * alpha(f, i);
    m->term[q] = (q + 1) * m->e[q];
    return 0;
}

/* The order that the terms of the series ask for: not above k. */
static int lower(const bdf *m, int k)
{
    if (k == 2 && m->term[1] >= 0 && m->term[1] <= m->term[2] / 2) return 1;
    if (k > 2 && fmax(m->term[k - 1], m->term[k - 2]) <= m->term[k]) return k - 1;
    return k;
}

int cst__bdf_estimate(costate_solver *s, const step *st, const bdf_formula *f, int first, const double *y, double *err)
{
    bdf *m = s->method;
    const int k = f->k;
    m->ahead = 0;
    if (first) { /* the predictor has y' in place of a value at t0 - h */
        const double c[3] = {0.5, -0.5, -0.5 * st->h}, *const v[3] = {y, st->y, m->slope};
        TRY(norm_of(s, st, 3, c, v, y, &m->e[1]));
        m->term[1] = 2 * m->e[1];
        m->lower = 1;
        *err = m->e[1];
        return 0;
    }
    double away, left;
    TRY(distance(s, st, f, k, y, &away));
    left = away;
    const int jumps = s->prob.mass && !m->jumps && m->away > 0 && f->weight * away > 1 && away > as_much * m->away;
    if (jumps) {
        m->jumps = JUMPS;
        TRY(distance(s, st, f, k, y, &left));
    } else m->away = away;
    *err = f->weight * left;
    for (int q = k > 2 ? k - 2 : 1; q < k; q++) TRY(estimate(s, st, f, q, y));
    m->e[k] = left;
    for (int i = 1; i <= k; i++) m->e[k] *= i * alpha(f, i);
    m->term[k] = (k + 1) * m->e[k];
    m->lower = lower(m, k);
    return cst__bdf_witness(s, st, f, y, err);
}

/* |ydot_n - P_q(t_n)|, the largest of all lanes. */
static double distance_lanes(costate_solver *s, const step *st, const bdf_formula *f, int q, dblock *d)
{
    const bdf *m = s->method;
    const double one = 1, *e = d->kdot;
    double c[BDF_PAST + 1] = {1};
    const double *v[BDF_PAST + 1] = {d->stages};
    for (int j = 0; j <= q; j++) {
        c[j + 1] = -1;
        for (int i = 0; i <= q; i++)
            if (i != j) c[j + 1] *= f->x[i] / (f->x[i] - f->x[j]);
        v[j + 1] = bdf_past(s, d->ydot, j, d->w);
    }
    if (!m->jumps) return judge_lanes(s, st->h, d, q + 2, c, v, d->stages);
    cst__combine((size_t)s->prob.n * (size_t)d->w, NULL, q + 2, c, v, d->kdot);
    for (size_t i = 0; s->prob.mass && i < (size_t)s->prob.n; i++)
        if (s->prob.mass[i] == 0) memset(d->kdot + i * (size_t)d->w, 0, (size_t)d->w * sizeof *d->kdot);
    return judge_lanes(s, st->h, d, 1, &one, &e, d->stages);
}

void cst__bdf_estimate_tangent(costate_solver *s, const step *st, const bdf_formula *f, dblock *d, double *err)
{
    bdf *m = s->method;
    const double *ages = bdf_copied(s, st) + CARRY_AGES;
    const int k = f->k;
    *err = f->weight * distance_lanes(s, st, f, k, d);
    for (int q = k > 2 ? k - 2 : 1; q <= k; q++) {
        double e = distance_lanes(s, st, f, q, d);
        for (int i = 1; i <= q; i++) e *= i * alpha(f, i);
        if (m->term[q] < 0 || e <= m->e[q]) continue;
        m->e[q] = e;
        m->term[q] = (q + 1) * e;
    }
    m->lower = lower(m, k);
    if (k < m->most && ages[k] != 0) m->ahead = fmax(m->ahead, distance_lanes(s, st, f, k + 1, d));
}

/* ---- after an attempt -------------------------------------------------------------------------------------------------- */

static double clip(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

static double factor(double e, int k)
{
    return pow(2 * e + 1e-4, -1.0 / (k + 1));
}

static double refused(bdf *m, const step *st, const outcome *o)
{
    m->rising = 0;
    m->same = 0;
    if (m->witness.ask > 0) {
        m->k = m->witness.order;
        return m->witness.ask * st->h;
    }
    if (!isfinite(o->err) || o->err <= 1) return 0.25 * st->h; /* Newton's method, or a callback */
    m->k = o->failures > 2 ? 1 : m->lower;
    return st->h * (o->failures == 1 ? clip(0.9 * factor(m->e[m->k], m->k), 0.25, 0.9) : 0.25);
}

/* A higher order, if its term is small; a lower one, if its own is no larger. */
static void choose(costate_solver *s, const step *st, int k)
{
    bdf *m = s->method;
    const int raised = m->raised;
    m->raised = 0;
    m->k = m->lower;
    if (m->lower < k || k == m->most || raised || m->same < k + 2) return;
    bdf_formula f;
    cst__bdf_formula(s, st, k, &f);
    if (estimate(s, st, &f, k + 1, st->stages) || m->term[k + 1] < 0) return;
    if (distance(s, st, &f, k + 1, st->stages, &m->e[k + 1])) return;
    m->e[k + 1] = fmax(m->e[k + 1], m->ahead) / (k + 2);
    m->term[k + 1] = (k + 2) * m->e[k + 1];
    if (k == 1) m->k = m->term[2] < m->term[1] / 2 ? 2 : 1;
    else if (m->term[k - 1] <= fmin(m->term[k], m->term[k + 1])) m->k = k - 1;
    else if (m->term[k + 1] < m->term[k]) m->k = k + 1;
    m->raised = m->k > k;
}

double cst__bdf_settle(costate_solver *s, const step *st, const outcome *o, control *c)
{
    bdf *m = s->method;
    const double h = st->h;
    (void)c;
    if (!o->accepted) {
        const double size = refused(m, st, o);
        cst__bdf_refused(s, st);
        return size;
    }
    const int k = cst__bdf_order(st), first = st->y[s->live + CARRY_AGES] == 0;
    m->same = k == m->last && fabs(h - m->size) <= 1e-9 * fabs(h) ? m->same + 1 : 1;
    m->last = k;
    m->size = h;
    m->away = 0;
    if (m->jumps) m->jumps--;
    if (m->rising && (m->lower < k || k == m->most)) m->rising = 0;
    if (m->rising) m->k = first ? 1 : k + 1;
    else choose(s, st, k);
    if (cst__bdf_accepted(s, st)) return h;
    if (m->rising) return 2 * h;
    const double f = factor(m->e[m->k], m->k);
    return f >= 2 ? 2 * h : f <= 1 ? h * clip(f, 0.5, 0.9) : h;
}
