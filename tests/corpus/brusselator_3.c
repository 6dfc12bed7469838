/* The three-component Brusselator with a stiff third equation; RCONST and a rdata view of the parameters. */
#include <costate/model.h>
#define RCONST(x) (x)
typedef double realtype;

static int f(realtype t, const realtype *ydata, const realtype *p, realtype *dydata)
{
    const realtype *rdata = p;
    realtype a  = rdata[0];
    realtype b  = rdata[1];
    realtype ep = rdata[2];
    realtype u = ydata[0], v = ydata[1], w = ydata[2];

    dydata[0] = a - (w + RCONST(1.0)) * u + v * u * u;
    dydata[1] = w * u - v * u * u;
    dydata[2] = (b - w) / ep - w * u;
    (void)t;
    return 0;
}

COSTATE_MODEL(brusselator_3, .states = 3, .params = 3, .t0 = 0, .t1 = 10, .y0 = COSTATE_VALUES(1.2, 3.1, 3.0),
    .p = COSTATE_VALUES(1.0, 3.5, 5e-2), .rhs = f)
