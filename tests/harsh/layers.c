/* layers.c - a network in which one rate is 1e8 times another, from far off its slow manifold, with a switch of the supply. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double bind = p[0] * y[0] * y[1], back = p[1] * y[2], make = p[2] * y[2];
    f[0] = -bind + back + (t < p[4] ? 0.05 : 0);
    f[1] = -bind + back + make;
    f[2] = bind - back - make;
    f[3] = make - p[3] * y[3];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[3];
    g[1] = y[2];
}

COSTATE_MODEL(layers, .states = 4, .params = 5, .objectives = 2, .y0 = COSTATE_VALUES(1, 0.1, 0, 0),
    .p = COSTATE_VALUES(1e6, 1e4, 1, 0.01, 7), .t0 = 0, .t1 = 20, .rhs = rhs, .terminal = terminal)
