/* u_t = d u_xx + v u_x on (0, 2), zero at both ends, central differences; neighbours by ternaries. */
#include <costate/model.h>

#define XMAX 2.0
#define MX 30

typedef double realtype;

static const struct mesh { double dx; } mesh = {XMAX / (MX + 1)};

static void set_ic(const realtype *p, realtype *u)
{
    (void)p;
    for (int i = 0; i < MX; i++) {
        realtype x = (i + 1) * mesh.dx;
        u[i] = x * (XMAX - x) * exp(2.0 * x);
    }
}

static void rhs(realtype t, const realtype *u, const realtype *p, realtype *udot)
{
    realtype ui, ult, urt, hdiff, hadv;
    realtype dif = p[0] / (mesh.dx * mesh.dx), adv = p[1] / (2.0 * mesh.dx);
    int i;

    (void)t;
    for (i = 0; i < MX; i++) {
        ui  = u[i];
        ult = (i == 0) ? 0.0 : u[i - 1];
        urt = (i == MX - 1) ? 0.0 : u[i + 1];
        hdiff = dif * (ult - 2.0 * ui + urt);
        hadv  = adv * (urt - ult);
        udot[i] = hdiff + hadv;
    }
}

static void total(realtype t, const realtype *u, const realtype *p, realtype *g)
{
    realtype sum = 0;
    (void)t; (void)p;
    for (int i = 0; i < MX; i++) sum += u[i];
    g[0] = sum * mesh.dx;
}

COSTATE_MODEL(advdiff_1d, .states = MX, .params = 2, .objectives = 1, .t0 = 0, .t1 = 0.5, .p = COSTATE_VALUES(1.0, 0.5),
    .init = set_ic, .rhs = rhs, .terminal = total)
