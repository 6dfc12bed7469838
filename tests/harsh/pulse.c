/* pulse.c - a pulse of width 0.05 in a run of 10, and what is left of it. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double x = (t - p[1]) / p[2];
    f[0] = -p[0] * y[0] + p[3] * exp(-x * x);
}

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[0]; }

COSTATE_MODEL(pulse, .states = 1, .params = 4, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(0.3, 6, 0.05, 5), .t0 = 0, .t1 = 10,
    .rhs = rhs, .terminal = terminal)
