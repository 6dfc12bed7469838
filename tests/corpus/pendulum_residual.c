/* Pendulum in Cartesian coordinates with a multiplier and a stabilised position constraint, as a residual of (y, y'). */
#include <costate/model.h>
typedef double realtype;
#define G p[0]
#define MASS p[1]
#define LEN p[2]

static int res(realtype t, const realtype *yy, const realtype *p, realtype *rr)
{
    const realtype *yp = &yy[5];
    const realtype x = yy[0], y = yy[1], vx = yy[2], vy = yy[3], lam = yy[4];
    realtype *r2 = rr + 5;

    rr[0] = yp[0] - vx - x * yp[4];
    rr[1] = yp[1] - vy - y * yp[4];
    rr[2] = MASS * yp[2] + lam * x;
    rr[3] = MASS * yp[3] + lam * y + MASS * G;
    rr[4] = x * vx + y * vy;
    for (int k = 0; k < 5; k++) {
        r2[k] = 0;
        if (k == 4) r2[k] += x * x + y * y - LEN * LEN;
        else r2[k] += yp[k] * cos(t) - rr[k];
    }
    return 0;
}

COSTATE_MODEL(pendulum_residual, .states = 10, .params = 3, .t0 = 0, .t1 = 1,
    .y0 = COSTATE_VALUES(0.8, -0.6, 0.3, 0.4, 9.0, 0.3, 0.4, -7.2, -4.4, 0.05), .p = COSTATE_VALUES(9.81, 1.0, 1.0), .rhs = res)
