/* kinks */
/* Absorption, two compartments and an effect site with an Emax response; an infusion that runs every 12 hours for one hour. */
#include <costate/model.h>
#include <stdbool.h>

static bool infusing(double t)
{
    const double phase = fmod(t, 12.0);
    return phase < 1.0;
}

static int rhs(double t, const double *y, const double *p, double *f)
{
    const double ka = p[0], CL = p[1], V1 = p[2], Q = p[3], V2 = p[4], ke0 = p[5], EC50 = p[6], hill = p[7], kin = p[8],
                 kout = p[9];
    const double c1 = y[1] / V1, c2 = y[2] / V2;
    double rate = 0;

    if (V1 <= 0) return 1;
    if (infusing(t)) rate = p[10];
    f[0] = -ka * y[0];
    f[1] = rate + ka * y[0] - CL * c1 - Q * (c1 - c2);
    f[2] = Q * (c1 - c2);
    f[3] = ke0 * (c1 - y[3]);
    const double drug = pow(fmax(y[3], 0.0), hill);
    f[4] = kin * (1 - drug / (pow(EC50, hill) + drug)) - kout * y[4];
    return 0;
}

static const double measured[5] = {0.9, 1.4, 1.1, 0.7, 0.4};

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    const double error = log(y[1] / p[2]) - log(measured[k]);
    g[0] = 0.5 * error * error / 0.04;
}

COSTATE_MODEL(pkpd, .states = 5, .params = 11, .objectives = 1, .t0 = 0.5, .t1 = 0.9, .y0 = COSTATE_VALUES(80, 12, 20, 0.6, 0.9),
              .p = COSTATE_VALUES(1.0, 3.0, 12.0, 4.0, 30.0, 0.5, 0.8, 1.6, 1.0, 1.1, 20.0), .rhs = rhs, .observe = observe,
              .observations = 5, .observe_at = COSTATE_VALUES(0.5, 0.6, 0.7, 0.8, 0.9))
