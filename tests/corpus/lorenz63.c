/* Lorenz' three equations, observed at a few times: the misfit to a table. */
#include <costate/model.h>
enum { SIGMA, RHO, BETA };
static const double seen[4][2] = {{1.2, 0.9}, {4.1, 7.7}, {17.2, 20.1}, {9.4, 1.3}};

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = p[SIGMA] * (y[1] - y[0]);
    f[1] = y[0] * (p[RHO] - y[2]) - y[1];
    f[2] = y[0] * y[1] - p[BETA] * y[2];
}

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    double e = 0.0;
    for (int i = 0; i < 2; i++) {
        const double d = y[i] - seen[k][i];
        e += d * d / (1.0 + 0.1 * i);
    }
    g[0] = e;
}

COSTATE_MODEL(lorenz63, .states = 3, .params = 3, .objectives = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1.1, 0.9, 20.0),
    .p = COSTATE_VALUES(10.0, 28.0, 8.0 / 3.0), .rhs = rhs, .observe = observe, .observations = 4,
    .observe_at = COSTATE_VALUES(0.1, 0.3, 0.6, 1.0))
