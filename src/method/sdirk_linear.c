/* sdirk_linear.c - the linear stage systems of tangents and adjoints, (shift I - J) x = b with J = f_y(T_i, Y_i), or transposed.
 *
 *     direct     by factors of that very matrix
 *     iterated   M dx = b - shift x + J x, x += dx from x = b/shift on, with M of the step: only products with J are wanted
 *
 * An iteration has converged when its correction, relative to x, is within sweep_tol; where it does not, the system is solved
 * directly. Every system is solved from its own data alone, so that a step or a block gives the same bits whatever came before.
 * */
#include "method/sdirk.h"

#include "core/kernels.h"

#include <math.h>

enum { ITERATIONS = 40 };

/* |dx| / |x| in the worst lane. Components count in units of what the tolerances allow them, those of adjoints in its inverse. */
static double relative(const costate_solver *s, const double *y, int transposed, int w, const double *dx, const double *x)
{
    double top[64] = {0}, bottom[64] = {0}, worst = 0;
    for (int i = 0; i < s->prob.n; i++) {
        double unit = s->atol[i] + s->opt.rtol * fabs(y[i]);
        if (!(unit > 0)) unit = 1;
        if (!transposed) unit = 1 / unit;
        for (int l = 0; l < w; l++) {
            double a = unit * dx[i * w + l], b = unit * x[i * w + l];
            top[l] += a * a;
            bottom[l] += b * b;
        }
    }
    for (int l = 0; l < w; l++) {
        double ratio = top[l] == 0 ? 0 : sqrt(top[l] / bottom[l]);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

/* r = b - shift x + J x */
static int residual(costate_solver *s, double t, const double *y, int transposed, double shift, int w, const double *b,
                    const double *x, double *r)
{
    size_t nw = (size_t)s->prob.n * (size_t)w;
    double c[2] = {1, -shift};
    const double *v[2] = {b, x};
    if (transposed) {
        cst__combine(nw, b, 1, c + 1, v + 1, r);
        return deriv_vjp(&s->d, t, y, s->p, w, x, r, NULL);
    }
    TRY(deriv_jvp(&s->d, t, y, s->p, w, NULL, x, NULL, r));
    cst__combine(nw, r, 2, c, v, r);
    return 0;
}

static int iterate(costate_solver *s, const step *st, int i, int transposed, int w, const double *b, double *x, double *r,
                   int *converged)
{
    sdirk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)w;
    int slot = transposed ? SLOT_STAGE : SLOT_STEP; /* a tangent follows its step, whose factors are there */
    sdirk_matrix a = transposed ? cst__sdirk_choose(s, st) : m->held[SLOT_STEP];
    double shift = sdirk_shift(m, st), damp = sdirk_damp(shift, &a), start = 1 / shift, before = 0;
    const double *rv = r;
    TRY(cst__sdirk_factor(s, slot, &a));
    cst__combine(nw, NULL, 1, &start, &b, x);
    for (int k = 0; k < ITERATIONS; k++) {
        TRY(residual(s, sdirk_time(m, st, i), sdirk_stage(s, st->stages, i, 1), transposed, shift, w, b, x, r));
        TRY(cst__implicit_solve(s, &m->im, slot, transposed, w, r));
        cst__combine(nw, x, 1, &damp, &rv, x);
        double now = relative(s, st->y, transposed, w, r, x);
        *converged = now <= s->opt.sweep_tol;
        double theta = k ? now / before : 0;
        if (*converged || !(theta < 1) || now * pow(theta, ITERATIONS - k - 1) > s->opt.sweep_tol) break;
        before = now;
    }
    return 0;
}

int cst__sdirk_linear(costate_solver *s, const step *st, int i, int transposed, int w, double *x, double *work)
{
    sdirk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)w;
    if ((transposed ? s->opt.adjoint_solve : s->opt.tangent_solve)[0] == 'i') {
        int converged = 0;
        memcpy(work, x, nw * sizeof *x);
        TRY(iterate(s, st, i, transposed, w, work, x, work + nw, &converged));
        if (converged) return 0;
        memcpy(x, work, nw * sizeof *x);
        m->switched++;
    }
    sdirk_matrix a = {sdirk_time(m, st, i), sdirk_shift(m, st), sdirk_stage(s, st->stages, i, 1)};
    TRY(cst__sdirk_factor(s, SLOT_STAGE + i, &a));
    return cst__implicit_solve(s, &m->im, SLOT_STAGE + i, transposed, w, x);
}
