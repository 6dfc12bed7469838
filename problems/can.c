/* can.c - sterilization of canned food: heat goes into half a can, a cylinder 0 <= r <= R, 0 <= z <= L, and destroys spores and
 * nutrient,
 *
 *     T_t = alpha (T_rr + T_r/r + T_zz),   T = v(t) on the wall, symmetric at r = 0 and z = 0,
 *     C_t = -ln 10/D C 10^((T - 121.11)/Z) at every node, for spores and for nutrient.
 *
 * The objective is what is left of the nutrient after 8000 s. D. B. Ozyurt and P. I. Barton, Cheap second order directional
 * derivatives of stiff ODE embedded functionals, SIAM J. Sci. Comput. 26 (2005) 1725, 4.3, with their differences at the
 * symmetric ends. Nodes are at r_i = i R/M, z_j = j L/N, i < M, j < N; a cell reaches half-way to the next, the last to the wall.
 * The control v is linear between KNOTS values at equal distances; parameters are these, then all initial values.
 *
 * -DM=5 -DN=5 -DKNOTS=100 set the sizes, M and N at least 4, KNOTS one of knots.h. Steps end at the knots, unless -DSTOPS=0. */
#include <costate/model.h>

#ifndef M
#define M 5
#endif
#ifndef N
#define N M
#endif
#ifndef KNOTS
#define KNOTS 100
#endif
#ifndef STOPS
#define STOPS 1
#endif

enum { NODES = M * N, SPORES = NODES, NUTRIENT = 2 * NODES, STATES = 3 * NODES };

static const double radius = 0.04375, height = 0.058, alpha = 1.5443e-7, end = 8000;
static const double ln10 = 2.302585092994045684;

static double control(double t, const double *p)
{
    const double at = t * (KNOTS - 1) / end;
    const int k = (int)fmax(0, fmin(floor(at), KNOTS - 2));
    return (1 - (at - k)) * p[k] + (at - k) * p[k + 1];
}

/* Second differences, times 4: at a symmetric end, beside it, and elsewhere. */
static double at_end(double f0, double f1, double f2, double f3)
{
    return -4 * f0 + f1 + 4 * f2 - f3;
}

static double beside(double f0, double f1, double f2, double f3)
{
    return 3 * f0 - 5 * f1 + f2 + f3;
}

static double inside(double before, double here, double after)
{
    return 4 * (before - 2 * here + after);
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double v = control(t, p), dr = radius / M, dz = height / N, byr = alpha / (4 * dr * dr), byz = alpha / (4 * dz * dz);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            const double *T = y + j * M + i;
            double outer, upper, flow;
            if (i < M - 1) outer = T[1];
            else outer = v;
            if (j < N - 1) upper = T[M];
            else upper = v;
            if (i == 0) flow = 2 * byr * at_end(T[0], T[1], T[2], T[3]);
            else if (i == 1) flow = byr * (beside(T[-1], T[0], T[1], T[2]) + 2 * (outer - T[-1]));
            else flow = byr * (inside(T[-1], T[0], outer) + 2 * (outer - T[-1]) / i);
            if (j == 0) flow += byz * at_end(T[0], T[M], T[2 * M], T[3 * M]);
            else if (j == 1) flow += byz * beside(T[-M], T[0], T[M], T[2 * M]);
            else flow += byz * inside(T[-M], T[0], upper);
            f[j * M + i] = flow;
        }
    for (int k = 0; k < NODES; k++) {
        f[SPORES + k] = -ln10 / 240 * y[SPORES + k] * exp((y[k] - 121.11) / 10 * ln10);
        f[NUTRIENT + k] = -ln10 / 10716 * y[NUTRIENT + k] * exp((y[k] - 121.11) / 25.56 * ln10);
    }
}

static void init(const double *p, double *y0)
{
    for (int k = 0; k < STATES; k++) y0[k] = p[KNOTS + k];
}

static void defaults(double *p)
{
    for (int k = 0; k < KNOTS; k++) p[k] = 100;
    for (int k = 0; k < NODES; k++) {
        p[KNOTS + k] = 71.11;
        p[KNOTS + SPORES + k] = 1e8;
        p[KNOTS + NUTRIENT + k] = 1;
    }
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            const double inner = i > 0 ? (i - 0.5) / M : 0, outer = i < M - 1 ? (i + 0.5) / M : 1;
            const double low = j > 0 ? (j - 0.5) / N : 0, high = j < N - 1 ? (j + 0.5) / N : 1;
            g[0] += (outer * outer - inner * inner) * (high - low) * y[NUTRIENT + j * M + i];
        }
}

#if STOPS
#define END 8000.0
#include "knots.h"
#define KINKS .timed_events = KNOTS - 2, .event_at = COSTATE_ARRAY(knots),
#else
#define KINKS
#endif

COSTATE_MODEL(can,
    .states = STATES, .params = KNOTS + STATES, .objective_names = COSTATE_NAMES("retention"), .t0 = 0, .t1 = 8000, KINKS
    .rhs = rhs, .init = init, .defaults = defaults, .terminal = terminal)
