/* pendulum.c - a pendulum in the plane with the force in its rod as an algebraic state. The length is constrained twice
 * differentiated, so that the index is 1:
 *
 *     x' = u,  y' = v,  u' = -l x,  v' = -l y - g,   0 = u^2 + v^2 - l (x^2 + y^2) - g y
 *
 * It starts at rest at an angle. Objectives: x(T), l(T), the integral of x^2. */
#include <costate/model.h>

enum { X, Y, U, V, FORCE };
enum { GRAVITY, LENGTH, ANGLE };

static void init(const double *p, double *y0)
{
    y0[X] = p[LENGTH] * sin(p[ANGLE]);
    y0[Y] = -p[LENGTH] * cos(p[ANGLE]);
    y0[U] = y0[V] = 0;
    y0[FORCE] = p[GRAVITY] * cos(p[ANGLE]) / p[LENGTH];
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double square = y[X] * y[X] + y[Y] * y[Y];
    f[X] = y[U];
    f[Y] = y[V];
    f[U] = -y[FORCE] * y[X];
    f[V] = -y[FORCE] * y[Y] - p[GRAVITY];
    f[FORCE] = y[U] * y[U] + y[V] * y[V] - y[FORCE] * square - p[GRAVITY] * y[Y];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[X];
    g[1] = y[FORCE];
    g[2] = 0;
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = r[1] = 0;
    r[2] = y[X] * y[X];
}

#ifdef RESIDUAL /* the same as F(t, y, y', p) = 0 */
static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    rhs(t, y, p, r);
    for (int i = X; i <= V; i++) r[i] = 2 * (yp[i] - r[i]);
}
#define EQUATIONS .residual = residual
#else
#define EQUATIONS .rhs = rhs, .mass = COSTATE_VALUES(1, 1, 1, 1, 0)
#endif

COSTATE_MODEL(pendulum,
    .states = 5, .params = 3, .objectives = 3,
    .state_names = COSTATE_NAMES("x", "y", "u", "v", "force"), .param_names = COSTATE_NAMES("gravity", "length", "angle"),
    .p = COSTATE_VALUES(9.81, 1, 1), .t0 = 0, .t1 = 2, .init = init, EQUATIONS, .terminal = terminal, .running = running)
