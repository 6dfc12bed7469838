/* accuracy.h - how far from the known answer a run ends, in tolerances of that run, and what part the problem has in it. With
 * d_i(t) = scale_i + |y_i(t)|, so that rtol d_i(t) is the tolerance of component i (problems.h), and root mean squares as norms,
 *
 *     error           | (y_i(t1) - known_i) / (rtol d_i(t1)) |
 *     amplification   max over t of | D(t1)^-1 dy(t1)/dy(t) D(t) |,  D = diag(d_i):  what becomes, by t1, of an error of one
 *                     tolerance that is made at t
 *
 * A code that keeps the error of every step below the tolerance can promise no more than a multiple of the amplification. */
#ifndef TESTS_ACCURACY_H
#define TESTS_ACCURACY_H

#include <costate/costate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generated.h"

enum { ACCURACY_FACTOR = 30, ACCURACY_STATES = 150, ACCURACY_TIMES = 32 };

static inline double accuracy_scale(const problem *q, int i)
{
    return q->scale ? q->scale[i] : 1;
}

static inline void accuracy_start(const problem *q, double *y)
{
    if (q->y0) memcpy(y, q->y0, (size_t)q->prob.n * sizeof *y);
    else q->prob.init.eval(0, q->t0, NULL, q->p, y, q->prob.data);
}

/* The components that are known, in order: their number, which they are and their values. buffer: n. */
static inline int accuracy_known(const problem *q, double *buffer, const int **which, const double **value)
{
    *which = q->state || q->exact ? NULL : q->sampled;
    *value = q->state ? q->state : q->exact ? buffer : q->sample;
    if (!q->state && q->exact) q->exact(q->t1, q->y0, q->p, buffer);
    return *which ? q->samples : q->state || q->exact ? q->prob.n : 0;
}

/* NaN if the run fails or nothing is known; *status then says why. */
static inline double accuracy_error(const problem *q, const char *method, double rtol, int64_t most, int *status)
{
    size_t n = (size_t)q->prob.n;
    double *atols = malloc(3 * n * sizeof *atols), *y = atols + n, sum = 0;
    const double *value;
    const int *which;
    int count = accuracy_known(q, y + n, &which, &value);
    costate_options o = costate_defaults(method);
    o.rtol = rtol, o.atols = atols, o.record = 0, o.max_steps = most;
    for (size_t i = 0; i < n; i++) atols[i] = rtol * accuracy_scale(q, (int)i);
    costate_solver *s = NULL;
    *status = costate_create(&s, &q->prob, &o);
    accuracy_start(q, y);
    if (!*status) *status = costate_solve(s, q->t0, q->t1, q->p, y);
    for (int k = 0; k < count; k++) {
        int i = which ? which[k] : k;
        double e = (y[i] - value[k]) / (rtol * (accuracy_scale(q, i) + fabs(value[k])));
        sum += e * e;
    }
    costate_free(s);
    free(atols);
    return *status || !count ? NAN : sqrt(sum / count);
}

/* The largest singular value of the n x n matrix b, by iteration. */
static inline double accuracy_norm(int n, const double *b)
{
    double x[ACCURACY_STATES], z[ACCURACY_STATES], size = 1;
    for (int i = 0; i < n; i++) x[i] = 1 + 0.1 * i;
    for (int pass = 0; pass < 60 && size > 0; pass++) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            z[i] = 0;
            for (int j = 0; j < n; j++) z[i] += b[i * n + j] * x[j];
        }
        for (int j = 0; j < n; j++) {
            x[j] = 0;
            for (int i = 0; i < n; i++) x[j] += b[i * n + j] * z[i];
            sum += x[j] * x[j];
        }
        size = sqrt(sum);
        for (int j = 0; j < n && size > 0; j++) x[j] /= size;
    }
    return sqrt(size);
}

/* Half of the times are spread evenly over the run, half crowd towards its start by factors. NaN if a run fails or the state is
 * long. */
static inline double accuracy_amplification(const problem *q)
{
    int n = q->prob.n;
    costate_problem plain = q->prob;
    plain.objectives = plain.observations = 0;
    plain.terminal = plain.running = plain.observe = plain.init = (costate_function){0};
    if (n > ACCURACY_STATES) return NAN;
    size_t rows = ACCURACY_TIMES, square = (size_t)n * (size_t)n;
    double *atols = malloc(((size_t)n * (rows + 2) + square) * sizeof *atols), *y = atols + n, *out = y + n;
    double *b = out + rows * (size_t)n;
    double t[ACCURACY_TIMES], most = 0;
    for (int k = 0; k < ACCURACY_TIMES; k++) {
        int half = ACCURACY_TIMES / 2;
        t[k] = q->t0 + (q->t1 - q->t0) * (k < half ? pow(10, k - half) / half : (k - half) / (double)half);
    }
    t[ACCURACY_TIMES / 2] = t[ACCURACY_TIMES / 2 - 1];
    costate_options o = costate_defaults("radau2a");
    o.rtol = 1e-6, o.atols = atols, o.record = 0;
    for (int i = 0; i < n; i++) atols[i] = o.rtol * accuracy_scale(q, i);
    costate_solver *s = NULL;
    int status = costate_create(&s, &plain, &o);
    accuracy_start(q, y);
    if (!status) status = costate_output(s, ACCURACY_TIMES, t, out, NULL);
    if (!status) status = costate_solve(s, q->t0, q->t1, q->p, y);
    if (!status) status = costate_output(s, 0, NULL, NULL, NULL);
    for (int k = 0; k < ACCURACY_TIMES && !status; k++) {
        const double *from = out + k * n;
        memset(b, 0, square * sizeof *b);
        for (int i = 0; i < n; i++) b[i * n + i] = accuracy_scale(q, i) + fabs(from[i]);
        memcpy(y, from, (size_t)n * sizeof *y);
        status = costate_tangent(s, t[k], q->t1, q->p, y, n, b, NULL);
        for (int i = 0; i < n * n; i++) b[i] /= accuracy_scale(q, i / n) + fabs(y[i / n]);
        most = fmax(most, accuracy_norm(n, b));
    }
    costate_free(s);
    free(atols);
    return status ? NAN : most;
}

#endif
