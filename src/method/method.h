/* method.h - a family of methods is a table of operations over a table of coefficients. The driver and the sweeps see only
 * this.
 *
 * The state of a step, solver.state doubles, is
 *
 *     [ y | history | carried ]       live = n + history_doubles,   state = live + carry_doubles
 *
 *     live     y and the history: what the rest of the run is a differentiable function of. Tangents and adjoints have a row for
 *              every live number: ydot, ydotnew, lambda and lambda_dot are live x w. A multistep method has its past values or
 *              slopes here; one-step methods have y alone.
 *     frozen   what a family carries besides: numbers that decide how a step is computed, not what it is, such as the values
 *              Newton's iteration starts from or the size of the step before. Like the step sizes themselves they are data of the
 *              recorded run, so they have no rows: the derivatives are those of the scheme with all its decisions held fixed.
 *
 * A caller's arrays have n rows, and since y comes first those are the head of every block: objectives, observations and
 * output see y only. The history at t0 follows from y0 by `history`, with its tangent and its transpose; at t1 nobody sees
 * it, so its seeds are zero there. `running` and `dense` get the whole state: a quadrature or an interpolation may use the
 * history, or have rows of its own in it.
 *
 * The trajectory keeps whole states, so that any of them can be started from. Where a history consists of the y of the steps
 * before, most of such a state would be kept with its neighbours too: of a family that `shares` the trajectory keeps one state
 * for several steps, and the stage data of all (core/record.c). */
#ifndef COSTATE_METHOD_H
#define COSTATE_METHOD_H

#include "method/control.h"
#include "solver/solver.h"

/* One step from y to ynew, both whole states, of size h. The right-hand side sees it go from t to tn, which is t + h up to
 * round-off: `from` and `to`, or, where these are stops, their neighbours within the step. So the step before a stop sees
 * nothing of a jump that the right-hand side makes there, and the step after it nothing of what was before. */
typedef struct step {
    int64_t n;
    double t, h, tn;
    double from, to; /* the times themselves */
    double lag;      /* of a first attempt: by which the sum of all sizes is ahead of `from`, which is rounded */
    int held;        /* stages at c > 1 are evaluated at tn: a stop that could not be reached otherwise */
    const double *y; /* its start; of a fetched step that is not the first of its block the n values of y alone */
    /* Of a fetched step: how many steps of its block come before it, the whole state where that began, and how far their stage
     * data are apart. 0: y is whole. */
    int into;
    const double *base;
    size_t stride;
    double *stages; /* stage data, as many doubles as family.stage_doubles says; written by `step`, read by everything else */
    double *ynew;
    int note; /* of an accepted or repeated step, what was noted in solver.note; -1: a first attempt, which is to note it */
    const struct happened *begins, *ends; /* events at its ends: core/events.h; NULL: none */
} step;

/* The time of a stage at node c: at c = 1 tn itself, so that first-same-as-last is exact, and before it not beyond. */
static inline double step_time(const step *st, double c)
{
    double t = st->t + c * st->h;
    return c == 1 || ((c < 1 || st->held) && (t - st->tn) * st->h > 0) ? st->tn : t;
}

/* Its size is given: no smaller one will be tried. */
static inline int step_is_given(const costate_solver *s, const step *st)
{
    return st->note >= 0 || s->opt.step > 0 || s->log.fresh;
}

enum { LANES_MOST = 64 }; /* of option lanes */

/* A block of directions along a step. */
typedef struct dblock {
    int w;
    double *ydot, *ydotnew; /* live x w */
    int into;               /* of a fetched step: ydot is where its block began, so many steps ago, whose stages are */
    size_t stride;          /* so far apart */
    const double *pdot;     /* np x w: own_pdot, or the caller's; NULL: zero */
    double *own_pdot;
    double *fdot, *fdotnew; /* n x w, like solver.f, fnew */
    int fdot_valid, fdotnew_valid;
    double *stages;      /* of the tangent: family.stage_doubles * w doubles */
    double *qdot, *qrow; /* nobj x w: directions of the objectives; one term of theirs */
    double *kdot;        /* family.tangent_doubles * w doubles of work */
    double *dense;       /* n x w: a row of dense output */
    const double *unit;  /* w: what a lane's errors count for; NULL: all alike */
    double tdot[LANES_MOST], taudot[LANES_MOST]; /* of the time of the last event, and of that at the end of this step */
    int moved;           /* this step: slopes are not those of others */
} dblock;

/* A block of adjoints: lambda is live x w, mu np x w or NULL, omega nobj x w: the weights of the objectives' running parts, or
 * NULL. */
typedef struct ablock {
    int w;
    double *lambda, *mu, *omega;
    double *lambda_dot, *mu_dot; /* second order: their derivatives along the directions; else NULL */
    const double *pdot;          /* second order: np x w or NULL */
    double *flow;                /* what sens/drift.h saw when it last looked; NULL: nobody watches */
    double *work;                /* family.adjoint_doubles (second_doubles) * w doubles, shared by the blocks */
    /* Points whose parameter part is still to be added to mu, in one vjp_points call for several steps; seeds are n x w. */
    int points, capacity; /* capacity 0: vjp adds to mu at every stage */
    double *pt;           /* their times */
    const double **py;    /* their states: the trajectory's own memory if that stays, else copies in py_copy */
    const double **pu;    /* their seeds, in pu_store */
    double *py_copy, *pu_store;
    double nu[LANES_MOST], nu_dot[LANES_MOST]; /* what is owed to the time of the event that was met last, on the way back */
} ablock;

/* The fastest mode that a step shows: y' = lambda y with h lambda = size e^(i phi), and by how much the step made it grow. */
typedef struct fast_mode {
    double size, cosine; /* |h lambda|; cos phi: -1 for a mode that decays, 0 for one that swings */
    double log_growth;   /* log |R(h lambda)| */
    double safe;         /* the largest x with |R(-x)| <= 1/2, and <= 1 before: as far as steps should go */
} fast_mode;

/* The integral of a function over a step from its values at points: of the state, or of a block of directions. */
enum { QUADRATURE_MOST = 24 };
typedef struct quadrature {
    int count;
    int shared; /* point i is the end of the step i steps ago, 0 being this one's: neighbouring steps have points in common */
    double t[QUADRATURE_MOST], weight[QUADRATURE_MOST]; /* the size of the step is in the weights */
    double estimate[QUADRATURE_MOST];                   /* weights of its error */
    const double *y[QUADRATURE_MOST];                   /* n, or n x w, there */
} quadrature;

static inline void quadrature_add(quadrature *q, double t, double weight, double estimate, const double *y)
{
    q->t[q->count] = t;
    q->weight[q->count] = weight;
    q->estimate[q->count] = estimate;
    q->y[q->count++] = y;
}

/* Reasons of a family's own for a smaller step: Newton's iteration does not converge; the linear solver failed, as s->im knows; f
 * at a stage is not finite, which a family turns into an error of NaN before it returns. */
enum { STEP_NEWTON = 1001, STEP_MATRIX, STEP_NOT_FINITE };

struct family {
    costate_family id;
    int heavy;                      /* a step's matrices are worth sharing: all blocks of a sweep go back together */
    int shares;                     /* steps share a recorded state; then stage data begin with y at the end of the step */
    int (*open)(costate_solver *s); /* makes s->method from s->table */
    void (*close)(costate_solver *s);
    size_t (*history_doubles)(const costate_solver *s); /* live, behind y; NULL: none */
    /* Frozen, behind the live ones; zero at t0. Or zeros alone, which make a state whole vectors. NULL: none. */
    size_t (*carry_doubles)(const costate_solver *s);
    size_t (*stage_doubles)(const costate_solver *s);   /* of stage data per step */
    size_t (*tangent_doubles)(const costate_solver *s); /* of work per lane of a tangent step */
    size_t (*adjoint_doubles)(const costate_solver *s); /* of work per lane of an adjoint step, */
    size_t (*single_doubles)(const costate_solver *s);  /* of one of a single lane, and */
    size_t (*second_doubles)(const costate_solver *s);  /* of one of second order; either NULL: as many */
    int (*points)(const costate_solver *s);             /* most points a step adds to ablock */

    /* Of a history that is past values: row j = 1, 2, ... of the state at the start of a recorded step; NULL: there is none. */
    const double *(*past)(const costate_solver *s, const step *st, int j);
    /* The history at t0, H(y, p): y has its n values, what follows is zero. NULL: the history is zero at t0. */
    int (*history)(costate_solver *s, double *y);
    /* Directions of the history at the state y, from those of y and p: rows n .. live-1 of d->ydot. Or NULL. */
    int (*history_tangent)(costate_solver *s, const double *y, dblock *d);
    /* Its transpose: rows 0 .. n-1 of lambda += H_y^T (rows n .. live-1), mu += H_p^T (the same). With b->lambda_dot its
     * derivative along ydot (live x w) and b->pdot, first order included. Or NULL. */
    int (*history_adjoint)(costate_solver *s, const double *y, const double *ydot, ablock *b);

    void (*start)(costate_solver *s,
                  int fresh); /* a run begins: a fresh one, or a recorded one is repeated; NULL: nothing to do */
    /* The step; ynew NULL: only the stages are wanted. *err becomes the error's norm, NaN if something is not finite. err NULL: a
     * fixed or repeated step, no estimate. Returns what the right-hand side does, or STEP_... */
    int (*step)(costate_solver *s, const step *st, double *err);
    /* After an attempt that the estimate lets pass, what it may not have seen (witness.h), in tolerances; taken through the
     * matrix of the step, where there is one, if it is larger than `most` otherwise. w[0] is the whole, w[1], w[2], ... are its
     * parts, as of cst__error_parts. Only where solver.witness is not 0. */
    int (*witness)(costate_solver *s, const step *st, double most, double *w);
    /* The size of the next attempt after this one, and with it whatever else the family chooses: an order, a matrix to keep.
     * It sees the error and the controller, and the estimates that `step` left in the family's memory; c->k is the order of
     * the next estimate plus one. What was chosen takes effect in the next first attempt, which notes it in solver.note (0
     * .. 127), so that it is not chosen again when the step is repeated. Not called with fixed steps. NULL:
     * cst__control_size. */
    double (*settle)(costate_solver *s, const step *st, const outcome *o, control *c);
    /* The note with which half of a step with this note is taken for the first time: it keeps what makes the scheme, such as an
     * order, and leaves open what does not. NULL: all is left open, which is -1. */
    int (*halved)(int note);
    /* After a step gave something that is not finite: the first stage and component at fault; 0 if there is one. */
    int (*culprit)(costate_solver *s, const step *st, int *stage, int *component);
    /* Just after an accepted step: its fastest mode; 0: none is seen. NULL: the method damps whatever is fast. */
    int (*mode)(costate_solver *s, const step *st, fast_mode *found);
    double (*growth)(const costate_solver *s, double size, double cosine); /* with it: log |R(z)|, |z| = size, at this angle */
    /* The running part of the objectives over the step is added to psi (nobj). */
    int (*running)(costate_solver *s, const step *st, double *psi);
    /* y at t + theta h; or, given a block d, its directions into ydot (n x w), `first` for the first theta of this step and
     * block. */
    int (*dense)(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first);
    int (*dense_degree)(const costate_solver *s); /* of that polynomial in theta; NULL: it is none */
    int dense_recorded;                           /* it needs the record of the step alone; else what `step` left too */
    /* Just after the step, and its tangent: of d, or NULL: of the state. NULL: not to be had. */
    void (*quadrature)(costate_solver *s, const step *st, dblock *d, quadrature *q);
    /* Its transpose: of from (n x w), owed to y at t + theta h, into what is owed to the state at the end of the step (live x w).
     * With it observations are interpolated; NULL: steps end at them. */
    void (*dense_adjoint)(costate_solver *s, const step *st, double theta, int w, const double *from, double *lambda);

    /* Tangent of the step, from its record alone; err as there, for the directions, and only just after `step`. */
    int (*tangent)(costate_solver *s, const step *st, dblock *d, double *err);
    int (*running_tangent)(costate_solver *s, const step *st, dblock *d);
    /* Transposed step: b->lambda from tn back to t; mu and points are added to. */
    int (*adjoint)(costate_solver *s, const step *st, ablock *b);
    /* Its derivative along the directions ydot (live x w) with stages dstages, first order included. */
    int (*second)(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);
    /* Which product the problem lacks for it; NULL, or returning NULL: none. */
    const char *(*second_lacks)(const costate_solver *s);
};

extern const family cst__erk, cst__ros, cst__sdirk, cst__firk, cst__bdf;
const family *cst__family(costate_family id); /* of these */

#endif
