/* heat_dae.c - heat_many_parameters.c with equations for the rim that are algebraic, 0 = u: index 1. With RESIDUAL the rim has
 * u' = 0, as published, and the whole is G(t, u, u', p) = 0, of index 0; with GIVEN the initial values are no parameters. */
#include <costate/model.h>

enum { M = 40, SIDE = M + 2, STATES = SIDE * SIDE };
enum { P1, P2, VALUES }; /* parameters from VALUES on are the initial values */
enum { SQUARES, HEAT };

static void start(double *u)
{
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const double x = (double)i / (M + 1), y = (double)j / (M + 1);
            u[j * SIDE + i] = 16 * x * (1 - x) * y * (1 - y);
        }
}

static void defaults(double *p)
{
    p[P1] = p[P2] = 1;
#ifndef GIVEN
    start(p + VALUES);
#endif
}

static void init(const double *p, double *y0)
{
#ifdef GIVEN
    start(y0);
#else
    for (int k = 0; k < STATES; k++) y0[k] = p[VALUES + k];
#endif
}

/* p1 u_xx + p2 u_yy at a point inside. */
static double diffusion(const double *u, const double *p, int i, int j)
{
    const double here = u[j * SIDE + i], uxx = u[j * SIDE + i - 1] - 2 * here + u[j * SIDE + i + 1];
    const double uyy = u[(j - 1) * SIDE + i] - 2 * here + u[(j + 1) * SIDE + i];
    return (M + 1) * (M + 1) * (p[P1] * uxx + p[P2] * uyy);
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

#ifdef RESIDUAL
static void residual(double t, const double *u, const double *up, const double *p, double *r)
{
    for (int k = 0; k < STATES; k++) r[k] = up[k];
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) r[j * SIDE + i] = up[j * SIDE + i] - diffusion(u, p, i, j);
}
#define EQUATIONS .residual = residual
#else
static void rhs(double t, const double *u, const double *p, double *f)
{
    for (int k = 0; k < STATES; k++) f[k] = u[k];
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) f[j * SIDE + i] = diffusion(u, p, i, j);
}

#define TEN(x) x, x, x, x, x, x, x, x, x, x
#define INNER 0, TEN(1), TEN(1), TEN(1), TEN(1), 0
#define RIM 0, TEN(0), TEN(0), TEN(0), TEN(0), 0
static const double mass[STATES] = {RIM, TEN(INNER), TEN(INNER), TEN(INNER), TEN(INNER), RIM};
#define EQUATIONS .rhs = rhs, .mass = COSTATE_ARRAY(mass)
#endif

#ifdef GIVEN
#define PARAMS VALUES
#else
#define PARAMS VALUES + STATES
#endif

COSTATE_MODEL(heat_dae,
    .states = STATES, .params = PARAMS, .objectives = 2, .objective_names = COSTATE_NAMES("squares", "heat"),
    .t0 = 0, .t1 = 0.16, EQUATIONS, .init = init, .defaults = defaults, .terminal = terminal, .running = running)
