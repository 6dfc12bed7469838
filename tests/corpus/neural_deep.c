/* A deeper network: layers in a loop that overwrites one activation array, softplus units, residual connections. */
#include <costate/model.h>
#define WIDTH 6
#define LAYERS 4
#define PER (WIDTH * WIDTH + WIDTH)

static inline double softplus(double x) { return log1p(exp(x)); }

static void rhs(double t, const double *y, const double *p, double *f)
{
    double a[WIDTH], z[WIDTH];
    int l, i, j;

    for (i = 0; i < WIDTH; i++) a[i] = y[i];
    for (l = 0; l < LAYERS; l++) {
        const double *w = p + l * PER, *b = w + WIDTH * WIDTH;
        for (i = 0; i < WIDTH; i++) {
            z[i] = b[i] + (l == 0 ? 0.1 * t : 0.0);
            for (j = 0; j < WIDTH; j++) z[i] += w[WIDTH * i + j] * a[j];
        }
        for (i = 0; i < WIDTH; i++) a[i] = 0.5 * a[i] + softplus(z[i]) - 0.69;
    }
    for (i = 0; i < WIDTH; i++) f[i] = a[i] - y[i];
}

static void defaults(double *p)
{
    for (int k = 0; k < LAYERS * PER; k++) p[k] = 0.4 * sin(1.0 + 3.7 * k);
}

COSTATE_MODEL(neural_deep, .states = WIDTH, .params = LAYERS * PER, .t0 = 0, .t1 = 1,
              .y0 = COSTATE_VALUES(0.3, -0.4, 0.2, 0.9, -0.6, 0.1), .defaults = defaults, .rhs = rhs)
