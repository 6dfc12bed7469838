/* refused: 8:5: error: 'switch' is not differentiated */
/* Phases of a batch chosen by a switch. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    double feed;
    switch ((int)t) {
    case 0: feed = p[0]; break;
    case 1: feed = p[1]; break;
    default: feed = 0.0;
    }
    f[0] = feed - y[0];
}

COSTATE_MODEL(refused_switch, .states = 1, .params = 2, .t0 = 0, .t1 = 3, .y0 = COSTATE_VALUES(0.3), .p = COSTATE_VALUES(1, 2),
              .rhs = rhs)
