/* Chebyshev collocation: the differentiation matrix is built in the function from its nodes, products in a loop with continue. */
#include <costate/model.h>
#include <string.h>
#define N 9

static void differentiate(int n, const double *x, const double *u, double *du)
{
    for (int i = 0; i < n; i++) {
        double row_sum = 0.0;
        du[i] = 0.0;
        for (int j = 0; j < n; j++) {
            if (j == i) continue;
            double w = 1.0 / (x[j] - x[i]);
            for (int k = 0; k < n; k++) {
                if (k == i || k == j) continue;
                w *= (x[i] - x[k]) / (x[j] - x[k]);
            }
            du[i] += w * u[j];
            row_sum += w;
        }
        du[i] -= row_sum * u[i];
    }
}

static void rhs(double t, const double *u, const double *p, double *f)
{
    double x[N], v[N], ux[N], uxx[N];
    for (int i = 0; i < N; i++) x[i] = -cos(M_PI * i / (N - 1));
    memcpy(v, u, sizeof v);
    v[0] = 0.1 * sin(t);
    v[N - 1] = p[2];
    differentiate(N, x, v, ux);
    differentiate(N, x, ux, uxx);
    for (int i = 1; i < N - 1; i++) f[i] = p[0] * uxx[i] - p[1] * v[i] * ux[i];
    f[0] = v[0] - u[0];
    f[N - 1] = v[N - 1] - u[N - 1];
}

static void init(const double *p, double *u)
{
    for (int i = 0; i < N; i++) u[i] = 0.3 + 0.1 * i * p[2];
}

COSTATE_MODEL(collocation, .states = N, .params = 3, .t0 = 0, .t1 = 0.5, .p = COSTATE_VALUES(0.05, 1.0, 0.7), .init = init,
              .rhs = rhs)
