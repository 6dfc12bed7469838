/* doses.c - a dose every so many hours, ten thousand of them, all moved by the interval. */
#include <costate/model.h>

#ifndef DOSES
#define DOSES 10000
#endif

enum { DEPOT, CENTRAL };
enum { KA, KE, AMOUNT, INTERVAL };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[DEPOT] = -p[KA] * y[DEPOT];
    f[CENTRAL] = p[KA] * y[DEPOT] - p[KE] * y[CENTRAL];
}

static void event_times(const double *p, double *tau)
{
    for (int j = 0; j < DOSES; j++) tau[j] = (j + 1) * p[INTERVAL];
}

static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[DEPOT] += p[AMOUNT]; }

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[CENTRAL]; }

COSTATE_MODEL(doses,
    .states = 2, .params = 4, .state_names = COSTATE_NAMES("depot", "central"),
    .param_names = COSTATE_NAMES("ka", "ke", "amount", "interval"), .y0 = COSTATE_VALUES(0, 0),
    .p = COSTATE_VALUES(1.2, 0.15, 10, 8), .t0 = 0, .t1 = 80004, .rhs = rhs, .terminal = terminal, .timed_events = DOSES,
    .event_times = event_times, .reset = reset)
