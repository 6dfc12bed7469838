/* doses.c - doses at times that depend on a parameter, elimination that saturates, and measurements between. */
#include <costate/model.h>

enum { DOSES = 6 };
static const double measured[] = {1.1, 2.0, 2.6, 3.1, 3.4};

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * y[0];
    f[1] = p[0] * y[0] - p[1] * y[1] / (p[2] + y[1]);
}

static void event_times(const double *p, double *tau)
{
    for (int k = 0; k < DOSES; k++) tau[k] = k * p[3] + p[4];
}

static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[0] += p[5]; }

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    g[0] = (y[1] - measured[k]) * (y[1] - measured[k]);
    g[1] = 0;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    g[1] = y[1];
}

COSTATE_MODEL(doses, .states = 2, .params = 6, .objectives = 2, .observations = 5,
    .observe_at = COSTATE_VALUES(3, 9, 15, 21, 27), .y0 = COSTATE_VALUES(0, 0), .p = COSTATE_VALUES(0.8, 0.9, 1.4, 5, 0.3, 2.5),
    .t0 = 0, .t1 = 30, .rhs = rhs, .observe = observe, .terminal = terminal, .timed_events = DOSES, .event_times = event_times,
    .reset = reset)
