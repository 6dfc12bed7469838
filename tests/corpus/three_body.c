/* Three bodies in the plane with named scalars, no loops. */
#include <costate/model.h>

static double inv_cube(double dx, double dy)
{
    const double r2 = dx * dx + dy * dy;
    return 1.0 / (r2 * sqrt(r2));
}

static void rhs(double t, const double *y, const double *m, double *f)
{
    const double x1 = y[0], y1 = y[1], x2 = y[2], y2 = y[3], x3 = y[4], y3 = y[5];
    const double a12 = inv_cube(x2 - x1, y2 - y1), a13 = inv_cube(x3 - x1, y3 - y1), a23 = inv_cube(x3 - x2, y3 - y2);

    for (int i = 0; i < 6; i++) f[i] = y[6 + i];
    f[6] = m[1] * (x2 - x1) * a12 + m[2] * (x3 - x1) * a13;
    f[7] = m[1] * (y2 - y1) * a12 + m[2] * (y3 - y1) * a13;
    f[8] = m[0] * (x1 - x2) * a12 + m[2] * (x3 - x2) * a23;
    f[9] = m[0] * (y1 - y2) * a12 + m[2] * (y3 - y2) * a23;
    f[10] = m[0] * (x1 - x3) * a13 + m[1] * (x2 - x3) * a23;
    f[11] = m[0] * (y1 - y3) * a13 + m[1] * (y2 - y3) * a23;
}

COSTATE_MODEL(three_body, .states = 12, .params = 3, .t0 = 0, .t1 = 1,
    .y0 = COSTATE_VALUES(0.97, -0.243, -0.97, 0.243, 0.1, 0.05, 0.466, 0.432, 0.466, 0.432, -0.93, -0.86),
    .p = COSTATE_VALUES(1.0, 1.0, 1.0), .rhs = rhs)
