/* drift.c - see drift.h */
#include "sens/drift.h"

#include "base/kernels.h"
#include "core/events.h"
#include "deriv/moving.h"

#include <math.h>
#include <stdio.h>

static const double slight = 1e-3; /* a shift that is not looked for */

/* ---- measured ---------------------------------------------------------------------------------------------------------- */

static int plain_states(const costate_solver *s)
{
    return !s->ev && !s->prob.mass && !s->prob.steady && s->live == (size_t)s->prob.n;
}

/* A history is watched with its rows, which integrals would have, too. */
int cst__drift_watched(const costate_solver *s)
{
    const int history = s->live != (size_t)s->prob.n;
    return s->prob.autonomous && !s->prob.steady && (!history || (s->fam->past && !s->d.running.fn.eval));
}

/* An error of one tolerance, made differently a step later, shifts what goes on at the pace of the longest steps by rtol times
 * their ratio to the shortest, which are many in a relaxation. Of explicit methods it is the solution that wants short steps,
 * where bodies pass close by each other, and what follows multiplies the shift. The first layer is left out. */
static int uneven_steps(const costate_solver *s)
{
    const step_log *l = &s->log;
    const double layer = 0.01 * fabs(s->t1 - s->t0), ratio = s->im ? s->opt.rtol / slight : 1. / 30;
    int64_t first = 0, few = 0;
    double largest = 0;
    while (first < l->count && fabs(l->t[first] - s->t0) < layer) first++;
    for (int64_t k = first; k < l->count; k++) largest = fmax(largest, fabs(l->h[k]));
    for (int64_t k = first; k < l->count; k++) few += fabs(l->h[k]) < ratio * largest;
    return 20 * few > l->count - first;
}

int cst__drift_followed(const costate_solver *s)
{
    return s->automatic && s->d.exact && !s->prob.autonomous && plain_states(s) && (s->tight || uneven_steps(s));
}

int cst__drift_doubted(const costate_solver *s)
{
    if (!s->automatic && s->looked) return 0;
    return cst__drift_followed(s) || (s->prob.autonomous && plain_states(s) && (s->im || s->tight || uneven_steps(s)));
}

size_t cst__drift_doubles(const costate_solver *s, int w)
{
    return cst__drift_watched(s) ? cst__pad(4 * (size_t)w) : 0;
}

/* Of what hardly moves in the whole run, f is round-off. */
static double rest(const costate_solver *s)
{
    return 0.1 / fabs(s->t1 - s->t0);
}

/* What makes up H at (t, y): f (M^+ f, and nothing of algebraic states) and r, n and nobj values; second order: f_y ydot + f_p
 * pdot and those of r, as many blocks. */
typedef struct rates {
    double *f, *r, *fdot, *rdot;
} rates;

/* r may depend on t, and then nothing is constant: *holds is 0. */
static int running_rates(costate_solver *s, const ablock *b, double t, const double *y, const double *ydot, rates *a, int *holds)
{
    const deriv_function *q = &s->d.running;
    const double *p = s->p;
    double *other = a->r + s->nobj;
    *holds = q->fn.eval(0, t, y, p, a->r, q->data) == 0 && q->fn.eval(0, cst__beside(s->t0, s->t1), y, p, other, q->data) == 0;
    *holds = *holds && !memcmp(a->r, other, (size_t)s->nobj * sizeof *other);
    return *holds && a->rdot ? q->fn.jvp(0, t, y, p, b->w, NULL, ydot, b->pdot, a->rdot, q->data) : 0;
}

/* Callbacks that fail at a place where they did not fail before are no matter of this. */
static int rates_at(costate_solver *s, const ablock *b, double t, const double *y, const double *ydot, rates *a, int *holds)
{
    const size_t n = (size_t)s->prob.n, m = (size_t)s->nobj, w = b->lambda_dot ? (size_t)b->w : 0;
    double *at = cst__scratch(s, &s->probe, n + 2 * m + (n + m) * w);
    if (!at) return s->status;
    *a = (rates){.f = at, .r = at + n, .fdot = at + n + 2 * m, .rdot = at + n + 2 * m + n * w};
    if (!w) a->fdot = a->rdot = NULL;
    *holds =
        deriv_rhs(&s->d, t, y, s->p, a->f) == 0 && (!w || deriv_jvp(&s->d, t, y, s->p, b->w, NULL, ydot, b->pdot, a->fdot) == 0);
    for (size_t i = 0; *holds && s->prob.mass && i < n; i++) {
        const double by = s->prob.mass[i] == 0 ? 0 : 1 / s->prob.mass[i];
        a->f[i] *= by;
        for (size_t l = 0; l < w; l++) a->fdot[i * w + l] *= by;
    }
    if (!b->omega || !s->d.running.fn.eval) a->r = a->rdot = NULL;
    else if (*holds && running_rates(s, b, t, y, ydot, a, holds)) *holds = 0;
    return 0;
}

/* H of lane l, or its derivative along the lane's direction, and the size of its terms. */
static double constant(const costate_solver *s, const ablock *b, size_t l, const double *y, const rates *a, int second,
                       double *size)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w;
    double h = 0;
    *size = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = (second ? b->lambda_dot : b->lambda)[i * w + l];
        const double z = second ? b->lambda[i * w + l] * a->fdot[i * w + l] : 0;
        h += x * a->f[i] + z;
        *size += fabs(x) * (fabs(a->f[i]) + rest(s) * fabs(y[i])) + fabs(z);
    }
    for (size_t o = 0; a->r && o < (size_t)s->nobj; o++) {
        const double z = b->omega[o * w + l] * (second ? a->rdot[o * w + l] : a->r[o]);
        h += z;
        *size += fabs(z);
    }
    return h;
}

/* As far as two times tell. y: rows values, for a function that finds them where it writes. */
static int timeless(costate_solver *s, const deriv_function *g, int k, double t, const double *y, size_t rows, int changes)
{
    if (!g->fn.eval || !rows) return 1;
    double *at = cst__scratch(s, &s->probe, 2 * rows), *other = at + rows;
    for (size_t i = 0; at && changes && i < rows; i++) at[i] = other[i] = y[i];
    return at && !g->fn.eval(k, t, y, s->p, at, g->data) &&
           !g->fn.eval(k, cst__beside(s->t0, s->t1), y, s->p, other, g->data) && !memcmp(at, other, rows * sizeof *at);
}

int cst__drift_goes_on(costate_solver *s, const happened *e)
{
    const double *y = event_before(s, e);
    const size_t m = (size_t)s->nobj;
    if (e->k >= s->ev->guards || !e->moves || e->after == COSTATE_STOP) return 0;
    if (event_held(s->ev, e->k)) return timeless(s, &s->d.event, 0, e->t, y, (size_t)s->ev->guards, 0);
    return timeless(s, &s->d.event, 0, e->t, y, (size_t)s->ev->guards, 0) &&
           timeless(s, &s->d.reset, e->k, e->t, y, (size_t)s->prob.n, 1) && timeless(s, &s->d.on_event, e->k, e->t, y, m, 0);
}

/* H of all lanes into h, its sizes behind it: of the state, of each row of the past, and second order behind them. */
static int add_up(costate_solver *s, const ablock *b, const step *st, const double *ydot, double *h, int *holds)
{
    const size_t w = (size_t)b->w, n = (size_t)s->prob.n;
    const double *y = st->y;
    ablock row = *b;
    memset(h, 0, 4 * w * sizeof *h);
    *holds = 1;
    if (s->fam->past) row.lambda_dot = NULL; /* of first order */
    for (int j = 1; y && *holds; row.lambda += n * w, y = s->fam->past ? s->fam->past(s, st, j++) : NULL) {
        rates a = {0};
        TRY(rates_at(s, &row, st->t, y, ydot, &a, holds));
        for (size_t l = 0; *holds && l < w; l++)
            for (int second = 0; second <= (a.fdot != NULL); second++) {
                double size, *to = h + 2 * (size_t)second * w;
                to[l] += constant(s, &row, l, y, &a, second, &size);
                to[w + l] += size;
            }
    }
    return 0;
}

int cst__drift_look(costate_solver *s, ablock *b, const step *st, const double *ydot, int last)
{
    const size_t w = (size_t)b->w;
    const int begins = isnan(b->flow[0]);
    double now[4 * LANES_MOST];
    int holds = 0;
    if (!begins && !last) return 0;
    TRY(add_up(s, b, st, ydot, now, &holds));
    for (size_t i = 0; holds && !begins && i < (b->lambda_dot ? 2 : 1) * w; i++) {
        const size_t l = i < w ? i : i + w;
        const double size = fmax(now[l + w], b->flow[l + w]);
        if (now[l + w] > 0) s->drift = fmax(s->drift, fabs(now[l] - b->flow[l]) / size);
    }
    if (begins) memcpy(b->flow, now, 4 * w * sizeof *now);
    if (last || !holds) b->flow[0] = NAN;
    return 0;
}

enum { FLOW, END, SIZE, LANES };

/* Directions: f(t0) from the start on; f from the start of the last step on, which rids it of what stiff components make of the
 * error of y; and f(t0) with signs that let nothing cancel, for the sizes of what is added up on the way. */
static int carry_steps(costate_solver *s, dblock *d, double *f)
{
    const size_t n = (size_t)s->prob.n;
    double *y = s->y, *ynew = s->ynew;
    memcpy(y, s->y0, n * sizeof *y);
    TRY(cst__first_state(s, y));
    memset(d->ydot, 0, LANES * n * sizeof *d->ydot);
    for (int64_t k = 0; k < s->log.count; k++) {
        const step st = recorded_step(s, k, y, s->stages, ynew);
        const int first = k == 0, last = k == s->log.count - 1;
        if (first || last) TRY(deriv_rhs(&s->d, st.t, y, s->p, f));
        for (size_t i = 0; (first || last) && i < n; i++) {
            double *at = d->ydot + LANES * i;
            at[first ? FLOW : END] = f[i];
            if (first) at[SIZE] = (cst__irregular(i) - 1) * f[i];
        }
        if (last) d->fdot_valid = 0;
        s->f_valid = 0;
        TRY(s->fam->step(s, &st, NULL));
        TRY(s->fam->tangent(s, &st, d, NULL));
        cst__dblock_accept(d, slopes_end(s, k + 1));
        double *t = y;
        y = ynew;
        ynew = t;
    }
    return 0;
}

/* With t in f these are directions of (y, t), which is the row z of a moved problem. */
static int carry_all(costate_solver *s, dblock *d, double *at)
{
    const size_t np = (size_t)s->prob.np;
    moving m = {.d = &s->d, .prob = &s->prob, .lanes = LANES, .rows = s->prob.n > s->nobj ? s->prob.n : s->nobj};
    double *f = at, *pdot = f + cst__pad((size_t)s->prob.n);
    if (s->prob.autonomous) return carry_steps(s, d, f);
    memset(pdot, 0, (np + 2) * LANES * sizeof *pdot);
    for (size_t l = 0; l < LANES; l++) pdot[np * LANES + l] = 1;
    m.work = pdot + cst__pad((np + 2) * LANES);
    d->pdot = pdot;
    moving_begin(&m, s->t0, 0, fabs(s->t1 - s->t0));
    s->prob.np += 2;
    const int status = carry_steps(s, d, f);
    s->prob.np -= 2;
    moving_end(&m);
    return status;
}

int cst__drift_carry(costate_solver *s)
{
    const size_t n = (size_t)s->prob.n, doubles = cst__dblock_doubles(s, LANES);
    const size_t more = s->prob.autonomous ? 0 : cst__pad(((size_t)s->prob.np + 2) * LANES) + moving_doubles(&s->prob, LANES);
    double *at = cst__scratch(s, &s->probe, doubles + cst__pad(n) + more), off = 0, size = 0; /* directions of the call stay */
    dblock d;
    if (!at) return s->status;
    memset(at, 0, doubles * sizeof *at);
    cst__dblock_carve(s, &d, LANES, at);
    d.pdot = NULL;
    if (s->fam->start) s->fam->start(s, 0);
    if (s->log.count < 2 || carry_all(s, &d, at + doubles)) return 0; /* nothing can be said */
    for (size_t i = 0; i < n; i++) {
        const double y = fabs(s->yend[i]), unit = y + s->atol[i] / s->opt.rtol, *x = d.ydot + LANES * i;
        if (!(unit > 0)) continue;
        off = fmax(off, fabs(x[FLOW] - x[END]) / unit);
        size = fmax(size, (fmax(fabs(x[END]), fabs(x[SIZE])) + rest(s) * y) / unit);
    }
    if (size > 0) s->drift = fmax(s->drift, off / size);
    return 0;
}

/* ---- and what follows -------------------------------------------------------------------------------------------------- */

static const double most = 30, aim = 1;  /* tolerances: of derivatives, and what a second run is meant to reach */
static const double doubtful = 300;      /* from which on a word is said, */
static const double plain = 1e-3;        /* for the tolerance may be nothing to derivatives */
static const double all = 0.05;          /* a drift that says no more than that there is one */
static const double finest = 1e-13;      /* relative tolerance */
#define TIGHTER "; with rtol = "
enum { BITS_LEAST = 3, BITS_MOST = 14 }; /* by which one run is finer than the one before */

/* By powers of two, so that what is tightened is loosened to the same bits. */
static void tighten(costate_solver *s, int bits)
{
    s->opt.rtol = ldexp(s->opt.rtol, -bits);
    for (int i = 0; i < s->prob.n; i++) s->atol[i] = ldexp(s->atol[i], -bits);
    s->tight += bits;
}

static int bits_to_go(const costate_solver *s, double rtol)
{
    costate_switch found;
    for (int i = 0; costate_switches(s, i, &found) == 0; i++)
        if (found.effect != COSTATE_SWITCH_KINK) return 0; /* what a jump takes from derivatives does not become less */
    int bits = s->drift > all ? BITS_MOST : (int)ceil(log2(s->drift / (aim * rtol)));
    if (bits < BITS_LEAST) bits = BITS_LEAST;
    if (bits > BITS_MOST) bits = BITS_MOST;
    while (bits > 0 && ldexp(s->opt.rtol, -bits) < finest) bits--;
    for (int i = 0; i < s->prob.n; i++)
        if (s->atol[i] > 0 && s->atol[i] < 1e-280) bits = 0; /* bits would be lost */
    return bits >= BITS_LEAST ? bits : 0;
}

/* The run once more, with what the caller has been given left alone. */
static int run_again(costate_solver *s, tangent *tg)
{
    const output out = s->out;
    if (!tg) s->out = (output){0};
    s->have_run = s->recorded[PRIMAL] = s->recorded[JOINT] = 0;
    s->implicit = s->tight && s->im;
    const int status = cst__run(s, tg);
    s->implicit = 0;
    s->out = out;
    return status;
}

/* Behind why it took the method that it took; the first run's reason, where that was stiff. */
static void tell(costate_solver *s, const char *before, double rtol)
{
    const char *reason = *s->choice ? s->choice : before, *end = strstr(reason, TIGHTER);
    char text[sizeof s->choice];
    if (!s->tight) return;
    snprintf(text, sizeof text, "%.*s" TIGHTER "%.1e, for at %.1e derivatives are off by about %.1g of themselves",
             (int)(end ? end - reason : (long)strlen(reason)), reason, s->opt.rtol, rtol, s->drift_first);
    memcpy(s->choice, text, sizeof text);
}

static void warn(costate_solver *s, double rtol)
{
    if (s->warning[0] || !(s->prob.autonomous || s->tight) || !(s->drift > fmax(doubtful * rtol, plain))) return;
    snprintf(s->warning, sizeof s->warning,
             "derivatives are off by about %.1g of themselves: lambda^T f, which is constant along a solution, is not on these "
             "steps; lower rtol, or look for a condition on y that the solution crosses",
             s->drift);
}

int cst__drift_settle(costate_solver *s, tangent *tg, int again)
{
    const double rtol = ldexp(s->opt.rtol, s->tight);
    const double limit = (s->im || s->tight ? most : doubtful) * rtol; /* not stiff: few would pay for less */
    const int open = again && s->automatic && s->opt.step == 0 && !s->settled && s->drift > limit;
    const int better = !s->tight || s->drift < 0.5 * s->drift_before || s->drift > all;
    const int bits = open && better ? bits_to_go(s, rtol) : 0;
    const int worthless = s->tight && !s->settled && s->drift > 0.5 * s->drift_first;
    char before[sizeof s->choice];
    if (!bits && !worthless) {
        warn(s, rtol);
        return 0;
    }
    if (!s->tight) s->drift_first = s->drift;
    s->drift_before = s->drift;
    memcpy(before, s->choice, sizeof before);
    if (bits) tighten(s, bits);
    if (!bits || run_again(s, tg)) { /* the run that was asked for, then */
        cst__loosen(s);
        s->settled = 1;
        TRY(run_again(s, tg));
    }
    tell(s, before, rtol);
    return 1;
}
