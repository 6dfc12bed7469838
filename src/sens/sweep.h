/* sweep.h - what the backward sweeps of first and second order share: blocks of adjoints, and the walk from the last step to
 * the first. */
#ifndef COSTATE_SENS_SWEEP_H
#define COSTATE_SENS_SWEEP_H

#include "core/driver.h"

/* Steps that were fetched for several sweeps to go over. */
typedef struct window {
    int64_t lo; /* the first of them */
    const double **y, **data;
} window;

/* One sweep over the recorded run for `count` blocks. which: the trajectory; replay with its context: how it computes a step
 * again. */
typedef struct sweep {
    int which;
    traj_replay_fn *replay;
    void *context;
    ablock *block;
    int count;
    const double *yend, *ydot_end; /* final state and, second order, final directions */
    int objectives;                /* terminal and observation parts count */
    int params_only;               /* what is owed to the initial state, which may be infinite, is not asked for */
    const window *window;          /* where the steps are; NULL: in the trajectory */
    int obs;                       /* the next observation on the way */
} sweep;

int cst__sweep(costate_solver *s, sweep *w);

/* Part of it: over steps hi-1 .. lo, with what comes before the last step and after the first. Parts follow each other. */
int cst__sweep_part(costate_solver *s, sweep *w, int64_t hi, int64_t lo);

/* The trajectory's step n, and where it could not be had, why. */
int cst__sweep_fetch(costate_solver *s, const sweep *w, int64_t n, const double **y, const double **data);
int cst__sweep_ready(costate_solver *s); /* 0 if there is a recorded run */
const char *cst__second_lacks(const costate_solver *s); /* the product that a second order lacks; NULL: none */

#endif
