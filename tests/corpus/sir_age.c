/* Age-structured SIR with a contact matrix, enumerated offsets and a vaccination rate; force of infection by a nested loop. */
#include <costate/model.h>
#define AGES 8
enum { S0 = 0, I0 = AGES, R0 = 2 * AGES, STATES = 3 * AGES };
enum { BETA, GAMMA, VACC, WANE, MIX, SUSC, PARAMS = SUSC + AGES };

static const double contacts[AGES][AGES] = {
    {7.9, 2.1, 1.3, 2.0, 2.2, 1.2, 0.7, 0.4}, {2.1, 11.2, 2.0, 1.4, 2.1, 1.7, 0.8, 0.5}, {1.3, 2.0, 9.1, 3.0, 1.9, 2.0, 1.0, 0.4},
    {2.0, 1.4, 3.0, 5.5, 3.1, 2.3, 1.1, 0.6}, {2.2, 2.1, 1.9, 3.1, 4.4, 2.7, 1.3, 0.7}, {1.2, 1.7, 2.0, 2.3, 2.7, 3.9, 1.8, 0.9},
    {0.7, 0.8, 1.0, 1.1, 1.3, 1.8, 2.6, 1.2}, {0.4, 0.5, 0.4, 0.6, 0.7, 0.9, 1.2, 1.9}};

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *S = &y[S0], *I = &y[I0], *R = &y[R0];
    double N[AGES];
    for (int a = 0; a < AGES; a++) N[a] = S[a] + I[a] + R[a];
    for (int a = 0; a < AGES; a++) {
        double lambda = 0.0;
        for (int b = 0; b < AGES; ++b) {
            double c = a == b ? contacts[a][b] : p[MIX] * contacts[a][b];
            lambda += c * I[b] / N[b];
        }
        lambda *= p[BETA] * p[SUSC + a] * (1.0 + 0.1 * cos(2 * M_PI * t / 365.0));
        f[S0 + a] = -lambda * S[a] - p[VACC] * S[a] + p[WANE] * R[a];
        f[I0 + a] = lambda * S[a] - p[GAMMA] * I[a];
        f[R0 + a] = p[GAMMA] * I[a] + p[VACC] * S[a] - p[WANE] * R[a];
        /* ageing */
        const double out = 1.0 / 3650.0;
        if (a > 0) {
            f[S0 + a] += out * S[a - 1];
            f[I0 + a] += out * I[a - 1];
            f[R0 + a] += out * R[a - 1];
        }
        if (a < AGES - 1) f[S0 + a] -= out * S[a], f[I0 + a] -= out * I[a], f[R0 + a] -= out * R[a];
    }
}

static void init(const double *p, double *y)
{
    for (int a = 0; a < AGES; a++) {
        y[S0 + a] = 0.9 + 0.01 * a;
        y[I0 + a] = 0.02 + 0.001 * a;
        y[R0 + a] = 0.05;
    }
}

static void defaults(double *p)
{
    p[BETA] = 0.03; p[GAMMA] = 0.15; p[VACC] = 0.002; p[WANE] = 0.001; p[MIX] = 0.8;
    for (int a = 0; a < AGES; a++) p[SUSC + a] = 1.0 - 0.05 * a;
}

static void peak(double t, const double *y, const double *p, double *g)
{
    g[0] = g[1] = 0;
    for (int a = 0; a < AGES; a++) {
        g[0] += y[I0 + a];
        g[1] += a >= 6 ? y[I0 + a] : 0.0;
    }
}

COSTATE_MODEL(sir_age, .states = STATES, .params = PARAMS, .objectives = 2, .t0 = 0, .t1 = 100, .rhs = rhs, .init = init,
    .defaults = defaults, .running = peak)
