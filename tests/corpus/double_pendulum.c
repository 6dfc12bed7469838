/* Double pendulum, textbook formula, one expression per line. */
#include <costate/model.h>
#define sq(x) ((x) * (x))

static void rhs(double t, const double *y, const double *p, double *f)
{
    double m1 = p[0], m2 = p[1], l1 = p[2], l2 = p[3], g = p[4];
    double th1 = y[0], w1 = y[1], th2 = y[2], w2 = y[3];
    double del = th2 - th1, den1, den2;

    f[0] = w1;
    den1 = (m1 + m2) * l1 - m2 * l1 * sq(cos(del));
    f[1] = (m2 * l1 * w1 * w1 * sin(del) * cos(del) + m2 * g * sin(th2) * cos(del) + m2 * l2 * w2 * w2 * sin(del)
            - (m1 + m2) * g * sin(th1)) / den1;
    f[2] = w2;
    den2 = (l2 / l1) * den1;
    f[3] = (-m2 * l2 * w2 * w2 * sin(del) * cos(del) + (m1 + m2) * g * sin(th1) * cos(del)
            - (m1 + m2) * l1 * w1 * w1 * sin(del) - (m1 + m2) * g * sin(th2)) / den2;
}

COSTATE_MODEL(double_pendulum, .states = 4, .params = 5, .t0 = 0, .t1 = 5, .y0 = COSTATE_VALUES(1.6, 0.2, 1.1, -0.5),
    .p = COSTATE_VALUES(1, 0.8, 1, 0.7, 9.81), .rhs = rhs)
