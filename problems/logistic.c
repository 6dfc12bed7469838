/* logistic.c - logistic growth with seasons, a scalar Riccati equation with a solution in closed form:
 *
 *     y' = m y z,   m = r (1 + eps cos(omega t)),   z = 1 - y/K
 *
 *     psi_0 = y(t1),   psi_1 = integral of m z dt = log(y(t1)/y0) */
#include <costate/model.h>

enum { R, K, EPS, OMEGA };

static double growth(double t, double y, const double *p)
{
    return p[R] * (1 + p[EPS] * cos(p[OMEGA] * t)) * (1 - y / p[K]);
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = y[0] * growth(t, y[0], p);
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0];
    g[1] = 0;
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = 0;
    r[1] = growth(t, y[0], p);
}

COSTATE_MODEL(logistic,
    .states = 1, .params = 4, .objectives = 2,
    .state_names = COSTATE_NAMES("y"), .param_names = COSTATE_NAMES("r", "K", "eps", "omega"),
    .objective_names = COSTATE_NAMES("final", "growth"),
    .y0 = COSTATE_VALUES(0.2), .p = COSTATE_VALUES(1.2, 2, 0.4, 3), .t0 = 0, .t1 = 5,
    .rhs = rhs, .terminal = terminal, .running = running)
