/* Moments of a crystal size distribution with nucleation, growth and a cooling profile; binomial sums in a triangular loop. */
#include <costate/model.h>
#define MOMENTS 6

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *mu = y, C = y[MOMENTS], T = y[MOMENTS + 1];
    const double csat = 0.05 + 0.002 * T + 1e-5 * T * T, S = (C - csat) / csat;
    const double B = p[0] * pow(S, p[1]) * mu[3], G = p[2] * pow(S, p[3]);
    double agg;

    f[0] = B;
    for (int j = 1; j < MOMENTS; ++j) f[j] = j * G * mu[j - 1];
    for (int j = 0; j < MOMENTS; j++) {
        double binomial = 1.0;
        agg = 0.0;
        for (int k = 0; k <= j; k++) {
            agg += binomial * mu[k] * mu[j - k];
            binomial = binomial * (j - k) / (k + 1);
        }
        f[j] += p[4] * (0.5 * agg - mu[0] * mu[j]);
    }
    f[MOMENTS] = -3.0 * 0.5 * G * mu[2];
    f[MOMENTS + 1] = -p[5] * exp(-t / 50.0);
}

COSTATE_MODEL(crystallisation, .states = MOMENTS + 2, .params = 6, .t0 = 0, .t1 = 10,
              .y0 = COSTATE_VALUES(1.0, 0.8, 0.7, 0.65, 0.62, 0.6, 0.3, 40.0),
              .p = COSTATE_VALUES(0.05, 1.8, 0.02, 1.3, 0.01, 0.4), .rhs = rhs)
