/* glv.c - generalized Lotka-Volterra: N species that grow and interact, with N + N^2 parameters (r, A by rows).
 *
 *     y_i' = y_i (r_i + sum_j A_ij y_j),   y_i(0) = 0.1,   t in [0, 10]
 *
 * r_i = 0.1, A_ii = -1, the other A_ij normal with standard deviation 0.5/sqrt(N), from a fixed seed. -DN=100 sets the size. */
#include <costate/model.h>
#include <stdint.h>

#ifndef N
#define N 10
#endif

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *r = p, *A = p + N;
    for (int i = 0; i < N; i++) {
        double s = r[i];
        for (int j = 0; j < N; j++) s += A[i * N + j] * y[j];
        f[i] = y[i] * s;
    }
}

static void init(const double *p, double *y0)
{
    for (int i = 0; i < N; i++) y0[i] = 0.1;
}

/* ---- nominal parameters, not differentiated --------------------------------------------------------------------------- */

static double uniform(uint64_t *state) /* in (0, 1), splitmix64 */
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static void defaults(double *p)
{
    const double pi = 3.14159265358979323846;
    uint64_t state = 42;
    for (int i = 0; i < N; i++) p[i] = 0.1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) { /* Box-Muller */
            double u1 = uniform(&state), u2 = uniform(&state), normal = sqrt(-2 * log(u1)) * cos(2 * pi * u2);
            p[N + i * N + j] = i == j ? -1 : 0.5 / sqrt((double)N) * normal;
        }
}

COSTATE_MODEL(glv, .states = N, .params = N + N * N, .t0 = 0, .t1 = 10, .rhs = rhs, .init = init, .defaults = defaults)
