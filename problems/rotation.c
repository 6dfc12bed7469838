/* rotation.c - y1 y1' + y2 y2' = 0, y1 y2' - y2 y1' + |y|^2 = 0: a rotation, of index 0, that is not solved for y'. */
#include <costate/model.h>

static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    r[0] = y[0] * yp[0] + y[1] * yp[1];
    r[1] = y[0] * yp[1] - y[1] * yp[0] + y[0] * y[0] + y[1] * y[1];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0] + y[1];
}

COSTATE_MODEL(rotation, .states = 2, .y0 = COSTATE_VALUES(0, 1), .t0 = 0, .t1 = 1.57, .residual = residual, .terminal = terminal)
