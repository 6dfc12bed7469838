/* state_mass.c - y2 y1' = -y2 (y2 - 1), 0 = y2 - y1 - 1: a mass that depends on the state, of index 1, with the solution
 * y1 = y1(0) e^-t. Objective: y1 + y2. Cao, Li, Petzold, Serban, Adjoint sensitivity analysis for differential-algebraic
 * equations, (32). */
#include <costate/model.h>

static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    r[0] = y[1] * yp[0] + y[1] * (y[1] - 1);
    r[1] = y[1] - y[0] - 1;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[0] + y[1];
}

COSTATE_MODEL(state_mass, .states = 2, .y0 = COSTATE_VALUES(1, 2), .t0 = 0, .t1 = 1, .residual = residual, .terminal = terminal)
