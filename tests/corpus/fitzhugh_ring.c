/* FitzHugh-Nagumo cells on a ring, state as two rows of one array, a pulse of current in one cell. */
#include <costate/model.h>
#define CELLS 16

static double cubic(double v) { return v - v * v * v / 3.0; }

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double (*s)[CELLS] = (const void *)y;
    double (*d)[CELLS] = (void *)f;
    for (int c = 0; c < CELLS; c++) {
        int left = c ? c - 1 : CELLS - 1, right = c + 1 == CELLS ? 0 : c + 1;
        double v = s[0][c], w = s[1][c];
        double current = p[3] * exp(-0.5 * (t - 1.0) * (t - 1.0)) * (c == CELLS / 2);
        d[0][c] = cubic(v) - w + current + p[4] * (s[0][left] - 2 * v + s[0][right]);
        d[1][c] = (v + p[0] - p[1] * w) / p[2];
    }
}

static void init(const double *p, double *y)
{
    for (int c = 0; c < CELLS; c++) y[c] = -1.2 + 0.02 * c, y[CELLS + c] = -0.62;
}

COSTATE_MODEL(fitzhugh_ring, .states = 2 * CELLS, .params = 5, .t0 = 0, .t1 = 20, .p = COSTATE_VALUES(0.7, 0.8, 12.5, 0.5, 0.3),
    .rhs = rhs, .init = init)
