/* kepler.c - two bodies, q' = v, v' = -q/|q|^3 in the plane, followed backwards in time; no parameters.
 *
 *     psi_0 = q_x(t1),   psi_1 = |v|^2/2 - 1/|q|: the energy,   psi_2 = q_x v_y - q_y v_x: the angular momentum */
#include <costate/model.h>

static double length(const double *a)
{
    return sqrt(a[0] * a[0] + a[1] * a[1]);
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *q = y, *v = y + 2;
    double r = length(q), r3 = r * r * r;
    for (int i = 0; i < 2; i++) {
        f[i] = v[i];
        f[2 + i] = -q[i] / r3;
    }
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    const double *q = y, *v = &y[2];
    double speed = length(v);
    g[0] = q[0];
    g[1] = speed * speed / 2 - 1 / length(q);
    g[2] = q[0] * v[1] - q[1] * v[0];
}

COSTATE_MODEL(kepler,
    .states = 4, .params = 0, .objectives = 3,
    .state_names = COSTATE_NAMES("q_x", "q_y", "v_x", "v_y"),
    .objective_names = COSTATE_NAMES("q_x", "energy", "angular momentum"),
    .y0 = COSTATE_VALUES(0.7, 0.2, -0.3, 1.1), .t0 = 0, .t1 = -5, .rhs = rhs, .terminal = terminal)
