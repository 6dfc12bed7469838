/* kinks */
/* Populations on patches with harvest by quota: a loop with break and continue, compound assignments, decrements, integer
 * division. */
#include <costate/model.h>
#define PATCHES 9

static void rhs(double t, const double *x, const double *p, double *f)
{
    double quota = p[2], taken;
    int row, i = PATCHES, open = 0;

    for (i = PATCHES - 1; i >= 0; i--) {
        row = i / 3;
        f[i] = p[0] * x[i];
        f[i] *= 1 - x[i] / p[1];
        f[i] -= 0.05 * row * x[i];
    }
    for (i = 0; i < PATCHES; i++) {
        if (i % 3 == 1) continue; /* a reserve */
        if (x[i] < 0.3) continue;
        taken = p[3] * x[i];
        if (taken > quota) {
            f[i] -= quota;
            quota = 0;
            break;
        }
        f[i] -= taken;
        quota -= taken;
        open++;
    }
    f[0] += quota * 0.01 + open * 0.0;
    for (i = 0; i < PATCHES; i++) {
        int left = i % 3 ? i - 1 : -1, up = i - 3;
        if (left >= 0) {
            double move = p[4] * (x[left] - x[i]);
            f[i] += move, f[left] -= move;
        }
        if (up >= 0) {
            const double move = p[4] * (x[up] - x[i]);
            f[i] += move;
            f[up] -= move;
        }
    }
}

COSTATE_MODEL(seasonal_harvest, .states = PATCHES, .params = 5, .t0 = 0, .t1 = 5,
              .y0 = COSTATE_VALUES(0.9, 1.1, 0.2, 0.8, 1.3, 1.2, 0.15, 0.7, 1.6), .p = COSTATE_VALUES(0.8, 2.0, 0.9, 0.35, 0.1),
              .rhs = rhs)
