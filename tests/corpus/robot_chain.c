/* A planar chain of N links: mass matrix by double loop, Gaussian elimination without pivoting inside the right-hand side. */
#include <costate/model.h>
#ifndef N
#define N 5
#endif

static void solve(int n, double a[n][n], double *b)
{
    for (int k = 0; k < n - 1; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        double s = b[i];
        for (int j = i + 1; j < n; j++) s -= a[i][j] * b[j];
        b[i] = s / a[i][i];
    }
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *th = y, *om = y + N, *mass = p, g = p[N], damping = p[N + 1];
    double M[N][N], r[N];

    for (int i = 0; i < N; i++) {
        double below = 0;
        r[i] = -damping * om[i];
        for (int k = i; k < N; k++) below += mass[k];
        r[i] -= g * below * sin(th[i]);
        for (int j = 0; j < N; j++) {
            double carried = 0;
            for (int k = i > j ? i : j; k < N; k++) carried += mass[k];
            M[i][j] = carried * cos(th[i] - th[j]);
            if (i != j) r[i] -= carried * sin(th[i] - th[j]) * om[j] * om[j];
        }
        M[i][i] += 0.01;
    }
    solve(N, M, r);
    for (int i = 0; i < N; i++) {
        f[i] = om[i];
        f[N + i] = r[i];
    }
}

COSTATE_MODEL(robot_chain, .states = 2 * N, .params = N + 2, .t0 = 0, .t1 = 1,
              .y0 = COSTATE_VALUES(0.5, -0.7, 0.3, 0.9, -0.2, 0.3, 0.2, -0.4, 0.1, 0.5),
              .p = COSTATE_VALUES(1, 0.9, 0.8, 0.7, 0.6, 9.81, 0.05), .rhs = rhs)
