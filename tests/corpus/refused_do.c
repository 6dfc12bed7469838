/* refused: 8:5: error: 'do' is not differentiated: how often it runs is not known beforehand */
/* Kepler's equation by fixed-point iteration in a do loop. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    double E = y[0], last;
    do {
        last = E;
        E = y[0] + p[0] * sin(E);
    } while (fabs(E - last) > 1e-14);
    f[0] = 1.0 / (1.0 - p[0] * cos(E));
}

COSTATE_MODEL(refused_do, .states = 1, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(0.3), .p = COSTATE_VALUES(0.4),
              .rhs = rhs)
