/* traces.c - radicals of 1e-12 that drive what is of size 1, by rates up to 1e12. */
#include <costate/model.h>

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double make = p[0] * y[0], meet = p[1] * y[1] * y[1], run = p[2] * y[1] * y[2];
    f[0] = -make;
    f[1] = 2 * make - 2 * meet;
    f[2] = -run;
    f[3] = run - p[3] * y[1] * y[3];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[3];
    g[1] = y[1];
}

COSTATE_MODEL(traces, .states = 4, .params = 4, .objectives = 2, .y0 = COSTATE_VALUES(1e-6, 0, 1, 0),
    .p = COSTATE_VALUES(1e-5, 1e12, 1e9, 3e8), .t0 = 0, .t1 = 5, .rhs = rhs, .terminal = terminal)
