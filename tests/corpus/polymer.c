/* Chain growth with a table of moments and a Horner evaluation of a viscosity polynomial, power by repeated multiplication. */
#include <costate/model.h>
#define LENGTHS 15
static const double viscosity[] = {1.0, 0.35, 0.12, 0.04, 0.011};

static double horner(const double *c, int n, double x)
{
    double r = c[n - 1];
    for (int k = n - 2; k >= 0; k--) r = r * x + c[k];
    return r;
}

static double ipow(double x, int n)
{
    double r = 1.0;
    for (int i = 0; i < n; i++) r *= x;
    return r;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double monomer = y[0], radicals = p[2] * sqrt(y[1]);
    const double conversion = 1.0 - monomer,
                 gel = 1.0 / horner(viscosity, sizeof viscosity / sizeof *viscosity, 3.0 * conversion);
    const double kp = p[0] * gel, kt = p[1] * gel * gel;
    double grown = kp * monomer * radicals;

    f[0] = -grown;
    f[1] = -p[3] * y[1];
    for (int n = 1; n <= LENGTHS; n++) {
        double probability = ipow(0.85, n - 1) * (1 - 0.85);
        f[1 + n] = grown * probability - kt * y[1 + n] * radicals + (n > 1 ? 0.1 * y[n] : 0.0) - 0.1 * y[1 + n];
    }
}

static void init(const double *p, double *y)
{
    y[0] = 0.8;
    y[1] = 0.05;
    for (int n = 1; n <= LENGTHS; n++) y[1 + n] = 0.02 / n;
}

COSTATE_MODEL(polymer, .states = LENGTHS + 2, .params = 4, .t0 = 0, .t1 = 5, .p = COSTATE_VALUES(2.0, 0.4, 1.5, 0.1),
              .init = init, .rhs = rhs)
