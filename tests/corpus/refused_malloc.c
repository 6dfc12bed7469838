/* refused: 9:20: error: 'malloc': memory is not managed in functions that are differentiated */
/* Work space from the heap. */
#include <costate/model.h>
#include <stdlib.h>
#define N 10

static int rhs(double t, const double *y, const double *p, double *f)
{
    double *flux = malloc((N + 1) * sizeof(double));
    if (!flux) return -1;
    flux[0] = flux[N] = 0;
    for (int i = 1; i < N; i++) flux[i] = p[0] * (y[i - 1] - y[i]);
    for (int i = 0; i < N; i++) f[i] = flux[i] - flux[i + 1];
    free(flux);
    return 0;
}

COSTATE_MODEL(refused_malloc, .states = N, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
              .p = COSTATE_VALUES(1), .rhs = rhs)
