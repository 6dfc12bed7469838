/* rectifier.c - a diode, a capacitor and a load: a stiff circuit, driven by the mains.
 *
 *     costate run      examples/models/rectifier.c --method rodas4 --plot ripple.svg
 *     costate gradient examples/models/rectifier.c --method rodas4 --scaled
 *
 *     source --[ inner ]-- a --|>|-- b ---- load to ground        volts, amperes, seconds, ohms, farads
 *                          |         |
 *                        stray    capacitor to ground
 *
 * Node a follows the source within nanoseconds, node b within milliseconds, and when the diode blocks its conductance falls by
 * ten decades. An explicit method would need tens of millions of steps; rodas4 needs some hundred. The objectives are means
 * over five periods of 50 Hz: the voltage at the load, and the heat that the diode makes, in watts. */
#include <costate/model.h>

enum { A, B, STATES };
enum { AMPLITUDE, INNER, STRAY, CAPACITOR, LOAD, PARAMS };
enum { VOLTAGE, HEAT, OBJECTIVES };

static const double mains = 50, span = 0.1, pi = 3.14159265358979323846;

/* A 1N4007: saturation current 7 nA, emission coefficient 1.8 times the thermal voltage 25.85 mV. */
static double diode(double voltage)
{
    return 7e-9 * (exp(voltage / 0.04653) - 1);
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double source = p[AMPLITUDE] * sin(2 * pi * mains * t), current = diode(y[A] - y[B]);
    f[A] = ((source - y[A]) / p[INNER] - current) / p[STRAY];
    f[B] = (current - y[B] / p[LOAD]) / p[CAPACITOR];
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[VOLTAGE] = y[B] / span;
    r[HEAT] = (y[A] - y[B]) * diode(y[A] - y[B]) / span;
}

COSTATE_MODEL(rectifier,
    .states = STATES, .params = PARAMS, .objectives = OBJECTIVES,
    .state_names = COSTATE_NAMES("a", "b"),
    .param_names = COSTATE_NAMES("amplitude", "inner", "stray", "capacitor", "load"),
    .objective_names = COSTATE_NAMES("voltage", "heat"),
    .y0 = COSTATE_VALUES(0, 0),
    .p = COSTATE_VALUES(12, 1, 1e-9, 470e-6, 100), /* V, ohm, F, F, ohm */
    .t0 = 0, .t1 = span, .rhs = rhs, .running = running)
