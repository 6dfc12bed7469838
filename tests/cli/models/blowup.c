/* y' = p y^2, y(0) = 1 ends at t = 1/p. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = p[0] * y[0] * y[0];
}

COSTATE_MODEL(blowup, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .t0 = 0, .t1 = 2, .rhs = rhs)
