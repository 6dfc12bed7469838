/* duffing.c - a forced oscillator, observed through a sensor with a gain and a drift:
 *
 *     x' = v,   v' = -delta v - alpha x - beta x^3 + gamma cos(omega t),   x(0) = A cos(phi),  v(0) = -A sin(phi)
 *
 *     psi_0 = sum over k of (kappa x(t_k) + rho t_k - d_k)^2 / 2                the misfit to the data d
 *     psi_1 = E(t1) + integral of delta v^2 - gamma v cos(omega t) dt           E = v^2/2 + alpha x^2/2 + beta x^4/4
 *
 * psi_1 is the energy at the end, with what was lost on the way given back: E(0), whatever the parameters. */
#include "lanes.h"
#include "problems.h"

#include <math.h>

enum { X, V };
enum { DELTA, ALPHA, BETA, GAMMA, OMEGA, A, PHI, KAPPA, RHO };
enum { MISFIT, ENERGY };
enum { OBSERVATIONS = 11 };

/* The first and the last observation are at the ends. The data are x for the parameters `origin`, rounded. */
static const double origin[] = {0.25, 1.1, 0.45, 0.85, 1.2, 1.1, 0.3, 1, 0};
static const double times[OBSERVATIONS] = {0, 0.8, 1.6, 2.4, 3.2, 4, 4.8, 5.6, 6.4, 7.2, 8};
static const double data_x[OBSERVATIONS] = {1.05, 0.63, 0.07, -0.58, -1.11, -0.9, 0.03, 1.14, 1.36, 0.28, -1.13};

/* (omega t)' along a direction */
static double phase_dot(double t, const double *p, int w, int l, const double *tdot, const double *pdot)
{
    return lane(pdot, OMEGA, w, l) * t + p[OMEGA] * lane(tdot, 0, w, l);
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    double x = y[X];
    f[X] = y[V];
    f[V] = -p[DELTA] * y[V] - p[ALPHA] * x - p[BETA] * x * x * x + p[GAMMA] * cos(p[OMEGA] * t);
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    double x = y[X], c = cos(p[OMEGA] * t), s = sin(p[OMEGA] * t), fx = -p[ALPHA] - 3 * p[BETA] * x * x;
    for (int l = 0; l < w; l++) {
        double vd = lane(ydot, V, w, l);
        fdot[X * w + l] = vd;
        fdot[V * w + l] = -p[DELTA] * vd + fx * lane(ydot, X, w, l) - lane(pdot, DELTA, w, l) * y[V]
                          - lane(pdot, ALPHA, w, l) * x - lane(pdot, BETA, w, l) * x * x * x + lane(pdot, GAMMA, w, l) * c
                          - p[GAMMA] * s * phase_dot(t, p, w, l, tdot, pdot);
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    double x = y[X], c = cos(p[OMEGA] * t), s = sin(p[OMEGA] * t);
    for (int l = 0; l < w; l++) {
        double uv = u[V * w + l];
        add(yb, X, w, l, (-p[ALPHA] - 3 * p[BETA] * x * x) * uv);
        add(yb, V, w, l, u[X * w + l] - p[DELTA] * uv);
        add(pb, DELTA, w, l, -y[V] * uv);
        add(pb, ALPHA, w, l, -x * uv);
        add(pb, BETA, w, l, -x * x * x * uv);
        add(pb, GAMMA, w, l, c * uv);
        add(pb, OMEGA, w, l, -p[GAMMA] * s * t * uv);
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    double x = y[X], c = cos(p[OMEGA] * t), s = sin(p[OMEGA] * t);
    for (int l = 0; l < w; l++) {
        double x1 = lane(ydot1, X, w, l), v1 = lane(ydot1, V, w, l), h1 = phase_dot(t, p, w, l, tdot1, pdot1);
        double x2 = lane(ydot2, X, w, l), v2 = lane(ydot2, V, w, l), h2 = phase_dot(t, p, w, l, tdot2, pdot2);
        double h12 = lane(pdot1, OMEGA, w, l) * lane(tdot2, 0, w, l) + lane(pdot2, OMEGA, w, l) * lane(tdot1, 0, w, l);
        fdd[X * w + l] = 0;
        fdd[V * w + l] = -lane(pdot1, DELTA, w, l) * v2 - lane(pdot2, DELTA, w, l) * v1 - lane(pdot1, ALPHA, w, l) * x2
                         - lane(pdot2, ALPHA, w, l) * x1 - 6 * p[BETA] * x * x1 * x2
                         - 3 * x * x * (lane(pdot1, BETA, w, l) * x2 + lane(pdot2, BETA, w, l) * x1)
                         - s * (lane(pdot1, GAMMA, w, l) * h2 + lane(pdot2, GAMMA, w, l) * h1)
                         - p[GAMMA] * (c * h1 * h2 + s * h12);
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    double x = y[X], c = cos(p[OMEGA] * t), s = sin(p[OMEGA] * t), fx = -p[ALPHA] - 3 * p[BETA] * x * x;
    for (int l = 0; l < w; l++) {
        double uv = u[V * w + l], uvd = lane(udot, V, w, l), xd = lane(ydot, X, w, l), vd = lane(ydot, V, w, l);
        double h = phase_dot(t, p, w, l, tdot, pdot), gd = lane(pdot, GAMMA, w, l), td = lane(tdot, 0, w, l);
        double fxd = -lane(pdot, ALPHA, w, l) - 3 * lane(pdot, BETA, w, l) * x * x - 6 * p[BETA] * x * xd;
        add(ybdot, X, w, l, fxd * uv + fx * uvd);
        add(ybdot, V, w, l, lane(udot, X, w, l) - p[DELTA] * uvd - lane(pdot, DELTA, w, l) * uv);
        add(pbdot, DELTA, w, l, -vd * uv - y[V] * uvd);
        add(pbdot, ALPHA, w, l, -xd * uv - x * uvd);
        add(pbdot, BETA, w, l, -3 * x * x * xd * uv - x * x * x * uvd);
        add(pbdot, GAMMA, w, l, -s * h * uv + c * uvd);
        add(pbdot, OMEGA, w, l, -((gd * s + p[GAMMA] * c * h) * t + p[GAMMA] * s * td) * uv - p[GAMMA] * s * t * uvd);
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    j[X + 2 * X] = 0, j[X + 2 * V] = 1;
    j[V + 2 * X] = -p[ALPHA] - 3 * p[BETA] * y[X] * y[X], j[V + 2 * V] = -p[DELTA];
    return 0;
}

/* ---- initial state ---------------------------------------------------------------------------------------------------- */

static int init(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[X] = p[A] * cos(p[PHI]);
    g[V] = -p[A] * sin(p[PHI]);
    return 0;
}

static int init_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    double c = cos(p[PHI]), s = sin(p[PHI]);
    for (int l = 0; l < w; l++) {
        double ad = lane(pdot, A, w, l), h = lane(pdot, PHI, w, l);
        gdot[X * w + l] = ad * c - p[A] * s * h;
        gdot[V * w + l] = -ad * s - p[A] * c * h;
    }
    return 0;
}

static int init_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    double c = cos(p[PHI]), s = sin(p[PHI]);
    for (int l = 0; l < w; l++) {
        double ux = u[X * w + l], uv = u[V * w + l];
        add(pb, A, w, l, c * ux - s * uv);
        add(pb, PHI, w, l, -p[A] * (s * ux + c * uv));
    }
    return 0;
}

static int init_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    double c = cos(p[PHI]), s = sin(p[PHI]);
    for (int l = 0; l < w; l++) {
        double ux = u[X * w + l], uv = u[V * w + l], uxd = lane(udot, X, w, l), uvd = lane(udot, V, w, l);
        double ad = lane(pdot, A, w, l), h = lane(pdot, PHI, w, l);
        add(pbdot, A, w, l, c * uxd - s * uvd - h * (s * ux + c * uv));
        add(pbdot, PHI, w, l, -ad * (s * ux + c * uv) - p[A] * (h * (c * ux - s * uv) + s * uxd + c * uvd));
    }
    return init_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- energy at the end ------------------------------------------------------------------------------------------------- */

static int energy(int k, double t, const double *y, const double *p, double *g, void *data)
{
    double xx = y[X] * y[X];
    g[MISFIT] = 0;
    g[ENERGY] = (y[V] * y[V] + p[ALPHA] * xx) / 2 + p[BETA] * xx * xx / 4;
    return 0;
}

static int energy_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    double x = y[X], xx = x * x;
    for (int l = 0; l < w; l++) {
        gdot[MISFIT * w + l] = 0;
        gdot[ENERGY * w + l] = y[V] * lane(ydot, V, w, l) + (p[ALPHA] + p[BETA] * xx) * x * lane(ydot, X, w, l)
                               + lane(pdot, ALPHA, w, l) * xx / 2 + lane(pdot, BETA, w, l) * xx * xx / 4;
    }
    return 0;
}

static int energy_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                      void *data)
{
    double x = y[X], xx = x * x;
    for (int l = 0; l < w; l++) {
        double ue = u[ENERGY * w + l];
        add(yb, X, w, l, (p[ALPHA] + p[BETA] * xx) * x * ue);
        add(yb, V, w, l, y[V] * ue);
        add(pb, ALPHA, w, l, xx / 2 * ue);
        add(pb, BETA, w, l, xx * xx / 4 * ue);
    }
    return 0;
}

static int energy_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    double x = y[X], xx = x * x;
    for (int l = 0; l < w; l++) {
        double ue = u[ENERGY * w + l], ued = lane(udot, ENERGY, w, l), xd = lane(ydot, X, w, l);
        double force_dot = (p[ALPHA] + 3 * p[BETA] * xx) * xd + (lane(pdot, ALPHA, w, l) + lane(pdot, BETA, w, l) * xx) * x;
        add(ybdot, X, w, l, force_dot * ue + (p[ALPHA] + p[BETA] * xx) * x * ued);
        add(ybdot, V, w, l, lane(ydot, V, w, l) * ue + y[V] * ued);
        add(pbdot, ALPHA, w, l, x * xd * ue + xx / 2 * ued);
        add(pbdot, BETA, w, l, xx * x * xd * ue + xx * xx / 4 * ued);
    }
    return energy_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- energy lost on the way -------------------------------------------------------------------------------------------- */

static int loss(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[MISFIT] = 0;
    g[ENERGY] = p[DELTA] * y[V] * y[V] - p[GAMMA] * y[V] * cos(p[OMEGA] * t);
    return 0;
}

static int loss_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    double v = y[V], c = cos(p[OMEGA] * t), s = sin(p[OMEGA] * t);
    for (int l = 0; l < w; l++) {
        gdot[MISFIT * w + l] = 0;
        gdot[ENERGY * w + l] = (2 * p[DELTA] * v - p[GAMMA] * c) * lane(ydot, V, w, l) + lane(pdot, DELTA, w, l) * v * v
                               - lane(pdot, GAMMA, w, l) * v * c + p[GAMMA] * v * s * phase_dot(t, p, w, l, tdot, pdot);
    }
    return 0;
}

static int loss_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    double v = y[V], c = cos(p[OMEGA] * t), s = sin(p[OMEGA] * t);
    for (int l = 0; l < w; l++) {
        double ue = u[ENERGY * w + l];
        add(yb, V, w, l, (2 * p[DELTA] * v - p[GAMMA] * c) * ue);
        add(pb, DELTA, w, l, v * v * ue);
        add(pb, GAMMA, w, l, -v * c * ue);
        add(pb, OMEGA, w, l, p[GAMMA] * v * s * t * ue);
    }
    return 0;
}

static int loss_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    double v = y[V], c = cos(p[OMEGA] * t), s = sin(p[OMEGA] * t);
    for (int l = 0; l < w; l++) {
        double ue = u[ENERGY * w + l], ued = lane(udot, ENERGY, w, l), vd = lane(ydot, V, w, l);
        double h = phase_dot(t, p, w, l, tdot, pdot), gd = lane(pdot, GAMMA, w, l), td = lane(tdot, 0, w, l);
        double slope_dot = 2 * (lane(pdot, DELTA, w, l) * v + p[DELTA] * vd) - gd * c + p[GAMMA] * s * h;
        add(ybdot, V, w, l, slope_dot * ue + (2 * p[DELTA] * v - p[GAMMA] * c) * ued);
        add(pbdot, DELTA, w, l, 2 * v * vd * ue + v * v * ued);
        add(pbdot, GAMMA, w, l, (v * s * h - vd * c) * ue - v * c * ued);
        add(pbdot, OMEGA, w, l,
            ((gd * v + p[GAMMA] * vd) * s * t + p[GAMMA] * v * (c * h * t + s * td)) * ue + p[GAMMA] * v * s * t * ued);
    }
    return loss_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- misfit to the data ------------------------------------------------------------------------------------------------ */

static double residual(int k, double t, const double *y, const double *p)
{
    return p[KAPPA] * y[X] + p[RHO] * t - data_x[k];
}

static double residual_dot(double t, const double *y, const double *p, int w, int l, const double *tdot, const double *ydot,
                           const double *pdot)
{
    return p[KAPPA] * lane(ydot, X, w, l) + lane(pdot, KAPPA, w, l) * y[X] + p[RHO] * lane(tdot, 0, w, l)
           + lane(pdot, RHO, w, l) * t;
}

static int misfit(int k, double t, const double *y, const double *p, double *g, void *data)
{
    double r = residual(k, t, y, p);
    g[MISFIT] = r * r / 2;
    g[ENERGY] = 0;
    return 0;
}

static int misfit_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    double r = residual(k, t, y, p);
    for (int l = 0; l < w; l++) {
        gdot[MISFIT * w + l] = r * residual_dot(t, y, p, w, l, tdot, ydot, pdot);
        gdot[ENERGY * w + l] = 0;
    }
    return 0;
}

static int misfit_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                      void *data)
{
    double r = residual(k, t, y, p);
    for (int l = 0; l < w; l++) {
        double um = u[MISFIT * w + l];
        add(yb, X, w, l, r * p[KAPPA] * um);
        add(pb, KAPPA, w, l, r * y[X] * um);
        add(pb, RHO, w, l, r * t * um);
    }
    return 0;
}

static int misfit_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    double r = residual(k, t, y, p);
    for (int l = 0; l < w; l++) {
        double um = u[MISFIT * w + l], rd = residual_dot(t, y, p, w, l, tdot, ydot, pdot);
        double rum_dot = rd * um + r * lane(udot, MISFIT, w, l);
        add(ybdot, X, w, l, p[KAPPA] * rum_dot + r * lane(pdot, KAPPA, w, l) * um);
        add(pbdot, KAPPA, w, l, y[X] * rum_dot + r * lane(ydot, X, w, l) * um);
        add(pbdot, RHO, w, l, t * rum_dot + r * lane(tdot, 0, w, l) * um);
    }
    return misfit_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static const double nominal[] = {0.3, 1, 0.5, 0.8, 1.2, 1.2, 0.4, 1.1, 0.02};
static const double state[] = {-0.849980650274729, -1.52518824980804};
static const char *const states[] = {"x", "v"};
static const char *const params[] = {"delta", "alpha", "beta", "gamma", "omega", "A", "phi", "kappa", "rho"};

const problem problem_duffing = {
    .name = "duffing",
    .prob = {.n = 2,
             .np = 9,
             .rhs = rhs,
             .jvp = jvp,
             .vjp = vjp,
             .jvp2 = jvp2,
             .vjp_dot = vjp_dot,
             .jac = jac,
             .init = {init, init_jvp, init_vjp, init_vjp_dot, NULL},
             .objectives = 2,
             .terminal = {energy, energy_jvp, energy_vjp, energy_vjp_dot, NULL},
             .running = {loss, loss_jvp, loss_vjp, loss_vjp_dot, NULL},
             .observe = {misfit, misfit_jvp, misfit_vjp, misfit_vjp_dot, NULL},
             .observations = OBSERVATIONS,
             .observe_at = times,
             .state_names = states,
             .param_names = params},
    .p = nominal,
    .t0 = 0,
    .t1 = 8,
    .source =
        "conservation of energy; the data are a solution; the state: integrated to round-off, which tests/test_known.c repeats",
    .rtol_ref = 1e-12,
    .state = state,
    .best = origin,
    .best_psi = OBSERVATIONS * 0.005 * 0.005 / 2,
    .conserved = 1u << ENERGY,
};
