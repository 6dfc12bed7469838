/* kinks */
/* Pressures in a small gas network: Weymouth flow with the sign of the difference, an edge list with two int tables. */
#include <costate/model.h>
#define NODES 6
#define PIPES 7
static const int from[PIPES] = {0, 0, 1, 2, 3, 3, 4}, to[PIPES] = {1, 2, 3, 3, 4, 5, 5};

static void rhs(double t, const double *pressure, const double *p, double *f)
{
    const double *resistance = p, *demand = p + PIPES;
    double balance[NODES] = {0.0};

    for (int e = 0; e < PIPES; e++) {
        double d = pressure[from[e]] * pressure[from[e]] - pressure[to[e]] * pressure[to[e]];
        double flow = (d >= 0 ? 1 : -1) * sqrt(fabs(d) / resistance[e]);
        balance[from[e]] -= flow;
        balance[to[e]] += flow;
    }
    balance[0] += p[PIPES + NODES];
    for (int n = 0; n < NODES; n++) f[n] = balance[n] - demand[n] * (1.0 + 0.1 * sin(0.26 * t));
}

COSTATE_MODEL(gas_network, .states = NODES, .params = PIPES + NODES + 1, .t0 = 0, .t1 = 5,
    .y0 = COSTATE_VALUES(60.0, 50.0, 42.0, 34.0, 27.0, 20.0),
    .p = COSTATE_VALUES(2, 2.5, 1.5, 3, 2.2, 4, 1.8, 1, 2, 1.5, 3, 2.5, 4, 14), .rhs = rhs)
