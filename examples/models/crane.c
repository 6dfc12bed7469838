/* crane.c - a load on a rope under a trolley: M(y) y' = f, with a mass matrix that depends on the angle, as Lagrange's equations
 * give it. How much does the load still swing after a push, and how does that depend on the push, the rope and the load?
 *
 *     (trolley + load) v' + load rope (cos(a) w' - sin(a) w^2) = force(t) - drag v
 *     cos(a) v' + rope w' + 9.81 sin(a) = 0 */
#include <costate/model.h>

enum { X, V, A, W }; /* place and speed of the trolley; angle of the rope and its speed */
enum { TROLLEY, LOAD, ROPE, DRAG, PUSH, WHEN };

static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    const double late = (t - p[WHEN]) / 0.3, force = p[PUSH] * exp(-late * late);
    r[X] = yp[X] - y[V];
    r[A] = yp[A] - y[W];
    r[V] = (p[TROLLEY] + p[LOAD]) * yp[V] + p[LOAD] * p[ROPE] * (cos(y[A]) * yp[W] - sin(y[A]) * y[W] * y[W]) - force +
           p[DRAG] * y[V];
    r[W] = cos(y[A]) * yp[V] + p[ROPE] * yp[W] + 9.81 * sin(y[A]);
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[X];
    g[1] = 0.5 * p[ROPE] * p[ROPE] * y[W] * y[W] + 9.81 * p[ROPE] * (1 - cos(y[A]));
}

COSTATE_MODEL(crane,
    .states = 4, .params = 6, .objectives = 2, .state_names = COSTATE_NAMES("place", "speed", "angle", "turn"),
    .param_names = COSTATE_NAMES("trolley", "load", "rope", "drag", "push", "when"),
    .objective_names = COSTATE_NAMES("reach", "swing"), .y0 = COSTATE_VALUES(0, 0, 0, 0),
    .p = COSTATE_VALUES(800, 500, 6, 120, 2400, 1), .t0 = 0, .t1 = 8, .residual = residual, .terminal = terminal)
