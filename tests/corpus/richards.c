/* kinks */
/* Water in soil by Richards' equation, van Genuchten's curves for negative heads and saturation above. */
#include <costate/model.h>
#define CELLS 14

static double saturation(double h, double a, double n)
{
    if (h >= 0) return 1.0;
    return pow(1.0 + pow(-a * h, n), -(1.0 - 1.0 / n));
}

static double conductivity(double h, const double *p)
{
    const double m = 1.0 - 1.0 / p[1];
    if (h >= 0) return p[2];
    const double s = saturation(h, p[0], p[1]);
    const double inner = 1.0 - pow(1.0 - pow(s, 1.0 / m), m);
    return p[2] * sqrt(s) * inner * inner;
}

static double capacity(double h, const double *p)
{
    double m, ah;
    if (h >= 0) return 1e-3;
    m = 1.0 - 1.0 / p[1];
    ah = pow(-p[0] * h, p[1]);
    return 1e-3 + p[3] * m * p[1] * ah / (-h) * pow(1 + ah, -m - 1);
}

static void rhs(double t, const double *h, const double *p, double *f)
{
    const double dz = 0.1;
    double above = p[4] * (1 + sin(t)); /* rain */
    for (int i = 0; i < CELLS; i++) {
        double below;
        if (i == CELLS - 1) {
            below = conductivity(h[i], p);
        } else {
            double K = 0.5 * (conductivity(h[i], p) + conductivity(h[i + 1], p));
            below = -K * ((h[i + 1] - h[i]) / dz - 1.0);
        }
        f[i] = (above - below) / (dz * capacity(h[i], p));
        above = below;
    }
}

static void init(const double *p, double *h)
{
    for (int i = 0; i < CELLS; i++) h[i] = i < 10 ? -1.5 + 0.1 * i : 0.2;
}

COSTATE_MODEL(richards, .states = CELLS, .params = 5, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(2.0, 1.8, 0.3, 0.35, 0.02),
              .init = init, .rhs = rhs)
