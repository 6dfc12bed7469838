/* robertson_dae.c - Robertson's kinetics with the conservation of mass in place of the third equation: index 1. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *k, double *f)
{
    f[0] = k[1] * y[1] * y[2] - k[0] * y[0];
    f[1] = k[0] * y[0] - k[1] * y[1] * y[2] - k[2] * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1;
}

static void running(double t, const double *y, const double *k, double *r)
{
    r[0] = y[2];
}

#ifdef RESIDUAL /* the same as F(t, y, y', p) = 0 */
static void residual(double t, const double *y, const double *yp, const double *k, double *r)
{
    rhs(t, y, k, r);
    r[0] = yp[0] - r[0];
    r[1] = -k[0] * yp[1] + k[0] * r[1];
}
#define EQUATIONS .residual = residual
#else
#define EQUATIONS .rhs = rhs, .mass = COSTATE_VALUES(1, 1, 0)
#endif

COSTATE_MODEL(robertson_dae,
    .states = 3, .params = 3, .param_names = COSTATE_NAMES("k1", "k2", "k3"), .y0 = COSTATE_VALUES(1, 0, 0),
    .p = COSTATE_VALUES(0.04, 1e4, 3e7), .t0 = 0, .t1 = 40, EQUATIONS, .running = running, .atol = 1e-10)
