/* van_der_pol.c - Van der Pol's oscillator where it is stiff: x' = v, v' = k ((1 - x^2) v - x), p = k.
 *
 *     van_der_pol_mu       k = mu = 1e3, t in [0, 0.5], x(0) = 2, v(0) = -2/3 + 10/(81 mu) - 292/(2187 mu^2): it starts on the
 *                          slow manifold, wherever that is for the given mu
 *     van_der_pol_3 .. 6   k = 1/eps = mu^2 with mu = 1e3 .. 1e6, t in [0, 2], x(0) = 2, v(0) = -0.66: through two jumps
 *
 * The first: R. Martins and E. Lakshtanov, A C++ implementation of the discrete adjoint sensitivity analysis method for explicit
 * adaptive Runge-Kutta methods, 4.2. The others: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, IV.10. */
#include "lanes.h"
#include "problems.h"

enum { X, V, N };

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    double x = y[X], v = y[V];
    f[X] = v;
    f[V] = p[0] * ((1 - x * x) * v - x);
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    double x = y[X], v = y[V], a = (1 - x * x) * v - x, ax = -2 * x * v - 1, av = 1 - x * x;
    for (int l = 0; l < w; l++) {
        double xd = lane(ydot, X, w, l), vd = lane(ydot, V, w, l);
        fdot[X * w + l] = vd;
        fdot[V * w + l] = p[0] * (ax * xd + av * vd) + lane(pdot, 0, w, l) * a;
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    double x = y[X], v = y[V], a = (1 - x * x) * v - x, ax = -2 * x * v - 1, av = 1 - x * x;
    for (int l = 0; l < w; l++) {
        double ux = u[X * w + l], uv = u[V * w + l];
        add(yb, X, w, l, p[0] * ax * uv);
        add(yb, V, w, l, ux + p[0] * av * uv);
        add(pb, 0, w, l, a * uv);
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    double x = y[X], v = y[V], ax = -2 * x * v - 1, av = 1 - x * x;
    for (int l = 0; l < w; l++) {
        double x1 = lane(ydot1, X, w, l), v1 = lane(ydot1, V, w, l), x2 = lane(ydot2, X, w, l), v2 = lane(ydot2, V, w, l);
        fdd[X * w + l] = 0;
        fdd[V * w + l] = -2 * p[0] * (v * x1 * x2 + x * (x1 * v2 + x2 * v1)) + lane(pdot1, 0, w, l) * (ax * x2 + av * v2)
                         + lane(pdot2, 0, w, l) * (ax * x1 + av * v1);
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    double k = p[0], x = y[X], v = y[V], a = (1 - x * x) * v - x, ax = -2 * x * v - 1, av = 1 - x * x;
    for (int l = 0; l < w; l++) {
        double xd = lane(ydot, X, w, l), vd = lane(ydot, V, w, l), kd = lane(pdot, 0, w, l);
        double uv = u[V * w + l], uxd = lane(udot, X, w, l), uvd = lane(udot, V, w, l), kud = kd * uv + k * uvd;
        add(ybdot, X, w, l, ax * kud - 2 * (xd * v + x * vd) * k * uv);
        add(ybdot, V, w, l, uxd + av * kud - 2 * x * xd * k * uv);
        add(pbdot, 0, w, l, a * uvd + (ax * xd + av * vd) * uv);
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    j[X + N * X] = 0, j[X + N * V] = 1;
    j[V + N * X] = p[0] * (-2 * y[X] * y[V] - 1), j[V + N * V] = p[0] * (1 - y[X] * y[X]);
    return 0;
}

/* ---- the slow manifold at x = 2 ---------------------------------------------------------------------------------------- */

/* v on it, or its derivative of order 1 or 2 in mu */
static double manifold(int order, double mu)
{
    const double a = -2. / 3, b = 10. / 81, c = -292. / 2187;
    if (order == 0) return a + (b + c / mu) / mu;
    if (order == 1) return -(b + 2 * c / mu) / (mu * mu);
    return (2 * b + 6 * c / mu) / (mu * mu * mu);
}

static int init(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[X] = 2, g[V] = manifold(0, p[0]);
    return 0;
}

static int init_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    for (int l = 0; l < w; l++) {
        gdot[X * w + l] = 0;
        gdot[V * w + l] = manifold(1, p[0]) * lane(pdot, 0, w, l);
    }
    return 0;
}

static int init_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (int l = 0; l < w; l++) add(pb, 0, w, l, manifold(1, p[0]) * u[V * w + l]);
    return 0;
}

static int init_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    for (int l = 0; l < w; l++)
        add(pbdot, 0, w, l, manifold(1, p[0]) * lane(udot, V, w, l) + manifold(2, p[0]) * lane(pdot, 0, w, l) * u[V * w + l]);
    return init_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static const char *const states[] = {"x", "v"}, *const name_mu[] = {"mu"}, *const name_k[] = {"1/eps"};
static const double start[] = {2, -0.66};

#define OSCILLATOR                                                                                                               \
    .n = N, .np = 1, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot, .jac = jac, .autonomous = 1,          \
    .state_names = states
#define ANSWERS                                                                                                                  \
    .source = "Radau IIA of order 13 in quadruple precision; two tolerances agree", .rtol_ref = 1e-13, .state = state,           \
    .sensitivities = N, .dstate = dstate

const problem *stiff_van_der_pol_mu(void)
{
    static const double mu[] = {1e3};
    static const double state[] = {1.5969807786597043e+00, -1.0291030158787080e+00};
    static const sensitivity dstate[] = {{0, 0, -2.1164116029898983e-07}, {1, 0, -1.2821778828821480e-06}};
    static const problem q = {.name = "van_der_pol_mu",
                              .prob = {OSCILLATOR, .param_names = name_mu,
                                       .init = {init, init_jvp, init_vjp, init_vjp_dot, NULL}},
                              .p = mu, .t0 = 0, .t1 = 0.5, ANSWERS};
    return &q;
}

#define JUMPING(label)                                                                                                           \
    .name = label, .prob = {OSCILLATOR, .param_names = name_k}, .y0 = start, .p = k, .t0 = 0, .t1 = 2, .dy0 = dy0

const problem *stiff_van_der_pol_3(void)
{
    static const double k[] = {1e6};
    static const double state[] = {1.7061674375431954e+00, -8.9281001655109937e-01};
    static const sensitivity dstate[] = {{0, 0, -4.1259488239273283e-10}, {1, 0, -4.4236228658908546e-10}};
    static const double dy0[] = {1.3392150233386315e+00, 4.4640505738012589e-07};
    static const problem q = {JUMPING("van_der_pol_3"), ANSWERS};
    return &q;
}

const problem *stiff_van_der_pol_4(void)
{
    static const double k[] = {1e8};
    static const double state[] = {1.7055751782333375e+00, -8.9344529159369712e-01};
    static const sensitivity dstate[] = {{0, 0, -1.9329676972764216e-13}, {1, 0, -2.0739014595487158e-13}};
    static const double dy0[] = {1.3401679373756550e+00, 4.4672264628824345e-09};
    static const problem q = {JUMPING("van_der_pol_4"), ANSWERS};
    return &q;
}

const problem *stiff_van_der_pol_5(void)
{
    static const double k[] = {1e10};
    static const double state[] = {1.7055475042918287e+00, -8.9347498215080812e-01};
    static const sensitivity dstate[] = {{0, 0, -8.9937729910937693e-17}, {1, 0, -9.6484017477974371e-17}};
    static const double dy0[] = {1.3402124732260634e+00, 4.4673749108031822e-11};
    static const problem q = {JUMPING("van_der_pol_5"), ANSWERS};
    return &q;
}

const problem *stiff_van_der_pol_6(void)
{
    static const double k[] = {1e12};
    static const double state[] = {1.7055462175350835e+00, -8.9347636254684459e-01};
    static const sensitivity dstate[] = {{0, 0, -4.1771873725547306e-20}, {1, 0, -4.4810644305242185e-20}};
    static const double dy0[] = {1.3402145438202653e+00, 4.4673818127347143e-13};
    static const problem q = {JUMPING("van_der_pol_6"), ANSWERS};
    return &q;
}
