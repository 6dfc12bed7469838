/* check_taylor.c - the remainders of Taylor's formula along one direction, over the recorded steps, of the sum of all objectives,
 * each weighted by its own size. They are taken both ways, so that a kink shows, which central differences do not see.
 *
 * A slope is given where it was measured: over sizes at which the remainder is well above noise. */
#include "sens/check.h"

#include <math.h>

enum { LEVELS = 10 };           /* sizes, each a quarter of the one before */
static const double clear = 200; /* times noise: what a remainder is to be above */

typedef struct remainders {
    check *c;
    double size;       /* of the sum: its change over a finite step */
    double floor, top; /* noise at x, and at the largest perturbation */
    double *psi;       /* nobj */
} remainders;

static double sum_at(const remainders *r, double eps)
{
    check *c = r->c;
    double sum = 0;
    if (cst__check_repeat(c, c->d, eps, r->psi)) return NAN;
    for (size_t j = 0; j < c->nobj; j++) sum += c->omega[j] * (r->psi[j] - c->psi[j]);
    return sum;
}

/* Of values far from x as well: an objective that vanishes at x has no noise there. */
static void noise(remainders *r)
{
    const check *c = r->c;
    for (size_t j = 0; j < c->nobj; j++) r->floor += fabs(c->omega[j]) * c->noise[j];
    for (int side = -1; side <= 1; side += 2) {
        double eps = side * c->out->eps[0], here = sum_at(r, eps);
        for (int k = 1; k <= 2; k++) {
            double there = sum_at(r, eps * (1 + k * 0x1p-50));
            if (isfinite(here) && isfinite(there)) r->top = fmax(r->top, fabs(there - here));
        }
    }
}

/* Noise adds to a remainder. One that is far below the power at a smaller size is not hidden by it: there is no such power. */
static int falls_below(const double *r, int k, double slope)
{
    for (int i = k + 1; i < LEVELS; i++)
        if (r[i] < 0.1 * r[k] * exp2(-2 * slope * (i - k))) return 1;
    return 0;
}

/* The slope of the remainder where it is smallest yet well above noise, if it is a power there: the same over two quarterings,
 * and a whole number. Elsewhere terms of several orders are at work; and what hardly falls at all is noise of another kind, such
 * as Newton's iteration makes. */
static double last_slope(const double *r, const double *noise)
{
    for (int k = LEVELS - 1; k >= 2; k--) {
        int above = 1;
        for (int i = k - 2; i <= k; i++) above = above && isfinite(r[i]) && r[i] > clear * noise[i];
        double upper = log2(r[k - 2] / r[k - 1]) / 2, lower = log2(r[k - 1] / r[k]) / 2, mean = (upper + lower) / 2;
        const int power = above && fabs(upper - lower) < 0.2 && fabs(mean - round(mean)) < 0.1 && mean > 0.5;
        if (power && !falls_below(r, k, mean)) return mean;
    }
    return NAN;
}

/* Of second order nothing is seen at a size where the remainder is far below eps^2/2 <d, H d> and does not fall with the square:
 * psi bends on a smaller scale. A wrong gradient is not mistaken for that, eps <error, d> + eps^2/2 <d, H d> being no less than
 * one of its terms, nor a wrong Hessian, which leaves the square alone. */
static int beyond(const costate_certificate *out, int k, double bend)
{
    const double *r = &out->rest_gradient[k > 0 ? k : 1], square = out->eps[k] * out->eps[k] / 2 * fabs(bend);
    return out->rest_gradient[k] < 0.1 * square && r[-1] < 8 * r[0];
}

/* By the adjoint equations derivatives are off by what the tolerance leaves: remainders of ten of it and less say nothing. */
static double at_tolerance(const remainders *r)
{
    const check *c = r->c;
    double size = r->size;
    for (size_t j = 0; j < c->nobj; j++) size += fabs(c->omega[j] * c->psi[j]);
    return c->continuous ? 10 * c->s->opt.rtol * size / clear : 0;
}

static void measure(remainders *r)
{
    check *c = r->c;
    costate_certificate *out = c->out;
    const deriv *d = &c->s->d;
    double noise1[LEVELS], noise2[LEVELS], soft = cst__check_softness(c);
    double rough = fmax(soft, d->exact && d->exact2 ? 0 : 1e-4), least = at_tolerance(r);
    for (int k = 0; k < LEVELS; k++) {
        double eps = out->eps[k], forth = sum_at(r, eps) - eps * c->lean, back = sum_at(r, -eps) + eps * c->lean;
        double square = eps * eps / 2 * c->bend;
        out->runs += 2;
        out->failed += !isfinite(forth) + !isfinite(back);
        out->rest_gradient[k] = isfinite(forth + back) ? fmax(fabs(forth), fabs(back)) : NAN;
        out->rest_hessian[k] = isfinite(forth + back) ? fmax(fabs(forth - square), fabs(back - square)) : NAN;
        noise1[k] = fmax(least, r->floor + r->top * eps / out->eps[0] + eps * (soft * r->size + c->lean_noise));
        noise2[k] = noise1[k] + eps * eps * (rough * fabs(c->bend) + c->bend_noise);
    }
    for (int k = 0; k < LEVELS; k++)
        if (beyond(out, k, c->bend)) noise1[k] = noise2[k] = INFINITY;
    out->slope_gradient = last_slope(out->rest_gradient, noise1);
    out->slope_hessian = isnan(c->bend) ? NAN : last_slope(out->rest_hessian, noise2);
}

int cst__check_taylor(check *c)
{
    remainders r = {.c = c, .psi = cst__alloc(&c->s->alloc, c->nobj, sizeof(double))};
    const double *mixture = c->tangents + (size_t)(c->ways - 1) * c->nobj, *secant = c->secants + (size_t)(c->ways - 1) * c->nobj;
    if (!r.psi) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    c->out->levels = LEVELS;
    for (int k = 0; k < LEVELS; k++) c->out->eps[k] = ldexp(0.02, -2 * k);
    for (size_t j = 0; j < c->nobj; j++) r.size += fabs(c->omega[j]) * fmax(fabs(mixture[j]), secant[j]);
    cst__check_mixture(c, 0, c->d, 1);
    noise(&r);
    measure(&r);
    cst__release(&c->s->alloc, r.psi);
    return 0;
}
