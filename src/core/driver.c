/* driver.c - the one accept/reject loop, for all families and modes.
 *
 *     while t != t1: reserve room in the trajectory; attempt steps until one is accepted; objectives, log, output; go on
 *
 * Steps end exactly at observation times and at t1. A callback that asks for it, or a value that is not finite, is answered by
 * a smaller step. */
#include "core/run.h"

#include "base/kernels.h"
#include "core/workers.h"
#include "method/implicit.h"
#include "platform/machine.h"

#include <float.h>
#include <math.h>

enum { REFUSALS = 40 }; /* consecutive attempts that did not even give an error estimate */

/* The attempt's h and tn: within hmax, and not past the next stop. A stop that is nearly reached is reached; one within two
 * steps is approached in two equal ones, so that no sliver is left. */
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

/* The size of the next attempt, by the family or the controller. */
static double settle(costate_solver *s, run *r, const step *st, verdict v, double err)
{
    const outcome o = {
        .accepted = v == ACCEPTED, .err = v == ACCEPTED || v == TOO_INACCURATE ? err : NAN, .failures = r->failures};
    return s->fam->settle ? s->fam->settle(s, st, &o, &r->c) : cst__control_size(&r->c, st->h, &o);
}

/* A smaller r->h after a failed attempt, or a failure. */
static int shrink(costate_solver *s, run *r, const step *st, verdict v, double err)
{
    s->stats.rejected++;
    r->failures++;
    r->refused = v == TOO_INACCURATE ? 0 : r->refused + 1;
    r->h = settle(s, r, st, v, err);
    double least = fmax(s->opt.hmin, fmax(16 * DBL_EPSILON * fabs(st->t), DBL_MIN / DBL_EPSILON));
    if (s->opt.step > 0 || fabs(r->h) < least || r->refused > REFUSALS) return cst__attempt_failed(s, r, st, v, err);
    return 0;
}

/* The step was accepted: objectives, log, output, and on to the next state. */
static int finish(costate_solver *s, run *r, const step *st)
{
    tangent *tg = r->tg;
    int rc = s->d.running.fn.eval ? s->fam->running(s, st, s->psi) : 0;
    if (!rc) rc = cst__attempt_running(s, r, st);
    if (rc) return cst__callback_failed(s, rc, "running", st->t, st->h, st->n);
    TRY(cst__log_append(s, st->h, st->tn));
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
    r->refused = r->failures = 0;
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
                return cst__fail_at(s, COSTATE_ERR_MAX_STEPS, r->t, r->h, st.n, -1, -1,
                                    "max_steps = %lld reached at t = %.10g of %.10g, h = %g", (long long)s->opt.max_steps, r->t,
                                    s->t1, r->h);
            clip(s, r, &st);
            int v = cst__attempt(s, r, &st, &err);
            if (v < 0) return v;
            if (v != ACCEPTED) {
                TRY(shrink(s, r, &st, (verdict)v, err));
                continue;
            }
            st.note = s->note;
            double planned = fabs(r->h);
            if (s->opt.step == 0) r->h = settle(s, r, &st, ACCEPTED, err);
            int cut_short = fabs(st.h) < planned && fabs(r->h) < planned; /* by a stop only */
            if (s->opt.step > 0 || cut_short) r->h = copysign(planned, st.h);
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
    TRY(cst__first_size(s, &r.h));
    if (s->out.count) TRY(cst__output_start(s, tg));
    TRY(walk(s, &r));
    memcpy(s->yend, s->y, (size_t)s->prob.n * sizeof *s->y);
    int rc = cst__terminal(s, s->yend, s->psi);
    for (int b = 0; tg && !rc && b < tg->cut.blocks; b++)
        rc = cst__terminal_tangent(s, s->yend, &tg->block[b], tg->block[b].ydot);
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
