/* ros_tangent.c - tangent of a Rosenbrock step. The derivative of W k_i brings in second derivatives of f at (t, y): ONE jvp2
 * per stage with d1 = (0, ydot, pdot), d2 = (h gamma_i, k_i, 0).
 *
 *     W kdot_i = f'(T_i, Y_i) (0, Ydot_i, pdot) + sum_(j<i) (g_ij/h) kdot_j + f''(t, y)(d1, d2)
 *     Ydot_i   = ydot + sum_(j<i) a_ij kdot_j
 *     ydot+    = ydot + sum m_i kdot_i
 *     qdot+    = qdot + h sum b_i r'(T_i, Y_i)(0, Ydot_i, pdot) + r_y(t, y) h sum b_i kdot_i
 *                + r''(t, y)(d1, (h^2 sum b_i gamma_i, h sum b_i k_i, 0))
 *
 * docs/theory.md (27) - (29). The factors are those of the step. */
#include "method/ros.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

/* Ydot_i, in scratch or ydot itself. */
static const double *stage_direction(const costate_solver *s, const dblock *d, int i, double *const *kd, double *scratch)
{
    const ros *m = s->method;
    double c[ROW_MOST];
    const double *v[ROW_MOST];
    if (!m->a[i].m) return d->ydot;
    int terms = row_terms(&m->a[i], 1, kd, c, v, 0);
    cst__combine((size_t)s->prob.n * (size_t)d->w, d->ydot, terms, c, v, scratch);
    return scratch;
}

int cst__ros_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    ros *m = s->method;
    const costate_table *tb = s->table;
    size_t n = (size_t)s->prob.n, nw = n * (size_t)d->w;
    double c[2 * ROW_MOST], *k[ROS_MOST], *kd[ROS_MOST];
    const double *v[2 * ROW_MOST];
    double *scratch = d->kdot, *second = scratch + nw, *along = second + nw, *kept = along;
    double *slope[ROS_MOST] = {d->fdot}; /* f'(T_i, Y_i)(0, Ydot_i, pdot); the first is what dense output wants too */
    cst__ros_stages(s, st->stages, 1, k);
    cst__ros_stages(s, d->stages, (size_t)d->w, kd);
    TRY(cst__ros_matrices(s, st, 0));
    d->fdotnew_valid = 0;
    for (int i = 0; i < m->s; i++) {
        if (i) slope[i] = m->same[i] != i ? slope[m->same[i]] : m->twins[i].m > 1 ? (kept += nw) : kd[i];
        if (m->same[i] == i) {
            const double *ydot = stage_direction(s, d, i, kd, scratch);
            TRY(deriv_jvp(&s->d, ros_time(s, st, i), cst__ros_stage(s, st, i, k), s->p, d->w, NULL, ydot, d->pdot, slope[i]));
        }
        ros_spread(n, d->w, k[i], along);
        for (int l = 0; l < d->w; l++) m->td[l] = st->h * tb->gamma[i];
        const double *td = s->prob.autonomous ? NULL : m->td;
        TRY(cst__of(s, "jvp2", deriv_jvp2(&s->d, st->t, st->y, s->p, d->w, NULL, d->ydot, d->pdot, td, along, NULL, second)));
        int terms = row_terms(&m->g[i], 1 / st->h, kd, c, v, 0);
        if (s->prob.mass) {
            if (slope[i] == kd[i]) slope[i] = memcpy(scratch, kd[i], nw * sizeof *scratch);
            cst__combine(nw, NULL, terms, c, v, kd[i]);
            mass_apply(s, d->w, kd[i]);
            c[0] = terms = 1;
            v[0] = kd[i];
        }
        c[terms] = 1;
        v[terms++] = second;
        cst__combine(nw, slope[i], terms, c, v, kd[i]);
        TRY(cst__implicit_solve(s, &m->im, 0, 0, d->w, kd[i]));
    }
    d->fdot_valid = 1;
    int terms = row_terms(&m->m, 1, kd, c, v, 0);
    if (d->ydotnew) cst__combine(nw, d->ydot, terms, c, v, d->ydotnew);
    if (!err) return 0;
    terms = row_terms(&m->e, 1, kd, c, v, 0);
    *err = judge_lanes(s, st->h, d, terms, c, v, d->ydotnew);
    int filtered;
    const double one = 1, *e = scratch;
    TRY(cst__ros_filter(s, st, d->w, terms, c, v, *err, scratch, &filtered));
    if (filtered) *err = judge_lanes(s, st->h, d, 1, &one, &e, d->ydotnew);
    return 0;
}

static void add(size_t count, double scale, const double *x, double *to)
{
    for (size_t i = 0; i < count; i++) to[i] += scale * x[i];
}

/* qdot += r''(t, y)(d1, (tdot, m->sum, 0)): the gradient of r_o' (tdot, sum, 0) for each objective o, as lanes, times (ydot,
 * pdot). */
static int running_second(costate_solver *s, const step *st, dblock *d)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    int lanes = (int)s->opt.lanes, w = d->w;
    for (int first = 0; first < s->nobj; first += lanes) {
        int count = s->nobj - first < lanes ? s->nobj - first : lanes;
        const size_t lanes_of_all = (size_t)count * sizeof(double);
        memset(m->ro, 0, (size_t)s->nobj * lanes_of_all);
        memset(m->rd, 0, (size_t)s->prob.n * lanes_of_all);
        memset(m->rp, 0, (size_t)s->prob.np * lanes_of_all);
        for (ptrdiff_t o = 0; o < count; o++) {
            m->ro[(first + o) * count + o] = 1;
            m->td[o] = st->h * st->h * m->bgamma;
        }
        ros_spread((size_t)s->prob.n, count, m->sum, m->rk);
        TRY(cst__of(
            s, "running's vjp_dot",
            r->fn.vjp_dot(0, st->t, st->y, s->p, count, m->td, m->rk, NULL, m->ro, NULL, NULL, m->rd, NULL, m->rp, r->data)));
        for (ptrdiff_t o = 0; o < count; o++)
            for (int l = 0; l < w; l++) {
                double sum = 0;
                for (ptrdiff_t i = 0; i < s->prob.n; i++) sum += m->rd[i * count + o] * d->ydot[i * w + l];
                for (ptrdiff_t i = 0; d->pdot && i < s->prob.np; i++) sum += m->rp[i * count + o] * d->pdot[i * w + l];
                d->qdot[(first + o) * w + l] += sum;
            }
    }
    return 0;
}

int cst__ros_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)d->w, qw = (size_t)s->nobj * (size_t)d->w;
    double *k[ROS_MOST], *kd[ROS_MOST], c[ROS_MOST];
    const double *v[ROS_MOST];
    cst__ros_stages(s, st->stages, 1, k);
    cst__ros_stages(s, d->stages, (size_t)d->w, kd);
    for (int i = 0; i < m->s; i++) {
        c[i] = st->h * m->b[i];
        v[i] = kd[i];
        if (m->same[i] != i) continue;
        const double *ydot = stage_direction(s, d, i, kd, d->kdot);
        TRY(cst__of(
            s, "running's jvp",
            r->fn.jvp(0, ros_time(s, st, i), cst__ros_stage(s, st, i, k), s->p, d->w, NULL, ydot, d->pdot, d->qrow, r->data)));
        add(qw, st->h * m->weight[i], d->qrow, d->qdot);
    }
    cst__combine(nw, NULL, m->s, c, v, d->kdot);
    TRY(cst__of(s, "running's jvp", r->fn.jvp(0, st->t, st->y, s->p, d->w, NULL, d->kdot, NULL, d->qrow, r->data)));
    add(qw, 1, d->qrow, d->qdot);
    cst__ros_quadrature(s, st, k);
    return running_second(s, st, d);
}
