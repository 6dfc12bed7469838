/* Hosts and mosquitoes with Erlang-distributed incubation: chains of compartments in two local arrays. */
#include <costate/model.h>
#define EH 3
#define EV 4

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double beta_h = p[0], beta_v = p[1], kh = p[2] * EH, kv = p[3] * EV, gamma = p[4], mu = p[5];
    const double *eh = y + 1, *ev = y + 1 + EH + 2 + 1;
    const double sh = y[0], ih = y[EH + 1], rh = y[EH + 2], sv = y[EH + 3], iv = y[EH + 4 + EV];
    double nh = sh + ih + rh, inflow;
    int i;

    for (i = 0; i < EH; i++) nh += eh[i];

    inflow = beta_h * sh * iv / nh;
    f[0] = -inflow;
    for (i = 0; i < EH; i++) {
        f[1 + i] = inflow - kh * eh[i];
        inflow = kh * eh[i];
    }
    f[EH + 1] = inflow - gamma * ih;
    f[EH + 2] = gamma * ih;

    const double temperature = 1.0 + 0.2 * sin(0.0172 * t);
    inflow = beta_v * temperature * sv * ih / nh;
    f[EH + 3] = mu * (1.0 - sv) - inflow;
    for (i = 0; i < EV; i++) {
        f[EH + 4 + i] = inflow - (kv + mu) * ev[i];
        inflow = kv * ev[i];
    }
    f[EH + 4 + EV] = inflow - mu * iv;
}

COSTATE_MODEL(seir_vector, .states = 5 + EH + EV, .params = 6, .t0 = 0, .t1 = 50,
    .y0 = COSTATE_VALUES(0.8, 0.02, 0.03, 0.01, 0.05, 0.1, 0.7, 0.02, 0.015, 0.01, 0.02, 0.04),
    .p = COSTATE_VALUES(0.4, 0.5, 0.2, 0.1, 0.14, 0.07), .rhs = rhs)
