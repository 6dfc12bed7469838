/* backwards.c - from t = 4 back to 0, with a guard, a running cost and observations on the way. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[1];
    f[1] = -p[0] * sin(y[0]) - p[1] * y[1] + 0.2 * t;
}

static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0] - p[2]; }
static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[1] = 0.8 * y[1] + 0.1; }

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = y[0] * y[0];
    r[1] = 0;
}

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    g[1] = (y[0] - 0.1 * k) * (y[0] - 0.1 * k);
}

COSTATE_MODEL(backwards, .states = 2, .params = 3, .objectives = 2, .observations = 3,
    .observe_at = COSTATE_VALUES(3.1, 2.2, 0.4), .y0 = COSTATE_VALUES(1, 0.3), .p = COSTATE_VALUES(5, 0.1, 0.2), .t0 = 4, .t1 = 0,
    .rhs = rhs, .running = running, .observe = observe, .events = 1, .event = event, .reset = reset)
