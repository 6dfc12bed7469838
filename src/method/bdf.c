/* bdf.c - backward differentiation formulas, forward. See bdf.h.
 *
 * With the polynomial through the past values, in the first step y + h y', its value y~ at t_n and its slope v~, the formula is
 * M (v~ + c e) = f(t_n, y~ + e): Newton's method works on e, so that round-off of c y does not come in. Its matrix shift M - f_y
 * is kept while c stays near the shift, corrections being damped by 2/(1 + c/shift), and while they shrink fast. Only values
 * enter: the formula of the first step, implicit Euler, has b_0 = -1/h alone, so that no derivative of y'(t0) does.
 * docs/theory.md (68), (69); Brenan, Campbell, Petzold: Numerical Solution of Initial-Value Problems in Differential-Algebraic
 * Equations, 5.2. */
#include "method/bdf.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"
#include "method/newton.h"

#include <math.h>

static const double ratio_least = 0.6, ratio_most = 5.0 / 3; /* c over that of the matrix */
static const double theta_kept = 0.3;                        /* convergence with which it is kept */

enum { NOTE_KEPT = 8, NOTE_OPEN = 16 }; /* + the order; OPEN: the order alone is given */

enum { RING_UP_TO = 20000 };                                /* states */
static const double ring_bytes = 64e6, bytes_an_entry = 12; /* of factors */
static const double solve_entry = 4; /* an entry of factors in a solution, in operations of a factorization */

/* ---- opening and closing ---------------------------------------------------------------------------------------------- */

static int bdf_open(costate_solver *s)
{
    bdf *m = cst__alloc(&s->alloc, 1, sizeof *m);
    if (!m) return cst__fail(s, COSTATE_ERR_MEMORY, "the method");
    memset(m, 0, sizeof *m);
    s->method = m;
    s->witness = 0;
    m->most = s->table->order;
    m->slots = s->prob.n <= RING_UP_TO ? SLOTS : 2;
    TRY(cst__implicit_open(s, &m->im, m->slots));
    const size_t n = cst__pad((size_t)s->prob.n);
    double *at = m->memory = cst__alloc(&s->alloc, ((size_t)m->slots + 4) * n, sizeof(double));
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the method");
    for (int i = 0; i < m->slots; i++, at += n) m->held[i].y = at;
    m->r = at;
    m->slope = at += n;
    m->predicted = at += n;
    m->off = at + n;
    return 0;
}

static void bdf_close(costate_solver *s)
{
    bdf *m = s->method;
    if (m) {
        cst__implicit_close(s, &m->im);
        cst__release(&s->alloc, m->memory);
    }
    cst__release(&s->alloc, m);
    s->method = NULL;
}

static void bdf_start(costate_solver *s, int fresh)
{
    bdf *m = s->method;
    m->im.key = -1;
    for (int i = 0; i < m->slots; i++) m->held[i].shift = 0;
    if (!fresh) return;
    cst__bdf_settle_start(m, s->prob.mass != NULL);
    if (m->im.ls.ops->restart) m->im.ls.ops->restart(m->im.ls.self);
}

static size_t bdf_history_doubles(const costate_solver *s)
{
    return BDF_MOST * (size_t)s->prob.n + BDF_PAST * bdf_goals(s);
}

static size_t bdf_carry_doubles(const costate_solver *s)
{
    return CARRY_Y + (size_t)s->prob.n;
}

static size_t bdf_stage_doubles(const costate_solver *s)
{
    return (size_t)s->prob.n + CARRY_COPIED;
}

static size_t bdf_tangent_doubles(const costate_solver *s)
{
    return (ITERATE_WORK + 1) * (size_t)s->prob.n;
}

static size_t bdf_adjoint_doubles(const costate_solver *s)
{
    return (ITERATE_WORK + 3) * (size_t)s->prob.n + 2 * bdf_goals(s);
}

static int bdf_points(const costate_solver *s)
{
    (void)s;
    return 1;
}

/* ---- the formula -------------------------------------------------------------------------------------------------------- */

int cst__bdf_order(const step *st)
{
    return st->note % NOTE_KEPT;
}

int cst__bdf_formula(const costate_solver *s, const step *st, int k, bdf_formula *f)
{
    const double *ages = bdf_copied(s, st) + CARRY_AGES;
    *f = (bdf_formula){.k = k, .h = st->h};
    for (int i = 1; i <= k; i++) f->c += 1 / (i * st->h);
    for (int j = 0; j < BDF_PAST; j++) f->x[j] = -(st->h + (j ? ages[j - 1] : 0));
    if (ages[0] == 0) { /* there is no past */
        f->l[0] = 1;
        f->b[0] = -f->c;
        f->weight = 0.5;
        return 1;
    }
    double away = -f->h / f->x[k];
    for (int i = 0; i < k; i++) away -= f->h / f->x[i] + 1.0 / (i + 1);
    f->weight = fmax(fabs(away), -f->h / f->x[k]);
    for (int j = 0; j <= k; j++) {
        double value = 1, slope = 0;
        for (int i = 0; i <= k; i++)
            if (i != j) {
                value *= f->x[i] / (f->x[i] - f->x[j]);
                slope -= 1 / f->x[i];
            }
        f->l[j] = value;
        f->b[j] = value * slope - f->c * value;
    }
    if (k == 1) f->b[0] = -f->c, f->b[1] = 0; /* but for round-off they are that */
    return 0;
}

void cst__bdf_combine(const costate_solver *s, const bdf_formula *f, const double *c, const double *live, int w, double *out)
{
    const double *v[BDF_PAST];
    for (int j = 0; j <= f->k; j++) v[j] = bdf_past(s, live, j, w);
    cst__combine((size_t)s->prob.n * (size_t)w, NULL, f->k + 1, c, v, out);
}

void cst__bdf_shift(const costate_solver *s, const double *from, int w, double *to)
{
    const size_t lanes = (size_t)w, nw = (size_t)s->prob.n * lanes, gw = bdf_goals(s) * lanes;
    memcpy(to + nw, from, BDF_MOST * nw * sizeof *to);
    if (gw) memcpy(bdf_goal(s, to, 1, w), bdf_goal(s, from, 0, w), BDF_MOST * gw * sizeof *to);
}

/* ---- matrices --------------------------------------------------------------------------------------------------------- */

/* Made `ago` steps before this one, from y_(n-1-ago): which is kept with the steps before, or carried along to where their block
 * began. */
static held_matrix carried(const costate_solver *s, const step *st)
{
    const double *copied = bdf_copied(s, st), *whole = st->into ? st->base : st->y;
    const int ago = (int)copied[CARRY_MADE], near = ago <= st->into && st->into > 0;
    return (held_matrix){copied[CARRY_T], copied[CARRY_SHIFT], near ? bdf_before(s, st, NULL, ago) : whole + s->live + CARRY_Y};
}

static held_matrix fresh(const step *st, const bdf_formula *f)
{
    return (held_matrix){st->t, f->c, st->y};
}

static int near(const costate_solver *s, const step *st, double c)
{
    const double *copied = bdf_copied(s, st), ratio = copied[CARRY_SHIFT] == 0 ? 0 : c / copied[CARRY_SHIFT];
    return ratio > ratio_least && ratio < ratio_most;
}

/* The matrix is kept by a first attempt if it is good and took some time, by a repeated one if it was. */
static int keeps(const costate_solver *s, const step *st, double c)
{
    const bdf *m = s->method;
    if (st->note >= 0 && st->note < NOTE_OPEN) return st->note >= NOTE_KEPT;
    if (!m->im.values || implicit_light(&m->im, m->at)) return 0;
    return near(s, st, c) && st->y[s->live + CARRY_THETA] <= theta_kept;
}

/* How many matrices of steps are kept: as many as are small together. */
static int ring(const costate_solver *s)
{
    const bdf *m = s->method;
    const double one = bytes_an_entry * m->im.ls.entries, most = m->slots - 1;
    return one > 0 ? (int)fmax(1, fmin(most, ring_bytes / one)) : 1;
}

/* Which of them is a; -1: none. */
static int slot_of(const costate_solver *s, const held_matrix *a)
{
    const bdf *m = s->method;
    for (int i = 0; i < m->slots - 1; i++)
        if (cst__implicit_holds(s, &m->held[i], a)) return i;
    return -1;
}

/* Steps beside each other, this one among them, of one size and order on one kept matrix; of those that come later a transposed
 * one knows. */
static int alike(const costate_solver *s, const step *st, int transposed)
{
    enum { FAR = 20 };
    const step_log *l = &s->log;
    int count = 1;
    for (int64_t i = st->n - 1; i >= 0 && st->n - i < FAR && l->h[i] == st->h && l->note[i] == st->note; i--) count++;
    for (int64_t i = st->n + 1; transposed && i < l->count && i - st->n < FAR && l->h[i] == st->h && l->note[i] == st->note; i++)
        count++;
    return count;
}

/* With a matrix whose shift is r times as large as the step's an iteration's eigenvalues are between its and 1, on which
 * Chebyshev's polynomials fall by `left` each. Factors with the step's own shift, which all steps alike share, take their place
 * where that costs less: a solution is left to each of them. */
static int own_shift_pays(const costate_solver *s, double r, int transposed, int steps)
{
    const char *how = transposed ? s->opt.adjoint_solve : s->opt.tangent_solve;
    const linsol *ls = &((const bdf *)s->method)->im.ls;
    const double root = sqrt(fmax(r, 1 / r)), left = (root - 1) / (root + 1);
    if (*how == 'i' || !(ls->operations > 0) || !(left > 0)) return 0; /* "iterated" means on what the step kept */
    return steps * solve_entry * ls->entries * (log(IN_HAND * cst__sweep_tol(s)) / log(left) - 1) > ls->operations;
}

int cst__bdf_linear(costate_solver *s, const step *st, const bdf_formula *f, int transposed, int w, const double *guess,
                    double *x, double *work)
{
    bdf *m = s->method;
    const double *y = st->stages;
    const int kept = st->note >= NOTE_KEPT;
    if (cst__implicit_iterates(s, transposed) && (kept || !m->im.ls.ops->light)) {
        int converged;
        held_matrix a = kept ? carried(s, st) : fresh(st, f);
        if (kept && own_shift_pays(s, f->c / a.shift, transposed, alike(s, st, transposed))) a.shift = f->c;
        const int held = slot_of(s, &a), slot = held >= 0 ? held : m->slots - 1;
        TRY(cst__implicit_hold(s, slot, &m->held[slot], &a));
        TRY(cst__iterate(s, &(iterated_system){st->tn, f->c, y, y, guess}, slot, transposed, w, x, work, &converged));
        if (converged) return 0;
    }
    TRY(cst__implicit_hold(s, m->slots - 1, &m->held[m->slots - 1], &(held_matrix){st->tn, f->c, y}));
    return cst__implicit_solve(s, &m->im, m->slots - 1, transposed, w, x);
}

/* ---- the step --------------------------------------------------------------------------------------------------------- */

/* What the past predicts for y_n and for its slope; in the first step, y + h y' and y'. */
static int predict(costate_solver *s, const step *st, const bdf_formula *f, int first)
{
    bdf *m = s->method;
    const double *slope = m->slope;
    double c[BDF_PAST];
    if (!first) {
        for (int j = 0; j <= f->k; j++) c[j] = f->b[j] + f->c * f->l[j];
        cst__bdf_combine(s, f, f->l, st->y, 1, m->predicted);
        cst__bdf_combine(s, f, c, st->y, 1, m->slope);
        return 0;
    }
    if (!s->f_valid) TRY(deriv_rhs(&s->d, st->t, st->y, s->p, s->f));
    s->f_valid = 1;
    memcpy(m->slope, s->f, (size_t)s->prob.n * sizeof *slope);
    mass_divide(s, m->slope);
    cst__combine((size_t)s->prob.n, st->y, 1, &st->h, &slope, m->predicted);
    return 0;
}

/* r = f - M (slope + c e) */
static int residual(costate_solver *s, const step *st, const bdf_formula *f, double *r)
{
    const bdf *m = s->method;
    const size_t n = (size_t)s->prob.n;
    const double both[2] = {-1, -f->c}, *const v[2] = {m->slope, m->off}, *mass = s->prob.mass;
    TRY(deriv_rhs(&s->d, st->tn, st->stages, s->p, r));
    if (!mass) cst__combine(n, r, 2, both, v, r);
    for (size_t i = 0; mass && i < n; i++) r[i] -= mass[i] * (m->slope[i] + f->c * m->off[i]);
    return 0;
}

/* The residual is not finite: because the iteration went astray, or because f is not, which is noted. */
static int blame(costate_solver *s, const double *y)
{
    bdf *m = s->method;
    const size_t n = (size_t)s->prob.n;
    if (cst__all_finite(n, y) && !cst__first_not_finite(n, m->r, &m->bad_component)) return STEP_NOT_FINITE;
    return STEP_NEWTON;
}

/* y_n, by the matrix a. */
static int iterate(costate_solver *s, const step *st, const bdf_formula *f, const held_matrix *a, newton *k)
{
    bdf *m = s->method;
    const size_t n = (size_t)s->prob.n;
    const double one = 1, damp = 2 / (1 + f->c / a->shift), *r = m->r, *e = m->off;
    memset(m->off, 0, n * sizeof *m->off);
    memcpy(st->stages, m->predicted, n * sizeof *m->off);
    const int held = slot_of(s, a);
    m->at = held >= 0 ? held : (m->at + 1) % ring(s);
    TRY(cst__implicit_hold(s, m->at, &m->held[m->at], a));
    *k = newton_start(s, st, judge(s, st->h, 1, &one, &st->y, st->y, st->y), 0);
    for (;;) {
        TRY(residual(s, st, f, m->r));
        if (!cst__all_finite(n, m->r)) return blame(s, st->stages);
        TRY(cst__implicit_correct(s, &m->im, m->at, m->r));
        const double norm = judge(s, st->h, 1, &damp, &r, st->y, st->stages);
        if (!isfinite(norm)) return blame(s, st->stages);
        cst__combine(n, m->off, 1, &damp, &r, m->off);
        cst__combine(n, m->predicted, 1, &one, &e, st->stages);
        const newton_verdict v = newton_judge(k, norm);
        if (v != NEWTON_AGAIN) return v == NEWTON_DONE ? 0 : STEP_NEWTON;
    }
}

/* What the next step begins with. */
static int finish(costate_solver *s, const step *st, const bdf_formula *f, const held_matrix *a, int kept, double theta)
{
    const size_t n = (size_t)s->prob.n, goals = bdf_goals(s);
    const double *from = st->y + s->live;
    double *to = st->ynew + s->live;
    memcpy(st->ynew, st->stages, n * sizeof *to);
    cst__bdf_shift(s, st->y, 1, st->ynew);
    to[CARRY_AGES] = st->h;
    for (int j = 1; j < BDF_MOST; j++) to[CARRY_AGES + j] = from[CARRY_AGES + j - 1] == 0 ? 0 : from[CARRY_AGES + j - 1] + st->h;
    to[CARRY_SHIFT] = a->shift;
    to[CARRY_T] = a->t;
    to[CARRY_MADE] = kept ? from[CARRY_MADE] + 1 : 1;
    to[CARRY_THETA] = theta;
    memmove(to + CARRY_Y, a->y, n * sizeof *to);
    if (!goals) return 0;
    const deriv_function *r = &s->d.running;
    double *q = bdf_goal(s, st->ynew, 0, 1);
    TRY(cst__of(s, "running", r->fn.eval(0, st->tn, st->stages, s->p, q, r->data)));
    for (size_t o = 0; o < goals; o++) {
        for (int j = 0; j <= f->k; j++) q[o] -= f->b[j] * bdf_goal(s, st->y, j, 1)[o];
        q[o] /= f->c;
    }
    return 0;
}

/* Steps of a given size have the highest order that there are values for. */
static int order_of(const costate_solver *s, const step *st)
{
    const bdf *m = s->method;
    int k = 1;
    if (st->note >= 0) return cst__bdf_order(st);
    if (s->opt.step == 0) return m->k;
    while (k < m->most && st->y[s->live + CARRY_AGES + (size_t)k] != 0) k++;
    return k;
}

static int bdf_step(costate_solver *s, const step *st, double *err)
{
    bdf *m = s->method;
    bdf_formula f;
    newton k;
    m->bad_component = -1;
    s->fnew_valid = 0;
    if (st->note < 0 && st->y[s->live + CARRY_AGES] == 0 && m->size != 0) /* behind an event a run begins as at t0 */
        cst__bdf_settle_start(m, s->prob.mass != NULL);
    memcpy(st->stages + s->prob.n, st->y + s->live, CARRY_COPIED * sizeof *st->stages);
    const int first = cst__bdf_formula(s, st, order_of(s, st), &f);
    int kept = keeps(s, st, f.c), rc = STEP_NEWTON;
    held_matrix a = carried(s, st);
    TRY(predict(s, st, &f, first));
    if (kept) rc = iterate(s, st, &f, &a, &k);
    if (rc == STEP_NEWTON || rc == STEP_MATRIX || (kept && rc == STEP_NOT_FINITE)) {
        kept = 0;
        a = fresh(st, &f);
        rc = iterate(s, st, &f, &a, &k);
    }
    s->note = f.k + (kept ? NOTE_KEPT : 0);
    if (rc == STEP_NOT_FINITE) {
        if (err) *err = NAN;
        if (st->ynew) cst__fill_nan(st->ynew, s->state);
        return 0;
    }
    if (rc) return rc;
    if (err) TRY(cst__bdf_estimate(s, st, &f, first, st->stages, err));
    return st->ynew ? finish(s, st, &f, &a, kept, k.theta) : 0;
}

/* The order is what the scheme is; so the past has values for it, as there are twice as many. */
static int bdf_halved(int note)
{
    return note % NOTE_KEPT + NOTE_OPEN;
}

static int bdf_culprit(costate_solver *s, const step *st, int *stage, int *component)
{
    const bdf *m = s->method;
    *stage = 0;
    *component = m->bad_component;
    if (m->bad_component >= 0) return 0;
    return cst__first_not_finite((size_t)s->prob.n, st->stages, component);
}

static int bdf_running(costate_solver *s, const step *st, double *psi)
{
    const double *q = bdf_goal(s, st->ynew, 0, 1), *before = bdf_goal(s, st->y, 0, 1);
    for (int o = 0; o < s->nobj; o++) psi[o] += q[o] - before[o];
    return 0;
}

static const double *bdf_past_at(const costate_solver *s, const step *st, int j)
{
    return j < BDF_PAST && bdf_copied(s, st)[CARRY_AGES + j - 1] != 0 ? bdf_before(s, st, NULL, j) : NULL;
}

static int bdf_dense_degree(const costate_solver *s)
{
    return ((const bdf *)s->method)->most;
}

const family cst__bdf = {
    .id = COSTATE_BDF,
    .heavy = 1,
    .shares = 1,
    .open = bdf_open,
    .close = bdf_close,
    .start = bdf_start,
    .history_doubles = bdf_history_doubles,
    .past = bdf_past_at,
    .carry_doubles = bdf_carry_doubles,
    .stage_doubles = bdf_stage_doubles,
    .tangent_doubles = bdf_tangent_doubles,
    .adjoint_doubles = bdf_adjoint_doubles,
    .points = bdf_points,
    .step = bdf_step,
    .settle = cst__bdf_settle,
    .halved = bdf_halved,
    .culprit = bdf_culprit,
    .running = bdf_running,
    .dense_adjoint = cst__bdf_dense_adjoint,
    .dense = cst__bdf_dense,
    .dense_degree = bdf_dense_degree,
    .dense_recorded = 1,
    .quadrature = cst__bdf_quadrature,
    .tangent = cst__bdf_tangent,
    .running_tangent = cst__bdf_running_tangent,
    .adjoint = cst__bdf_adjoint,
    .second = cst__bdf_second,
};
