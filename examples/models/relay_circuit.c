/* relay_circuit.c - a relay that takes its own current away. Charged through RS, the capacitor lets the coil's current rise; at
 * ON the contact closes, the lamp pulls the node's voltage down, and at OFF it opens again. The voltage of the node is algebraic,
 * by Kirchhoff's law, and jumps with the contact. */
#include <costate/model.h>

enum { CHARGE, COIL, NODE }; /* V, A, V */
enum { E, RS, RC, C, RK, L, LAMP, ON, OFF };
enum { OPEN, CLOSED };  /* modes */
enum { PULLS, DROPS };  /* events */

static void rhs(int mode, double t, const double *y, const double *p, double *f)
{
    double lamp = mode == CLOSED ? y[NODE] / p[LAMP] : 0;
    f[CHARGE] = (y[NODE] - y[CHARGE]) / (p[RC] * p[C]);
    f[COIL] = (y[NODE] - p[RK] * y[COIL]) / p[L];
    f[NODE] = (p[E] - y[NODE]) / p[RS] - (y[NODE] - y[CHARGE]) / p[RC] - y[COIL] - lamp;
}

static void event(int mode, double t, const double *y, const double *p, double *e)
{
    e[PULLS] = mode == OPEN ? y[COIL] - p[ON] : -1;
    e[DROPS] = mode == CLOSED ? y[COIL] - p[OFF] : 1;
}

static int next_mode(int k, int mode, double t, const double *y, const double *p) { return k == PULLS ? CLOSED : OPEN; }

static void running(int mode, double t, const double *y, const double *p, double *r)
{
    r[0] = mode == CLOSED ? y[NODE] * y[NODE] / p[LAMP] : 0; /* energy in the lamp, J */
    r[1] = 0;
}

/* From the second time that it pulls to the third: the period, s. */
static void on_event(int k, int i, double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    g[1] = k != PULLS ? 0 : i == 1 ? -t : i == 2 ? t : 0;
}

COSTATE_MODEL(relay_circuit,
    .states = 3, .params = 9, .objectives = 2,
    .state_names = COSTATE_NAMES("charge", "coil", "node"), .mass = COSTATE_VALUES(1, 1, 0),
    .param_names = COSTATE_NAMES("E", "RS", "RC", "C", "RK", "L", "lamp", "on", "off"),
    .objective_names = COSTATE_NAMES("energy", "period"), .event_names = COSTATE_NAMES("pulls", "drops"),
    .y0 = COSTATE_VALUES(0, 0, 2), .p = COSTATE_VALUES(12, 50, 10, 1e-3, 100, 0.5, 20, 0.07, 0.04), .t0 = 0, .t1 = 0.5,
    .rhs = rhs, .running = running,
    .events = 2, .event = event, .direction = COSTATE_VALUES(+1, -1), .next_mode = next_mode, .on_event = on_event)
