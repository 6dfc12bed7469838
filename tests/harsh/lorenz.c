/* lorenz.c - chaos: what is wrong grows. The end, and the mean of z. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = p[0] * (y[1] - y[0]);
    f[1] = y[0] * (p[1] - y[2]) - y[1];
    f[2] = y[0] * y[1] - p[2] * y[2];
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = 0;
    r[1] = y[2] / 7;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0];
    g[1] = 0;
}

COSTATE_MODEL(lorenz, .states = 3, .params = 3, .objectives = 2, .y0 = COSTATE_VALUES(1, 0.5, 20),
    .p = COSTATE_VALUES(10, 28, 2.6666666666666665), .t0 = 0, .t1 = 7, .rhs = rhs, .running = running, .terminal = terminal)
