/* ros.c - Rosenbrock methods, forward: linearly implicit, one factorization a step, no iteration. W = I/(h gamma_1) - f_y(t, y).
 *
 *     Y_i = y + sum_(j<i) a_ij k_j,   W k_i = f(T_i, Y_i) + sum_(j<i) (g_ij/h) k_j + h gamma_i f_t(t, y)
 *     y+  = y + sum_i m_i k_i,        estimate sum_i e_i k_i
 *     q+  = q + h sum_i b_i r(T_i, Y_i) + r'(t, y) (h^2 sum b_i gamma_i, h sum b_i k_i, 0)
 *
 * docs/theory.md (23) - (26). The stage data are the k_i; Y_i is formed again where it is needed. */
#include "method/ros.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

#include <math.h>

enum { TOGETHER = 16 }; /* parameters per state up to which it pays to add up lanes of them */
enum { PATIENCE = 3 };  /* attempts at a step after which its estimate is filtered */

static void put(row *r, int j, double a)
{
    if (a == 0) return;
    r->j[r->m] = j;
    r->a[r->m++] = a;
}

static void derive(ros *m, const costate_table *tb)
{
    int s = m->s = tb->stages;
    tableau_ros_row(tb, tb->b, m->b);
    m->m = row_make(tb->b, s, 1);
    if (tb->e) m->e = row_make(tb->e, s, 1);
    for (int i = 0; i < s; i++) {
        int first = 0;
        while (tb->alpha[first] != tb->alpha[i] || memcmp(tb->a + i * s, tb->a + first * s, (size_t)s * sizeof(double))) first++;
        m->same[i] = first;
        m->points += first == i;
        put(&m->twins[first], i, 1);
        m->shared += first > 0 && m->twins[first].m == 2;
        m->weight[first] += m->b[i];
        m->bgamma += m->b[i] * tb->gamma[i];
        m->a[i] = row_make(tb->a + i * s, i, 1);
        m->g[i] = row_make(tb->g + i * s, i, 1);
        m->gt[i] = row_make(tb->g + i, s, s);
        for (int j = 0; first == i && j < i; j++) put(&m->at[j], i, tb->a[i * s + j]);
    }
    double k[ROS_MOST], stiff = 0; /* of y' = lambda y, lambda to minus infinity */
    for (int i = 0; i < s; i++) {
        k[i] = -1;
        for (int j = 0; j < i; j++) k[i] -= tb->a[i * s + j] * k[j];
        if (tb->e) stiff += tb->e[i] * k[i];
    }
    m->filter = fabs(stiff) > 1e-3;
    m->further = cst__ros_further(tb);
    cst__ros_extend(m, tb);
}

static int witness_of(ros *m, const costate_table *tb)
{
    witness_slopes q = {0};
    double b[ROS_MOST] = {0}, e[ROS_MOST] = {0}, x[ROS_MOST], d[WITNESS_MOST];
    if (!tb->e) return 0;
    tableau_ros_row(tb, tb->e, x);
    for (int i = 0; i < m->s; i++) {
        b[m->same[i]] += m->b[i];
        e[m->same[i]] += x[i];
    }
    for (int i = 0; i < m->s; i++) {
        witness_add(&q, tb->alpha[i], 0, b[i], e[i]);
        q.idle[i] = m->same[i] != i;
    }
    witness_add(&q, 1, 0, 0, 0);
    int order = cst__witness(&q, 3, d); /* stages are of first order, and in a way of their own */
    m->watch = row_make(d, order ? q.s : 0, 1);
    return order;
}

static int ros_open(costate_solver *s)
{
    ros *m = cst__alloc(&s->alloc, 1, sizeof *m);
    if (!m) return cst__fail(s, COSTATE_ERR_MEMORY, "the method");
    memset(m, 0, sizeof *m);
    s->method = m;
    derive(m, s->table);
    s->witness = witness_of(m, s->table);
    TRY(cst__implicit_open(s, &m->im, 1));
    m->together = s->prob.np / TOGETHER <= s->prob.n;
    size_t n = cst__pad((size_t)s->prob.n), lanes = (size_t)s->opt.lanes, dd = m->together || s->d.running.fn.eval ? lanes : 0;
    const size_t np = (size_t)s->prob.np + (s->ev ? 2 : 0); /* deriv/moving.h */
    size_t nw = cst__pad(dd * (size_t)s->prob.n), npw = cst__pad(dd * np), qw = cst__pad(dd * (size_t)s->nobj);
    size_t vectors = ((size_t)(m->s + m->further) + 3) * n, blocks = 3 * nw + npw + qw + (s->prob.vjp_dot2 ? nw + npw : 0);
    double *at = m->memory = cst__alloc(&s->alloc, vectors + blocks + cst__pad(lanes), sizeof(double));
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "%d stages of %d states", m->s, s->prob.n);
    for (int i = 0; i < m->s; i++) m->f[i] = at + (size_t)i * n;
    at += (size_t)m->s * n;
    for (int e = 0; e < m->further; e++, at += n) m->more[e] = at;
    m->ft = at;
    m->y = at += n;
    m->sum = at += n;
    m->rd = at += n;
    m->rk = at += nw;
    m->ru = at += nw;
    m->rp = at += nw;
    m->ro = at += npw;
    m->td = at += qw;
    m->ry = at += cst__pad(lanes);
    m->rq = at + nw;
    return 0;
}

static void ros_close(costate_solver *s)
{
    ros *m = s->method;
    if (m) {
        cst__implicit_close(s, &m->im);
        cst__release(&s->alloc, m->memory);
    }
    cst__release(&s->alloc, m);
    s->method = NULL;
}

static void ros_start(costate_solver *s, int fresh)
{
    ros *m = s->method;
    m->im.key = m->tried = -1;
    if (fresh && m->im.ls.ops->restart) m->im.ls.ops->restart(m->im.ls.self);
}

static size_t ros_stage_doubles(const costate_solver *s)
{
    return (size_t)s->table->stages * (size_t)s->prob.n;
}

static size_t ros_tangent_doubles(const costate_solver *s)
{
    const ros *m = s->method;
    return (3 + (size_t)(m->shared + m->further)) * (size_t)s->prob.n;
}

static size_t ros_adjoint_doubles(const costate_solver *s)
{
    return (4 * (size_t)s->table->stages + 6) * (size_t)s->prob.n +
           (size_t)s->nobj; /* of the second order; the first takes less */
}

static int ros_points(const costate_solver *s)
{
    const ros *m = s->method;
    return m->points;
}

int cst__ros_matrices(costate_solver *s, const step *st, int want_ft)
{
    ros *m = s->method;
    static const double one = 1;
    if (m->im.key != st->n) {
        TRY(cst__of(s, "jac", cst__implicit_jacobian(s, &m->im, st->n, st->t, st->y)));
        m->h = 0;
        m->have_ft = 0;
    }
    if (m->h != st->h && !s->d.prob.jvp) m->have_ft = 0; /* a difference within the step */
    if (want_ft && !m->have_ft && !s->prob.autonomous) {
        TRY(cst__of(s, "jvp", deriv_jvp(&s->d, st->t, st->y, s->p, 1, &one, NULL, NULL, m->ft)));
        m->have_ft = 1;
    }
    if (m->h != st->h) {
        m->h = 0;
        TRY(cst__implicit_factor(s, &m->im, 0, 0, 1 / (st->h * s->table->gamma[0]), 0));
        m->h = st->h;
    }
    return 0;
}

void cst__ros_stages(const costate_solver *s, const double *stages, size_t lanes, double **k)
{
    for (int i = 0; i < s->table->stages; i++) k[i] = (double *)(uintptr_t)(stages + (size_t)i * (size_t)s->prob.n * lanes);
}

const double *cst__ros_stage(costate_solver *s, const step *st, int i, double *const *k)
{
    ros *m = s->method;
    double c[ROW_MOST];
    const double *v[ROW_MOST];
    if (!m->a[i].m) return st->y;
    int terms = row_terms(&m->a[i], 1, k, c, v, 0);
    cst__combine((size_t)s->prob.n, st->y, terms, c, v, m->y);
    return m->y;
}

int cst__ros_filter(costate_solver *s, const step *st, int w, int terms, double *c, const double *const *v, double err,
                    double *out, int *filtered)
{
    ros *m = s->method;
    *filtered = m->filter && m->attempts >= PATIENCE && err > 1;
    if (!*filtered) return 0;
    for (int i = 0; i < terms; i++) c[i] /= st->h * s->table->gamma[0];
    cst__combine((size_t)s->prob.n * (size_t)w, NULL, terms, c, v, out);
    mass_apply(s, w, out);
    return cst__implicit_solve(s, &m->im, 0, 0, w, out);
}

static int ros_step(costate_solver *s, const step *st, double *err)
{
    ros *m = s->method;
    const costate_table *tb = s->table;
    size_t n = (size_t)s->prob.n;
    double c[2 * ROW_MOST], *k[ROS_MOST], per_h = 1 / st->h;
    const double *v[2 * ROW_MOST];
    cst__ros_stages(s, st->stages, 1, k);
    if (!s->f_valid) TRY(deriv_rhs(&s->d, st->t, st->y, s->p, s->f));
    s->f_valid = 1;
    s->fnew_valid = 0;
    TRY(cst__ros_matrices(s, st, 1));
    m->f[0] = s->f;
    for (int i = 0; i < m->s; i++) {
        if (i && m->same[i] == i) TRY(deriv_rhs(&s->d, ros_time(s, st, i), cst__ros_stage(s, st, i, k), s->p, m->f[i]));
        int terms = row_terms(&m->g[i], per_h, k, c, v, 0);
        if (s->prob.mass) {
            cst__combine(n, NULL, terms, c, v, k[i]);
            mass_apply(s, 1, k[i]);
            c[0] = terms = 1;
            v[0] = k[i];
        }
        if (!s->prob.autonomous && tb->gamma[i] != 0) {
            c[terms] = st->h * tb->gamma[i];
            v[terms++] = m->ft;
        }
        cst__combine(n, m->f[m->same[i]], terms, c, v, k[i]);
        TRY(cst__implicit_solve(s, &m->im, 0, 0, 1, k[i]));
    }
    int terms = row_terms(&m->m, 1, k, c, v, 0);
    if (st->ynew) cst__combine(n, st->y, terms, c, v, st->ynew);
    if (!err) return 0;
    m->attempts = m->tried == st->n ? m->attempts + 1 : 1;
    m->tried = st->n;
    terms = row_terms(&m->e, 1, k, c, v, 0);
    *err = judge(s, st->h, terms, c, v, st->y, st->ynew);
    int filtered;
    const double one = 1, *e = m->y;
    TRY(cst__ros_filter(s, st, 1, terms, c, v, *err, m->y, &filtered));
    if (filtered) *err = judge(s, st->h, 1, &one, &e, st->y, st->ynew);
    return 0;
}

static int ros_witness(costate_solver *s, const step *st, double most, double *w)
{
    ros *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[ROW_MOST], *f[ROS_MOST + 1], one = 1;
    const double *v[ROW_MOST], *through = m->y;
    memcpy(f, m->f, (size_t)m->s * sizeof *f);
    f[m->s] = s->fnew;
    if (!s->fnew_valid && m->watch.j[m->watch.m - 1] == m->s) { /* the next step begins with it */
        TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew));
        s->fnew_valid = 1;
    }
    int terms = row_terms(&m->watch, st->h, f, c, v, 0);
    if (s->prob.mass) { /* of slopes of algebraic states nothing is known */
        cst__combine(n, NULL, terms, c, v, m->y);
        mass_divide(s, m->y);
        c[0] = terms = 1;
        v[0] = through;
    }
    judge_parts(s, st->h, terms, c, v, st, w);
    if (*w <= most) return 0;
    terms = row_terms(&m->watch, 1 / s->table->gamma[0], f, c, v, 0);
    cst__combine(n, NULL, terms, c, v, m->y);
    mass_keep_differential(s, m->y);
    TRY(cst__implicit_solve(s, &m->im, 0, 0, 1, m->y));
    judge_parts(s, st->h, 1, &one, &through, st, w);
    return 0;
}

static int ros_culprit(costate_solver *s, const step *st, int *stage, int *component)
{
    const ros *m = s->method;
    for (int i = 0; i < m->s; i++)
        if (m->same[i] == i && !cst__first_not_finite((size_t)s->prob.n, m->f[i], component)) {
            *stage = i;
            return 0;
        }
    for (int i = 0; i < m->s; i++)
        if (!cst__first_not_finite((size_t)s->prob.n, st->stages + (size_t)i * (size_t)s->prob.n, component)) {
            *stage = i;
            return 0;
        }
    return -1;
}

/* h sum b_i k_i into m->sum: with h^2 sum b_i gamma_i the direction along which r is differentiated at (t, y). */
void cst__ros_quadrature(costate_solver *s, const step *st, double *const *k)
{
    ros *m = s->method;
    double c[ROS_MOST];
    const double *v[ROS_MOST];
    for (int i = 0; i < m->s; i++) {
        c[i] = st->h * m->b[i];
        v[i] = k[i];
    }
    cst__combine((size_t)s->prob.n, NULL, m->s, c, v, m->sum);
}

const double *cst__ros_total(const costate_solver *s, int i, int w, double *const *x, double *out)
{
    const ros *m = s->method;
    double c[ROW_MOST];
    const double *v[ROW_MOST];
    if (m->twins[i].m == 1) return x[i];
    int terms = row_terms(&m->twins[i], 1, x, c, v, 0);
    cst__combine((size_t)s->prob.n * (size_t)w, NULL, terms, c, v, out);
    return out;
}

static int ros_running(costate_solver *s, const step *st, double *psi)
{
    ros *m = s->method;
    const deriv_function *r = &s->d.running;
    double *k[ROS_MOST], tdot = st->h * st->h * m->bgamma;
    cst__ros_stages(s, st->stages, 1, k);
    for (int i = 0; i < m->s; i++) {
        if (m->same[i] != i) continue;
        TRY(cst__of(s, "running", r->fn.eval(0, ros_time(s, st, i), cst__ros_stage(s, st, i, k), s->p, s->psi_row, r->data)));
        for (int o = 0; o < s->nobj; o++) psi[o] += st->h * m->weight[i] * s->psi_row[o];
    }
    cst__ros_quadrature(s, st, k);
    TRY(cst__of(s, "running's jvp", r->fn.jvp(0, st->t, st->y, s->p, 1, &tdot, m->sum, NULL, s->psi_row, r->data)));
    for (int o = 0; o < s->nobj; o++) psi[o] += s->psi_row[o];
    return 0;
}

/* ---- within the step ------------------------------------------------------------------------------------------------------- */

/* Differences along t, where a problem gives no jvp, are taken within the step: f may jump before it, or behind. */
static void within(costate_solver *s, const step *st)
{
    s->d.from = st->t;
    s->d.to = st->tn;
}

static int leave(costate_solver *s, int rc)
{
    s->d.from = s->d.to = 0;
    return rc;
}

static int ros_step_within(costate_solver *s, const step *st, double *err)
{
    within(s, st);
    return leave(s, ros_step(s, st, err));
}

static int ros_running_within(costate_solver *s, const step *st, double *psi)
{
    within(s, st);
    return leave(s, ros_running(s, st, psi));
}

static int ros_tangent_within(costate_solver *s, const step *st, dblock *d, double *err)
{
    within(s, st);
    return leave(s, cst__ros_tangent(s, st, d, err));
}

static int ros_running_tangent_within(costate_solver *s, const step *st, dblock *d)
{
    within(s, st);
    return leave(s, cst__ros_running_tangent(s, st, d));
}

static int ros_adjoint_within(costate_solver *s, const step *st, ablock *b)
{
    within(s, st);
    return leave(s, cst__ros_adjoint(s, st, b));
}

static int ros_second_within(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    within(s, st);
    return leave(s, cst__ros_second(s, st, ydot, dstages, b));
}

static int ros_dense_within(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    within(s, st);
    return leave(s, cst__ros_dense(s, st, theta, y, d, ydot, first));
}

const family cst__ros = {
    .id = COSTATE_ROS,
    .heavy = 1,
    .open = ros_open,
    .close = ros_close,
    .start = ros_start,
    .stage_doubles = ros_stage_doubles,
    .tangent_doubles = ros_tangent_doubles,
    .adjoint_doubles = ros_adjoint_doubles,
    .points = ros_points,
    .step = ros_step_within,
    .witness = ros_witness,
    .culprit = ros_culprit,
    .running = ros_running_within,
    .dense_degree = extend_degree,
    .dense = ros_dense_within,
    .tangent = ros_tangent_within,
    .running_tangent = ros_running_tangent_within,
    .adjoint = ros_adjoint_within,
    .second = ros_second_within,
    .second_lacks = cst__ros_lacks,
};
