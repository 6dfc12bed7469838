/* y' = -k y, y(0) = y0: y(t) = y0 exp(-k t), the integral of y is y0 (1 - exp(-k t))/k. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * y[0];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0];
    g[1] = 0;
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = 0;
    r[1] = y[0];
}

COSTATE_MODEL(decay, .states = 1, .params = 1, .objectives = 2,
    .state_names = COSTATE_NAMES("amount"), .param_names = COSTATE_NAMES("rate"),
    .objective_names = COSTATE_NAMES("left", "integral, total"),
    .y0 = COSTATE_VALUES(3), .p = COSTATE_VALUES(0.7), .t0 = 0, .t1 = 2, .rhs = rhs, .terminal = terminal, .running = running)
