/* sdirk.h - singly diagonally implicit Runge-Kutta methods: what sdirk*.c share. A has one number, gamma, on its diagonal and
 * nothing above it, so that every stage is a system of n equations with a matrix near shift I - f_y, shift = 1/(h gamma).
 *
 * What a step takes from the one before follows the n numbers of a state: point and shift of the factors, how fast Newton's
 * method converged with them, and the slope at the end. Whether a step keeps these factors is decided from them and h, or, for
 * a step that is repeated, from what was noted. So a step that is computed again computes the same. The factors in the slots
 * are a cache: each knows which matrix it is of. */
#ifndef COSTATE_METHOD_SDIRK_H
#define COSTATE_METHOD_SDIRK_H

#include "method/extend.h"
#include "method/iterate.h"
#include "method/rows.h"
#include "method/witness.h"

enum { SDIRK_MOST = ROW_MOST };                                /* stages */

/* What follows y: shift (0: there was no step before) and t of the factors, Newton's theta and rate; then two vectors, y of the
 * factors and the slope. */
enum { CARRY_SHIFT, CARRY_T, CARRY_THETA, CARRY_RATE, CARRY_VECTORS };

enum { NOTE_KEPT = 1, NOTE_RENEWED = 2 }; /* the factors of the step; 0: not noted */

/* Slots: factors of the step; of an iterated adjoint sweep, or of stage i in SLOT_STAGE + i. */
enum { SLOT_STEP, SLOT_STAGE };

typedef struct sdirk {
    int s;
    double gamma;
    double c[SDIRK_MOST];
    row g[SDIRK_MOST];                          /* g_i = h sum_(j<i) a_ij f_j in terms of the z_j */
    row guess[SDIRK_MOST];                      /* starting value of z_i: weights of h slope (number 0) and z_1, z_2, ... */
    row watch;                                  /* of the witness: weights of h slope at the start (number 0) and z_1, z_2, ... */
    row last;                                   /* of the z_i: h times f at the end, for the witness of the next step */
    row d, e, slope;                            /* weights of the z_i: new state, estimate, h times the slope at the end */
    row at[SDIRK_MOST];                         /* rows of A^T, without the diagonal */
    extend_weights dense;                       /* of the z_i */
    int filter;                                 /* the estimate goes through the factors */
    implicit im;                                /* its key is 0 while it holds a Jacobian */
    held_matrix held[SLOT_STAGE + SDIRK_MOST]; /* what each slot holds; shift 0: nothing */
    int bad_stage, bad_component; /* where f was not finite; -1: nowhere */
    double *memory;
    double *z[SDIRK_MOST + 1]; /* the slope, then z_1, z_2, ... of the step taken last */
    double *gi, *r;            /* n: g_i; residual, correction, estimate */
    double *end[2];            /* n: f at the end of the steps `ended`, as far as witnesses were called */
    int64_t ended[2];
    double *first;             /* n: the slope at the start, from f and M */
} sdirk;

static inline double sdirk_time(const sdirk *m, const step *st, int i)
{
    return step_time(st, m->c[i]);
}

static inline double sdirk_shift(const sdirk *m, const step *st)
{
    return 1 / (st->h * m->gamma);
}

static inline double *sdirk_stage(const costate_solver *s, const double *stages, int i, int w) /* Y_i, or its directions */
{
    return (double *)(uintptr_t)(stages + (size_t)i * (size_t)s->prob.n * (size_t)w);
}

/* A correction by factors of another shift: right for what f_y leaves alone would be a.shift/shift, for what it rules, 1. */
static inline double sdirk_damp(double shift, const held_matrix *a)
{
    return 2 / (1 + shift / a->shift);
}

int cst__sdirk_weights(sdirk *m, const costate_table *tb); /* all that follows from the table; the order of the witness */

/* The matrix that the step iterates with; it becomes that of a slot, unless it is. */
held_matrix cst__sdirk_choose(const costate_solver *s, const step *st);
int cst__sdirk_factor(costate_solver *s, int slot, const held_matrix *a);

/* (shift I - f_y(T_i, Y_i)) x = b, or transposed, on a block, as tangent_solve or adjoint_solve want it. x: b in, x out;
 * work: ITERATE_WORK n w. */
int cst__sdirk_linear(costate_solver *s, const step *st, int i, int transposed, int w, double *x, double *work);

/* The right-hand side of w_i: shift (b_i lambda + sum_(j>i) a_ji u_j) + ry/h; ry NULL: zero. Or of wdot_i, likewise. */
void cst__sdirk_gather(const costate_solver *s, const step *st, int i, int lanes, const double *lambda, double *const *u,
                       const double *ry, double *w);

int cst__sdirk_tangent(costate_solver *s, const step *st, dblock *d, double *err);
int cst__sdirk_running_tangent(costate_solver *s, const step *st, dblock *d);
void cst__sdirk_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q);
int cst__sdirk_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first);
int cst__sdirk_adjoint(costate_solver *s, const step *st, ablock *b);
int cst__sdirk_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);

#endif
