/* Advection-diffusion on a rectangle, IJth with offset 1, zero Dirichlet conditions. */
#include <costate/model.h>

#define MX 10
#define MY 7
#define NEQ (MX * MY)
#define IJth(vdata, i, j) (vdata[(j - 1) + (i - 1) * MY])

typedef double realtype;

typedef struct {
    realtype dx, dy, hdcoef, hacoef, vdcoef;
} UserData;

static void init(const realtype *p, realtype *udata)
{
    const realtype dx = 2.0 / (MX + 1), dy = 1.0 / (MY + 1);
    for (int j = 1; j <= MY; j++) {
        realtype y = j * dy;
        for (int i = 1; i <= MX; i++) {
            realtype x = i * dx;
            IJth(udata, i, j) = x * (2.0 - x) * y * (1.0 - y) * exp(p[2] * x * y);
        }
    }
}

static int f(realtype t, const realtype *udata, const realtype *p, realtype *dudata)
{
    UserData d;
    d.dx = 2.0 / (MX + 1);
    d.dy = 1.0 / (MY + 1);
    d.hdcoef = p[0] / (d.dx * d.dx);
    d.hacoef = p[1] / (2.0 * d.dx);
    d.vdcoef = p[0] / (d.dy * d.dy);

    for (int j = 1; j <= MY; j++) {
        for (int i = 1; i <= MX; i++) {
            realtype uij = IJth(udata, i, j);
            realtype udn = (j == 1) ? 0.0 : IJth(udata, i, j - 1);
            realtype uup = (j == MY) ? 0.0 : IJth(udata, i, j + 1);
            realtype ult = (i == 1) ? 0.0 : IJth(udata, i - 1, j);
            realtype urt = (i == MX) ? 0.0 : IJth(udata, i + 1, j);
            realtype hdiff = d.hdcoef * (ult - 2.0 * uij + urt);
            realtype hadv  = d.hacoef * (urt - ult);
            realtype vdiff = d.vdcoef * (uup - 2.0 * uij + udn);
            IJth(dudata, i, j) = hdiff + hadv + vdiff;
        }
    }
    (void)t;
    return 0;
}

COSTATE_MODEL(advdiff_2d, .states = NEQ, .params = 3, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(1.0, 0.5, 5.0), .init = init,
              .rhs = f)
