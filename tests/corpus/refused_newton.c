/* refused: 8:5: error: 'while' is not differentiated: how often it runs is not known beforehand */
/* An implicit friction factor solved by Newton's method until it converges. */
#include <costate/model.h>

static double colebrook(double re)
{
    double x = 7.0, dx = 1.0;
    while (fabs(dx) > 1e-12) {
        double g = x + 2.0 * log10(2.51 * x / re);
        double dg = 1.0 + 2.0 / (x * log(10.0));
        dx = g / dg;
        x -= dx;
    }
    return 1.0 / (x * x);
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double re = 1000.0 + fabs(y[0]) * p[0];
    f[0] = p[1] - colebrook(re) * y[0] * fabs(y[0]);
}

COSTATE_MODEL(refused_newton, .states = 1, .params = 2, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(2.0),
              .p = COSTATE_VALUES(1e4, 0.5), .rhs = rhs)
