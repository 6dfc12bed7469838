/* A branched dendrite with Morris-Lecar membranes: the tree is a table of parents. */
#include <costate/model.h>
#define COMP 11
static const int parent[COMP] = {-1, 0, 1, 2, 2, 4, 5, 0, 7, 8, 8};
static const double radius[COMP] = {2.0, 1.5, 1.2, 0.8, 0.9, 0.6, 0.5, 1.4, 1.0, 0.7, 0.6};

static double boltzmann(double v, double half, double slope) { return 0.5 * (1.0 + tanh((v - half) / slope)); }

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double gCa = p[0], gK = p[1], gL = p[2], ga = p[3], I = p[4], phi = p[5];
    const double *v = y, *w = y + COMP;

    for (int c = 0; c < COMP; c++) {
        f[c] = -gCa * boltzmann(v[c], -1.2, 18.0) * (v[c] - 120.0) - gK * w[c] * (v[c] + 84.0) - gL * (v[c] + 60.0);
        if (c == 0) f[c] += I;
        f[COMP + c] = phi * (boltzmann(v[c], 2.0, 30.0) - w[c]) * cosh((v[c] - 2.0) / 60.0);
    }
    for (int c = 0; c < COMP; c++) {
        const int m = parent[c];
        if (m < 0) continue;
        const double g = ga * radius[c] * radius[m] / (radius[c] + radius[m]);
        const double axial = g * (v[m] - v[c]);
        f[c] += axial / radius[c];
        f[m] -= axial / radius[m];
    }
    for (int c = 0; c < COMP; c++) f[c] /= 20.0;
}

static void init(const double *p, double *y)
{
    for (int c = 0; c < COMP; c++) {
        y[c] = -40.0 + 3.0 * c;
        y[COMP + c] = 0.1 + 0.02 * c;
    }
}

COSTATE_MODEL(cable_neuron, .states = 2 * COMP, .params = 6, .t0 = 0, .t1 = 50,
              .p = COSTATE_VALUES(4.4, 8.0, 2.0, 5.0, 120.0, 0.04), .init = init, .rhs = rhs)
