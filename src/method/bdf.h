/* bdf.h - backward differentiation formulas of variable step and order, fixed leading coefficient: what bdf*.c share.
 *
 * With x_j = t_(n-1-j) - t_n the past points as seen from t_n, j = 0..k, and l_j, l'_j the values at 0 of Lagrange's polynomials
 * on them and of their derivatives, the step of order k to t_n is, docs/theory.md (68), (69),
 *
 *     M (c y_n + sum_j b_j y_(n-1-j)) = f(t_n, y_n, p),   c = (1 + 1/2 + .. + 1/k)/h,   b_j = l'_j - c l_j
 *     q_n = (r(t_n, y_n, p) - sum_j b_j q_(n-1-j))/c
 *
 * The live state is [ y_(n-1) .. y_(n-6) | q_(n-1) .. q_(n-6) ], q there if there are running objectives; all of it is
 * differentiated. What is carried besides: the ages t_(n-1) - t_(n-1-j) (0: there is no such value yet), and what Newton's matrix
 * belongs to. The order of a step and whether it kept that matrix are its note.
 *
 * The stage data are y_n and, copied from what was carried, the numbers that the formula and the matrix follow from. So nothing
 * but a repeated step needs a whole state: the trajectory keeps one for many steps (core/record.c), and what is behind one of
 * them is looked up with the steps before it. */
#ifndef COSTATE_METHOD_BDF_H
#define COSTATE_METHOD_BDF_H

#include "base/kernels.h"
#include "method/iterate.h"

enum { BDF_MOST = 5, BDF_PAST = BDF_MOST + 1 }; /* order; past values kept */

/* Behind the live ones: ages of y_(n-2) .. y_(n-6); then of the matrix: shift (0: there is none), t, how many steps ago it was
 * made, which all are copied to the stage data, convergence, and its y. */
enum { CARRY_AGES, CARRY_SHIFT = BDF_MOST, CARRY_T, CARRY_MADE, CARRY_COPIED, CARRY_THETA = CARRY_COPIED, CARRY_Y };

/* Factors that are kept: of the last matrices of steps, for the way back, if they are small; and, behind them, one of a sweep's
 * own. */
enum { RING = 8, SLOTS = RING + 1 };

typedef struct bdf_formula {
    int k;
    double h, c;
    double b[BDF_PAST], l[BDF_PAST]; /* of the past values, 0 beyond k */
    double x[BDF_PAST];              /* where they are, t_n being 0 */
    double weight;                   /* of y_n - sum l_j y_(n-1-j) in the error, bdf_order.c */
} bdf_formula;

/* |y_n - P_q(t_n)| and what its parts contribute to it, in tolerances, with the places of the past that P_q goes through. */
typedef struct bdf_sight {
    int q; /* 0: there is none */
    double x[BDF_PAST], w[1 + KERNEL_PARTS];
} bdf_sight;

typedef struct bdf_witness { /* bdf_witness.c */
    bdf_sight seen, usual, doubt; /* of the attempt; largest of steps before; of the last attempt that was refused, */
    double h, until; /* its size and its end */
    int count;       /* attempts at this step that it spoke against */
    int over;        /* it goes over a jump, and may */
    int order;       /* for the next attempt, */
    double ask;      /* and its size over that of this one; 0: it has nothing to say */
} bdf_witness;

typedef struct bdf {
    int most; /* order */
    implicit im; /* its key is 0 while it holds a Jacobian */
    held_matrix held[SLOTS];
    int slots, at; /* how many there are; that of the last step */
    double *memory, *r;             /* n: residual, correction */
    double *predicted, *slope, *off; /* n: y and y' at the end by the past alone; and by what y is off that */
    int bad_component;          /* where f was not finite; -1: nowhere */

    /* Of a first attempt, for `settle`: the order, and what to make of it. */
    int k, rising, raised; /* order of the next attempt; start-up phase; the order was raised just before */
    int same;              /* steps of this size and order, the last one included */
    double size;           /* of the last accepted step */
    int last;              /* its order */
    int jumps;             /* steps, this one included, in which algebraic states do not count, for they have jumped, or have no
                              slope yet, as in the first; */
    double away;           /* and by how much an attempt at this step was off; 0: none has failed */
    int lower;             /* the order that the estimates of the last attempt ask for, at most its own */
    double ahead;                               /* of directions that steer, |ydot_n - P_(k+1)(t_n)| */
    double e[BDF_PAST + 1], term[BDF_PAST + 1]; /* E(q), T(q) of that attempt; term < 0: not known */
    bdf_witness witness;
} bdf;

static inline size_t bdf_goals(const costate_solver *s)
{
    return s->d.running.fn.eval ? (size_t)s->nobj : 0;
}

/* Row j of the past: y_(n-1-j) of a live block of w lanes, and q_(n-1-j). */
static inline double *bdf_past(const costate_solver *s, const double *live, int j, int w)
{
    return (double *)(uintptr_t)(live + (size_t)j * (size_t)s->prob.n * (size_t)w);
}

/* y_(n-1-j) of step st, or its directions d. */
static inline const double *bdf_before(const costate_solver *s, const step *st, const dblock *d, int j)
{
    const int into = d ? d->into : st->into;
    if (j >= into) return bdf_past(s, d ? d->ydot : st->into ? st->base : st->y, j - into, d ? d->w : 1);
    return d ? d->stages - (size_t)(j + 1) * d->stride : st->stages - (size_t)(j + 1) * st->stride;
}

static inline const double *bdf_copied(const costate_solver *s, const step *st)
{
    return st->stages + s->prob.n;
}

static inline double *bdf_goal(const costate_solver *s, const double *live, int j, int w)
{
    return (double *)(uintptr_t)(live + (BDF_PAST * (size_t)s->prob.n + (size_t)j * bdf_goals(s)) * (size_t)w);
}

/* bdf.c: the formula of a step of order k, or of its note's; 1: it is the first step. */
int cst__bdf_formula(const costate_solver *s, const step *st, int k, bdf_formula *f);
int cst__bdf_order(const step *st); /* by the note */

/* out = sum over j of c[j] times row j of the past */
void cst__bdf_combine(const costate_solver *s, const bdf_formula *f, const double *c, const double *live, int w, double *out);

/* (c M - f_y(t_n, y_n)) x = b, or transposed, on a block, as tangent_solve or adjoint_solve want it; guess: near x,
 * or NULL. work: ITERATE_WORK n w. */
int cst__bdf_linear(costate_solver *s, const step *st, const bdf_formula *f, int transposed, int w, const double *guess,
                    double *x, double *work);

/* Rows 1 .. of the next live block are rows 0 .. of this one. */
void cst__bdf_shift(const costate_solver *s, const double *from, int w, double *to);

int cst__bdf_tangent(costate_solver *s, const step *st, dblock *d, double *err);
int cst__bdf_running_tangent(costate_solver *s, const step *st, dblock *d);
int cst__bdf_adjoint(costate_solver *s, const step *st, ablock *b);
int cst__bdf_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);
void cst__bdf_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q);
int cst__bdf_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first);
void cst__bdf_dense_adjoint(costate_solver *s, const step *st, double theta, int w, const double *from, double *lambda);

/* bdf_order.c: order and size of the next attempt. */
double cst__bdf_settle(costate_solver *s, const step *st, const outcome *o, control *c);
void cst__bdf_settle_start(bdf *m, int algebraic);
/* The same for directions that steer: estimates are those of the largest. */
void cst__bdf_estimate_tangent(costate_solver *s, const step *st, const bdf_formula *f, dblock *d, double *err);
/* bdf_witness.c: of an attempt with y_n at `y` and the error *err, which it may raise above 1; and when that is over. */
int cst__bdf_witness(costate_solver *s, const step *st, const bdf_formula *f, const double *y, double *err);
void cst__bdf_refused(costate_solver *s, const step *st);
int cst__bdf_accepted(costate_solver *s, const step *st);
/* The estimates of an attempt with formula f, y_n at `y`; first: the predictor was y + h slope. *err: in tolerances. */
int cst__bdf_estimate(costate_solver *s, const step *st, const bdf_formula *f, int first, const double *y, double *err);

#endif
