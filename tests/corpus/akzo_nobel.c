/* A reaction scheme with square roots, fractional powers and an algebraic last equation, as a residual of (y, y'). */
#include <costate/model.h>

#define NEQ 6
#define HALF 0.5
typedef double realtype;
enum { K1, K2, K3, K4, K, KLA, KS, PCO2, H };

static int res(realtype t, const realtype *yy, const realtype *p, realtype *resval)
{
    realtype y1, y2, y3, y4, y5, y6;
    realtype yd1, yd2, yd3, yd4, yd5;
    realtype r1, r2, r3, r4, r5, Fin;

    y1 = yy[0]; y2 = yy[1]; y3 = yy[2];
    y4 = yy[3]; y5 = yy[4]; y6 = yy[5];
    yd1 = yy[6]; yd2 = yy[7]; yd3 = yy[8]; yd4 = yy[9]; yd5 = yy[10];

    r1 = p[K1] * pow(y1, 4.0) * sqrt(y2);
    r2 = p[K2] * y3 * y4;
    r3 = p[K2] / p[K] * y1 * y5;
    r4 = p[K3] * y1 * y4 * y4;
    r5 = p[K4] * y6 * y6 * sqrt(y2);
    Fin = p[KLA] * (p[PCO2] / p[H] - y2);

    resval[0] = yd1 + 2.0 * r1 - r2 + r3 + r4;
    resval[1] = yd2 + HALF * r1 + r4 + HALF * r5 - Fin;
    resval[2] = yd3 - r1 + r2 - r3;
    resval[3] = yd4 + r2 - r3 + 2.0 * r4;
    resval[4] = yd5 - r2 + r3 - r5;
    resval[5] = p[KS] * y1 * y4 - y6;
    for (int i = NEQ; i < 2 * NEQ; ++i) resval[i] = yy[i] * resval[i - NEQ];
    return 0;
}

COSTATE_MODEL(akzo_nobel, .states = 2 * NEQ, .params = 9, .t0 = 0, .t1 = 180,
    .y0 = COSTATE_VALUES(0.44, 0.0012, 0.1, 0.007, 0.2, 0.36, -0.5, -0.1, 0.3, 0.2, 0.1, 0.04),
    .p = COSTATE_VALUES(18.7, 0.58, 0.09, 0.42, 34.4, 3.3, 115.83, 0.9, 737.0), .rhs = res)
