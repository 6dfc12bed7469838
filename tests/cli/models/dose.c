/* A dose at a rate that stops at t = stop, and elimination that saturates: y(1) = rate/kel (exp(-kel (1 - stop)) - exp(-kel)). */
#include <costate/model.h>
enum { RATE, STOP, KEL };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[KEL] * y[0];
    if (t < p[STOP]) f[0] += p[RATE];
    f[1] = fmax(y[0] - 0.5, 0);
}

COSTATE_MODEL(dose, .states = 2, .params = 3, .state_names = COSTATE_NAMES("amount", "excess"),
    .param_names = COSTATE_NAMES("rate", "stop", "kel"), .y0 = COSTATE_VALUES(0, 0), .p = COSTATE_VALUES(3, 0.4, 0.5),
    .t0 = 0, .t1 = 1, .rhs = rhs)
