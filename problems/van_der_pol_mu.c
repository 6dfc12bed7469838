/* van_der_pol_mu.c - Van der Pol's oscillator, x' = v, v' = mu ((1 - x^2) v - x), from a point on the slow manifold, wherever
 * that is for the given mu. R. Martins and E. Lakshtanov, A C++ implementation of the discrete adjoint sensitivity analysis
 * method for explicit adaptive Runge-Kutta methods, 4.2. */
#include <costate/model.h>

enum { X, V };
enum { MU };

static void rhs(double t, const double *y, const double *p, double *f)
{
    double x = y[X], v = y[V];
    f[X] = v;
    f[V] = p[MU] * ((1 - x * x) * v - x);
}

static void init(const double *p, double *y0)
{
    double mu = p[MU];
    y0[X] = 2;
    y0[V] = -2.0 / 3 + 10 / (81 * mu) - 292 / (2187 * mu * mu);
}

COSTATE_MODEL(van_der_pol_mu,
    .states = 2, .params = 1, .state_names = COSTATE_NAMES("x", "v"), .param_names = COSTATE_NAMES("mu"),
    .p = COSTATE_VALUES(1e3), .t0 = 0, .t1 = 0.5, .rhs = rhs, .init = init,
    .method = "rodas4")
