/* known.h - what the proof tests of the modes share: calls that must not fail, random numbers, sums with the size of their terms,
 * and a solver for one of the problems of reference/. */
#ifndef COSTATE_TESTS_KNOWN_H
#define COSTATE_TESTS_KNOWN_H

#include <costate/costate.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problems.h"

enum { STATES = 40, PARAMS = 110, LANES = 16, GOALS = 10 }; /* the most that the problems and the tests need */

/* The call on solver s must succeed; its message is shown if it does not. */
#define GOOD(s, call)                                                                                                            \
    do {                                                                                                                         \
        int status_ = (call);                                                                                                    \
        if (status_) fail_msg("%s: %d, %s", #call, status_, costate_message(s));                                                 \
    } while (0)

/* ---- numbers --------------------------------------------------------------------------------------------------------------- */

static inline double uniform(uint64_t *state) /* in (-1, 1) */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static inline void fill(double *x, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++) x[i] = uniform(state);
}

static inline double larger(double a, double b) /* a NaN wins */
{
    return b > a || isnan(b) ? b : a;
}

/* A sum, and the sum of the absolute values of its terms: what a defect is relative to when terms may cancel. */
typedef struct sum {
    double value, size;
} sum;

/* s += <lane i of a, lane j of b>, n rows of w lanes each */
static inline void add_dot(sum *s, int n, int w, const double *a, int i, const double *b, int j)
{
    for (int k = 0; k < n; k++) {
        double term = a[k * w + i] * b[k * w + j];
        s->value += term;
        s->size += fabs(term);
    }
}

/* |a - b| relative to all terms of both */
static inline double defect(sum a, sum b)
{
    return a.value == b.value ? 0 : fabs(a.value - b.value) / (a.size + b.size);
}

/* max |a - b| relative to max |b| */
static inline double distance(int count, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (int i = 0; i < count; i++) {
        most = larger(most, fabs(a[i] - b[i]));
        size = larger(size, fabs(b[i]));
    }
    return most == 0 ? 0 : most / size;
}

/* ---- problems -------------------------------------------------------------------------------------------------------------- */

static inline int goals(const costate_problem *q) /* objectives, or the final states */
{
    return q->objectives ? q->objectives : q->n;
}

enum { JVP = 1, VJP = 2, VJP_DOT = 4, JVP2 = 8, JAC = 16, ALL = 31 };

/* The problem with only some of its products; functions have the same ones as the right-hand side. */
static inline costate_problem given(costate_problem q, unsigned products)
{
    costate_function *parts[] = {&q.init, &q.terminal, &q.running, &q.observe};
    if (!(products & JVP)) q.jvp = NULL;
    if (!(products & VJP)) q.vjp = NULL, q.vjp_points = NULL;
    if (!(products & VJP_DOT)) q.vjp_dot = NULL;
    if (!(products & JVP2)) q.jvp2 = NULL;
    if (!(products & JAC)) q.jac = NULL;
    for (int i = 0; i < 4; i++) {
        if (!(products & JVP)) parts[i]->jvp = NULL;
        if (!(products & VJP)) parts[i]->vjp = NULL;
        if (!(products & VJP_DOT)) parts[i]->vjp_dot = NULL;
    }
    return q;
}

static inline costate_solver *solver(const costate_problem *q, const costate_options *o)
{
    costate_solver *s = NULL;
    assert_true(q->n <= STATES && q->np <= PARAMS && goals(q) <= GOALS);
    int status = costate_create(&s, q, o);
    if (status) fail_msg("costate_create: %d, %s", status, costate_message(s));
    return s;
}

/* The initial state; problems with init ignore it. */
static inline void start(const problem *q, double *y)
{
    for (int i = 0; i < q->prob.n; i++) y[i] = q->y0 ? q->y0[i] : 0;
}

#endif
