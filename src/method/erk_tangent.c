/* erk_tangent.c - tangent of an explicit Runge-Kutta step, on a block of directions.
 *
 *     Ydot_i = ydot + h sum_(j<i) a_ij kdot_j,   kdot_i = f_y(T_i, Y_i) Ydot_i + f_p(T_i, Y_i) pdot,
 *     ydot+  = ydot + h sum_i b_i kdot_i
 *     qdot+  = qdot + h sum_i b_i (r_y Ydot_i + r_p pdot)
 *
 * The state's step has been taken: its stages are in st->stages, those of the estimate in the method. */
#include "method/erk.h"

#include "base/kernels.h"
#include "method/judge.h"

/* The block's counterparts of erk.k and erk.y. */
static void cut(const costate_solver *s, const dblock *d, double **k, double **y)
{
    const erk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    cst__erk_place(m, nw, d->kdot, k, y);
    for (int i = 1; i < m->s; i++)
        if (m->live[i]) y[i] = d->stages + (size_t)m->slot[i] * nw;
    k[0] = d->fdot;
    k[m->s] = d->fdotnew;
    if (m->fsal) k[m->s - 1] = d->fdotnew;
}

static int tangent_stage(costate_solver *s, const step *st, dblock *d, int i, double **k, double **y)
{
    const erk *m = s->method;
    double c[ERK_MOST];
    const double *v[ERK_MOST];
    const double *ydot = y[i];
    if (m->fsal && i == m->s - 1) ydot = d->ydotnew;
    else cst__combine((size_t)s->prob.n * (size_t)d->w, d->ydot, row_terms(&m->a[i], st->h, k, c, v, 0), c, v, y[i]);
    return deriv_jvp(&s->d, erk_time(m, st, i), erk_stage(m, st, i, s->state), s->p, d->w, NULL, ydot, d->pdot, k[i]);
}

static int dead_tangents(costate_solver *s, const step *st, dblock *d, int all, double **k, double **y)
{
    const erk *m = s->method;
    for (int i = 1; i < m->s; i++) {
        int last = m->fsal && i == m->s - 1;
        if (m->live[i] || (!all && s->table->e[i] == 0) || (last && d->fdotnew_valid)) continue;
        TRY(tangent_stage(s, st, d, i, k, y));
        if (last) d->fdotnew_valid = 1;
    }
    return 0;
}

int cst__erk_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    const erk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    double c[ERK_MOST], *k[ERK_MOST], *y[ERK_MOST];
    const double *v[ERK_MOST];
    cut(s, d, k, y);
    if (!d->fdot_valid) TRY(deriv_jvp(&s->d, st->t, st->y, s->p, d->w, NULL, d->ydot, d->pdot, d->fdot));
    d->fdot_valid = 1;
    d->fdotnew_valid = 0;
    for (int i = 1; i < m->s; i++)
        if (m->live[i]) TRY(tangent_stage(s, st, d, i, k, y));
    if (d->ydotnew) cst__combine(nw, d->ydot, row_terms(&m->b, st->h, k, c, v, 0), c, v, d->ydotnew);
    if (!err) return 0;
    TRY(dead_tangents(s, st, d, 0, k, y));
    *err = judge_lanes(s, st->h, d, row_terms(&m->e, st->h, k, c, v, 0), c, v, d->ydotnew);
    return 0;
}

int cst__erk_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    const erk *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    for (int q = 0; q < m->b.m; q++) {
        int i = m->b.j[q];
        const double *ydot = m->slot[i] < 0 ? d->ydot : d->stages + (size_t)m->slot[i] * nw;
        TRY(r->fn.jvp(0, erk_time(m, st, i), erk_stage(m, st, i, s->state), s->p, d->w, NULL, ydot, d->pdot, d->qrow, r->data));
        for (int o = 0; o < s->nobj * d->w; o++) d->qdot[o] += st->h * m->b.a[q] * d->qrow[o];
    }
    return 0;
}

/* Stages of the sum, and with error control those of the estimate. */
void cst__erk_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q)
{
    const erk *m = s->method;
    double *k[ERK_MOST], *y[ERK_MOST];
    q->count = q->shared = 0;
    if (d) cut(s, d, k, y);
    for (int i = 0; i < m->s; i++) {
        const double b = s->table->b[i], e = s->opt.step > 0 || !s->table->e ? 0 : s->table->e[i];
        if (b == 0 && e == 0) continue;
        const double *at = d ? (m->fsal && i == m->s - 1 ? d->ydotnew : i == 0 ? d->ydot : y[i]) : erk_stage(m, st, i, s->state);
        quadrature_add(q, erk_time(m, st, i), st->h * b, st->h * e, at);
    }
}

/* ---- dense output -------------------------------------------------------------------------------------------------
 *
 *     H(theta) = y + theta (dy + (1-theta) ((h k_1 - dy) + theta (2 dy - h k_1 - h k_new))),   dy = y+ - y
 *     y(t + theta h) = H(theta) + sum_m P_m(theta) h sum_i d_mi k_i                                (costate.h: costate_table) */

/* All that interpolation needs and the step did not: f at the new point (which the next step will want too), dead and extra
 * stages. */
static int prepare(costate_solver *s, const step *st)
{
    erk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[ERK_MOST];
    const double *v[ERK_MOST];
    if (s->table->dense_rows) TRY(cst__erk_dead_stages(s, st, 1));
    if (!s->fnew_valid) TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew));
    s->fnew_valid = 1;
    for (int i = m->s + 1; i < m->all; i++) {
        cst__combine(n, st->y, row_terms(&m->a[i], st->h, m->k, c, v, 0), c, v, m->y[i]);
        TRY(deriv_rhs(&s->d, erk_time(m, st, i), m->y[i], s->p, m->k[i]));
    }
    m->dense_ready = 1;
    return 0;
}

static int prepare_tangent(costate_solver *s, const step *st, dblock *d)
{
    erk *m = s->method;
    double *k[ERK_MOST], *y[ERK_MOST], c[ERK_MOST];
    const double *v[ERK_MOST];
    cut(s, d, k, y);
    if (s->table->dense_rows) TRY(dead_tangents(s, st, d, 1, k, y));
    if (!d->fdotnew_valid) TRY(deriv_jvp(&s->d, st->tn, st->ynew, s->p, d->w, NULL, d->ydotnew, d->pdot, d->fdotnew));
    d->fdotnew_valid = 1;
    for (int i = m->s + 1; i < m->all; i++) {
        cst__combine((size_t)s->prob.n * (size_t)d->w, d->ydot, row_terms(&m->a[i], st->h, k, c, v, 0), c, v, y[i]);
        TRY(deriv_jvp(&s->d, erk_time(m, st, i), m->y[i], s->p, d->w, NULL, y[i], d->pdot, k[i]));
    }
    return 0;
}

/* One polynomial for state and directions alike. H + extension = y + a1 (ynew - y) + sum of coefficients times k. */
static void interpolate(const costate_solver *s, double h, double theta, size_t n, const double *y, const double *ynew,
                        double *const *k, double *out)
{
    const erk *m = s->method;
    double c[ERK_MOST + 2] = {0}, rest = 1 - theta;
    const double *v[ERK_MOST + 2];
    const int all = m->all;
    for (int i = 0; i < all; i++) v[i] = k[i];
    c[0] = h * theta * rest * rest;
    c[m->s] = -h * theta * theta * rest;
    double p = theta * theta * rest * rest;
    for (int q = 0; q < s->table->dense_rows; q++) {
        for (int i = 0; i < m->d[q].m; i++) c[m->d[q].j[i]] += h * p * m->d[q].a[i];
        p *= q % 2 ? rest : theta;
    }
    c[all] = theta * theta * (3 - 2 * theta);
    v[all] = ynew;
    double stay = 1 - c[all];
    int used = 0; /* only what counts: stages that were not evaluated must not be touched */
    for (int i = 0; i <= all; i++)
        if (c[i] != 0) {
            c[used] = c[i];
            v[used++] = v[i];
        }
    c[used] = stay;
    v[used++] = y;
    cst__combine(n, NULL, used, c, v, out);
}

int cst__erk_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    erk *m = s->method;
    if (!d) {
        if (!m->dense_ready) TRY(prepare(s, st));
        interpolate(s, st->h, theta, (size_t)s->prob.n, st->y, st->ynew, m->k, y);
        return 0;
    }
    double *k[ERK_MOST], *stage[ERK_MOST];
    if (first) TRY(prepare_tangent(s, st, d));
    cut(s, d, k, stage);
    interpolate(s, st->h, theta, (size_t)s->prob.n * (size_t)d->w, d->ydot, d->ydotnew, k, ydot);
    return 0;
}
