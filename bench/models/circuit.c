/* circuit.c - a tree of N nodes that a signal at its root spreads through: every node has a capacitor and a diode to ground,
 * resistors to its two children and to the next node of its level, and every sixteenth one to a supply that has a capacitor, too,
 * so that a row of the Jacobian is long. */
#include <costate/model.h>

#ifndef N
#define N 4000
#endif
enum { R, C, CURRENT, THERMAL, VOLTS };

static void rhs(double t, const double *u, const double *p, double *f)
{
    for (int i = 0; i < N; i++) f[i] = -p[CURRENT] * (exp(u[i] / p[THERMAL]) - 1);
    for (int i = 1; i < N; i++) {
        const double along = (u[(i - 1) / 2] - u[i]) / p[R];
        f[i] += along;
        f[(i - 1) / 2] -= along;
    }
    for (int i = 2; i < N; i++) {
        const double across = (u[i - 1] - u[i]) / (10 * p[R]);
        f[i] += across;
        f[i - 1] -= across;
    }
    f[N] = (p[VOLTS] - u[N]) / p[R];
    for (int i = 15; i < N; i += 16) {
        const double fed = (u[N] - u[i]) / (100 * p[R]);
        f[i] += fed;
        f[N] -= fed;
    }
    f[0] += (p[VOLTS] * sin(2e3 * t) - u[0]) / p[R];
    for (int i = 0; i <= N; i++) f[i] /= p[C];
}

static void terminal(double t, const double *u, const double *p, double *g)
{
    g[0] = u[N - 1];
}

static void init(const double *p, double *u)
{
    for (int i = 0; i <= N; i++) u[i] = 0;
}

COSTATE_MODEL(circuit,
    .states = N + 1, .params = 5, .param_names = COSTATE_NAMES("R", "C", "current", "thermal", "volts"),
    .p = COSTATE_VALUES(1e3, 1e-8, 1e-9, 0.03, 1), .t0 = 0, .t1 = 2e-3, .rhs = rhs, .init = init, .terminal = terminal)
