/* sdirk_tangent.c - tangent of a singly diagonally implicit step, on a block of directions; and dense output, of the state and of
 * directions alike.
 *
 *     (shift I - f_y(T_i, Y_i)) zdot_i = shift sum_(j<i) theta_ij zdot_j + f_y(T_i, Y_i) ydot + f_p(T_i, Y_i) pdot
 *     Ydot_i = ydot + zdot_i
 *     ydot+ = ydot + sum_i d_i zdot_i
 *     qdot+ = qdot + h sum_i b_i (r_y Ydot_i + r_p pdot)
 *
 * docs/theory.md (41), (42). The stage data are the Ydot_i. */
#include "method/sdirk.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

static int tangent_error(costate_solver *s, const step *st, dblock *d, double *const *z, double *err)
{
    sdirk *m = s->method;
    size_t n = (size_t)s->prob.n, nw = n * (size_t)d->w;
    double c[ROW_MOST];
    const double *v[ROW_MOST];
    held_matrix a = m->held[SLOT_STEP]; /* of the step just taken */
    int terms = row_terms(&m->e, m->filter ? a.shift : 1, z, c, v, 0);
    if (m->filter) {
        cst__combine(nw, NULL, terms, c, v, d->kdot);
        mass_apply(s, d->w, d->kdot);
        TRY(cst__sdirk_factor(s, SLOT_STEP, &a));
        TRY(cst__implicit_solve(s, &m->im, SLOT_STEP, 0, d->w, d->kdot));
        c[0] = terms = 1;
        v[0] = d->kdot;
    }
    *err = judge_lanes(s, st->h, d, terms, c, v, d->ydotnew);
    return 0;
}

int cst__sdirk_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    const sdirk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    double c[ROW_MOST], *z[SDIRK_MOST];
    const double *v[ROW_MOST], one = 1;
    d->fdotnew_valid = 0;
    for (int i = 0; i < m->s; i++) {
        z[i] = sdirk_stage(s, d->stages, i, d->w);
        TRY(deriv_jvp(&s->d, sdirk_time(m, st, i), sdirk_stage(s, st->stages, i, 1), s->p, d->w, NULL, d->ydot, d->pdot,
                      d->kdot));
        int terms = row_terms(&m->g[i], sdirk_shift(m, st), z, c, v, 0);
        if (s->prob.mass) {
            cst__combine(nw, NULL, terms, c, v, z[i]);
            mass_apply(s, d->w, z[i]);
            for (size_t j = 0; j < nw; j++) z[i][j] += d->kdot[j];
        } else cst__combine(nw, d->kdot, terms, c, v, z[i]);
        TRY(cst__sdirk_linear(s, st, i, 0, d->w, z[i], d->kdot));
    }
    int terms = row_terms(&m->d, 1, z, c, v, 0);
    if (d->ydotnew) cst__combine(nw, d->ydot, terms, c, v, d->ydotnew);
    if (err) TRY(tangent_error(s, st, d, z, err));
    for (int i = 0; i < m->s; i++) cst__combine(nw, d->ydot, 1, &one, (const double *const *)&z[i], z[i]); /* now Ydot_i */
    return 0;
}

int cst__sdirk_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    const sdirk *m = s->method;
    const deriv_function *r = &s->d.running;
    for (int i = 0; i < m->s; i++) {
        const double *y = sdirk_stage(s, st->stages, i, 1), *yd = sdirk_stage(s, d->stages, i, d->w);
        TRY(r->fn.jvp(0, sdirk_time(m, st, i), y, s->p, d->w, NULL, yd, d->pdot, d->qrow, r->data));
        for (int o = 0; o < s->nobj * d->w; o++) d->qdot[o] += st->h * s->table->b[i] * d->qrow[o];
    }
    return 0;
}

void cst__sdirk_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q)
{
    const sdirk *m = s->method;
    const costate_table *tb = s->table;
    q->count = q->shared = 0;
    for (int i = 0; i < m->s; i++)
        quadrature_add(q, sdirk_time(m, st, i), st->h * tb->b[i], tb->e ? st->h * tb->e[i] : 0,
                       sdirk_stage(s, d ? d->stages : st->stages, i, d ? d->w : 1));
}

/* y + sum_i x_i(theta) (Y_i - y): nothing is evaluated, and the directions are those of the state's polynomial. */
int cst__sdirk_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    const sdirk *m = s->method;
    double c[SDIRK_MOST + 1];
    const double *v[SDIRK_MOST + 1];
    int w = d ? d->w : 1;
    (void)first;
    c[m->s] = 1;
    v[m->s] = d ? d->ydot : st->y;
    for (int i = 0; i < m->s; i++) {
        c[i] = extend_at(m->dense[i], theta);
        v[i] = sdirk_stage(s, d ? d->stages : st->stages, i, w);
        c[m->s] -= c[i];
    }
    cst__combine((size_t)s->prob.n * (size_t)w, NULL, m->s + 1, c, v, d ? ydot : y);
    return 0;
}
