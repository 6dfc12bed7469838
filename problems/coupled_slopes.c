/* coupled_slopes.c - slopes that stand in one combination only, whose factor changes with state and time: index 1, with the
 * solution y1 = y1(0) e^(-p t), y2 = y1^2 + 2.
 *
 *     y1' + a y2' + p y1 (1 + 2 a y1) = 0,   a = 1 + t + y1;   0 = y2 - y1^2 - 2
 *
 * Single slopes follow from the derivative of the constraint, so that the stages of SDIRK and Rosenbrock methods, which do not
 * satisfy it, cost these their order: it is 2. Objective: y1 y2. */
#include <costate/model.h>

static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    const double a = 1 + t + y[0];
    r[0] = yp[0] + a * yp[1] + p[0] * y[0] * (1 + 2 * a * y[0]);
    r[1] = y[1] - y[0] * y[0] - 2;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0] * y[1];
}

COSTATE_MODEL(coupled_slopes,
    .states = 2, .params = 1, .y0 = COSTATE_VALUES(1, 3), .p = COSTATE_VALUES(1.1), .t0 = 0, .t1 = 1, .residual = residual,
    .terminal = terminal)
