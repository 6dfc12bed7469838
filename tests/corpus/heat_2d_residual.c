/* Heat equation on a square as the residual of a DAE with flattened loops: boundary rows are algebraic. The state is (u, u'). */
#include <costate/model.h>

#define MGRID 8
#define NEQ (MGRID * MGRID)
#define ONE 1.0
#define TWO 2.0
typedef double realtype;
typedef struct { long int mm; realtype dx, coeff; } UserData;
static const UserData webdata = {MGRID, ONE / (MGRID - 1.0), (MGRID - 1.0) * (MGRID - 1.0)};

static int heatres(realtype tres, const realtype *uv, const realtype *p, realtype *resv)
{
    long int mm, i, j, offset, loc;
    const realtype *upv = uv + NEQ;
    const UserData *data = &webdata;
    realtype coeff = data->coeff * p[0];
    mm = data->mm;

    for (i = 0; i < NEQ; i++) resv[i] = uv[i];
    for (i = 0; i < NEQ; i++) resv[NEQ + i] = 0.0;

    for (j = 1; j < mm - 1; j++) {
        offset = mm * j;
        for (i = 1; i < mm - 1; i++) {
            loc = offset + i;
            resv[loc] = upv[loc] - coeff * (uv[loc - 1] + uv[loc + 1] + uv[loc - mm] + uv[loc + mm] - 4.0 * uv[loc]);
            resv[NEQ + loc] = upv[loc] * upv[loc] * p[1];
        }
    }
    (void)tres;
    return 0;
}

static void init(const realtype *p, realtype *u)
{
    for (int j = 0; j < MGRID; j++) {
        realtype yfact = webdata.dx * j;
        for (int i = 0; i < MGRID; i++) {
            realtype xfact = webdata.dx * i;
            u[MGRID * j + i] = 16.0 * xfact * (ONE - xfact) * yfact * (ONE - yfact) + 0.25;
            u[NEQ + MGRID * j + i] = -TWO * xfact + yfact * p[1];
        }
    }
}

COSTATE_MODEL(heat_2d_residual, .states = 2 * NEQ, .params = 2, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(1.0, 0.3), .rhs = heatres,
              .init = init)
