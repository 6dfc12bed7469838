/* Robertson's kinetics in the manner of the classical solver examples: components counted from 1, rates in the user's data. */
#include <costate/model.h>

typedef double realtype;
#define RCONST(x) x
#define Ith(v, i) ((v)[(i) - 1])
#define NEQ 3

static int f(realtype t, const realtype *y, const realtype *p, realtype *ydot)
{
    realtype y1, y2, y3, yd1, yd3;

    y1 = Ith(y, 1);
    y2 = Ith(y, 2);
    y3 = Ith(y, 3);

    yd1 = Ith(ydot, 1) = RCONST(-1.0) * Ith(p, 1) * y1 + Ith(p, 2) * y2 * y3;
    yd3 = Ith(ydot, 3) = Ith(p, 3) * y2 * y2;
    Ith(ydot, 2) = -yd1 - yd3;
    (void)t;
    return (0);
}

static void fQ(realtype t, const realtype *y, const realtype *p, realtype *qdot)
{
    (void)t, (void)p;
    Ith(qdot, 1) = Ith(y, 3);
}

COSTATE_MODEL(robertson, .states = NEQ, .params = 3, .t0 = 0, .t1 = 40, .objectives = 1,
    .state_names = COSTATE_NAMES("A", "B", "C"),
    .y0 = COSTATE_VALUES(1.0, 3e-5, 0.02), .p = COSTATE_VALUES(0.04, 1e4, 3e7), .rhs = f, .running = fQ)
