/* gray_scott.c - Gray and Scott's reaction with diffusion on a periodic square of M x M points, two unknowns a point, from a
 * patch that spreads. */
#include <costate/model.h>

#ifndef M
#define M 100
#endif
#ifndef END
#define END 200
#endif
#define SIDE 2.5
#define AT(i, j) (2 * (((j) + M) % M * M + ((i) + M) % M))
enum { D1, D2, GAMMA, KAPPA };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double grid = (M / SIDE) * (M / SIDE);
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const int here = AT(i, j), e = AT(i + 1, j), w = AT(i - 1, j), n = AT(i, j + 1), s = AT(i, j - 1);
            const double u = y[here], v = y[here + 1], reaction = u * v * v;
            f[here] = p[D1] * grid * (y[e] + y[w] + y[n] + y[s] - 4 * u) - reaction + p[GAMMA] * (1 - u);
            f[here + 1] = p[D2] * grid * (y[e + 1] + y[w + 1] + y[n + 1] + y[s + 1] - 4 * v) + reaction -
                          (p[GAMMA] + p[KAPPA]) * v;
        }
}

static void init(const double *p, double *y0)
{
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const double x = i * SIDE / M, z = j * SIDE / M, wave = sin(4 * x) * sin(4 * z);
            const double v = x >= 1 && x <= 1.5 && z >= 1 && z <= 1.5 ? 0.25 * wave * wave : 0;
            y0[AT(i, j)] = 1 - 2 * v;
            y0[AT(i, j) + 1] = v;
        }
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    for (int k = 0; k < M * M; k++) g[0] += y[2 * k + 1] * y[2 * k + 1];
}

COSTATE_MODEL(gray_scott,
    .states = 2 * M * M, .params = 4, .param_names = COSTATE_NAMES("D1", "D2", "gamma", "kappa"),
    .p = COSTATE_VALUES(8e-5, 4e-5, 0.024, 0.06), .t0 = 0, .t1 = END, .init = init, .rhs = rhs, .terminal = terminal)
