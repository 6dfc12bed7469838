/* steady_start.c - a run from a steady state, of which the objective is the value of y there, in closed form:
 *
 *     x' = p0 - p1 x y^2,   y' = p2 x - y;   x(0) = (p0/(p1 p2^2))^(1/3), y(0) = p2 x(0)
 *
 * What follows from t0 on is at rest. With RESIDUAL it is x' that is given, as 0.3, which takes the place of p0 by p0 - 0.3. */
#include <costate/model.h>

enum { X, Y };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[X] = p[0] - p[1] * y[X] * y[Y] * y[Y];
    f[Y] = p[2] * y[X] - y[Y];
}

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    g[0] = y[Y];
}

#ifdef RESIDUAL
static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    rhs(t, y, p, r);
    r[X] -= yp[X];
    r[Y] = (1 + y[X] * y[X]) * (r[Y] - yp[Y]);
}
#define EQUATIONS .residual = residual, .yp0 = COSTATE_VALUES(0.3, 0)
#else
#define EQUATIONS .rhs = rhs
#endif

COSTATE_MODEL(steady_start,
    .states = 2, .params = 3, .state_names = COSTATE_NAMES("x", "y"), .steady = 1, .y0 = COSTATE_VALUES(1, 1),
    .p = COSTATE_VALUES(2, 0.5, 1.5), .t0 = 0, .t1 = 1, EQUATIONS, .observe_at = COSTATE_VALUES(0), .observe = observe)
