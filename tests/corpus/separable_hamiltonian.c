/* Kepler's problem in the form (q' = dT/dp, p' = -dV/dq) with two helpers that fill halves of the output. */
#include <costate/model.h>

typedef double sunrealtype;
#define DIM 2

static void velocity(const sunrealtype *pmom, sunrealtype *qdot)
{
    for (int d = 0; d < DIM; d++) qdot[d] = pmom[d];
}

static void force(const sunrealtype *q, sunrealtype gm, sunrealtype *pdot)
{
    sunrealtype r2 = 0.0;
    for (int d = 0; d < DIM; d++) r2 += q[d] * q[d];
    const sunrealtype f = -gm / pow(r2, 1.5);
    for (int d = 0; d < DIM; d++) *(pdot + d) = f * q[d];
}

static int rhs(sunrealtype t, const sunrealtype *y, const sunrealtype *p, sunrealtype *ydot)
{
    velocity(y + DIM, ydot);
    force(y, p[0], ydot + DIM);
    return 0;
}

static void init(const sunrealtype *p, sunrealtype *y)
{
    const sunrealtype ecc = p[1];
    y[0] = 1.0 - ecc;
    y[1] = 0.1;
    y[2] = 0.2;
    y[3] = sqrt((1.0 + ecc) / (1.0 - ecc));
}

static void energy(sunrealtype t, const sunrealtype *y, const sunrealtype *p, sunrealtype *g)
{
    const sunrealtype T = 0.5 * (y[2] * y[2] + y[3] * y[3]);
    const sunrealtype V = -p[0] / sqrt(y[0] * y[0] + y[1] * y[1]);
    g[0] = T + V;
    g[1] = y[0] * y[3] - y[1] * y[2];
}

COSTATE_MODEL(separable_hamiltonian, .states = 2 * DIM, .params = 2, .objectives = 2, .t0 = 0, .t1 = 3,
              .p = COSTATE_VALUES(1.0, 0.6), .init = init, .rhs = rhs, .terminal = energy)
