/* The same kinetics as a residual F(t, y, y'): the first half of the state is y, the second half y'. */
#include <costate/model.h>
#define NEQ 3
#define ZERO 0.0
typedef double sunrealtype;
typedef int sunindextype;

static int resrob(sunrealtype tres, const sunrealtype *uu, const sunrealtype *p, sunrealtype *rval)
{
    const sunrealtype *yval  = uu;
    const sunrealtype *ypval = uu + NEQ;
    sunindextype i;

    rval[0] = -p[0] * yval[0] + p[1] * yval[1] * yval[2];
    rval[1] = -rval[0] - p[2] * yval[1] * yval[1] - ypval[1];
    rval[0] -= ypval[0];
    rval[2] = yval[0] + yval[1] + yval[2] - 1.0;
    for (i = 0; i < NEQ; i++) rval[NEQ + i] = ypval[i] + ZERO * tres;
    return 0;
}

COSTATE_MODEL(robertson_residual, .states = 2 * NEQ, .params = 3, .t0 = 0, .t1 = 1,
    .y0 = COSTATE_VALUES(0.9, 2e-5, 0.1, -0.04, 0.01, 0.03), .p = COSTATE_VALUES(0.04, 1e4, 3e7), .rhs = resrob)
