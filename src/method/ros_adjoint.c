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

#include "core/kernels.h"

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

/* out (rows x w) += the sum over i < count of lanes i w .. i w + w - 1 of x (rows x all) */
static void add_up(int rows, int count, int w, int all, const double *x, double *out)
{
    for (int q = 0; q < rows; q++)
        for (int j = 0; j < w; j++) {
            double sum = 0;
            for (int i = 0; i < count; i++) sum += x[q * all + i * w + j];
            out[q * w + j] += sum;
        }
}

/* The terms (f_yy k_i + h gamma_i f_yt)^T u_i of stages `first` .. first + count - 1 in one call, as `count` times w lanes,
 * added up over the stages. Like other blocks of lanes this one is filled up with zeros where more than half of it is used. */
static int several(costate_solver *s, const step *st, int first, int count, double *const *k, const parts *p, ablock *b)
{
    ros *m = s->method;
    int n = s->prob.n, np = b->mu ? s->prob.np : 0, w = b->w, most = (int)s->opt.lanes, used = count * w,
        all = 2 * used > most ? most : used;
    for (int i = first, l = 0; i < first + count; i++)
        for (int j = 0; j < w; j++, l++) {
            m->td[l] = st->h * s->table->gamma[i];
            for (int q = 0; q < n; q++) {
                m->rk[q * all + l] = k[i][q];
                m->ru[q * all + l] = p->u[i][q * w + j];
            }
        }
    for (int l = used; l < all; l++) {
        m->td[l] = 0;
        for (int q = 0; q < n; q++) m->rk[q * all + l] = m->ru[q * all + l] = 0;
    }
    memset(m->rd, 0, (size_t)(n * all) * sizeof *m->rd);
    memset(m->rp, 0, (size_t)(np * all) * sizeof *m->rp);
    const double *td = s->prob.autonomous ? NULL : m->td;
    TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, all, td, m->rk, NULL, m->ru, NULL, NULL, m->rd, NULL, np ? m->rp : NULL));
    add_up(n, count, w, all, m->rd, b->lambda);
    add_up(np, count, w, all, m->rp, b->mu);
    return 0;
}

/* lambda += sum (f_yy k_i + h gamma_i f_yt)^T u_i, mu likewise. From half the lanes on, stages by themselves are as fast. */
static int brackets(costate_solver *s, const step *st, double *const *k, const parts *p, ablock *b)
{
    ros *m = s->method;
    int w = b->w, lanes = (int)s->opt.lanes, each = m->together && 2 * w < lanes ? lanes / w : 1;
    const double *td = s->prob.autonomous ? NULL : m->td;
    for (int i = 0; each > 1 && i < m->s; i += each) TRY(several(s, st, i, m->s - i < each ? m->s - i : each, k, p, b));
    for (int i = 0; each <= 1 && i < m->s; i++) {
        ros_spread((size_t)s->prob.n, w, k[i], p->along);
        for (int l = 0; l < w; l++) m->td[l] = st->h * s->table->gamma[i];
        TRY(deriv_vjp_dot(&s->d, st->t, st->y, s->p, w, td, p->along, NULL, p->u[i], NULL, NULL, b->lambda, NULL, b->mu));
    }
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

int cst__ros_adjoint(costate_solver *s, const step *st, ablock *b)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    int running = b->omega && r->fn.eval;
    double c[2 * ROW_MOST + 2], *k[ROS_MOST], per_h = 1 / st->h;
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
        int terms = row_terms(&m->at[i], 1, p.v, c, v, 0);
        terms = row_terms(&m->gt[i], per_h, p.u, c, v, terms);
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
    TRY(cst__of(s, "vjp_dot", brackets(s, st, k, &p, b)));
    return running ? running_second(s, st, k, &p, b) : 0;
}
