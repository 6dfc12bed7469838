/* relay.c - a swing that is driven by a relay with hysteresis: limit cycle, modes, and the times of switching. */
#include <costate/model.h>

static void rhs(int mode, double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -p[0] * y[0] - p[1] * y[1] * (1 + y[0] * y[0]) + (mode ? p[2] : -p[2]);
}

static void event(int mode, double t, const double *y, const double *p, double *e)
{
    e[0] = mode ? y[0] - p[3] : -1;
    e[1] = mode ? 1 : y[0] + p[3];
}

static int next_mode(int k, int mode, double t, const double *y, const double *p) { return k == 1; }

static void running(int mode, double t, const double *y, const double *p, double *r)
{
    r[0] = y[1] * y[1];
    r[1] = 0;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    g[1] = y[0];
}

COSTATE_MODEL(relay, .states = 2, .params = 4, .objectives = 2, .y0 = COSTATE_VALUES(0.1, 0.4),
    .p = COSTATE_VALUES(1.5, 0.15, 1, 0.4), .t0 = 0, .t1 = 14, .first_mode = 1, .rhs = rhs, .running = running,
    .terminal = terminal, .events = 2, .event = event, .direction = COSTATE_VALUES(1, -1), .next_mode = next_mode)
