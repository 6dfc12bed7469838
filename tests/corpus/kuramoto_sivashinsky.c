/* Kuramoto-Sivashinsky on a ring, fourth derivative by a stencil table, an inner loop over offsets. */
#include <costate/model.h>
#define N 48
static const double d2[5] = {-1. / 12, 4. / 3, -5. / 2, 4. / 3, -1. / 12}, d4[5] = {1, -4, 6, -4, 1};

static void rhs(double t, const double *u, const double *p, double *f)
{
    const double h = p[0] / N, h2 = h * h, h4 = h2 * h2;
    for (int i = 0; i < N; i++) {
        double uxx = 0, uxxxx = 0;
        for (int k = -2; k <= 2; k++) {
            const double v = u[(i + k + N) % N];
            uxx += d2[k + 2] * v;
            uxxxx += d4[k + 2] * v;
        }
        const double up = u[(i + 1) % N], um = u[(i - 1 + N) % N];
        f[i] = -uxx / h2 - p[1] * uxxxx / h4 - (up * up - um * um) / (4 * h);
    }
}

static void init(const double *p, double *u)
{
    for (int i = 0; i < N; i++) {
        const double x = 2 * M_PI * i / N;
        u[i] = cos(x) * (1 + sin(x));
    }
}

COSTATE_MODEL(kuramoto_sivashinsky, .states = N, .params = 2, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(22.0, 1.0), .init = init,
              .rhs = rhs)
