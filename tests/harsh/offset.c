/* offset.c - a swing of size 1 about 1e7, and what it does to a slow one; objectives of unlike size. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double x = y[0] - p[2];
    f[0] = y[1];
    f[1] = -p[0] * x - p[1] * x * x * x;
    f[2] = p[3] * x * y[1] * y[1] + 0.1 * x;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0] - p[2];
    g[1] = y[0];
    g[2] = y[2];
}

COSTATE_MODEL(offset, .states = 3, .params = 4, .objectives = 3, .y0 = COSTATE_VALUES(10000001, 0.3, 0),
    .p = COSTATE_VALUES(1.3, 0.4, 10000000, 0.2), .t0 = 0, .t1 = 12, .rhs = rhs, .terminal = terminal)
