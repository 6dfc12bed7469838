/* refused: 5:6: error: 'nfe' is a global variable that is not const: its value is not known here */
/* Counts its calls in a global. */
#include <costate/model.h>

long nfe = 0;

static void rhs(double t, const double *y, const double *p, double *f)
{
    nfe++;
    f[0] = y[1];
    f[1] = -p[0] * y[0];
}

COSTATE_MODEL(refused_counter, .states = 2, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1, 0), .p = COSTATE_VALUES(4),
              .rhs = rhs)
