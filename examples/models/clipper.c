/* clipper.c - a circuit as its nodes are: a signal through a resistor to node 1, a capacitor on to node 2, two diodes from there
 * to ground, a resistor to node 3, which has no capacitor, and a load. Kirchhoff's law at each node, currents that leave it:
 *
 *     node 1   (u1 - signal)/R + C (u1' - u2') = 0
 *     node 2   C (u2' - u1') + diodes(u2) + (u2 - u3)/R = 0
 *     node 3   (u3 - u2)/R + u3/load = 0
 *
 * The capacitor hangs between two nodes, so that u1' and u2' come as a difference, and one of u1 and u2 is algebraic.
 * The objective is the energy in the load. */
#include <costate/model.h>

enum { R, LOAD, C, CURRENT, THERMAL, VOLTS, HERTZ };

static double diodes(double u, const double *p) /* one each way */
{
    return 2 * p[CURRENT] * sinh(u / p[THERMAL]);
}

static void residual(double t, const double *u, const double *up, const double *p, double *r)
{
    const double signal = p[VOLTS] * sin(2 * 3.14159265358979323846 * p[HERTZ] * t), through = p[C] * (up[0] - up[1]);
    r[0] = (u[0] - signal) / p[R] + through;
    r[1] = -through + diodes(u[1], p) + (u[1] - u[2]) / p[R];
    r[2] = (u[2] - u[1]) / p[R] + u[2] / p[LOAD];
}

static void running(double t, const double *u, const double *p, double *r)
{
    r[0] = u[2] * u[2] / p[LOAD];
}

COSTATE_MODEL(clipper,
    .states = 3, .params = 7, .state_names = COSTATE_NAMES("u1", "u2", "u3"),
    .param_names = COSTATE_NAMES("R", "load", "C", "current", "thermal", "volts", "hertz"),
    .objective_names = COSTATE_NAMES("energy"), .y0 = COSTATE_VALUES(0, 0, 0),
    .p = COSTATE_VALUES(2200, 10000, 1e-6, 2.5e-9, 0.0517, 3, 100), .t0 = 0, .t1 = 0.02,
    .residual = residual, .running = running)
