/* friction.c - a swing with dry friction, as it is written: by a condition. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -p[0] * y[0] + p[1] * cos(p[2] * t);
    if (y[1] > 0) f[1] -= p[3];
    else f[1] += p[3];
}

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[0] + 0.5 * y[1]; }

COSTATE_MODEL(friction, .states = 2, .params = 4, .y0 = COSTATE_VALUES(1, 0.5), .p = COSTATE_VALUES(1, 0.9, 0.7, 0.1), .t0 = 0,
    .t1 = 12, .rhs = rhs, .terminal = terminal)
