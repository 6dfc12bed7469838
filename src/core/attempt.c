/* attempt.c - one attempt at a step: the step itself, what its estimate may not have seen, and the directions that go along, by
 * several threads if they are worth it. */
#include "core/run.h"

#include "base/kernels.h"
#include "core/guide.h"
#include "core/probe.h"
#include "core/workers.h"
#include "platform/machine.h"

#include <math.h>
#include <string.h>

static const double worth_s = 20e-6; /* seconds of work in a step for which other threads are called */

typedef struct tangents {
    const step *st;
    dblock *block;
} tangents;

static int tangent_of_block(costate_solver *worker, int b, void *ctx)
{
    const tangents *t = ctx;
    dblock *d = &t->block[b];
    if (worker->leader && worker->ev) cst__events_follow(worker);
    TRY(take_tangent(worker, t->st, d, NULL));
    return cst__all_finite(worker->live * (size_t)d->w, d->ydotnew) ? 0 : STEP_NOT_FINITE;
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

/* The tangents of a step that was accurate enough, and *err, if theirs is larger. */
static int attempt_tangents(costate_solver *s, run *r, const step *st, double *err)
{
    const int steer = s->opt.step == 0 && r->tg->control;
    step taken = *st;
    taken.note = s->note; /* as if it were accepted, which may be */
    if (together(s, r, &taken)) return ACCEPTED;
    double began = r->workers > 1 ? platform_now() : 0;
    r->which = "jvp";
    for (int b = 0; b < r->tg->cut.blocks; b++) {
        dblock *d = &r->tg->block[b];
        double e = 0;
        int rc = take_tangent(s, &taken, d, steer ? &e : NULL);
        if (rc < 0) return cst__callback_failed(s, rc, "jvp", st->from, st->h, st->n);
        r->reason = rc;
        if (rc > 0) return REFUSED;
        if (steer ? !isfinite(e) : !cst__all_finite(s->live * (size_t)d->w, d->ydotnew)) return DIRECTION_NOT_FINITE;
        if (e > *err) *err = e;
        if (e > 1) return TOO_INACCURATE;
    }
    if (r->workers > 1) r->alone_s = platform_now() - began;
    return ACCEPTED;
}

/* ---- what the estimate does not see ------------------------------------------------------------------------------------ */

static const double unseen_most = 4;                       /* tolerances that a jump within a step may add to the error */
static const double rise_most = 4, part_rise_most = 30;     /* growth of the witness that a smooth solution may bring */
static const double near = 7, far_most = 9;                /* growth of sizes over which it is known, and what it may be beyond */
static const double forgets = 0.9;                         /* a step, of how large it has been */
static const double fall_least = 1.0 / 3, fall_most = 1.5; /* of it with h^order, after half a step, if the solution is smooth */

/* The witness of a step of size h, by another one: w ~ h^order, if sizes do not grow by more than a factor. A power of what is
 * small says little of a much larger step, and a jump may agree with it: there it is not trusted beyond a few tolerances. */
static double by(const costate_solver *s, sight a, double h, double most)
{
    double w = a.h == 0 ? 0 : a.w, ratio = fabs(h) < most * fabs(a.h) ? fabs(h / a.h) : most;
    for (int k = 0; k < s->witness; k++) w *= ratio;
    return ratio > near ? fmin(w, fmax(a.w, far_most)) : w;
}

/* By the two before it, and by the larger ones of a while ago: where stability is what limits the steps, they go up and down. */
static double expected(const costate_solver *s, const run *r, int k, double h)
{
    double most = fmax(by(s, r->seen[1][k], h, s->opt.facmax), by(s, r->seen[2][k], h, s->opt.facmax));
    return fmax(most, by(s, r->usual[k], h, 1));
}

/* A jump stands out from what smooth solutions lead one to expect, which is nothing in the first step: of the whole (k = 0), or
 * of a part, for beside a busy component it would not. Parts rise and fall more than the whole does. If it is none, half a step
 * shows it. */
static int stands_out(const costate_solver *s, const run *r, int k, double h, double w)
{
    if (w <= unseen_most || w <= (k ? part_rise_most : rise_most) * expected(s, r, k, h)) return 0;
    const sight *doubt = &r->doubt[k];
    if (doubt->h == 0) return 1;
    double fall = w / (doubt->w * pow(fabs(h / doubt->h), s->witness));
    return fall < fall_least || fall > fall_most;
}

static int sights(const costate_solver *s)
{
    return 1 + (cst__judged(s) < KERNEL_PARTS ? (int)cst__judged(s) : KERNEL_PARTS);
}

/* Its witness falls as h does, and so the size is to; the first time by a half. */
static int witnessed(costate_solver *s, run *r, const step *st, double *err)
{
    const int count = sights(s);
    double w[SIGHTS] = {0}, most = 0;
    for (int k = 0; k < count; k++) r->seen[0][k] = (sight){.h = st->h};
    int rc = s->fam->witness(s, st, unseen_most, w);
    if (rc || !isfinite(w[0])) return rc;
    for (int k = 0; k < count; k++) {
        r->seen[0][k].w = w[k];
        if (w[k] > most && stands_out(s, r, k, st->h, w[k])) most = w[k];
    }
    if (most == 0) return 0;
    *err = pow(r->doubt[0].h == 0 ? 2 * r->c.safety : 2 * most / unseen_most, r->c.k);
    memcpy(r->doubt, r->seen[0], sizeof r->doubt);
    r->wary = st->to;
    return 0;
}

/* What is left of a jump in the step that goes over it says nothing of the steps to come: it did not fall as it should. */
static int of_jump(const costate_solver *s, const run *r, int k)
{
    const sight *doubt = &r->doubt[k], *seen = &r->seen[0][k];
    return doubt->h != 0 && seen->w > fall_most * doubt->w * pow(fabs(seen->h / doubt->h), s->witness);
}

void cst__attempt_accepted(const costate_solver *s, run *r)
{
    for (int k = 0; s->witness && k < sights(s); k++) {
        if (of_jump(s, r, k)) r->seen[0][k] = r->seen[1][k];
        r->seen[2][k] = r->seen[1][k];
        r->seen[1][k] = r->seen[0][k];
        r->usual[k].w *= forgets;
        if (r->seen[0][k].w > r->usual[k].w) r->usual[k] = r->seen[0][k];
        r->doubt[k] = (sight){0};
    }
}

/* ---- the attempt ------------------------------------------------------------------------------------------------------- */

int cst__attempt(costate_solver *s, run *r, step *st, double *err)
{
    int adaptive = s->opt.step == 0;
    *err = 0;
    s->calling = NULL; /* of an attempt that was refused */
    r->which = "rhs";
    int rc = s->fam->step(s, st, adaptive ? err : NULL);
    if (rc < 0) return cst__callback_failed(s, rc, "rhs", st->from, st->h, st->n);
    r->reason = rc;
    if (rc > 0) return REFUSED;
    if (adaptive ? !isfinite(*err) : !cst__all_finite(s->live, st->ynew)) return NOT_FINITE;
    if (adaptive && s->witness && *err <= 1) {
        rc = witnessed(s, r, st, err);
        if (rc < 0) return cst__callback_failed(s, rc, "rhs", st->from, st->h, st->n);
        r->reason = rc;
        if (rc > 0) return REFUSED;
    }
    if (*err > 1) return TOO_INACCURATE;
    if (s->ev) {
        rc = cst__event_search(s, r, st);
        if (rc != ACCEPTED) return rc;
    }
    int v = r->tg ? attempt_tangents(s, r, st, err) : ACCEPTED;
    if (v == ACCEPTED && r->probing) v = cst__probe_attempt(s, r, st, err);
    if (v != ACCEPTED || !s->guide || !adaptive) return v;
    rc = s->guide->judge(s->guide->ctx, st, r->tg, err);
    if (rc < 0) return cst__callback_failed(s, rc, "rhs", st->from, st->h, st->n);
    r->reason = rc;
    return rc > 0 ? REFUSED : *err > 1 ? TOO_INACCURATE : ACCEPTED;
}

static int running_tangent_of_block(costate_solver *worker, int b, void *ctx)
{
    const tangents *t = ctx;
    if (worker->leader && worker->ev) cst__events_follow(worker);
    return take_running_tangent(worker, t->st, &t->block[b]);
}

int cst__attempt_running(costate_solver *s, const run *r, const step *st)
{
    if (!r->tg || !s->d.running.fn.eval) return 0;
    return cst__workers_run(s, sharing(r), r->tg->cut.blocks, 0, running_tangent_of_block, &(tangents){st, r->tg->block});
}
