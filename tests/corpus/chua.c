/* kinks */
/* Chua's circuit with the piecewise linear diode written by absolute values, several copies coupled in a line. */
#include <costate/model.h>
#define COPIES 4
static double nl(double x, double a, double b) { return b * x + 0.5 * (a - b) * (fabs(x + 1.0) - fabs(x - 1.0)); }

static void rhs(double t, const double y[], const double p[], double f[])
{
    int k;
    for (k = 0; k < COPIES; k++) {
        const double *s = y + 3 * k;
        double *d = f + 3 * k;
        d[0] = p[0] * (s[1] - s[0] - nl(s[0], p[2], p[3]));
        d[1] = s[0] - s[1] + s[2];
        d[2] = -p[1] * s[1];
        if (k != 0) d[1] += p[4] * (y[3 * (k - 1) + 1] - s[1]);
        if (k != COPIES - 1) d[1] += p[4] * (y[3 * (k + 1) + 1] - s[1]);
    }
}

COSTATE_MODEL(chua, .states = 3 * COPIES, .params = 5, .t0 = 0, .t1 = 10,
              .y0 = COSTATE_VALUES(0.7, 0.1, 0.2, -0.5, 0.2, 0.1, 1.6, -0.3, 0.4, -1.8, 0.3, -0.2),
              .p = COSTATE_VALUES(15.6, 28.0, -1.143, -0.714, 0.1), .rhs = rhs)
