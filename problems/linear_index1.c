/* linear_index1.c - a linear differential-algebraic system of index 1 with a solution in closed form: with a = p1 - p0,
 * x = (x0 + p2/(1+a^2)) e^(a t) - p2 (a sin t + cos t)/(1+a^2), z = p1 x + p2 sin t.
 *
 *     x' = z - p0 x,   0 = z - p1 x - p2 sin t;   psi = x(T) z(T) + integral of z^2 */
#include <costate/model.h>

enum { X, Z };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[X] = y[Z] - p[0] * y[X];
    f[Z] = y[Z] - p[1] * y[X] - p[2] * sin(t);
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[X] * y[Z];
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = y[Z] * y[Z];
}

#ifdef RESIDUAL /* the same as F(t, y, y', p) = 0 */
static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    rhs(t, y, p, r);
    r[X] -= yp[X];
}
#define EQUATIONS .residual = residual
#else
#define EQUATIONS .rhs = rhs, .mass = COSTATE_VALUES(1, 0)
#endif

COSTATE_MODEL(linear_index1,
    .states = 2, .params = 3, .state_names = COSTATE_NAMES("x", "z"), .y0 = COSTATE_VALUES(1, 0),
    .p = COSTATE_VALUES(1.5, 0.4, 0.8), .t0 = 0, .t1 = 2, EQUATIONS, .terminal = terminal, .running = running)
