/* Natural gradient flow: a Gram matrix that depends on the state is factored by Cholesky and solved with, all in local arrays. */
#include <costate/model.h>
#define M 5

static void rhs(double t, const double *x, const double *p, double *f)
{
    double G[M][M], L[M][M], g[M], z[M];

    for (int i = 0; i < M; i++) {
        g[i] = -p[0] * (x[i] - 0.2 * i) - 0.3 * sin(x[(i + 1) % M]);
        for (int j = 0; j < M; j++) G[i][j] = p[1] * exp(-0.5 * (x[i] - x[j]) * (x[i] - x[j])) + (i == j ? p[2] : 0.0);
    }
    for (int j = 0; j < M; j++) {
        double s = G[j][j];
        for (int k = 0; k < j; k++) s -= L[j][k] * L[j][k];
        L[j][j] = sqrt(s);
        for (int i = j + 1; i < M; i++) {
            double v = G[i][j];
            for (int k = 0; k < j; k++) v -= L[i][k] * L[j][k];
            L[i][j] = v / L[j][j];
        }
    }
    for (int i = 0; i < M; i++) {
        z[i] = g[i];
        for (int k = 0; k < i; k++) z[i] -= L[i][k] * z[k];
        z[i] /= L[i][i];
    }
    for (int i = M - 1; i >= 0; --i) {
        f[i] = z[i];
        for (int k = i + 1; k < M; k++) f[i] -= L[k][i] * f[k];
        f[i] /= L[i][i];
    }
}

COSTATE_MODEL(cholesky_flow, .states = M, .params = 3, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(0.1, 0.9, -0.5, 1.4, 0.6),
    .p = COSTATE_VALUES(1.0, 0.7, 0.5), .rhs = rhs)
