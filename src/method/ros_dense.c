/* ros_dense.c - continuous extension of a Rosenbrock step, of the state and of directions alike.
 *
 *     y(t + theta h) = y + sum_i x_i(theta) k_i
 *     W k_(s+e) = f(t+h, y+) + M k_(s+e-1)/(gamma h) + h e gamma f_t(t, y),   e = 1, 2, .. (the k_(s+e-1) from e = 2 on)
 *
 * In steps with rows of output, methods with few stages get further ones at the end of the step, as many as make up for the facts
 * (extend.h) that the extension is to have. In the form of the order conditions (tableau.h), with beta = alpha + gamma and
 * omega = beta^-1, weights b of y(t + theta h) - y have
 *
 *     <b, 1> = theta,  <b, beta 1> = theta^2/2,  <b, omega alpha^2> = theta^2,
 *     <b, alpha^2> = theta^3/3,  <b, beta beta 1> = theta^3/6
 *
 * of which the third is about components that f_y rules (Hairer, Wanner: Solving ODEs II, VI.4). Methods of second order do
 * without the last two. For rodas4 this gives the weights that are published for it, up to those of the last stage, which is of
 * fourth order. docs/theory.md (60), (62) */
#include "method/ros.h"

#include "base/kernels.h"
#include "method/mass.h"

enum { LOW_ORDER_FACTS = 3 };

int cst__ros_further(const costate_table *tb)
{
    int facts = tb->order < 3 ? LOW_ORDER_FACTS : EXTEND_FACTS;
    return tb->stages < facts ? facts - tb->stages : 0;
}

/* The table with the further stages: they have Y = y+, and one another in G. */
static void enlarge(const costate_table *tb, int all, double *a, double *g, double *b)
{
    int s = tb->stages;
    for (int i = 0; i < all; i++) {
        b[i] = i < s ? tb->b[i] : 0;
        for (int j = 0; j < all; j++) {
            a[i * all + j] = i < s && j < s ? tb->a[i * s + j] : i >= s ? j < s ? tb->b[j] : 0 : 0;
            g[i * all + j] = i < s && j < s ? tb->g[i * s + j] : i > s && j == i - 1 ? 1 / tb->gamma[0] : 0;
        }
    }
}

static void times(int n, const double *a, const double *x, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++) out[i] += a[i * n + j] * x[j];
    }
}

void cst__ros_extend(ros *m, const costate_table *tb)
{
    int all = m->s + m->further;
    double a[all * all], g[all * all], b[all], alpha[all * all], gamma[all * all], beta[all * all];
    double one[all], node[all], square[all], fact[EXTEND_FACTS][all];
    enlarge(tb, all, a, g, b);
    costate_table large = {.stages = all, .a = a, .g = g, .gamma = tb->gamma};
    tableau_ros_standard(&large, alpha, gamma);
    for (int i = 0; i < all * all; i++) beta[i] = alpha[i] + gamma[i];
    for (int i = 0; i < all; i++) one[i] = 1;
    times(all, alpha, one, node);
    for (int i = 0; i < all; i++) {
        fact[0][i] = 1;
        fact[3][i] = square[i] = node[i] * node[i];
        fact[2][i] = square[i]; /* solved for, beta x = alpha^2 */
        for (int j = 0; j < i; j++) fact[2][i] -= beta[i * all + j] * fact[2][j];
        fact[2][i] /= tb->gamma[0];
    }
    times(all, beta, one, fact[1]);
    times(all, beta, fact[1], fact[4]);
    extend_facts f = {.count = tb->order < 3 ? LOW_ORDER_FACTS : EXTEND_FACTS, .degree = {1, 2, 2, 3, 3}};
    for (int k = 0; k < f.count; k++) times(all, gamma, fact[k], f.of[k]); /* of the k_i of the table */
    cst__extend(all, &f, b, m->dense);
}

static int further_stages(costate_solver *s, const step *st)
{
    ros *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[2];
    const double *v[2];
    if (!s->fnew_valid) TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew)); /* the next step begins with it */
    s->fnew_valid = 1;
    for (int e = 0; e < m->further; e++) {
        int terms = 0;
        if (!s->prob.autonomous) {
            c[terms] = st->h * (e + 1) * s->table->gamma[0];
            v[terms++] = m->ft;
        }
        if (e) {
            memcpy(m->y, m->more[e - 1], n * sizeof *m->y);
            mass_apply(s, 1, m->y);
            c[terms] = 1 / (st->h * s->table->gamma[0]);
            v[terms++] = m->y;
        }
        cst__combine(n, s->fnew, terms, c, v, m->more[e]);
        TRY(cst__implicit_solve(s, &m->im, 0, 0, 1, m->more[e]));
    }
    return 0;
}

static int further_tangents(costate_solver *s, const step *st, dblock *d, double *const *more)
{
    ros *m = s->method;
    size_t n = (size_t)s->prob.n, nw = n * (size_t)d->w;
    double *second = d->kdot, *along = second + nw, c[2] = {1, 1 / (st->h * s->table->gamma[0])};
    if (!d->fdotnew_valid) TRY(deriv_jvp(&s->d, st->tn, st->ynew, s->p, d->w, NULL, d->ydotnew, d->pdot, d->fdotnew));
    d->fdotnew_valid = 1;
    for (int e = 0; e < m->further; e++) {
        const double *v[2] = {second, e ? more[e - 1] : NULL};
        ros_spread(n, d->w, m->more[e], along);
        for (int l = 0; l < d->w; l++) m->td[l] = st->h * (e + 1) * s->table->gamma[0];
        const double *td = s->prob.autonomous ? NULL : m->td;
        TRY(cst__of(s, "jvp2", deriv_jvp2(&s->d, st->t, st->y, s->p, d->w, NULL, d->ydot, d->pdot, td, along, NULL, second)));
        if (e && s->prob.mass) {
            memcpy(along, more[e - 1], nw * sizeof *along);
            mass_apply(s, d->w, along);
            v[1] = along;
        }
        cst__combine(nw, d->fdotnew, e ? 2 : 1, c, v, more[e]);
        TRY(cst__implicit_solve(s, &m->im, 0, 0, d->w, more[e]));
    }
    return 0;
}

/* A block's further stages follow what its tangent works with. */
int cst__ros_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    const ros *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)(d ? d->w : 1);
    double c[ROS_MOST], *k[ROS_MOST];
    const double *v[ROS_MOST];
    cst__ros_stages(s, d ? d->stages : st->stages, d ? (size_t)d->w : 1, k);
    for (int e = 0; e < m->further; e++) k[m->s + e] = d ? d->kdot + (3 + (size_t)m->shared + (size_t)e) * nw : m->more[e];
    if (first && m->further) TRY(d ? further_tangents(s, st, d, k + m->s) : further_stages(s, st));
    for (int i = 0; i < m->s + m->further; i++) {
        c[i] = extend_at(m->dense[i], theta);
        v[i] = k[i];
    }
    cst__combine(nw, d ? d->ydot : st->y, m->s + m->further, c, v, d ? ydot : y);
    return 0;
}
