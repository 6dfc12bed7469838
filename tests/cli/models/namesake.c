/* x(t) = x(0) exp(-p t), where the parameter p is called x too; and a root of what is negative beyond t = 1. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * y[0];
    f[1] = sqrt(1 - t);
}

COSTATE_MODEL(namesake, .states = 2, .params = 1, .state_names = COSTATE_NAMES("x", "z"), .param_names = COSTATE_NAMES("x"),
    .y0 = COSTATE_VALUES(1, 0), .p = COSTATE_VALUES(2), .t0 = 0, .t1 = 0.5, .rhs = rhs)
