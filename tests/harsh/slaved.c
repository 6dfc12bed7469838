/* slaved.c - Prothero and Robinson's: a state that follows another at a rate of 1e5, and how far it stays behind. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * (y[0] - y[1]);
    f[1] = p[1] * cos(p[2] * t) - p[3] * y[1] * y[1] * y[1];
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = 0;
    r[1] = (y[0] - y[1]) * (y[0] - y[1]);
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0];
    g[1] = 0;
}

COSTATE_MODEL(slaved, .states = 2, .params = 4, .objectives = 2, .y0 = COSTATE_VALUES(2, 1),
    .p = COSTATE_VALUES(1e5, 1.5, 2, 0.3), .t0 = 0, .t1 = 6, .rhs = rhs, .running = running, .terminal = terminal)
