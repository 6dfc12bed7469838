/* driver.h - forward runs, first ones and repeated ones; what the modes in sens/ build on. */
#ifndef COSTATE_CORE_DRIVER_H
#define COSTATE_CORE_DRIVER_H

#include "core/directions.h"
#include "core/events.h"
#include "core/objective.h"

#include <math.h>

/* Checks the input of a run, copies it, forgets the last run. Then cst__run (auto.c) takes the steps; directions tg or NULL. */
int cst__start(costate_solver *s, double t0, double t1, const double *p, const double *y);
void cst__loosen(costate_solver *s); /* tolerances are as they were asked for: sens/drift.h */
int cst__first_state(costate_solver *s, double *y); /* what follows the n values of a state at t0 */
int cst__run(costate_solver *s, tangent *tg);
void cst__run_failed(costate_solver *s, double *y);
int cst__callback_failed(costate_solver *s, int rc, const char *which, double t, double h, int64_t n);

/* What rc, returned by a step, is about, in words, and the status it amounts to if it stays; which: the callback, unless
 * s->calling knows. *component as in costate_stats. */
int cst__step_words(costate_solver *s, int rc, const char *which, char *words, size_t size, int *component);

/* core/output.c: rows of output at t0, and those that fall into the step just accepted. */
int cst__output_start(costate_solver *s, tangent *tg);
int cst__output_step(costate_solver *s, const step *st, tangent *tg);
void cst__output_stopped(costate_solver *s, tangent *tg);

/* Observation k within a step, which is the last one of the log: its part of psi and of the directions. y comes to
 * s->fnew, which is nothing to a family that interpolates. */
int cst__observe_within(costate_solver *s, const step *st, int k, tangent *tg, double *psi);

/* core/repeat.c: the recorded steps taken again from y0 with the parameters in s->p, which need not be those of the run:
 * only the step sizes are. Directions tg or NULL; recorded into trajectory `which` (-1: nowhere). The final state comes to
 * yend, the objectives to psi (either NULL: not wanted). */
int cst__repeat(costate_solver *s, const double *y0, tangent *tg, int which, double *yend, double *psi);

/* Where a right-hand side is evaluated that is meant for a stop at t as seen from `side`: at the neighbour of t on that side,
 * unless that is `side` itself. */
static inline double cst__beside(double t, double side)
{
    double next = nextafter(t, side);
    return next == side ? t : next;
}

/* t and tn of a step, which begins or ends at a stop or does not. */
static inline void cst__step_sides(step *st, int begins, int ends)
{
    st->t = begins ? cst__beside(st->from, st->to) : st->from;
    st->tn = ends ? cst__beside(st->to, st->from) : st->to;
}

/* Step n of the log. */
static inline step recorded_step(const costate_solver *s, int64_t n, const double *y, double *stages, double *ynew)
{
    const step_log *l = &s->log;
    step st = {.n = n, .h = l->h[n], .from = l->t[n], .to = l->t[n + 1], .note = l->note[n]};
    st.y = y, st.stages = stages, st.ynew = ynew;
    cst__step_sides(&st, l->stop[n], l->stop[n + 1]);
    st.held = (l->stop[n + 1] & 3) == 2;
    if (s->ev) cst__events_enter(s, &st);
    return st;
}

/* core/record.c: the recorded steps of trajectory `which`, in blocks of s->block. Step n starts from `state`; reserved once,
 * before its first attempt; `end` after the last one. */
int cst__record_block(const costate_solver *s); /* how many steps one has */
int cst__record_reserve(costate_solver *s, int which, int64_t n, const double *state, double **stages);
void cst__record_commit(costate_solver *s, int which, int64_t n);
void cst__record_end(costate_solver *s, int which);
/* Stage data of step n, and the state where its block began. replay: of one step. 0, or a status with its message. */
int cst__record_fetch(costate_solver *s, int which, int64_t n, traj_replay_fn *replay, void *ctx, const double **state,
                      const double **stages);
int64_t cst__record_recomputed(const costate_solver *s, int which); /* steps, since the run began */
size_t cst__record_stride(const costate_solver *s, int which);      /* from one step's stage data to the next one's */

/* Step n as it was fetched. */
static inline step fetched_step(const costate_solver *s, int64_t n, const double *state, const double *stages, size_t stride)
{
    step st = recorded_step(s, n, state, (double *)(uintptr_t)stages, NULL);
    st.into = (int)(n % s->block);
    st.base = state;
    st.stride = stride;
    if (st.into) st.y = stages - stride;
    return st;
}

/* Observation k is at the end of a step, or at t0: not interpolated. */
static inline int observed_at_end(const costate_solver *s, int k)
{
    return s->prob.observe_at[k] == s->log.t[s->obs_step[k]];
}

/* Where it is in its step. */
static inline double observed_theta(const costate_solver *s, int k)
{
    const int64_t n = s->obs_step[k] - 1;
    const double theta = (s->prob.observe_at[k] - s->log.t[n]) / s->log.h[n];
    return theta < 1 ? theta : 1;
}

/* Slopes at the end of step n - 1 are not those at the start of step n: there is a stop between them, and they may see it. */
static inline int slopes_end(const costate_solver *s, int64_t n)
{
    return (s->log.stop[n] && !s->prob.autonomous) || s->log.stop[n] > EVENT_STOP;
}

/* It is taken again for a trajectory. */
int cst__replay_step(costate_solver *s, const step *st); /* to where it ends: no event has happened there yet */
traj_replay_fn cst__replay;       /* ctx: the solver */
traj_replay_fn cst__replay_joint; /* ctx: a replay_context */
typedef struct replay_context {
    costate_solver *s;
    tangent *tg;
} replay_context;

/* Trajectory `which`, empty, opened for `lanes` directions beside the state. */
int cst__traj_prepare(costate_solver *s, int which, size_t lanes);
/* The budget of the joint trajectories that *workers threads record side by side; fewer where each would get too little. */
void cst__joint_share(costate_solver *s, size_t lanes, int *workers);
/* Memory for a run beside the recorded one, which is given up if it holds more than half, or any of the disk. */
int64_t cst__traj_spare(costate_solver *s);
int cst__traj_failed(costate_solver *s, const traj *tr, int status);
void cst__traj_report(costate_solver *s, int which); /* its figures into the statistics */

#endif
