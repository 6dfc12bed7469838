/* bead.c - a bead that slides on a bent wire without friction, in the plane: height = bend x^2. The wire's force keeps it there,
 * a state that no algebraic equation contains. The constraint is that the velocity is along the wire, the derivative of being on
 * it, so that the index is 2:
 *
 *     x' = u,  m u' = -2 bend x force - drag u,  m v' = force - m g - drag v,   0 = v - 2 bend x u
 *
 * How far along, and under what force, is it at the end? What drag takes out of it? */
#include <costate/model.h>

enum { X, U, V, FORCE };
enum { BEND, MASS, DRAG, START };

static void init(const double *p, double *y0)
{
    y0[X] = p[START];
    y0[U] = y0[V] = y0[FORCE] = 0; /* the force is a guess */
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double gravity = 9.81, slope = 2 * p[BEND] * y[X];
    f[X] = y[U];
    f[U] = (-slope * y[FORCE] - p[DRAG] * y[U]) / p[MASS];
    f[V] = (y[FORCE] - p[DRAG] * y[V]) / p[MASS] - gravity;
    f[FORCE] = y[V] - slope * y[U];
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
    r[2] = p[DRAG] * (y[U] * y[U] + y[V] * y[V]);
}

COSTATE_MODEL(bead,
    .states = 4, .params = 4, .objectives = 3,
    .state_names = COSTATE_NAMES("x", "u", "v", "force"),
    .param_names = COSTATE_NAMES("bend", "mass", "drag", "start"),
    .objective_names = COSTATE_NAMES("x", "force", "loss"),
    .p = COSTATE_VALUES(0.8, 0.2, 0.05, 1), .t0 = 0, .t1 = 3, .init = init, .rhs = rhs,
    .mass = COSTATE_VALUES(1, 1, 1, 0), .index = COSTATE_VALUES(0, 0, 0, 2), .terminal = terminal, .running = running)
