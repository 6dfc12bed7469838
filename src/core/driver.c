/* driver.c - the one accept/reject loop, for all families and modes.
 *
 *     while t != t1: reserve room in the trajectory; attempt steps until one is accepted; objectives, log, output; go on
 *
 * Steps end exactly at stops, which are the observation times, unless the family interpolates these, and t1. A callback that asks
 * for it, or a value that is not finite, is answered by a smaller step.
 *
 * Times are rounded and sizes are not: the sizes from t0 on add up to t + lag, where |lag| is at most half a unit in the last
 * place of t, and at stops lag = 0. So sizes add up to t1 - t0 however far t0 is from zero. docs/theory.md, "Times" */
#include "core/run.h"

#include "base/kernels.h"
#include "core/guide.h"
#include "core/probe.h"
#include "core/watch.h"
#include "core/workers.h"
#include "method/implicit.h"
#include "platform/machine.h"

#include <float.h>
#include <math.h>

enum { REFUSALS = 40 }; /* consecutive attempts that did not even give an error estimate */

/* The smallest size worth an attempt at t: one that t can resolve, and no more than a number of magnitudes below the whole run,
 * for t near zero resolves anything. Initial layers are far above that. */
static double least_size(const run *r, double t)
{
    double grain = DBL_EPSILON * fabs(t);
    return grain > r->least ? grain : r->least;
}

static double least_anywhere(const costate_solver *s)
{
    const double layer = DBL_EPSILON * DBL_EPSILON * DBL_EPSILON;
    return fmax(fmax(s->opt.hmin, DBL_MIN), layer * fabs(s->t1 - s->t0));
}

/* The attempt's size and end: within hmax, and not past the next stop. A stop that is nearly reached is reached; one within two
 * steps is approached in two equal ones, so that no sliver is left. */
static void clip(const costate_solver *s, const run *r, step *st)
{
    int fixed = s->opt.step > 0;
    const double nearly = 1 + (fixed ? 1e-6 : 1e-9);
    double left = r->stop - r->t - r->lag, size = fabs(r->h), gap = fabs(left), least = least_size(r, r->t);
    if (!fixed && s->opt.hmax > 0 && size > s->opt.hmax) size = s->opt.hmax;
    if (!fixed && s->guide) size = fmin(size, s->guide->reach(s->guide->ctx, r->t));
    if (!fixed && size < least) size = least;
    if (!fixed && size * nearly < gap && 2 * size > gap && gap / 2 >= least) size = gap / 2;
    st->h = copysign(size, left);
    st->to = fixed ? r->base + (double)(r->count + 1) * r->h : r->t + (r->lag + st->h);
    if (size * nearly >= gap || st->to == r->stop) {
        st->h = left;
        st->to = r->stop;
    }
    cst__step_sides(st, s->log.stop[st->n], st->to == r->stop);
    st->held = r->held;
}

/* The size of the next attempt, by the family or the controller. */
static double settle(costate_solver *s, run *r, const step *st, verdict v, double err)
{
    const outcome o = {
        .accepted = v == ACCEPTED, .err = v == ACCEPTED || v == TOO_INACCURATE ? err : NAN, .failures = r->failures};
    return s->fam->settle ? s->fam->settle(s, st, &o, &r->c) : cst__control_size(&r->c, st->h, &o);
}

/* A stage at c > 1 that sees what comes after a stop may keep the steps from ever getting there. When they are as small as they
 * can be, where it is evaluated no longer counts. */
static int hold(run *r, const step *st, verdict v)
{
    if (v != TOO_INACCURATE || !r->past || r->held || st->to != r->stop) return 0;
    r->h = st->h;
    return r->held = 1;
}

/* A smaller r->h after a failed attempt, or a failure. */
static int shrink(costate_solver *s, run *r, const step *st, verdict v, double err)
{
    s->stats.rejected++;
    r->failures++;
    r->refused = v == TOO_INACCURATE ? 0 : r->refused + 1;
    r->h = settle(s, r, st, v, err);
    if (s->guide && r->failures > 2 && fabs(r->h) > fabs(st->h) / 5) r->h = st->h / 5; /* an error that does not fall with h */
    double least = least_size(r, st->from);
    if (fabs(r->h) < least && fabs(st->h) > 2 * least) r->h = copysign(least, st->h);
    if (s->opt.step > 0 || fabs(r->h) < least || r->refused > REFUSALS)
        return hold(r, st, v) ? 0 : cst__attempt_failed(s, r, st, v, err);
    return 0;
}

/* Observations within the step just taken, where the family interpolates them; one at its end is a state like any other. */
static int observe_within(costate_solver *s, run *r, const step *st)
{
    const double dir = st->h > 0 ? 1 : -1;
    for (; r->obs < s->prob.observations && dir * (st->to - s->prob.observe_at[r->obs]) > 0; r->obs++) {
        s->obs_step[r->obs] = s->log.count;
        TRY(cst__observe_within(s, st, r->obs, r->tg, s->psi));
        if (s->watch && s->watch->on) cst__watch_observation(s, r->obs, s->fnew);
    }
    return 0;
}

/* The step was accepted: objectives, log, output, and on to the next state. */
static int finish(costate_solver *s, run *r, const step *st)
{
    tangent *tg = r->tg;
    int stop = st->to == r->stop || st->ends != NULL;
    int led = s->guide ? s->guide->accepted(s->guide->ctx, st, tg) : 0;
    if (led) return cst__callback_failed(s, led, "rhs", st->from, st->h, st->n);
    int rc = s->d.running.fn.eval ? s->fam->running(s, st, s->psi) : 0;
    if (!rc) rc = cst__attempt_running(s, r, st);
    if (rc) return cst__callback_failed(s, rc, "running", st->from, st->h, st->n);
    TRY(cst__log_append(s, st->h, st->to, stop + st->held));
    if (s->fam->dense_adjoint) TRY(observe_within(s, r, st));
    if (r->tr) cst__record_commit(s, PRIMAL, st->n);
    if (s->watch && s->watch->on) cst__watch_step(s, st);
    if (s->out.count) TRY(cst__output_step(s, st, tg));
    int anew = slopes_end(s, s->log.count);
    double *y = s->y, *f = s->f;
    s->y = s->ynew;
    s->ynew = y;
    s->f = s->fnew;
    s->fnew = f;
    s->f_valid = s->fnew_valid && !anew;
    s->fnew_valid = 0;
    for (int b = 0; tg && b < tg->cut.blocks; b++) cst__dblock_accept(&tg->block[b], anew);
    if (r->probing) cst__dblock_accept(&r->probe, anew);
    s->stats.steps++;
    cst__attempt_accepted(s, r);
    r->refused = r->failures = r->held = 0;
    r->count++;
    r->lag = s->opt.step > 0 ? r->base - st->to + (double)r->count * r->h : r->lag + (r->t - st->to + st->h);
    r->t = st->to;
    if (stop) {
        r->base = st->to;
        r->lag = 0;
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
        if (s->watch && s->watch->on) cst__watch_observation(s, r->obs, s->y);
    }
    r->stop = r->obs < s->prob.observations && !s->fam->dense_adjoint ? s->prob.observe_at[r->obs] : s->t1;
    return 0;
}

/* Those at t0, and the sides of the others. */
static int begin_events(costate_solver *s, run *r)
{
    TRY(cst__event_sides(s, r->t));
    TRY(cst__events_due(s, r, NULL));
    cst__events_next_stop(s, r);
    return 0;
}

static int walk(costate_solver *s, run *r)
{
    TRY(observe(s, r));
    if (s->ev) TRY(begin_events(s, r));
    while (r->t != s->t1 && !(s->ev && s->ev->stopped)) {
        step st = {.n = s->log.count, .from = r->t, .lag = r->lag, .y = s->y, .ynew = s->ynew, .stages = s->stages, .note = -1};
        if (s->ev) st.begins = cst__event_at(s, st.n);
        if (r->tr) TRY(cst__record_reserve(s, PRIMAL, st.n, s->y, &st.stages));
        for (;;) {
            double err;
            if (r->attempts++ == s->opt.max_steps)
                return cst__fail_at(s, COSTATE_ERR_MAX_STEPS, r->t, r->h, st.n, -1, -1,
                                    "max_steps = %lld reached at t = %.10g of %.10g, h = %g", (long long)s->opt.max_steps, r->t,
                                    s->t1, r->h);
            clip(s, r, &st);
            if (s->opt.step > 0 && st.to == st.from) return cst__unresolved(s, &st);
            int v = cst__attempt(s, r, &st, &err);
            if (v < 0) return v;
            if (v != ACCEPTED) {
                TRY(shrink(s, r, &st, (verdict)v, err));
                continue;
            }
            st.note = s->note;
            double planned = fabs(r->h);
            if (s->opt.step == 0 && !st.ends) r->h = settle(s, r, &st, ACCEPTED, err);
            if ((r->wary - st.to) * st.h > 0) r->h = copysign(fmin(fabs(r->h), 2 * fabs(st.h)), st.h);
            int cut_short = fabs(st.h) < planned && fabs(r->h) < planned; /* by a stop only */
            if (s->opt.step > 0 || cut_short) r->h = copysign(planned, st.h);
            break;
        }
        if (s->fam->mode && !st.ends && cst__stiffness_step(s, r, &st)) return RUN_STIFF;
        TRY(finish(s, r, &st));
        TRY(observe(s, r));
        if (!s->ev) continue;
        TRY(cst__events_due(s, r, &st));
        cst__events_next_stop(s, r);
    }
    return 0;
}

static int looks_past(const costate_table *t)
{
    for (int i = 0; i < t->stages; i++)
        if (tableau_node(t, i) > 1 + 1e-9) return 1;
    return 0;
}

int cst__run_once(costate_solver *s, tangent *tg, int leaves)
{
    double began = platform_now();
    run r = {.t = s->t0, .base = s->t0, .wary = s->t0, .tg = tg, .workers = 1, .stiff = {.leaves = leaves, .mark = -1}};
    r.least = least_anywhere(s);
    r.past = looks_past(s->table);
    if (tg) TRY(tg->load(s, tg));
    TRY(cst__probe_start(s, &r));
    memcpy(s->y, s->y0, s->state * sizeof *s->y);
    if (s->im) TRY(cst__implicit_prepare(s));
    if (s->fam->start) s->fam->start(s, 1);
    s->f_valid = s->fnew_valid = 0;
    if (tg && !tg->control)
        TRY(cst__workers_prepare(s, tg->cut.blocks, &r.workers)); /* what steers the steps is for one thread */
    if (s->opt.record) {
        TRY(cst__traj_prepare(s, PRIMAL, 0));
        r.tr = s->tr[PRIMAL];
    }
    cst__control_start(&r.c, s);
    TRY(s->guide ? s->guide->first(s->guide->ctx, tg, &r.h) : cst__first_size(s, &r.h));
    if (s->out.count) TRY(cst__output_start(s, tg));
    TRY(cst__watch_start(s, tg != NULL));
    TRY(cst__stiffness_start(s, &r));
    TRY(cst__stiffness_end(s, &r, walk(s, &r)));
    memcpy(s->yend, s->y, (size_t)s->prob.n * sizeof *s->y);
    int rc = cst__terminal(s, s->yend, s->psi);
    for (int b = 0; tg && !rc && b < tg->cut.blocks; b++)
        rc = cst__terminal_tangent(s, s->yend, &tg->block[b], tg->block[b].ydot);
    if (rc) return cst__callback_failed(s, rc, "terminal", s->t1, 0, s->log.count);
    if (s->ev && s->out.count) cst__output_stopped(s, tg);
    if (!cst__all_finite((size_t)s->nobj, s->psi))
        return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, s->t1, 0, s->log.count, -1, -1, "an objective");
    for (int b = 0; tg && b < tg->cut.blocks; b++)
        if (!cst__all_finite((size_t)s->nobj * (size_t)tg->block[b].w, tg->block[b].qdot))
            return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, s->t1, 0, s->log.count, -1, -1, "a direction of an objective");
    if (s->watch && s->watch->on) cst__watch_end(s);
    s->have_run = 1;
    if (r.tr) cst__record_end(s, PRIMAL);
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
    if (s) cst__no_numbers(s, (size_t)s->out.count, s->out.y, NULL);
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
