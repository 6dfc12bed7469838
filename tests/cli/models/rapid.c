/* So rapid an oscillation that no method gets to the end with the tolerances of a reference. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f) { f[0] = p[0] * sin(2e5 * t) * 1e3 - y[0]; }

COSTATE_MODEL(rapid, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .t1 = 1.5, .rhs = rhs)
