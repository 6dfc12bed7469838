/* erk.c - explicit Runge-Kutta methods, forward.
 *
 *     Y_i = y + h sum_(j<i) a_ij k_j,   k_i = f(t + c_i h, Y_i),   y+ = y + h sum_i b_i k_i,   estimate h sum_i e_i k_i
 *     q+  = q + h sum_i b_i r(t + c_i h, Y_i)
 *
 * docs/theory.md (2) - (5); Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, II.4. */
#include "method/erk.h"

#include "base/kernels.h"
#include "method/judge.h"

#include <math.h>

static void derive(erk *m, const costate_table *tb)
{
    int s = m->s = tb->stages, wide = m->all = s + 1 + tb->dense_stages;
    m->b = row_make(tb->b, s, 1);
    if (tb->e) m->e = row_make(tb->e, s, 1);
    for (int i = 0; i < s; i++) {
        m->a[i] = row_make(tb->a + i * s, i, 1);
        for (int q = 0; q < m->a[i].m; q++) m->c[i] += m->a[i].a[q];
        if (fabs(m->c[i] - 1) < 1e-14) m->c[i] = 1; /* a row sum's round-off must not miss tn */
    }
    m->fsal = s > 1 && tb->b[s - 1] == 0 && !memcmp(tb->a + (s - 1) * s, tb->b, (size_t)(s - 1) * sizeof(double));
    for (int i = s - 1; i >= 0; i--) { /* live: from the last stage back */
        m->live[i] = tb->b[i] != 0;
        for (int j = i + 1; j < s; j++) m->live[i] |= m->live[j] && tb->a[j * s + i] != 0;
    }
    while (!m->live[m->first]) m->first++;
    m->slot[0] = -1;
    for (int i = 1; i < s; i++) m->slot[i] = m->live[i] ? m->live_count++ : -1;
    for (int i = 0; i < s; i++) {
        double column[ERK_MOST] = {0};
        for (int j = i + 1; j < s; j++) column[j] = m->live[j] ? tb->a[j * s + i] : 0;
        m->at[i] = row_make(column, s, 1);
    }
    for (int q = 0; q < tb->dense_rows; q++) m->d[q] = row_make(tb->dense_d + q * wide, wide, 1);
    for (int q = 0; q < tb->dense_stages; q++) {
        int i = s + 1 + q;
        m->a[i] = row_make(tb->dense_a + q * wide, i, 1);
        for (int r = 0; r < m->a[i].m; r++) m->c[i] += m->a[i].a[r];
    }
    m->c[s] = 1;
}

size_t cst__erk_place(const erk *m, size_t n, double *at, double **k, double **y)
{
    size_t count = 0;
    for (int i = 1; i < m->all; i++) {
        const int last = m->fsal && i == m->s - 1, own_k = i != m->s && !last, own_y = own_k && (i > m->s || !m->live[i]);
        if (at && own_k) k[i] = at + count;
        if (at && own_y) y[i] = at + count + n;
        count += ((size_t)own_k + (size_t)own_y) * n;
    }
    return count;
}

static int witness_of(erk *m, const costate_table *tb)
{
    witness_slopes q = {0};
    double d[WITNESS_MOST];
    for (int i = 0; tb->e && i < m->s; i++) {
        double ac = 0;
        for (int j = 0; j < m->a[i].m; j++) ac += m->a[i].a[j] * m->c[m->a[i].j[j]];
        witness_add(&q, m->c[i], ac, tb->b[i], tb->e[i]);
        q.idle[i] = !m->live[i] && tb->e[i] == 0 && !(m->fsal && i == m->s - 1);
    }
    int k = 1 + (tb->order < tb->embedded_order ? tb->order : tb->embedded_order), order = q.s ? cst__witness(&q, k, d) : 0;
    m->watch = row_make(d, order ? q.s : 0, 1);
    return order;
}

static int erk_open(costate_solver *s)
{
    const costate_table *tb = s->table;
    erk *m = cst__alloc(&s->alloc, 1, sizeof *m);
    if (!m) return cst__fail(s, COSTATE_ERR_MEMORY, "the method");
    memset(m, 0, sizeof *m);
    s->method = m;
    derive(m, tb);
    s->witness = witness_of(m, tb);
    cst__erk_stiff_open(m, tb);
    size_t n = cst__pad((size_t)s->prob.n);
    double *at = m->memory = cst__alloc(&s->alloc, cst__erk_place(m, n, NULL, NULL, NULL), sizeof(double));
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "%d stages of %d states", m->all, s->prob.n);
    cst__erk_place(m, n, at, m->k, m->y);
    return 0;
}

static void erk_close(costate_solver *s)
{
    erk *m = s->method;
    if (m) cst__release(&s->alloc, m->memory);
    cst__release(&s->alloc, m);
    s->method = NULL;
}

/* Zeros that round a long state up to whole vectors: in records of states and stages none of them straddles lines then. */
static size_t erk_carry_doubles(const costate_solver *s)
{
    enum { VECTOR = 4, LONG = 16 };
    size_t n = (size_t)s->prob.n;
    return n < LONG ? 0 : (VECTOR - n % VECTOR) % VECTOR;
}

static size_t erk_stage_doubles(const costate_solver *s)
{
    return (size_t)((const erk *)s->method)->live_count * s->state;
}

static size_t erk_tangent_doubles(const costate_solver *s)
{
    return cst__erk_place(s->method, (size_t)s->prob.n, NULL, NULL, NULL);
}

static size_t seed_doubles(const costate_solver *s)
{
    return s->d.running.fn.eval ? (size_t)s->nobj : 0;
}

/* A single lane takes the place of the k for its u: they are not needed while a step is transposed. */
static size_t erk_single_doubles(const costate_solver *s)
{
    return (size_t)s->prob.n + seed_doubles(s);
}

static size_t erk_adjoint_doubles(const costate_solver *s)
{
    return ((size_t)((const erk *)s->method)->live_count + 1) * (size_t)s->prob.n + seed_doubles(s);
}

static size_t erk_second_doubles(const costate_solver *s)
{
    return 2 * ((size_t)s->table->stages + 1) * (size_t)s->prob.n + seed_doubles(s);
}

static int erk_points(const costate_solver *s)
{
    return ((const erk *)s->method)->live_count + 1;
}

/* Dead stages: those of the estimate, or all of them (for the continuous extension). */
int cst__erk_dead_stages(costate_solver *s, const step *st, int all)
{
    erk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[ERK_MOST];
    const double *v[ERK_MOST];
    for (int i = 1; i < m->s; i++) {
        int last = m->fsal && i == m->s - 1;
        if (m->live[i] || (!all && s->table->e[i] == 0) || (last && s->fnew_valid)) continue;
        if (!last) cst__combine(n, st->y, row_terms(&m->a[i], st->h, m->k, c, v, 0), c, v, m->y[i]);
        TRY(deriv_rhs(&s->d, erk_time(m, st, i), erk_stage(m, st, i, s->state), s->p, m->k[i]));
        if (last) s->fnew_valid = 1;
    }
    return 0;
}

static int erk_step(costate_solver *s, const step *st, double *err)
{
    erk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[ERK_MOST];
    const double *v[ERK_MOST];
    if (!s->f_valid) TRY(deriv_rhs(&s->d, st->t, st->y, s->p, s->f));
    s->f_valid = 1;
    s->fnew_valid = 0;
    m->dense_ready = 0;
    m->k[0] = s->f;
    m->k[m->s] = s->fnew;
    if (m->fsal) m->k[m->s - 1] = s->fnew;
    for (int i = 1; i < m->s; i++) {
        if (!m->live[i]) continue;
        double *y = st->stages + (size_t)m->slot[i] * s->state;
        cst__combine(n, st->y, row_terms(&m->a[i], st->h, m->k, c, v, 0), c, v, y);
        TRY(deriv_rhs(&s->d, erk_time(m, st, i), y, s->p, m->k[i]));
    }
    if (st->ynew) {
        cst__combine(n, st->y, row_terms(&m->b, st->h, m->k, c, v, 0), c, v, st->ynew);
        for (size_t q = n; q < s->state; q++) st->ynew[q] = 0;
    }
    if (!err) return 0;
    TRY(cst__erk_dead_stages(s, st, 0));
    *err = cst__error_norm(n, row_terms(&m->e, st->h, m->k, c, v, 0), c, v, st->y, st->ynew, s->opt.rtol, s->atol, NULL);
    return 0;
}

static int erk_witness(costate_solver *s, const step *st, double most, double *w)
{
    erk *m = s->method;
    double c[ERK_MOST];
    const double *v[ERK_MOST];
    (void)most;
    if (m->fsal && !s->fnew_valid && m->watch.j[m->watch.m - 1] == m->s - 1) {
        TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew));
        s->fnew_valid = 1;
    }
    int terms = row_terms(&m->watch, st->h, m->k, c, v, 0);
    judge_parts(s, st->h, terms, c, v, st, w);
    return 0;
}

static int erk_culprit(costate_solver *s, const step *st, int *stage, int *component)
{
    erk *m = s->method;
    for (int i = 0; i < m->s; i++) {
        if (!m->live[i] && (s->opt.step > 0 || s->table->e[i] == 0)) continue; /* not evaluated */
        for (int q = 0; q < s->prob.n; q++)
            if (!isfinite(m->k[i][q])) {
                *stage = i;
                *component = q;
                return 0;
            }
    }
    for (int q = 0; q < s->prob.n; q++)
        if (!isfinite(st->ynew[q])) {
            *stage = m->s - 1;
            *component = q;
            return 0;
        }
    return -1;
}

static int erk_running(costate_solver *s, const step *st, double *psi)
{
    const erk *m = s->method;
    const deriv_function *r = &s->d.running;
    for (int q = 0; q < m->b.m; q++) {
        int i = m->b.j[q];
        TRY(r->fn.eval(0, erk_time(m, st, i), erk_stage(m, st, i, s->state), s->p, s->psi_row, r->data));
        for (int o = 0; o < s->nobj; o++) psi[o] += st->h * m->b.a[q] * s->psi_row[o];
    }
    return 0;
}

static int erk_dense_degree(const costate_solver *s)
{
    return 3 + s->table->dense_rows;
}

const family cst__erk = {
    .id = COSTATE_ERK,
    .open = erk_open,
    .close = erk_close,
    .carry_doubles = erk_carry_doubles,
    .stage_doubles = erk_stage_doubles,
    .tangent_doubles = erk_tangent_doubles,
    .adjoint_doubles = erk_adjoint_doubles,
    .single_doubles = erk_single_doubles,
    .second_doubles = erk_second_doubles,
    .points = erk_points,
    .step = erk_step,
    .witness = erk_witness,
    .culprit = erk_culprit,
    .mode = cst__erk_mode,
    .growth = cst__erk_growth,
    .running = erk_running,
    .dense = cst__erk_dense,
    .dense_degree = erk_dense_degree,
    .quadrature = cst__erk_quadrature,
    .tangent = cst__erk_tangent,
    .running_tangent = cst__erk_running_tangent,
    .adjoint = cst__erk_adjoint,
    .second = cst__erk_second,
};
