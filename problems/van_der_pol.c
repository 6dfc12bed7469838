/* van_der_pol.c - Van der Pol's oscillator where it is stiff: x' = v, v' = ((1 - x^2) v - x)/eps, p = 1/eps = MU^2, through
 * two jumps. E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, IV.10. -DMU=1e3 .. 1e6. */
#include <costate/model.h>

#ifndef MU
#define MU 1e3
#endif

enum { X, V };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[X] = y[V];
    f[V] = p[0] * ((1 - y[X] * y[X]) * y[V] - y[X]);
}

COSTATE_MODEL(van_der_pol,
    .states = 2, .params = 1, .state_names = COSTATE_NAMES("x", "v"), .param_names = COSTATE_NAMES("1/eps"),
    .y0 = COSTATE_VALUES(2, -0.66), .p = COSTATE_VALUES((double)(MU) * (MU)), .t0 = 0, .t1 = 2, .rhs = rhs)
