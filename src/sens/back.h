/* back.h - the continuous adjoint: the adjoint equations themselves, integrated back along a recorded run. docs/theory.md (100)
 *
 *     M^T lambda' = -f_y^T lambda - r_y^T omega,        mu' = -f_p^T lambda - r_p^T omega
 *
 * at (t, P(t)), P being the run's own dense output (path.h). At t1 and at observations lambda and mu jump.
 *
 * It is a problem like any other, linear in lambda, with omega for parameters (back_problem.c); a solver of its own integrates it
 * from t1 to t0, interval by interval between jumps (back.c). The first lane is its state; the other lanes, for which the problem
 * is the same, are directions, which share factors and steps. In the second order there is one lambda, and directions are its
 * derivatives along those of the run: lambdadot is the tangent of lambda. What leads the steps is in back_lead.c: the norm, how
 * far they reach, the integral of mu and a probe of its error. */
#ifndef COSTATE_SENS_BACK_H
#define COSTATE_SENS_BACK_H

#include "core/guide.h"
#include "deriv/jacobian.h"
#include "sens/path.h"

/* A node of a multistep method's integral, its weight not complete yet. */
typedef struct back_node {
    double t, weight;
    double *lambda; /* of all lanes, block after block */
} back_node;

enum { BACK_NODES = 8 };

struct backward {
    costate_solver *s, *in;          /* the run's solver; that of the adjoint equations */
    const costate_table *table, *of; /* its method, for a run by this one */
    guide guide;
    path path;
    jacobian *jac;                /* f_y, to be transposed; NULL: made from products */
    int *colptr, *rowind, *place; /* the transposed pattern; where its values are in the other */
    double *values, *index;       /* of f_y; of the multipliers, where there are constraints of index 2 */

    /* a call */
    int second, lanes;          /* lanes beside the first */
    lane_cut cut;               /* of these, in blocks */
    int want_mu, objectives;    /* parts of the objectives count */
    int lead;                   /* the lane of the call that is the first here */
    const double *pdot;         /* second: np x lanes */
    double *memory;             /* of all that follows */
    double *y, *par;            /* n, nobj + 1: the first lane */
    double *ydot, *pars;        /* n x lanes, (nobj + 1) x lanes: the others */
    double *left;               /* n, n x lanes: lambda at the end of the last interval, */
    double stride;              /* whose steps were so long; 0: there is none */
    double resume;              /* the first size of an interval, where nothing jumps before it; 0: it is looked for */
    double *mu;                 /* np, then np x w block by block: integrals */
    double *probe;              /* np: +-|p| */
    double *sampled;            /* 2n */
    double *u, *v;              /* n x w: seeds */
    double *seed;               /* nobj x w */
    double *unit;               /* of the others: the size of the first lane over theirs */
    double *most;               /* 1 + lanes: the largest size of lambda so far */
    double *off;                /* 1 + lanes: by how much objectives are off, as far as the way back has come; */
    int want_off;               /* if that is wanted */
    double *lambda, *slope, *rate, *term; /* n; n; n; nobj: at a point */
    double *total, *part;       /* 1 + lanes: integral of |q'| of the probe, so far and over the step at hand */
    double doubt, doubt_at;     /* the error of an attempt that was refused for it, in tolerances, and where; 0: none */
    int deaf;                   /* for so many steps it counts less */
    back_node node[BACK_NODES]; /* the newest first */
    int nodes;
    const tangent *tg;      /* with the others of these */
    int rows_w, rows_first; /* rows of lambda: lanes of the call, and the first of those at hand */
    double *rows;           /* of an interval: times, lambda of the first lane and of the others */
    double rtol;
    int64_t steps, rejected;
};

/* back_problem.c: the inner solver for the run at hand, unless there is one. */
int cst__back_open(costate_solver *s);
/* back_lead.c */
int cst__back_scale(backward *b, double t); /* tolerances for what comes before the first step: consistent multipliers */
int cst__back_first(void *ctx, tangent *tg, double *h);
double cst__back_reach(void *ctx, double t);
int cst__back_judge(void *ctx, const step *st, tangent *tg, double *err);
int cst__back_accepted(void *ctx, const step *st, tangent *tg);
int cst__back_flush(backward *b, int keep); /* nodes of the integral but the newest so many: they are complete */

/* back.c. A call: memory and path; along the run and back; through init; what was integrated. owed: a block with all lanes, or,
 * second, those of the directions, lambda being the same in each. */
int cst__back_begin(costate_solver *s, int lanes, int second, int want_mu, tangent *tg);
int cst__back_run(backward *b, ablock *owed);
int cst__back_finish(backward *b, ablock *owed);
void cst__back_end(costate_solver *s); /* what a call needed is given back */
void cst__back_report(costate_solver *s, const costate_stats *of); /* steps and method, as a worker has them */
int cst__back_finite(costate_solver *s, const double *lambda, const double *mu, size_t w);
int cst__back_product_failed(costate_solver *s, int rc, const char *which, double t);
void cst__back_absorb(backward *b, ablock *owed);    /* M^T lambda += owed, and that is nothing then; */
void cst__back_surrender(backward *b, ablock *owed); /* owed += M^T lambda */

/* back_events.c: steps path.lo .. hi-1 have no event within: over what happens at their end; back to where they begin. */
int cst__back_to_event(backward *b, int64_t hi, ablock *owed);
int cst__back_from_event(backward *b, int64_t lo, ablock *owed);

/* back_rows.c: around an interval; at t0; after a failure. owed: M lambda there, and more. */
int cst__back_rows(backward *b, double from, double to);
int cst__back_rows_end(backward *b, double from, double to);
void cst__back_rows_start(backward *b, const ablock *owed);
void cst__back_rows_stopped(costate_solver *s, int w); /* those behind the end of a run that an event has ended */

/* back_defect.c: b->off, over an accepted step; and in the end, omega being nobj x w. */
int cst__back_defect(backward *b, const step *st, tangent *tg);
int cst__back_defect_end(backward *b, const double *omega, size_t w);

/* By how much w combinations of objectives (weights: nobj x w, none zero) differ from those of the solution, to first order. */
int cst__back_off(costate_solver *s, int w, const double *weights, double *off);

/* First order: as costate_adjoint, or with objectives as costate_gradient (lambda NULL: not wanted). */
int cst__back_gradient(costate_solver *s, int w, int objectives, const double *weights, double *lambda, double *mu);

/* back_second.c: as costate_hessian. */
int cst__back_hessian(costate_solver *s, int w, const double *weights, const double *ydot, const double *pdot, double *hy0,
                      double *hp);

#endif
