/* mixed_index2.c - algebraic states of index 1 and 2 in one system, with a constraint that depends on time and a parameter:
 *
 *     u' = b + (1 + v^2) a,   v' = -u b + p0 a,   0 = b - sin u - p1 a,   0 = u v + 0.1 u^3 - p2 e^-t
 *     u(0) = p3, v(0) = p2/p3 - 0.1 p3^2
 *
 * a is of index 2, and so is b, which a determines. Objectives: psi_0 = a(0)^2 + b(0), a closed form since there they follow from
 * u and v; psi_1 = u(T) a(T) + integral of a b. */
#include <costate/model.h>

enum { U, V, B, A };

static void init(const double *p, double *y0)
{
    y0[U] = p[3];
    y0[V] = p[2] / p[3] - 0.1 * p[3] * p[3];
    y0[B] = y0[A] = 0;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[U] = y[B] + (1 + y[V] * y[V]) * y[A];
    f[V] = -y[U] * y[B] + p[0] * y[A];
    f[B] = y[B] - sin(y[U]) - p[1] * y[A];
    f[A] = y[U] * (y[V] + 0.1 * y[U] * y[U]) - p[2] * exp(-t);
}

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    g[0] = y[A] * y[A] + y[B];
    g[1] = 0;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    g[1] = y[U] * y[A];
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = 0;
    r[1] = y[A] * y[B];
}

#ifdef RESIDUAL /* the same as F(t, y, y', p) = 0 */
static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    rhs(t, y, p, r);
    r[U] = 2 * (yp[U] - r[U]);
    r[V] -= yp[V] + 0.5 * (yp[U] - y[B] - (1 + y[V] * y[V]) * y[A]);
}
#define EQUATIONS .residual = residual
#else
static void weighed(double t, const double *y, const double *p, double *f)
{
    rhs(t, y, p, f);
    f[U] *= 2;
    f[V] *= 0.5;
}
#define EQUATIONS .rhs = weighed, .mass = COSTATE_VALUES(2, 0.5, 0, 0)
#endif

COSTATE_MODEL(mixed_index2,
    .states = 4, .params = 4, .objectives = 2, .state_names = COSTATE_NAMES("u", "v", "b", "a"),
    .p = COSTATE_VALUES(1.5, 0.3, 0.5, 0.8), .t0 = 0, .t1 = 1, .init = init, EQUATIONS,
    .index = COSTATE_VALUES(0, 0, 2, 2), .observe_at = COSTATE_VALUES(0), .observe = observe, .terminal = terminal,
    .running = running)
