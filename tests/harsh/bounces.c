/* bounces.c - a ball with drag that bounces; the sum of its times of bouncing, and where it is. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -p[0] - p[2] * y[1] * sqrt(1 + y[1] * y[1]);
}

static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0]; }
static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[1] = -p[1] * y[1]; }

static void on_event(int k, int i, double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    g[1] = t;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0];
    g[1] = 0;
}

COSTATE_MODEL(bounces, .states = 2, .params = 3, .objectives = 2, .y0 = COSTATE_VALUES(3, 1),
    .p = COSTATE_VALUES(9.81, 0.85, 0.05),
    .t0 = 0, .t1 = 4, .rhs = rhs, .terminal = terminal, .events = 1, .event = event, .direction = COSTATE_VALUES(-1),
    .reset = reset, .on_event = on_event)
