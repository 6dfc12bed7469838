/* sdirk.c - singly diagonally implicit Runge-Kutta methods, forward, in z_i = Y_i - y.
 *
 *     z_i = g_i + h gamma f(T_i, y + z_i),  g_i = h sum_(j<i) a_ij f(T_j, Y_j) = sum_(j<i) theta_ij z_j,  theta = I - gamma A^-1
 *     y+  = y + sum_i d_i z_i,  d^T = b^T A^-1,   estimate sum_i (e^T A^-1)_i z_i, or shift M^-1 times that
 *     q+  = q + h sum_i b_i r(T_i, Y_i)
 *
 * by simplified Newton, M (correction) = shift (g_i - z_i) + f(T_i, y + z_i), with factors of some M near shift I - f_y. No
 * value of f is kept: what the z_i say about f at the stages is smooth where f itself would magnify Newton's error by f_y.
 * Stages are of first order where f_y is large, so an estimate of higher order goes through M^-1, which leaves it as it is
 * where f_y is small.
 *
 * docs/theory.md (38) - (40); Hairer, Wanner: Solving ODEs II, IV.8. The stage data are the Y_i. */
#include "method/sdirk.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"
#include "method/newton.h"

/* Factors are kept while corrections shrink by theta_kept or better and h is within a quarter of theirs. */
static const double theta_kept = 0.05, ratio_least = 0.8, ratio_most = 1.25;

/* Newton's error is not asked to be below round_off times y. */
static const double round_off = DBL_EPSILON / 8;

/* ---- opening and closing ---------------------------------------------------------------------------------------------- */

static int sdirk_open(costate_solver *s)
{
    sdirk *m = cst__alloc(&s->alloc, 1, sizeof *m);
    if (!m) return cst__fail(s, COSTATE_ERR_MEMORY, "the method");
    memset(m, 0, sizeof *m);
    s->method = m;
    s->witness = cst__sdirk_weights(m, s->table);
    for (int i = 0; i < s->prob.n; i++) m->filter |= mass_algebraic(s, i); /* through which they come out of the others' errors */
    TRY(cst__implicit_open(s, &m->im, SLOT_STAGE + m->s));
    size_t n = cst__pad((size_t)s->prob.n);
    double *at = m->memory = cst__alloc(&s->alloc, (2 * (size_t)m->s + SLOT_STAGE + 5) * n, sizeof(double));
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "%d stages of %d states", m->s, s->prob.n);
    for (int i = 1; i <= m->s; i++, at += n) m->z[i] = at;
    for (int i = 0; i < SLOT_STAGE + m->s; i++, at += n) m->held[i].y = at;
    m->gi = at;
    m->r = at += n;
    m->end[0] = at += n;
    m->end[1] = at += n;
    m->first = at + n;
    return 0;
}

static void sdirk_close(costate_solver *s)
{
    sdirk *m = s->method;
    if (m) {
        cst__implicit_close(s, &m->im);
        cst__release(&s->alloc, m->memory);
    }
    cst__release(&s->alloc, m);
    s->method = NULL;
}

static void sdirk_start(costate_solver *s, int fresh)
{
    sdirk *m = s->method;
    m->im.key = -1;
    m->ended[0] = m->ended[1] = -2; /* no step: not even the one before the first */
    for (int i = 0; i < SLOT_STAGE + m->s; i++) m->held[i].shift = 0;
    if (fresh && m->im.ls.ops->restart) m->im.ls.ops->restart(m->im.ls.self);
}

static size_t sdirk_carry_doubles(const costate_solver *s)
{
    return CARRY_VECTORS + 2 * (size_t)s->prob.n;
}

static size_t sdirk_stage_doubles(const costate_solver *s)
{
    return (size_t)s->table->stages * (size_t)s->prob.n;
}

static size_t sdirk_tangent_doubles(const costate_solver *s)
{
    return ITERATE_WORK * (size_t)s->prob.n;
}

static size_t sdirk_adjoint_doubles(const costate_solver *s)
{
    return (2 * (size_t)s->table->stages + 1 + ITERATE_WORK) * (size_t)s->prob.n + (size_t)s->nobj;
}

static int sdirk_points(const costate_solver *s)
{
    return s->table->stages;
}

/* ---- matrices --------------------------------------------------------------------------------------------------------- */

static held_matrix fresh_matrix(const costate_solver *s, const step *st)
{
    return (held_matrix){st->t, sdirk_shift(s->method, st), st->y};
}

/* Solvers without a matrix have nothing to keep. */
held_matrix cst__sdirk_choose(const costate_solver *s, const step *st)
{
    const sdirk *m = s->method;
    const double *carry = st->y + s->prob.n;
    double ratio = carry[CARRY_SHIFT] / sdirk_shift(m, st); /* h over that of the factors */
    int keep = m->im.values && carry[CARRY_THETA] <= theta_kept && ratio >= ratio_least && ratio <= ratio_most;
    if (st->note == NOTE_KEPT || st->note == NOTE_RENEWED) keep = st->note == NOTE_KEPT;
    return keep ? (held_matrix){carry[CARRY_T], carry[CARRY_SHIFT], carry + CARRY_VECTORS} : fresh_matrix(s, st);
}

int cst__sdirk_factor(costate_solver *s, int slot, const held_matrix *a)
{
    sdirk *m = s->method;
    return cst__implicit_hold(s, slot, &m->held[slot], a);
}

int cst__sdirk_linear(costate_solver *s, const step *st, int i, int transposed, int w, double *x, double *work)
{
    sdirk *m = s->method;
    const double t = sdirk_time(m, st, i), shift = sdirk_shift(m, st), *y = sdirk_stage(s, st->stages, i, 1);
    if (cst__implicit_iterates(s, transposed)) {
        /* A tangent follows its step, whose factors may be there; a sweep leaves those to steps that are repeated. */
        int converged = 0;
        held_matrix a = cst__sdirk_choose(s, st);
        int slot = transposed && !cst__implicit_holds(s, &m->held[SLOT_STEP], &a) ? SLOT_STAGE : SLOT_STEP;
        TRY(cst__sdirk_factor(s, slot, &a));
        if (!implicit_light_enough(s, slot, transposed))
            TRY(cst__iterate(s, &(iterated_system){t, shift, y, st->y, NULL}, slot, transposed, w, x, work, &converged));
        if (converged) return 0;
    }
    TRY(cst__sdirk_factor(s, SLOT_STAGE + i, &(held_matrix){t, shift, y}));
    return cst__implicit_solve(s, &m->im, SLOT_STAGE + i, transposed, w, x);
}

/* ---- the step --------------------------------------------------------------------------------------------------------- */

typedef struct progress { /* of Newton's method over the stages of a step */
    double shift, damp;
    int exact;    /* the matrix is that of the iterate, every time */
    double size;  /* of y, in tolerances */
    double rate;  /* of the stage before */
    double theta; /* largest so far */
} progress;

/* A correction is not finite: because the iteration went astray, or because f is not, which is noted. */
static int blame(costate_solver *s, const step *st, int i)
{
    sdirk *m = s->method;
    size_t n = (size_t)s->prob.n;
    const double *y = sdirk_stage(s, st->stages, i, 1);
    if (!cst__all_finite(n, y)) return STEP_NEWTON;
    TRY(deriv_rhs(&s->d, sdirk_time(m, st, i), y, s->p, m->r));
    if (!cst__first_not_finite(n, m->r, &m->bad_component)) m->bad_stage = i;
    return STEP_NEWTON;
}

static void start_values(costate_solver *s, const step *st, int i)
{
    sdirk *m = s->method;
    double c[ROW_MOST];
    const double *v[ROW_MOST];
    int terms = row_terms(&m->g[i], 1, m->z + 1, c, v, 0);
    cst__combine((size_t)s->prob.n, NULL, terms, c, v, m->gi);
    terms = row_terms(&m->guess[i], 1, m->z, c, v, 0);
    if (terms && m->guess[i].j[0] == 0) c[0] *= st->h;
    cst__combine((size_t)s->prob.n, NULL, terms, c, v, m->z[i + 1]);
    const double *index = s->prob.index; /* variables of index 2 do not come nearer to those of the step before with h */
    for (size_t k = 0; index && k < cst__judged(s); k++)
        if (index[k] == 2) m->z[i + 1][k] = i ? m->z[i][k] : 0;
}

/* r = f + shift M (g - z) */
static void residual(const costate_solver *s, double shift, const double *g, const double *z, double *r)
{
    const double both[2] = {shift, -shift}, *const gz[2] = {g, z}, *mass = s->prob.mass;
    if (!mass) cst__combine((size_t)s->prob.n, r, 2, both, gz, r);
    for (int i = 0; mass && i < s->prob.n; i++) r[i] += shift * mass[i] * (g[i] - z[i]);
}

static int newton_stage(costate_solver *s, const step *st, int i, progress *p)
{
    sdirk *m = s->method;
    size_t n = (size_t)s->prob.n;
    const double one = 1, *z = m->z[i + 1], *r = m->r;
    double *y = sdirk_stage(s, st->stages, i, 1);
    start_values(s, st, i);
    newton k = newton_start(s, st, p->size, p->rate);
    /* Of an error in z_i, d^T (I - theta)^-1 = b^T/gamma reaches y+ where f_y is small. */
    double reaches = fmax(1, fabs(s->table->b[i]) / m->gamma);
    k.kappa = fmax(k.kappa / reaches, round_off * p->size);
    k.share = fmax(k.share / reaches, k.kappa);
    p->rate = k.rate;
    for (newton_verdict verdict = NEWTON_AGAIN; verdict == NEWTON_AGAIN;) {
        cst__combine(n, st->y, 1, &one, &z, y);
        if (p->exact) TRY(cst__sdirk_factor(s, SLOT_STEP, &(held_matrix){sdirk_time(m, st, i), p->shift, y}));
        TRY(deriv_rhs(&s->d, sdirk_time(m, st, i), y, s->p, m->r));
        residual(s, p->shift, m->gi, z, m->r);
        TRY(cst__implicit_solve(s, &m->im, SLOT_STEP, 0, 1, m->r));
        double norm = judge(s, st->h, 1, &p->damp, &r, st->y, y);
        if (!isfinite(norm)) return blame(s, st, i);
        cst__combine(n, z, 1, &p->damp, &r, m->z[i + 1]);
        verdict = newton_judge(&k, norm);
        if (verdict == NEWTON_FAILS) return STEP_NEWTON;
        if (k.k == 1) p->rate = k.rate; /* a guess, which is believed less every time */
        else if (norm > k.noise) {      /* round-off says nothing about how fast it converges */
            p->rate = newton_carried(&k);
            p->theta = fmax(p->theta, k.most_theta);
        }
    }
    cst__combine(n, st->y, 1, &one, &z, y);
    return 0;
}

/* y' at the start, from f there. */
static int slope_at_start(costate_solver *s, const step *st, double **slope)
{
    sdirk *m = s->method;
    if (!s->f_valid) TRY(deriv_rhs(&s->d, st->t, st->y, s->p, s->f));
    s->f_valid = 1;
    *slope = s->f;
    if (!s->prob.mass) return 0;
    *slope = memcpy(m->first, s->f, (size_t)s->prob.n * sizeof *s->f);
    mass_divide(s, *slope);
    return 0;
}

static int newton_stages(costate_solver *s, const step *st, const held_matrix *a, int exact, progress *p)
{
    sdirk *m = s->method;
    size_t n = (size_t)s->prob.n;
    const double one = 1, *carry = st->y + n;
    m->bad_stage = -1;
    if (!exact) TRY(cst__sdirk_factor(s, SLOT_STEP, a));
    m->z[0] = (double *)(uintptr_t)(carry + CARRY_VECTORS + n);
    if (carry[CARRY_SHIFT] == 0) {
        TRY(slope_at_start(s, st, &m->z[0]));
        if (!cst__first_not_finite(n, s->f, &m->bad_component)) {
            m->bad_stage = 0;
            return STEP_NEWTON;
        }
    }
    double shift = sdirk_shift(m, st);
    *p = (progress){.shift = shift, .damp = exact ? 1 : sdirk_damp(shift, a), .exact = exact, .rate = carry[CARRY_RATE]};
    p->size = judge(s, st->h, 1, &one, &st->y, st->y, st->y);
    for (int i = 0; i < m->s; i++) TRY(newton_stage(s, st, i, p));
    return 0;
}

static void finish(costate_solver *s, const step *st, const held_matrix *a, const progress *p)
{
    const sdirk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[ROW_MOST], *carry = st->ynew + n;
    const double *v[ROW_MOST];
    int terms = row_terms(&m->d, 1, m->z + 1, c, v, 0);
    cst__combine(n, st->y, terms, c, v, st->ynew);
    carry[CARRY_SHIFT] = a->shift;
    carry[CARRY_T] = a->t;
    carry[CARRY_THETA] = p->theta;
    carry[CARRY_RATE] = p->rate;
    memcpy(carry + CARRY_VECTORS, a->y, n * sizeof *carry);
    terms = row_terms(&m->slope, 1 / st->h, m->z + 1, c, v, 0);
    cst__combine(n, NULL, terms, c, v, carry + CARRY_VECTORS + n);
}

static int estimate(costate_solver *s, const step *st, double shift, double *err)
{
    sdirk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[ROW_MOST];
    const double *v[ROW_MOST];
    int terms = row_terms(&m->e, m->filter ? shift : 1, m->z + 1, c, v, 0);
    if (m->filter) {
        cst__combine(n, NULL, terms, c, v, m->r);
        mass_apply(s, 1, m->r);
        TRY(cst__implicit_solve(s, &m->im, SLOT_STEP, 0, 1, m->r));
        c[0] = terms = 1;
        v[0] = m->r;
    }
    *err = judge(s, st->h, terms, c, v, st->y, st->ynew);
    return 0;
}

static int sdirk_step(costate_solver *s, const step *st, double *err)
{
    sdirk *m = s->method;
    progress p;
    held_matrix a = cst__sdirk_choose(s, st);
    s->fnew_valid = 0;
    int rc = newton_stages(s, st, &a, 0, &p);
    if (a.y != st->y && (rc == STEP_NEWTON || rc == STEP_MATRIX)) {
        a = fresh_matrix(s, st);
        rc = newton_stages(s, st, &a, 0, &p);
    }
    if (rc == STEP_NEWTON && step_is_given(s, st)) rc = newton_stages(s, st, &a, 1, &p);
    s->note = a.y == st->y ? NOTE_RENEWED : NOTE_KEPT;
    if (rc == STEP_NEWTON && m->bad_stage >= 0) {
        if (err) *err = NAN;
        if (st->ynew) cst__fill_nan(st->ynew, s->state);
        return 0;
    }
    if (rc) return rc;
    if (st->ynew) finish(s, st, &a, &p);
    return err ? estimate(s, st, a.shift, err) : 0;
}

/* The slope at the start: that at the end of the step before, unless a stop may have changed it. */
static int first_slope(costate_solver *s, const step *st, double **f)
{
    sdirk *m = s->method;
    int before = !(st->n & 1), known = st->t == st->from || s->prob.autonomous;
    *f = m->ended[before] == st->n - 1 ? m->end[before] : s->f;
    if (known && *f != s->f) return 0;
    return slope_at_start(s, st, f);
}

static void keep_last_slope(costate_solver *s, const step *st)
{
    sdirk *m = s->method;
    double c[ROW_MOST];
    const double *v[ROW_MOST];
    int terms = row_terms(&m->last, 1 / st->h, m->z + 1, c, v, 0);
    cst__combine((size_t)s->prob.n, NULL, terms, c, v, m->end[st->n & 1]);
    m->ended[st->n & 1] = st->n;
}

static int sdirk_witness(costate_solver *s, const step *st, double most, double *w)
{
    sdirk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double c[ROW_MOST], *z[SDIRK_MOST + 1], one = 1;
    const double *v[ROW_MOST], *through = m->r;
    memcpy(z, m->z, sizeof z);
    TRY(first_slope(s, st, &z[0]));
    keep_last_slope(s, st);
    int terms = row_terms(&m->watch, 1, z, c, v, 0);
    if (m->watch.j[0] == 0) c[0] *= st->h;
    if (s->prob.mass) { /* of slopes of algebraic states nothing is known */
        cst__combine(n, NULL, terms, c, v, m->r);
        mass_keep_differential(s, m->r);
        c[0] = terms = 1;
        v[0] = m->r;
    }
    judge_parts(s, st->h, terms, c, v, st, w);
    if (*w <= most) return 0;
    for (int i = 0; i < terms; i++) c[i] *= m->held[SLOT_STEP].shift;
    cst__combine(n, NULL, terms, c, v, m->r);
    mass_apply(s, 1, m->r);
    TRY(cst__implicit_solve(s, &m->im, SLOT_STEP, 0, 1, m->r));
    judge_parts(s, st->h, 1, &one, &through, st, w);
    return 0;
}

static int sdirk_culprit(costate_solver *s, const step *st, int *stage, int *component)
{
    const sdirk *m = s->method;
    *stage = m->bad_stage;
    *component = m->bad_component;
    if (m->bad_stage >= 0) return 0;
    *stage = m->s - 1;
    return cst__first_not_finite((size_t)s->prob.n, st->ynew, component);
}

static int sdirk_running(costate_solver *s, const step *st, double *psi)
{
    const sdirk *m = s->method;
    const deriv_function *r = &s->d.running;
    for (int i = 0; i < m->s; i++) {
        TRY(r->fn.eval(0, sdirk_time(m, st, i), sdirk_stage(s, st->stages, i, 1), s->p, s->psi_row, r->data));
        for (int o = 0; o < s->nobj; o++) psi[o] += st->h * s->table->b[i] * s->psi_row[o];
    }
    return 0;
}

const family cst__sdirk = {
    .id = COSTATE_SDIRK,
    .heavy = 1,
    .open = sdirk_open,
    .close = sdirk_close,
    .carry_doubles = sdirk_carry_doubles,
    .stage_doubles = sdirk_stage_doubles,
    .tangent_doubles = sdirk_tangent_doubles,
    .adjoint_doubles = sdirk_adjoint_doubles,
    .points = sdirk_points,
    .start = sdirk_start,
    .step = sdirk_step,
    .witness = sdirk_witness,
    .culprit = sdirk_culprit,
    .running = sdirk_running,
    .dense = cst__sdirk_dense,
    .dense_degree = extend_degree,
    .dense_recorded = 1,
    .quadrature = cst__sdirk_quadrature,
    .tangent = cst__sdirk_tangent,
    .running_tangent = cst__sdirk_running_tangent,
    .adjoint = cst__sdirk_adjoint,
    .second = cst__sdirk_second,
};
