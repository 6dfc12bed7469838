/* heat_diffusivity.c - the heat equation u_t = alpha (u_xx + u_yy) on an M x M grid of the unit square whose rim counts as
 * states and stays as it is, from u = sin(pi x) sin(pi y). R. Martins and E. Lakshtanov, A C++ implementation of the discrete
 * adjoint sensitivity analysis method for explicit adaptive Runge-Kutta methods, 4.1. -DM=20 sets the size. */
#include <costate/model.h>

#ifndef M
#define M 20
#endif

static const double pi = 3.14159265358979323846;

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double (*u)[M] = (const double (*)[M])y;
    double (*udot)[M] = (double (*)[M])f;
    double k = p[0] * (M - 1) * (M - 1);
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            if (i == 0 || j == 0 || i == M - 1 || j == M - 1) udot[j][i] = 0;
            else udot[j][i] = k * (u[j][i - 1] + u[j][i + 1] + u[j - 1][i] + u[j + 1][i] - 4 * u[j][i]);
        }
}

static void init(const double *p, double *y0)
{
    for (int k = 0; k < M * M; k++) y0[k] = 0;
    for (int j = 1; j < M - 1; j++)
        for (int i = 1; i < M - 1; i++) y0[j * M + i] = sin(pi * i / (M - 1)) * sin(pi * j / (M - 1));
}

COSTATE_MODEL(heat_diffusivity,
    .states = M * M, .params = 1, .param_names = COSTATE_NAMES("alpha"), .p = COSTATE_VALUES(1), .t0 = 0, .t1 = 0.01,
    .rhs = rhs, .init = init)
