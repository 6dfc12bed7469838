/* A binary distillation column with constant relative volatility and tray holdups: sections by ifs on the tray number. */
#include <costate/model.h>
#define NT 16
#define NFEED 8

static void column(double t, const double *x, const double *p, double *dx)
{
    const double alpha = p[0], reflux = p[1], boilup = p[2], feed = p[3], zf = p[4], q = p[5], Mc = 5.0, Mt = 0.5;
    double y[NT + 2], L[NT + 2], V[NT + 2];
    int i;

    for (i = 0; i <= NT + 1; i++) y[i] = alpha * x[i] / (1.0 + (alpha - 1.0) * x[i]);
    for (i = NT + 1; i >= 0; i--) {
        L[i] = i >= NFEED + 1 ? reflux : reflux + q * feed;
        V[i] = i < NFEED ? boilup : boilup + (1.0 - q) * feed;
    }
    const double D = V[NT] - reflux, B = feed - D;

    dx[0] = (L[1] * x[1] - V[0] * y[0] - B * x[0]) / Mc;
    for (i = 1; i <= NT; i++) {
        dx[i] = L[i + 1 <= NT ? i + 1 : NT + 1] * x[i + 1] + V[i - 1] * y[i - 1] - L[i] * x[i] - V[i] * y[i];
        if (i == NFEED) dx[i] += feed * zf * (1.0 + 0.05 * sin(t));
        dx[i] /= Mt;
    }
    dx[NT + 1] = V[NT] * (y[NT] - x[NT + 1]) / Mc;
}

static void init(const double *p, double *x)
{
    for (int i = 0; i < NT + 2; i++) x[i] = 0.05 + 0.9 * i / (NT + 1.0);
}

static void cost(double t, const double *x, const double *p, double *r)
{
    r[0] = pow(x[NT + 1] - 0.95, 2) + pow(x[0] - 0.05, 2) + 0.01 * p[2];
}

COSTATE_MODEL(distillation, .states = NT + 2, .params = 6, .t0 = 0, .t1 = 10, .p = COSTATE_VALUES(2.4, 1.7, 2.2, 1.0, 0.5, 1.0),
    .init = init, .rhs = column, .running = cost)
