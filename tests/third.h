/* third.h - vjp_dot2, what the second order of Rosenbrock methods asks for, for some of the problems of reference/.
 *
 * Each is the problem's vjp written in numbers v + a e1 + b e2 + ab e1 e2 with e1^2 = e2^2 = 0: at (t, y, p) + e1 d1 + e2 d2 the
 * coefficient of e1 e2 is the second derivative along d1 and d2. */
#ifndef COSTATE_TESTS_THIRD_H
#define COSTATE_TESTS_THIRD_H

#include "problems.h"

#include <math.h>

enum { THIRD_MOST = 40 }; /* states, parameters or objectives of a problem */

typedef struct twice {
    double v, a, b, ab;
} twice;

static inline twice constant(double v)
{
    return (twice){.v = v};
}

static inline twice plus(twice x, twice y)
{
    return (twice){x.v + y.v, x.a + y.a, x.b + y.b, x.ab + y.ab};
}

static inline twice times(twice x, twice y)
{
    return (twice){x.v * y.v, x.a * y.v + x.v * y.a, x.b * y.v + x.v * y.b, x.ab * y.v + x.a * y.b + x.b * y.a + x.v * y.ab};
}

static inline twice scaled(double c, twice x)
{
    return times(constant(c), x);
}

static inline twice minus(twice x, twice y)
{
    return plus(x, scaled(-1, y));
}

/* f(x), given f and its first two derivatives there */
static inline twice applied(twice x, double f, double f1, double f2)
{
    return (twice){f, f1 * x.a, f1 * x.b, f1 * x.ab + f2 * x.a * x.b};
}

static inline twice cosine(twice x)
{
    return applied(x, cos(x.v), -sin(x.v), -cos(x.v));
}

static inline twice sine(twice x)
{
    return applied(x, sin(x.v), cos(x.v), -sin(x.v));
}

static inline twice inverse(twice x)
{
    return applied(x, 1 / x.v, -1 / (x.v * x.v), 2 / (x.v * x.v * x.v));
}

/* A vjp of one lane: u are plain numbers; yb and pb come in as zero. */
typedef void twice_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb);

typedef struct direction {
    const double *t, *y, *p;
} direction;

static inline double part(const double *block, int i, int w, int l)
{
    return block ? block[i * w + l] : 0;
}

/* Every lane of a vjp_dot2: n states, np parameters, `rows` seeds. */
static inline int third(twice_vjp *vjp, int n, int np, int rows, double t, const double *y, const double *p, int w, direction d1,
                        direction d2, const double *u, double *yb, double *pb)
{
    for (int l = 0; l < w; l++) {
        twice ty[THIRD_MOST], tp[THIRD_MOST], tyb[THIRD_MOST] = {{0}}, tpb[THIRD_MOST] = {{0}};
        double seed[THIRD_MOST];
        for (int i = 0; i < n; i++) ty[i] = (twice){y[i], part(d1.y, i, w, l), part(d2.y, i, w, l), 0};
        for (int i = 0; i < np; i++) tp[i] = (twice){p[i], part(d1.p, i, w, l), part(d2.p, i, w, l), 0};
        for (int i = 0; i < rows; i++) seed[i] = u[i * w + l];
        vjp((twice){t, part(d1.t, 0, w, l), part(d2.t, 0, w, l), 0}, ty, tp, seed, tyb, tpb);
        for (int i = 0; yb && i < n; i++) yb[i * w + l] += tyb[i].ab;
        for (int i = 0; pb && i < np; i++) pb[i * w + l] += tpb[i].ab;
    }
    return 0;
}

/* The vjp_dot2 name_dot2, of a right-hand side or of a running objective, made from the vjp `name`. */
#define THIRD_RHS(name, n, np)                                                                                                   \
    static int name##_dot2(double t, const double *y, const double *p, int w, const double *t1, const double *y1,                \
                           const double *p1, const double *t2, const double *y2, const double *p2, const double *u, double *yb,  \
                           double *pb, void *data)                                                                               \
    {                                                                                                                            \
        (void)data;                                                                                                              \
        return third(name, n, np, n, t, y, p, w, (direction){t1, y1, p1}, (direction){t2, y2, p2}, u, yb, pb);                   \
    }
#define THIRD_RUNNING(name, n, np, objectives)                                                                                   \
    static int name##_dot2(int k, double t, const double *y, const double *p, int w, const double *t1, const double *y1,         \
                           const double *p1, const double *t2, const double *y2, const double *p2, const double *u, double *yb,  \
                           double *pb, void *data)                                                                               \
    {                                                                                                                            \
        (void)k, (void)data;                                                                                                     \
        return third(name, n, np, objectives, t, y, p, w, (direction){t1, y1, p1}, (direction){t2, y2, p2}, u, yb, pb);          \
    }

/* ---- duffing: v' = -delta v - alpha x - beta x^3 + gamma cos(omega t); running delta v^2 - gamma v cos(omega t) ------------ */

enum { DUFFING_DELTA, DUFFING_ALPHA, DUFFING_BETA, DUFFING_GAMMA, DUFFING_OMEGA };

static void duffing_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    twice x = y[0], xx = times(x, x), phase = times(p[DUFFING_OMEGA], t);
    yb[0] = scaled(-u[1], plus(p[DUFFING_ALPHA], scaled(3, times(p[DUFFING_BETA], xx))));
    yb[1] = plus(constant(u[0]), scaled(-u[1], p[DUFFING_DELTA]));
    pb[DUFFING_DELTA] = scaled(-u[1], y[1]);
    pb[DUFFING_ALPHA] = scaled(-u[1], x);
    pb[DUFFING_BETA] = scaled(-u[1], times(x, xx));
    pb[DUFFING_GAMMA] = scaled(u[1], cosine(phase));
    pb[DUFFING_OMEGA] = scaled(-u[1], times(times(p[DUFFING_GAMMA], t), sine(phase)));
}

static void loss_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    twice v = y[1], phase = times(p[DUFFING_OMEGA], t), c = cosine(phase);
    yb[1] = scaled(u[1], minus(scaled(2, times(p[DUFFING_DELTA], v)), times(p[DUFFING_GAMMA], c)));
    pb[DUFFING_DELTA] = scaled(u[1], times(v, v));
    pb[DUFFING_GAMMA] = scaled(-u[1], times(v, c));
    pb[DUFFING_OMEGA] = scaled(u[1], times(times(p[DUFFING_GAMMA], v), times(t, sine(phase))));
}

THIRD_RHS(duffing_vjp, 2, 9)
THIRD_RUNNING(loss_vjp, 2, 9, 2)

/* ---- logistic: y' = m y z, running m z, m = r (1 + eps cos(omega t)), z = 1 - y/K ---------------------------------------- */

enum { LOGISTIC_R, LOGISTIC_K, LOGISTIC_EPS, LOGISTIC_OMEGA };

/* What seeds mb and zb on m and z pass on. */
static void logistic_factors(twice t, twice y, const twice *p, twice mb, twice zb, twice *yb, twice *pb)
{
    twice phase = times(p[LOGISTIC_OMEGA], t), c = cosine(phase), over = inverse(p[LOGISTIC_K]), rm = times(p[LOGISTIC_R], mb);
    *yb = minus(*yb, times(zb, over));
    pb[LOGISTIC_R] = times(plus(constant(1), times(p[LOGISTIC_EPS], c)), mb);
    pb[LOGISTIC_K] = times(times(y, zb), times(over, over));
    pb[LOGISTIC_EPS] = times(rm, c);
    pb[LOGISTIC_OMEGA] = scaled(-1, times(times(rm, p[LOGISTIC_EPS]), times(t, sine(phase))));
}

static twice logistic_m(twice t, const twice *p)
{
    return times(p[LOGISTIC_R], plus(constant(1), times(p[LOGISTIC_EPS], cosine(times(p[LOGISTIC_OMEGA], t)))));
}

static twice logistic_z(twice y, const twice *p)
{
    return minus(constant(1), times(y, inverse(p[LOGISTIC_K])));
}

static void logistic_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    twice m = logistic_m(t, p), z = logistic_z(*y, p);
    *yb = scaled(u[0], times(m, z));
    logistic_factors(t, *y, p, scaled(u[0], times(*y, z)), scaled(u[0], times(m, *y)), yb, pb);
}

static void growth_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    logistic_factors(t, *y, p, scaled(u[1], logistic_z(*y, p)), scaled(u[1], logistic_m(t, p)), yb, pb);
}

THIRD_RHS(logistic_vjp, 1, 4)
THIRD_RUNNING(growth_vjp, 1, 4, 2)

/* ---- lotka_volterra: x' = alpha x - beta x y, y' = -gamma y + delta x y -------------------------------------------------- */

static void lotka_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    twice m = minus(scaled(u[1], p[3]), scaled(u[0], p[1])), product = times(y[0], y[1]);
    (void)t;
    yb[0] = plus(scaled(u[0], p[0]), times(m, y[1]));
    yb[1] = minus(times(m, y[0]), scaled(u[1], p[2]));
    pb[0] = scaled(u[0], y[0]);
    pb[1] = scaled(-u[0], product);
    pb[2] = scaled(-u[1], y[1]);
    pb[3] = scaled(u[1], product);
}

THIRD_RHS(lotka_vjp, 2, 4)

/* ---- brusselator: u' = a + u^2 v - (b+1) u + d cells^2 L u, v' = b u - u^2 v + d cells^2 L v; running quadratic ---------- */

enum { BRUSSELATOR_N = 40 };

/* Diffusion is bilinear in d and y, so third derivatives are those of u^2 v alone. */
static void brusselator_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    (void)t, (void)p, (void)pb;
    for (int i = 0; i < BRUSSELATOR_N; i += 2) {
        double s = u[i] - u[i + 1];
        yb[i] = scaled(2 * s, times(y[i], y[i + 1]));
        yb[i + 1] = scaled(s, times(y[i], y[i]));
    }
}

/* <(u - a)^2>/2 and <u> - a have no third derivatives. */
static void nothing_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    (void)t, (void)y, (void)p, (void)u, (void)yb, (void)pb;
}

THIRD_RHS(brusselator_vjp, BRUSSELATOR_N, 3)
THIRD_RUNNING(nothing_vjp, BRUSSELATOR_N, 3, 2)

/* ---- van_der_pol: x' = v, v' = k ((1 - x^2) v - x) ----------------------------------------------------------------------- */

static void oscillator_vjp(twice t, const twice *y, const twice *p, const double *u, twice *yb, twice *pb)
{
    twice x = y[0], v = y[1], rest = minus(constant(1), times(x, x));
    (void)t;
    yb[0] = scaled(-u[1], times(p[0], plus(scaled(2, times(x, v)), constant(1))));
    yb[1] = plus(constant(u[0]), scaled(u[1], times(p[0], rest)));
    pb[0] = scaled(u[1], minus(times(rest, v), x));
}

THIRD_RHS(oscillator_vjp, 2, 1)

/* ---- the list ------------------------------------------------------------------------------------------------------------ */

enum { THIRD_DUFFING, THIRD_LOGISTIC, THIRD_LOTKA_VOLTERRA, THIRD_BRUSSELATOR, THIRD_VAN_DER_POL, THIRDS };

static inline problem third_problem(int i)
{
    const problem *const list[THIRDS] = {&problem_duffing, &problem_logistic, &problem_lotka_volterra, &problem_brusselator,
                                         stiff_van_der_pol_mu()};
    static costate_vjp_dot2_fn *const rhs[THIRDS] = {duffing_vjp_dot2, logistic_vjp_dot2, lotka_vjp_dot2, brusselator_vjp_dot2,
                                                     oscillator_vjp_dot2};
    problem q = *list[i];
    q.prob.vjp_dot2 = rhs[i];
    if (i == THIRD_DUFFING) q.prob.running.vjp_dot2 = loss_vjp_dot2;
    if (i == THIRD_LOGISTIC) q.prob.running.vjp_dot2 = growth_vjp_dot2;
    if (i == THIRD_BRUSSELATOR) q.prob.running.vjp_dot2 = nothing_vjp_dot2;
    return q;
}

#endif
