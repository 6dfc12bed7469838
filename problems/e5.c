/* e5.c - problem E5 of Enright, Hull and Lindberg (BIT 15, 1975), a chemical pyrolysis; in the Test Set for IVP Solvers
 * (Mazzia and Magherini, Bari) as `e5`, to t = 1e13. Rates span eighteen decades; y2 = y3 + y4 at all times.
 *
 *     y1 -> y2 + y3 at a,   y1 + y3 -> y4 at b,   y2 + y3 -> at cm,   y4 -> y3 at c
 *
 * y3' is written as y2' - y4': the two large rates in it, which all but cancel, would otherwise leave a round-off in y2 = y3 +
 * y4 that in the end is larger than y2. */
#include <costate/model.h>

enum { RATE_A, RATE_B, RATE_CM, RATE_C };

static void rhs(double t, const double *y, const double *p, double *f)
{
    double made = p[RATE_A] * y[0], bound = p[RATE_B] * y[0] * y[2], lost = p[RATE_CM] * y[1] * y[2], freed = p[RATE_C] * y[3];
    f[0] = -made - bound;
    f[1] = made - lost;
    f[3] = bound - freed;
    f[2] = f[1] - f[3];
}

COSTATE_MODEL(e5,
    .states = 4, .params = 4, .param_names = COSTATE_NAMES("a", "b", "cm", "c"),
    .y0 = COSTATE_VALUES(1.76e-3, 0, 0, 0), .p = COSTATE_VALUES(7.89e-10, 1.1e7, 1.13e9, 1.13e3), .t0 = 0, .t1 = 1e13, .rhs = rhs,
    .atol = 1e-24)
