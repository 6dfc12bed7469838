/* parts.c - predators and prey with seasons: two objectives of all three parts, three observations, one of them at the end, and a
 * nonlinear initial state. */
#include <costate/model.h>

enum { PREY, PREDATOR };
enum { ALPHA, BETA, GAMMA, DELTA, START };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[PREY] = p[ALPHA] * (1 + 0.3 * sin(t)) * y[PREY] - p[BETA] * y[PREY] * y[PREDATOR];
    f[PREDATOR] = -p[GAMMA] * y[PREDATOR] + p[DELTA] * y[PREY] * y[PREDATOR] / (1 + 0.05 * y[PREY]);
}

static void init(const double *p, double *y0)
{
    y0[PREY] = 4 + p[START] * p[START];
    y0[PREDATOR] = exp(p[START]) / p[ALPHA];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[PREY] * y[PREY] + p[BETA] * y[PREDATOR];
    g[1] = sin(y[PREDATOR]);
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = p[DELTA] * y[PREY] * y[PREDATOR];
    r[1] = p[GAMMA] * y[PREY] * cos(t);
}

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    g[0] = (y[PREY] - 3 * p[START]) * (y[PREY] - 3 * p[START]);
    g[1] = k * y[PREDATOR] * y[PREDATOR];
}

COSTATE_MODEL(parts,
    .states = 2, .params = 5, .objectives = 2,
    .state_names = COSTATE_NAMES("prey", "predator"),
    .param_names = COSTATE_NAMES("alpha", "beta", "gamma", "delta", "start"),
    .p = COSTATE_VALUES(1.1, 0.4, 0.4, 0.1, 1.2),
    .t0 = 0, .t1 = 6, .observe_at = COSTATE_VALUES(1.5, 3, 6), .observations = 3,
    .rhs = rhs, .init = init, .terminal = terminal, .running = running, .observe = observe)
