/* Allen-Cahn with no-flux boundaries by clamped indices; grid sizes are const ints, the padded copy is a VLA. */
#include <costate/model.h>
static const int nx = 8, ny = 6;
static int clamp(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static void rhs(double t, const double *phi, const double *p, double *f)
{
    double padded[ny + 2][nx + 2];
    for (int j = -1; j <= ny; j++)
        for (int i = -1; i <= nx; i++) padded[j + 1][i + 1] = phi[clamp(j, ny) * nx + clamp(i, nx)];
    for (int j = 1; j <= ny; j++)
        for (int i = 1; i <= nx; i++) {
            const double c = padded[j][i];
            double lap = -4 * c;
            lap += padded[j - 1][i];
            lap += padded[j + 1][i];
            lap += padded[j][i - 1];
            lap += padded[j][i + 1];
            f[(j - 1) * nx + i - 1] = p[0] * lap - p[1] * c * (c * c - 1.0) + p[2] * (1 - c * c);
        }
}

static void init(const double *p, double *phi)
{
    for (int k = 0; k < nx * ny; k++) phi[k] = 0.5 * sin(0.7 * k) + 0.1;
}

COSTATE_MODEL(allen_cahn_2d, .states = 48, .params = 3, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(0.4, 1.0, 0.1), .init = init,
              .rhs = rhs)
