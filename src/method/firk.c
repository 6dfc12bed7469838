/* firk.c - fully implicit Runge-Kutta methods of three stages, forward.
 *
 *     z_i = h sum_j a_ij f(T_j, y + z_j),   y+ = y + sum_i d_i z_i,  d^T = b^T A^-1,   q+ = q + h sum_i b_i r(T_i, Y_i)
 *
 * by simplified Newton iterations on F_i - (1/h) sum_j (A^-1)_ij z_j with one Jacobian for all stages (firk_correct.c). They
 * start from the polynomial through the stages of the step before. The Jacobian is kept from step to step while they converge
 * fast, its factors while h stays the same. Hairer, Wanner: Solving ODEs II, IV.8.
 *
 * What a step takes from those before it is carried in the state: z, and where the Jacobian belongs to. Whether that one or a
 * fresh one served is the step's note. So a step computed again does the same and gives the same bits; factors at hand are only
 * a cache. docs/theory.md (47), (50), (51). The stage data are the Y_i. */
#include "method/firk.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

enum { KEPT, FRESH };                                 /* the Jacobian; values of the note */
enum { AT_Y = FIRK_STAGES, AT_NUMBERS = 1 + AT_Y };   /* what is carried, in vectors of n behind y: z_i; where J is; numbers: */
enum { HISTORY, H, TIME, KEY, THETA, RATE, NUMBERS }; /* 1: there is some; h of z; t and key of J; convergence */

static const double keep_below = 2e-2; /* convergence up to which the Jacobian is kept */
static const double steady = 1.2;      /* growth of h that is not worth new factors */

/* ---- opening ------------------------------------------------------------------------------------------------------------- */

static int firk_open(costate_solver *s)
{
    char why[256] = "";
    firk *m = cst__alloc(&s->alloc, 1, sizeof *m);
    if (!m) return cst__fail(s, COSTATE_ERR_MEMORY, "the method");
    memset(m, 0, sizeof *m);
    s->method = m;
    int status = cst__firk_derive(m, s->table, s->opt.estimator[0] == 's', why, sizeof why);
    if (status) return cst__fail(s, status, "%s", why);
    s->witness = m->witness;
    TRY(cst__implicit_open(s, &m->im, 2));
    size_t n = cst__pad((size_t)s->prob.n);
    double *at = m->memory = cst__alloc(&s->alloc, (3 * FIRK_STAGES + 3) * n, sizeof *at);
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "%d stages of %d states", FIRK_STAGES, s->prob.n);
    firk_cut(at, n, m->z);
    firk_cut(at += FIRK_STAGES * n, n, m->f);
    m->q = at += FIRK_STAGES * n;
    m->err = at += FIRK_STAGES * n;
    m->spare = at += n;
    m->weights = at + n;
    return 0;
}

static void firk_close(costate_solver *s)
{
    firk *m = s->method;
    if (m) {
        cst__firk_coupled_close(s);
        cst__implicit_close(s, &m->im);
        cst__release(&s->alloc, m->memory);
    }
    cst__release(&s->alloc, m);
    s->method = NULL;
}

static void firk_start(costate_solver *s, int fresh)
{
    firk *m = s->method;
    m->im.key = m->tried = -1;
    m->h = m->coupled.h = 0;
    if (fresh && m->im.ls.ops->restart) m->im.ls.ops->restart(m->im.ls.self);
}

static size_t firk_carry_doubles(const costate_solver *s)
{
    return AT_NUMBERS * (size_t)s->prob.n + NUMBERS;
}

static size_t firk_stage_doubles(const costate_solver *s)
{
    return FIRK_STAGES * (size_t)s->prob.n;
}

static size_t firk_tangent_doubles(const costate_solver *s)
{
    return (3 * FIRK_STAGES + 1) * (size_t)s->prob.n;
}

static size_t firk_adjoint_doubles(const costate_solver *s)
{
    return 7 * FIRK_STAGES * (size_t)s->prob.n + (size_t)s->nobj; /* of the second order; the first takes less */
}

static int firk_points(const costate_solver *s)
{
    (void)s;
    return FIRK_STAGES;
}

/* ---- polynomials --------------------------------------------------------------------------------------------------------- */

/* Lagrange's polynomials of the stages, at x: 1 at the own node, 0 at the others, among them that of y unless a stage has it. */
static void lagrange(const firk *m, double x, double l[FIRK_STAGES])
{
    double first = x - m->c[0], second = x - m->c[1], third = x - m->c[2], y = firk_among(m, 0) ? 1 : x;
    l[0] = m->peak[0] * y * second * third;
    l[1] = m->peak[1] * y * first * third;
    l[2] = m->peak[2] * y * first * second;
}

/* z from the polynomial through the stages of the step before, and through its y unless a stage has that node; else from zero. */
static void predict(costate_solver *s, const step *st)
{
    firk *m = s->method;
    size_t n = (size_t)s->prob.n;
    const double *carry = st->y + n, *numbers = carry + AT_NUMBERS * n;
    double *was[FIRK_STAGES], *y[FIRK_STAGES], l[FIRK_STAGES];
    const double one = 1;
    firk_cut(carry, n, was);
    firk_cut(st->stages, n, y);
    for (int i = 0; i < FIRK_STAGES; i++) {
        if (numbers[HISTORY] != 0 && m->distinct) {
            lagrange(m, 1 + m->c[i] * st->h / numbers[H], l);
            for (int j = 0; j < FIRK_STAGES; j++) l[j] -= m->d[j]; /* less y - y of then */
            cst__combine(n, NULL, FIRK_STAGES, l, (const double *const *)was, m->z[i]);
        } else memset(m->z[i], 0, n * sizeof *m->z[i]);
        cst__combine(n, st->y, 1, &one, (const double *const *)&m->z[i], y[i]);
    }
}

/* y + sum_i x_i(theta) (Y_i - y), for collocation methods the polynomial through y and the stages. Nothing is evaluated, and the
 * directions are those of the state's polynomial. */
static int firk_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    const firk *m = s->method;
    size_t count = (size_t)s->prob.n * (size_t)(d ? d->w : 1);
    double c[FIRK_STAGES + 1], *stage[FIRK_STAGES];
    const double *v[FIRK_STAGES + 1];
    (void)first;
    firk_cut(d ? d->stages : st->stages, count, stage);
    c[FIRK_STAGES] = 1;
    v[FIRK_STAGES] = d ? d->ydot : st->y;
    for (int i = 0; i < FIRK_STAGES; i++) {
        c[i] = extend_at(m->dense[i], theta);
        v[i] = stage[i];
        c[FIRK_STAGES] -= c[i];
    }
    cst__combine(count, NULL, FIRK_STAGES + 1, c, v, d ? ydot : y);
    return 0;
}

/* ---- the stages ---------------------------------------------------------------------------------------------------------- */

static int factors(costate_solver *s, const step *st)
{
    firk *m = s->method;
    if (m->h == st->h) return 0;
    m->h = 0;
    TRY(cst__implicit_factor(s, &m->im, 0, 0, m->gamma / st->h, 0));
    TRY(cst__implicit_factor(s, &m->im, 1, 1, m->alpha / st->h, m->beta / st->h));
    m->h = st->h;
    return 0;
}

int cst__firk_matrices(costate_solver *s, const step *st, int note)
{
    firk *m = s->method;
    const double *kept = st->y + (1 + AT_Y) * (size_t)s->prob.n, *numbers = kept + s->prob.n;
    int64_t key = note == FRESH ? st->n : (int64_t)numbers[KEY];
    if (m->im.key != key) {
        m->h = 0;
        int rc = note == FRESH ? cst__implicit_jacobian(s, &m->im, key, st->t, st->y)
                               : cst__implicit_jacobian(s, &m->im, key, numbers[TIME], kept);
        TRY(cst__of(s, "jac", rc));
    }
    return factors(s, st);
}

int cst__firk_middle_matrices(costate_solver *s, const step *st)
{
    enum { MIDDLE = 1 };
    firk *m = s->method;
    const int64_t key = -2 - st->n; /* no step's own */
    double *y[FIRK_STAGES];
    firk_cut(st->stages, (size_t)s->prob.n, y);
    if (m->im.key != key) {
        m->h = 0;
        TRY(cst__of(s, "jac", cst__implicit_jacobian(s, &m->im, key, firk_time(m, st, MIDDLE), y[MIDDLE])));
    }
    return factors(s, st);
}

/* A sparse Jacobian of a few colours is next to nothing beside its factors; and tangents and adjoints, which are solved for more
 * digits than a step, take half the iterations with a new one. */
static int cheap(const implicit *m)
{
    enum { FEW = 8 };
    return m->pattern.format == COSTATE_CSC && m->jac.colours > 0 && m->jac.colours <= FEW;
}

/* A kept Jacobian serves unless convergence was slow, or an earlier attempt at this step came to nothing. */
static int choose(const firk *m, const step *st, const double *numbers, int again)
{
    if (st->note >= 0) return st->note;
    if (numbers[HISTORY] == 0 || again || m->im.key == st->n) return FRESH;
    if (!m->im.values) return FRESH; /* without a matrix there is nothing to save */
    if (numbers[H] != st->h && cheap(&m->im)) return FRESH; /* there will be new factors all the same */
    return numbers[THETA] <= keep_below ? KEPT : FRESH;
}

/* Newton's iteration; its convergence comes to *c. */
static int iterate(costate_solver *s, const step *st, int which, newton *c)
{
    firk *m = s->method;
    const size_t n = (size_t)s->prob.n, judged = cst__judged(s);
    const double *numbers = st->y + (1 + AT_NUMBERS) * n;
    TRY(cst__firk_matrices(s, st, which));
    predict(s, st);
    firk_system q = {.w = 1, .h = st->h, .from = st->y, .q = m->q};
    memcpy(q.f, m->f, sizeof q.f);
    memcpy(q.x, m->z, sizeof q.x);
    firk_cut(st->stages, n, q.y);
    const double *unit = judge_unit(s, st->h);
    cst__weights(n, st->y, s->opt.rtol, s->atol, m->weights);
    for (size_t i = 0; unit && i < judged; i++) m->weights[i] *= unit[i];
    double size = sqrt(cst__weighted_squares(judged, m->weights, st->y) / (double)judged);
    *c = newton_start(s, st, size, numbers[RATE]);
    c->kappa = fmax(c->kappa, 10 * DBL_EPSILON * size); /* what round-off leaves to reach */
    c->share = fmax(c->share, c->kappa);
    for (;;) {
        double sum = 0;
        for (int i = 0; i < FIRK_STAGES; i++) {
            TRY(deriv_rhs(&s->d, firk_time(m, st, i), q.y[i], s->p, q.f[i]));
            if (!cst__all_finite(n, q.f[i])) return STEP_NOT_FINITE;
        }
        TRY(cst__firk_correct(s, &q, 0));
        for (int i = 0; i < FIRK_STAGES; i++) sum += cst__weighted_squares(judged, m->weights, q.f[i]);
        newton_verdict v = newton_judge(c, sqrt(sum / (FIRK_STAGES * (double)judged)));
        if (v != NEWTON_AGAIN) return v == NEWTON_DONE ? 0 : STEP_NEWTON;
    }
}

static void carry(const costate_solver *s, const step *st, int which, const newton *c)
{
    const firk *m = s->method;
    size_t n = (size_t)s->prob.n;
    const double *from = st->y + n, *old = from + AT_NUMBERS * n;
    double *to = st->ynew + n, *numbers = to + AT_NUMBERS * n;
    for (int i = 0; i < FIRK_STAGES; i++) memcpy(to + (size_t)i * n, m->z[i], n * sizeof *to);
    memcpy(to + AT_Y * n, which == FRESH ? st->y : from + AT_Y * n, n * sizeof *to);
    numbers[HISTORY] = 1;
    numbers[H] = st->h;
    numbers[TIME] = which == FRESH ? st->t : old[TIME];
    numbers[KEY] = which == FRESH ? (double)st->n : old[KEY];
    numbers[THETA] = c->most_theta;
    numbers[RATE] = newton_carried(c);
}

/* ---- the estimate -------------------------------------------------------------------------------------------------------- */

/* f_0 of the estimate: f(t, y), or at the node between the ends */
static int slope(costate_solver *s, const step *st, const double **f)
{
    firk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double *y[FIRK_STAGES];
    *f = s->f;
    if (m->node == 0 || m->e0 == 0) return 0;
    firk_cut(st->stages, n, y);
    cst__combine(n, NULL, 1 + FIRK_STAGES, m->mid, (const double *[]){st->y, y[0], y[1], y[2]}, m->spare);
    *f = m->f[0];
    return deriv_rhs(&s->d, step_time(st, m->node), m->spare, s->p, m->f[0]);
}

/* (I - h/gamma J)^-1 (e0 h f_0 + sum e_i z_i + e1 h f(tn, y+)). Where a step begins in a transient that is too large for stiff
 * components: filtered twice it vanishes for them. HW (8.20) */
static int estimate(costate_solver *s, const step *st, int transient, double *err)
{
    firk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double g = m->gamma / st->h, c[] = {g * m->e[0], g * m->e[1], g * m->e[2], m->gamma * m->e0, m->gamma * m->e1}, one = 1;
    const double *v[] = {m->z[0], m->z[1], m->z[2], NULL, s->fnew}, *e = m->err;
    TRY(slope(s, st, &v[3]));
    if (m->e1 != 0) {
        TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew));
        s->fnew_valid = 1;
    }
    if (m->e0 == 0) {
        c[3] = c[4];
        v[3] = v[4];
    }
    const int terms = m->e0 != 0 && m->e1 != 0 ? 5 : 4;
    if (s->prob.mass) { /* of the z_i alone */
        cst__combine(n, NULL, FIRK_STAGES, c, v, m->err);
        mass_apply(s, 1, m->err);
        cst__combine(n, m->err, terms - FIRK_STAGES, c + FIRK_STAGES, v + FIRK_STAGES, m->err);
    } else cst__combine(n, NULL, terms, c, v, m->err);
    for (int pass = 0; pass == 0 || (pass == 1 && transient && *err > 1); pass++) {
        if (pass) {
            cst__combine(n, NULL, 1, &g, &e, m->err);
            mass_apply(s, 1, m->err);
        }
        TRY(cst__implicit_solve(s, &m->im, 0, 0, 1, m->err));
        *err = judge(s, st->h, 1, &one, &e, st->y, st->ynew);
    }
    return 0;
}

static int firk_witness(costate_solver *s, const step *st, double most, double *w)
{
    firk *m = s->method;
    size_t n = (size_t)s->prob.n;
    double one = 1, c[] = {m->watch[0], m->watch[1], m->watch[2], st->h * m->watch0, st->h * m->watch1};
    const double *v[] = {m->z[0], m->z[1], m->z[2], s->f, s->fnew}, *through = m->err;
    if (!s->f_valid) TRY(deriv_rhs(&s->d, st->t, st->y, s->p, s->f));
    s->f_valid = 1;
    int terms = m->watch1 != 0 ? 5 : 4;
    if (s->prob.mass) { /* of slopes of algebraic states nothing is known */
        cst__combine(n, NULL, terms - FIRK_STAGES, c + FIRK_STAGES, v + FIRK_STAGES, m->err);
        mass_divide(s, m->err);
        cst__combine(n, m->err, FIRK_STAGES, c, v, m->err);
        mass_keep_differential(s, m->err);
        c[0] = terms = 1;
        v[0] = through;
    }
    judge_parts(s, st->h, terms, c, v, st, w);
    for (int pass = 0; pass < 2 && *w > most; pass++) { /* slopes of stiff components take two, for they are that large */
        for (int i = 0; i < terms; i++) c[i] *= m->gamma / st->h;
        cst__combine(n, NULL, terms, c, v, m->err);
        mass_apply(s, 1, m->err);
        TRY(cst__implicit_solve(s, &m->im, 0, 0, 1, m->err));
        judge_parts(s, st->h, 1, &one, &through, st, w);
        c[0] = terms = 1;
        v[0] = through;
    }
    return 0;
}

/* ---- the step ------------------------------------------------------------------------------------------------------------ */

static int not_finite(const costate_solver *s, const step *st, double *err)
{
    if (err) *err = NAN;
    if (st->ynew) cst__fill_nan(st->ynew, (size_t)s->prob.n);
    return 0;
}

static int firk_step(costate_solver *s, const step *st, double *err)
{
    firk *m = s->method;
    size_t n = (size_t)s->prob.n;
    newton c;
    int again = m->tried == st->n;
    m->tried = st->n;
    m->coupled.h = 0;
    s->fnew_valid = 0;
    if (err && m->node == 0) {
        if (!s->f_valid) TRY(deriv_rhs(&s->d, st->t, st->y, s->p, s->f));
        s->f_valid = 1;
        if (!cst__all_finite(n, s->f)) return not_finite(s, st, err);
    }
    int which = choose(m, st, st->y + (1 + AT_NUMBERS) * n, again), rc = iterate(s, st, which, &c);
    if (which == KEPT && (rc == STEP_NEWTON || rc == STEP_MATRIX || rc == STEP_NOT_FINITE))
        rc = iterate(s, st, which = FRESH, &c);
    s->note = which;
    if (rc == STEP_NOT_FINITE) return not_finite(s, st, err);
    if (rc || !st->ynew) return rc;
    cst__combine(n, st->y, FIRK_STAGES, m->d, (const double *const *)m->z, st->ynew);
    m->theta = c.theta;
    carry(s, st, which, &c);
    return err ? estimate(s, st, again || st->n == 0, err) : 0;
}

/* The factors are worth a somewhat smaller step than possible, if they will serve. */
static double firk_settle(costate_solver *s, const step *st, const outcome *o, control *c)
{
    const firk *m = s->method;
    double h = st->h, hnew = cst__control_size(c, h, o);
    if (!o->accepted) return hnew;
    return m->theta <= keep_below && hnew / h >= 1 && hnew / h <= steady ? h : hnew;
}

static int firk_culprit(costate_solver *s, const step *st, int *stage, int *component)
{
    const firk *m = s->method;
    size_t n = (size_t)s->prob.n;
    (void)st;
    *stage = 0;
    if (s->f_valid && !cst__first_not_finite(n, s->f, component)) return 0;
    for (; *stage < FIRK_STAGES; ++*stage)
        if (!cst__first_not_finite(n, m->f[*stage], component)) return 0;
    return s->fnew_valid ? cst__first_not_finite(n, s->fnew, component) : -1; /* at the end of the step, behind the stages */
}

static int firk_running(costate_solver *s, const step *st, double *psi)
{
    const firk *m = s->method;
    const deriv_function *r = &s->d.running;
    double *y[FIRK_STAGES];
    firk_cut(st->stages, (size_t)s->prob.n, y);
    for (int i = 0; i < FIRK_STAGES; i++) {
        TRY(cst__of(s, "running", r->fn.eval(0, firk_time(m, st, i), y[i], s->p, s->psi_row, r->data)));
        for (int o = 0; o < s->nobj; o++) psi[o] += st->h * m->b[i] * s->psi_row[o];
    }
    return 0;
}

const family cst__firk = {
    .id = COSTATE_FIRK,
    .heavy = 1,
    .open = firk_open,
    .close = firk_close,
    .start = firk_start,
    .carry_doubles = firk_carry_doubles,
    .stage_doubles = firk_stage_doubles,
    .tangent_doubles = firk_tangent_doubles,
    .adjoint_doubles = firk_adjoint_doubles,
    .points = firk_points,
    .step = firk_step,
    .settle = firk_settle,
    .witness = firk_witness,
    .culprit = firk_culprit,
    .running = firk_running,
    .dense = firk_dense,
    .dense_degree = extend_degree,
    .dense_recorded = 1,
    .quadrature = cst__firk_quadrature,
    .tangent = cst__firk_tangent,
    .running_tangent = cst__firk_running_tangent,
    .adjoint = cst__firk_adjoint,
    .second = cst__firk_second,
};
