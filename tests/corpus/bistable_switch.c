/* kinks */
/* A gene switch with early exits: outside of its domain the function asks for a smaller step, and prints why. */
#include <costate/model.h>
#include <stdio.h>

static int rhs(double t, const double *x, const double *p, double *f)
{
    int i, j;
    for (i = 0; i < 3; i++)
        if (x[i] < 0) {
            fprintf(stderr, "negative amount of %d at t = %g\n", i, t);
            return 1;
        }
    for (i = 0; i < 3; i++) {
        j = (i + 1) % 3;
        f[i] = p[0] * (x[j] > p[1] ? 1.0 + 0.1 * (x[j] - p[1]) : 0.05) - p[2] * x[i];
        if (i == 0) continue;
        f[i] += p[3] * x[0];
    }
    if (p[3] == 0) return 0;
    f[2] -= p[3] * x[2] * x[2];
    return 0;
}

COSTATE_MODEL(bistable_switch, .states = 3, .params = 4, .t0 = 0, .t1 = 5, .y0 = COSTATE_VALUES(1.6, 0.7, 2.4),
              .p = COSTATE_VALUES(2.0, 1.1, 0.8, 0.3), .rhs = rhs)
