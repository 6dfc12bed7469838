/* stiffness.c - see stiffness.h */
#include "core/auto.h"

#include <math.h>
#include <stdio.h>

enum { SELDOM = 4, ENOUGH = 3, LEAST = 10 }; /* while no mode is fast, one step of so many is looked at; steps at the limit from
                                                which on the next are held inside, and may be given up */
static const double aside = -0.5;  /* cosine from which on a mode does not decay, but swings or grows */
static const double fast = 1.5;    /* |h lambda| from which on it is faster than the steps */
static const double barely = -0.5; /* log |R| from which on a step hardly damps it */
static const double asleep = 1e-4; /* rtol below which such steps are too long for a mode that is in the solution: what keeps
                                      them short are errors that it damps, and an implicit method does not make */
static const double forget = 0.9;  /* what is left of the remembered speed after a step */
static const double blatant = 3;   /* log |R| of steps that need no second look */

/* ---- the spectrum of f_y ----------------------------------------------------------------------------------------------- */

enum { ROUNDS = 8, AGAIN = 3 };            /* of the power iteration, the first time and later; */
enum { SOON = 4, LATE = 16 };              /* steps from one time to the next, at the start and later */
static const double straight = 1e-9;       /* squared sine up to which iterates are along one mode, but for round-off */
static const double doubtful = 0.3;        /* part of an iterate that two modes leave unexplained: round-off, or more of them */
static const double grows = 1e-3;          /* excess from which on a mode grows, */
static const double noticeably = 0.1;      /* and from which on a step is held to have done harm */
static const double short_of_it = 0.9;     /* of the size at which it would, for the spectrum is known roughly */

/* jv = f_y v, both in units of |y| + atol / rtol, by differences; its length, or NaN. f: n, of work. */
static double apply(costate_solver *s, const step *st, const double *v, double *jv, double *f)
{
    static const double eps = 1e-7;
    const size_t n = (size_t)s->prob.n;
    const double floor = s->opt.rtol > 0 ? 1 / s->opt.rtol : 1;
    double *y = jv, sum = 0;
    for (size_t i = 0; i < n; i++) y[i] = st->y[i] + eps * v[i] * (fabs(st->y[i]) + floor * s->atol[i]);
    if (deriv_rhs(&s->d, st->n ? st->t : cst__beside(s->t0, s->t1), y, s->p, f)) return NAN;
    for (size_t i = 0; i < n; i++) {
        const double unit = fabs(st->y[i]) + floor * s->atol[i];
        jv[i] = unit > 0 ? (f[i] - s->f[i]) / (eps * unit) : 0;
        sum += jv[i] * jv[i];
    }
    return sqrt(sum);
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Of two modes iterates x, y = J x / length, z = J y are z = a y + b x, lambda^2 = a lambda + b length; |x| = |y| = 1. The
 * larger lambda, |lambda| as m->size; 0: there are more of them. */
static int larger_of_two(size_t n, const double *x, const double *y, double length, const double *z, fast_mode *m)
{
    const double xy = dot(n, x, y), xz = dot(n, x, z), yz = dot(n, y, z), zz = dot(n, z, z), det = 1 - xy * xy;
    const int one = det < straight;
    const double a = one ? yz : (yz - xy * xz) / det, b = one ? 0 : (xz - xy * yz) / det;
    const double swing = a * a / 4 + b * length, left = zz - a * yz - b * xz;
    if (!(zz > 0 && left <= doubtful * doubtful * zz && isfinite(swing))) return 0;
    m->size = swing < 0 ? sqrt(-b * length) : fabs(a / 2) + sqrt(swing);
    m->cosine = swing < 0 ? a / (2 * m->size) : copysign(1, a);
    return m->size > 0;
}

/* The fastest mode at the step's start, where f is known; v is kept from one time to the next. 0: it cannot be had. */
static int fastest(costate_solver *s, stiffness *w, const step *st, fast_mode *m)
{
    const size_t n = (size_t)s->prob.n;
    const int rounds = w->begun ? AGAIN : ROUNDS;
    double *v = s->probe.at, *jv = v + n, *jjv = jv + n, *work = jjv + n;
    for (size_t i = 0; i < n && !w->begun; i++) v[i] = 1 + 0.5 * sin(1.7 * (double)i);
    w->begun = 0;
    double size = sqrt(dot(n, v, v));
    for (size_t i = 0; i < n; i++) v[i] /= size;
    for (int k = 1; k < rounds; k++) {
        if (k > 1) memcpy(v, jv, n * sizeof *v);
        size = apply(s, st, v, jv, work);
        if (!(size > 0 && isfinite(size))) return 0;
        for (size_t i = 0; i < n; i++) jv[i] /= size;
    }
    if (!isfinite(apply(s, st, jv, jjv, work))) return 0;
    w->begun = 1;
    return larger_of_two(n, v, jv, size, jjv, m);
}

/* log of what a step of this size makes of such a mode, beyond what the true solution makes of it, twice over: one that really
 * grows is followed as closely as the tolerance asks for. */
static double excess(const costate_solver *s, double size, double cosine)
{
    return s->fam->growth(s, size, cosine) - 2 * fmax(0, size * cosine);
}

/* How far |h lambda| may go at such an angle, which is rounded: a matter of the method alone, and looked for once. */
static double furthest(costate_solver *s, double cosine)
{
    static const double grid = 0.05, most = 10;
    const double parts = (ANGLES - 1) / 2.0;
    const int angle = (int)lround(parts * (1 + fmin(fmax(cosine, -1), 1)));
    double x = grid;
    if (s->reach[angle] != 0) return s->reach[angle];
    while (x < most && excess(s, x, angle / parts - 1) <= grows) x += grid;
    return s->reach[angle] = x < most ? short_of_it * (x - grid) : INFINITY;
}

static void look(costate_solver *s, stiffness *w, const step *st)
{
    fast_mode m;
    const int found = fastest(s, w, st, &m);
    const int64_t pause = st->n / 4;
    w->look = 2 * w->hits;
    w->looked = st->n;
    w->next = st->n + (pause < SOON ? SOON : pause < LATE ? pause : LATE);
    w->radius = found ? m.size : 0;
    w->cosine = found ? copysign(m.cosine, (s->t1 - s->t0) * m.cosine) : 0;
}

/* The longest step that no mode grows in, also none that the solution does not show. */
static double reach(costate_solver *s, const stiffness *w, double h)
{
    return fabs(h) * w->radius < 1 ? INFINITY : furthest(s, w->cosine) / w->radius;
}

/* ---- a step ------------------------------------------------------------------------------------------------------------ */

static void grown(stiffness *w, const fast_mode *m)
{
    w->growth = fmax(0, w->growth) + m->log_growth;
    w->worst = fmax(w->worst, w->growth);
}

/* The fast mode of the step, if it has one. */
static int see(costate_solver *s, stiffness *w, const step *st, fast_mode *m)
{
    const int often = w->close;
    if (!often && st->n % SELDOM) return 0;
    const int seen = s->fam->mode(s, st, m) && m->cosine < aside;
    w->close = seen && m->size > 0.5 * fast;
    if (!seen) return 0;
    grown(w, m);
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

/* Where a step was too long for what was known of the spectrum a while ago, or the next will be, that is looked at again. */
static int due(costate_solver *s, const run *r, const stiffness *w, const step *st)
{
    if (!w->next || st->n >= w->next) return w->next > 0;
    if (w->looked == st->n) return 0;
    if (fabs(st->h) > reach(s, w, st->h)) return 1;
    return st->n >= w->looked + SOON && fabs(r->h) > reach(s, w, r->h);
}

/* A mode that is not in the solution, not even as an error, and would be in derivatives: the step was too long for it. */
static int harmed(const costate_solver *s, stiffness *w, const step *st, fast_mode *m)
{
    m->size = fabs(st->h) * w->radius;
    m->cosine = w->cosine;
    if (m->size < fast) return 0;
    m->log_growth = excess(s, m->size, m->cosine);
    if (m->log_growth > noticeably || m->log_growth < 0) grown(w, m);
    return m->log_growth > noticeably;
}

/* Holds the next step inside of what modes bear that the solution does not show; 1: it had to. */
static int held(costate_solver *s, run *r, const step *st)
{
    stiffness *w = &r->stiff;
    const double most = reach(s, w, r->h);
    if (!w->leaves || s->opt.step > 0 || fabs(r->h) <= most) return 0;
    r->h = copysign(fmax(most, s->opt.hmin), r->h);
    if (!w->hits++) w->t = st->t, w->step = st->n;
    return 1;
}

int cst__stiffness_start(costate_solver *s, run *r)
{
    const step st = {.t = s->t0, .h = r->h, .y = s->y};
    if (!r->stiff.leaves) return 0;
    if (!cst__scratch(s, &s->probe, 4 * (size_t)s->prob.n)) return s->status;
    if (!s->f_valid && deriv_rhs(&s->d, cst__beside(s->t0, s->t1), s->y, s->p, s->f)) return 0; /* which the step will find */
    look(s, &r->stiff, &st);
    held(s, r, &st);
    return 0;
}

int cst__stiffness_step(costate_solver *s, run *r, const step *st)
{
    stiffness *w = &r->stiff;
    fast_mode m = {0};
    int hit = 0;
    w->speed *= forget;
    if (due(s, r, w, st)) look(s, w, st);
    if (harmed(s, w, st, &m)) mark(w, st, &m), hit = 1;
    else if (see(s, w, st, &m)) {
        w->speed = fmax(w->speed, m.size / fabs(st->h));
        w->safe = m.safe;
        hit = m.log_growth > barely;
        if (hit) mark(w, st, &m);
        else if (w->leaves && s->opt.rtol < asleep && !w->hits++) w->t = st->t, w->step = st->n;
    }
    if (w->leaves && w->worst > blatant) return 1;
    if (held(s, r, st) && !hit) hit = 1;
    if (!w->leaves || w->hits < ENOUGH) return 0;
    if (s->opt.step > 0) return 1;
    if (w->hits >= LEAST && w->hits >= w->look) look(s, w, st);
    if (w->hits >= LEAST && pays(s, r, st)) return 1;
    if (w->hits >= LEAST) w->speed = fmax(w->speed, w->radius);
    if (w->safe == 0 || fabs(r->h) * w->speed <= w->safe) return 0;
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
