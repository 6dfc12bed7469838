/* A plankton column: light decreases with what is above (a carried sum), detritus sinks, four fields one after the other. */
#include <costate/model.h>
#define LAYERS 10
#define N_ (0 * LAYERS)
#define P_ (1 * LAYERS)
#define Z_ (2 * LAYERS)
#define D_ (3 * LAYERS)

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *N = y + N_, *P = y + P_, *Z = y + Z_, *D = y + D_;
    const double dz = 5.0, kw = 0.04, kc = p[0], mu = p[1], kn = p[2], graze = p[3], kp = p[4], mort = p[5], remin = p[6],
                 sink = p[7];
    double light = 80.0 * (1.2 + cos(2 * M_PI * t)), falling = 0.0;

    for (int k = 0; k < LAYERS; k++) {
        double att = (kw + kc * P[k]) * dz;
        double mean = light * (1.0 - exp(-att)) / att;
        double growth = mu * mean / (mean + 20.0) * N[k] / (kn + N[k]) * P[k];
        double eaten = graze * Z[k] * P[k] * P[k] / (kp * kp + P[k] * P[k]);
        light = light * exp(-att);

        f[N_ + k] = -growth + remin * D[k] + 0.25 * eaten;
        f[P_ + k] = growth - eaten - 0.02 * P[k];
        f[Z_ + k] = 0.5 * eaten - mort * Z[k] * Z[k];
        f[D_ + k] = 0.25 * eaten + 0.02 * P[k] + mort * Z[k] * Z[k] - remin * D[k] + (falling - sink * D[k]) / dz;
        falling = sink * D[k];
        for (int field = 0; field < 4; field++) {
            const double *c = y + field * LAYERS;
            if (k > 0) f[field * LAYERS + k] += p[8] * (c[k - 1] - c[k]) / (dz * dz);
            if (k < LAYERS - 1) f[field * LAYERS + k] += p[8] * (c[k + 1] - c[k]) / (dz * dz);
        }
    }
}

static void init(const double *p, double *y)
{
    for (int k = 0; k < LAYERS; k++) {
        y[N_ + k] = 2.0 + 0.5 * k;
        y[P_ + k] = 0.6 - 0.03 * k;
        y[Z_ + k] = 0.3;
        y[D_ + k] = 0.1 + 0.02 * k;
    }
}

COSTATE_MODEL(npzd_column, .states = 4 * LAYERS, .params = 9, .t0 = 0, .t1 = 5,
    .p = COSTATE_VALUES(0.03, 1.2, 0.7, 0.9, 0.6, 0.2, 0.05, 3.0, 8.0), .init = init, .rhs = rhs)
