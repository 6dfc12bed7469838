/* Korteweg and de Vries' equation with ghost cells in a variable-length array. */
#include <costate/model.h>
static const int N = 40;

static void rhs(double t, const double *u, const double *p, double *f)
{
    double w[N + 4];
    const double h = 20.0 / N;

    for (int i = 0; i < N; i++) w[i + 2] = u[i];
    w[0] = u[N - 2]; w[1] = u[N - 1];
    w[N + 2] = u[0]; w[N + 3] = u[1];
    for (int i = 2; i < N + 2; i++) {
        double ux = (w[i + 1] - w[i - 1]) / (2 * h);
        double uxxx = (w[i + 2] - 2 * w[i + 1] + 2 * w[i - 1] - w[i - 2]) / (2 * h * h * h);
        f[i - 2] = -p[0] * (w[i + 1] + w[i] + w[i - 1]) / 3 * ux - p[1] * uxxx;
    }
}

static void init(const double *p, double *u)
{
    for (int i = 0; i < N; i++) {
        const double x = 20.0 * i / N - 7.0, s = 1.0 / cosh(0.5 * sqrt(p[2]) * x);
        u[i] = 0.5 * p[2] * s * s + 0.02;
    }
}

COSTATE_MODEL(kdv, .states = 40, .params = 3, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(6.0, 1.0, 2.0), .init = init, .rhs = rhs)
