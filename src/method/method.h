/* method.h - a family of methods is a table of operations over a table of coefficients. The driver and the sweeps see only this. */
#ifndef COSTATE_METHOD_H
#define COSTATE_METHOD_H

#include "solver/solver.h"

/* One step from (t, y) to (tn, ynew). tn is t + h up to round-off; a stage at c = 1 is evaluated at tn itself, so that first-same-as-last is exact. */
typedef struct step {
    int64_t n;
    double t, h, tn;
    const double *y;
    double *stages; /* stage data, as many doubles as family.stage_doubles says; written by `step`, read by everything else */
    double *ynew;
    int note; /* a step that is repeated, or whose tangent is wanted: what it noted in solver.note; -1: a first attempt */
} step;

/* A block of directions along a step; arrays are n x w, pdot is np x w. */
typedef struct dblock {
    int w;
    double *ydot, *ydotnew;
    const double *pdot;            /* own_pdot, or the caller's; NULL: zero */
    double *own_pdot;
    double *fdot, *fdotnew;        /* like solver.f, fnew */
    int fdot_valid, fdotnew_valid;
    double *stages;                /* of the tangent: family.stage_doubles * w doubles */
    double *qdot, *qrow;           /* nobj x w: directions of the objectives; one term of theirs */
    double *kdot;                  /* family.tangent_doubles * w doubles of work */
    double *dense;                 /* n x w: a row of dense output */
} dblock;

/* A block of adjoints. lambda is n x w, mu np x w or NULL, omega nobj x w: the weights of the objectives' running parts, or NULL. */
typedef struct ablock {
    int w;
    double *lambda, *mu, *omega;
    double *lambda_dot, *mu_dot; /* second order: their derivatives along the directions; else NULL */
    const double *pdot;          /* second order: np x w or NULL */
    double *work;                /* family.adjoint_doubles * w doubles, shared by the blocks */
    /* Points whose parameter part is still to be added to mu, in one vjp_points call for several steps; seeds are n x w. */
    int points, capacity; /* capacity 0: vjp adds to mu at every stage */
    double *pt;           /* their times */
    const double **py;    /* their states: the trajectory's own memory if that stays, else copies in py_copy */
    const double **pu;    /* their seeds, in pu_store */
    double *py_copy, *pu_store;
} ablock;

/* Reasons of a family's own for a smaller step: Newton's iteration does not converge; the linear solver failed, as s->im knows; f at a stage is not finite, which
 * a family turns into an error of NaN before it returns. */
enum { STEP_NEWTON = 1001, STEP_MATRIX, STEP_NOT_FINITE };

struct family {
    costate_family id;
    int heavy; /* a step's matrices are worth sharing: all blocks of a sweep go back together */
    int (*open)(costate_solver *s); /* makes s->method from s->table */
    void (*close)(costate_solver *s);
    /* Doubles that follow the n of a state: what a step takes from the one before, so that a step computed again gives the same bits. They are part of y and
     * ynew, are zero at t0, and are written by `step` with ynew. Or zeros alone, which make a state whole vectors. NULL: none. */
    size_t (*carry_doubles)(const costate_solver *s);
    size_t (*stage_doubles)(const costate_solver *s);   /* of stage data per step */
    size_t (*tangent_doubles)(const costate_solver *s); /* of work per lane of a tangent step */
    size_t (*adjoint_doubles)(const costate_solver *s); /* of work per lane of an adjoint step, first or second order */
    int (*points)(const costate_solver *s);             /* most points a step adds to ablock */

    void (*start)(costate_solver *s, int fresh); /* a run begins: a fresh one, or a recorded one is repeated; NULL: nothing to do */
    /* The step; ynew NULL: only the stages are wanted. *err becomes the error's norm, NaN if something is not finite. err NULL: a fixed or repeated step, no estimate. Returns what the right-hand side does, or STEP_... */
    int (*step)(costate_solver *s, const step *st, double *err);
    /* h after an accepted step may be settled differently from hnew, the controller's choice, to keep factors; NULL: hnew it is. */
    double (*settle)(costate_solver *s, double h, double hnew);
    /* After a step gave something that is not finite: the first stage and component at fault; 0 if there is one. */
    int (*culprit)(costate_solver *s, const step *st, int *stage, int *component);
    /* The running part of the objectives over the step is added to psi (nobj). */
    int (*running)(costate_solver *s, const step *st, double *psi);
    /* State at t + theta h into y; or, given a block d, its directions into ydot, `first` for the first theta of this step and block. */
    int (*dense)(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first);

    /* Tangent of the step, from its record alone; err as there, for the directions, and only just after `step`. */
    int (*tangent)(costate_solver *s, const step *st, dblock *d, double *err);
    int (*running_tangent)(costate_solver *s, const step *st, dblock *d);
    /* Transposed step: b->lambda from tn back to t; mu and points are added to. */
    int (*adjoint)(costate_solver *s, const step *st, ablock *b);
    /* Its derivative along the directions ydot with stages dstages, first order included. */
    int (*second)(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);
    /* Which product the problem lacks for it; NULL, or returning NULL: none. */
    const char *(*second_lacks)(const costate_solver *s);
};

extern const family cst__erk, cst__ros, cst__sdirk, cst__firk;

#endif
