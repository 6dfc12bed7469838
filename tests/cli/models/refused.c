#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
again:
    f[0] = y[0];
    if (f[0] > 1) goto again;
}

COSTATE_MODEL(refused, .states = 1, .y0 = COSTATE_VALUES(1), .t1 = 1, .rhs = rhs)
