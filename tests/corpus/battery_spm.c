/* Single particle model of a lithium-ion cell: spherical diffusion in two electrodes, Butler-Volmer kinetics, open-circuit fits,
 * heat. */
#include <costate/model.h>
#define NR 10
enum { DN, DP, KN, KP, RFILM, HEAT, COOL, NPAR };

typedef struct electrode { double radius, cmax, area, sign; } electrode;
static const electrode negative = {1.0, 1.0, 1.2, -1.0}, positive = {0.8, 1.1, 0.9, 1.0};

static double current(double t) { return 0.4 + 0.2 * sin(0.7 * t); }

static void diffusion(const electrode *el, double D, double j, const double *c, double *dc)
{
    const double dr = el->radius / NR;
    for (int i = 0; i < NR; i++) {
        const double ri = i * dr, ro = (i + 1) * dr, vol = (ro * ro * ro - ri * ri * ri) / 3;
        const double in = i > 0 ? D * ri * ri * (c[i] - c[i - 1]) / dr : 0.0;
        const double out = i < NR - 1 ? D * ro * ro * (c[i + 1] - c[i]) / dr : -ro * ro * j;
        dc[i] = (out - in) / vol;
    }
}

static double ocp_n(double x) { return 0.13 + 0.9 * exp(-18.0 * x) - 0.05 * tanh((x - 0.5) / 0.1); }
static double ocp_p(double x) { return 4.3 - 0.7 * x - 0.2 * x * x + 0.06 * tanh(10.0 * (0.55 - x)); }

static double overpotential(double j, double k, double x, double T)
{
    const double i0 = k * sqrt(x * (1.0 - x));
    return 2.0 * 0.0257 * T * asinh(j / (2.0 * i0));
}

static double voltage(double t, const double *y, const double *p)
{
    const double I = current(t), T = y[2 * NR];
    const double xn = y[NR - 1] / negative.cmax, xp = y[2 * NR - 1] / positive.cmax;
    return ocp_p(xp) - overpotential(I / positive.area, p[KP], xp, T) - ocp_n(xn) - overpotential(I / negative.area, p[KN], xn, T)
           - I * p[RFILM];
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double I = current(t), T = y[2 * NR], arr = exp(2.0 * (1.0 - 1.0 / T));
    diffusion(&negative, p[DN] * arr, I / negative.area * 0.05, y, f);
    diffusion(&positive, p[DP] * arr, -I / positive.area * 0.05, y + NR, f + NR);
    f[2 * NR] = p[HEAT] * I * (4.0 - voltage(t, y, p)) - p[COOL] * (T - 1.0);
}

static void terminal(double t, const double *y, const double *p, double *g) { g[0] = voltage(t, y, p); }

static void init(const double *p, double *y)
{
    for (int i = 0; i < NR; i++) y[i] = 0.7 + 0.01 * i, y[NR + i] = 0.5 - 0.005 * i;
    y[2 * NR] = 1.02;
}

COSTATE_MODEL(battery_spm, .states = 2 * NR + 1, .params = NPAR, .t0 = 0, .t1 = 2,
              .p = COSTATE_VALUES(0.3, 0.2, 1.5, 1.1, 0.05, 0.1, 0.3), .init = init, .rhs = rhs, .terminal = terminal)
