/* lotka_volterra.c - x' = alpha x - beta x y, y' = -gamma y + delta x y; the objective is the prey at the end. */
#include <costate/model.h>

enum { PREY, PREDATOR };
enum { ALPHA, BETA, GAMMA, DELTA };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[PREY] = p[ALPHA] * y[PREY] - p[BETA] * y[PREY] * y[PREDATOR];
    f[PREDATOR] = -p[GAMMA] * y[PREDATOR] + p[DELTA] * y[PREY] * y[PREDATOR];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[PREY];
}

COSTATE_MODEL(lotka_volterra,
    .states = 2, .params = 4,
    .state_names = COSTATE_NAMES("prey", "predator"),
    .param_names = COSTATE_NAMES("alpha", "beta", "gamma", "delta"),
    .y0 = COSTATE_VALUES(10, 5), .p = COSTATE_VALUES(1.1, 0.4, 0.4, 0.1),
    .t0 = 0, .t1 = 10, .rhs = rhs, .terminal = terminal)
