/* The initial state follows from the parameters: y(0) = (a, a b). y' = 0. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = f[1] = 0;
}

static void init(const double *p, double *y0)
{
    y0[0] = p[0];
    y0[1] = p[0] * p[1];
}

COSTATE_MODEL(started, .states = 2, .params = 2, .param_names = COSTATE_NAMES("a", "b"), .p = COSTATE_VALUES(2, 5),
    .t0 = 0, .t1 = 1, .rhs = rhs, .init = init)
