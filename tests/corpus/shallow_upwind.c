/* kinks */
/* Shallow water in one dimension by a Rusanov flux: sqrt for the wave speed, if on sizes, conserved variables in a struct. */
#include <costate/model.h>
#define CELLS 25
#define GRAV 9.81

struct flux { double mass, momentum; };

static struct flux rusanov(double hl, double ql, double hr, double qr)
{
    struct flux out;
    double ul = ql / hl, ur = qr / hr;
    double sl = fabs(ul) + sqrt(GRAV * hl), sr = fabs(ur) + sqrt(GRAV * hr), s;
    if (sl > sr)
        s = sl;
    else
        s = sr;
    out.mass = 0.5 * (ql + qr) - 0.5 * s * (hr - hl);
    out.momentum = 0.5 * (ql * ul + 0.5 * GRAV * hl * hl + qr * ur + 0.5 * GRAV * hr * hr) - 0.5 * s * (qr - ql);
    return out;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *h = y, *q = y + CELLS;
    const double dx = 10.0 / CELLS;
    for (int i = 0; i < 2 * CELLS; i++) f[i] = 0;
    for (int face = 0; face <= CELLS; face++) {
        const int l = face == 0 ? 0 : face - 1, r = face == CELLS ? CELLS - 1 : face;
        const double sign_l = face == 0 ? -1.0 : 1.0, sign_r = face == CELLS ? -1.0 : 1.0;
        struct flux F = rusanov(h[l], sign_l * q[l], h[r], sign_r * q[r]);
        if (face > 0) { f[l] -= F.mass / dx; f[CELLS + l] -= F.momentum / dx; }
        if (face < CELLS) { f[r] += F.mass / dx; f[CELLS + r] += F.momentum / dx; }
    }
    for (int i = 0; i < CELLS; i++) {
        double u = q[i] / h[i];
        f[CELLS + i] -= p[0] * u * fabs(u) / cbrt(h[i]) + GRAV * h[i] * p[1];
    }
}

static void init(const double *p, double *y)
{
    for (int i = 0; i < CELLS; i++) {
        y[i] = 1.0 + p[2] * exp(-0.1 * (i - 8.0) * (i - 8.0));
        y[CELLS + i] = 0.4 + 0.01 * i;
    }
}

COSTATE_MODEL(shallow_upwind, .states = 2 * CELLS, .params = 3, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(0.02, 0.001, 0.4),
              .init = init, .rhs = rhs)
