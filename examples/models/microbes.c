/* microbes.c - species that live together: many parameters and many objectives.
 *
 *     costate gradient examples/models/microbes.c --format json -o gradients.json
 *     costate gradient examples/models/microbes.c -DN=50 --threads 2
 *
 *     y_i' = y_i (growth_i + sum_j effect_ij y_j)             generalized Lotka-Volterra; abundances in 10^9 cells/g, time in
 * days
 *
 * N growth rates and N^2 effects of j on i, by rows, are N + N^2 parameters. There are N objectives: the mean abundance of
 * every species over 30 days. Their gradients with respect to all parameters take one run and one sweep back, in which several
 * objectives travel together; forward sensitivities would take N + N^2 directions. */
#include <costate/model.h>
#include <stdlib.h>

#ifndef N
#define N 12
#endif

static const double month = 30;

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *growth = p, *effect = p + N;
    for (int i = 0; i < N; i++) {
        double s = growth[i];
        for (int j = 0; j < N; j++) s += effect[i * N + j] * y[j];
        f[i] = y[i] * s;
    }
}

static void init(const double *p, double *y0)
{
    for (int i = 0; i < N; i++) y0[i] = 0.05;
}

static void running(double t, const double *y, const double *p, double *r)
{
    for (int i = 0; i < N; i++) r[i] = y[i] / month;
}

/* Nominal parameters that are too many to list. Each species limits itself; it helps some of the others and hinders others, the
 * more the nearer it is: made-up numbers, in 1/day and g/(10^9 cells day). */
static void defaults(double *p)
{
    for (int i = 0; i < N; i++) {
        p[i] = 0.4 + 0.2 * sin(1 + 2.7 * i);
        for (int j = 0; j < N; j++) p[N + i * N + j] = i == j ? -0.5 : 0.25 * sin(i + 3.1 * j) / (1 + abs(i - j));
    }
}

COSTATE_MODEL(microbes,
    .states = N, .params = N + N * N, .objectives = N,
    .t0 = 0, .t1 = month, .rhs = rhs, .init = init, .defaults = defaults, .running = running)
