/* oregonator.c - the stiff oscillator of Field and Noyes, through one jump. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = p[0] * (y[1] + y[0] * (1 - p[1] * y[0] - y[1]));
    f[1] = (y[2] - (1 + y[0]) * y[1]) / p[0];
    f[2] = p[2] * (y[0] - y[2]);
}

COSTATE_MODEL(oregonator, .states = 3, .params = 3, .y0 = COSTATE_VALUES(1, 2, 3),
    .p = COSTATE_VALUES(77.27, 8.375e-6, 0.161), .t0 = 0, .t1 = 30, .rhs = rhs)
