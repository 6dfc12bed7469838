/* driver.c - the one accept/reject loop, for all families and modes.
 *
 *     while t != t1: reserve room in the trajectory; attempt steps until one is accepted; objectives, log, output; go on
 *
 * Steps end exactly at observation times and at t1. A callback that asks for it, or a value that is not finite, is answered by a smaller step. */
#include "core/driver.h"

#include "base/kernels.h"
#include "core/create.h"
#include "core/workers.h"
#include "method/control.h"
#include "method/implicit.h"
#include "platform/machine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { REFUSALS = 40 }; /* consecutive attempts that did not even give an error estimate */

static const double worth_s = 20e-6; /* seconds of work in a step for which other threads are called */

typedef struct run {
    double t, h; /* time reached; size of the next attempt, signed */
    double stop; /* the next time to be met exactly */
    double base; /* fixed steps: where they are counted from, so that round-off does not add up */
    int64_t count;
    int obs;     /* the next observation */
    int64_t attempts;
    int refused;
    int reason; /* what a refused attempt returned, */
    const char *which; /* and which callback, unless s->calling knows better */
    control c;
    tangent *tg;
    int workers;      /* threads that may share its blocks */
    double alone_s; /* what one takes for those of a step, as last measured */
    traj *tr; /* NULL: not recorded */
} run;

int cst__callback_failed(costate_solver *s, int rc, const char *which, double t, double h, int64_t n)
{
    if (rc < 0 && s->status == rc) return rc; /* not the callback: what failed has said so */
    if (s->calling) which = s->calling;
    return cst__fail_at(s, COSTATE_ERR_CALLBACK, t, h, n, -1, -1, "%s returned %d at t = %.10g (step %lld, h = %g)", which, rc, t, (long long)n, h);
}

int cst__step_words(costate_solver *s, int rc, const char *which, char *words, size_t size, int *component)
{
    *component = -1;
    if (rc == STEP_MATRIX) return cst__implicit_blame(s, words, size, component);
    if (rc == STEP_NEWTON) snprintf(words, size, "the stage equations");
    else snprintf(words, size, "%s returned %d", s->calling ? s->calling : which, rc);
    return rc == STEP_NEWTON ? COSTATE_ERR_NEWTON : rc < 0 ? COSTATE_ERR_CALLBACK : COSTATE_ERR_RETRY;
}

/* ---- the log ------------------------------------------------------------------------------------------------------- */

static int log_grow(costate_solver *s)
{
    step_log *log = &s->log;
    int64_t capacity = log->capacity ? 2 * log->capacity : 256;
    double *t = cst__alloc(&s->alloc, (size_t)capacity + 1, sizeof *t), *h = cst__alloc(&s->alloc, (size_t)capacity, sizeof *h);
    signed char *note = cst__alloc(&s->alloc, (size_t)capacity, 1);
    if (!t || !h || !note) {
        cst__release(&s->alloc, t);
        cst__release(&s->alloc, h);
        cst__release(&s->alloc, note);
        return cst__fail(s, COSTATE_ERR_MEMORY, "the log of %lld steps", (long long)capacity);
    }
    if (log->capacity) {
        memcpy(t, log->t, ((size_t)log->count + 1) * sizeof *t);
        memcpy(h, log->h, (size_t)log->count * sizeof *h);
        memcpy(note, log->note, (size_t)log->count);
    }
    cst__release(&s->alloc, log->t);
    cst__release(&s->alloc, log->h);
    cst__release(&s->alloc, log->note);
    *log = (step_log){log->count, capacity, t, h, note};
    return 0;
}

static int log_append(costate_solver *s, const step *st)
{
    if (s->log.count == s->log.capacity) TRY(log_grow(s));
    s->log.h[s->log.count] = st->h;
    s->log.note[s->log.count] = (signed char)s->note;
    s->log.t[++s->log.count] = st->tn;
    return 0;
}

/* ---- before the first step ----------------------------------------------------------------------------------------- */

/* Times must rise in the direction of the run and lie within it. */
static int check_times(costate_solver *s, const char *which, const double *times, int count)
{
    double dir = s->t1 > s->t0 ? 1 : -1, before = s->t0;
    for (int k = 0; k < count; k++) {
        if (!(dir * (times[k] - before) >= 0) || !(dir * (s->t1 - times[k]) >= 0))
            return cst__fail(s, COSTATE_ERR_TIMES, "%s time %d is %.17g, after %.17g in a run from %.17g to %.17g", which, k, times[k], before,
                             s->t0, s->t1);
        before = times[k];
    }
    return 0;
}

int cst__start(costate_solver *s, double t0, double t1, const double *p, const double *y)
{
    char buffer[32];
    size_t n = (size_t)s->prob.n;
    s->have_run = s->have_tangent = s->recorded[PRIMAL] = s->recorded[JOINT] = 0;
    if (!y || (!p && s->prob.np)) return cst__fail(s, COSTATE_ERR_NULL, "%s", y ? "p" : "y");
    if (!isfinite(t0) || !isfinite(t1) || t0 == t1) return cst__fail(s, COSTATE_ERR_TIME, "t0 = %.17g, t1 = %.17g", t0, t1);
    s->t0 = t0;
    s->t1 = t1;
    TRY(check_times(s, "observation", s->prob.observe_at, s->prob.observations));
    TRY(check_times(s, "output", s->out.times, s->out.count));
    if (s->prob.np) memcpy(s->p, p, (size_t)s->prob.np * sizeof *p);
    for (int i = 0; !cst__all_finite((size_t)s->prob.np, s->p) && i < s->prob.np; i++)
        if (!isfinite(s->p[i])) return cst__fail(s, COSTATE_ERR_INPUT, "parameter %s is %g", cst__param_name(s, i, buffer), s->p[i]);
    if (s->d.init.fn.eval) {
        int rc = s->d.init.fn.eval(0, t0, NULL, s->p, s->y0, s->d.init.data);
        if (rc) return cst__callback_failed(s, rc, "init", t0, 0, 0);
    } else memcpy(s->y0, y, n * sizeof *y);
    for (int i = 0; i < s->prob.n; i++)
        if (!isfinite(s->y0[i])) return cst__fail(s, COSTATE_ERR_INPUT, "initial value of %s is %g", cst__state_name(s, i, buffer), s->y0[i]);
    costate_stats *st = &s->stats;
    st->steps = st->rejected = st->recomputed_steps = st->checkpoints = 0;
    st->rhs = st->jvp = st->vjp = st->jvp2 = st->vjp_dot = st->jac = st->factor = st->solve = st->fallbacks = 0;
    st->tier = "none";
    s->log.count = 0;
    if (!s->log.capacity) TRY(log_grow(s));
    s->log.t[0] = t0;
    memset(s->psi, 0, (size_t)s->nobj * sizeof *s->psi);
    return 0;
}

/* First step size by the behaviour of f near t0. Hairer, Norsett, Wanner I, II.4: h such that an explicit Euler step's error is about 0.01 tolerances. */
static int first_size(costate_solver *s, run *r)
{
    size_t n = (size_t)s->prob.n;
    double span = fabs(s->t1 - s->t0), dir = s->t1 > s->t0 ? 1 : -1;
    if (s->opt.step > 0 || s->opt.h0 > 0) {
        r->h = dir * (s->opt.step > 0 ? s->opt.step : s->opt.h0);
        return 0;
    }
    int rc = deriv_rhs(&s->d, s->t0, s->y0, s->p, s->f);
    if (rc < 0) return cst__callback_failed(s, rc, "rhs", s->t0, 0, 0);
    double d0 = cst__norm(n, s->y0, s->y0, s->opt.rtol, s->atol), d1 = rc ? NAN : cst__norm(n, s->f, s->y0, s->opt.rtol, s->atol);
    double h = d0 < 1e-5 || !(d1 >= 1e-5) ? 1e-6 : 0.01 * d0 / d1;
    h = h > 0 && h < span ? h : span; /* a slope whose norm overflows says nothing */
    if (isfinite(d1)) {
        s->f_valid = 1;
        for (size_t i = 0; i < n; i++) s->ynew[i] = s->y0[i] + dir * h * s->f[i];
        rc = deriv_rhs(&s->d, s->t0 + dir * h, s->ynew, s->p, s->fnew);
        if (rc < 0) return cst__callback_failed(s, rc, "rhs", s->t0 + dir * h, h, 0);
        for (size_t i = 0; i < n; i++) s->fnew[i] -= s->f[i];
        double d2 = cst__norm(n, s->fnew, s->y0, s->opt.rtol, s->atol) / h, steep = d1 > d2 ? d1 : d2;
        if (rc == 0 && isfinite(d2)) {
            double h1 = steep <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / steep, 1.0 / (s->table->order + 1));
            h = h1 < 100 * h ? h1 : 100 * h;
        }
    }
    r->h = dir * fmin(fmax(h, s->opt.hmin), span);
    return 0;
}

/* ---- one step ------------------------------------------------------------------------------------------------------ */

/* The attempt's h and tn: within hmax, and not past the next stop. A stop that is nearly reached is reached; one within two steps is
 * approached in two equal ones, so that no sliver is left. */
static void clip(const costate_solver *s, const run *r, step *st)
{
    double left = r->stop - r->t, size = fabs(r->h), gap = fabs(left);
    if (s->opt.step > 0) {
        st->h = r->h;
        st->tn = r->base + (double)(r->count + 1) * r->h;
        if (fabs(r->stop - st->tn) > 1e-6 * size && fabs(st->tn - r->t) < gap) return;
        st->h = left;
        st->tn = r->stop;
        return;
    }
    if (s->opt.hmax > 0 && size > s->opt.hmax) size = s->opt.hmax;
    if (size * (1 + 1e-9) >= gap) {
        st->h = left;
        st->tn = r->stop;
        return;
    }
    if (2 * size > gap && gap / 2 >= s->opt.hmin) size = gap / 2;
    st->h = copysign(size, left);
    st->tn = r->t + st->h;
}

/* ---- directions, by several threads ---------------------------------------------------------------------------------- */

typedef struct tangents {
    const step *st;
    dblock *block;
} tangents;

static int tangent_of_block(costate_solver *worker, int b, void *ctx)
{
    const tangents *t = ctx;
    dblock *d = &t->block[b];
    TRY(worker->fam->tangent(worker, t->st, d, NULL));
    return cst__all_finite((size_t)worker->prob.n * (size_t)d->w, d->ydotnew) ? 0 : STEP_NOT_FINITE;
}

static int running_tangent_of_block(costate_solver *worker, int b, void *ctx)
{
    const tangents *t = ctx;
    return worker->fam->running_tangent(worker, t->st, &t->block[b]);
}

static int sharing(const run *r) /* threads for the work at hand */
{
    return r->alone_s < worth_s ? 1 : r->workers;
}

/* Where all goes well that is it; where not, the leader alone does it again and sees why. */
static int together(costate_solver *s, const run *r, const step *st)
{
    tangents t = {st, r->tg->block};
    if (sharing(r) == 1) return 0;
    int rc = cst__workers_run(s, r->workers, r->tg->cut.blocks, 0, tangent_of_block, &t);
    s->status = 0;
    s->calling = NULL;
    return !rc;
}

typedef enum verdict { ACCEPTED, TOO_INACCURATE, REFUSED, NOT_FINITE, DIRECTION_NOT_FINITE } verdict;

/* Step and tangents; *err is the largest error. Negative: failed for good. */
static int attempt(costate_solver *s, run *r, const step *st, double *err)
{
    int adaptive = s->opt.step == 0;
    *err = 0;
    s->calling = NULL; /* of an attempt that was refused */
    r->which = "rhs";
    int rc = s->fam->step(s, st, adaptive ? err : NULL);
    if (rc < 0) return cst__callback_failed(s, rc, "rhs", st->t, st->h, st->n);
    r->reason = rc;
    if (rc > 0) return REFUSED;
    if (adaptive ? !isfinite(*err) : !cst__all_finite((size_t)s->prob.n, st->ynew)) return NOT_FINITE;
    if (*err > 1) return TOO_INACCURATE;
    step taken = *st;
    taken.note = s->note;
    if (r->tg && together(s, r, &taken)) return ACCEPTED;
    double began = r->workers > 1 ? platform_now() : 0;
    for (int b = 0; r->tg && b < r->tg->cut.blocks; b++) {
        dblock *d = &r->tg->block[b];
        double e = 0;
        int steer = adaptive && r->tg->control;
        r->which = "jvp";
        rc = s->fam->tangent(s, &taken, d, steer ? &e : NULL);
        if (rc < 0) return cst__callback_failed(s, rc, "jvp", st->t, st->h, st->n);
        r->reason = rc;
        if (rc > 0) return REFUSED;
        if (steer ? !isfinite(e) : !cst__all_finite((size_t)s->prob.n * (size_t)d->w, d->ydotnew)) return DIRECTION_NOT_FINITE;
        if (e > *err) *err = e;
        if (e > 1) return TOO_INACCURATE;
    }
    if (r->workers > 1) r->alone_s = platform_now() - began;
    return ACCEPTED;
}

static int give_up(costate_solver *s, const run *r, const step *st, verdict v, double err)
{
    char buffer[32], words[160];
    int stage = -1, component = -1;
    if (v == TOO_INACCURATE)
        return cst__fail_at(s, COSTATE_ERR_STEP, st->t, st->h, st->n, -1, -1, "h = %g at t = %.10g (step %lld), error %g times the tolerance", st->h,
                            st->t, (long long)st->n, err);
    if (v == REFUSED) {
        int code = cst__step_words(s, r->reason, r->which, words, sizeof words, &component);
        return cst__fail_at(s, code, st->t, st->h, st->n, -1, component, "%s at t = %.10g with h = %g (step %lld)", words, st->t,
                            st->h, (long long)st->n);
    }
    if (v == DIRECTION_NOT_FINITE || s->fam->culprit(s, st, &stage, &component))
        return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, st->t, st->h, st->n, -1, -1, "a direction of the tangent at t = %.10g with h = %g (step %lld)",
                            st->t, st->h, (long long)st->n);
    return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, st->t, st->h, st->n, stage, component,
                        "component %d (%s) of the right-hand side in stage %d, at t = %.10g with h = %g (step %lld)", component,
                        cst__state_name(s, component, buffer), stage + 1, st->t, st->h, (long long)st->n);
}

/* A smaller r->h after a failed attempt, or a failure. */
static int shrink(costate_solver *s, run *r, const step *st, verdict v, double err)
{
    s->stats.rejected++;
    r->refused = v == TOO_INACCURATE ? 0 : r->refused + 1;
    double fac = v == TOO_INACCURATE ? cst__control_factor(&r->c, st->h, err, 0) : 0.25;
    r->c.rejected = 1;
    r->h = st->h * fac;
    if (fabs(r->h) < s->opt.hmin && fabs(st->h) > s->opt.hmin) r->h = copysign(s->opt.hmin, st->h);
    double least = fmax(s->opt.hmin, fmax(16 * DBL_EPSILON * fabs(st->t), DBL_MIN / DBL_EPSILON));
    if (s->opt.step > 0 || fabs(r->h) < least || r->refused > REFUSALS) return give_up(s, r, st, v, err);
    return 0;
}

/* The step was accepted: objectives, log, output, and on to the next state. */
static int finish(costate_solver *s, run *r, const step *st)
{
    tangent *tg = r->tg;
    int rc = s->d.running.fn.eval ? s->fam->running(s, st, s->psi) : 0;
    if (tg && s->d.running.fn.eval && !rc)
        rc = cst__workers_run(s, sharing(r), tg->cut.blocks, 0, running_tangent_of_block, &(tangents){st, tg->block});
    if (rc) return cst__callback_failed(s, rc, "running", st->t, st->h, st->n);
    TRY(log_append(s, st));
    if (r->tr) traj_commit(r->tr);
    if (s->out.count) TRY(cst__output_step(s, st, tg));
    double *y = s->y, *f = s->f;
    s->y = s->ynew;
    s->ynew = y;
    s->f = s->fnew;
    s->fnew = f;
    s->f_valid = s->fnew_valid;
    s->fnew_valid = 0;
    for (int b = 0; tg && b < tg->cut.blocks; b++) cst__dblock_accept(&tg->block[b]);
    s->stats.steps++;
    r->refused = 0;
    r->t = st->tn;
    r->count++;
    if (st->tn == r->stop) {
        r->base = r->stop;
        r->count = 0;
    }
    return 0;
}

/* Observations that are due at r->t, and the next stop. */
static int observe(costate_solver *s, run *r)
{
    for (; r->obs < s->prob.observations && s->prob.observe_at[r->obs] == r->t; r->obs++) {
        s->obs_step[r->obs] = s->log.count;
        int rc = cst__observe(s, r->obs, s->y, s->psi);
        for (int b = 0; r->tg && !rc && b < r->tg->cut.blocks; b++)
            rc = cst__observe_tangent(s, r->obs, s->y, &r->tg->block[b], r->tg->block[b].ydot);
        if (rc) return cst__callback_failed(s, rc, "observe", r->t, 0, s->log.count);
    }
    r->stop = r->obs < s->prob.observations ? s->prob.observe_at[r->obs] : s->t1;
    return 0;
}

static int walk(costate_solver *s, run *r)
{
    TRY(observe(s, r));
    while (r->t != s->t1) {
        step st = {.n = s->log.count, .t = r->t, .y = s->y, .ynew = s->ynew, .stages = s->stages, .note = -1};
        if (r->tr) {
            int status = traj_reserve(r->tr, s->y, &st.stages);
            if (status) return cst__traj_failed(s, r->tr, status);
        }
        for (;;) {
            double err;
            if (r->attempts++ == s->opt.max_steps)
                return cst__fail_at(s, COSTATE_ERR_MAX_STEPS, r->t, r->h, st.n, -1, -1, "max_steps = %lld reached at t = %.10g of %.10g, h = %g",
                                    (long long)s->opt.max_steps, r->t, s->t1, r->h);
            clip(s, r, &st);
            int v = attempt(s, r, &st, &err);
            if (v < 0) return v;
            if (v != ACCEPTED) {
                TRY(shrink(s, r, &st, (verdict)v, err));
                continue;
            }
            double planned = fabs(r->h);
            if (s->opt.step == 0) {
                r->h = copysign(fmax(fabs(st.h) * cst__control_factor(&r->c, st.h, err, 1), s->opt.hmin), st.h);
                if (s->fam->settle) r->h = s->fam->settle(s, st.h, r->h);
            }
            if (s->opt.step > 0 || (fabs(st.h) < planned && fabs(r->h) < planned)) r->h = copysign(planned, st.h); /* cut short by a stop only */
            break;
        }
        TRY(finish(s, r, &st));
        TRY(observe(s, r));
    }
    return 0;
}

int cst__run(costate_solver *s, tangent *tg)
{
    double began = platform_now();
    run r = {.t = s->t0, .base = s->t0, .tg = tg, .workers = 1};
    memcpy(s->y, s->y0, (size_t)s->prob.n * sizeof *s->y);
    memset(s->y + s->prob.n, 0, (s->state - (size_t)s->prob.n) * sizeof *s->y);
    if (s->im) TRY(cst__implicit_prepare(s));
    if (s->fam->start) s->fam->start(s, 1);
    s->f_valid = s->fnew_valid = 0;
    if (tg && !tg->control) TRY(cst__workers_prepare(s, tg->cut.blocks, &r.workers)); /* what steers the steps is for one thread */
    if (s->opt.record) {
        TRY(cst__traj_prepare(s, PRIMAL, 0));
        r.tr = s->tr[PRIMAL];
    }
    cst__control_start(&r.c, s);
    TRY(first_size(s, &r));
    if (s->out.count) TRY(cst__output_start(s, tg));
    TRY(walk(s, &r));
    memcpy(s->yend, s->y, (size_t)s->prob.n * sizeof *s->y);
    int rc = cst__terminal(s, s->yend, s->psi);
    for (int b = 0; tg && !rc && b < tg->cut.blocks; b++) rc = cst__terminal_tangent(s, s->yend, &tg->block[b], tg->block[b].ydot);
    if (rc) return cst__callback_failed(s, rc, "terminal", s->t1, 0, s->log.count);
    if (!cst__all_finite((size_t)s->nobj, s->psi))
        return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, s->t1, 0, s->log.count, -1, -1, "an objective");
    for (int b = 0; tg && b < tg->cut.blocks; b++)
        if (!cst__all_finite((size_t)(s->nobj * tg->block[b].w), tg->block[b].qdot))
            return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, s->t1, 0, s->log.count, -1, -1, "a direction of an objective");
    s->have_run = 1;
    s->recorded[PRIMAL] = r.tr != NULL;
    cst__traj_report(s, PRIMAL);
    s->stats.forward_s = platform_now() - began;
    return 0;
}

int costate_solve(costate_solver *s, double t0, double t1, const double *p, double *y)
{
    int status = cst__begin(s);
    if (!status) status = cst__start(s, t0, t1, p, y);
    if (!status) status = cst__run(s, NULL);
    if (status) cst__run_failed(s, y);
    else memcpy(y, s->yend, (size_t)s->prob.n * sizeof *y);
    return status;
}

/* No numbers after a failure: the state and every row of output. */
void cst__run_failed(costate_solver *s, double *y)
{
    cst__no_numbers(s, 1, y, NULL);
    if (s) cst__no_numbers(s, s->out.count, s->out.y, NULL);
}

int costate_objectives(costate_solver *s, double *psi)
{
    int status = cst__begin(s);
    if (!status && !psi) status = cst__fail(s, COSTATE_ERR_NULL, "psi");
    if (!status && !s->have_run) status = cst__fail(s, COSTATE_ERR_NO_RUN, "costate_objectives");
    if (status) {
        cst__fill_nan(psi, s && s->nobj > 0 ? (size_t)s->nobj : 0);
        return status;
    }
    memcpy(psi, s->psi, (size_t)s->nobj * sizeof *psi);
    return 0;
}
