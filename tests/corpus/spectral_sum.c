/* A Galerkin model: quadratic interactions over a triple loop with integer conditions, coefficients from a helper of integers. */
#include <costate/model.h>
#include <stdlib.h>
#define MODES 7

static double coupling(int i, int j, int k)
{
    if (i + j == k) return 0.5 * k;
    if (abs(i - j) == k) return -0.25 * (i - j);
    return 0;
}

static void rhs(double t, const double *a, const double *p, double *f)
{
    for (int k = 0; k < MODES; k++) {
        const int kk = (k + 1) * (k + 1);
        double s = -p[0] * kk * a[k];
        for (int i = 0; i < MODES; i++)
            for (int j = 0; j < MODES; j++) {
                double c = coupling(i + 1, j + 1, k + 1);
                if (c == 0) continue;
                s -= c * a[i] * a[j];
            }
        f[k] = s + (k < 2 ? p[1 + k] : 0);
    }
}

COSTATE_MODEL(spectral_sum, .states = MODES, .params = 3, .t0 = 0, .t1 = 2,
              .y0 = COSTATE_VALUES(0.5, -0.3, 0.2, 0.15, -0.1, 0.05, 0.02), .p = COSTATE_VALUES(0.1, 0.4, 0.2), .rhs = rhs)
