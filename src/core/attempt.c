/* attempt.c - one attempt at a step: the step itself, and the directions that go along, by several threads if they are worth
 * it. */
#include "core/run.h"

#include "base/kernels.h"
#include "core/workers.h"
#include "platform/machine.h"

#include <math.h>

static const double worth_s = 20e-6; /* seconds of work in a step for which other threads are called */

typedef struct tangents {
    const step *st;
    dblock *block;
} tangents;

static int tangent_of_block(costate_solver *worker, int b, void *ctx)
{
    const tangents *t = ctx;
    dblock *d = &t->block[b];
    TRY(worker->fam->tangent(worker, t->st, d, NULL));
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
        int rc = s->fam->tangent(s, &taken, d, steer ? &e : NULL);
        if (rc < 0) return cst__callback_failed(s, rc, "jvp", st->t, st->h, st->n);
        r->reason = rc;
        if (rc > 0) return REFUSED;
        if (steer ? !isfinite(e) : !cst__all_finite(s->live * (size_t)d->w, d->ydotnew)) return DIRECTION_NOT_FINITE;
        if (e > *err) *err = e;
        if (e > 1) return TOO_INACCURATE;
    }
    if (r->workers > 1) r->alone_s = platform_now() - began;
    return ACCEPTED;
}

int cst__attempt(costate_solver *s, run *r, const step *st, double *err)
{
    int adaptive = s->opt.step == 0;
    *err = 0;
    s->calling = NULL; /* of an attempt that was refused */
    r->which = "rhs";
    int rc = s->fam->step(s, st, adaptive ? err : NULL);
    if (rc < 0) return cst__callback_failed(s, rc, "rhs", st->t, st->h, st->n);
    r->reason = rc;
    if (rc > 0) return REFUSED;
    if (adaptive ? !isfinite(*err) : !cst__all_finite(s->live, st->ynew)) return NOT_FINITE;
    if (*err > 1) return TOO_INACCURATE;
    return r->tg ? attempt_tangents(s, r, st, err) : ACCEPTED;
}

static int running_tangent_of_block(costate_solver *worker, int b, void *ctx)
{
    const tangents *t = ctx;
    return worker->fam->running_tangent(worker, t->st, &t->block[b]);
}

int cst__attempt_running(costate_solver *s, const run *r, const step *st)
{
    if (!r->tg || !s->d.running.fn.eval) return 0;
    return cst__workers_run(s, sharing(r), r->tg->cut.blocks, 0, running_tangent_of_block, &(tangents){st, r->tg->block});
}
