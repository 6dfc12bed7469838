/* heat_3d.c - the heat equation with a reaction, u_t = alpha Lap u - u^2, on the M x M x M inner points of a grid of the unit
 * cube, zero on its surface. */
#include <costate/model.h>

#ifndef M
#define M 20
#endif

static const double pi = 3.14159265358979323846;

static double at(const double *y, int i, int j, int k)
{
    return i >= 0 && j >= 0 && k >= 0 && i < M && j < M && k < M ? y[(k * M + j) * M + i] : 0;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double c = p[0] * (M + 1) * (M + 1);
    for (int k = 0; k < M; k++)
        for (int j = 0; j < M; j++)
            for (int i = 0; i < M; i++) {
                const double u = y[(k * M + j) * M + i];
                f[(k * M + j) * M + i] = c * (at(y, i - 1, j, k) + at(y, i + 1, j, k) + at(y, i, j - 1, k) + at(y, i, j + 1, k) +
                                              at(y, i, j, k - 1) + at(y, i, j, k + 1) - 6 * u) - u * u;
            }
}

static void init(const double *p, double *y0)
{
    for (int k = 0; k < M; k++)
        for (int j = 0; j < M; j++)
            for (int i = 0; i < M; i++)
                y0[(k * M + j) * M + i] =
                    sin(pi * (i + 1) / (M + 1)) * sin(2 * pi * (j + 1) / (M + 1)) * sin(pi * (k + 1) / (M + 1));
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    for (int k = 0; k < M * M * M; k++) g[0] += y[k] * y[k];
}

COSTATE_MODEL(heat_3d,
    .states = M * M * M, .params = 1, .param_names = COSTATE_NAMES("alpha"), .p = COSTATE_VALUES(1), .t0 = 0, .t1 = 0.05,
    .rhs = rhs, .init = init, .terminal = terminal)
