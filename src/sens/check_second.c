/* check_second.c - second order: <d1, H d2> = <d2, H d1> for each objective, or sums of them; Hessian products against
 * differences of tangents along d1, over the recorded steps; and whole sweeps of full width against those of one lane. */
#include "sens/check.h"
#include "sens/sweep.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { SUMS = 4 }; /* combinations of objectives */

static const double sizes[CHECK_LEVELS] = {0x1p-4, 0x1p-7, 0x1p-11, 0x1p-15, 0x1p-19};

typedef struct twice {
    check *c;
    size_t goals;       /* each objective by itself, if they are few; else sums */
    int ways[CHECK_WAYS], count;
    double *memory;
    double *weights;    /* nobj x 2 goals: of the goals, and once more */
    double *d, *h;      /* m x 2 goals: direction 0 for the first half of the lanes, 1 for the second; Hessians times these, */
    double *noise;      /* and their round-off: by how much a multiple differs */
    double *tangents;   /* count x nobj */
    double *claim, *slack; /* count x goals: way times Hessian times d1; what it may be off */
} twice;

/* ---- products ------------------------------------------------------------------------------------------------------- */

static void weigh(twice *w)
{
    const check *c = w->c;
    size_t g = w->goals, lanes = 2 * g;
    for (size_t j = 0; j < c->nobj; j++)
        for (size_t l = 0; l < lanes; l++) {
            double sign = cst__irregular(j * g + l % g) < 1 ? -1 : 1;
            w->weights[j * lanes + l] = c->nobj > g ? sign * c->omega[j] : l % g == j;
        }
    for (size_t l = 0; l < lanes; l++) cst__check_mixture(c, l >= g, w->d + l, lanes);
}

static int open(twice *w)
{
    check *c = w->c;
    size_t g = w->goals = c->nobj < SUMS ? c->nobj : SUMS, lanes = 2 * g;
    int most = (int)c->s->opt.lanes;
    w->count = c->ways < most ? c->ways : most;
    for (int k = 0; k < w->count; k++) w->ways[k] = c->ways - 1 - (int)((int64_t)k * c->ways / w->count); /* the mixture first */
    size_t count = (size_t)w->count;
    double *at = w->memory = cst__alloc(&c->s->alloc, c->nobj * lanes + 3 * c->m * lanes + count * (c->nobj + 2 * g), sizeof *at);
    if (!at) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    w->weights = at, w->d = at += c->nobj * lanes, w->h = at += c->m * lanes;
    w->noise = at += c->m * lanes;
    w->tangents = at += c->m * lanes, w->claim = at += count * c->nobj, w->slack = at + count * g;
    weigh(w);
    return 0;
}

/* How much goal l changes along anything: what is below round-off of that is no second derivative. */
static double change(const twice *w, size_t l)
{
    const check *c = w->c;
    double sum = 0;
    for (size_t j = 0; j < c->nobj; j++) sum += fabs(w->weights[j * 2 * w->goals + l]) * cst__check_change(c, j);
    return sum;
}

/* Of that, what counts as a second derivative; differences of differences leave much of it open where there is none. */
static double least(const check *c)
{
    return c->s->d.exact && c->s->d.exact2 ? 1e-3 : 1;
}

/* By how much it is missing, relative. By the adjoint equations that is what the tolerance leaves, and no round-off. */
static double symmetry(const twice *w)
{
    const check *c = w->c;
    size_t g = w->goals, lanes = 2 * g;
    double most = 0;
    for (size_t l = 0; l < g; l++) {
        double ab = 0, ba = 0, size = 0, noise = 0;
        for (size_t i = 0; i < c->m; i++) {
            double x = w->d[i * lanes + l] * w->h[i * lanes + g + l], y = w->d[i * lanes + g + l] * w->h[i * lanes + l];
            ab += x, ba += y, size += fmax(fabs(x), fabs(y));
            noise += fabs(w->d[i * lanes + l]) * w->noise[i * lanes + g + l];
            noise += fabs(w->d[i * lanes + g + l]) * w->noise[i * lanes + l];
        }
        size = fmax(fmax(size, c->continuous ? 0 : 1e11 * noise), least(c) * change(w, l));
        if (ab != ba) most = fmax(most, fabs(ab - ba) / size);
    }
    return most;
}

/* ---- against differences -------------------------------------------------------------------------------------------- */

static int moved(void *context, double eps, double *out)
{
    twice *w = context;
    check *c = w->c;
    size_t g = w->goals;
    cst__check_mixture(c, 0, c->e, 1);
    int rc = cst__check_tangents(c, c->e, eps, w->count, w->ways, w->tangents);
    for (size_t q = 0; q < (size_t)w->count; q++)
        for (size_t l = 0; l < g; l++) {
            double sum = 0;
            for (size_t j = 0; j < c->nobj; j++) sum += w->weights[j * 2 * g + l] * w->tangents[q * c->nobj + j];
            out[q * g + l] = sum;
            if (!isfinite(sum)) rc = 1;
        }
    return rc;
}

static void claims(const twice *w)
{
    check *c = w->c;
    size_t g = w->goals, lanes = 2 * g;
    for (int k = 0; k < w->count; k++) {
        cst__check_way(c, w->ways[k], c->d, 1);
        for (size_t l = 0; l < g; l++) {
            double sum = 0, noise = 0;
            for (size_t i = 0; i < c->m; i++) {
                sum += c->d[i] * w->h[i * lanes + l];
                noise += fabs(c->d[i]) * w->noise[i * lanes + l];
            }
            w->claim[(size_t)k * g + l] = sum;
            w->slack[(size_t)k * g + l] = 10 * noise;
        }
    }
}

/* Beside its own size, a claim may be off by a share of the largest of its goal and of what differences leave open; and, along
 * directions of the size of the variables, by what Newton's iteration leaves of the tangents: it counts where second derivatives
 * are nothing beside these. */
static void slack(const twice *w, const double *tangents, double soft, double share, double open)
{
    size_t g = w->goals, rows = (size_t)w->count * g;
    for (size_t l = 0; l < g; l++) {
        double most = 0, first = 0;
        for (size_t row = l; row < rows; row += g) {
            most = fmax(most, fabs(w->claim[row]));
            first = fmax(first, fabs(tangents[row]));
        }
        for (size_t row = l; row < rows; row += g)
            w->slack[row] += fmax(soft * fmax(most, first), share * most) + open * change(w, l);
    }
}

static void spread(const ladder *l, double factor, const double *there)
{
    for (size_t row = 0; row < l->rows; row++) l->noise[row] = fmax(l->noise[row], factor * fabs(there[row] - l->base[row]));
}

/* As cst__check_noise, of the tangents. */
static void noise(twice *w, ladder *l)
{
    double *there = l->at;
    for (size_t row = 0; row < l->rows; row++) l->noise[row] = 8 * DBL_EPSILON * fabs(l->base[row]);
    for (int k = -1; k <= 1; k += 2)
        if (!moved(w, k * 0x1p-48, there)) spread(l, 4, there);
}

/* Of a final state that is below its tolerance, and stays there along all ways, nobody asks for the digits. */
static int nothing(const twice *w, size_t l)
{
    const check *c = w->c;
    double most = cst__check_change(c, l);
    if (c->nobj > w->goals || !cst__check_below(c, l)) return 0;
    for (size_t q = 0; q < (size_t)c->ways; q++) most = fmax(most, fabs(c->tangents[q * c->nobj + l]));
    return most < c->s->atol[l];
}

/* Nor of one that bends on the scale of its own value. */
static int bends(const twice *w, size_t l)
{
    const check *c = w->c;
    return c->nobj <= w->goals && cst__check_bends(c, l, cst__check_change(c, l));
}

/* Nor do differences see a second derivative that would change tangents over the smallest step by more than ten times all there
 * is at any of them: they bend on a smaller scale. */
static int beyond(const twice *w, const ladder *l, size_t row)
{
    double most = 0;
    for (size_t k = row % w->goals; k < l->rows; k += w->goals) {
        most = fmax(most, fabs(l->base[k]));
        for (size_t i = 0; i < 2 * CHECK_LEVELS; i++) most = fmax(most, fabs(l->at[i * l->rows + k]));
    }
    return most > 0 && isfinite(w->claim[row]) && fabs(w->claim[row]) * l->h[CHECK_LEVELS - 1] > 10 * most;
}

/* What Newton's iteration leaves in gradients is in second derivatives, too. */
static double rest(const check *c)
{
    const costate_measure *steps = &c->out->steps;
    return cst__check_newton_based(c->s) && steps->measured && !steps->wrong ? steps->defect : 0;
}

static int differences(twice *w)
{
    check *c = w->c;
    costate_measure *m = &c->out->second;
    ladder l;
    size_t rows = (size_t)w->count * w->goals;
    double *at = cst__alloc(&c->s->alloc, cst__ladder_doubles(rows), sizeof *at);
    if (!at) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    cst__ladder_carve(&l, rows, sizes, 1, at);
    const int exact = c->s->d.exact && c->s->d.exact2;
    double bound = exact ? 1e-5 : 1e-2;
    claims(w);
    const double soft = 10 * fmax(cst__check_softness(c), rest(c));
    int rc = moved(w, 0, l.base);
    if (!rc) {
        slack(w, l.base, soft, exact ? 0 : 1e-2, exact ? (cst__check_newton_based(c->s) ? soft : 0) : 1e-3);
        l.slack = w->slack;
        noise(w, &l);
        cst__ladder_climb(&l, moved, w, w->claim, bound);
        for (size_t row = 0; row < rows; row++) {
            finding f = cst__ladder_judge(&l, row, w->claim[row], bound);
            const size_t goal = row % w->goals;
            if (nothing(w, goal) || beyond(w, &l, row) || bends(w, goal)) f.word = NOT_MEASURED;
            if (cst__measure(m, f))
                cst__check_slope_name(c, c->nobj > w->goals ? -1 : (int)goal, w->ways[row / w->goals], m->name);
        }
        c->out->runs += l.tried;
        c->out->failed += l.failed;
    }
    cst__release(&c->s->alloc, at);
    return rc < 0 ? rc : 0; /* tangents that are not finite are seen elsewhere */
}

/* ---- full width ----------------------------------------------------------------------------------------------------- */

/* Lane l has 1 + l times the weights, and of second order as many times the direction: so many times the gradient, or the
 * square of it times the Hessian product. */
static void compare(const check *c, int power, const double *one, const double *again, const double *all, const char *what)
{
    const double rest = c->continuous ? 10 * c->s->opt.rtol : 1e4 * c->out->tolerance; /* round-off grows over a run */
    const double bound = fmax(1e-6, rest); /* products are held against less */
    size_t lanes = (size_t)c->s->opt.lanes;
    double largest = 1e-2, most = 0; /* the objectives themselves are of size 1 */
    for (size_t i = 0; i < c->m; i++) {
        largest = fmax(largest, fabs(one[i]) * c->scale[i]);
        most = fmax(most, fabs(one[i])); /* round-off of the largest adjoint comes to all */
    }
    for (size_t l = 0; l < lanes; l++)
        for (size_t i = 0; i < c->m; i++) {
            if (!c->wanted[i]) continue;
            double factor = pow((double)(1 + l), power), off = fabs(all[i * lanes + l] / factor - one[i]);
            double size = fmax(fmax(fabs(one[i]), 1e-6 * most), 1e-3 * largest / c->scale[i]);
            size = fmax(size, 100 * fabs(again[i] - one[i]) / bound);
            finding f = {.word = off <= bound * size ? AGREES : CONTRADICTS, .defect = off > 0 ? off / size : 0, .most = bound};
            if (cst__measure(&c->out->lanes, f)) {
                char name[64];
                snprintf(c->out->lanes.name, sizeof c->out->lanes.name, "%s, lane %d of %d, %.40s", what, (int)l, (int)lanes,
                         cst__check_variable(c, (int)i, name));
            }
        }
}

/* The same of one lane and a multiple of the weights: round-off. */
static int one_lane(check *c, const double *along, double *one, double *again)
{
    costate_solver *s = c->s;
    const double *pdot = along && c->np ? along + c->n : NULL;
    for (int pass = 0; pass < 2; pass++) {
        double *to = pass ? again : one, factor = pass ? CHECK_STRETCH : 1;
        for (size_t j = 0; j < c->nobj; j++) c->omega[j] *= factor;
        int status = along ? costate_hessian(s, 1, c->omega, along, pdot, to, to + c->n)
                           : costate_gradient(s, 1, c->omega, to, to + c->n);
        for (size_t j = 0; j < c->nobj; j++) c->omega[j] /= factor;
        for (size_t i = 0; i < c->m; i++) to[i] /= factor;
        TRY(status);
    }
    return 0;
}

static double inner(const check *c, const double *x, const double *y, const double *z, double *noise)
{
    double sum = 0;
    *noise = 0;
    for (size_t i = 0; i < c->m; i++) sum += x[i] * y[i], *noise += fabs(x[i] * (y[i] - z[i]));
    return sum;
}

static int full_width(check *c, int second, double *work)
{
    costate_solver *s = c->s;
    size_t lanes = (size_t)s->opt.lanes, m = c->m, n = c->n;
    double *weights = work, *d = weights + c->nobj * lanes, *all = d + m * lanes, *one = all + m * lanes;
    double *again = one + m, *along = again + m;
    int w = (int)lanes;
    for (size_t j = 0; j < c->nobj; j++)
        for (size_t l = 0; l < lanes; l++) weights[j * lanes + l] = (double)(1 + l) * c->omega[j];
    cst__check_mixture(c, 0, along, 1);
    TRY(one_lane(c, NULL, one, again));
    c->lean = inner(c, along, one, again, &c->lean_noise);
    if (lanes > 1) TRY(costate_gradient(s, w, weights, all, all + n * lanes));
    if (lanes > 1) compare(c, 1, one, again, all, "gradient");
    if (!second) return 0;
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < lanes; l++) d[i * lanes + l] = (double)(1 + l) * along[i];
    TRY(one_lane(c, along, one, again));
    c->bend = inner(c, along, one, again, &c->bend_noise);
    if (lanes > 1) TRY(costate_hessian(s, w, weights, d, c->np ? d + n * lanes : NULL, all, all + n * lanes));
    if (lanes > 1) compare(c, 2, one, again, all, "Hessian");
    return 0;
}

/* H d for both mixtures, and for a multiple of the goals. */
static int products(twice *w)
{
    const check *c = w->c;
    int width = 2 * (int)w->goals;
    size_t lanes = (size_t)width, split = c->n * lanes;
    const double *pdot = c->np ? w->d + split : NULL;
    TRY(costate_hessian(c->s, width, w->weights, w->d, pdot, w->h, w->h + split));
    for (size_t i = 0; i < c->nobj * lanes; i++) w->weights[i] *= CHECK_STRETCH;
    TRY(costate_hessian(c->s, width, w->weights, w->d, pdot, w->noise, w->noise + split));
    for (size_t i = 0; i < c->nobj * lanes; i++) w->weights[i] /= CHECK_STRETCH;
    for (size_t i = 0; i < c->m * lanes; i++) w->noise[i] = fabs(w->noise[i] / CHECK_STRETCH - w->h[i]);
    return 0;
}

/* A Hessian that cannot be had, because a difference of products leaves the domain of f, is not judged; the gradient is. */
static int without(check *c, int status)
{
    if (status != COSTATE_ERR_SWEEP_NOT_FINITE && !(c->continuous && status == COSTATE_ERR_CONTINUOUS)) return status;
    snprintf(c->lacks, sizeof c->lacks, "%.120s", c->s->reason);
    c->bend = c->out->symmetry = NAN;
    return 0;
}

int cst__check_second(check *c)
{
    costate_solver *s = c->s;
    int second = !cst__second_lacks(s), status;
    size_t lanes = (size_t)s->opt.lanes;
    double *work = cst__alloc(&s->alloc, (c->nobj + 2 * c->m) * lanes + 3 * c->m, sizeof *work);
    c->bend = c->out->symmetry = NAN;
    if (!work) return cst__fail(s, COSTATE_ERR_MEMORY, "the check");
    status = full_width(c, second, work);
    cst__release(&s->alloc, work);
    if (status || !second || c->continuous) return without(c, status);
    twice w = {.c = c};
    TRY(open(&w));
    status = products(&w);
    if (!status) c->out->symmetry = symmetry(&w);
    if (!status) status = differences(&w);
    cst__release(&s->alloc, w.memory);
    return without(c, status);
}

/* ---- by the adjoint equations --------------------------------------------------------------------------------------- */

/* off: what those claim; then what it and what the steps have are apart by. */
static void apart(const twice *w, double *off)
{
    const size_t g = w->goals, rows = (size_t)w->count * g;
    for (size_t l = 0; l < g; l++) {
        double most = change(w, l);
        for (size_t row = l; row < rows; row += g) most = fmax(most, fabs(w->claim[row]));
        for (size_t row = l; row < rows; row += g) {
            const double one = off[row], other = w->claim[row];
            off[row] = one == other ? 0 : fabs(one - other) / fmax(fmax(fabs(one), fabs(other)), 1e-3 * most);
        }
    }
}

static int both(twice *w, double *off)
{
    costate_solver *s = w->c->s;
    const char *adjoint = s->opt.adjoint;
    TRY(products(w));
    off[0] = symmetry(w);
    claims(w);
    memcpy(off + 1, w->claim, (size_t)w->count * w->goals * sizeof *off);
    s->opt.adjoint = "discrete";
    const int status = products(w);
    s->opt.adjoint = adjoint;
    if (status) return status;
    claims(w);
    apart(w, off + 1);
    return 0;
}

int cst__check_second_apart(check *c, double *off, size_t *rows)
{
    twice w = {.c = c};
    *rows = 0;
    if (isnan(c->bend)) return 0; /* there is no second order */
    TRY(open(&w));
    const int status = both(&w, off);
    if (!status) *rows = 1 + (size_t)w.count * w.goals;
    cst__release(&c->s->alloc, w.memory);
    return without(c, status);
}
