/* Coupled phase oscillators, all with all; frequencies and couplings are parameters in one matrix. */
#include <costate/model.h>
#ifndef N
#define N 9
#endif
#define OMEGA(i) p[i]
#define COUPLING(i, j) p[N + (i) * N + (j)]

static void rhs(double t, const double *theta, const double *p, double *f)
{
    for (int i = 0; i < N; i++) {
        f[i] = OMEGA(i);
        for (int j = 0; j < N; j++) f[i] += COUPLING(i, j) / N * sin(theta[j] - theta[i]);
    }
}

static void order(double t, const double *theta, const double *p, double *g)
{
    double re = 0, im = 0;
    for (int i = 0; i < N; i++) re += cos(theta[i]), im += sin(theta[i]);
    g[0] = hypot(re, im) / N;
    g[1] = atan2(im, re);
}

static void defaults(double *p)
{
    for (int i = 0; i < N * (N + 1); i++) p[i] = 1.0 + 0.3 * cos(i * i);
}
static void init(const double *p, double *theta)
{
    for (int i = 0; i < N; i++) theta[i] = 0.3 * i;
}

COSTATE_MODEL(kuramoto, .states = N, .params = N * (N + 1), .objectives = 2, .t0 = 0, .t1 = 4, .defaults = defaults, .init = init,
              .rhs = rhs, .terminal = order)
