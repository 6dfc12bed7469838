/* run.h - a run under way: what driver.c, start.c, attempt.c and failure.c share. */
#ifndef COSTATE_CORE_RUN_H
#define COSTATE_CORE_RUN_H

#include "core/driver.h"
#include "method/control.h"

typedef struct run {
    double t, h; /* time reached; size of the next attempt, signed */
    double stop; /* the next time to be met exactly */
    double base; /* fixed steps: where they are counted from, so that round-off does not add up */
    int64_t count;
    int obs; /* the next observation */
    int64_t attempts;
    int failures;      /* attempts at this step that failed */
    int refused;       /* consecutive attempts that gave no error estimate */
    int reason;        /* what the last of them returned, */
    const char *which; /* and which callback, unless s->calling knows better */
    control c;
    tangent *tg;
    int workers;    /* threads that may share its blocks */
    double alone_s; /* what one takes for those of a step, as last measured */
    traj *tr;       /* NULL: not recorded */
} run;

typedef enum verdict { ACCEPTED, TOO_INACCURATE, REFUSED, NOT_FINITE, DIRECTION_NOT_FINITE } verdict;

/* start.c: the size of the first attempt, from the behaviour of f near t0. */
int cst__first_size(costate_solver *s, double *h);

/* attempt.c: step and tangents; a verdict, and in *err the largest error. Negative: failed for good. */
int cst__attempt(costate_solver *s, run *r, const step *st, double *err);
/* The running part of the objectives' directions over the step just accepted. */
int cst__attempt_running(costate_solver *s, const run *r, const step *st);

/* failure.c: no smaller step will do; the status, with a message that says why. */
int cst__attempt_failed(costate_solver *s, const run *r, const step *st, verdict v, double err);

#endif
