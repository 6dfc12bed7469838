/* heat_rim.c - the heat equation u_t = p1 u_xx + p2 u_yy on M x M inner points of the unit square, from u0 = 16 x (1-x) y (1-y),
 * t in [0, 0.16]. Parameters are p1, p2, every initial value (x fastest) and the values on the rim, constant in time: west and
 * east by y, south and north by x. D. B. Ozyurt and P. I. Barton, Cheap second order directional derivatives of stiff ODE
 * embedded functionals, SIAM J. Sci. Comput. 26 (2005) 1725, 4.2. The objective is the integral of the sum of u.
 *
 * -DM=40 sets the size. */
#include <costate/model.h>

#ifndef M
#define M 40
#endif

enum { STATES = M * M };
enum { P1, P2, U0, WEST = U0 + STATES, EAST = WEST + M, SOUTH = EAST + M, NORTH = SOUTH + M, PARAMETERS = NORTH + M };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double scale = (M + 1.0) * (M + 1.0);
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const double *u = y + j * M + i;
            double west, east, south, north;
            if (i > 0) west = u[-1];
            else west = p[WEST + j];
            if (i < M - 1) east = u[1];
            else east = p[EAST + j];
            if (j > 0) south = u[-M];
            else south = p[SOUTH + i];
            if (j < M - 1) north = u[M];
            else north = p[NORTH + i];
            f[j * M + i] = scale * (p[P1] * (west - 2 * u[0] + east) + p[P2] * (south - 2 * u[0] + north));
        }
}

static void init(const double *p, double *y0)
{
    for (int k = 0; k < STATES; k++) y0[k] = p[U0 + k];
}

static void defaults(double *p)
{
    p[P1] = p[P2] = 1;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            double x = (i + 1.0) / (M + 1), y = (j + 1.0) / (M + 1);
            p[U0 + j * M + i] = 16 * x * (1 - x) * y * (1 - y);
        }
    for (int k = WEST; k < PARAMETERS; k++) p[k] = 0;
}

static void running(double t, const double *y, const double *p, double *r)
{
    double sum = 0;
    for (int k = 0; k < STATES; k++) sum += y[k];
    r[0] = sum;
}

COSTATE_MODEL(heat_rim,
    .states = STATES, .params = PARAMETERS, .objectives = 1, .objective_names = COSTATE_NAMES("heat"),
    .t0 = 0, .t1 = 0.16, .rhs = rhs, .init = init, .defaults = defaults, .running = running)
