/* refused: 7:16: error: 'heating' is static and is written to: it keeps state between calls */
/* Hysteresis remembered in a static variable. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    static int heating = 1;
    if (y[0] > p[1]) heating = 0;
    if (y[0] < p[0]) heating = 1;
    f[0] = (heating ? p[2] : 0.0) - 0.1 * (y[0] - 10.0);
}

COSTATE_MODEL(refused_static, .states = 1, .params = 3, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(19),
              .p = COSTATE_VALUES(18, 21, 3), .rhs = rhs)
