/* ros_second.c - the transposed Rosenbrock step differentiated along a block of directions. Beside the quantities of
 * ros_adjoint.c, with J. for the derivative of f_y(t, y) along (0, ydot, pdot):
 *
 *     W^T udot_i = m_i lambdadot+ + h b_i (r_yy ydot + r_yp pdot)^T omega + sum_(j>i) (a_ji vdot_j + (g_ji/h) udot_j) + J.^T u_i
 *     vdot_i     = f_y^T udot_i + (f_yy Ydot_i + f_yp pdot)^T u_i + h b_i (r_yy Ydot_i + r_yp pdot)^T omega        at (T_i, Y_i)
 *     lambdadot  = lambdadot+ + sum vdot_i + sum [ (f_yy k_i + h gamma_i f_yt)^T udot_i + (f_yy kdot_i)^T u_i
 *                  + f'''((0, ydot, pdot), (h gamma_i, k_i, 0))^T u_i ]
 *
 * and the same of r. The last term is the user's vjp_dot2: without it there is no second order. docs/theory.md (34) - (36). */
#include "method/ros.h"

#include "base/kernels.h"

typedef struct parts {
    double *u[ROS_MOST], *v[ROS_MOST], *udot[ROS_MOST], *vdot[ROS_MOST];
    double *ry, *rydot, *along, *ydot, *u_total, *udot_total, *seed;
} parts;

static parts cut(const costate_solver *s, const ablock *b)
{
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    double *at = b->work;
    parts p;
    for (int i = 0; i < s->table->stages; i++, at += 4 * nw) {
        p.u[i] = at;
        p.udot[i] = at + nw;
        p.v[i] = at + 2 * nw;
        p.vdot[i] = at + 3 * nw;
    }
    p.ry = at;
    p.rydot = at + nw;
    p.along = at + 2 * nw;
    p.ydot = at + 3 * nw;
    p.u_total = at + 4 * nw;
    p.udot_total = at + 5 * nw;
    p.seed = at + 6 * nw;
    return p;
}

/* u_i and udot_i */
static int back_stage(costate_solver *s, const step *st, int i, const double *ydot, const parts *p, ablock *b)
{
    ros *m = s->method;
    double c[2 * ROW_MOST + 2];
    const double *v[2 * ROW_MOST + 2];
    for (int dot = 0; dot < 2; dot++) {
        double *u = dot ? p->udot[i] : p->u[i];
        int terms = cst__ros_gather(s, st, i, b->w, dot ? p->udot : p->u, dot ? p->vdot : p->v, u, c, v);
        c[terms] = s->table->b[i];
        v[terms++] = dot ? b->lambda_dot : b->lambda;
        if (b->omega && s->d.running.fn.eval) {
            c[terms] = st->h * m->b[i];
            v[terms++] = dot ? p->rydot : p->ry;
        }
        cst__combine((size_t)s->prob.n * (size_t)b->w, NULL, terms, c, v, u);
        if (dot) TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, b->w, NULL, ydot, b->pdot, p->u[i], NULL, NULL, u, NULL, NULL));
        TRY(cst__implicit_solve(s, &m->im, 0, 1, b->w, u));
    }
    return 0;
}

/* v_i and vdot_i, for stage i and its twins together. */
static int back_point(costate_solver *s, const step *st, int i, const double *ydot, double *const *k, double *const *kd,
                      const parts *p, ablock *b)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    double c[ROW_MOST], t = ros_time(s, st, i), weight = st->h * m->weight[i];
    const double *v[ROW_MOST], *y = cst__ros_stage(s, st, i, k);
    const double *u = cst__ros_total(s, i, b->w, p->u, p->u_total), *udot = cst__ros_total(s, i, b->w, p->udot, p->udot_total);
    if (m->a[i].m) {
        int terms = row_terms(&m->a[i], 1, kd, c, v, 0);
        cst__combine(nw, ydot, terms, c, v, p->ydot);
        ydot = p->ydot;
    }
    memset(p->v[i], 0, 2 * nw * sizeof *p->v[i]);
    TRY(deriv_vjp_dot(&s->d, t, y, s->p, b->w, NULL, ydot, b->pdot, u, udot, p->v[i], p->vdot[i], b->mu, b->mu_dot));
    if (!b->omega || !r->fn.eval) return 0;
    for (int o = 0; o < s->nobj * b->w; o++) p->seed[o] = weight * b->omega[o];
    return cst__of(
        s, "running's vjp_dot",
        r->fn.vjp_dot(0, t, y, s->p, b->w, NULL, ydot, b->pdot, p->seed, NULL, p->v[i], p->vdot[i], b->mu, b->mu_dot, r->data));
}

/* What W and f_t at (t, y) contribute to lambdadot through stage i. k_i is in p->along. */
static int bracket(costate_solver *s, const step *st, int i, const double *td, const double *ydot, double *const *kd,
                   const parts *p, ablock *b)
{
    TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, b->w, td, p->along, NULL, p->udot[i], NULL, NULL, b->lambda_dot, NULL,
                      b->mu_dot));
    TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, b->w, NULL, kd[i], NULL, p->u[i], NULL, NULL, b->lambda_dot, NULL, b->mu_dot));
    return cst__of(s, "vjp_dot2",
                   s->prob.vjp_dot2(st->t, st->y, s->p, b->w, NULL, ydot, b->pdot, td, p->along, NULL, p->u[i], b->lambda_dot,
                                    b->mu_dot, s->prob.data));
}

/* The same through a group of stages. k_i and u_i are in m->rk and m->ru. */
static int brackets(costate_solver *s, const step *st, const ros_group *g, const double *td, const double *ydot,
                    double *const *kd, const parts *p, ablock *b)
{
    ros *m = s->method;
    int n = s->prob.n, np = b->mu_dot ? s->prob.np : 0, all = g->all;
    double *pdot = b->pdot ? m->rq : NULL, *sum = m->rd, *psum = np ? m->rp : NULL;
    memset(sum, 0, (size_t)n * (size_t)all * sizeof *sum);
    memset(m->rp, 0, (size_t)np * (size_t)all * sizeof *m->rp);
    cst__ros_put_same(g, n, ydot, m->ry);
    if (pdot) cst__ros_put_same(g, s->prob.np, b->pdot, pdot);
    TRY(cst__of(s, "vjp_dot2",
                s->prob.vjp_dot2(st->t, st->y, s->p, all, NULL, m->ry, pdot, td, m->rk, NULL, m->ru, sum, psum, s->prob.data)));
    cst__ros_put(g, n, g->w, p->udot, m->ru);
    TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, all, td, m->rk, NULL, m->ru, NULL, NULL, sum, NULL, psum));
    cst__ros_put(g, n, g->w, kd, m->rk);
    cst__ros_put(g, n, g->w, p->u, m->ru);
    TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, all, NULL, m->rk, NULL, m->ru, NULL, NULL, sum, NULL, psum));
    cst__ros_add(g, n, sum, b->lambda_dot);
    cst__ros_add(g, np, psum, b->mu_dot);
    return 0;
}

/* The running objective's terms at (t, y), with S = h sum b_i k_i, tau = h^2 sum b_i gamma_i. */
static int running_terms(costate_solver *s, const step *st, const double *ydot, double *const *k, double *const *kd,
                         const parts *p, ablock *b)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    double c[ROS_MOST];
    const double *v[ROS_MOST];
    cst__ros_quadrature(s, st, k);
    ros_spread((size_t)s->prob.n, b->w, m->sum, p->along);
    for (int l = 0; l < b->w; l++) m->td[l] = st->h * st->h * m->bgamma;
    for (int i = 0; i < m->s; i++) {
        c[i] = st->h * m->b[i];
        v[i] = kd[i];
    }
    cst__combine((size_t)s->prob.n * (size_t)b->w, NULL, m->s, c, v, p->ydot);
    int rc =
        r->fn.vjp_dot(0, st->t, st->y, s->p, b->w, m->td, p->along, NULL, b->omega, NULL, NULL, b->lambda, NULL, b->mu, r->data);
    if (!rc)
        rc = r->fn.vjp_dot(0, st->t, st->y, s->p, b->w, NULL, p->ydot, NULL, b->omega, NULL, NULL, b->lambda_dot, NULL, b->mu_dot,
                           r->data);
    TRY(cst__of(s, "running's vjp_dot", rc));
    return cst__of(s, "running's vjp_dot2",
                   s->prob.running.vjp_dot2(0, st->t, st->y, s->p, b->w, NULL, ydot, b->pdot, m->td, p->along, NULL, b->omega,
                                            b->lambda_dot, b->mu_dot, s->prob.data));
}

int cst__ros_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    int running = b->omega && r->fn.eval;
    double c[ROS_MOST], *k[ROS_MOST], *kd[ROS_MOST];
    const double *v[ROS_MOST], *vdot[ROS_MOST];
    parts p = cut(s, b);
    cst__ros_stages(s, st->stages, 1, k);
    cst__ros_stages(s, dstages, (size_t)b->w, kd);
    s->f_valid = 0;
    TRY(cst__ros_matrices(s, st, 0));
    if (running) {
        memset(p.ry, 0, 2 * nw * sizeof *p.ry);
        TRY(cst__of(
            s, "running's vjp_dot",
            r->fn.vjp_dot(0, st->t, st->y, s->p, b->w, NULL, ydot, b->pdot, b->omega, NULL, p.ry, p.rydot, NULL, NULL, r->data)));
    }
    for (int i = m->s - 1; i >= 0; i--) {
        TRY(back_stage(s, st, i, ydot, &p, b));
        if (m->same[i] == i) TRY(back_point(s, st, i, ydot, k, kd, &p, b));
    }
    int terms = 0;
    for (int i = 0; i < m->s; i++)
        if (m->same[i] == i) {
            c[terms] = 1;
            v[terms] = p.v[i];
            vdot[terms++] = p.vdot[i];
        }
    cst__combine(nw, b->lambda, terms, c, v, b->lambda);
    cst__combine(nw, b->lambda_dot, terms, c, vdot, b->lambda_dot);
    for (ros_group g = cst__ros_group(s, 0, b->w); g.count; g = cst__ros_group(s, g.first + g.count, b->w)) {
        const double *td = cst__ros_times(s, st, &g);
        TRY(cst__ros_brackets(s, st, &g, k, p.u, p.along, b));
        TRY(g.count == 1 ? bracket(s, st, g.first, td, ydot, kd, &p, b) : brackets(s, st, &g, td, ydot, kd, &p, b));
    }
    return running ? running_terms(s, st, ydot, k, kd, &p, b) : 0;
}

/* NULL, or which product is missing. */
const char *cst__ros_lacks(const costate_solver *s)
{
    if (!s->prob.vjp_dot2) return "vjp_dot2, the third derivatives of the right-hand side";
    if (s->prob.running.eval && !s->prob.running.vjp_dot2)
        return "running.vjp_dot2, the third derivatives of the running objective";
    return NULL;
}
