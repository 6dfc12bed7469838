/* transpose.h - a recorded run transposed for w lanes: how the lanes are cut into blocks, where these live, who sweeps them. */
#ifndef COSTATE_SENS_TRANSPOSE_H
#define COSTATE_SENS_TRANSPOSE_H

#include "sens/sweep.h"

/* Memory of one block, in doubles; pointers are kept in doubles too. */
typedef struct layout {
    size_t lambda, mu, omega, flow, points, total;
    int capacity;
} layout;

/* ablock.c: memory for a block of w lanes, and its arrays in that memory. copy_y: states of points are copied. */
layout cst__ablock_plan(const costate_solver *s, int w, int want_mu, int want_omega, int copy_y, int own_lambda, int own_mu);
void cst__ablock_place(const costate_solver *s, ablock *b, int w, layout l, int copy_y, double *at);

/* A call: what is asked for, and how it is done. lambda: in and out for seeds on the final state; only out with objectives, or
 * NULL: not wanted. */
typedef struct transpose {
    int objectives, want_mu;
    const double *weights;
    double *lambda, *mu;
    lane_cut c;
    int alone;   /* each block is swept by itself */
    int direct;  /* the caller's arrays are the only block; they have no rows for a history */
    int workers; /* threads */
    layout l;
    size_t work;   /* doubles of the family's, at the head of every worker's memory */
    ablock *block; /* blocks that go together: all of them, */
    sweep *group;  /* in groups; a group is a task */
    int groups;
    int64_t hi, lo; /* the steps of the task at hand */
} transpose;

int cst__transpose(costate_solver *s, int w, transpose *j);

#endif
