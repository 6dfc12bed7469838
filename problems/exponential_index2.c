/* exponential_index2.c - a nonlinear system of index 2 with a solution in closed form for p = (1, 1): (e^t, e^-2t), z = e^2t. Its
 * algebraic state z is in no algebraic equation: it is what keeps the others on the constraint.
 *
 *     y1' = p0 y1 y2^2 z^2,   y2' = y1^2 y2^2 - 3 y2^2 z,   0 = y1^2 y2 - 1;   y1(0) = p1
 *
 * Objectives: y1(T) and z(T). */
#include <costate/model.h>

enum { Y1, Y2, Z };

static void init(const double *p, double *y0)
{
    y0[Y1] = p[1];
    y0[Y2] = 1 / (p[1] * p[1]);
    y0[Z] = 1;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[Y1] = p[0] * y[Y1] * y[Y2] * y[Y2] * y[Z] * y[Z];
    f[Y2] = y[Y1] * y[Y1] * y[Y2] * y[Y2] - 3 * y[Y2] * y[Y2] * y[Z];
    f[Z] = y[Y1] * y[Y1] * y[Y2] - 1;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[Y1];
    g[1] = y[Z];
}

#ifdef RESIDUAL /* the same as F(t, y, y', p) = 0 */
static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    rhs(t, y, p, r);
    r[Y1] -= yp[Y1];
    r[Y2] -= yp[Y2];
}
#define EQUATIONS .residual = residual
#else
#define EQUATIONS .rhs = rhs, .mass = COSTATE_VALUES(1, 1, 0)
#endif

COSTATE_MODEL(exponential_index2,
    .states = 3, .params = 2, .objectives = 2, .state_names = COSTATE_NAMES("y1", "y2", "z"), .p = COSTATE_VALUES(1, 1),
    .t0 = 0, .t1 = 1, .init = init, EQUATIONS, .index = COSTATE_VALUES(0, 0, 2), .terminal = terminal)
