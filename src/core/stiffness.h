/* stiffness.h - an explicit method on a stiff problem. Its steps are as long as stability allows: h lambda of the fastest mode
 * stands at the end of the stability region, and wanders about it. Where |R(h lambda)| > 1 for a while, deviations grow although
 * the true solution damps them: those of the state until the step control sees them, those of derivatives without anybody seeing
 * it.
 *
 * Modes that are exactly at rest show in no step, and are in derivatives all the same: under "auto" the fastest mode of f_y is
 * looked for besides, by a few rounds of the power iteration now and then, and no step is longer than it bears.
 *
 * Under "auto" the watch ends a run that had better be implicit, and keeps the steps of one that stays explicit inside the
 * region; of a named method it only tells. */
#ifndef COSTATE_CORE_STIFFNESS_H
#define COSTATE_CORE_STIFFNESS_H

#include "method/method.h"

typedef struct stiffness {
    int leaves;      /* under "auto", and there is somewhere to go */
    int close;       /* the mode seen last was not far from the limit: every step is looked at */
    int64_t hits;    /* steps at the limit */
    double worth;    /* what the implicit method costs, in steps of this one; 0: not asked yet */
    double speed;    /* |lambda| of late, */
    double safe;     /* and how far h |lambda| may go */
    double growth;   /* log of what the steps made of the mode since it was smallest, */
    double worst;    /* the most of that, */
    double total;    /* and since t0 */
    double radius;   /* the spectral radius of f_y, as last looked for: modes that the solution does not show count too */
    double cosine;   /* and its angle, in the direction of the run; */
    int begun;       /* there are iterates to go on with */
    int64_t look;    /* hits at which it is looked for again, */
    int64_t looked, next; /* and the steps, last and next; 0: it is not */
    double t;        /* where the limit was met first, */
    int64_t step;
    int64_t mark;    /* and where for good; -1: nowhere */
    double mark_speed, mark_total;
} stiffness;

typedef struct run run;

/* Before the first step, whose size may become smaller; nonzero: the error. */
int cst__stiffness_start(costate_solver *s, run *r);
/* After an accepted step: 1 if the run had better be implicit. r->h may become smaller. */
int cst__stiffness_step(costate_solver *s, run *r, const step *st);
/* At the end of a run with this status, which becomes RUN_STIFF if its derivatives would be worthless: costate_stats.choice and
 * .warning. */
int cst__stiffness_end(costate_solver *s, const run *r, int status);

#endif
