/* stiff.h - stiff problems for the tests of implicit methods.
 *
 *     van der Pol   x' = v,  v' = mu ((1 - x^2) v - x),   x(0) = 2,  v(0) = -2/3 + 10/(81 mu) - 292/(2187 mu^2),   parameter mu;
 *                   every product by hand
 *     Robertson     a' = -0.04 a + 1e4 b c,  b' = 0.04 a - 1e4 b c - 3e7 b^2,  c' = 3e7 b^2;   jac by hand, all else from it
 *     switched      y' = -k(t) (y - cos t),  k = 1 up to t = 1 and 1e4 after, jac from the right: in a step from t = 1 on the
 *                   factors of the one before are of no use */
#ifndef TESTS_STIFF_H
#define TESTS_STIFF_H

#include <costate/costate.h>
#include <math.h>

static inline double stiff_lane(const double *block, int i, int w, int l)
{
    return block ? block[i * w + l] : 0;
}

static inline void stiff_add(double *block, int i, int w, int l, double x)
{
    if (block) block[i * w + l] += x;
}

/* ---- van der Pol --------------------------------------------------------------------------------------------------------- */

typedef struct vdp_parts { /* v' = mu g; g and its derivatives */
    double mu, g, gx, gv;
} vdp_parts;

static inline vdp_parts vdp_at(const double *y, const double *p)
{
    double x = y[0], v = y[1];
    return (vdp_parts){p[0], (1 - x * x) * v - x, -2 * x * v - 1, 1 - x * x};
}

static inline int vdp_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = y[1];
    f[1] = p[0] * vdp_at(y, p).g;
    return 0;
}

static inline int vdp_jac(double t, const double *y, const double *p, double *j, void *data)
{
    vdp_parts a = vdp_at(y, p);
    (void)t, (void)data;
    j[0] = 0, j[2] = 1;
    j[1] = a.mu * a.gx, j[3] = a.mu * a.gv;
    return 0;
}

static inline int vdp_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, double *fdot, void *data)
{
    vdp_parts a = vdp_at(y, p);
    (void)t, (void)tdot, (void)data;
    for (int l = 0; l < w; l++) {
        double xd = stiff_lane(ydot, 0, w, l), vd = stiff_lane(ydot, 1, w, l);
        fdot[l] = vd;
        fdot[w + l] = stiff_lane(pdot, 0, w, l) * a.g + a.mu * (a.gx * xd + a.gv * vd);
    }
    return 0;
}

static inline int vdp_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    vdp_parts a = vdp_at(y, p);
    (void)t, (void)data;
    for (int l = 0; l < w; l++) {
        stiff_add(yb, 0, w, l, a.mu * a.gx * u[w + l]);
        stiff_add(yb, 1, w, l, u[l] + a.mu * a.gv * u[w + l]);
        stiff_add(pb, 0, w, l, a.g * u[w + l]);
    }
    return 0;
}

static inline int vdp_vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                              const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                              double *pbdot, void *data)
{
    vdp_parts a = vdp_at(y, p);
    (void)tdot;
    for (int l = 0; l < w; l++) {
        double xd = stiff_lane(ydot, 0, w, l), vd = stiff_lane(ydot, 1, w, l), mud = stiff_lane(pdot, 0, w, l);
        double s = u[w + l], sd = stiff_lane(udot, 1, w, l), gxd = -2 * (xd * y[1] + y[0] * vd), gvd = -2 * y[0] * xd;
        stiff_add(ybdot, 0, w, l, a.mu * a.gx * sd + (mud * a.gx + a.mu * gxd) * s);
        stiff_add(ybdot, 1, w, l, stiff_lane(udot, 0, w, l) + a.mu * a.gv * sd + (mud * a.gv + a.mu * gvd) * s);
        stiff_add(pbdot, 0, w, l, a.g * sd + (a.gx * xd + a.gv * vd) * s);
    }
    return vdp_vjp(t, y, p, w, u, yb, pb, data);
}

static inline double vdp_slope(double mu) /* dv(0)/dmu */
{
    return -10 / (81 * mu * mu) + 2 * 292 / (2187 * mu * mu * mu);
}

static inline int vdp_init(int k, double t, const double *y, const double *p, double *g, void *data)
{
    double mu = p[0];
    (void)k, (void)t, (void)y, (void)data;
    g[0] = 2;
    g[1] = -2.0 / 3 + 10 / (81 * mu) - 292 / (2187 * mu * mu);
    return 0;
}

static inline int vdp_init_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                               const double *pdot, double *gdot, void *data)
{
    (void)k, (void)t, (void)y, (void)tdot, (void)ydot, (void)data;
    for (int l = 0; l < w; l++) {
        gdot[l] = 0;
        gdot[w + l] = vdp_slope(p[0]) * stiff_lane(pdot, 0, w, l);
    }
    return 0;
}

static inline int vdp_init_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                               void *data)
{
    (void)k, (void)t, (void)y, (void)yb, (void)data;
    for (int l = 0; l < w; l++) stiff_add(pb, 0, w, l, vdp_slope(p[0]) * u[w + l]);
    return 0;
}

static inline int vdp_init_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot,
                                   const double *ydot, const double *pdot, const double *u, const double *udot, double *yb,
                                   double *ybdot, double *pb, double *pbdot, void *data)
{
    double mu = p[0], bend = 20 / (81 * mu * mu * mu) - 6 * 292 / (2187 * mu * mu * mu * mu);
    (void)tdot, (void)ydot, (void)ybdot;
    for (int l = 0; l < w; l++)
        stiff_add(pbdot, 0, w, l, vdp_slope(mu) * stiff_lane(udot, 1, w, l) + bend * stiff_lane(pdot, 0, w, l) * u[w + l]);
    return vdp_init_vjp(k, t, y, p, w, u, yb, pb, data);
}

static inline costate_problem van_der_pol(void)
{
    return (costate_problem){.n = 2,
                             .np = 1,
                             .rhs = vdp_rhs,
                             .jvp = vdp_jvp,
                             .vjp = vdp_vjp,
                             .vjp_dot = vdp_vjp_dot,
                             .jac = vdp_jac,
                             .autonomous = 1,
                             .init = {.eval = vdp_init, .jvp = vdp_init_jvp, .vjp = vdp_init_vjp, .vjp_dot = vdp_init_vjp_dot}};
}

/* ---- Robertson ----------------------------------------------------------------------------------------------------------- */

static inline int robertson_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
    return 0;
}

static inline int robertson_jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)p, (void)data;
    j[0] = -0.04, j[3] = 1e4 * y[2], j[6] = 1e4 * y[1];
    j[2] = 0, j[5] = 6e7 * y[1], j[8] = 0;
    for (int k = 0; k < 9; k += 3) j[k + 1] = -j[k] - j[k + 2];
    return 0;
}

static inline costate_problem robertson(void)
{
    return (costate_problem){.n = 3, .rhs = robertson_rhs, .jac = robertson_jac, .autonomous = 1};
}

/* ---- switched ------------------------------------------------------------------------------------------------------------ */

static inline int switched_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)p, (void)data;
    f[0] = (t > 1 ? -1e4 : -1) * (y[0] - cos(t));
    return 0;
}

static inline int switched_jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)y, (void)p, (void)data;
    j[0] = t >= 1 ? -1e4 : -1;
    return 0;
}

static inline costate_problem switched(void)
{
    return (costate_problem){.n = 1, .rhs = switched_rhs, .jac = switched_jac};
}

#endif
