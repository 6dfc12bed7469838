/* hermite.c - cubic Hermite interpolation between the ends of a step, for families without a continuous extension of their own. docs/theory.md (21) */
#include "core/kernels.h"
#include "core/solver.h"

static void interpolate(size_t n, double h, double theta, const double *y, const double *f, const double *ynew, const double *fnew, double *out)
{
    double rest = 1 - theta, c[4] = {rest * rest * (1 + 2 * theta), theta * theta * (3 - 2 * theta), h * theta * rest * rest, -h * theta * theta * rest};
    const double *v[4] = {y, ynew, f, fnew};
    cst__combine(n, NULL, 4, c, v, out);
}

int cst__hermite(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    (void)first; /* what is evaluated here is remembered: the next step begins with it */
    if (!s->fnew_valid) TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew));
    s->fnew_valid = 1;
    if (!d) {
        interpolate((size_t)s->prob.n, st->h, theta, st->y, s->f, st->ynew, s->fnew, y);
        return 0;
    }
    if (!d->fdot_valid) TRY(deriv_jvp(&s->d, st->t, st->y, s->p, d->w, NULL, d->ydot, d->pdot, d->fdot));
    if (!d->fdotnew_valid) TRY(deriv_jvp(&s->d, st->tn, st->ynew, s->p, d->w, NULL, d->ydotnew, d->pdot, d->fdotnew));
    d->fdot_valid = d->fdotnew_valid = 1;
    interpolate((size_t)s->prob.n * (size_t)d->w, st->h, theta, d->ydot, d->fdot, d->ydotnew, d->fdotnew, ydot);
    return 0;
}
