/* x'' = -x, for as long as one likes. No parameters, no objectives. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -y[0];
}

COSTATE_MODEL(oscillator, .states = 2, .state_names = COSTATE_NAMES("x", "v"), .y0 = COSTATE_VALUES(1, 0), .t0 = 0, .t1 = 10,
    .rhs = rhs)
