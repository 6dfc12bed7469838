/* van_der_pol_control.c - optimal control of the van der Pol oscillator, as in 4.1 of Ozyurt and Barton, "Cheap second order
 * directional derivatives of stiff ODE embedded functionals", SIAM J. Sci. Comput. 26 (2005) 1725:
 *
 *     x1' = (1 - x2^2) x1 - x2 + v,   x2' = x1,   x3' = x1^2 + x2^2 + v^2,   x(0) = (0, 1, 0),   objective x3(5),
 *
 * with a control v that is linear in t between KNOTS knots t_i = 5 i/(KNOTS-1), where it takes the values p_i; a single one is
 * its value throughout. Steps end at the knots inside, where v has its kinks: they are timed events at which nothing happens, or,
 * if there are 11 knots, observation times with contributions of zero. -DKNOTS=100 sets their number: 1, 2, 11
 * or one of knots.h. */
#include <costate/model.h>

#ifndef KNOTS
#define KNOTS 11
#endif

static double control(double t, const double *p)
{
#if KNOTS == 1
    return p[0];
#else
    const double rate = (KNOTS - 1) / 5.0;
    int i = (int)fmax(0, fmin(floor(t * rate), KNOTS - 2));
    double s = t * rate - i;
    return (1 - s) * p[i] + s * p[i + 1];
#endif
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    double v = control(t, p);
    f[0] = (1 - y[1] * y[1]) * y[0] - y[1] + v;
    f[1] = y[0];
    f[2] = y[0] * y[0] + y[1] * y[1] + v * v;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[2];
}

static void defaults(double *p)
{
    for (int i = 0; i < KNOTS; i++) p[i] = 0.7;
}

#define PROBLEM \
    .states = 3, .params = KNOTS, .y0 = COSTATE_VALUES(0, 1, 0), .t0 = 0, .t1 = 5, .rhs = rhs, .terminal = terminal, \
    .defaults = defaults

#if KNOTS < 3
COSTATE_MODEL(van_der_pol_control, PROBLEM)
#elif KNOTS == 11
static void observe(int k, double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
}

COSTATE_MODEL(van_der_pol_control, PROBLEM, .observe = observe, .observations = KNOTS - 2,
    .observe_at = COSTATE_VALUES(0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5))
#else
#define END 5.0
#include "knots.h"

COSTATE_MODEL(van_der_pol_control, PROBLEM, .timed_events = KNOTS - 2, .event_at = COSTATE_ARRAY(knots))
#endif
