/* kinks */
/* A ladder of diodes and capacitors driven by a sine; the exponential of a diode is continued by its tangent above a limit. */
#include <costate/model.h>
#define STAGES 12
#define VT 0.02585

static double diode(double v, double is)
{
    const double vmax = 0.8;
    double x = v / VT;
    if (v < vmax) {
        return is * (exp(x) - 1.0);
    } else {
        double e = exp(vmax / VT);
        return is * (e * (1.0 + (v - vmax) / VT) - 1.0);
    }
}

static void rhs(double t, const double *v, const double *p, double *f)
{
    const double R = p[0], C = p[1], Is = p[2], amp = p[3], freq = p[4];
    const double source = amp * sin(2 * M_PI * freq * t);
    double current_in = (source - v[0]) / R;
    for (int k = 0; k < STAGES; k++) {
        double current_out = 0.0;
        if (k + 1 < STAGES) current_out = diode(v[k] - v[k + 1], Is);
        f[k] = (current_in - current_out - v[k] / (50 * R)) / C;
        current_in = current_out;
    }
}

static void init(const double *p, double *v)
{
    for (int k = 0; k < STAGES; k++) v[k] = 3.0 - 0.45 * k - (k % 3 == 0 ? 0.5 : 0.0);
}

COSTATE_MODEL(diode_ladder, .states = STAGES, .params = 5, .t0 = 0, .t1 = 1e-3,
              .p = COSTATE_VALUES(100.0, 1e-6, 1e-12, 5.0, 1000.0), .init = init, .rhs = rhs)
