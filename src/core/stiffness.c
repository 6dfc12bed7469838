/* stiffness.c - see stiffness.h */
#include "core/auto.h"

#include <math.h>
#include <stdio.h>

enum { SELDOM = 4, ENOUGH = 3, LEAST = 10 }; /* while no mode is fast, one step of so many is looked at; steps at the limit from
                                                which on the next are held inside, and may be given up */
static const double aside = -0.5;  /* cosine from which on a mode does not decay, but swings or grows */
static const double fast = 1.5;    /* |h lambda| from which on it is faster than the steps */
static const double barely = -0.5; /* log |R| from which on a step hardly damps it */
static const double forget = 0.9;  /* what is left of the remembered speed after a step */
static const double blatant = 3;   /* log |R| of steps that need no second look */

/* ---- the spectral radius ----------------------------------------------------------------------------------------------- */

enum { ROUNDS = 24, AGAIN = 8 }; /* of the power iteration, the first time and later; the last quarter counts */

/* v becomes f_y v, both in units of |y| + atol / rtol, by differences; its length, or NaN. */
static double apply(costate_solver *s, const step *st, double *v, double *y, double *f)
{
    static const double eps = 1e-7;
    const size_t n = (size_t)s->prob.n;
    const double floor = s->opt.rtol > 0 ? 1 / s->opt.rtol : 1;
    double sum = 0;
    for (size_t i = 0; i < n; i++) y[i] = st->y[i] + eps * v[i] * (fabs(st->y[i]) + floor * s->atol[i]);
    if (deriv_rhs(&s->d, st->t, y, s->p, f)) return NAN;
    for (size_t i = 0; i < n; i++) {
        const double unit = fabs(st->y[i]) + floor * s->atol[i];
        v[i] = unit > 0 ? (f[i] - s->f[i]) / (eps * unit) : 0;
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

/* At the step's start, where f is known. v is kept from one time to the next. 0: it cannot be had. */
static double radius(costate_solver *s, const stiffness *w, const step *st)
{
    const size_t n = (size_t)s->prob.n;
    const int rounds = w->radius > 0 ? AGAIN : ROUNDS;
    double *v = cst__scratch(s, &s->probe, 3 * n), size = 0, growth = 0;
    if (!v) return 0;
    for (size_t i = 0; i < n && w->radius == 0; i++) v[i] = 1 + 0.5 * sin(1.7 * (double)i);
    for (size_t i = 0; i < n; i++) size += v[i] * v[i];
    size = sqrt(size);
    for (int k = 0; k < rounds; k++) {
        for (size_t i = 0; i < n; i++) v[i] /= size;
        size = apply(s, st, v, v + n, v + 2 * n);
        if (!(size > 0 && isfinite(size))) return 0;
        if (4 * k >= 3 * rounds) growth += log(size) / (rounds / 4);
    }
    return exp(growth);
}

static void look(costate_solver *s, stiffness *w, const step *st)
{
    w->look = 2 * w->hits;
    w->radius = radius(s, w, st);
    if (w->radius > w->speed) w->speed = w->radius;
}

/* ---- a step ------------------------------------------------------------------------------------------------------------ */

/* The fast mode of the step, if it has one. */
static int see(costate_solver *s, stiffness *w, const step *st, fast_mode *m)
{
    const int often = w->close;
    if (!often && st->n % SELDOM) return 0;
    const int seen = s->fam->mode(s, st, m) && m->cosine < aside;
    w->close = seen && m->size > 0.5 * fast;
    if (!seen) return 0;
    w->growth = fmax(0, w->growth) + m->log_growth;
    w->worst = fmax(w->worst, w->growth);
    w->total += m->log_growth * (!often && st->n ? SELDOM : 1);
    return m->size > fast;
}

/* It pays to give the run up: what is left of it costs more than an implicit one, and what was done at the limit so far, which
 * might have been the end of it, not much less, or the case is clear. */
static int pays(costate_solver *s, run *r, const step *st)
{
    stiffness *w = &r->stiff;
    if (w->worth == 0) w->worth = cst__auto_implicit_cost(s);
    const double left = fabs((s->t1 - st->tn) / r->h);
    return left > w->worth && (double)w->hits >= fmax(LEAST, w->worth / 4 * fmin(1, 4 * w->worth / left));
}

/* The first place where a fast mode is not damped for good: derivatives are looked at there (sens/fast.c). */
static void mark(stiffness *w, const step *st, const fast_mode *m)
{
    if (!w->hits++) w->t = st->t, w->step = st->n;
    if (w->mark >= 0 || (w->hits < LEAST && m->log_growth < blatant)) return;
    w->mark = st->n;
    w->mark_speed = m->size / fabs(st->h);
    w->mark_total = w->total;
}

int cst__stiffness_step(costate_solver *s, run *r, const step *st)
{
    stiffness *w = &r->stiff;
    fast_mode m = {0};
    int hit = 0;
    w->speed *= forget;
    if (see(s, w, st, &m)) {
        w->speed = fmax(w->speed, m.size / fabs(st->h));
        w->safe = m.safe;
        hit = m.log_growth > barely;
        if (hit) mark(w, st, &m);
    }
    if (!w->leaves || w->hits < ENOUGH) return 0;
    if (s->opt.step > 0) return 1;
    if (w->hits >= LEAST && w->hits >= w->look) look(s, w, st);
    if (w->hits >= LEAST && pays(s, r, st)) return 1;
    if (fabs(r->h) * w->speed <= w->safe) return 0;
    r->h = copysign(fmax(w->safe / w->speed, s->opt.hmin), r->h);
    w->hits += !hit;
    return 0;
}

/* ---- the end ----------------------------------------------------------------------------------------------------------- */

static void tell(costate_solver *s, const stiffness *w, int stiff)
{
    char *text = s->choice;
    const size_t size = sizeof s->choice;
    if (stiff)
        snprintf(text, size, "%s is at the limit of its stability from t = %.6g (step %lld) on", s->stats.method, w->t,
                 (long long)w->step);
    else if (w->hits >= LEAST)
        snprintf(text, size, "stability limits %lld of the steps, which is cheaper than an implicit method", (long long)w->hits);
    else snprintf(text, size, "the problem is not stiff");
}

int cst__stiffness_end(costate_solver *s, const run *r, int status)
{
    const stiffness *w = &r->stiff;
    s->fast_step = -1;
    s->stats.limited = w->hits;
    if (!s->fam->mode || (status && status != RUN_STIFF)) return status;
    const int stiff = status || (w->leaves && w->worst > blatant);
    if (w->leaves) tell(s, w, stiff);
    s->fast_step = w->mark;
    s->fast_speed = w->mark_speed;
    s->fast_before = fmin(w->mark_total, 0);
    s->fast_end = w->close ? w->speed : 0;
    return stiff ? RUN_STIFF : 0;
}
