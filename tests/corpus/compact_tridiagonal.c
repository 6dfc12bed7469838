/* Advection-diffusion with a compact fourth-order scheme: a tridiagonal system is solved inside the right-hand side. */
#include <costate/model.h>
#define N 20

static void thomas(int n, const double *a, const double *b, const double *c, const double *d, double *x)
{
    double cp[n], dp[n];
    cp[0] = c[0] / b[0];
    dp[0] = d[0] / b[0];
    for (int i = 1; i < n; i++) {
        double m = b[i] - a[i] * cp[i - 1];
        cp[i] = c[i] / m;
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m;
    }
    x[n - 1] = dp[n - 1];
    for (int i = n - 2; i >= 0; i--) x[i] = dp[i] - cp[i] * x[i + 1];
}

static void rhs(double t, const double *u, const double *p, double *f)
{
    double lo[N], di[N], up[N], r[N], uxx[N];
    const double h = 1.0 / (N + 1);
    for (int i = 0; i < N; i++) {
        const double ul = i ? u[i - 1] : 0.0, ur = i < N - 1 ? u[i + 1] : 0.0;
        lo[i] = up[i] = p[2] / 10.0;
        di[i] = 1.0 + 0.01 * u[i] * u[i];
        r[i] = 1.2 * (ur - 2 * u[i] + ul) / (h * h);
    }
    thomas(N, lo, di, up, r, uxx);
    for (int i = 0; i < N; i++) f[i] = p[0] * uxx[i] - p[1] * u[i] * (i ? u[i] - u[i - 1] : u[i]) / h;
}

static void init(const double *p, double *u)
{
    for (int i = 0; i < N; i++) u[i] = sin(M_PI * (i + 1.0) / (N + 1));
}

COSTATE_MODEL(compact_tridiagonal, .states = N, .params = 3, .t0 = 0, .t1 = 0.1, .p = COSTATE_VALUES(0.1, 0.5, 1.0), .init = init,
              .rhs = rhs)
