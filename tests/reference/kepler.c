/* kepler.c - two bodies, q' = v, v' = -q/|q|^3 in the plane, followed backwards in time; no parameters.
 *
 *     psi_0 = q_x(t1),   psi_1 = |v|^2/2 - 1/|q|: the energy,   psi_2 = q_x v_y - q_y v_x: the angular momentum
 *
 * With G the matrix of -q/|q|^3's derivative, which is symmetric, all products follow from
 *
 *     G d = -d/r^3 + 3 q (q.d)/r^5,   (G' e) d = 3 (d (q.e) + e (q.d) + q (d.e))/r^5 - 15 q (q.d)(q.e)/r^7. */
#include "lanes.h"
#include "problems.h"

#include <math.h>

enum { N = 4, POSITION = 0, VELOCITY = 2, OBJECTIVES = 3 };

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static void tide(const double q[2], const double d[2], double out[2])
{
    double r2 = dot(q, q), r3 = r2 * sqrt(r2), s = 3 * dot(q, d) / (r2 * r3);
    for (int i = 0; i < 2; i++) out[i] = s * q[i] - d[i] / r3;
}

static void tide_dot(const double q[2], const double e[2], const double d[2], double out[2])
{
    double r2 = dot(q, q), r5 = r2 * r2 * sqrt(r2), qd = dot(q, d), qe = dot(q, e), s = dot(d, e) - 5 * qd * qe / r2;
    for (int i = 0; i < 2; i++) out[i] = 3 * (d[i] * qe + e[i] * qd + q[i] * s) / r5;
}

/* Two consecutive components of a block in lane l. */
static void pair(const double *block, int first, int w, int l, double out[2])
{
    out[0] = lane(block, first, w, l);
    out[1] = lane(block, first + 1, w, l);
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    double r2 = dot(y, y), r3 = r2 * sqrt(r2);
    f[0] = y[2], f[1] = y[3];
    f[2] = -y[0] / r3, f[3] = -y[1] / r3;
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    for (int l = 0; l < w; l++) {
        double qd[2], g[2];
        pair(ydot, POSITION, w, l, qd);
        tide(y, qd, g);
        for (int i = 0; i < 2; i++) {
            fdot[(POSITION + i) * w + l] = lane(ydot, VELOCITY + i, w, l);
            fdot[(VELOCITY + i) * w + l] = g[i];
        }
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (int l = 0; l < w; l++) {
        double uv[2], g[2];
        pair(u, VELOCITY, w, l, uv);
        tide(y, uv, g);
        for (int i = 0; i < 2; i++) {
            add(yb, POSITION + i, w, l, g[i]);
            add(yb, VELOCITY + i, w, l, u[(POSITION + i) * w + l]);
        }
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    for (int l = 0; l < w; l++) {
        double q1[2], q2[2], g[2];
        pair(ydot1, POSITION, w, l, q1);
        pair(ydot2, POSITION, w, l, q2);
        tide_dot(y, q1, q2, g);
        for (int i = 0; i < 2; i++) {
            fdd[(POSITION + i) * w + l] = 0;
            fdd[(VELOCITY + i) * w + l] = g[i];
        }
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    for (int l = 0; l < w; l++) {
        double qd[2], uv[2], uvd[2], g[2], gd[2];
        pair(ydot, POSITION, w, l, qd);
        pair(u, VELOCITY, w, l, uv);
        pair(udot, VELOCITY, w, l, uvd);
        tide(y, uvd, g);
        tide_dot(y, qd, uv, gd);
        for (int i = 0; i < 2; i++) {
            add(ybdot, POSITION + i, w, l, g[i] + gd[i]);
            add(ybdot, VELOCITY + i, w, l, lane(udot, POSITION + i, w, l));
        }
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    for (int i = 0; i < N * N; i++) j[i] = 0;
    for (int c = 0; c < 2; c++) {
        double unit[2] = {c == 0, c == 1};
        tide(y, unit, j + N * (POSITION + c) + VELOCITY);
        j[POSITION + c + N * (VELOCITY + c)] = 1;
    }
    return 0;
}

/* ---- objectives --------------------------------------------------------------------------------------------------------- */

static int at_end(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[0] = y[0];
    g[1] = dot(y + VELOCITY, y + VELOCITY) / 2 - 1 / sqrt(dot(y, y));
    g[2] = y[0] * y[3] - y[1] * y[2];
    return 0;
}

static int at_end_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    double r2 = dot(y, y), r3 = r2 * sqrt(r2);
    for (int l = 0; l < w; l++) {
        double qd[2], vd[2];
        pair(ydot, POSITION, w, l, qd);
        pair(ydot, VELOCITY, w, l, vd);
        gdot[l] = qd[0];
        gdot[w + l] = dot(y + VELOCITY, vd) + dot(y, qd) / r3;
        gdot[2 * w + l] = qd[0] * y[3] + y[0] * vd[1] - qd[1] * y[2] - y[1] * vd[0];
    }
    return 0;
}

static int at_end_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                      void *data)
{
    double r2 = dot(y, y), r3 = r2 * sqrt(r2);
    for (int l = 0; l < w; l++) {
        double ux = u[l], ue = u[w + l], um = u[2 * w + l];
        add(yb, 0, w, l, ux + ue * y[0] / r3 + um * y[3]);
        add(yb, 1, w, l, ue * y[1] / r3 - um * y[2]);
        add(yb, 2, w, l, ue * y[2] - um * y[1]);
        add(yb, 3, w, l, ue * y[3] + um * y[0]);
    }
    return 0;
}

static int at_end_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    double r2 = dot(y, y), r3 = r2 * sqrt(r2);
    for (int l = 0; l < w; l++) {
        double ue = u[w + l], um = u[2 * w + l], qd[2], vd[2], g[2];
        double uxd = lane(udot, 0, w, l), ued = lane(udot, 1, w, l), umd = lane(udot, 2, w, l);
        pair(ydot, POSITION, w, l, qd);
        pair(ydot, VELOCITY, w, l, vd);
        tide(y, qd, g);
        add(ybdot, 0, w, l, uxd + ued * y[0] / r3 - ue * g[0] + umd * y[3] + um * vd[1]);
        add(ybdot, 1, w, l, ued * y[1] / r3 - ue * g[1] - umd * y[2] - um * vd[0]);
        add(ybdot, 2, w, l, ued * y[2] + ue * vd[0] - umd * y[1] - um * qd[1]);
        add(ybdot, 3, w, l, ued * y[3] + ue * vd[1] + umd * y[0] + um * qd[0]);
    }
    return at_end_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

/* Gauss's f and g functions of the change E of eccentric anomaly, found by Newton's method from Kepler's equation
 *     sqrt(1/a^3) t = E - (1 - r0/a) sin E + (q0.v0/sqrt a)(1 - cos E). */
static void exact(double t, const double *y0, const double *p, double *y)
{
    double r0 = sqrt(dot(y0, y0)), a = 1 / (2 / r0 - dot(y0 + VELOCITY, y0 + VELOCITY)), root = sqrt(a), n = 1 / (a * root);
    double s = dot(y0, y0 + VELOCITY) / root, ec = 1 - r0 / a, E = n * t;
    for (int i = 0; i < 20; i++) E -= (E - ec * sin(E) + s * (1 - cos(E)) - n * t) / (1 - ec * cos(E) + s * sin(E));
    double r = a * (1 - ec * cos(E) + s * sin(E)), versine = 1 - cos(E);
    double f = 1 - a / r0 * versine, g = t - (E - sin(E)) / n;
    double fdot = -root / (r * r0) * sin(E), gdot = 1 - a / r * versine;
    for (int i = 0; i < 2; i++) {
        y[POSITION + i] = f * y0[POSITION + i] + g * y0[VELOCITY + i];
        y[VELOCITY + i] = fdot * y0[POSITION + i] + gdot * y0[VELOCITY + i];
    }
}

static const double start[] = {0.7, 0.2, -0.3, 1.1};
static const char *const states[] = {"q_x", "q_y", "v_x", "v_y"};

const problem problem_kepler = {
    .name = "kepler",
    .prob = {.n = N, .np = 0, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot, .jac = jac,
             .objectives = OBJECTIVES, .terminal = {at_end, at_end_jvp, at_end_vjp, at_end_vjp_dot, NULL}, .state_names = states},
    .y0 = start, .t0 = 0, .t1 = -5,
    .source = "solution by Kepler's equation; energy and angular momentum are conserved",
    .exact = exact, .conserved = 1u << 1 | 1u << 2,
};
