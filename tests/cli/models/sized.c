/* N compartments in a row; the names are those made up for states without. */
#include <costate/model.h>

#ifndef N
#define N 3
#endif

static void rhs(double t, const double *y, const double *p, double *f)
{
    for (int i = 0; i < N; i++) f[i] = (i > 0 ? p[i - 1] * y[i - 1] : 0) - p[i] * y[i];
}

static void init(const double *p, double *y0)
{
    for (int i = 0; i < N; i++) y0[i] = i == 0;
}

static void defaults(double *p)
{
    for (int i = 0; i < N; i++) p[i] = 1 + i;
}

COSTATE_MODEL(sized, .states = N, .params = N, .t0 = 0, .t1 = 1, .rhs = rhs, .init = init, .defaults = defaults)
