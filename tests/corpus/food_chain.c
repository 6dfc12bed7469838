/* A chain of consumers: Holling type II between neighbours, loop with running flux, efficiency by a const scalar. */
#include <costate/model.h>
#define LEVELS 6
static const double eff = 0.4;

static void rhs(double t, const double *x, const double *p, double *f)
{
    double a = p[1], h = p[2];
    f[0] = p[0] * x[0] * (1 - x[0] / p[3]);
    for (int k = 1; k < LEVELS; k++) {
        double eaten = a * x[k - 1] * x[k] / (1 + a * h * x[k - 1]);
        f[k - 1] -= eaten;
        f[k] = eff * eaten - p[3 + k] * x[k] * (1 + 0.1 * x[k]);
    }
}

COSTATE_MODEL(food_chain, .states = LEVELS, .params = 3 + LEVELS, .t0 = 0, .t1 = 30,
              .y0 = COSTATE_VALUES(1.2, 0.9, 0.7, 0.5, 0.3, 0.2),
              .p = COSTATE_VALUES(1.5, 2.0, 0.3, 4.0, 0.2, 0.15, 0.1, 0.08, 0.05), .rhs = rhs)
