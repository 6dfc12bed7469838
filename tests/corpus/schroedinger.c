/* A discrete nonlinear Schroedinger lattice with complex numbers made by hand: structs passed and returned by value. */
#include <costate/model.h>
#define SITES 10
typedef struct cplx { double re, im; } cplx;

static cplx make(double re, double im) { cplx z = {re, im}; return z; }
static cplx add(cplx a, cplx b) { return make(a.re + b.re, a.im + b.im); }
static cplx scale(double s, cplx a) { return make(s * a.re, s * a.im); }
static cplx times_minus_i(cplx a) { return make(a.im, -a.re); }
static double abs2(cplx a) { return a.re * a.re + a.im * a.im; }

static void rhs(double t, const double *y, const double *p, double *f)
{
    const cplx *psi = (const cplx *)y;
    cplx *d = (cplx *)f;
    for (int k = 0; k < SITES; k++) {
        cplx h = scale(p[0] * abs2(psi[k]) + p[1] * (k - SITES / 2) * sin(p[2] * t), psi[k]);
        if (k > 0) h = add(h, scale(-p[3], psi[k - 1]));
        if (k < SITES - 1) h = add(h, scale(-p[3], psi[k + 1]));
        d[k] = times_minus_i(h);
    }
}

static void init(const double *p, double *y)
{
    for (int k = 0; k < SITES; k++) {
        const double a = exp(-0.2 * (k - 4.0) * (k - 4.0));
        y[2 * k] = a * cos(0.5 * k), y[2 * k + 1] = a * sin(0.5 * k);
    }
}

COSTATE_MODEL(schroedinger, .states = 2 * SITES, .params = 4, .t0 = 0, .t1 = 2, .p = COSTATE_VALUES(1.5, 0.2, 0.9, 1.0),
              .init = init, .rhs = rhs)
