/* Grey radiation in a column: upward and downward fluxes by two recurrences over saved arrays, heating by their divergence. */
#include <costate/model.h>
#define LEV 12

static void rhs(double t, const double *T, const double *p, double *f)
{
    double trans[LEV], up[LEV + 1], down[LEV + 1];
    const double sigma = 5.67e-8;

    for (int k = 0; k < LEV; k++) trans[k] = exp(-p[0] * (1.0 + 0.1 * k) / LEV);
    down[LEV] = 0;
    for (int k = LEV; k > 0; k--) {
        const double B = sigma * T[k - 1] * T[k - 1] * T[k - 1] * T[k - 1];
        down[k - 1] = down[k] * trans[k - 1] + (1 - trans[k - 1]) * B;
    }
    up[0] = (1 - p[1]) * p[2] + down[0];
    for (int k = 0; k < LEV; k++) up[k + 1] = up[k] * trans[k] + (1 - trans[k]) * sigma * pow(T[k], 4);
    for (int k = 0; k < LEV; k++) {
        f[k] = p[3] * (up[k] - up[k + 1] + down[k + 1] - down[k]);
        if (k) f[k] += p[4] * (T[k - 1] - T[k] - 6.5);
        if (k + 1 < LEV) f[k] -= p[4] * (T[k] - T[k + 1] - 6.5);
    }
}

static void init(const double *p, double *T)
{
    for (int k = 0; k < LEV; k++) T[k] = 285.0 - 5.5 * k;
}

COSTATE_MODEL(radiative_column, .states = LEV, .params = 5, .t0 = 0, .t1 = 10, .p = COSTATE_VALUES(2.0, 0.3, 341.0, 0.1, 0.05),
              .init = init, .rhs = rhs)
