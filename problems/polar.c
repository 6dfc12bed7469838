/* polar.c - a linearly implicit system whose matrix depends on the state, of index 0, with the solution y1^2 + y2^2 = 1,
 * y1 = y1(0) cos t + y2(0) sin t and so on; objective y1 + y2. Cao, Li, Petzold, Serban, Adjoint sensitivity analysis for
 * differential-algebraic equations, (31):
 *
 *     y1 y1' + y2 y2' = 0,   -y2 y1' + y1 y2' + y1^2 + y2^2 = 0,   y(0) = (0, 1),   T = 1.57 */
#include <costate/model.h>

static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    r[0] = y[0] * yp[0] + y[1] * yp[1];
    r[1] = -y[1] * yp[0] + y[0] * yp[1] + y[0] * y[0] + y[1] * y[1];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0] + y[1];
}

COSTATE_MODEL(polar,
    .states = 2, .y0 = COSTATE_VALUES(0, 1), .yp0 = COSTATE_VALUES(1, 0), .t0 = 0, .t1 = 1.57,
    .residual = residual, .terminal = terminal)
