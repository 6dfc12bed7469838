/* Goldbeter's model of the PER rhythm: Hill repression and Michaelis-Menten turnover, parameters by an enum and a local copy. */
#include <costate/model.h>
enum { vs, vm, Km, ks, vd, k1, k2, KI, Kd, V1, V2, V3, V4, K1, K2, K3, K4, NPAR };

static double mm(double v, double x, double k) { return v * x / (k + x); }

static void rhs(double t, const double *y, const double *par, double *f)
{
    double p[NPAR];
    for (int i = 0; i < NPAR; i++) p[i] = par[i];
    double light = 1.0 + 0.2 * tanh(5.0 * sin(2.0 * M_PI * t / 24.0));
    double M = y[0], P0 = y[1], P1 = y[2], P2 = y[3], PN = y[4];
    double KI4 = p[KI] * p[KI] * p[KI] * p[KI];

    f[0] = p[vs] * KI4 / (KI4 + PN * PN * PN * PN) - mm(p[vm], M, p[Km]);
    f[1] = p[ks] * M - mm(p[V1], P0, p[K1]) + mm(p[V2], P1, p[K2]);
    f[2] = mm(p[V1], P0, p[K1]) - mm(p[V2], P1, p[K2]) - mm(p[V3], P1, p[K3]) + mm(p[V4], P2, p[K4]);
    f[3] = mm(p[V3], P1, p[K3]) - mm(p[V4], P2, p[K4]) - p[k1] * P2 + p[k2] * PN - light * mm(p[vd], P2, p[Kd]);
    f[4] = p[k1] * P2 - p[k2] * PN;
}

COSTATE_MODEL(circadian, .states = 5, .params = NPAR, .t0 = 0, .t1 = 48, .y0 = COSTATE_VALUES(0.6, 0.5, 0.6, 0.6, 1.1),
    .p = COSTATE_VALUES(0.76, 0.65, 0.5, 0.38, 0.95, 1.9, 1.3, 1, 0.2, 3.2, 1.58, 5, 2.5, 2, 2, 2, 2), .rhs = rhs)
