/* van_der_pol_chebyshev.c - van_der_pol_control.c with a control that is a sum of Chebyshev polynomials over the whole time,
 *
 *     v(t) = sum of p_j T_j(2 t/5 - 1), j < TERMS,
 *
 * so that every parameter counts at every time. p = (0.7, 0, .., 0). -DTERMS=100 sets their number, at least 2. */
#include <costate/model.h>

#ifndef TERMS
#define TERMS 10
#endif

static double control(double t, const double *p)
{
    const double x = 2 * t / 5 - 1;
    double before = 1, last = x, v = p[0] + p[1] * x;
    for (int j = 2; j < TERMS; j++) {
        const double next = 2 * x * last - before;
        v += p[j] * next;
        before = last;
        last = next;
    }
    return v;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    double v = control(t, p);
    f[0] = (1 - y[1] * y[1]) * y[0] - y[1] + v;
    f[1] = y[0];
    f[2] = y[0] * y[0] + y[1] * y[1] + v * v;
}

static void defaults(double *p)
{
    for (int j = 0; j < TERMS; j++) p[j] = 0;
    p[0] = 0.7;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[2];
}

COSTATE_MODEL(van_der_pol_chebyshev,
    .states = 3, .params = TERMS, .y0 = COSTATE_VALUES(0, 1, 0), .t0 = 0, .t1 = 5,
    .rhs = rhs, .defaults = defaults, .terminal = terminal)
