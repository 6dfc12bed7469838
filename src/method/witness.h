/* witness.h - a second measure of a step, for what its estimate does not see.
 *
 * Let the right-hand side jump by J at t + theta h. The slopes at nodes c_i > theta see it, so that y+ is wrong by
 *
 *     h J err(theta),   err(theta) = (1 - theta) - sum over c_i > theta of b_i,
 *
 * and the estimate is h J sum over c_i > theta of e_i, constant between nodes. Where a method takes no notice of a part of the
 * step the latter is zero, and estimates whose weights are small see next to nothing: those of rk32 and ros3 miss the end of the
 * step, those of sdirk methods and of gauss its beginning; dopri5's is down to err/170.
 *
 * A witness is h sum d_i f_i over slopes that are there anyway, those at the ends of the step among them, with
 *
 *     sum d_i c_i^k = 0, k < 2 or 3 (and sum d_i (A c)_i = 0 if stages are of first order): O(h^3) or O(h^4) for smooth f,
 *     |sum over c_i > theta of d_i| >= |err(theta)| wherever the estimate is below a part of that: the error of a jump, or more.
 *
 * Of all that use as few slopes as that takes it is the one with the smallest leading term. Smooth solutions may make it larger
 * than the tolerance at steps that are accurate enough, so it is judged by what it was in the steps before (core/attempt.c).
 * docs/theory.md (20a) */
#ifndef COSTATE_METHOD_WITNESS_H
#define COSTATE_METHOD_WITNESS_H

#include "tableau/tableau.h"

enum { WITNESS_MOST = TABLEAU_STAGES + 2 };

/* The slopes of a step: stages, and f at its ends where that is none of them. */
typedef struct witness_slopes {
    int s;
    double c[WITNESS_MOST], ac[WITNESS_MOST]; /* node, and row of A times c */
    double b[WITNESS_MOST], e[WITNESS_MOST];  /* weights in y+ and in the estimate */
    int idle[WITNESS_MOST];                   /* not evaluated in a step */
} witness_slopes;

/* Adds one. */
static inline void witness_add(witness_slopes *q, double c, double ac, double b, double e)
{
    q->c[q->s] = c, q->ac[q->s] = ac, q->b[q->s] = b, q->e[q->s] = e;
    q->idle[q->s++] = 0;
}

/* Weights d of a witness for a method whose estimate is O(h^k). Returns the order of the witness; 0: none is needed, or there is
 * none. */
int cst__witness(const witness_slopes *q, int k, double *d);

#endif
