/* late.c - a forced oscillator, a million seconds after zero. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -p[0] * y[0] - p[1] * y[1] * fabs(y[1]) + p[2] * sin(p[3] * (t - 1000000));
}

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[0] * y[1]; }

COSTATE_MODEL(late, .states = 2, .params = 4, .y0 = COSTATE_VALUES(1, 0), .p = COSTATE_VALUES(2, 0.1, 0.7, 1.1), .t0 = 1000000,
    .t1 = 1000010, .rhs = rhs, .terminal = terminal)
