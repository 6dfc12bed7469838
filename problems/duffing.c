/* duffing.c - a forced oscillator, observed through a sensor with a gain and a drift:
 *
 *     x' = v,   v' = -delta v - alpha x - beta x^3 + gamma cos(omega t),   x(0) = A cos(phi),  v(0) = -A sin(phi)
 *
 *     psi_0 = sum over k of (kappa x(t_k) + rho t_k - d_k)^2 / 2                the misfit to the data d
 *     psi_1 = E(t1) + integral of delta v^2 - gamma v cos(omega t) dt           E = v^2/2 + alpha x^2/2 + beta x^4/4
 *
 * psi_1 is the energy at the end, with what was lost on the way given back: E(0), whatever the parameters. */
#include <costate/model.h>

enum { X, V };
enum { DELTA, ALPHA, BETA, GAMMA, OMEGA, A, PHI, KAPPA, RHO, PARAMS };
enum { MISFIT, ENERGY, OBJECTIVES };
enum { OBSERVATIONS = 11 };

static const double times[OBSERVATIONS] = {0, 0.8, 1.6, 2.4, 3.2, 4, 4.8, 5.6, 6.4, 7.2, 8};
static const double data_x[OBSERVATIONS] = {1.05, 0.63, 0.07, -0.58, -1.11, -0.9, 0.03, 1.14, 1.36, 0.28, -1.13};

static void rhs(double t, const double *y, const double *p, double *f)
{
    double x = y[X], v = y[V];
    f[X] = v;
    f[V] = -p[DELTA] * v - p[ALPHA] * x - p[BETA] * pow(x, 3) + p[GAMMA] * cos(p[OMEGA] * t);
}

static void init(const double *p, double *y0)
{
    y0[X] = p[A] * cos(p[PHI]);
    y0[V] = -p[A] * sin(p[PHI]);
}

static void energy(double t, const double *y, const double *p, double *g)
{
    double x2 = y[X] * y[X];
    g[MISFIT] = 0;
    g[ENERGY] = (y[V] * y[V] + p[ALPHA] * x2) / 2 + p[BETA] * x2 * x2 / 4;
}

static void loss(double t, const double *y, const double *p, double *r)
{
    r[MISFIT] = 0;
    r[ENERGY] = p[DELTA] * y[V] * y[V] - p[GAMMA] * y[V] * cos(p[OMEGA] * t);
}

static void misfit(int k, double t, const double *y, const double *p, double *g)
{
    double e = p[KAPPA] * y[X] + p[RHO] * t - data_x[k];
    g[MISFIT] = e * e / 2;
    g[ENERGY] = 0;
}

COSTATE_MODEL(duffing,
    .states = 2, .params = PARAMS, .objectives = OBJECTIVES,
    .state_names = COSTATE_NAMES("x", "v"),
    .param_names = COSTATE_NAMES("delta", "alpha", "beta", "gamma", "omega", "A", "phi", "kappa", "rho"),
    .objective_names = COSTATE_NAMES("misfit", "energy"),
    .p = COSTATE_VALUES(0.3, 1, 0.5, 0.8, 1.2, 1.2, 0.4, 1.1, 0.02),
    .t0 = 0, .t1 = 8, .observations = OBSERVATIONS, .observe_at = COSTATE_ARRAY(times),
    .rhs = rhs, .init = init, .terminal = energy, .running = loss, .observe = misfit)
