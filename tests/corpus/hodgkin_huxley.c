/* kinks */
/* Hodgkin and Huxley's axon with guards at the removable singularities of the rates. */
#include <costate/model.h>

typedef struct { double C, gNa, gK, gL, ENa, EK, EL; } membrane;

static double vtrap(double x, double y)
{
    if (fabs(x / y) < 1e-6) return y * (1.0 - x / y / 2.0);
    return x / (exp(x / y) - 1.0);
}

static void rates(double v, double *a, double *b, int gate)
{
    if (gate == 0) {
        *a = 0.1 * vtrap(-(v + 40.0), 10.0);
        *b = 4.0 * exp(-(v + 65.0) / 18.0);
    } else if (gate == 1) {
        *a = 0.07 * exp(-(v + 65.0) / 20.0);
        *b = 1.0 / (exp(-(v + 35.0) / 10.0) + 1.0);
    } else {
        *a = 0.01 * vtrap(-(v + 55.0), 10.0);
        *b = 0.125 * exp(-(v + 65) / 80.0);
    }
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const membrane mb = {1.0, p[0], p[1], p[2], 50.0, -77.0, -54.4};
    const double v = y[0], m = y[1], h = y[2], n = y[3];
    double alpha, beta;

    const double I_stim = t > 0.5 && t < 20.0 ? p[3] : 0.0;
    const double INa = mb.gNa * m * m * m * h * (v - mb.ENa);
    const double IK = mb.gK * pow(n, 4) * (v - mb.EK);
    const double IL = mb.gL * (v - mb.EL);

    f[0] = (I_stim - INa - IK - IL) / mb.C;
    for (int gate = 0; gate < 3; gate++) {
        rates(v, &alpha, &beta, gate);
        f[1 + gate] = alpha * (1.0 - y[1 + gate]) - beta * y[1 + gate];
    }
}

COSTATE_MODEL(hodgkin_huxley, .states = 4, .params = 4, .t0 = 2, .t1 = 10, .y0 = COSTATE_VALUES(-60.0, 0.1, 0.55, 0.35),
    .state_names = COSTATE_NAMES("V", "m", "h", "n"), .p = COSTATE_VALUES(120.0, 36.0, 0.3, 10.0), .rhs = rhs)
