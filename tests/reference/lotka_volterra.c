/* lotka_volterra.c - x' = alpha x - beta x y, y' = -gamma y + delta x y; the objective is the prey at the end. */
#include "lanes.h"
#include "problems.h"

enum { PREY, PREDATOR };
enum { ALPHA, BETA, GAMMA, DELTA };

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    f[PREY] = p[ALPHA] * y[PREY] - p[BETA] * y[PREY] * y[PREDATOR];
    f[PREDATOR] = -p[GAMMA] * y[PREDATOR] + p[DELTA] * y[PREY] * y[PREDATOR];
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    double x = y[PREY], z = y[PREDATOR];
    for (int l = 0; l < w; l++) {
        double xd = lane(ydot, PREY, w, l), zd = lane(ydot, PREDATOR, w, l), xzd = xd * z + x * zd;
        fdot[PREY * w + l] = p[ALPHA] * xd - p[BETA] * xzd + lane(pdot, ALPHA, w, l) * x - lane(pdot, BETA, w, l) * x * z;
        fdot[PREDATOR * w + l] = -p[GAMMA] * zd + p[DELTA] * xzd - lane(pdot, GAMMA, w, l) * z + lane(pdot, DELTA, w, l) * x * z;
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    double x = y[PREY], z = y[PREDATOR];
    for (int l = 0; l < w; l++) {
        double ux = u[PREY * w + l], uz = u[PREDATOR * w + l], m = p[DELTA] * uz - p[BETA] * ux;
        add(yb, PREY, w, l, p[ALPHA] * ux + m * z);
        add(yb, PREDATOR, w, l, m * x - p[GAMMA] * uz);
        add(pb, ALPHA, w, l, x * ux);
        add(pb, BETA, w, l, -x * z * ux);
        add(pb, GAMMA, w, l, -z * uz);
        add(pb, DELTA, w, l, x * z * uz);
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    double x = y[PREY], z = y[PREDATOR];
    for (int l = 0; l < w; l++) {
        double x1 = lane(ydot1, PREY, w, l), z1 = lane(ydot1, PREDATOR, w, l), xz1 = x1 * z + x * z1;
        double x2 = lane(ydot2, PREY, w, l), z2 = lane(ydot2, PREDATOR, w, l), xz2 = x2 * z + x * z2;
        double xz12 = x1 * z2 + x2 * z1;
        fdd[PREY * w + l] = lane(pdot1, ALPHA, w, l) * x2 + lane(pdot2, ALPHA, w, l) * x1 - p[BETA] * xz12
                            - lane(pdot1, BETA, w, l) * xz2 - lane(pdot2, BETA, w, l) * xz1;
        fdd[PREDATOR * w + l] = -lane(pdot1, GAMMA, w, l) * z2 - lane(pdot2, GAMMA, w, l) * z1 + p[DELTA] * xz12
                                + lane(pdot1, DELTA, w, l) * xz2 + lane(pdot2, DELTA, w, l) * xz1;
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    double x = y[PREY], z = y[PREDATOR];
    for (int l = 0; l < w; l++) {
        double ux = u[PREY * w + l], uz = u[PREDATOR * w + l], m = p[DELTA] * uz - p[BETA] * ux;
        double xd = lane(ydot, PREY, w, l), zd = lane(ydot, PREDATOR, w, l), xzd = xd * z + x * zd;
        double uxd = lane(udot, PREY, w, l), uzd = lane(udot, PREDATOR, w, l);
        double md = p[DELTA] * uzd - p[BETA] * uxd + lane(pdot, DELTA, w, l) * uz - lane(pdot, BETA, w, l) * ux;
        add(ybdot, PREY, w, l, lane(pdot, ALPHA, w, l) * ux + p[ALPHA] * uxd + md * z + m * zd);
        add(ybdot, PREDATOR, w, l, md * x + m * xd - lane(pdot, GAMMA, w, l) * uz - p[GAMMA] * uzd);
        add(pbdot, ALPHA, w, l, xd * ux + x * uxd);
        add(pbdot, BETA, w, l, -xzd * ux - x * z * uxd);
        add(pbdot, GAMMA, w, l, -zd * uz - z * uzd);
        add(pbdot, DELTA, w, l, xzd * uz + x * z * uzd);
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    j[PREY + 2 * PREY] = p[ALPHA] - p[BETA] * y[PREDATOR];
    j[PREY + 2 * PREDATOR] = -p[BETA] * y[PREY];
    j[PREDATOR + 2 * PREY] = p[DELTA] * y[PREDATOR];
    j[PREDATOR + 2 * PREDATOR] = -p[GAMMA] + p[DELTA] * y[PREY];
    return 0;
}

/* ---- the objective --------------------------------------------------------------------------------------------------- */

static int prey(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[0] = y[PREY];
    return 0;
}

static int prey_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    for (int l = 0; l < w; l++) gdot[l] = lane(ydot, PREY, w, l);
    return 0;
}

static int prey_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (int l = 0; l < w; l++) add(yb, PREY, w, l, u[l]);
    return 0;
}

static int prey_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    for (int l = 0; l < w; l++) add(ybdot, PREY, w, l, lane(udot, 0, w, l));
    return prey_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static const double start[] = {10, 5}, nominal[] = {1.1, 0.4, 0.4, 0.1};
static const char *const states[] = {"prey", "predator"}, *const params[] = {"alpha", "beta", "gamma", "delta"};

static const double state[] = {13.633639243921598, 2.551950971187434}, psi[] = {13.633639243921598};
static const double dy0[] = {0.5748207970875032, 2.0844795927877606};
static const double dp[] = {-1.6198755944329868, 26.05599490984705, 25.113531271852167, -78.85431273046551};

const problem problem_lotka_volterra = {
    .name = "lotka_volterra",
    .prob = {.n = 2, .np = 4, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot, .jac = jac,
             .objectives = 1, .terminal = {prey, prey_jvp, prey_vjp, prey_vjp_dot, NULL}, .state_names = states,
             .param_names = params},
    .y0 = start, .p = nominal, .t0 = 0, .t1 = 10,
    .source = "integrated to round-off, which tests/test_known.c repeats",
    .rtol_ref = 1e-12, .state = state, .psi = psi, .dy0 = dy0, .dp = dp,
};
