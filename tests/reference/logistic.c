/* logistic.c - logistic growth with seasons, a scalar Riccati equation with a solution in closed form:
 *
 *     y' = m y z,   m = r (1 + eps cos(omega t)),   z = 1 - y/K
 *
 *     y(t) = K / (1 + (K/y0 - 1) exp(-r S)),   S = t + eps sin(omega t)/omega
 *
 *     psi_0 = y(t1),   psi_1 = integral of m z dt = log(y(t1)/y0)
 *
 * f = m y z and the integrand m z are made of the same two factors, so their products share the derivatives of m and z. */
#include "lanes.h"
#include "problems.h"

#include <math.h>

enum { R, K, EPS, OMEGA, NP };
enum { FINAL, GROWTH, OBJECTIVES };

typedef struct factors {
    double c, s; /* cos and sin of omega t */
    double m, z;
} factors;

static factors factors_at(double t, double y, const double *p)
{
    factors a = {.c = cos(p[OMEGA] * t), .s = sin(p[OMEGA] * t), .z = 1 - y / p[K]};
    a.m = p[R] * (1 + p[EPS] * a.c);
    return a;
}

/* Their first derivatives along the direction in lane l, with those of its parts. */
typedef struct factors_dot {
    double t, y, r, K, eps, omega, phase, m, z;
} factors_dot;

static factors_dot factors_along(const factors *a, double t, double y, const double *p, int w, int l, const double *tdot,
                                 const double *ydot, const double *pdot)
{
    factors_dot d = {.t = lane(tdot, 0, w, l), .y = lane(ydot, 0, w, l), .r = lane(pdot, R, w, l), .K = lane(pdot, K, w, l),
                     .eps = lane(pdot, EPS, w, l), .omega = lane(pdot, OMEGA, w, l)};
    d.phase = d.omega * t + p[OMEGA] * d.t;
    d.m = d.r * (1 + p[EPS] * a->c) + p[R] * (d.eps * a->c - p[EPS] * a->s * d.phase);
    d.z = (y / p[K] * d.K - d.y) / p[K];
    return d;
}

/* Transposed: seeds mb and zb on m and z become what they add to y and p. */
static void factors_back(const factors *a, double t, double y, const double *p, int w, int l, double mb, double zb, double *yb,
                         double *pb)
{
    add(yb, 0, w, l, -zb / p[K]);
    add(pb, R, w, l, (1 + p[EPS] * a->c) * mb);
    add(pb, K, w, l, y / (p[K] * p[K]) * zb);
    add(pb, EPS, w, l, p[R] * a->c * mb);
    add(pb, OMEGA, w, l, -p[R] * p[EPS] * a->s * t * mb);
}

/* The derivative of that, while the seeds move by mbd and zbd. */
static void factors_back_dot(const factors *a, const factors_dot *d, double t, double y, const double *p, int w, int l, double mb,
                             double mbd, double zb, double zbd, double *ybdot, double *pbdot)
{
    double kk = p[K] * p[K], cd = -a->s * d->phase, sd = a->c * d->phase;
    factors_back(a, t, y, p, w, l, mbd, zbd, ybdot, pbdot);
    add(ybdot, 0, w, l, d->K / kk * zb);
    add(pbdot, R, w, l, (d->eps * a->c + p[EPS] * cd) * mb);
    add(pbdot, K, w, l, (d->y - 2 * y * d->K / p[K]) / kk * zb);
    add(pbdot, EPS, w, l, (d->r * a->c + p[R] * cd) * mb);
    add(pbdot, OMEGA, w, l,
        -(((d->r * p[EPS] + p[R] * d->eps) * a->s + p[R] * p[EPS] * sd) * t + p[R] * p[EPS] * a->s * d->t) * mb);
}

/* ---- right-hand side -------------------------------------------------------------------------------------------------- */

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    factors a = factors_at(t, *y, p);
    *f = a.m * *y * a.z;
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    factors a = factors_at(t, *y, p);
    for (int l = 0; l < w; l++) {
        factors_dot d = factors_along(&a, t, *y, p, w, l, tdot, ydot, pdot);
        fdot[l] = d.m * *y * a.z + a.m * (d.y * a.z + *y * d.z);
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    factors a = factors_at(t, *y, p);
    for (int l = 0; l < w; l++) {
        add(yb, 0, w, l, a.m * a.z * u[l]);
        factors_back(&a, t, *y, p, w, l, *y * a.z * u[l], a.m * *y * u[l], yb, pb);
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    factors a = factors_at(t, *y, p);
    double k2 = p[K] * p[K];
    for (int l = 0; l < w; l++) {
        factors_dot d = factors_along(&a, t, *y, p, w, l, tdot1, ydot1, pdot1);
        factors_dot e = factors_along(&a, t, *y, p, w, l, tdot2, ydot2, pdot2);
        double season = -a.s * (d.eps * e.phase + e.eps * d.phase)
                        - p[EPS] * (a.c * d.phase * e.phase + a.s * (d.omega * e.t + e.omega * d.t));
        double mdd = d.r * (e.eps * a.c - p[EPS] * a.s * e.phase) + e.r * (d.eps * a.c - p[EPS] * a.s * d.phase) + p[R] * season;
        double zdd = (d.y * e.K + e.y * d.K - 2 * *y * d.K * e.K / p[K]) / k2;
        fdd[l] = mdd * *y * a.z + d.m * (e.y * a.z + *y * e.z) + e.m * (d.y * a.z + *y * d.z)
                 + a.m * (d.y * e.z + e.y * d.z + *y * zdd);
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    factors a = factors_at(t, *y, p);
    for (int l = 0; l < w; l++) {
        factors_dot d = factors_along(&a, t, *y, p, w, l, tdot, ydot, pdot);
        double ud = lane(udot, 0, w, l);
        add(ybdot, 0, w, l, (d.m * a.z + a.m * d.z) * u[l] + a.m * a.z * ud);
        factors_back_dot(&a, &d, t, *y, p, w, l, *y * a.z * u[l], (d.y * a.z + *y * d.z) * u[l] + *y * a.z * ud,
                         a.m * *y * u[l], (d.m * *y + a.m * d.y) * u[l] + a.m * *y * ud, ybdot, pbdot);
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    factors a = factors_at(t, *y, p);
    *j = a.m * (a.z - *y / p[K]);
    return 0;
}

/* ---- objectives --------------------------------------------------------------------------------------------------------- */

static int final(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[FINAL] = *y;
    g[GROWTH] = 0;
    return 0;
}

static int final_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                     const double *pdot, double *gdot, void *data)
{
    for (int l = 0; l < w; l++) {
        gdot[FINAL * w + l] = lane(ydot, 0, w, l);
        gdot[GROWTH * w + l] = 0;
    }
    return 0;
}

static int final_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                     void *data)
{
    for (int l = 0; l < w; l++) add(yb, 0, w, l, u[FINAL * w + l]);
    return 0;
}

static int final_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                         const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                         double *pbdot, void *data)
{
    for (int l = 0; l < w; l++) add(ybdot, 0, w, l, lane(udot, FINAL, w, l));
    return final_vjp(k, t, y, p, w, u, yb, pb, data);
}

static int growth(int k, double t, const double *y, const double *p, double *g, void *data)
{
    factors a = factors_at(t, *y, p);
    g[FINAL] = 0;
    g[GROWTH] = a.m * a.z;
    return 0;
}

static int growth_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    factors a = factors_at(t, *y, p);
    for (int l = 0; l < w; l++) {
        factors_dot d = factors_along(&a, t, *y, p, w, l, tdot, ydot, pdot);
        gdot[FINAL * w + l] = 0;
        gdot[GROWTH * w + l] = d.m * a.z + a.m * d.z;
    }
    return 0;
}

static int growth_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                      void *data)
{
    factors a = factors_at(t, *y, p);
    for (int l = 0; l < w; l++) factors_back(&a, t, *y, p, w, l, a.z * u[GROWTH * w + l], a.m * u[GROWTH * w + l], yb, pb);
    return 0;
}

static int growth_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    factors a = factors_at(t, *y, p);
    for (int l = 0; l < w; l++) {
        factors_dot d = factors_along(&a, t, *y, p, w, l, tdot, ydot, pdot);
        double ug = u[GROWTH * w + l], ugd = lane(udot, GROWTH, w, l);
        factors_back_dot(&a, &d, t, *y, p, w, l, a.z * ug, d.z * ug + a.z * ugd, a.m * ug, d.m * ug + a.m * ugd, ybdot, pbdot);
    }
    return growth_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static const double end = 5;

static void exact(double t, const double *y0, const double *p, double *y)
{
    double S = t + p[EPS] * sin(p[OMEGA] * t) / p[OMEGA];
    *y = p[K] / (1 + (p[K] / *y0 - 1) * exp(-p[R] * S));
}

static void exact_gradient(const double *y0, const double *p, double *psi, double *dy0, double *dp)
{
    double phase = p[OMEGA] * end, S = end + p[EPS] * sin(phase) / p[OMEGA], E = exp(-p[R] * S);
    double Q = p[K] / *y0, D = 1 + (Q - 1) * E, y = p[K] / D, by_rS = p[K] * (Q - 1) * E / (D * D);
    psi[FINAL] = y;
    psi[GROWTH] = log(y / *y0);
    dy0[FINAL] = Q * Q * E / (D * D);
    dp[R * OBJECTIVES] = S * by_rS;
    dp[K * OBJECTIVES] = (1 - Q * E / D) / D;
    dp[EPS * OBJECTIVES] = p[R] * sin(phase) / p[OMEGA] * by_rS;
    dp[OMEGA * OBJECTIVES] = p[R] * p[EPS] * (end * cos(phase) - sin(phase) / p[OMEGA]) / p[OMEGA] * by_rS;
    dy0[GROWTH] = dy0[FINAL] / y - 1 / *y0;
    for (int i = 0; i < NP; i++) dp[i * OBJECTIVES + GROWTH] = dp[i * OBJECTIVES] / y;
}

static const double start[] = {0.2}, nominal[] = {1.2, 2, 0.4, 3};
static const char *const states[] = {"y"}, *const params[] = {"r", "K", "eps", "omega"};

const problem problem_logistic = {
    .name = "logistic",
    .prob = {.n = 1, .np = NP, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot, .jac = jac,
             .objectives = OBJECTIVES, .terminal = {final, final_jvp, final_vjp, final_vjp_dot, NULL},
             .running = {growth, growth_jvp, growth_vjp, growth_vjp_dot, NULL}, .state_names = states, .param_names = params},
    .y0 = start, .p = nominal, .t0 = 0, .t1 = 5,
    .source = "closed form", .exact = exact, .exact_gradient = exact_gradient,
};
