/* N bodies with softening: every pair once, forces accumulated into both; `continue` in a second form used by the energy. */
#include <costate/model.h>
#include <string.h>
#ifndef BODIES
#define BODIES 6
#endif
#define DIM 3
#define EPS2 1e-2

static void rhs(double t, const double *state, const double *mass, double *out)
{
    const double (*x)[DIM] = (const double (*)[DIM])state;
    const double (*v)[DIM] = (const double (*)[DIM])(state + DIM * BODIES);
    double (*dx)[DIM] = (double (*)[DIM])out;
    double (*dv)[DIM] = (double (*)[DIM])(out + DIM * BODIES);

    memset(out, 0, 2 * DIM * BODIES * sizeof *out);
    for (int i = 0; i < BODIES; i++) {
        for (int d = 0; d < DIM; d++) dx[i][d] = v[i][d];
        for (int j = i + 1; j < BODIES; j++) {
            double r[DIM], r2 = EPS2;
            for (int d = 0; d < DIM; d++) {
                r[d] = x[j][d] - x[i][d];
                r2 += r[d] * r[d];
            }
            const double s = pow(r2, -1.5);
            for (int d = 0; d < DIM; d++) {
                dv[i][d] += mass[j] * s * r[d];
                dv[j][d] -= mass[i] * s * r[d];
            }
        }
    }
}

static void energy(double t, const double *state, const double *mass, double *g)
{
    const double *x = state, *v = state + DIM * BODIES;
    double kinetic = 0, potential = 0;
    for (int i = 0; i < BODIES; i++) {
        for (int d = 0; d < DIM; d++) kinetic += 0.5 * mass[i] * v[DIM * i + d] * v[DIM * i + d];
        for (int j = 0; j < BODIES; j++) {
            if (j == i) continue;
            double r2 = EPS2;
            for (int d = 0; d < DIM; d++) r2 += (x[DIM * i + d] - x[DIM * j + d]) * (x[DIM * i + d] - x[DIM * j + d]);
            potential -= 0.5 * mass[i] * mass[j] / sqrt(r2);
        }
    }
    g[0] = kinetic + potential;
}

static void init(const double *mass, double *y)
{
    for (int i = 0; i < BODIES; i++) {
        double *x = y + DIM * i, *v = y + DIM * (BODIES + i);
        x[0] = cos(2.4 * i) * (1 + 0.3 * i); x[1] = sin(2.4 * i) * (1 + 0.3 * i); x[2] = 0.2 * i - 0.5;
        v[0] = -0.3 * x[1] * mass[i]; v[1] = 0.3 * x[0]; v[2] = 0.05;
    }
}

COSTATE_MODEL(nbody, .states = 2 * DIM * BODIES, .params = BODIES, .t0 = 0, .t1 = 1,
              .p = COSTATE_VALUES(1, 0.5, 0.25, 0.75, 1.25, 0.4), .init = init, .rhs = rhs, .terminal = energy)
