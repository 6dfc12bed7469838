/* refused: 9:20: error: 'airy_ai' has neither a definition in this file nor a derivative */
/* Calls a function of a library that has no text here. */
#include <costate/model.h>

double airy_ai(double x);

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * airy_ai(y[0]) + j0(t);
}

COSTATE_MODEL(refused_library, .states = 1, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(0.1),
              .rhs = rhs)
