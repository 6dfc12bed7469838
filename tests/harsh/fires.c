/* fires.c - a neuron with adaptation that fires when it is driven by a wave; the run ends at its eighth spike. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = (p[0] + p[1] * sin(0.4 * t) - y[0]) / p[2] - y[1] + 0.01 * y[0] * y[0];
    f[1] = -y[1] / p[3];
    f[2] = 0;
}

static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0] - p[4]; }

static void reset(int k, double t, const double *y, const double *p, double *ynew)
{
    ynew[0] = 0;
    ynew[1] += p[5];
    ynew[2] += 1;
}

static int next_mode(int k, int mode, double t, const double *y, const double *p) { return y[2] > 7.5 ? COSTATE_STOP : 0; }

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = t;
    g[1] = y[1];
}

COSTATE_MODEL(fires, .states = 3, .params = 6, .objectives = 2, .y0 = COSTATE_VALUES(0, 0, 0),
    .p = COSTATE_VALUES(18, 4, 6, 12, 10, 0.12), .t0 = 0, .t1 = 200, .rhs = rhs, .terminal = terminal, .events = 1,
    .event = event, .direction = COSTATE_VALUES(1), .reset = reset, .next_mode = next_mode)
