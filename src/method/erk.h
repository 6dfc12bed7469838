/* erk.h - explicit Runge-Kutta methods: what erk*.c share. Everything is derived from the table once.
 *
 * A stage is live if the new state depends on it (b_i != 0, or a live stage uses it). Only live stages are kept as stage
 * data, repeated in replays and visited by adjoints; the others (the last one of first-same-as-last methods, or one that
 * serves the estimate only) are dead. */
#ifndef COSTATE_METHOD_ERK_H
#define COSTATE_METHOD_ERK_H

#include "method/method.h"
#include "method/rows.h"
#include "method/witness.h"
#include "tableau/tableau.h"

enum { ERK_MOST = TABLEAU_STAGES };

typedef struct erk {
    int s;    /* stages */
    int all;  /* those, f at the new state, and the stages of the extension */
    int fsal; /* the last stage is the new state */
    int live_count;
    int first; /* the first live stage */
    int live[ERK_MOST], slot[ERK_MOST]; /* slot: place of a live stage's Y in the stage data; -1: Y is y itself */
    double c[ERK_MOST];
    row a[ERK_MOST];  /* rows of A */
    row at[ERK_MOST]; /* rows of A^T, live stages only */
    row b, e;
    row watch;                     /* weights of the witness */
    row difference[2];          /* weights that leave the fastest modes: with fixed steps, with an estimate; erk_stiff.c */
    double growth[ERK_MOST + 1]; /* of R(z), by powers of z */
    double safe;                 /* fast_mode.safe */
    row d[TABLEAU_ROWS];           /* rows of the continuous extension */
    int dense_ready;            /* its stages belong to the step at hand */
    double *memory;
    double *k[ERK_MOST];        /* f at the stages, then at (tn, ynew), then at those of the extension; k[0] is solver.f */
    double *y[ERK_MOST];        /* Y of dead and of dense stages */
} erk;

static inline double erk_time(const erk *m, const step *st, int i)
{
    return step_time(st, m->c[i]);
}

/* Y of a stage: y itself, the new state, in the stage data (state: doubles of each there), or in scratch */
static inline const double *erk_stage(const erk *m, const step *st, int i, size_t state)
{
    if (m->live[i]) return m->slot[i] < 0 ? st->y : st->stages + (size_t)m->slot[i] * state;
    return m->fsal && i == m->s - 1 ? st->ynew : m->y[i];
}

/* Vectors of n doubles at `at` (NULL: they are only counted) for what has no other place: f at y, ynew and the last stage of
 * first-same-as-last methods is the solver's, Y of live stages is stage data. Returns how many doubles that is. */
size_t cst__erk_place(const erk *m, size_t n, double *at, double **k, double **y);

int cst__erk_tangent(costate_solver *s, const step *st, dblock *d, double *err);
int cst__erk_running_tangent(costate_solver *s, const step *st, dblock *d);
void cst__erk_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q);
int cst__erk_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first);
void cst__erk_stiff_open(erk *m, const costate_table *tb);
double cst__erk_growth(const costate_solver *s, double size, double cosine);
int cst__erk_mode(costate_solver *s, const step *st, fast_mode *found);
int cst__erk_dead_stages(costate_solver *s, const step *st, int all);
int cst__erk_adjoint(costate_solver *s, const step *st, ablock *b);
/* w_i = sum of c v; returns what u_i is to be added to: u_i, zeroed, or for the first stage lambda, to which all the others
 * have been added then. */
double *cst__erk_weigh(const erk *m, int i, size_t nw, int terms, const double *c, const double *const *v, double *w,
                       double *const *u, double *lambda);
int cst__erk_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);

#endif
