/* chain.h - a ring of driven masses for tests of long runs: cheap, nonlinear, every product written by hand, with a
 * running and an observed objective.
 *
 *     y_i' = p0 (y_(i-1) - 2 y_i + y_(i+1)) - p1 y_i^3 + p2 sin(t + i pi/2),   indices modulo CHAIN
 *     psi  = integral of p1 |y|^2/2 dt + sum over k of |y(t_k)|^2/2 */
#ifndef TESTS_CHAIN_H
#define TESTS_CHAIN_H

#include <costate/costate.h>
#include <math.h>

enum { CHAIN = 22, CHAIN_NP = 3 }; /* no whole number of vectors */

static inline int chain_left(int i)
{
    return i ? i - 1 : CHAIN - 1;
}

static inline int chain_right(int i)
{
    return i < CHAIN - 1 ? i + 1 : 0;
}

/* Lane l of a block that may be missing. */
static inline double chain_lane(const double *block, int i, int w, int l)
{
    return block ? block[i * w + l] : 0;
}

static inline void chain_add(double *block, int i, int w, int l, double x)
{
    if (block) block[i * w + l] += x;
}

static inline double chain_bend(const double *y, int i, int w, int l) /* y_(i-1) - 2 y_i + y_(i+1) */
{
    return chain_lane(y, chain_left(i), w, l) - 2 * chain_lane(y, i, w, l) + chain_lane(y, chain_right(i), w, l);
}

static inline void chain_drive(double t, double drive[4]) /* sin(t + i pi/2) */
{
    drive[0] = sin(t), drive[1] = cos(t);
    drive[2] = -drive[0], drive[3] = -drive[1];
}

/* ---- right-hand side --------------------------------------------------------------------------------------------- */

static int chain_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)data;
    double drive[4];
    chain_drive(t, drive);
    for (int i = 0; i < CHAIN; i++) f[i] = p[0] * chain_bend(y, i, 1, 0) - p[1] * y[i] * y[i] * y[i] + p[2] * drive[i % 4];
    return 0;
}

static int chain_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                     const double *pdot, double *fdot, void *data)
{
    (void)tdot, (void)data; /* no explicit method asks for the derivative in t */
    double drive[4];
    chain_drive(t, drive);
    for (int i = 0; i < CHAIN; i++) {
        double bend = chain_bend(y, i, 1, 0), cube = y[i] * y[i] * y[i];
        for (int l = 0; l < w; l++)
            fdot[i * w + l] = p[0] * chain_bend(ydot, i, w, l) - 3 * p[1] * y[i] * y[i] * chain_lane(ydot, i, w, l) +
                              chain_lane(pdot, 0, w, l) * bend - chain_lane(pdot, 1, w, l) * cube +
                              chain_lane(pdot, 2, w, l) * drive[i % 4];
    }
    return 0;
}

static int chain_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)data;
    double drive[4];
    chain_drive(t, drive);
    for (int i = 0; i < CHAIN; i++) {
        double bend = chain_bend(y, i, 1, 0), square = y[i] * y[i];
        for (int l = 0; l < w; l++) {
            double x = u[i * w + l];
            chain_add(yb, i, w, l, p[0] * chain_bend(u, i, w, l) - 3 * p[1] * square * x);
            chain_add(pb, 0, w, l, bend * x);
            chain_add(pb, 1, w, l, -square * y[i] * x);
            chain_add(pb, 2, w, l, drive[i % 4] * x);
        }
    }
    return 0;
}

static int chain_vjp_points(int points, const double *t, const double *const *y, const double *p, int w, const double *const *u,
                            double *pb, void *data)
{
    for (int k = 0; k < points; k++) chain_vjp(t[k], y[k], p, w, u[k], NULL, pb, data);
    return 0;
}

static int chain_vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                         const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                         double *pbdot, void *data)
{
    (void)tdot;
    double drive[4];
    chain_drive(t, drive);
    for (int i = 0; i < CHAIN; i++) {
        double bend = chain_bend(y, i, 1, 0), square = y[i] * y[i];
        for (int l = 0; l < w; l++) {
            double x = u[i * w + l], xd = chain_lane(udot, i, w, l), yd = chain_lane(ydot, i, w, l);
            double p0d = chain_lane(pdot, 0, w, l), p1d = chain_lane(pdot, 1, w, l);
            chain_add(ybdot, i, w, l, p[0] * chain_bend(udot, i, w, l) - 3 * p[1] * square * xd + p0d * chain_bend(u, i, w, l) -
                                          3 * (p1d * square + 2 * p[1] * y[i] * yd) * x);
            chain_add(pbdot, 0, w, l, bend * xd + chain_bend(ydot, i, w, l) * x);
            chain_add(pbdot, 1, w, l, -square * (y[i] * xd + 3 * yd * x));
            chain_add(pbdot, 2, w, l, drive[i % 4] * xd);
        }
    }
    return chain_vjp(t, y, p, w, u, yb, pb, data);
}

/* ---- objectives: c |y|^2/2, where c is p1 for the running part and 1 for the observations ------------------------ */

static int chain_square(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = 0;
    for (int i = 0; i < CHAIN; i++) g[0] += y[i] * y[i] / 2;
    return 0;
}

static int chain_square_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                            const double *pdot, double *gdot, void *data)
{
    (void)k, (void)t, (void)p, (void)tdot, (void)pdot, (void)data;
    for (int l = 0; l < w; l++) {
        gdot[l] = 0;
        for (int i = 0; i < CHAIN; i++) gdot[l] += y[i] * chain_lane(ydot, i, w, l);
    }
    return 0;
}

static int chain_square_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                            void *data)
{
    (void)k, (void)t, (void)p, (void)pb, (void)data;
    for (int i = 0; i < CHAIN; i++)
        for (int l = 0; l < w; l++) chain_add(yb, i, w, l, y[i] * u[l]);
    return 0;
}

static int chain_square_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                                const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                                double *pbdot, void *data)
{
    (void)tdot, (void)pdot, (void)pbdot;
    for (int i = 0; i < CHAIN; i++)
        for (int l = 0; l < w; l++)
            chain_add(ybdot, i, w, l, chain_lane(ydot, i, w, l) * u[l] + y[i] * chain_lane(udot, 0, w, l));
    return chain_square_vjp(k, t, y, p, w, u, yb, pb, data);
}

static int chain_energy(int k, double t, const double *y, const double *p, double *g, void *data)
{
    int rc = chain_square(k, t, y, p, g, data);
    g[0] *= p[1];
    return rc;
}

static int chain_energy_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                            const double *pdot, double *gdot, void *data)
{
    double half;
    chain_square(k, t, y, p, &half, data);
    chain_square_jvp(k, t, y, p, w, tdot, ydot, pdot, gdot, data);
    for (int l = 0; l < w; l++) gdot[l] = p[1] * gdot[l] + chain_lane(pdot, 1, w, l) * half;
    return 0;
}

static int chain_energy_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                            void *data)
{
    double half;
    chain_square(k, t, y, p, &half, data);
    for (int l = 0; l < w; l++) {
        for (int i = 0; i < CHAIN; i++) chain_add(yb, i, w, l, p[1] * y[i] * u[l]);
        chain_add(pb, 1, w, l, half * u[l]);
    }
    return 0;
}

static int chain_energy_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                                const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                                double *pbdot, void *data)
{
    (void)tdot;
    double half;
    chain_square(k, t, y, p, &half, data);
    for (int l = 0; l < w; l++) {
        double p1d = chain_lane(pdot, 1, w, l), ud = chain_lane(udot, 0, w, l), slope = 0;
        for (int i = 0; i < CHAIN; i++) {
            double yd = chain_lane(ydot, i, w, l);
            slope += y[i] * yd;
            chain_add(ybdot, i, w, l, (p1d * y[i] + p[1] * yd) * u[l] + p[1] * y[i] * ud);
        }
        chain_add(pbdot, 1, w, l, slope * u[l] + half * ud);
    }
    return chain_energy_vjp(k, t, y, p, w, u, yb, pb, data);
}

static const double chain_times[] = {0, 1, 3.5, 10};

static inline costate_problem chain_problem(void)
{
    return (costate_problem){.n = CHAIN,
                             .np = CHAIN_NP,
                             .rhs = chain_rhs,
                             .jvp = chain_jvp,
                             .vjp = chain_vjp,
                             .vjp_points = chain_vjp_points,
                             .vjp_dot = chain_vjp_dot,
                             .objectives = 1,
                             .running = {chain_energy, chain_energy_jvp, chain_energy_vjp, chain_energy_vjp_dot, NULL},
                             .observe = {chain_square, chain_square_jvp, chain_square_vjp, chain_square_vjp_dot, NULL},
                             .observations = sizeof chain_times / sizeof *chain_times,
                             .observe_at = chain_times};
}

static inline void chain_defaults(double *p, double *y)
{
    p[0] = 2, p[1] = 0.5, p[2] = 1;
    for (int i = 0; i < CHAIN; i++) y[i] = cos(0.7 * i);
}

#endif
