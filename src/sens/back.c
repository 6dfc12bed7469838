/* back.c - gradients by the adjoint equations: the run back from t1 to t0, interval by interval between jumps. See back.h.
 *
 *     at t1 and at observations, for a part g of the objectives:   M^T lambda += g_y^T omega,   mu += g_p^T omega
 *
 * where M is not singular. Else algebraic states are functions of the others: what is owed to them goes there first, as for
 * initial values (core/consistent.h). */
#include "sens/back.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "core/workers.h"
#include "method/implicit.h"

/* ---- a call ------------------------------------------------------------------------------------------------------------ */

static double *take(double **at, size_t doubles)
{
    double *here = *at;
    *at += cst__pad(doubles);
    return here;
}

/* Lanes of all blocks, those included that fill up the last. */
static size_t padded(lane_cut c)
{
    return c.blocks ? (size_t)((c.blocks - 1) * c.lanes + cut_width(c, c.blocks - 1)) : 0;
}

static size_t lay_out(backward *b, double *at)
{
    const costate_solver *s = b->s;
    const size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np, par = (size_t)s->nobj + 1, lanes = padded(b->cut);
    const size_t wide = b->cut.blocks ? (size_t)cut_width(b->cut, 0) : 1;
    double *from = at;
    b->y = take(&at, n);
    b->par = take(&at, par);
    b->ydot = take(&at, n * lanes);
    b->pars = take(&at, par * lanes);
    b->left = take(&at, n * (1 + (size_t)b->lanes));
    b->mu = take(&at, np * (1 + lanes));
    b->probe = take(&at, np);
    b->sampled = take(&at, 2 * cst__pad(n));
    b->u = take(&at, n * wide);
    b->v = take(&at, n * wide);
    b->seed = take(&at, (size_t)s->nobj * wide);
    b->unit = take(&at, lanes);
    b->most = take(&at, 1 + lanes);
    b->total = take(&at, 1 + lanes);
    b->part = take(&at, 1 + lanes);
    b->off = take(&at, 1 + lanes);
    b->lambda = take(&at, n);
    b->slope = take(&at, n);
    b->rate = take(&at, n);
    b->term = take(&at, (size_t)s->nobj);
    for (int i = 0; i < BACK_NODES && b->in->fam->shares; i++) {
        double *lambda = take(&at, n * (1 + lanes));
        if (from) b->node[i].lambda = lambda;
    }
    return (size_t)(at - from);
}

int cst__back_begin(costate_solver *s, int lanes, int second, int want_mu, tangent *tg)
{
    TRY(cst__back_open(s));
    backward *b = s->back;
    b->second = second;
    b->want_off = 0;
    b->lanes = lanes;
    b->cut = cut_lanes(b->in, lanes);
    b->want_mu = want_mu && s->prob.np;
    b->rtol = s->opt.rtol > 0 ? s->opt.rtol : 1e-6;
    b->steps = b->rejected = 0;
    b->doubt = 0;
    b->deaf = 0;
    b->stride = 0;
    double none;
    const size_t size = lay_out(b, &none);
    double *at = b->memory = cst__alloc(&s->alloc, size, sizeof *at);
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the adjoint equations of %d lanes", 1 + lanes);
    memset(at, 0, size * sizeof *at);
    lay_out(b, at);
    for (int k = 0; k < s->prob.np; k++)
        b->probe[k] = (cst__irregular((uint64_t)k) < 1 ? -1 : 1) * cst__irregular((uint64_t)k + (uint64_t)s->prob.np) *
                      (s->p[k] != 0 ? fabs(s->p[k]) : 1);
    return path_open(&b->path, s, second ? lanes : 0, tg);
}

void cst__back_end(costate_solver *s)
{
    backward *b = s->back;
    if (!b) return;
    path_close(&b->path);
    cst__release(&s->alloc, b->memory);
    b->memory = NULL;
}

/* ---- jumps ------------------------------------------------------------------------------------------------------------- */

int cst__back_product_failed(costate_solver *s, int rc, const char *which, double t)
{
    if (s->status) return s->status; /* what failed has said so */
    return cst__fail_at(s, COSTATE_ERR_SWEEP_CALLBACK, t, 0, -1, -1, -1, "%s returned %d at t = %.10g",
                        s->calling ? s->calling : which, rc, t);
}

/* With constraints of index 2, f_u^T lambda + r_u^T omega = 0 holds along lambda: what is owed goes there along h_d, K being that
 * of core/hidden.h.
 *
 *     K^T chi = (owed_d, r_u^T omega);   M lambda_d += M chi_f,   mu += h_p^T chi_h
 *
 * r counts at t1 alone: after that lambda satisfies it, and so must its jumps without r. */
static int project(backward *b, double t, const double *y, ablock *owed)
{
    costate_solver *s = b->s;
    const deriv_function *r = &s->d.running;
    const size_t n = (size_t)s->prob.n, w = (size_t)owed->w, nw = n * w;
    double *forced = cst__alloc(&s->alloc, 2 * nw, sizeof *forced), *seed = forced + nw;
    if (!forced) return cst__fail(s, COSTATE_ERR_MEMORY, "multipliers of %zu lanes", w);
    memset(forced, 0, 2 * nw * sizeof *forced);
    int rc = cst__start_matrix(s, y);
    if (!rc && r->fn.eval && t == s->t1) rc = r->fn.vjp(0, t, y, s->p, (int)w, owed->omega, forced, NULL, r->data);
    for (size_t i = 0; i < n; i++)
        for (size_t l = i * w; l < (i + 1) * w && s->prob.mass[i] == 0; l++) owed->lambda[l] = forced[l];
    if (!rc) rc = cst__implicit_solve(s, s->im, 0, 1, (int)w, owed->lambda);
    for (size_t i = 0; i < n; i++)
        for (size_t l = i * w; l < (i + 1) * w; l++) {
            if (s->constraint[i]) seed[l] = owed->lambda[l];
            owed->lambda[l] *= s->prob.mass[i];
        }
    if (!rc && owed->mu) rc = deriv_vjp(&s->d, t, y, s->p, (int)w, seed, NULL, owed->mu);
    s->im->key = -1; /* the family's own factors are gone */
    if (s->fam->start) s->fam->start(s, 0);
    cst__release(&s->alloc, forced);
    return rc ? cst__back_product_failed(s, rc, "vjp", t) : 0;
}

/* What is owed to algebraic states at (t, y) becomes owed to the others, and to parameters. */
static int reduce(backward *b, double t, const double *y, const double *ydot, ablock *owed)
{
    costate_solver *s = b->s;
    double *y0 = s->y0, t0 = s->t0;
    const double *mass = s->start_mass;
    const int stays = s->start_stays, steady = s->prob.steady;
    if (!s->prob.mass) return 0;
    s->y0 = (double *)(uintptr_t)y; /* only read */
    s->t0 = t;
    s->start_mass = NULL;
    s->start_stays = 1;
    s->prob.steady = 0;
    int status = cst__consistent_adjoint(s, ydot, owed);
    if (!status && s->constraint) status = project(b, t, y, owed);
    s->y0 = y0;
    s->t0 = t0;
    s->start_mass = mass;
    s->start_stays = stays;
    s->prob.steady = steady;
    return status;
}

/* M^T lambda += owed, and that is nothing then. */
void cst__back_absorb(backward *b, ablock *owed)
{
    const costate_solver *s = b->s;
    const size_t n = (size_t)s->prob.n, lanes = (size_t)b->lanes, w = (size_t)owed->w;
    for (size_t i = 0; i < n; i++) {
        const double mass = s->prob.mass ? s->prob.mass[i] : 1;
        if (mass == 0) continue;
        b->y[i] += owed->lambda[i * w] / mass;
        for (size_t l = 0; l < lanes; l++)
            b->ydot[i * lanes + l] += (b->second ? owed->lambda_dot[i * w + l] : owed->lambda[i * w + 1 + l]) / mass;
    }
    memset(owed->lambda, 0, n * w * sizeof *owed->lambda);
    if (b->second) memset(owed->lambda_dot, 0, n * w * sizeof *owed->lambda_dot);
}

/* Where an event happens at the same time, an observation has seen the state before it. */
static int seen_here(const backward *b, int k)
{
    return k >= 0 && (b->path.lo == 0 || b->s->obs_step[k] > b->path.lo);
}

/* Observations at t, from k down; *next: the one before them. */
static int observed(backward *b, double t, int *next, ablock *owed)
{
    costate_solver *s = b->s;
    int any = 0;
    for (; seen_here(b, *next) && s->prob.observe_at[*next] == t; --*next, any = 1) {
        const path_point *at = path_at(&b->path, t);
        if (!at) return s->status;
        const int rc = cst__observe_adjoint(s, *next, at->y, at->ydot, owed);
        if (rc) return cst__back_product_failed(s, rc, "a product of observe", t);
    }
    if (!any || t == s->t0) return 0; /* there it goes to the initial values */
    const path_point *at = path_at(&b->path, t);
    TRY(reduce(b, t, at->y, at->ydot, owed));
    cst__back_absorb(b, owed);
    return 0;
}

/* ---- intervals --------------------------------------------------------------------------------------------------------- */

static int failed(backward *b, int status)
{
    costate_solver *s = b->s;
    const costate_stats *st = &b->in->stats;
    if (s->status) return s->status; /* the run's steps could not be had */
    if (status == COSTATE_ERR_CALLBACK) status = COSTATE_ERR_SWEEP_CALLBACK;
    return cst__fail_at(s, status, st->fail_t, st->fail_h, -1, -1, st->fail_component, "the adjoint equations, backwards: %s",
                        costate_reason(b->in));
}

/* A stop at which nothing jumps, for a kink, does not slow down methods without a past. */
static int goes_on(const backward *b)
{
    const size_t n = (size_t)b->s->prob.n;
    return b->stride > 0 && !b->in->fam->shares && !memcmp(b->left, b->y, n * sizeof *b->y) &&
           !memcmp(b->left + n, b->ydot, n * (size_t)b->lanes * sizeof *b->ydot);
}

static void leave(backward *b)
{
    const size_t n = (size_t)b->s->prob.n;
    memcpy(b->left, b->y, n * sizeof *b->y);
    memcpy(b->left + n, b->ydot, n * (size_t)b->lanes * sizeof *b->ydot);
}

static int interval(backward *b, double from, double to)
{
    costate_solver *in = b->in;
    b->resume = goes_on(b) ? b->stride : 0;
    if (b->resume == 0) b->stride = 0;
    TRY(cst__back_rows(b, from, to));
    if (cst__back_scale(b, from)) return failed(b, COSTATE_ERR_SWEEP_CALLBACK);
    in->guide = &b->guide;
    int status = b->lanes ? costate_tangent(in, from, to, b->par, b->y, b->lanes, b->ydot, b->pars)
                          : costate_solve(in, from, to, b->par, b->y);
    if (b->s->adjoint_rows.count && status) cst__release(&b->s->alloc, b->rows), b->rows = NULL;
    b->steps += in->stats.steps;
    b->rejected += in->stats.rejected;
    if (!status) status = cst__back_flush(b, 0);
    leave(b);
    return status ? failed(b, status) : cst__back_rows_end(b, from, to);
}

/* Steps lo .. hi-1, between which no event happens. */
static int between(backward *b, int64_t lo, int64_t hi, int *next, ablock *owed)
{
    const costate_solver *s = b->s;
    double t = s->log.t[hi];
    TRY(observed(b, t, next, owed));
    while (t != s->log.t[lo]) {
        const double to = seen_here(b, *next) ? s->prob.observe_at[*next] : s->log.t[lo];
        TRY(interval(b, t, to));
        t = to;
        TRY(observed(b, t, next, owed));
    }
    return 0;
}

/* The last observation that the run saw. */
static int last_seen(const backward *b)
{
    const costate_solver *s = b->s;
    int k = b->objectives ? s->prob.observations - 1 : -1;
    while (k >= 0 && s->ev && s->obs_step[k] > s->log.count) k--;
    return k;
}

/* Adjoints of what jumps at the end are owed; in the end those of the initial state are, to which history and init belong. */
int cst__back_run(backward *b, ablock *owed)
{
    costate_solver *s = b->s;
    int next = last_seen(b);
    const double *ydot = b->second ? b->path.tg->block[0].ydot : NULL;
    if (s->ev) cst__events_end(s);
    const int rc = b->objectives ? cst__terminal_adjoint(s, s->yend, ydot, owed) : 0;
    if (rc) return cst__back_product_failed(s, rc, "a product of terminal", s->t1);
    TRY(reduce(b, s->t1, s->yend, ydot, owed));
    cst__back_absorb(b, owed);
    for (int64_t i = s->ev ? s->ev->count : 0, hi = s->log.count, lo; i >= 0; i--, hi = lo) {
        const happened *begins = i > 0 ? &s->ev->list[i - 1] : NULL;
        lo = begins ? begins->step : 0;
        if (lo == hi) continue; /* nothing comes after the last event */
        path_between(&b->path, lo, hi);
        if (s->ev) TRY(cst__back_to_event(b, hi, owed));
        TRY(between(b, lo, hi, &next, owed));
        if (begins) TRY(cst__back_from_event(b, lo, owed));
    }
    return 0;
}

/* M^T lambda is owed, and nothing else is. */
void cst__back_surrender(backward *b, ablock *owed)
{
    const costate_solver *s = b->s;
    const size_t n = (size_t)s->prob.n, w = (size_t)owed->w, lanes = (size_t)b->lanes;
    for (size_t i = 0; i < n; i++) {
        const double mass = s->prob.mass ? s->prob.mass[i] : 1;
        for (size_t l = 0; l < w; l++) {
            owed->lambda[i * w + l] += mass * (b->second || l == 0 ? b->y[i] : b->ydot[i * lanes + l - 1]);
            if (b->second) owed->lambda_dot[i * w + l] += mass * b->ydot[i * lanes + l];
        }
    }
}

/* What is owed to the initial state, M lambda and more, passes through init. */
int cst__back_finish(backward *b, ablock *owed)
{
    costate_solver *s = b->s;
    cst__back_surrender(b, owed);
    cst__back_rows_start(b, owed);
    const path_point *at = path_at(&b->path, s->t0);
    if (!at) return s->status;
    TRY(cst__consistent_adjoint(s, at->ydot, owed));
    const int rc = cst__init_adjoint(s, owed);
    if (rc) return cst__back_product_failed(s, rc, "a product of init", s->t0);
    s->stats.adjoint_steps = b->steps;
    s->stats.adjoint_rejected = b->rejected;
    s->stats.adjoint_method = b->in->stats.method;
    return 0;
}

void cst__back_report(costate_solver *s, const costate_stats *of)
{
    s->stats.adjoint_steps = of->adjoint_steps;
    s->stats.adjoint_rejected = of->adjoint_rejected;
    s->stats.adjoint_method = of->adjoint_method;
}

int cst__back_finite(costate_solver *s, const double *lambda, const double *mu, size_t w)
{
    char buffer[32];
    int i;
    if (lambda && !cst__first_not_finite((size_t)s->prob.n * w, lambda, &i))
        return cst__fail_at(s, COSTATE_ERR_SWEEP_NOT_FINITE, s->t0, 0, -1, -1, i / (int)w,
                            "the derivative by the initial value of %s", cst__state_name(s, i / (int)w, buffer));
    if (mu && !cst__first_not_finite((size_t)s->prob.np * w, mu, &i))
        return cst__fail_at(s, COSTATE_ERR_SWEEP_NOT_FINITE, s->t0, 0, -1, -1, -1, "the derivative by %s",
                            cst__param_name(s, i / (int)w, buffer));
    return 0;
}

/* ---- first order ------------------------------------------------------------------------------------------------------- */

/* The lane that is the state: the first that is not zero. */
static size_t leading(size_t rows, size_t w, const double *x)
{
    for (size_t l = 0; x && l < w; l++)
        for (size_t i = 0; i < rows; i++)
            if (x[i * w + l] != 0) return l;
    return 0;
}

static void exchange(size_t rows, size_t w, size_t l, double *x) /* lanes 0 and l */
{
    for (size_t i = 0; l && i < rows; i++) {
        const double first = x[i * w];
        x[i * w] = x[i * w + l];
        x[i * w + l] = first;
    }
}

/* The parts of mu that are integrals. */
static void collect(const backward *b, size_t w, double *mu)
{
    const size_t np = (size_t)b->s->prob.np;
    const double *at = b->mu + np;
    for (size_t i = 0; i < np; i++) mu[i * w] += b->mu[i];
    for (int q = 0; q < b->cut.blocks; q++) {
        const size_t width = (size_t)cut_width(b->cut, q);
        for (size_t i = 0; i < np; i++)
            for (size_t l = 0; l < (size_t)cut_used(b->cut, q); l++)
                mu[i * w + 1 + (size_t)(q * b->cut.lanes) + l] += at[i * width + l];
        at += np * width;
    }
}

typedef struct demand { /* a call: seeds, or weights of the objectives; n x w, np x w and w numbers, or NULL */
    int w, objectives;
    const double *weights;
    double *lambda, *mu, *off;
} demand;

/* Lanes from `first` on. */
static int gradient(costate_solver *s, const demand *a, ablock *owed, const double *weights, const double *lambda, double *off,
                    size_t first)
{
    const size_t n = (size_t)s->prob.n, o = (size_t)s->nobj, w = (size_t)owed->w;
    TRY(cst__back_begin(s, owed->w - 1, 0, owed->mu != NULL, NULL));
    backward *b = s->back;
    b->objectives = a->objectives;
    b->want_off = off != NULL;
    if (!a->objectives) memcpy(owed->lambda, lambda, n * w * sizeof *lambda);
    for (size_t i = 0; a->objectives && i < o; i++)
        for (size_t l = 0; l < w; l++) owed->omega[i * w + l] = weights[i * w + l];
    const size_t lead = a->objectives ? leading(o, w, owed->omega) : leading(n, w, lambda);
    exchange(n, w, lead, owed->lambda);
    exchange(o, w, lead, owed->omega);
    b->lead = (int)lead;
    b->rows_w = s->adjoint_rows.count && !off ? a->w : 0;
    b->rows_first = (int)first;
    for (size_t i = 0; i < o; i++) {
        b->par[i] = owed->omega[i * w];
        for (size_t l = 1; l < w; l++) b->pars[i * (w - 1) + l - 1] = owed->omega[i * w + l];
    }
    TRY(cst__back_run(b, owed));
    if (off) {
        TRY(cst__back_defect_end(b, owed->omega, w));
        memcpy(off, b->off, w * sizeof *off); /* no lane is zero, so that lead is 0 */
        return 0;
    }
    TRY(cst__back_finish(b, owed));
    if (owed->mu) collect(b, w, owed->mu);
    exchange(n, w, lead, owed->lambda);
    if (owed->mu) exchange((size_t)s->prob.np, w, lead, owed->mu);
    return 0;
}

/* So many lanes go back together. What they share does not depend on threads, which take such parts. */
enum { TOGETHER = 16 };

typedef struct parted {
    const demand *a;
    lane_cut c;
    costate_stats last; /* of the last part */
} parted;

static int part(costate_solver *s, int q, void *ctx)
{
    parted *j = ctx;
    const demand *a = j->a;
    const lane_cut c = j->c;
    const size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np, o = (size_t)s->nobj, w = (size_t)cut_used(c, q);
    const size_t nw = cst__pad(n * w), ow = cst__pad(o * w), pw = a->mu ? cst__pad(np * w) : 0, first = (size_t)(q * c.lanes);
    double *at = cst__alloc(&s->alloc, 2 * nw + 2 * ow + pw, sizeof *at);
    double *seeds = at + nw, *omega = seeds + nw, *own = omega + ow;
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "adjoints of %zu lanes", w);
    memset(at, 0, (2 * nw + 2 * ow + pw) * sizeof *at);
    ablock owed = {.w = (int)w, .lambda = at, .omega = omega, .mu = a->mu ? own + ow : NULL};
    for (size_t l = 0, from = first; l < w; l++) {
        for (size_t i = 0; !a->objectives && i < n; i++) seeds[i * w + l] = a->lambda[i * (size_t)c.w + from + l];
        for (size_t i = 0; a->objectives && i < o; i++)
            own[i * w + l] = a->weights ? a->weights[i * (size_t)c.w + from + l] : i == from + l;
    }
    int status = gradient(s, a, &owed, own, seeds, a->off ? a->off + first : NULL, first);
    cst__back_end(s);
    if (!status && !a->off) status = cst__back_finite(s, a->lambda ? at : NULL, owed.mu, w);
    for (size_t l = 0, from = first; l < w && !status; l++) {
        for (size_t i = 0; a->lambda && i < n; i++) a->lambda[i * (size_t)c.w + from + l] = at[i * w + l];
        for (size_t i = 0; a->mu && i < np; i++) a->mu[i * (size_t)c.w + from + l] = owed.mu[i * w + l];
    }
    cst__release(&s->alloc, at);
    if (q == c.blocks - 1) j->last = s->stats;
    return status;
}

/* Threads, where several may read the run. */
static int parts(costate_solver *s, const demand *a)
{
    parted j = {a, {(a->w + TOGETHER - 1) / TOGETHER, TOGETHER, a->w}, s->stats};
    int workers = 1;
    if (traj_stable(s->tr[PRIMAL])) TRY(cst__workers_prepare(s, j.c.blocks, &workers));
    TRY(cst__workers_run(s, workers, j.c.blocks, 0, part, &j));
    if (!a->off) cst__back_report(s, &j.last);
    return 0;
}

static int check_rows(costate_solver *s)
{
    const double dir = s->t1 > s->t0 ? 1 : -1;
    const output *o = &s->adjoint_rows;
    for (int k = 0; k < o->count; k++)
        if (!(dir * (o->times[k] - (k ? o->times[k - 1] : s->t0)) >= 0) || !(dir * (s->t1 - o->times[k]) >= 0))
            return cst__fail(s, COSTATE_ERR_TIMES, "time %d of the adjoint is %.17g, in a run from %.17g to %.17g", k,
                             o->times[k], s->t0, s->t1);
    return 0;
}

int cst__back_gradient(costate_solver *s, int w, int objectives, const double *weights, double *lambda, double *mu)
{
    const output *o = &s->adjoint_rows;
    int status = check_rows(s);
    if (!status) status = parts(s, &(demand){w, objectives, weights, lambda, s->prob.np ? mu : NULL, NULL});
    cst__back_rows_stopped(s, w);
    if (status) cst__fill_nan(o->y, (size_t)o->count * (size_t)s->prob.n * (size_t)w);
    return status;
}

int cst__back_off(costate_solver *s, int w, const double *weights, double *off)
{
    if (!s->recorded[PRIMAL]) { /* given up for something else */
        TRY(cst__traj_prepare(s, PRIMAL, 0));
        TRY(cst__repeat(s, s->y0, NULL, PRIMAL, NULL, NULL));
    }
    return parts(s, &(demand){w, 1, weights, NULL, NULL, off});
}
