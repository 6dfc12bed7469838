/* stiff_relay.c - a heater that a fast sensor switches: stiff between events. */
#include <costate/model.h>

static void rhs(int mode, double t, const double *y, const double *p, double *f)
{
    f[0] = p[0] * (y[1] - y[0]);
    f[1] = -p[1] * (y[1] - p[2]) - 1e-3 * y[1] * y[1] + (mode ? p[3] : 0);
}

static void event(int mode, double t, const double *y, const double *p, double *e)
{
    e[0] = mode ? y[0] - p[5] : -1;
    e[1] = mode ? 1 : y[0] - p[4];
}

static int next_mode(int k, int mode, double t, const double *y, const double *p) { return k == 1; }

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[1]; }

COSTATE_MODEL(stiff_relay, .states = 2, .params = 6, .y0 = COSTATE_VALUES(15, 15),
    .p = COSTATE_VALUES(2000, 0.4, 5, 12, 18, 20), .t0 = 0, .t1 = 8, .first_mode = 1, .rhs = rhs, .terminal = terminal,
    .events = 2, .event = event, .direction = COSTATE_VALUES(1, -1), .next_mode = next_mode)
