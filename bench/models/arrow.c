/* arrow.c - N cells that exchange heat with one bath and with nobody else, each with a reaction of its own, u' = -u^3: a Jacobian
 * whose last row and column are full. */
#include <costate/model.h>

#ifndef N
#define N 2000
#endif
enum { EXCHANGE, REACTION, LOSS };

static void rhs(double t, const double *u, const double *p, double *f)
{
    double taken = 0;
    for (int i = 0; i < N; i++) {
        const double given = p[EXCHANGE] * (u[N] - u[i]);
        f[i] = given - p[REACTION] * (1 + i % 7) * u[i] * u[i] * u[i];
        taken += given;
    }
    f[N] = -taken / N - p[LOSS] * u[N];
}

static void init(const double *p, double *u)
{
    for (int i = 0; i <= N; i++) u[i] = 1 + 0.5 * sin(i);
}

static void terminal(double t, const double *u, const double *p, double *g)
{
    g[0] = u[N];
    for (int i = 0; i < N; i++) g[0] += u[i] * u[i] / N;
}

COSTATE_MODEL(arrow,
    .states = N + 1, .params = 3, .param_names = COSTATE_NAMES("exchange", "reaction", "loss"), .p = COSTATE_VALUES(1e3, 10, 1),
    .t0 = 0, .t1 = 1, .rhs = rhs, .init = init, .terminal = terminal)
