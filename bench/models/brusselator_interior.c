/* brusselator_interior.c - the Brusselator with diffusion on an M x M grid whose rim stands still; u is the first half of the
 * state, v the second:
 *
 *     u' = a + u^2 v - (b+1) u + (d/dx^2) L u,   v' = b u - u^2 v + (d/dx^2) L v,   dx = 1/(M-1)
 *
 * Unlike problems/brusselator_2d.c it has no modulo in its indices. */
#include <costate/model.h>

#ifndef M
#define M 100
#endif

enum { A, B, DIFFUSION };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *u = y, *v = y + M * M;
    double *fu = f, *fv = f + M * M;
    const double k = p[DIFFUSION] * (M - 1) * (M - 1);
    for (int i = 0; i < 2 * M * M; i++) f[i] = 0;
    for (int j = 1; j < M - 1; j++)
        for (int i = 1; i < M - 1; i++) {
            const int c = j * M + i;
            const double reaction = u[c] * u[c] * v[c];
            fu[c] = p[A] + reaction - (p[B] + 1) * u[c] + k * (u[c - 1] + u[c + 1] + u[c - M] + u[c + M] - 4 * u[c]);
            fv[c] = p[B] * u[c] - reaction + k * (v[c - 1] + v[c + 1] + v[c - M] + v[c + M] - 4 * v[c]);
        }
}

static void init(const double *p, double *y0)
{
    for (int i = 0; i < M * M; i++) {
        y0[i] = 1 + 0.3 * sin(0.01 * i);
        y0[M * M + i] = 3 + 0.3 * cos(0.01 * i);
    }
}

COSTATE_MODEL(brusselator_interior,
    .states = 2 * M * M, .params = 3, .p = COSTATE_VALUES(1, 3.4, 0.02), .t0 = 0, .t1 = 1, .rhs = rhs, .init = init)
