/* modes.h - what tests of observed orders share: one run of a problem in all four modes, and slopes. */
#ifndef COSTATE_TESTS_MODES_H
#define COSTATE_TESTS_MODES_H

#include "known.h"

enum { STATE, TANGENT, GRADIENT, HESSIAN, MODES };

typedef struct modes { /* state and objectives, their directions, gradient, Hessian product */
    int count[MODES];
    double value[MODES][STATES + PARAMS];
    int64_t steps;
} modes;

static inline void run_modes(const problem *q, const costate_options *o, modes *m)
{
    int n = q->prob.n, np = q->prob.np, g = goals(&q->prob);
    double ydot[STATES], pdot[PARAMS], weights[GOALS];
    uint64_t seed = 2024;
    fill(ydot, STATES, &seed);
    fill(pdot, PARAMS, &seed);
    for (int j = 0; j < g; j++) weights[j] = 1 - 0.3 * j;
    costate_solver *s = solver(&q->prob, o);
    costate_stats stats;
    *m = (modes){.count = {n + g, n + g, n + np, n + np}};
    start(q, m->value[STATE]);
    memcpy(m->value[TANGENT], ydot, (size_t)n * sizeof *ydot);
    GOOD(s, costate_tangent(s, q->t0, q->t1, q->p, m->value[STATE], 1, m->value[TANGENT], pdot));
    GOOD(s, costate_objectives(s, m->value[STATE] + n));
    GOOD(s, costate_objectives_dot(s, m->value[TANGENT] + n));
    GOOD(s, costate_gradient(s, 1, weights, m->value[GRADIENT], m->value[GRADIENT] + n));
    GOOD(s, costate_hessian(s, 1, weights, ydot, pdot, m->value[HESSIAN], m->value[HESSIAN] + n));
    GOOD(s, costate_get_stats(s, &stats));
    m->steps = stats.steps;
    costate_free(s);
}

/* Error of one mode, relative, in the Euclidean norm. */
static inline double mode_error(const modes *a, const modes *b, int mode)
{
    double e = 0, size = 0;
    for (int i = 0; i < a->count[mode]; i++) {
        double d = a->value[mode][i] - b->value[mode][i];
        e += d * d;
        size += b->value[mode][i] * b->value[mode][i];
    }
    return sqrt(e / size);
}

/* Slope of the line through (log x, log y) with the least squares. */
static inline double slope(int count, const double *x, const double *y)
{
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (int i = 0; i < count; i++) mx += log(x[i]) / count, my += log(y[i]) / count;
    for (int i = 0; i < count; i++) {
        double d = log(x[i]) - mx;
        xy += d * (log(y[i]) - my);
        xx += d * d;
    }
    return xy / xx;
}

#endif
