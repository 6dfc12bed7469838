/* A three-layer phosphorylation cascade, Michaelis-Menten steps through a macro, feedback of the last layer on the first. */
#include <costate/model.h>
#define MM(v, s, km) ((v) * (s) / ((km) + (s)))
enum { RAF, RAFP, MEK, MEKP, MEKPP, ERK, ERKP, ERKPP, NS };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double V1 = p[0], KI = p[1], n = p[2];
    const double v1 = MM(V1, y[RAF], p[3]) / (1.0 + pow(y[ERKPP] / KI, n));
    const double v2 = MM(p[4], y[RAFP], p[5]);
    const double v3 = p[6] * MM(y[RAFP], y[MEK], p[7]), v4 = p[6] * MM(y[RAFP], y[MEKP], p[7]);
    const double v5 = MM(p[8], y[MEKPP], p[9]), v6 = MM(p[8], y[MEKP], p[9]);
    const double v7 = p[10] * MM(y[MEKPP], y[ERK], p[11]), v8 = p[10] * MM(y[MEKPP], y[ERKP], p[11]);
    const double v9 = MM(p[12], y[ERKPP], p[13]), v10 = MM(p[12], y[ERKP], p[13]);

    f[RAF] = v2 - v1;
    f[RAFP] = v1 - v2;
    f[MEK] = v6 - v3;
    f[MEKP] = v3 + v5 - v4 - v6;
    f[MEKPP] = v4 - v5;
    f[ERK] = v10 - v7;
    f[ERKP] = v7 + v9 - v8 - v10;
    f[ERKPP] = v8 - v9;
}

COSTATE_MODEL(mapk_cascade, .states = NS, .params = 14, .t0 = 0, .t1 = 100,
    .y0 = COSTATE_VALUES(90, 10, 280, 10, 10, 270, 20, 10),
    .p = COSTATE_VALUES(2.5, 9, 1, 10, 0.25, 8, 0.025, 15, 0.75, 15, 0.025, 15, 0.5, 15), .rhs = rhs)
