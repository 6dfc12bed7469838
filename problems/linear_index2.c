/* linear_index2.c - a linear system of index 2 with a solution in closed form: with a = (1 - p1 p2)/(1 + p2), K = p0/(1 + a),
 * x2 = (s - K) e^(a t) + K e^-t, z = -(1 + p1) x2/(1 + p2); s = p3 is x2(0).
 *
 *     x1' = p1 x2 + z,   x2' = -x1 + p2 z,   0 = x1 + x2 - p0 e^-t;   psi = z(T)^2 + x1(T) + integral of z x1 */
#include <costate/model.h>

enum { X1, X2, Z };

static void init(const double *p, double *y0)
{
    y0[X1] = p[0] - p[3];
    y0[X2] = p[3];
    y0[Z] = 0;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[X1] = p[1] * y[X2] + y[Z];
    f[X2] = -y[X1] + p[2] * y[Z];
    f[Z] = y[X1] + y[X2] - p[0] * exp(-t);
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[Z] * y[Z] + y[X1];
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = y[Z] * y[X1];
}

#ifdef RESIDUAL /* the same as F(t, y, y', p) = 0 */
static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    rhs(t, y, p, r);
    r[X1] = 3 * (yp[X1] - r[X1]);
    r[X2] += 0.5 * r[X1] - yp[X2];
}
#define EQUATIONS .residual = residual
#else
#define EQUATIONS .rhs = rhs, .mass = COSTATE_VALUES(1, 1, 0)
#endif

COSTATE_MODEL(linear_index2,
    .states = 3, .params = 4, .state_names = COSTATE_NAMES("x1", "x2", "z"),
    .param_names = COSTATE_NAMES("p0", "p1", "p2", "s"), .p = COSTATE_VALUES(1.2, 0.7, 0.5, 0.4), .t0 = 0, .t1 = 1,
    .init = init, EQUATIONS, .index = COSTATE_VALUES(0, 0, 2), .terminal = terminal, .running = running)
