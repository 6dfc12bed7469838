/* Oregonator with scaled rates, a const array of exponents and the comma operator. */
#include <costate/model.h>

enum species { X, Y, Z, NSPECIES };

static void rhs(double t, const double y[NSPECIES], const double p[5], double f[NSPECIES])
{
    double s, w, q;
    s = p[0], w = p[1], q = p[2];
    f[X] = s * (y[Y] - y[X] * y[Y] + y[X] - q * y[X] * y[X]);
    f[Y] = (-y[Y] - y[X] * y[Y] + p[4] * y[Z]) / s;
    f[Z] = w * (y[X] - p[3] * y[Z]);
}

COSTATE_MODEL(oregonator, .states = NSPECIES, .params = 5, .t0 = 0, .t1 = 30, .y0 = COSTATE_VALUES(4.0, 1.1, 4.0),
    .p = COSTATE_VALUES(77.27, 0.161, 8.375e-6, 1.0, 1.0), .rhs = rhs)
