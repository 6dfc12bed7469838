/* refused: 11:14: error: 'limiter' is a pointer to a function */
/* A limiter that is chosen by a function pointer. */
#include <costate/model.h>
#define N 8

static double none(double a, double b) { return 0.5 * (a + b); }
static double limited(double a, double b) { return a * b > 0 ? 2 * a * b / (a + b) : 0.0; }

static void rhs(double t, const double *u, const double *p, double *f)
{
    double (*limiter)(double, double) = N > 100 ? none : limited;
    for (int i = 0; i < N; i++) {
        double back = u[i] - u[(i + N - 1) % N], ahead = u[(i + 1) % N] - u[i];
        f[i] = -p[0] * limiter(back, ahead);
    }
}

COSTATE_MODEL(refused_limiter, .states = N, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1, 2, 3, 2, 1, 0.5, 0.7, 0.9),
              .p = COSTATE_VALUES(1), .rhs = rhs)
