/* A transistor amplifier's node equations; g() is the junction, the capacitance matrix is inverted by hand. */
#include <costate/model.h>
#define UB 6.0
#define UF 0.026

static double g(double x, const double *p) { return p[0] * (exp(x / UF) - 1); }

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double alpha = p[1], R0 = p[2], R = p[3];
    const double Ue = 0.1 * sin(200 * M_PI * t);
    const double g1 = g(y[1] - y[2], p), g2 = g(y[4] - y[5], p);
    double r[8], d;

    r[0] = (y[0] - Ue) / R0;
    r[1] = y[1] * (1 / R + 1 / R) - UB / R + (1 - alpha) * g1;
    r[2] = y[2] / R - g1;
    r[3] = (y[3] - UB) / R + alpha * g1;
    r[4] = y[4] * 2 / R - UB / R + (1 - alpha) * g2;
    r[5] = y[5] / R - g2;
    r[6] = (y[6] - UB) / R + alpha * g2;
    r[7] = y[7] / R;
    /* blocks -C1 C1 / C1 -C1 are regularised by a small capacitance to earth */
    static const double C[5] = {1e-6, 2e-6, 3e-6, 4e-6, 5e-6};
    const double e = 1e-8;
    static const int pair[3][2] = {{0, 1}, {3, 4}, {6, 7}};
    for (int b = 0; b < 3; b++) {
        const int i = pair[b][0], j = pair[b][1];
        const double c = C[2 * b];
        d = (c + e) * (c + e) - c * c;
        f[i] = -((c + e) * r[i] + c * r[j]) / d;
        f[j] = -(c * r[i] + (c + e) * r[j]) / d;
    }
    f[2] = -r[2] / C[1];
    f[5] = -r[5] / C[3];
}

COSTATE_MODEL(transistor_amplifier, .states = 8, .params = 4, .t0 = 0, .t1 = 0.01,
    .y0 = COSTATE_VALUES(0.05, 3.0, 2.95, 5.8, 3.0, 2.94, 5.9, 0.1), .p = COSTATE_VALUES(1e-6, 0.99, 1000.0, 9000.0), .rhs = rhs)
