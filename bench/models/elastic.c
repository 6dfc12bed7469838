/* elastic.c - a ball that loses nothing at its bounces, ten thousand of them. */
#include <costate/model.h>

enum { HEIGHT, SPEED };
enum { GRAVITY, RESTITUTION };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[HEIGHT] = y[SPEED];
    f[SPEED] = -p[GRAVITY];
}

static void event(double t, const double *y, const double *p, double *e) { e[0] = y[HEIGHT]; }

static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[SPEED] = -p[RESTITUTION] * y[SPEED]; }

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[HEIGHT]; }

static void on_event(int k, int i, double t, const double *y, const double *p, double *g) { g[0] = 1e-6 * t; }

COSTATE_MODEL(elastic,
    .states = 2, .params = 2, .state_names = COSTATE_NAMES("height", "speed"),
    .param_names = COSTATE_NAMES("gravity", "restitution"), .y0 = COSTATE_VALUES(2, 0), .p = COSTATE_VALUES(9.81, 1), .t0 = 0,
    .t1 = 12800, .rhs = rhs, .terminal = terminal, .events = 1, .event = event, .direction = COSTATE_VALUES(-1), .reset = reset,
    .on_event = on_event)
