/* van_der_pol_control.c - optimal control of the van der Pol oscillator, as in 4.1 of Ozyurt and Barton, "Cheap second order
 * directional derivatives of stiff ODE embedded functionals", SIAM J. Sci. Comput. 26 (2005) 1725:
 *
 *     x1' = (1 - x2^2) x1 - x2 + v,   x2' = x1,   x3' = x1^2 + x2^2 + v^2,   x(0) = (0, 1, 0),   objective x3(5),
 *
 * with a control v that is linear in t between np knots t_i = 5 i/(np-1), where it takes the values p_i. The knots inside are
 * observation times, with contributions of zero, so that steps end where v has its kinks. */
#include "lanes.h"
#include "problems.h"

#include <math.h>

static const double horizon = 5;

/* The control at t: v = (1-s) p_i + s p_(i+1), and ds/dt = rate. */
typedef struct control {
    int i;
    double s, rate, v;
} control;

static control control_at(double t, const double *p, const void *data)
{
    int intervals = *(const int *)data - 1;
    control c = {.rate = intervals / horizon};
    c.i = (int)fmax(0, fmin(floor(t * c.rate), intervals - 1));
    c.s = t * c.rate - c.i;
    c.v = (1 - c.s) * p[c.i] + c.s * p[c.i + 1];
    return c;
}

/* Its derivative along (tdot, pdot) in lane l. */
static double control_dot(const control *c, const double *p, int w, int l, const double *tdot, const double *pdot)
{
    return (1 - c->s) * lane(pdot, c->i, w, l) + c->s * lane(pdot, c->i + 1, w, l)
           + lane(tdot, 0, w, l) * c->rate * (p[c->i + 1] - p[c->i]);
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    double v = control_at(t, p, data).v;
    f[0] = (1 - y[1] * y[1]) * y[0] - y[1] + v;
    f[1] = y[0];
    f[2] = y[0] * y[0] + y[1] * y[1] + v * v;
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    control c = control_at(t, p, data);
    for (int l = 0; l < w; l++) {
        double a = lane(ydot, 0, w, l), b = lane(ydot, 1, w, l), vd = control_dot(&c, p, w, l, tdot, pdot);
        fdot[l] = (1 - y[1] * y[1]) * a - (2 * y[0] * y[1] + 1) * b + vd;
        fdot[w + l] = a;
        fdot[2 * w + l] = 2 * (y[0] * a + y[1] * b + c.v * vd);
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    control c = control_at(t, p, data);
    for (int l = 0; l < w; l++) {
        double u0 = u[l], u1 = u[w + l], u2 = u[2 * w + l], vb = u0 + 2 * c.v * u2;
        add(yb, 0, w, l, (1 - y[1] * y[1]) * u0 + u1 + 2 * y[0] * u2);
        add(yb, 1, w, l, -(2 * y[0] * y[1] + 1) * u0 + 2 * y[1] * u2);
        add(pb, c.i, w, l, (1 - c.s) * vb);
        add(pb, c.i + 1, w, l, c.s * vb);
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    control c = control_at(t, p, data);
    for (int l = 0; l < w; l++) {
        double a1 = lane(ydot1, 0, w, l), b1 = lane(ydot1, 1, w, l), v1 = control_dot(&c, p, w, l, tdot1, pdot1);
        double a2 = lane(ydot2, 0, w, l), b2 = lane(ydot2, 1, w, l), v2 = control_dot(&c, p, w, l, tdot2, pdot2);
        double slope1 = c.rate * (lane(pdot1, c.i + 1, w, l) - lane(pdot1, c.i, w, l));
        double slope2 = c.rate * (lane(pdot2, c.i + 1, w, l) - lane(pdot2, c.i, w, l));
        double vdd = lane(tdot1, 0, w, l) * slope2 + lane(tdot2, 0, w, l) * slope1;
        fdd[l] = -2 * (y[1] * (a1 * b2 + a2 * b1) + y[0] * b1 * b2) + vdd;
        fdd[w + l] = 0;
        fdd[2 * w + l] = 2 * (a1 * a2 + b1 * b2 + v1 * v2 + c.v * vdd);
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    control c = control_at(t, p, data);
    for (int l = 0; l < w; l++) {
        double u0 = u[l], u2 = u[2 * w + l], vb = u0 + 2 * c.v * u2;
        double a = lane(ydot, 0, w, l), b = lane(ydot, 1, w, l), vd = control_dot(&c, p, w, l, tdot, pdot);
        double u0d = lane(udot, 0, w, l), u1d = lane(udot, 1, w, l), u2d = lane(udot, 2, w, l);
        double vbd = u0d + 2 * (vd * u2 + c.v * u2d), sd = lane(tdot, 0, w, l) * c.rate;
        add(ybdot, 0, w, l, (1 - y[1] * y[1]) * u0d - 2 * y[1] * b * u0 + u1d + 2 * (a * u2 + y[0] * u2d));
        add(ybdot, 1, w, l, -(2 * y[0] * y[1] + 1) * u0d - 2 * (a * y[1] + y[0] * b) * u0 + 2 * (b * u2 + y[1] * u2d));
        add(pbdot, c.i, w, l, (1 - c.s) * vbd - sd * vb);
        add(pbdot, c.i + 1, w, l, c.s * vbd + sd * vb);
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    j[0] = 1 - y[1] * y[1], j[3] = -2 * y[0] * y[1] - 1, j[6] = 0;
    j[1] = 1, j[4] = 0, j[7] = 0;
    j[2] = 2 * y[0], j[5] = 2 * y[1], j[8] = 0;
    return 0;
}

/* ---- the objective --------------------------------------------------------------------------------------------------- */

static int cost(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[0] = y[2];
    return 0;
}

static int cost_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    for (int l = 0; l < w; l++) gdot[l] = lane(ydot, 2, w, l);
    return 0;
}

static int cost_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (int l = 0; l < w; l++) add(yb, 2, w, l, u[l]);
    return 0;
}

static int cost_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    for (int l = 0; l < w; l++) add(ybdot, 2, w, l, lane(udot, 0, w, l));
    return cost_vjp(k, t, y, p, w, u, yb, pb, data);
}

static int knot(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[0] = 0;
    return 0;
}

static int knot_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    for (int l = 0; l < w; l++) gdot[l] = 0;
    return 0;
}

static int knot_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    return 0;
}

static int knot_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    return 0;
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static const int two = 2, eleven = 11;
static const double start[] = {0, 1, 0}, nominal[] = {0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7};
static const double knots[] = {0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5}, psi[] = {5.43815421090062};
static const double state[] = {1.5454913952688, 0.68657974362708, 5.4381542109006};
static const char source[] = "Ozyurt and Barton 4.1; integrated to round-off, which tests/test_known.c repeats";

static const double direction_2[] = {1.0 / 2, 1.0 / 2};
static const double dp_2[] = {-9.605292276913351, 3.4857072788594614}, hp_2[] = {112.13696705423278, 36.240346430430286};

static const double direction_11[] = {1.0 / 11, 1.0 / 11, 1.0 / 11, 1.0 / 11, 1.0 / 11, 1.0 / 11,
                                      1.0 / 11, 1.0 / 11, 1.0 / 11, 1.0 / 11, 1.0 / 11};
static const double dp_11[] = {-1.5544621135041843, -4.059230735315359, -4.331838323738071, -3.219570593277056,
                               -1.3566681788681056, 0.4597021759135812, 1.701254673244803, 2.2120816569723214,
                               2.069908100874247, 1.47689405458686, 0.48234428505706356};
static const double hp_11[] = {2.1088867312966846, 5.548773549354148, 6.422497025935246, 5.8056934262810245,
                               4.229384623650229, 2.456135072572483, 0.9993056333740928, 0.05006820243045203,
                               -0.3490677507255885, -0.2685395486411763, -0.02544360467934563};

const problem problem_van_der_pol_control_2 = {
    .name = "van_der_pol_control_2",
    .prob = {.n = 3, .np = 2, .data = (void *)&two, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot,
             .jac = jac, .objectives = 1, .terminal = {cost, cost_jvp, cost_vjp, cost_vjp_dot, NULL}},
    .y0 = start, .p = nominal, .t0 = 0, .t1 = 5,
    .source = source, .rtol_ref = 1e-12, .state = state, .psi = psi, .dp = dp_2, .direction = direction_2, .hp = hp_2,
};

const problem problem_van_der_pol_control_11 = {
    .name = "van_der_pol_control_11",
    .prob = {.n = 3, .np = 11, .data = (void *)&eleven, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot,
             .jac = jac, .objectives = 1, .terminal = {cost, cost_jvp, cost_vjp, cost_vjp_dot, NULL},
             .observe = {knot, knot_jvp, knot_vjp, knot_vjp_dot, NULL}, .observations = 9, .observe_at = knots},
    .y0 = start, .p = nominal, .t0 = 0, .t1 = 5,
    .source = source, .rtol_ref = 1e-12, .state = state, .psi = psi, .dp = dp_11, .direction = direction_11, .hp = hp_11,
};
