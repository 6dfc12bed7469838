/* Lorenz 96 on a ring, and a running cost. */
#include <costate/model.h>
#ifndef K
#define K 36
#endif

static void rhs(double t, const double *x, const double *p, double *dx)
{
    for (int k = 0; k < K; k++)
        dx[k] = (x[(k + 1) % K] - x[(k + K - 2) % K]) * x[(k + K - 1) % K] - x[k] + p[0];
}

static void init(const double *p, double *x)
{
    for (int k = 0; k < K; k++) x[k] = p[0];
    x[K / 2] += 0.01;
}

static void running(double t, const double *x, const double *p, double *r)
{
    r[0] = 0;
    for (int k = 0; k < K; k++) r[0] += x[k] * x[k];
    r[0] /= 2 * K;
}

COSTATE_MODEL(lorenz96, .states = K, .params = 1, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(8), .init = init, .rhs = rhs,
              .running = running)
