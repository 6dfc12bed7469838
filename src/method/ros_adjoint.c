/* ros_adjoint.c - transposed Rosenbrock step; stages s..1. The derivative of W and of f_t with respect to y and p is a vjp_dot
 * at (t, y) along (h gamma_i, k_i, 0) with seed u_i: one point for all stages, so that they can share a call as lanes.
 *
 *     W^T u_i = m_i lambda+ + h b_i r_y(t, y)^T omega + sum_(j>i) (a_ji v_j + (g_ji/h) u_j)
 *     v_i     = f_y(T_i, Y_i)^T u_i + h b_i r_y(T_i, Y_i)^T omega
 *     lambda  = lambda+ + sum v_i + sum (f_yy k_i + h gamma_i f_yt)^T u_i
 *               + (r_yy h sum b_i k_i + h^2 sum b_i gamma_i r_yt)^T omega
 *
 * and mu likewise with f_p, r_p. docs/theory.md (30) - (33). */
#include "method/ros.h"

#include "base/kernels.h"
#include "method/mass.h"

typedef struct parts { /* of the block's work */
    double *u[ROS_MOST], *v[ROS_MOST], *ry, *along, *seed;
} parts;

static parts cut(const costate_solver *s, const ablock *b)
{
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    int stages = s->table->stages;
    double *at = b->work;
    parts p;
    for (int i = 0; i < stages; i++) {
        p.u[i] = at + (size_t)i * nw;
        p.v[i] = at + (size_t)(stages + i) * nw;
    }
    at += 2 * (size_t)stages * nw;
    p.ry = at;
    p.along = at + nw;
    p.seed = at + 2 * nw;
    return p;
}

static void put_point(const costate_solver *s, ablock *b, double t, const double *y, const double *u)
{
    size_t n = (size_t)s->prob.n, nw = n * (size_t)b->w;
    b->pt[b->points] = t;
    b->py[b->points] = memcpy(b->py_copy + (size_t)b->points * n, y, n * sizeof *y);
    b->pu[b->points] = memcpy(b->pu_store + (size_t)b->points * nw, u, nw * sizeof *u);
    b->points++;
}

int cst__ros_brackets(costate_solver *s, const step *st, const ros_group *g, double *const *k, double *const *u, double *along,
                      ablock *b)
{
    ros *m = s->method;
    int n = s->prob.n, np = b->mu ? s->prob.np : 0;
    const double *td = cst__ros_times(s, st, g);
    if (g->count == 1) {
        ros_spread((size_t)n, g->w, k[g->first], along);
        return deriv_vjp_dot(&s->d, st->t, st->y, s->p, g->w, td, along, NULL, u[g->first], NULL, NULL, b->lambda, NULL, b->mu);
    }
    cst__ros_put(g, n, 1, k, m->rk);
    cst__ros_put(g, n, g->w, u, m->ru);
    memset(m->rd, 0, (size_t)n * (size_t)g->all * sizeof *m->rd);
    memset(m->rp, 0, (size_t)np * (size_t)g->all * sizeof *m->rp);
    TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, g->all, td, m->rk, NULL, m->ru, NULL, NULL, m->rd, NULL, np ? m->rp : NULL));
    cst__ros_add(g, n, m->rd, b->lambda);
    cst__ros_add(g, np, m->rp, b->mu);
    return 0;
}

/* The running objective's part at (t, y) that comes from k_i and f_t. */
static int running_second(costate_solver *s, const step *st, double *const *k, const parts *p, ablock *b)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    cst__ros_quadrature(s, st, k);
    ros_spread((size_t)s->prob.n, b->w, m->sum, p->along);
    for (int l = 0; l < b->w; l++) m->td[l] = st->h * st->h * m->bgamma;
    return cst__of(
        s, "running's vjp_dot",
        r->fn.vjp_dot(0, st->t, st->y, s->p, b->w, m->td, p->along, NULL, b->omega, NULL, NULL, b->lambda, NULL, b->mu, r->data));
}

/* v_i for stage i and its twins together, which have all their u by now: equal rows of A mean that v is wanted only as their
 * sum. */
static int back_point(costate_solver *s, const step *st, int i, double *const *k, const parts *p, ablock *b)
{
    const ros *m = s->method;
    const deriv_function *r = &s->d.running;
    double t = ros_time(s, st, i), weight = st->h * m->weight[i];
    const double *y = cst__ros_stage(s, st, i, k), *u = cst__ros_total(s, i, b->w, p->u, p->along);
    if (b->capacity) put_point(s, b, t, y, u);
    TRY(deriv_vjp(&s->d, t, y, s->p, b->w, u, p->v[i], b->capacity ? NULL : b->mu));
    if (!b->omega || !r->fn.eval) return 0;
    for (int o = 0; o < s->nobj * b->w; o++) p->seed[o] = weight * b->omega[o];
    return cst__of(s, "running's vjp", r->fn.vjp(0, t, y, s->p, b->w, p->seed, p->v[i], b->mu, r->data));
}

int cst__ros_gather(const costate_solver *s, const step *st, int i, int w, double *const *u, double *const *along, double *out,
                    double *c, const double **v)
{
    const ros *m = s->method;
    const double per_h = 1 / st->h;
    if (!s->prob.mass || !m->gt[i].m) return row_terms(&m->gt[i], per_h, u, c, v, row_terms(&m->at[i], 1, along, c, v, 0));
    int terms = row_terms(&m->gt[i], per_h, u, c, v, 0);
    cst__combine((size_t)s->prob.n * (size_t)w, NULL, terms, c, v, out);
    mass_apply(s, w, out);
    c[0] = 1;
    v[0] = out;
    return row_terms(&m->at[i], 1, along, c, v, 1);
}

int cst__ros_adjoint(costate_solver *s, const step *st, ablock *b)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    int running = b->omega && r->fn.eval;
    double c[2 * ROW_MOST + 2], *k[ROS_MOST];
    const double *v[2 * ROW_MOST + 2];
    parts p = cut(s, b);
    cst__ros_stages(s, st->stages, 1, k);
    s->f_valid = 0;
    TRY(cst__ros_matrices(s, st, 0));
    memset(p.v[0], 0, (size_t)m->s * nw * sizeof *p.v[0]);
    if (running) {
        memset(p.ry, 0, nw * sizeof *p.ry);
        TRY(cst__of(s, "running's vjp", r->fn.vjp(0, st->t, st->y, s->p, b->w, b->omega, p.ry, NULL, r->data)));
    }
    for (int i = m->s - 1; i >= 0; i--) {
        int terms = cst__ros_gather(s, st, i, b->w, p.u, p.v, p.u[i], c, v);
        c[terms] = s->table->b[i];
        v[terms++] = b->lambda;
        if (running) {
            c[terms] = st->h * m->b[i];
            v[terms++] = p.ry;
        }
        cst__combine(nw, NULL, terms, c, v, p.u[i]);
        TRY(cst__implicit_solve(s, &m->im, 0, 1, b->w, p.u[i]));
        if (m->same[i] == i) TRY(back_point(s, st, i, k, &p, b));
    }
    int terms = 0;
    for (int i = 0; i < m->s; i++)
        if (m->same[i] == i) {
            c[terms] = 1;
            v[terms++] = p.v[i];
        }
    cst__combine(nw, b->lambda, terms, c, v, b->lambda);
    for (ros_group g = cst__ros_group(s, 0, b->w); g.count; g = cst__ros_group(s, g.first + g.count, b->w))
        TRY(cst__of(s, "vjp_dot", cst__ros_brackets(s, st, &g, k, p.u, p.along, b)));
    return running ? running_second(s, st, k, &p, b) : 0;
}
