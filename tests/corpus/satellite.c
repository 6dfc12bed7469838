/* Low-thrust orbit transfer in modified equinoctial elements, all names spelled out. */
#include <costate/model.h>
#include <stdio.h>
enum { P, F, G, H, K, L, MASS };

static int rhs(double t, const double *x, const double *c, double *dx)
{
    const double mu = 1.0, p = x[P], f = x[F], g = x[G], h = x[H], k = x[K], L_ = x[L];
    const double cosL = cos(L_), sinL = sin(L_), w = 1 + f * cosL + g * sinL, s2 = 1 + h * h + k * k, root = sqrt(p / mu);
    const double accel = c[0] / x[MASS], ar = accel * sin(c[1]), at = accel * cos(c[1]) * cos(c[2]),
                 an = accel * cos(c[1]) * sin(c[2]);
    const double hk = h * sinL - k * cosL;

    dx[P] = 2 * p / w * root * at;
    dx[F] = root * (ar * sinL + ((w + 1) * cosL + f) * at / w - hk * g * an / w);
    dx[G] = root * (-ar * cosL + ((w + 1) * sinL + g) * at / w + hk * f * an / w);
    dx[H] = root * s2 * an / (2 * w) * cosL;
    dx[K] = root * s2 * an / (2 * w) * sinL;
    dx[L] = sqrt(mu * p) * (w / p) * (w / p) + root * hk * an / w;
    dx[MASS] = -c[0] / c[3];
    return 0;
}

COSTATE_MODEL(satellite, .states = 7, .params = 4, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1.1, 0.1, 0.05, 0.2, -0.1, 0.4, 1.0),
    .p = COSTATE_VALUES(0.05, 0.3, 0.2, 2.0), .rhs = rhs)
