/* Decay, observed at three times. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f) { f[0] = -p[0] * y[0]; }
static void observe(int k, double t, const double *y, const double *p, double *g) { g[0] = (y[0] - k) * (y[0] - k); }

COSTATE_MODEL(observed, .states = 1, .params = 1, .y0 = COSTATE_VALUES(3), .p = COSTATE_VALUES(0.5), .t1 = 4,
              .observations = 3, .observe_at = COSTATE_VALUES(1, 2, 3), .rhs = rhs, .observe = observe)
