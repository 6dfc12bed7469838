/* run.h - a run under way: what driver.c, start.c, attempt.c and failure.c share. */
#ifndef COSTATE_CORE_RUN_H
#define COSTATE_CORE_RUN_H

#include "core/driver.h"
#include "base/kernels.h"
#include "core/stiffness.h"
#include "method/control.h"

enum { SIGHTS = 1 + KERNEL_PARTS };

typedef struct sight { /* the second measure of an attempt or of a part of it, and its size; h = 0: there is none */
    double w, h;
} sight;

struct run {
    double t, h; /* time reached; size of the next attempt, signed */
    double lag;  /* by which the sum of all sizes is ahead of t, which is rounded */
    double stop; /* the next time to be met exactly */
    double least; /* the smallest size, wherever t is */
    int past;    /* stages look past the end of a step, */
    int held;    /* and are kept from it */
    double base; /* fixed steps: where they are counted from, so that round-off does not add up */
    int64_t count;
    int obs; /* the next observation */
    int64_t attempts;
    int failures;      /* attempts at this step that failed */
    int refused;       /* consecutive attempts that gave no error estimate */
    int reason;        /* what the last of them returned, */
    const char *which; /* and which callback, unless s->calling knows better */
    control c;
    sight seen[3][SIGHTS]; /* of the attempt at hand and its parts, and of the two steps before it */
    sight usual[SIGHTS];   /* the largest of a number of steps before */
    sight doubt[SIGHTS];   /* of the last attempt at this step that they spoke against, if any, */
    double wary;           /* and where it ended: up to there sizes grow slowly */
    tangent *tg;
    dblock probe; /* core/probe.h, if */
    int probing;
    double *allowed; /* n: errors of the probe */
    int workers;    /* threads that may share its blocks */
    double alone_s; /* what one takes for those of a step, as last measured */
    traj *tr;       /* NULL: not recorded */
    stiffness stiff; /* of an explicit method */
};

typedef enum verdict { ACCEPTED, TOO_INACCURATE, REFUSED, NOT_FINITE, DIRECTION_NOT_FINITE } verdict;

enum { RUN_STIFF = 1 }; /* a run that was given up as stiff */

/* driver.c: a run by the method in use; leaves: it may be given up as stiff. start.c: all is as before the first step. */
int cst__run_once(costate_solver *s, tangent *tg, int leaves);
int cst__restart(costate_solver *s);

/* start.c: the size of the first attempt, from the behaviour of f near t0. */
int cst__first_size(costate_solver *s, double *h);
int cst__size_at(costate_solver *s, double t, const double *y, double *h); /* anywhere; s->ynew and s->fnew are free */

/* attempt.c: step and tangents; a verdict, and in *err the largest error. Negative: failed for good. */
int cst__attempt(costate_solver *s, run *r, step *st, double *err); /* st may end earlier, at an event */
void cst__attempt_accepted(const costate_solver *s, run *r);
/* The running part of the objectives' directions over the step just accepted. */
int cst__attempt_running(costate_solver *s, const run *r, const step *st);

/* failure.c: no smaller step will do; the status, with a message that says why. */
int cst__attempt_failed(costate_solver *s, const run *r, const step *st, verdict v, double err);
int cst__unresolved(costate_solver *s, const step *st); /* the step does not move t */

#endif
