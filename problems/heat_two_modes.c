/* heat_two_modes.c - the heat equation u_t = alpha (u_xx + u_yy) on the M x M inner points of a grid of the unit square, zero
 * on its rim, from u = sin(pi x) sin(pi y) + sin(3 pi x) sin(2 pi y)/2, two modes that decay each at its own rate. -DM=20 sets
 * the size. */
#include <costate/model.h>

#ifndef M
#define M 20
#endif

static const double pi = 3.14159265358979323846;

static double at(const double *y, int i, int j)
{
    return i >= 0 && j >= 0 && i < M && j < M ? y[j * M + i] : 0;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    double k = p[0] * (M + 1) * (M + 1);
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++)
            f[j * M + i] = k * (at(y, i - 1, j) + at(y, i + 1, j) + at(y, i, j - 1) + at(y, i, j + 1) - 4 * y[j * M + i]);
}

static void init(const double *p, double *y0)
{
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) {
            double x = pi * i / (M + 1), y = pi * j / (M + 1);
            y0[(j - 1) * M + i - 1] = sin(x) * sin(y) + 0.5 * sin(3 * x) * sin(2 * y);
        }
}

COSTATE_MODEL(heat_two_modes,
    .states = M * M, .params = 1, .param_names = COSTATE_NAMES("alpha"), .p = COSTATE_VALUES(1), .t0 = 0, .t1 = 0.1,
    .rhs = rhs, .init = init)
