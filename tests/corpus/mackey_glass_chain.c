/* A delayed feedback approximated by a chain of first-order lags. */
#include <costate/model.h>
#ifndef LAGS
#define LAGS 20
#endif

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double beta = p[0], gamma = p[1], n = p[2], tau = p[3], rate = LAGS / tau;
    const double *delayed = &y[LAGS];
    f[0] = beta * *delayed / (1 + pow(*delayed, n)) - gamma * y[0];
    for (int k = 1; k <= LAGS; ++k) f[k] = rate * (y[k - 1] - y[k]);
}

static void init(const double *p, double *y)
{
    int k = 0;
    for (; k <= LAGS; k++) y[k] = 0.9 + 0.1 * sin(0.3 * k);
}

COSTATE_MODEL(mackey_glass_chain, .states = LAGS + 1, .params = 4, .t0 = 0, .t1 = 20, .p = COSTATE_VALUES(0.2, 0.1, 9.65, 17.0),
              .init = init, .rhs = rhs)
