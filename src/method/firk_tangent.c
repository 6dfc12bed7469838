/* firk_tangent.c - tangent of a fully implicit step, on a block of directions. With J_i = f_y(T_i, Y_i):
 *
 *     kdot_i = J_i Ydot_i + f_p(T_i, Y_i) pdot,   Ydot_i = ydot + h sum_j a_ij kdot_j,   ydot+ = ydot + h sum_i b_i kdot_i
 *     qdot+  = qdot + h sum_i b_i (r_y Ydot_i + r_p pdot)
 *
 * Direct: (I - h a_ij J_i) kdot = J_i ydot + f_p pdot with its own factors. Iterated: Newton's iteration on zdot_i = Ydot_i -
 * ydot with the factors of the step, F_i = f'(T_i, Y_i)(0, ydot + zdot_i, pdot), as for the state.
 * docs/theory.md (52). */
#include "method/firk.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

static int products(costate_solver *s, const step *st, const dblock *d, double *const ydot[FIRK_STAGES],
                    double *const f[FIRK_STAGES])
{
    const firk *m = s->method;
    double *y[FIRK_STAGES];
    firk_cut(st->stages, (size_t)s->prob.n, y);
    for (int i = 0; i < FIRK_STAGES; i++)
        TRY(deriv_jvp(&s->d, firk_time(m, st, i), y[i], s->p, d->w, NULL, ydot ? ydot[i] : d->ydot, d->pdot, f[i]));
    return 0;
}

static int direct(costate_solver *s, const step *st, dblock *d, double *const ydot[FIRK_STAGES])
{
    const firk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    double *k[FIRK_STAGES], c[FIRK_STAGES];
    firk_cut(d->kdot, nw, k);
    TRY(products(s, st, d, NULL, k));
    TRY(cst__firk_coupled_solve(s, st, 0, d->w, k, d->kdot + FIRK_STAGES * nw, k));
    for (int i = 0; i <= FIRK_STAGES; i++) {
        double *to = i < FIRK_STAGES ? ydot[i] : d->ydotnew;
        for (int j = 0; j < FIRK_STAGES; j++) c[j] = st->h * (i < FIRK_STAGES ? m->a[i][j] : m->b[j]);
        if (to) cst__combine(nw, d->ydot, FIRK_STAGES, c, (const double *const *)k, to);
    }
    return 0;
}

static int iterated(costate_solver *s, const step *st, dblock *d, double *const ydot[FIRK_STAGES], newton_verdict *v)
{
    const firk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    firk_system q = {.w = d->w, .h = st->h, .from = d->ydot, .q = d->kdot + 2 * FIRK_STAGES * nw};
    newton c = firk_sweep(s);
    firk_cut(d->kdot, nw, q.f);
    firk_cut(d->kdot + FIRK_STAGES * nw, nw, q.x);
    memcpy(q.y, ydot, sizeof q.y);
    for (int i = 0; i < FIRK_STAGES; i++) {
        memset(q.x[i], 0, nw * sizeof *q.x[i]);
        memcpy(q.y[i], d->ydot, nw * sizeof *q.y[i]);
    }
    do {
        TRY(products(s, st, d, q.y, q.f));
        TRY(cst__firk_correct(s, &q, 0));
        *v = cst__firk_judge(s, &q, st->y, &c);
    } while (*v == NEWTON_AGAIN);
    if (d->ydotnew) cst__combine(nw, d->ydot, FIRK_STAGES, m->d, (const double *const *)q.x, d->ydotnew);
    return 0;
}

/* The slope of the estimate, differentiated. */
static int slope(costate_solver *s, const step *st, dblock *d, double *const ydot[FIRK_STAGES], const double **fdot)
{
    firk *m = s->method;
    size_t n = (size_t)s->prob.n, nw = n * (size_t)d->w;
    double *y[FIRK_STAGES], *between = d->kdot, *f = between + nw;
    *fdot = d->fdot;
    if (m->e0 == 0) return 0;
    if (m->node == 0) {
        if (!d->fdot_valid) TRY(deriv_jvp(&s->d, st->t, st->y, s->p, d->w, NULL, d->ydot, d->pdot, d->fdot));
        d->fdot_valid = 1;
        return 0;
    }
    firk_cut(st->stages, n, y);
    cst__combine(n, NULL, 1 + FIRK_STAGES, m->mid, (const double *[]){st->y, y[0], y[1], y[2]}, m->spare);
    cst__combine(nw, NULL, 1 + FIRK_STAGES, m->mid, (const double *[]){d->ydot, ydot[0], ydot[1], ydot[2]}, between);
    *fdot = f;
    return deriv_jvp(&s->d, step_time(st, m->node), m->spare, s->p, d->w, NULL, between, d->pdot, f);
}

/* The state's estimate, differentiated but for its filter. */
static int estimate(costate_solver *s, const step *st, dblock *d, double *const ydot[FIRK_STAGES], double *err)
{
    firk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    double *raw = d->kdot + 3 * FIRK_STAGES * nw, g = m->gamma / st->h, one = 1;
    double c[] = {-g * (m->e[0] + m->e[1] + m->e[2]), g * m->e[0], g * m->e[1], g * m->e[2], m->gamma * m->e0, m->gamma * m->e1};
    const double *v[] = {d->ydot, ydot[0], ydot[1], ydot[2], NULL, d->fdotnew};
    TRY(slope(s, st, d, ydot, &v[4]));
    if (m->e1 != 0) {
        TRY(deriv_jvp(&s->d, st->tn, st->ynew, s->p, d->w, NULL, d->ydotnew, d->pdot, d->fdotnew));
        d->fdotnew_valid = 1;
    }
    if (m->e0 == 0) {
        c[4] = c[5];
        v[4] = v[5];
    }
    const int terms = m->e0 != 0 && m->e1 != 0 ? 6 : 5, states = 1 + FIRK_STAGES;
    if (s->prob.mass) {
        cst__combine(nw, NULL, states, c, v, raw);
        mass_apply(s, d->w, raw);
        cst__combine(nw, raw, terms - states, c + states, v + states, raw);
    } else cst__combine(nw, NULL, terms, c, v, raw);
    TRY(cst__implicit_solve(s, &m->im, 0, 0, d->w, raw));
    *err = judge_lanes(s, st->h, d, 1, &one, (const double *const *)&raw, d->ydotnew);
    return 0;
}

int cst__firk_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    const firk *m = s->method;
    int matrix_free = m->im.ls.ops->matrix_free, iterate = matrix_free || cst__implicit_iterates(s, 0);
    newton_verdict v = NEWTON_FAILS;
    double *ydot[FIRK_STAGES];
    firk_cut(d->stages, (size_t)s->prob.n * (size_t)d->w, ydot);
    d->fdotnew_valid = 0;
    if (iterate) {
        TRY(cst__firk_matrices(s, st, st->note));
        iterate = !firk_light_enough(s, 0);
    }
    if (iterate) {
        TRY(iterated(s, st, d, ydot, &v));
        if (v == NEWTON_FAILS && matrix_free) return STEP_NEWTON;
        if (v == NEWTON_FAILS) s->stats.fallbacks++;
    }
    if (v == NEWTON_FAILS) TRY(direct(s, st, d, ydot));
    return err ? estimate(s, st, d, ydot, err) : 0;
}

int cst__firk_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    const firk *m = s->method;
    const deriv_function *r = &s->d.running;
    double *y[FIRK_STAGES], *ydot[FIRK_STAGES];
    firk_cut(st->stages, (size_t)s->prob.n, y);
    firk_cut(d->stages, (size_t)s->prob.n * (size_t)d->w, ydot);
    for (int i = 0; i < FIRK_STAGES; i++) {
        TRY(cst__of(s, "running's jvp",
                    r->fn.jvp(0, firk_time(m, st, i), y[i], s->p, d->w, NULL, ydot[i], d->pdot, d->qrow, r->data)));
        for (int o = 0; o < s->nobj * d->w; o++) d->qdot[o] += st->h * m->b[i] * d->qrow[o];
    }
    return 0;
}

/* The estimate's weights, of h f at the stages: e^T A, for z = h A f. */
void cst__firk_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q)
{
    firk *m = s->method;
    const size_t count = (size_t)s->prob.n * (size_t)(d ? d->w : 1);
    const double *start = d ? d->ydot : st->y;
    double *y[FIRK_STAGES];
    q->count = q->shared = 0;
    firk_cut(d ? d->stages : st->stages, count, y);
    for (int i = 0; i < FIRK_STAGES; i++) {
        double e = 0;
        for (int j = 0; j < FIRK_STAGES; j++) e += m->e[j] * m->a[j][i];
        quadrature_add(q, firk_time(m, st, i), st->h * m->b[i], st->h * e, y[i]);
    }
    if (m->e1 != 0) quadrature_add(q, st->tn, 0, st->h * m->e1, d ? d->ydotnew : st->ynew);
    if (m->e0 == 0) return;
    if (m->node != 0) {
        double *between = d ? d->kdot : m->spare;
        cst__combine(count, NULL, 1 + FIRK_STAGES, m->mid, (const double *[]){start, y[0], y[1], y[2]}, between);
        start = between;
    }
    quadrature_add(q, m->node == 0 ? st->t : step_time(st, m->node), 0, st->h * m->e0, start);
}
