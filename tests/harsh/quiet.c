/* quiet.c - 1e9 beside 1e-9: a stock that grows, a trace that decays, and a trace of that. Final states are objectives. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = p[0] * y[0] * (1 - y[0] / p[1]);
    f[1] = -p[2] * y[1] + p[3] * 1e-18 * y[0] * y[0] * y[1];
    f[2] = p[2] * y[1] - p[4] * y[2];
}

COSTATE_MODEL(quiet, .states = 3, .params = 5, .y0 = COSTATE_VALUES(1e8, 1e-8, 0),
    .p = COSTATE_VALUES(0.7, 2e9, 0.4, 0.05, 0.9), .t0 = 0, .t1 = 8, .rhs = rhs)
