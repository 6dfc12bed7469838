/* ring_modulator.c - an electrical circuit that mixes a low-frequency and a high-frequency signal in a ring of four diodes: 15
 * voltages and currents. E. H. Horneber, Analyse nichtlinearer RLCUE-Netzwerke (1976); `ringmod` in the Test Set for IVP
 * Solvers (Mazzia and Magherini, Bari), with Cs = 2e-12. Let E be the incidence of the diodes and D(p) the capacitances of the
 * first seven rows, 1 in the others:
 *
 *     y' = f,   D f = K y + s u1(t) - E^T q(E y + e u2(t)),   q(x) = gamma (exp(delta x) - 1),   p = (C, Cs, Cp, gamma, delta)
 *
 * Along directions: D fdot = Ndot - f Ddot and D fdd = Ndd - fdot1 Ddot2 - fdot2 Ddot1 with N the right-hand side of D f = N. */
#include "lanes.h"
#include "problems.h"

#include <math.h>
#include <string.h>

enum { N = 15, DIODES = 4, SOURCE = 13 };
enum { C, CS, CP, GAMMA, DELTA, NP };

#define R 25e3
#define RP 50.0
#define LH 4.45
#define LS1 2e-3
#define LS2 5e-4
#define LS3 5e-4
#define RG1 36.3
#define RG2 17.3
#define RG3 17.3
#define RI 50.0
#define RC 600.0

/* K by its entries. */
typedef struct entry {
    int row, column;
    double value;
} entry;
static const entry K[] = {
    {0, 7, 1},    {0, 9, -0.5},  {0, 10, 0.5}, {0, 13, 1}, {0, 0, -1 / R},
    {1, 8, 1},    {1, 11, -0.5}, {1, 12, 0.5}, {1, 14, 1}, {1, 1, -1 / R},
    {2, 9, 1},    {3, 10, -1},   {4, 11, 1},   {5, 12, -1}, {6, 6, -1 / RP},
    {7, 0, -1 / LH}, {8, 1, -1 / LH},
    {9, 0, 0.5 / LS2},   {9, 2, -1 / LS2}, {9, 9, -RG2 / LS2},
    {10, 0, -0.5 / LS3}, {10, 3, 1 / LS3}, {10, 10, -RG3 / LS3},
    {11, 1, 0.5 / LS2},  {11, 4, -1 / LS2}, {11, 11, -RG2 / LS2},
    {12, 1, -0.5 / LS3}, {12, 5, 1 / LS3}, {12, 12, -RG3 / LS3},
    {13, 0, -1 / LS1}, {13, 13, -(RI + RG1) / LS1},
    {14, 1, -1 / LS1}, {14, 14, -(RC + RG1) / LS1},
};
enum { ENTRIES = sizeof K / sizeof *K };

static const int divisor[N] = {C, C, CS, CS, CS, CS, CP, -1, -1, -1, -1, -1, -1, -1, -1}; /* -1: 1 */
static const struct {
    int node[3];
    double sign[3], carrier; /* a row of E, and of e */
} diode[DIODES] = {
    {{2, 4, 6}, {1, -1, -1}, -1}, {{3, 5, 6}, {-1, 1, -1}, -1}, {{3, 4, 6}, {1, 1, 1}, 1}, {{2, 5, 6}, {-1, -1, 1}, 1}};

/* A point: f, and for the diodes the voltage and exp(delta x); u1, u2 with their first two derivatives. */
typedef struct local {
    double f[N], D[N], x[DIODES], e[DIODES], u1[3], u2[3];
} local;

static void wave(double amplitude, double omega, double t, double u[3])
{
    u[0] = amplitude * sin(omega * t);
    u[1] = amplitude * omega * cos(omega * t);
    u[2] = -omega * omega * u[0];
}

/* 1: a voltage at which the exponential overflows */
static int look(double t, const double *y, const double *p, local *a)
{
    const double pi = acos(-1);
    wave(0.5, 2e3 * pi, t, a->u1);
    wave(2, 2e4 * pi, t, a->u2);
    memset(a->f, 0, sizeof a->f);
    for (int k = 0; k < ENTRIES; k++) a->f[K[k].row] += K[k].value * y[K[k].column];
    a->f[SOURCE] += a->u1[0] / LS1;
    for (int d = 0; d < DIODES; d++) {
        a->x[d] = diode[d].carrier * a->u2[0];
        for (int i = 0; i < 3; i++) a->x[d] += diode[d].sign[i] * y[diode[d].node[i]];
        if (!(p[DELTA] * a->x[d] < 700)) return 1;
        a->e[d] = exp(p[DELTA] * a->x[d]);
        for (int i = 0; i < 3; i++) a->f[diode[d].node[i]] -= diode[d].sign[i] * p[GAMMA] * (a->e[d] - 1);
    }
    for (int i = 0; i < N; i++) a->f[i] /= a->D[i] = divisor[i] < 0 ? 1 : p[divisor[i]];
    return 0;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    local a;
    if (look(t, y, p, &a)) return 1;
    memcpy(f, a.f, sizeof a.f);
    return 0;
}

/* fdot for w lanes; of each diode xdot, and zdot = (delta x)dot */
static void tangent(const local *a, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                    double *fdot, double *xdot, double *zdot)
{
    memset(fdot, 0, sizeof(double) * (size_t)(N * w));
    for (int k = 0; ydot && k < ENTRIES; k++)
        for (int l = 0; l < w; l++) fdot[K[k].row * w + l] += K[k].value * ydot[K[k].column * w + l];
    for (int l = 0; l < w; l++) fdot[SOURCE * w + l] += a->u1[1] / LS1 * lane(tdot, 0, w, l);
    for (int d = 0; d < DIODES; d++) {
        for (int l = 0; l < w; l++) {
            double x = diode[d].carrier * a->u2[1] * lane(tdot, 0, w, l);
            for (int i = 0; i < 3; i++) x += diode[d].sign[i] * lane(ydot, diode[d].node[i], w, l);
            double z = lane(pdot, DELTA, w, l) * a->x[d] + p[DELTA] * x;
            double q = lane(pdot, GAMMA, w, l) * (a->e[d] - 1) + p[GAMMA] * a->e[d] * z;
            for (int i = 0; i < 3; i++) fdot[diode[d].node[i] * w + l] -= diode[d].sign[i] * q;
            xdot[d * w + l] = x;
            zdot[d * w + l] = z;
        }
    }
    for (int i = 0; i < N; i++)
        for (int l = 0; l < w && divisor[i] >= 0; l++)
            fdot[i * w + l] = (fdot[i * w + l] - a->f[i] * lane(pdot, divisor[i], w, l)) / a->D[i];
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    local a;
    double xdot[DIODES * w], zdot[DIODES * w];
    if (look(t, y, p, &a)) return 1;
    tangent(&a, p, w, tdot, ydot, pdot, fdot, xdot, zdot);
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    local a;
    double f1[N * w], f2[N * w], x1[DIODES * w], x2[DIODES * w], z1[DIODES * w], z2[DIODES * w];
    if (look(t, y, p, &a)) return 1;
    tangent(&a, p, w, tdot1, ydot1, pdot1, f1, x1, z1);
    tangent(&a, p, w, tdot2, ydot2, pdot2, f2, x2, z2);
    memset(fdd, 0, sizeof f1);
    for (int l = 0; l < w; l++) fdd[SOURCE * w + l] = a.u1[2] / LS1 * lane(tdot1, 0, w, l) * lane(tdot2, 0, w, l);
    for (int d = 0; d < DIODES; d++) {
        for (int l = 0; l < w; l++) {
            int at = d * w + l;
            double xdd = diode[d].carrier * a.u2[2] * lane(tdot1, 0, w, l) * lane(tdot2, 0, w, l);
            double zdd = lane(pdot1, DELTA, w, l) * x2[at] + lane(pdot2, DELTA, w, l) * x1[at] + p[DELTA] * xdd;
            double q = a.e[d] * (lane(pdot1, GAMMA, w, l) * z2[at] + lane(pdot2, GAMMA, w, l) * z1[at]
                                 + p[GAMMA] * (z1[at] * z2[at] + zdd));
            for (int i = 0; i < 3; i++) fdd[diode[d].node[i] * w + l] -= diode[d].sign[i] * q;
        }
    }
    for (int i = 0; i < N; i++)
        for (int l = 0; l < w && divisor[i] >= 0; l++)
            fdd[i * w + l] = (fdd[i * w + l] - f1[i * w + l] * lane(pdot2, divisor[i], w, l)
                              - f2[i * w + l] * lane(pdot1, divisor[i], w, l)) / a.D[i];
    return 0;
}

/* ---- transposed ----------------------------------------------------------------------------------------------------------- */

/* Nb = D^-1 u, what reaches the numerators; and K^T of that, added to yb. */
static void numerators(const local *a, int w, const double *u, double *Nb, double *yb)
{
    for (int i = 0; i < N; i++)
        for (int l = 0; l < w; l++) Nb[i * w + l] = u[i * w + l] / a->D[i];
    for (int k = 0; yb && k < ENTRIES; k++)
        for (int l = 0; l < w; l++) yb[K[k].column * w + l] += K[k].value * Nb[K[k].row * w + l];
}

/* qb = -E Nb of diode d in lane l */
static double current(const double *Nb, int d, int w, int l)
{
    double qb = 0;
    for (int i = 0; i < 3; i++) qb -= diode[d].sign[i] * Nb[diode[d].node[i] * w + l];
    return qb;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    local a;
    double Nb[N * w];
    if (look(t, y, p, &a)) return 1;
    numerators(&a, w, u, Nb, yb);
    for (int i = 0; i < N; i++)
        for (int l = 0; l < w && divisor[i] >= 0; l++) add(pb, divisor[i], w, l, -a.f[i] * Nb[i * w + l]);
    for (int d = 0; d < DIODES; d++) {
        for (int l = 0; l < w; l++) {
            double qb = current(Nb, d, w, l), zb = p[GAMMA] * a.e[d] * qb;
            add(pb, GAMMA, w, l, (a.e[d] - 1) * qb);
            add(pb, DELTA, w, l, a.x[d] * zb);
            for (int i = 0; i < 3; i++) add(yb, diode[d].node[i], w, l, diode[d].sign[i] * p[DELTA] * zb);
        }
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    local a;
    double Nb[N * w], Nbdot[N * w], moved[N * w], fdot[N * w], xdot[DIODES * w], zdot[DIODES * w];
    if (look(t, y, p, &a)) return 1;
    tangent(&a, p, w, tdot, ydot, pdot, fdot, xdot, zdot);
    numerators(&a, w, u, Nb, NULL);
    for (int i = 0; i < N; i++) /* D Nb = u moves by udot */
        for (int l = 0; l < w; l++)
            moved[i * w + l] = lane(udot, i, w, l) - (divisor[i] < 0 ? 0 : Nb[i * w + l] * lane(pdot, divisor[i], w, l));
    numerators(&a, w, moved, Nbdot, ybdot);
    for (int i = 0; i < N; i++)
        for (int l = 0; l < w && divisor[i] >= 0; l++)
            add(pbdot, divisor[i], w, l, -fdot[i * w + l] * Nb[i * w + l] - a.f[i] * Nbdot[i * w + l]);
    for (int d = 0; d < DIODES; d++) {
        for (int l = 0; l < w; l++) {
            double qb = current(Nb, d, w, l), qbd = current(Nbdot, d, w, l), e = a.e[d], z = zdot[d * w + l];
            double zb = p[GAMMA] * e * qb, zbd = (lane(pdot, GAMMA, w, l) + p[GAMMA] * z) * e * qb + p[GAMMA] * e * qbd;
            add(pbdot, GAMMA, w, l, e * z * qb + (e - 1) * qbd);
            add(pbdot, DELTA, w, l, xdot[d * w + l] * zb + a.x[d] * zbd);
            for (int i = 0; i < 3; i++)
                add(ybdot, diode[d].node[i], w, l, diode[d].sign[i] * (lane(pdot, DELTA, w, l) * zb + p[DELTA] * zbd));
        }
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    local a;
    if (look(t, y, p, &a)) return 1;
    memset(j, 0, sizeof(double) * N * N);
    for (int k = 0; k < ENTRIES; k++) j[K[k].row + N * K[k].column] += K[k].value / a.D[K[k].row];
    for (int d = 0; d < DIODES; d++)
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++) {
                int row = diode[d].node[i], column = diode[d].node[c];
                j[row + N * column] -= diode[d].sign[i] * diode[d].sign[c] * p[GAMMA] * p[DELTA] * a.e[d] / a.D[row];
            }
    return 0;
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static const double start[N], nominal[NP] = {1.6e-8, 2e-12, 1e-8, 40.67286402e-9, 17.7493332};
static const double scale[N] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-8, 1e-8, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6};

static const double state[N] = {
    -2.3390573584371500e-02, -7.3674854860082822e-03, 2.5829567099951822e-01, -4.0644657205847490e-01, -4.0394556644521790e-01,
    2.6079667661277522e-01, 1.1067618612732837e-01, 2.9399043424330777e-07, -2.8400299330658090e-08, 7.2671982672913222e-04,
    7.9294871970230776e-04, -7.2552834957656845e-04, -7.9414019685487152e-04, 7.0884954168756940e-05, 2.3900590752770986e-05};
static const double dy0[N] = {
    -4.7122105888166298e-05, -4.2744836012238003e-05, -2.9454890362043107e-09, -2.9454890274628480e-09, -2.6721244006933261e-09,
    -2.6721244094348306e-09, 5.3496591741491841e-11, 8.3188888515671081e+01, 4.3460730647991298e+01, 1.2158622693016618e-06,
    -1.2158555874083243e-06, 1.1903123364274267e-06, -1.1903190183184463e-06, -2.7143384955944795e-02, -4.6354153682579540e-03};
static const double dp[NP] = {-7.0302371297836788e+06, 4.9055487268092471e+08, -1.3347961651143416e+04, 7.1218323902162228e+04,
                              1.3841889459940183e-03};

static const char *const params[] = {"C", "Cs", "Cp", "gamma", "delta"};

const problem *stiff_ring_modulator(void)
{
    static const problem q = {
        .name = "ring_modulator",
        .prob = {.n = N, .np = NP, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot, .jac = jac,
                 .param_names = params},
        .y0 = start, .p = nominal, .t0 = 0, .t1 = 1e-3, .scale = scale,
        .source = "Radau IIA of order 13 in extended precision; the state agrees with the Test Set's to 3e-10", .rtol_ref = 1e-8,
        .state = state, .dy0 = dy0, .dp = dp};
    return &q;
}
