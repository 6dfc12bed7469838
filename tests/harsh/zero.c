/* zero.c - two swings that are the same: their difference is 0 and its derivatives are not; and the energy that is kept. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -p[0] * sin(y[0]);
    f[2] = y[3];
    f[3] = -p[1] * sin(y[2]);
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0] - y[2];
    g[1] = 0.5 * y[1] * y[1] - p[0] * cos(y[0]) + p[0] * 0.5403023058681398 - 0.045;
    g[2] = y[0];
}

COSTATE_MODEL(zero, .states = 4, .params = 2, .objectives = 3, .y0 = COSTATE_VALUES(1, 0.3, 1, 0.3), .p = COSTATE_VALUES(2, 2),
    .t0 = 0, .t1 = 9, .rhs = rhs, .terminal = terminal)
