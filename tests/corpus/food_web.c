/* Predators and prey on a square with diffusion: an interaction matrix, rates by a helper that works on one cell through
 * pointers. */
#include <costate/model.h>

#define NPREY 2
#define NS (2 * NPREY)
#define MX 5
#define MY 5
#define NEQ (NS * MX * MY)

typedef double realtype;
enum { AA, EE, GG, BB, DPREY, DPRED, ALPH, BETA, NP };

static realtype dotprod(int size, const realtype *x1, const realtype *x2)
{
    realtype temp = 0.0;
    for (int i = 0; i < size; i++) temp += x1[i] * x2[i];
    return temp;
}

static void WebRates(realtype x, realtype y, const realtype *c, const realtype *p, realtype *rate)
{
    realtype acoef[NS][NS], bcoef[NS];

    for (int i = 0; i < NS; i++)
        for (int j = 0; j < NS; j++) acoef[i][j] = 0.0;
    for (int i = 0; i < NPREY; i++) {
        for (int j = 0; j < NPREY; j++) {
            acoef[i][NPREY + j] = -p[GG];
            acoef[i + NPREY][j] = p[EE];
        }
        acoef[i][i] = acoef[i + NPREY][i + NPREY] = -p[AA];
        bcoef[i] = p[BB];
        bcoef[i + NPREY] = -p[BB];
    }
    realtype fac = 1.0 + p[ALPH] * x * y + p[BETA] * sin(4 * 3.1415926535898 * x) * sin(4 * 3.1415926535898 * y);
    for (int is = 0; is < NS; is++) rate[is] = c[is] * (bcoef[is] * fac + dotprod(NS, c, acoef[is]));
}

static void init(const realtype *p, realtype *c)
{
    (void)p;
    for (int jy = 0; jy < MY; jy++)
        for (int jx = 0; jx < MX; jx++) {
            realtype x = jx * 0.25, y = jy * 0.25, fac = 16.0 * x * (1 - x) * y * (1 - y);
            realtype *cxy = c + NS * (jx + MX * jy);
            for (int is = 0; is < NS; is++) cxy[is] = 10.0 + (is + 1) * fac * fac;
        }
}

static int f(realtype t, const realtype *cdata, const realtype *p, realtype *cdot)
{
    const realtype dx = 0.25, dy = 0.25;
    for (int jy = 0; jy < MY; jy++) {
        realtype y = jy * dy;
        int idyu = (jy != MY - 1) ? NS * MX : -NS * MX;
        int idyl = (jy != 0) ? NS * MX : -NS * MX;
        for (int jx = 0; jx < MX; jx++) {
            realtype x = jx * dx, rate[NS];
            int loc = NS * (jx + MX * jy);
            int idxu = (jx != MX - 1) ? NS : -NS;
            int idxl = (jx != 0) ? NS : -NS;
            const realtype *cxy = &cdata[loc];

            WebRates(x, y, cxy, p, rate);
            for (int is = 0; is < NS; is++) {
                realtype D = is < NPREY ? p[DPREY] : p[DPRED];
                realtype dcyli = cdata[loc + is] - cdata[loc + is - idyl], dcyui = cdata[loc + is + idyu] - cdata[loc + is];
                realtype dcxli = cxy[is] - cxy[is - idxl], dcxui = cxy[is + idxu] - cxy[is];
                cdot[loc + is] = D / (dy * dy) * (dcyui - dcyli) + D / (dx * dx) * (dcxui - dcxli) + rate[is];
            }
        }
    }
    (void)t;
    return 0;
}

COSTATE_MODEL(food_web, .states = NEQ, .params = NP, .t0 = 0, .t1 = 1,
              .p = COSTATE_VALUES(1.0, 1e1, 0.5e-1, 1.0, 1.0, 0.05, 50.0, 100.0), .init = init, .rhs = f)
