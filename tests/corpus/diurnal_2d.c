/* kinks */
/* Two species with diurnal kinetics, horizontal advection and a vertical diffusion that grows with height; day and night by an if
 * on t. */
#include <costate/model.h>

#define NUM_SPECIES 2
#define MX 5
#define MY 6
#define NSMX (NUM_SPECIES * MX)
#define NEQ (NSMX * MY)
#define IJKth(vdata, i, j, k) (vdata[(i) - 1 + (j) * NUM_SPECIES + (k) * NSMX])
#define SUNSQR(x) ((x) * (x))

typedef double realtype;
enum { KH, VEL, KV0, Q1, Q2, C3, A3, A4, NP };
static const realtype dx = 20.0 / (MX - 1), dy = 20.0 / (MY - 1), halfday = 4.32e4;

static void SetInitialProfiles(const realtype *p, realtype *u)
{
    (void)p;
    for (int jy = 0; jy < MY; jy++) {
        realtype cy = SUNSQR(0.1 * (30.0 + jy * dy - 40.0));
        cy = 1.0 - cy + 0.5 * SUNSQR(cy);
        for (int jx = 0; jx < MX; jx++) {
            realtype cx = SUNSQR(0.1 * (jx * dx - 10.0));
            cx = 1.0 - cx + 0.5 * SUNSQR(cx);
            IJKth(u, 1, jx, jy) = 1.0 * cx * cy;
            IJKth(u, 2, jx, jy) = 0.5 * cx * cy + 0.1;
        }
    }
}

static int f(realtype t, const realtype *u, const realtype *p, realtype *udot)
{
    realtype q3, q4, q3loc, q4coef;
    const realtype s = sin(3.14159265358979323846 * t / halfday);

    if (s > 0.0) {
        q3 = exp(-p[A3] / s);
        q4 = exp(-p[A4] / s);
    } else {
        q3 = 0.0;
        q4 = 0.0;
    }
    q4coef = q4;
    q3loc = q3;

    const realtype verdco = p[KV0] / SUNSQR(dy), hordco = p[KH] / SUNSQR(dx), horaco = p[VEL] / (2.0 * dx);

    for (int jy = 0; jy < MY; jy++) {
        realtype ydn = 30.0 + (jy - 0.5) * dy;
        realtype yup = ydn + dy;
        realtype cydn = verdco * exp(0.2 * ydn - 6.0);
        realtype cyup = verdco * exp(0.2 * yup - 6.0);
        int idn = (jy == 0) ? 1 : -1;
        int iup = (jy == MY - 1) ? -1 : 1;
        for (int jx = 0; jx < MX; jx++) {
            realtype c1 = IJKth(u, 1, jx, jy), c2 = IJKth(u, 2, jx, jy);

            realtype qq1 = p[Q1] * c1 * p[C3];
            realtype qq2 = p[Q2] * c1 * c2;
            realtype qq3 = q3loc * p[C3];
            realtype qq4 = q4coef * c2;
            realtype rkin1 = -qq1 - qq2 + 2.0 * qq3 + qq4;
            realtype rkin2 = qq1 - qq2 - qq4;

            realtype c1dn = IJKth(u, 1, jx, jy + idn), c2dn = IJKth(u, 2, jx, jy + idn);
            realtype c1up = IJKth(u, 1, jx, jy + iup), c2up = IJKth(u, 2, jx, jy + iup);
            realtype vertd1 = cyup * (c1up - c1) - cydn * (c1 - c1dn);
            realtype vertd2 = cyup * (c2up - c2) - cydn * (c2 - c2dn);

            int ileft = (jx == 0) ? 1 : -1;
            int iright = (jx == MX - 1) ? -1 : 1;
            realtype c1lt = IJKth(u, 1, jx + ileft, jy), c2lt = IJKth(u, 2, jx + ileft, jy);
            realtype c1rt = IJKth(u, 1, jx + iright, jy), c2rt = IJKth(u, 2, jx + iright, jy);
            realtype hord1 = hordco * (c1rt - 2.0 * c1 + c1lt), hord2 = hordco * (c2rt - 2.0 * c2 + c2lt);
            realtype horad1 = horaco * (c1rt - c1lt), horad2 = horaco * (c2rt - c2lt);

            IJKth(udot, 1, jx, jy) = vertd1 + hord1 + horad1 + rkin1;
            IJKth(udot, 2, jx, jy) = vertd2 + hord2 + horad2 + rkin2;
        }
    }
    return 0;
}

COSTATE_MODEL(diurnal_2d, .states = NEQ, .params = NP, .t0 = 20000, .t1 = 24000,
    .p = COSTATE_VALUES(4.0, 1.0, 1.5, 0.8, 0.5, 0.37, 2.6, 1.7), .init = SetInitialProfiles, .rhs = f)
