/* sweep.h - what the backward sweeps of first and second order share: blocks of adjoints, and the walk from the last step to the first. */
#ifndef COSTATE_SENS_SWEEP_H
#define COSTATE_SENS_SWEEP_H

#include "core/driver.h"

/* One sweep over the recorded run for `count` blocks. which: the trajectory; replay with its context: how it computes a step again. */
typedef struct sweep {
    int which;
    traj_replay_fn *replay;
    void *context;
    ablock *block;
    int count;
    const double *yend, *ydot_end; /* final state and, second order, final directions */
    int objectives;                /* terminal and observation parts count */
} sweep;

int cst__sweep(costate_solver *s, sweep *w);
int cst__sweep_ready(costate_solver *s); /* 0 if there is a recorded run */

#endif
