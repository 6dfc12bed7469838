/* chain.c - twenty compartments one after the other: the last is far below the first. */
#include <costate/model.h>

enum { N = 20 };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * y[0] / (1 + p[1] * y[0]);
    for (int i = 1; i < N; i++) f[i] = p[0] * y[i - 1] / (1 + p[1] * y[i - 1]) - p[0] * y[i] / (1 + p[1] * y[i]);
}

static void start(const double *p, double *y)
{
    for (int i = 0; i < N; i++) y[i] = i ? 0 : p[2];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[N - 1];
    g[1] = 1e12 * y[N / 2] + 1;
    g[2] = 1e-12 * y[0];
}

COSTATE_MODEL(chain, .states = N, .params = 3, .objectives = 3, .init = start, .p = COSTATE_VALUES(0.5, 0.3, 5), .t0 = 0,
    .t1 = 10, .rhs = rhs, .terminal = terminal)
