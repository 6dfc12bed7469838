/* The objective has its kink just where the run ends: there is no derivative that a certificate could hold for. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = 0 * p[0];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = fabs(y[0] - 1);
}

COSTATE_MODEL(kink, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .t0 = 0, .t1 = 1, .rhs = rhs,
    .terminal = terminal)
