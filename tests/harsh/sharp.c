/* sharp.c - a switch that is smooth, over a ten-thousandth of what it switches: on the way up and down. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double on = 0.5 * (1 + tanh((y[0] - p[0]) / p[1]));
    f[0] = y[1];
    f[1] = -p[2] * y[0] - 0.05 * y[1];
    f[2] = p[3] * on - 0.3 * y[2];
}

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[2]; }

COSTATE_MODEL(sharp, .states = 3, .params = 4, .y0 = COSTATE_VALUES(1, 0, 0), .p = COSTATE_VALUES(0.3, 1e-4, 1, 2), .t0 = 0,
    .t1 = 9, .rhs = rhs, .terminal = terminal)
