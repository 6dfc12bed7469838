/* refused: 10:43: error: the pointer 'u' is assigned more than once */
/* Walks through the state with a pointer that moves. */
#include <costate/model.h>
#define N 6

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *u = y;
    double total = 0;
    for (int i = 0; i < N; i++) total += *u++;
    for (int i = 0; i < N; i++) f[i] = p[0] * (total / N - y[i]);
}

COSTATE_MODEL(refused_walk, .states = N, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1, 2, 3, 4, 5, 6),
              .p = COSTATE_VALUES(0.1), .rhs = rhs)
