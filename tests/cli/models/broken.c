#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[0]
}

COSTATE_MODEL(broken, .states = 1, .y0 = COSTATE_VALUES(1), .t1 = 1, .rhs = rhs)
