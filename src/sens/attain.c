/* attain.c - the tolerance, and where none is named the method, by which objectives and derivatives are as accurate as is asked
 * for: their error bars (bars.c) say how accurate they are.
 *
 *     e(rtol) = the largest of  bar / |psi_j|  and  max_i u_i bar_i / max_i u_i |d_i|,  u_i the variable's value, 1 where it is 0
 *
 * It behaves like C rtol^k, k from the last two runs: the search is a secant's in log rtol, within what is known to be good and
 * what is known not to be. Absolute tolerances keep their ratios to the relative one. */
#include "core/driver.h"

#include "base/kernels.h"
#include "base/sized.h"
#include "core/rig.h"

#include <math.h>
#include <stdio.h>

static const double loosest = 0.03, tightest = 1e-13, first = 0.1; /* rtol; of what is wanted, where a search begins */
static const double finest = 1e-12;                                /* accuracy: below it round-off is what bars see */
static const double share = 0.4;                                   /* of what is wanted that the next run is to reach */
static const double enough = 0.1;                                  /* from which share on a run is not looser than it need be, */
static const double close = 2.5;                                   /* and tolerances so near to one that is too loose */
enum { MOST_RUNS = 14, VAIN = 3 };                                 /* of them in vain */

typedef struct point { /* a run */
    double rtol, error;
    int64_t work; /* calls that it took */
    int spent;    /* it failed for want of steps: it was too tight, if anything */
} point;

typedef struct search {
    costate_accuracy *a;
    const double *y0;
    double ratio; /* of what s->atol is to be to what it was, with rtol */
    double *d, *psi, *psi_bar, *d_bar;
    size_t count, w;
    int runs, unknown; /* the last run has bars that no tolerance makes finite: of what derivatives lack at jumps */
    point good, bad, best, last; /* the loosest that will do, the tightest that will not, the most accurate; rtol 0: none */
    double rtol, atol;           /* as they were given */
    const double *atols;
    double k, tight; /* an rtol that is too tight */
} search;

/* ---- one run ------------------------------------------------------------------------------------------------------------ */

/* From what they were at first, so that the same rtol gives the same bits. */
static void set_tolerance(costate_solver *s, const search *x, double rtol)
{
    cst__loosen(s); /* what "auto" has tightened */
    const double factor = rtol / x->rtol;
    s->opt.rtol = rtol;
    s->opt.atol = factor * x->atol;
    for (int i = 0; i < s->prob.n; i++) s->atol[i] = factor * x->atols[i];
}

static double unit(const costate_solver *s, const costate_accuracy *a, size_t k)
{
    const int v = a->variable ? a->variable[k] : (int)k, n = s->prob.n;
    const double x = v < n ? s->y0[v] : s->p[v - n];
    return x == 0 ? 1 : fabs(x);
}

/* Of lane l. */
static double gradient_error(const costate_solver *s, const search *x, size_t l)
{
    double bar = 0, size = 0;
    for (size_t k = 0; k < x->count; k++) {
        const double u = unit(s, x->a, k);
        bar = fmax(bar, u * x->d_bar[k * x->w + l]);
        size = fmax(size, u * fabs(x->d[k * x->w + l]));
    }
    return bar > 0 ? bar / size : 0;
}

/* The objectives that are in lane l, which are all where there are no derivatives. */
static double error_of(const costate_solver *s, const search *x)
{
    double most = 0;
    for (size_t l = 0; l < x->w; l++) most = fmax(most, gradient_error(s, x, l));
    for (size_t j = 0; j < (size_t)s->nobj; j++) {
        int wanted = !x->w || !x->a->weights;
        for (size_t l = 0; l < x->w && !wanted; l++) wanted = x->a->weights[j * x->w + l] != 0;
        if (wanted && x->psi_bar[j] > 0 && x->psi[j] != 0) most = fmax(most, x->psi_bar[j] / fabs(x->psi[j]));
    }
    return most;
}

static int run(costate_solver *s, search *x)
{
    costate_accuracy *a = x->a;
    costate_error_bars b = {.w = a->w, .weights = a->weights, .count = a->count, .variable = a->variable, .psi = x->psi_bar};
    memcpy(a->y, x->y0, (size_t)s->prob.n * sizeof *a->y);
    if (x->w) {
        TRY(costate_sensitivities(s, a->t0, a->t1, a->p, a->y, a->count, a->variable, a->w, a->weights, x->d));
        b.of = COSTATE_BARS_SENSITIVITIES;
        b.value[0] = x->d, b.bar[0] = x->d_bar;
    } else TRY(costate_solve(s, a->t0, a->t1, a->p, a->y));
    TRY(costate_objectives(s, x->psi));
    return costate_bars(s, &b);
}

/* No tolerance helps. */
static int hopeless(int status)
{
    switch (status) {
    case COSTATE_ERR_STEP:
    case COSTATE_ERR_NOT_FINITE:
    case COSTATE_ERR_RETRY:
    case COSTATE_ERR_NEWTON:
    case COSTATE_ERR_SINGULAR:
    case COSTATE_ERR_JACOBIAN:
    case COSTATE_ERR_GMRES:
    case COSTATE_ERR_HALVED:
    case COSTATE_ERR_MAX_STEPS:
    case COSTATE_ERR_SWEEP_NOT_FINITE:
    case COSTATE_ERR_RESOLUTION:
    case COSTATE_ERR_CONSISTENT: return 0;
    default: return status < 0;
    }
}

static int try(costate_solver *s, search *x, double rtol, point *p)
{
    set_tolerance(s, x, rtol);
    const int status = run(s, x);
    const costate_stats *c = &s->stats;
    x->runs++;
    *p = (point){.rtol = rtol, .error = status ? INFINITY : error_of(s, x)};
    x->unknown = !status && isinf(p->error) && s->missed == 0;
    p->work = c->rhs + 2 * (c->jvp + c->vjp) + 10 * c->factor;
    p->spent = status == COSTATE_ERR_MAX_STEPS || status == COSTATE_ERR_STEP || status == COSTATE_ERR_RESOLUTION;
    return hopeless(status) ? status : 0;
}

/* ---- the search --------------------------------------------------------------------------------------------------------- */

static void note(search *x, const point *p)
{
    const double wanted = x->a->wanted;
    if (x->last.rtol > 0 && isfinite(p->error + x->last.error) && p->error > 0 && x->last.error > 0 && p->rtol != x->last.rtol)
        x->k = fmin(fmax(log(p->error / x->last.error) / log(p->rtol / x->last.rtol), 0.5), 1.5);
    if (p->error <= wanted && p->rtol > x->good.rtol) x->good = *p;
    if (p->spent) x->tight = fmax(x->tight, p->rtol);
    else if (!(p->error <= wanted) && (x->bad.rtol == 0 || p->rtol < x->bad.rtol)) x->bad = *p;
    if (x->best.rtol == 0 || p->error < x->best.error) x->best = *p;
    x->last = *p;
}

static int found(const search *x)
{
    const point *g = &x->good;
    if (g->rtol == 0) return 0;
    return g->error >= enough * x->a->wanted || g->rtol >= loosest || (x->bad.rtol > 0 && x->bad.rtol < close * g->rtol);
}

/* Where to look next: where the power law says, but between the known sides and not too far. */
static double next(const search *x)
{
    const point *p = &x->last;
    const double most = p->error <= x->a->wanted ? 300 : 0.3;
    double factor = isfinite(p->error) ? pow(share * x->a->wanted / fmax(p->error, 1e-300), 1 / x->k) : 0.03;
    factor = p->spent ? 30 : fmin(fmax(factor, 1e-3), most);
    double rtol = p->rtol * factor;
    if (x->good.rtol > 0 && x->bad.rtol > x->good.rtol && (rtol <= x->good.rtol || rtol >= x->bad.rtol))
        rtol = sqrt(x->good.rtol * x->bad.rtol);
    return fmin(fmax(rtol, fmax(tightest, close * x->tight)), loosest);
}

static int look(costate_solver *s, search *x, double rtol)
{
    int vain = 0;
    x->good = x->bad = x->best = x->last = (point){0};
    x->k = 1;
    x->tight = 0;
    for (int runs = 0; runs < MOST_RUNS; runs++) {
        const point before = x->best;
        point p;
        TRY(try(s, x, rtol, &p));
        note(x, &p);
        if (found(x) || x->unknown) return 0;
        vain =
            before.rtol > 0 && isfinite(before.error) && !(p.error < 0.7 * before.error) && p.rtol < before.rtol ? vain + 1 : 0;
        if (x->good.rtol == 0 && (vain == VAIN || rtol <= tightest)) return 0;
        const double further = next(x);
        if (fabs(further / rtol - 1) < 0.01) return 0;
        rtol = further;
    }
    return 0;
}

/* The best there is, as the run that stays. */
static point choice(const search *x)
{
    return x->good.rtol > 0 ? x->good : x->best;
}

static int settle(costate_solver *s, search *x)
{
    const point p = choice(x);
    point again = {0};
    if (x->last.rtol != p.rtol) TRY(try(s, x, p.rtol, &again));
    return isfinite(p.error) ? 0 : s->status;
}

/* ---- methods ------------------------------------------------------------------------------------------------------------ */

/* Beside dopri5, which "auto" takes where a problem is not stiff: a method of higher order, if that is less work. */
static int other_method(costate_solver *s, search *x)
{
    static const char *const high = "dopri853";
    static const double worth = 1e-5;
    const search first_found = *x;
    if (!s->automatic || s->im || x->a->wanted > worth || s->stats.limited > s->stats.steps / 10) return 0;
    cst__loosen(s);
    TRY(costate_set(s, "method", high));
    TRY(look(s, x, choice(&first_found).rtol * 10 < loosest ? choice(&first_found).rtol * 10 : loosest));
    const int better = x->good.rtol > 0 && (first_found.good.rtol == 0 || x->good.work < first_found.good.work);
    if (better) return 0;
    const int runs = x->runs;
    *x = first_found;
    x->runs = runs;
    x->last.rtol = 0; /* its run is gone */
    cst__loosen(s);
    TRY(costate_set(s, "method", "auto"));
    return 0;
}

/* ---- the call ----------------------------------------------------------------------------------------------------------- */

static int check(costate_solver *s, const costate_accuracy *a)
{
    if (!(a->wanted >= finest && a->wanted < 1))
        return cst__fail(s, COSTATE_ERR_VALUE, "accuracy = %g is not between %g, where round-off begins, and 1", a->wanted,
                         finest);
    if (s->opt.step > 0) return cst__fail(s, COSTATE_ERR_VALUE, "accuracy, with steps of a given size");
    if (!(s->opt.rtol > 0)) return cst__fail(s, COSTATE_ERR_VALUE, "accuracy, with rtol = 0");
    if (!a->y || (a->w && !a->d)) return cst__fail(s, COSTATE_ERR_NULL, "%s of the accuracy", a->y ? "d" : "y");
    if (a->w < 0 || (a->w && !cst__lanes_of(s, a->w, a->weights)))
        return cst__fail(s, COSTATE_ERR_WIDTH, "w = %d %s weights, and there are %d objectives", a->w,
                         a->weights ? "with" : "without", s->nobj);
    if (a->variable ? a->count < 1 : a->count != 0 && a->count != s->prob.n + s->prob.np)
        return cst__fail(s, COSTATE_ERR_WIDTH, "%d variables", a->count);
    return 0;
}

static int attain(costate_solver *s, search *x)
{
    costate_accuracy *a = x->a;
    TRY(look(s, x, fmin(fmax(first * a->wanted, tightest), loosest)));
    TRY(other_method(s, x));
    const point p = choice(x);
    TRY(settle(s, x));
    snprintf(a->method, sizeof a->method, "%s", s->stats.method);
    a->rtol = p.rtol;
    a->reached = p.error;
    if (a->psi_bar) memcpy(a->psi_bar, x->psi_bar, (size_t)s->nobj * sizeof *a->psi_bar);
    if (a->d_bar && x->w) memcpy(a->d_bar, x->d_bar, x->count * x->w * sizeof *a->d_bar);
    if (x->good.rtol > 0) return 0;
    if (x->unknown)
        return cst__fail(s, COSTATE_ERR_ACCURACY, "derivatives lack what the moving of a jump adds, by %s at any tolerance",
                         a->method);
    return cst__fail(s, COSTATE_ERR_ACCURACY, "%g was asked for, and %s reaches %.2g with rtol = %.2g", a->wanted, a->method,
                     a->reached, a->rtol);
}

static int with_room(costate_solver *s, costate_accuracy *a)
{
    const size_t n = (size_t)s->prob.n, all = n + (size_t)s->prob.np, nobj = (size_t)s->nobj;
    search x = {.a = a, .d = a->d, .count = a->variable ? (size_t)a->count : all, .w = (size_t)a->w};
    TRY(check(s, a));
    cst__loosen(s);
    double *at = cst__alloc(&s->alloc, 2 * n + 2 * nobj + x.count * x.w, sizeof *at);
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the search for a tolerance");
    x.y0 = memcpy(at, a->y, n * sizeof *at);
    x.atols = memcpy(at + n, s->atol, n * sizeof *at);
    x.rtol = s->opt.rtol, x.atol = s->opt.atol;
    x.psi = at + 2 * n;
    x.psi_bar = x.psi + nobj;
    x.d_bar = x.psi_bar + nobj;
    int status = attain(s, &x);
    a->runs = x.runs;
    if (status && status != COSTATE_ERR_ACCURACY) set_tolerance(s, &x, x.rtol);
    cst__release(&s->alloc, at);
    return status;
}

int costate_attain_sized(costate_solver *s, costate_accuracy *given, size_t size)
{
    costate_accuracy own = {0};
    int status = cst__begin(s), newest = !given || sized_take(&own, sizeof own, given, size);
    own.method[0] = 0, own.runs = 0, own.rtol = own.reached = NAN;
    if (!status && !given) status = cst__fail(s, COSTATE_ERR_NULL, "the accuracy");
    if (!status && !newest) status = cst__fail(s, COSTATE_ERR_HEADER, "costate_accuracy has %zu bytes", size);
    if (!status) status = with_room(s, &own);
    if (given) sized_give(given, size, &own, sizeof own);
    if (!status || status == COSTATE_ERR_ACCURACY || !s || !given) return status;
    const size_t w = cst__lanes_of(s, own.w, own.weights),
                 count = own.variable ? (size_t)(own.count > 0 ? own.count : 0) : (size_t)s->prob.n + (size_t)s->prob.np;
    cst__no_numbers(s, 1, own.y, NULL);
    cst__fill_nan(own.d, own.d ? count * w : 0);
    cst__fill_nan(own.d_bar, own.d_bar ? count * w : 0);
    cst__fill_nan(own.psi_bar, own.psi_bar && s->nobj > 0 ? (size_t)s->nobj : 0);
    return status;
}
