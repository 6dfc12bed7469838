/* refused: 9:28: error: 'below' calls itself: recursion is not differentiated */
/* A tree of compartments walked by recursion. */
#include <costate/model.h>
#define N 7

static double below(const double *y, int node)
{
    if (node >= N) return 0.0;
    return y[node] + 0.5 * below(y, 2 * node + 1) + 0.5 * below(y, 2 * node + 2);
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    for (int i = 0; i < N; i++) f[i] = p[0] * below(y, i);
}

COSTATE_MODEL(refused_recursion, .states = N, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1, 2, 3, 4, 5, 6, 7),
              .p = COSTATE_VALUES(0.1), .rhs = rhs)
