/* brusselator_1d.c - the Brusselator with diffusion on a line of N cells whose ends stay at u = 1, v = 3; component 2i is u,
 * component 2i+1 is v of cell i:
 *
 *     u' = a + u^2 v - (b+1) u + (d/dx^2) L u,   v' = b u - u^2 v + (d/dx^2) L v,   (L u)_i = u_(i-1) - 2 u_i + u_(i+1)
 *
 * E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, IV.10, BRUSS. -DN=500 sets the size. */
#include <costate/model.h>

#ifndef N
#define N 500
#endif

enum { A, B, DIFFUSION };

static void rhs(double t, const double *y, const double *p, double *f)
{
    double k = p[DIFFUSION] * (N + 1) * (N + 1);
    for (int i = 0; i < N; i++) {
        double u = y[2 * i], v = y[2 * i + 1], reaction = u * u * v;
        double u_left = 1, v_left = 3, u_right = 1, v_right = 3;
        if (i > 0) {
            u_left = y[2 * i - 2];
            v_left = y[2 * i - 1];
        }
        if (i < N - 1) {
            u_right = y[2 * i + 2];
            v_right = y[2 * i + 3];
        }
        f[2 * i] = p[A] + reaction - (p[B] + 1) * u + k * (u_left - 2 * u + u_right);
        f[2 * i + 1] = p[B] * u - reaction + k * (v_left - 2 * v + v_right);
    }
}

static void init(const double *p, double *y0)
{
    for (int i = 0; i < N; i++) {
        y0[2 * i] = 1 + sin(2 * 3.14159265358979323846 * (i + 1) / (N + 1));
        y0[2 * i + 1] = 3;
    }
}

COSTATE_MODEL(brusselator_1d,
    .states = 2 * N, .params = 3, .param_names = COSTATE_NAMES("a", "b", "d"), .p = COSTATE_VALUES(1, 3, 0.02),
    .t0 = 0, .t1 = 10, .rhs = rhs, .init = init)
