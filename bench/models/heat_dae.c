/* heat_dae.c - the heat equation u_t = p1 u_xx + p2 u_yy on a grid of the unit square whose points on the rim are states too, and
 * algebraic: 0 = u there, which makes it a differential-algebraic system of index 1. u0 = 16 x (1-x) y (1-y), t in [0, 0.16],
 * M x M inner points. Li and Petzold, DASPKADJOINT, 7.1.1. Derivatives by p1, p2 and all initial values are what is wanted of
 *
 *     psi_0 = sum of u^2 at the end,   psi_1 = integral of the sum of u        (over the inner points) */
#include <costate/model.h>

#define M 40
#define SIDE (M + 2)
enum { P1, P2 };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double scale = (M + 1.0) * (M + 1.0);
    for (int k = 0; k < SIDE * SIDE; k++) f[k] = -y[k];
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) {
            const double *u = y + j * SIDE + i;
            f[j * SIDE + i] = scale * (p[P1] * (u[-1] - 2 * u[0] + u[1]) + p[P2] * (u[-SIDE] - 2 * u[0] + u[SIDE]));
        }
}

static void init(const double *p, double *y0)
{
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double x = (double)i / (M + 1), y = (double)j / (M + 1);
            y0[j * SIDE + i] = 16 * x * (1 - x) * y * (1 - y);
        }
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = g[1] = 0;
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) g[0] += y[j * SIDE + i] * y[j * SIDE + i];
}

static void running(double t, const double *y, const double *p, double *r)
{
    double sum = 0;
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= M; i++) sum += y[j * SIDE + i];
    r[0] = 0;
    r[1] = sum;
}

/* Of a row of points: those on the rim have no mass. */
#define TEN 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
#define INNER 0, TEN, TEN, TEN, TEN, 0
#define FIVE_ROWS INNER, INNER, INNER, INNER, INNER
#define NONE 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define RIM 0, NONE, NONE, NONE, NONE, 0
static const double mass[SIDE * SIDE] = {RIM,       FIVE_ROWS, FIVE_ROWS, FIVE_ROWS, FIVE_ROWS,
                                         FIVE_ROWS, FIVE_ROWS, FIVE_ROWS, FIVE_ROWS, RIM};

COSTATE_MODEL(heat_dae,
    .states = SIDE * SIDE, .params = 2, .param_names = COSTATE_NAMES("p1", "p2"), .p = COSTATE_VALUES(1, 1), .objectives = 2,
    .objective_names = COSTATE_NAMES("squares", "heat"), .mass = COSTATE_ARRAY(mass), .t0 = 0, .t1 = 0.16, .init = init,
    .rhs = rhs, .terminal = terminal, .running = running)
