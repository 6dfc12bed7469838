/* repeat.c - recorded steps taken again: as a whole run, or one by one for the trajectory store.
 *
 * The sizes and times are data; nothing is decided anew, so the same input gives the same bits. Steps that are given and were
 * never taken (core/halved.h) are taken once as a run takes them, and what a family decides within them is noted then. */
#include "core/driver.h"

#include "core/consistent.h"

#include "base/kernels.h"

/* ---- one step ------------------------------------------------------------------------------------------------------ */

static int not_repeated(costate_solver *s, const step *st, const char *which, int rc)
{
    char words[160];
    int component;
    if (rc < 0 && s->status == rc) return rc; /* what failed has said so */
    cst__step_words(s, rc, which, words, sizeof words, &component);
    return cst__fail_at(s, s->log.fresh ? COSTATE_ERR_HALVED : COSTATE_ERR_SWEEP_REPLAY, st->from, st->h, st->n, -1, component,
                        "%s at t = %.10g with h = %g (step %lld)", words, st->from, st->h, (long long)st->n);
}

int cst__replay_step(costate_solver *s, const step *st)
{
    s->f_valid = 0; /* f at the start of a step is evaluated anew: where it was carried over, it was f at the same point */
    const int rc = take_step(s, st, NULL);
    return rc ? not_repeated(s, st, "rhs", rc) : 0;
}

int cst__replay(void *ctx, int64_t n, int fresh, const double *state, double *stages, double *next)
{
    costate_solver *s = ctx;
    step st = recorded_step(s, n, state, stages, next);
    (void)fresh;
    TRY(cst__replay_step(s, &st));
    if (!next || !st.ends) return 0;
    const int rc = cst__event_repeat(s, st.ends, next, NULL);
    return rc ? not_repeated(s, &st, "rhs", rc) : 0;
}

/* Recorded step n with its stages, for reading. */
static int primal_step(costate_solver *s, int64_t n, step *st)
{
    const double *y, *stages;
    TRY(cst__record_fetch(s, PRIMAL, n, cst__replay, s, &y, &stages));
    *st = fetched_step(s, n, y, stages, cst__record_stride(s, PRIMAL));
    return 0;
}

/* Of a step that is repeated for the joint trajectory, which may end at an event: ydotnew is what comes after it. */
static int event_directions(costate_solver *s, const step *st, dblock *d)
{
    step at = *st;
    at.ynew = NULL; /* it is y+ already, and y- is in the list */
    cst__events_enter(s, &at);
    double *new = d->ydotnew;
    TRY(take_tangent(s, &at, d, NULL));
    if (!at.ends || !new) return 0;
    event_forget(s, d->w, new);
    return cst__event_happen_tangent(s, at.ends, event_before(s, at.ends), event_after(s, at.ends), d, new, 0);
}

int cst__replay_joint(void *ctx, int64_t n, int fresh, const double *state, double *stages, double *next)
{
    replay_context *c = ctx;
    costate_solver *s = c->s;
    dblock d = c->tg->block[0];
    step st;
    if (s->apart) TRY(primal_step(s, n, &st));
    else {
        TRY(cst__replay(s, n, fresh, state, stages, next));
        st = recorded_step(s, n, state, stages, next);
    }
    d.ydot = (double *)(uintptr_t)(state + joint_at(s)); /* only read */
    d.ydotnew = next ? next + joint_at(s) : NULL;
    d.stages = stages + joint_stages_at(s);
    d.fdot_valid = 0;
    int rc = s->ev ? event_directions(s, &st, &d) : s->fam->tangent(s, &st, &d, NULL);
    return rc ? not_repeated(s, &st, "jvp", rc) : 0;
}

/* ---- a whole run --------------------------------------------------------------------------------------------------- */

int cst__observe_within(costate_solver *s, const step *st, int k, tangent *tg, double *psi)
{
    const double theta = observed_theta(s, k);
    double *y = s->fnew;
    int rc = s->fam->dense(s, st, theta, y, NULL, NULL, 1);
    if (!rc) rc = cst__observe(s, k, y, psi);
    for (int b = 0; tg && !rc && b < tg->cut.blocks; b++) {
        dblock *d = &tg->block[b];
        rc = s->fam->dense(s, st, theta, NULL, d, d->dense, 1);
        if (!rc) rc = cst__observe_tangent(s, k, y, d, d->dense);
    }
    return rc ? cst__callback_failed(s, rc, "observe", s->prob.observe_at[k], st->h, st->n) : 0;
}

/* Those within a repeated step. */
static int objectives_within(costate_solver *s, const step *st, int *obs, tangent *tg, double *psi)
{
    for (; *obs < s->prob.observations && s->obs_step[*obs] == st->n + 1 && !observed_at_end(s, *obs); ++*obs)
        if (psi) TRY(cst__observe_within(s, st, *obs, tg, psi));
    return 0;
}

static int objectives_at(costate_solver *s, int64_t n, int *obs, const double *y, tangent *tg, double *psi)
{
    for (; *obs < s->prob.observations && s->obs_step[*obs] == n; ++*obs) {
        int rc = psi ? cst__observe(s, *obs, y, psi) : 0;
        for (int b = 0; psi && tg && !rc && b < tg->cut.blocks; b++)
            rc = cst__observe_tangent(s, *obs, y, &tg->block[b], tg->block[b].ydot);
        if (rc) return cst__callback_failed(s, rc, "observe", s->log.t[n], 0, n);
    }
    return 0;
}

/* A step; of halves that are taken for the first time the error is noted, where the run had a tolerance for it. */
static int take_half(costate_solver *s, const step *st)
{
    const int judged = s->log.fresh && s->opt.step == 0 && s->table->e && st->h != 0;
    double err = 0;
    const int rc = take_step(s, st, judged ? &err : NULL);
    if (!rc && err > s->missed) {
        s->missed = err;
        s->missed_at = st->from;
    }
    return rc;
}

/* Events at other times than in the log, for parameters or steps are others: the step from where they are to where they will be.
 * The log of a halved run has them as they are already. */
static int step_anew(costate_solver *s, step *st, double from)
{
    const happened *e = st->ends;
    const events *v = s->ev;
    const int k = e ? e->k : -1;
    if (e && k >= v->guards) {
        TRY(cst__event_time(s, k, &st->to));
        st->h += st->to - e->t;
    }
    st->h -= s->log.fresh ? s->ev->late : from - st->from;
    st->from = from;
    cst__step_sides(st, st->begins != NULL || s->log.stop[st->n], e != NULL || s->log.stop[st->n + 1]);
    TRY(e && k < v->guards ? cst__event_again(s, st, k) : take_half(s, st));
    if (s->log.fresh) cst__events_took(s, st);
    return 0;
}

/* What was decided in a step that was never taken before. */
static int take_note(costate_solver *s, step *st)
{
    if (!s->log.fresh) return 0;
    st->note = s->log.note[st->n] = (signed char)s->note;
    return cst__all_finite(s->live, st->ynew) ? 0 : not_repeated(s, st, "rhs", STEP_NOT_FINITE);
}

static int repeat_step(costate_solver *s, step *st, double from, tangent *tg, double *psi)
{
    if (!s->log.fresh) s->f_valid = 0;
    int rc = s->ev && s->ev->anew ? step_anew(s, st, from) : take_half(s, st);
    if (rc) return not_repeated(s, st, "rhs", rc);
    TRY(take_note(s, st));
    for (int b = 0; tg && b < tg->cut.blocks; b++) {
        rc = take_tangent(s, st, &tg->block[b], NULL);
        if (rc) return not_repeated(s, st, "jvp", rc);
    }
    if (!psi || !s->d.running.fn.eval) return 0;
    rc = take_running(s, st, psi);
    for (int b = 0; tg && !rc && b < tg->cut.blocks; b++) rc = take_running_tangent(s, st, &tg->block[b]);
    return rc ? not_repeated(s, st, "running", rc) : 0;
}

/* The event at the end of a step, which became y- = y: keeps directions for second order, and goes on behind it. */
static int happen(costate_solver *s, const step *st, double *y, tangent *tg, int joint, double *psi)
{
    const happened *e = st->ends;
    happened now = *e;
    now.t = st->to;
    for (int b = 0; joint && b < tg->cut.blocks; b++) cst__event_keep(s, e, &tg->block[b]);
    if (y) TRY(cst__event_repeat(s, &now, y, psi));
    if (y && s->log.fresh) cst__events_after(s, e, y);
    const double *before = y ? s->ev->f : event_before(s, e), *after = y ? y : event_after(s, e);
    for (int b = 0; tg && b < tg->cut.blocks; b++) {
        event_forget(s, tg->block[b].w, tg->block[b].ydot);
        TRY(cst__event_happen_tangent(s, &now, before, after, &tg->block[b], tg->block[b].ydot, psi != NULL));
    }
    if (e->after != COSTATE_STOP) cst__events_mode(s, e->after, e->held_after);
    else s->ev->t_end = st->to;
    return 0;
}

/* Directions along the recorded steps, into the joint trajectory. */
static int repeat_directions(costate_solver *s, tangent *tg)
{
    dblock *d = &tg->block[0];
    d->ydot = tg->joint[0];
    d->ydotnew = tg->joint[1];
    for (int64_t i = 0; i < s->log.count; i++) {
        step st;
        TRY(primal_step(s, i, &st));
        TRY(cst__record_reserve(s, JOINT, i, d->ydot, &d->stages));
        int rc = take_tangent(s, &st, d, NULL);
        if (rc) return not_repeated(s, &st, "jvp", rc);
        cst__record_commit(s, JOINT, i);
        cst__dblock_accept(d, slopes_end(s, i + 1));
        if (st.ends) TRY(happen(s, &st, NULL, tg, 1, NULL));
    }
    cst__record_end(s, JOINT);
    s->recorded[JOINT] = 1;
    return 0;
}

/* On to the next step, whose slope at the start may be known. */
static void pass_on(costate_solver *s, int64_t n, tangent *tg)
{
    const int anew = slopes_end(s, n);
    double *f = s->f;
    for (int b = 0; tg && b < tg->cut.blocks; b++) cst__dblock_accept(&tg->block[b], anew);
    if (!s->log.fresh) return;
    s->f = s->fnew;
    s->fnew = f;
    s->f_valid = s->fnew_valid && !anew;
    s->fnew_valid = 0;
}

static int repeat(costate_solver *s, const double *y0, tangent *tg, int which, double *yend, double *psi)
{
    size_t n = (size_t)s->prob.n;
    double *y = s->y, *ynew = s->ynew;
    int obs = 0, joint = which == JOINT;
    double from = s->t0;
    if (s->ev) s->ev->kept = 0;
    if (s->fam->start) s->fam->start(s, s->log.fresh);
    s->f_valid = s->fnew_valid = 0;
    if (joint && s->apart) return repeat_directions(s, tg);
    if (joint) {
        y = tg->joint[0];
        ynew = tg->joint[1];
    }
    memcpy(y, y0, n * sizeof *y);
    if (y0 != s->y0) TRY(cst__consistent(s, y, 0)); /* that one is */
    TRY(cst__first_state(s, y));
    if (psi) memset(psi, 0, (size_t)s->nobj * sizeof *psi);
    if (s->ev) cst__events_repeat(s, y0);
    TRY(objectives_at(s, 0, &obs, y, tg, psi));
    const int rows = s->log.fresh && s->out.count;
    if (rows) TRY(cst__output_start(s, tg));
    for (int64_t i = 0; i < s->log.count; i++) {
        step st = recorded_step(s, i, y, s->stages, ynew);
        if (which >= 0) TRY(cst__record_reserve(s, which, i, y, &st.stages));
        if (joint) {
            tg->block[0].ydot = y + joint_at(s);
            tg->block[0].ydotnew = ynew + joint_at(s);
            tg->block[0].stages = st.stages + joint_stages_at(s);
        }
        TRY(repeat_step(s, &st, i == 0 ? st.from : from, tg, psi));
        from = st.to;
        if (which >= 0) cst__record_commit(s, which, i);
        TRY(objectives_within(s, &st, &obs, tg, psi));
        if (rows) TRY(cst__output_step(s, &st, tg));
        pass_on(s, i + 1, tg);
        double *t = y;
        y = ynew;
        ynew = t;
        TRY(objectives_at(s, i + 1, &obs, y, tg, psi));
        if (st.ends) TRY(happen(s, &st, y, tg, joint, psi));
    }
    if (yend) memcpy(yend, y, n * sizeof *y);
    int rc = psi ? cst__terminal(s, y, psi) : 0;
    for (int b = 0; psi && tg && !rc && b < tg->cut.blocks; b++)
        rc = cst__terminal_tangent(s, y, &tg->block[b], tg->block[b].ydot);
    if (rc) return cst__callback_failed(s, rc, "terminal", s->t1, 0, s->log.count);
    if (!cst__all_finite(n, y)) return cst__fail(s, COSTATE_ERR_SWEEP_NOT_FINITE, "the repeated run's final state");
    if (which >= 0) cst__record_end(s, which);
    if (which >= 0) s->recorded[which] = 1;
    s->log.fresh = 0;
    return 0;
}

int cst__repeat(costate_solver *s, const double *y0, tangent *tg, int which, double *yend, double *psi)
{
    const double end = s->ev ? s->ev->t_end : 0;
    const int fresh = s->log.fresh;
    int status = repeat(s, y0, tg, which, yend, psi);
    if (!s->ev) return status;
    if (!fresh) s->ev->t_end = end; /* that of the run */
    s->ev->anew = 0;
    return status;
}
