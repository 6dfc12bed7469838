/* refused: 10:9: error: 'goto' is not differentiated */
/* A clean-up label in the old manner. */
#include <costate/model.h>

static int rhs(double t, const double *y, const double *p, double *f)
{
    int flag = 0;
    if (y[0] < 0) {
        flag = 1;
        goto done;
    }
    f[0] = -p[0] * sqrt(y[0]);
done:
    return flag;
}

COSTATE_MODEL(refused_goto, .states = 1, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1.0), .p = COSTATE_VALUES(0.5),
              .rhs = rhs)
