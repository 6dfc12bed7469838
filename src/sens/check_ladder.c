/* check_ladder.c - a derivative against differences of the function, over a ladder of step sizes.
 *
 *     D_k = (f(x + h_k) - f(x - h_k)) / 2 h_k      known up to  n_k = noise / h_k  and what its neighbour D_(k-1) differs by
 *     e_k = |D_k - claim|
 *
 * The last size whose n_k is well below e_k, or below what is asked for, decides. If e_k is within the bound there, or still
 * falls with the size, the claim is right. If D_k and D_(k-1) are nearer to each other than to the claim, the differences have
 * settled elsewhere, and it is wrong. Else nobody knows: noise hides the slope at every size, or the function is rough. Where
 * only one side can be evaluated, its slopes are extrapolated to h = 0. */
#include "sens/check.h"

#include "base/kernels.h"

#include <float.h>
#include <math.h>

#define LEAST (DBL_MIN / (DBL_EPSILON * DBL_EPSILON)) /* below it differences have lost their digits */

size_t cst__ladder_doubles(size_t rows)
{
    return (2 + 2 * CHECK_LEVELS) * rows;
}

void cst__ladder_carve(ladder *l, size_t rows, const double *h, int first, double *at)
{
    *l = (ladder){.h = h, .first = first, .rows = rows, .base = at, .noise = at + rows, .at = at + 2 * rows};
}

static double *values(const ladder *l, int level, int side)
{
    return l->at + (size_t)(2 * level + side) * l->rows;
}

static void take(ladder *l, int level, ladder_fn *fn, void *context)
{
    for (int side = 0; side < 2; side++) {
        double *out = values(l, level, side);
        l->tried++;
        if (!fn(context, side ? -l->h[level] : l->h[level], out)) continue;
        cst__fill_nan(out, l->rows);
        l->failed++;
    }
}

void cst__ladder_climb(ladder *l, ladder_fn *fn, void *context, const double *claim, double bound)
{
    cst__fill_nan(l->at, 2 * CHECK_LEVELS * l->rows);
    for (int i = 0; i < CHECK_LEVELS; i++) {
        int more = i == 0, level = i < 2 ? l->first + i : i < l->first + 2 ? l->first + 1 - i : i;
        take(l, level, fn, context); /* two, then larger ones, then smaller ones */
        for (size_t row = 0; row < l->rows && !more; row++) {
            finding f = cst__ladder_judge(l, row, claim[row], bound);
            more = f.more || (i <= l->first && f.word == NOT_MEASURED); /* larger steps may be above noise */
        }
        if (!more) return;
    }
}

/* One-sided slope at a level; NaN: there is none. */
static double slope(const ladder *l, size_t row, int level, int side)
{
    double change = values(l, level, side)[row] - l->base[row];
    return isfinite(change) ? change / (side ? -l->h[level] : l->h[level]) : NAN;
}

/* D_k; where one side is missing, that of the other and of the level above, extrapolated. */
static double central(const ladder *l, size_t row, int level, int above, double *noise)
{
    double forth = slope(l, row, level, 0), back = slope(l, row, level, 1);
    *noise = l->noise[row] / l->h[level];
    if (isfinite(forth) && isfinite(back)) return (forth + back) / 2;
    *noise *= 4;
    if (above < 0) return NAN;
    int side = !isfinite(forth);
    double here = side ? back : forth, there = slope(l, row, above, side);
    return here + (here - there) * l->h[level] / (l->h[above] - l->h[level]);
}

static double change(const ladder *l, size_t row, int level)
{
    return l->h[level] * fmax(fabs(slope(l, row, level, 0)), fabs(slope(l, row, level, 1))); /* fmax takes what is there */
}

static double bend(const ladder *l, size_t row, int level)
{
    double both = fabs(slope(l, row, level, 0) - slope(l, row, level, 1));
    return isfinite(both) ? both : 0;
}

double cst__ladder_secant(const ladder *l, size_t row)
{
    for (int k = 0; k < CHECK_LEVELS; k++) {
        double whole = change(l, row, k);
        if (isfinite(whole)) return whole / l->h[k];
    }
    return 0;
}

typedef struct rung {
    double h, slope, noise, apart; /* apart: from the rung above; infinite for the first */
    double change;                 /* of the function over h, the larger of both sides */
    double bend;                   /* by how much the slopes of both sides differ; 0 if there is but one */
} rung;

static int collect(const ladder *l, size_t row, rung *r)
{
    int count = 0, above = -1;
    for (int k = 0; k < CHECK_LEVELS; k++) {
        double noise, d = central(l, row, k, above, &noise);
        if (isfinite(slope(l, row, k, 0)) || isfinite(slope(l, row, k, 1))) above = k;
        if (!isfinite(d)) continue;
        r[count] = (rung){l->h[k], d, noise, count ? fabs(d - r[count - 1].slope) : INFINITY, change(l, row, k), bend(l, row, k)};
        count++;
    }
    return count;
}

/* The last rung that noise does not hide, given what the claim is off by there; 0: none. */
static int clearest(const rung *r, int count, double claim, double allowed)
{
    int last = count - 1;
    while (last > 0 && r[last].noise > fmax(0.25 * fabs(r[last].slope - claim), allowed)) last--;
    return last;
}

/* Noise hides them, or they scatter: what the best of the slopes says. */
static finding within_noise(const rung *r, int count, double claim, double secant, double bound)
{
    int best = 1;
    for (int k = 2; k < count; k++)
        if (r[k].noise + r[k].apart < r[best].noise + r[best].apart) best = k;
    double known = r[best].noise + r[best].apart, off = fabs(r[best].slope - claim);
    double size = fmax(fmax(fabs(claim), fabs(r[best].slope)), secant);
    if (size < LEAST) return (finding){.word = AGREES, .blank = 1}; /* nothing depends on it, and nothing is claimed */
    finding f = {.defect = off / size, .noise = known / size, .most = bound};
    f.word = known <= 0.1 * size && off <= 3 * known ? AGREES : NOT_MEASURED;
    return f;
}

/* Slopes say nothing where the function goes up and down within the step, so that its changes do not fall with the size, or bends
 * more than the claim is off; nor if at smaller steps, whatever their noise, they do come near the claim. */
static int settled(const rung *r, int last, int count, double claim)
{
    double off = fabs(r[last].slope - claim);
    for (int k = last; k > 0 && k > last - 2; k--)
        if (r[k].change > 0.5 * r[k - 1].change && r[k].change > 3 * r[k].noise * r[k].h) return 0;
    for (int k = last + 1; k < count; k++)
        if (fabs(r[k].slope - claim) < off / 2) return 0;
    return r[last].apart <= 0.3 * off && r[last].bend <= 2 * off;
}

/* What it is off by once the error of the difference, c h^2, is taken off. */
static double extrapolated(const rung *r, double claim)
{
    double ratio = r[-1].h / r->h;
    return fabs(r->slope + (r->slope - r[-1].slope) / (ratio * ratio - 1) - claim);
}

finding cst__ladder_judge(const ladder *l, size_t row, double claim, double bound)
{
    rung r[CHECK_LEVELS];
    int count = collect(l, row, r);
    double secant = 1e-3 * cst__ladder_secant(l, row);
    if (!isfinite(claim)) return (finding){.word = CONTRADICTS, .defect = INFINITY, .most = bound};
    if (count < 2) return (finding){.word = NOT_MEASURED, .more = 1, .most = bound};
    double slack = l->slack ? l->slack[row] : 0;
    int last = clearest(r, count, claim, bound * fmax(fabs(claim), secant) + slack);
    if (last == 0) return within_noise(r, count, claim, secant, bound);
    double off = fabs(r[last].slope - claim), before = fabs(r[last - 1].slope - claim);
    double size = fmax(fmax(fabs(claim), fabs(r[last].slope)), secant);
    if (size < LEAST) return within_noise(r, count, claim, secant, bound);
    double allowed = bound + slack / size;
    int converges = off <= before / 8;
    double left = converges ? fmin(off, extrapolated(r + last, claim)) : off;
    finding f = {.most = allowed, .size = size, .defect = left / size,
                 .noise = (r[last].noise + (converges ? left : r[last].apart)) / size};
    f.more = off > allowed * size;
    if (!f.more || converges) f.word = AGREES;
    else if (settled(r, last, count, claim)) f.word = CONTRADICTS;
    else { /* there is more noise than was foreseen */
        finding best = within_noise(r, count, claim, secant, allowed);
        best.more = 1;
        if (best.word == AGREES && best.noise <= 1e-3) return best;
    }
    return f;
}

int cst__measure(costate_measure *m, finding f)
{
    int worst = f.word == CONTRADICTS ? !m->wrong || f.defect > m->defect
                                      : f.word == AGREES && !m->wrong && !(f.defect <= m->defect);
    m->all++;
    if (f.word == AGREES && !f.blank && f.most > 0.1) worst = 0; /* as much as nothing is known */
    m->measured += f.word != NOT_MEASURED && (worst || f.most <= 0.1);
    m->wrong += f.word == CONTRADICTS;
    if (worst) m->defect = f.defect, m->noise = f.noise;
    if (worst || !m->measured) m->most = f.most;
    return worst;
}
