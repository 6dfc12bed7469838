/* fast.c - see fast.h
 *
 *     part = |(J/speed)^k x| / |x|,   J = f_y or its transpose, lane by lane
 *
 * A mode with |lambda| = speed has its share of x in it; others come with (lambda/speed)^k. Components are measured by their
 * sizes |y| + atol/rtol, those of adjoints by the inverse. */
#include "sens/fast.h"

#include "base/kernels.h"

#include <math.h>
#include <stdio.h>

enum { POWER = 8 };
static const double much = 100, most = 0.05; /* tolerances, in derivatives by the initial state; part of an adjoint */

/* Also of what explodes, the square of which would overflow. */
static double length(const costate_solver *s, int transposed, const double *y, int w, int lane, const double *x)
{
    const double floor = s->opt.rtol > 0 ? 1 / s->opt.rtol : 1;
    double size = 0;
    for (int i = 0; i < s->prob.n; i++) {
        const double unit = fabs(y[i]) + floor * s->atol[i], v = x[(size_t)i * (size_t)w + (size_t)lane];
        if (unit > 0) size = hypot(size, transposed ? v * unit : v / unit);
    }
    return size;
}

int cst__fast_measure(costate_solver *s, int transposed, double speed, double t, const double *y, int w, const double *x)
{
    const size_t count = (size_t)s->prob.n * (size_t)w;
    double *v = cst__scratch(s, &s->probe, 2 * count), *next = v + count;
    if (!v) return s->status;
    memcpy(v, x, count * sizeof *v);
    for (int k = 0; k < POWER; k++) {
        memset(next, 0, count * sizeof *next);
        const int rc = transposed ? deriv_vjp(&s->d, t, y, s->p, w, v, next, NULL)
                                  : deriv_jvp(&s->d, t, y, s->p, w, NULL, v, NULL, next);
        if (rc || !cst__all_finite(count, next)) return 0; /* nothing can be said */
        for (size_t i = 0; i < count; i++) v[i] = next[i] / speed;
    }
    for (int lane = 0; lane < w; lane++) {
        const double size = length(s, transposed, y, w, lane, x), part = length(s, transposed, y, w, lane, v);
        if (size > 0 && part > s->fast_part * size) s->fast_part = part / size;
    }
    return 0;
}

/* Relative to objective and state such derivatives are rare, and worth a few products. */
static const double enormous = 1e6, beyond_belief = 1e20, bears = 2;

int cst__fast_explodes(costate_solver *s, int transposed, double t, const double *y, int w, const double *x, const double *size)
{
    double h = 0;
    int explodes = 0;
    if (!s->fam->mode) return 0;
    for (int l = 0; l < w && !explodes; l++)
        explodes = length(s, transposed, y, w, l, x) > (size ? enormous * size[l] : beyond_belief);
    if (!explodes) return 0;
    for (int64_t n = 0; n < s->log.count; n++) h = fmax(h, fabs(s->log.h[n]));
    return cst__fast_measure(s, transposed, bears / h, t, y, w, x);
}

void cst__fast_judge(costate_solver *s)
{
    const int64_t at = s->fast_step < 0 ? 0 : s->fast_step;
    const double of_initial = s->fast_part * exp(s->fast_before);
    if (!(s->fast_part > most || of_initial > much * fmax(s->opt.rtol, 1e-12))) return;
    snprintf(s->warning, sizeof s->warning,
             "derivatives are not to be trusted: the problem is stiff, and %s does not damp what is fast: it makes %.2g of them "
             "at t = %.6g (step %lld); use method auto, or an implicit one",
             s->stats.method, s->fast_part, s->log.t[at], (long long)at);
}
