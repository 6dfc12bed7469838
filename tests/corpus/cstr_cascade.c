/* Exothermic stirred tanks in series with cooling jackets and a PI controller, read from user data. */
#include <costate/model.h>
#define TANKS 4

struct plant { double flow, Tin, Cin; struct { double rho_cp, UA; } heat; };
const struct plant corpus_data = {1.1, 350.0, 1.0, {239.0, 50.0}};

static int rhs(double t, const double *y, const double *p, double *f, void *user)
{
    const struct plant *pl = (const struct plant *)user;
    const double k0 = p[0], E = p[1], dH = p[2], Kc = p[3], Ti = p[4], set = p[5];
    double Cprev = pl->Cin, Tprev = pl->Tin + 2.0 * sin(t);

    for (int i = 0; i < TANKS; i++) {
        double C = y[2 * i], T = y[2 * i + 1];
        double r = k0 * exp(-E / T) * C;
        double Tc = 300.0;
        if (i == TANKS - 1) Tc -= Kc * ((T - set) + y[2 * TANKS] / Ti);
        f[2 * i] = pl->flow * (Cprev - C) - r;
        f[2 * i + 1] = pl->flow * (Tprev - T) + dH / pl->heat.rho_cp * r + pl->heat.UA / pl->heat.rho_cp * (Tc - T);
        Cprev = C, Tprev = T;
    }
    f[2 * TANKS] = y[2 * TANKS - 1] - set;
    return 0;
}

COSTATE_MODEL(cstr_cascade, .states = 2 * TANKS + 1, .params = 6, .t0 = 0, .t1 = 1,
              .y0 = COSTATE_VALUES(0.9, 340, 0.8, 345, 0.7, 350, 0.6, 355, 0.5),
              .p = COSTATE_VALUES(7.2e10, 8750.0, 5e4, 1.5, 4.0, 350.0), .rhs = rhs)
