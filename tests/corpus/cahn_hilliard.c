/* Cahn-Hilliard on a ring: the chemical potential in a local array, then its Laplacian with a mobility. */
#include <costate/model.h>
enum { N = 32 };
#define L(i) ((i) == 0 ? N - 1 : (i) - 1)
#define R(i) ((i) == N - 1 ? 0 : (i) + 1)

static void rhs(double t, const double *c, const double *p, double *f)
{
    double mu[N], mob[N];
    const double ih2 = (double)N * N;
    int i;
    for (i = 0; i < N; ++i) {
        mu[i] = p[0] * (log(c[i] / (1 - c[i])) - p[1] * (2 * c[i] - 1)) - p[2] * ih2 * (c[L(i)] - 2 * c[i] + c[R(i)]);
        mob[i] = c[i] * (1 - c[i]);
    }
    for (i = 0; i < N; ++i)
        f[i] = 0.5 * ih2 * ((mob[i] + mob[R(i)]) * (mu[R(i)] - mu[i]) - (mob[i] + mob[L(i)]) * (mu[i] - mu[L(i)]));
}

static void init(const double *p, double *c)
{
    for (int i = 0; i < N; i++) c[i] = 0.5 + 0.1 * sin(2 * M_PI * i / N) + 0.05 * cos(6 * M_PI * i / N);
}

COSTATE_MODEL(cahn_hilliard, .states = N, .params = 3, .t0 = 0, .t1 = 0.01, .p = COSTATE_VALUES(1.0, 2.6, 1e-3), .init = init,
              .rhs = rhs)
