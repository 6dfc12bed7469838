/* transistor.c - a transistor amplifier: M(p) y' = f(t, y, p) with a constant, singular M that is no diagonal, of index 1.
 * Hairer, Lubich, Roche, The numerical solution of differential-algebraic systems by Runge-Kutta methods, 1989, p. 8. */
#include <costate/model.h>

enum { UB, UF, ALPHA, BETA, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, C1, C2, C3, C4, C5, PARAMS };

static double diode(double u, const double *p)
{
    return p[BETA] * (exp(u / p[UF]) - 1);
}

static void residual(double t, const double *y, const double *yp, const double *p, double *r)
{
    const double signal = 0.1 * sin(200 * 3.14159265358979323846 * t);
    const double first = diode(y[1] - y[2], p), second = diode(y[4] - y[5], p);
    r[0] = p[C1] * (yp[1] - yp[0]) - (y[0] - signal) / p[R0];
    r[1] = p[C1] * (yp[0] - yp[1]) + p[UB] / p[R2] - y[1] * (1 / p[R1] + 1 / p[R2]) + (p[ALPHA] - 1) * first;
    r[2] = -p[C2] * yp[2] + first - y[2] / p[R3];
    r[3] = p[C3] * (yp[4] - yp[3]) - (y[3] - p[UB]) / p[R4] - p[ALPHA] * first;
    r[4] = p[C3] * (yp[3] - yp[4]) + p[UB] / p[R6] - y[4] * (1 / p[R5] + 1 / p[R6]) + (p[ALPHA] - 1) * second;
    r[5] = -p[C4] * yp[5] + second - y[5] / p[R7];
    r[6] = p[C5] * (yp[7] - yp[6]) - (y[6] - p[UB]) / p[R8] - p[ALPHA] * second;
    r[7] = p[C5] * (yp[6] - yp[7]) - y[7] / p[R9];
}

static void init(const double *p, double *y)
{
    y[0] = y[7] = 0;
    y[1] = y[2] = p[UB] * p[R1] / (p[R1] + p[R2]);
    y[4] = y[5] = p[UB] * p[R5] / (p[R5] + p[R6]);
    y[3] = y[6] = p[UB];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[7];
    g[1] = 0;
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[0] = 0;
    r[1] = y[7] * y[7];
}

COSTATE_MODEL(transistor,
    .states = 8, .params = PARAMS, .objectives = 2, .t0 = 0, .t1 = 0.2,
    .param_names = COSTATE_NAMES("Ub", "UF", "alpha", "beta", "R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9",
                                 "C1", "C2", "C3", "C4", "C5"),
    .p = COSTATE_VALUES(6, 0.026, 0.99, 1e-6, 1000, 9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000,
                        1e-6, 2e-6, 3e-6, 4e-6, 5e-6),
    .objective_names = COSTATE_NAMES("y8", "energy"),
    .residual = residual, .init = init, .terminal = terminal, .running = running)
