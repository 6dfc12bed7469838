/* y' = -p y, y(0) = 1, as a model file. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * y[0];
}

COSTATE_MODEL(decay, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(2), .t0 = 0, .t1 = 1, .rhs = rhs)
