/* heat_many_parameters.c - the heat equation u_t = p1 u_xx + p2 u_yy whose parameters are p1, p2 and every initial value, on
 * the rim too, for u0 = 16 x (1-x) y (1-y) and t in [0, 0.16]; M points along a side, and the rim. Y. Cao, S. Li, L. Petzold
 * and R. Serban, Adjoint sensitivity analysis for differential-algebraic equations, 7.1.1; D. B. Ozyurt and P. I. Barton,
 * Cheap second order directional derivatives of stiff ODE embedded functionals, 4.2. Sums go over the inner points:
 *
 *     psi_0 = sum of u^2 at the end,   psi_1 = integral of the sum of u
 *
 * -DM=40 sets the size. */
#include <costate/model.h>

#ifndef M
#define M 40
#endif

enum { SIDE = M + 2, STATES = SIDE * SIDE };
enum { P1, P2, VALUES }; /* parameters from VALUES on are the initial values */
enum { SQUARES, HEAT };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double scale = (M + 1.0) * (M + 1.0);
    for (int k = 0; k < STATES; k++) f[k] = 0;
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) {
            const double *u = y + j * SIDE + i;
            double uxx = u[-1] - 2 * u[0] + u[1], uyy = u[-SIDE] - 2 * u[0] + u[SIDE];
            f[j * SIDE + i] = scale * (p[P1] * uxx + p[P2] * uyy);
        }
}

static void init(const double *p, double *y0)
{
    for (int k = 0; k < STATES; k++) y0[k] = p[VALUES + k];
}

static void defaults(double *p)
{
    p[P1] = p[P2] = 1;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double x = (double)i / (M + 1), y = (double)j / (M + 1);
            p[VALUES + j * SIDE + i] = 16 * x * (1 - x) * y * (1 - y);
        }
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[SQUARES] = g[HEAT] = 0;
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) g[SQUARES] += y[j * SIDE + i] * y[j * SIDE + i];
}

static void running(double t, const double *y, const double *p, double *r)
{
    double sum = 0;
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) sum += y[j * SIDE + i];
    r[SQUARES] = 0;
    r[HEAT] = sum;
}

COSTATE_MODEL(heat_many_parameters,
    .states = STATES, .params = VALUES + STATES, .objectives = 2, .objective_names = COSTATE_NAMES("squares", "heat"),
    .t0 = 0, .t1 = 0.16, .rhs = rhs, .init = init, .defaults = defaults, .terminal = terminal, .running = running)
