/* kinks.c - a forced swing with a one-sided spring and dry damping that is smoothed no further than fabs. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -y[0] - p[0] * fmax(y[0] - p[1], 0) - p[2] * y[1] * fabs(y[1]) + p[3] * cos(1.4 * t);
}

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[0]; }

COSTATE_MODEL(kinks, .states = 2, .params = 4, .y0 = COSTATE_VALUES(1, 0), .p = COSTATE_VALUES(9, 0.2, 0.1, 0.8), .t0 = 0,
    .t1 = 15, .rhs = rhs, .terminal = terminal)
