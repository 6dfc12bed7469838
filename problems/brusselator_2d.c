/* brusselator_2d.c - the Brusselator with diffusion on an M x M grid, periodic in both directions and fed in a disc from the
 * start; component 2i is u, component 2i+1 is v of cell i:
 *
 *     u' = a + u^2 v - (b+1) u + (d/dx^2) L u + s lit,   v' = b u - u^2 v + (d/dx^2) L v,   L u = sum over the neighbours - 4 u
 *
 * E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, IV.10, BRUSS-2D; there the disc is lit from t = 1.1 on.
 * -DM=71 sets the size. */
#include <costate/model.h>

#ifndef M
#define M 71
#endif

enum { A, B, DIFFUSION, STRENGTH };

#define AT(i, j, species) (2 * ((j) * M + (i)) + (species))

static double lit(int i, int j)
{
    double x = (double)i / M - 0.3, y = (double)j / M - 0.6;
    return x * x + y * y <= 0.01 ? 1 : 0;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    double k = p[DIFFUSION] * M * M;
    for (int j = 0; j < M; j++) {
        int south = (j + M - 1) % M, north = (j + 1) % M;
        for (int i = 0; i < M; i++) {
            int west = (i + M - 1) % M, east = (i + 1) % M;
            double u = y[AT(i, j, 0)], v = y[AT(i, j, 1)], reaction = u * u * v;
            double Lu = y[AT(west, j, 0)] + y[AT(east, j, 0)] + y[AT(i, south, 0)] + y[AT(i, north, 0)] - 4 * u;
            double Lv = y[AT(west, j, 1)] + y[AT(east, j, 1)] + y[AT(i, south, 1)] + y[AT(i, north, 1)] - 4 * v;
            f[AT(i, j, 0)] = p[A] + reaction - (p[B] + 1) * u + k * Lu + p[STRENGTH] * lit(i, j);
            f[AT(i, j, 1)] = p[B] * u - reaction + k * Lv;
        }
    }
}

static void init(const double *p, double *y0)
{
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            double x = (double)i / M, y = (double)j / M;
            y0[AT(i, j, 0)] = 22 * y * pow(1 - y, 1.5);
            y0[AT(i, j, 1)] = 27 * x * pow(1 - x, 1.5);
        }
}

COSTATE_MODEL(brusselator_2d,
    .states = 2 * M * M, .params = 4, .param_names = COSTATE_NAMES("a", "b", "d", "s"), .p = COSTATE_VALUES(1, 3.4, 0.1, 5),
    .t0 = 0, .t1 = 11.5, .rhs = rhs, .init = init)
