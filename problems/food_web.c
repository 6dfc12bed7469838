/* food_web.c - predators and prey that live and spread in a square, of which the predators are always at their balance: index 1.
 * Li and Petzold, DASPKADJOINT.
 *
 *     c1' = c1 (b - c1 - 0.5e-6 c2) + Lap c1,   0 = c2 (-b + 1e4 c1 - c2) + 0.05 Lap c2
 *     b   = 1 + alpha x y + beta sin(4 pi x) sin(4 pi y)
 *
 * on M x M points, the boundary among them, without flux through it. From START = 1e5 Newton's method finds the predators in
 * balance with their prey; from 100, as published, no predators at all, which satisfies the equations, too. c1 of a point has an
 * even number, its c2 the next one. Objectives: the sum of all squares; that of the prey's. */
#include <costate/model.h>

#define M 20
#ifndef START
#define START 1e5
#endif
#define AT(i, j) (2 * ((j) * M + (i)))

enum { ALPHA, BETA };

static const double pi = 3.14159265358979323846;

static void init(const double *p, double *y0)
{
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const double x = i / (M - 1.0), y = j / (M - 1.0), hump = 16 * x * (1 - x) * y * (1 - y);
            y0[AT(i, j)] = 10 + hump * hump;
            y0[AT(i, j) + 1] = START;
        }
}

static double laplace(const double *c, int i, int j)
{
    const int left = i > 0 ? i - 1 : 1, right = i < M - 1 ? i + 1 : M - 2;
    const int down = j > 0 ? j - 1 : 1, up = j < M - 1 ? j + 1 : M - 2;
    return (c[AT(left, j)] + c[AT(right, j)] + c[AT(i, down)] + c[AT(i, up)] - 4 * c[AT(i, j)]) * (M - 1) * (M - 1);
}

static void rhs(double t, const double *c, const double *p, double *f)
{
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const double x = i / (M - 1.0), y = j / (M - 1.0), prey = c[AT(i, j)], predators = c[AT(i, j) + 1];
            const double b = 1 + p[ALPHA] * x * y + p[BETA] * sin(4 * pi * x) * sin(4 * pi * y);
            f[AT(i, j)] = prey * (b - prey - 0.5e-6 * predators) + laplace(c, i, j);
            f[AT(i, j) + 1] = predators * (-b + 1e4 * prey - predators) + 0.05 * laplace(c + 1, i, j);
        }
}

static void terminal(double t, const double *c, const double *p, double *g)
{
    g[0] = g[1] = 0;
    for (int k = 0; k < 2 * M * M; k++) g[0] += c[k] * c[k];
    for (int k = 0; k < 2 * M * M; k += 2) g[1] += c[k] * c[k];
}

/* Of a point: 1, 0 */
#define FIVE 1, 0, 1, 0, 1, 0, 1, 0, 1, 0
#define ROW FIVE, FIVE, FIVE, FIVE
static const double mass[2 * M * M] = {ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW,
                                       ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW};

COSTATE_MODEL(food_web,
    .states = 2 * M * M, .params = 2, .param_names = COSTATE_NAMES("alpha", "beta"), .p = COSTATE_VALUES(50, 100),
    .objectives = 2, .objective_names = COSTATE_NAMES("all", "prey"), .mass = COSTATE_ARRAY(mass), .t0 = 0, .t1 = 0.05,
    .init = init, .rhs = rhs, .terminal = terminal, .rtol = 1e-5, .atol = 1e-5)
