/* Cart and pole with a piecewise constant control: the control grid is indexed by a cast of t, the last interval by a min. */
#include <costate/model.h>
#define PIECES 10
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static void rhs(double t, const double *y, const double *u, double *f)
{
    const int k = MIN((int)(t * 10.0), PIECES - 1);
    const double M = 1.0, m = 0.3, l = 0.5, g = 9.81, force = u[k];
    const double s = sin(y[1]), c = cos(y[1]), w = y[3];

    f[0] = y[2];
    f[1] = w;
    f[2] = (l * m * s * w * w + force + m * g * c * s) / (M + m * (1 - c * c));
    f[3] = -(l * m * c * s * w * w + force * c + (M + m) * g * s) / (l * M + l * m * (1 - c * c));
}

static void running(double t, const double *y, const double *u, double *r)
{
    double sum = 0;
    for (int k = 0; k < PIECES; k++) sum += u[k] * u[k];
    r[0] = sum / PIECES;
}

static void defaults(double *u)
{
    for (int k = 0; k < PIECES; k++) u[k] = 5.0 * cos(0.8 * k);
}

COSTATE_MODEL(pendulum_cart, .states = 4, .params = PIECES, .t0 = 0.31, .t1 = 0.39, .y0 = COSTATE_VALUES(0.1, 0.5, 0.3, -0.4),
              .defaults = defaults, .rhs = rhs, .running = running)
