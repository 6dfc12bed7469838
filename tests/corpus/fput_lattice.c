/* Fermi, Pasta, Ulam and Tsingou's chain: forces by differences of a helper, both ends fixed; a macro with several statements. */
#include <costate/model.h>
#define N 16
#define ADD_FORCE(i, F)  \
    do_force(f + N, i, F)

static void do_force(double *acc, int i, double F)
{
    if (i >= 0) acc[i] += F;
    if (i + 1 < N) acc[i + 1] -= F;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    for (int i = 0; i < N; i++) { f[i] = y[N + i]; f[N + i] = 0; }
    for (int bond = -1; bond < N; bond++) {
        double left = bond < 0 ? 0 : y[bond], right = bond == N - 1 ? 0 : y[bond + 1], d = right - left;
        ADD_FORCE(bond, d + p[0] * d * d + p[1] * d * d * d);
    }
}

static void init(const double *p, double *y)
{
    for (int i = 0; i < N; i++) y[i] = sin(M_PI * (i + 1.0) / (N + 1.0)), y[i + N] = 0.05 * i;
}

COSTATE_MODEL(fput_lattice, .states = 2 * N, .params = 2, .t0 = 0, .t1 = 10, .p = COSTATE_VALUES(0.25, 0.1), .init = init,
              .rhs = rhs)
