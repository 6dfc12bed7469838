/* sweep.c - from the last recorded step back to the first, blind to the method. See sweep.h. */
#include "sens/sweep.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "method/implicit.h"
#include "sens/drift.h"
#include "sens/event_back.h"
#include "sens/fast.h"

#include <float.h>
#include <math.h>

int cst__sweep_ready(costate_solver *s)
{
    if (!s->have_run) return cst__fail(s, COSTATE_ERR_NO_RECORD, "no run has finished since the solver was made or changed");
    if (!s->opt.record) return cst__fail(s, COSTATE_ERR_NO_RECORD, "option record is 0");
    return s->im ? cst__implicit_transposable(s) : 0;
}

static int product_failed(costate_solver *s, int rc, const char *which, const step *st)
{
    if (rc < 0 && s->status == rc) return rc; /* what failed has said so */
    char words[160];
    int component, code = cst__step_words(s, rc, which, words, sizeof words, &component);
    int own = rc == STEP_MATRIX || rc == STEP_NEWTON;
    return cst__fail_at(s, own ? code : COSTATE_ERR_SWEEP_CALLBACK, st->from, st->h, st->n, -1, component,
                        "%s in the step from t = %.10g to %.10g (step %lld)%s", words, st->from, st->to, (long long)st->n,
                        own ? ", backwards" : "");
}

/* Parameter parts that were put off: one pass over mu for all their points. */
static int flush(costate_solver *s, ablock *b, const step *st)
{
    if (!b->points) return 0;
    int rc = s->prob.vjp_points(b->points, b->pt, b->py, s->p, b->w, b->pu, b->mu, s->prob.data);
    b->points = 0;
    return rc ? product_failed(s, rc, "vjp_points", st) : 0;
}

static int not_finite(costate_solver *s, const step *st, const double *x, int w)
{
    char buffer[32];
    int i = 0;
    while (i < (int)s->live * w - 1 && isfinite(x[i])) i++;
    i = i / w < s->prob.n ? i / w : -1;
    const char *whose = i < 0 ? "the family's history" : cst__state_name(s, i, buffer);
    return cst__fail_at(s, COSTATE_ERR_SWEEP_NOT_FINITE, st->from, st->h, st->n, -1, i,
                        "the adjoint of %s in the step from t = %.10g to %.10g (step %lld)", whose, st->from, st->to,
                        (long long)st->n);
}

/* Observations met at the end of n steps, newest first. */
static int observations(costate_solver *s, sweep *w, int64_t n, const double *y, const double *ydot)
{
    for (; w->obs >= 0 && s->obs_step[w->obs] == n && observed_at_end(s, w->obs); w->obs--)
        for (int b = 0; b < w->count; b++) {
            int rc = cst__observe_adjoint(s, w->obs, y, ydot, &w->block[b]);
            step st = {.n = n, .from = s->log.t[n], .to = s->log.t[n]};
            if (rc) return product_failed(s, rc, "a product of observe", &st);
        }
    return 0;
}

/* The event at the end of n steps: what is owed to y+ becomes owed to y-, where *y and *ydot are then. */
static int events_back(costate_solver *s, sweep *w, int64_t n, const double **y, const double **ydot)
{
    const happened *e = s->ev ? cst__event_at(s, n) : NULL;
    const int lanes = w->block[0].w, second = w->block[0].lambda_dot != NULL;
    if (!e) return 0;
    const step st = {.n = n, .from = e->t, .to = e->t};
    for (int b = 0; b < w->count; b++) TRY(flush(s, &w->block[b], &st)); /* what was put off is of another mode */
    cst__events_mode(s, e->mode, e->held);
    for (int b = 0; b < w->count; b++) {
        event_forget(s, w->block[b].w, w->block[b].lambda);
        event_forget(s, w->block[b].w, w->block[b].lambda_dot);
        int rc = cst__event_back(s, e, *y, *ydot, &w->block[b]);
        if (rc) return product_failed(s, rc, "a product of reset or on_event", &st);
    }
    *y = event_before(s, e);
    if (second) *ydot = cst__event_kept(s, e, lanes) + lanes;
    return 0;
}

/* y, and where there are directions theirs, at an observation within a step; behind them what is owed there, and its
 * derivative. */
typedef struct interpolated {
    double *y, *ydot, *lambda, *lambda_dot;
} interpolated;

static interpolated interpolate(costate_solver *s, const step *st, double theta, const dblock *d, const ablock *b)
{
    const size_t n = (size_t)s->prob.n, nw = n * (size_t)b->w;
    double *at = b->work + n;
    interpolated x = {.y = b->work, .lambda = at, .lambda_dot = d ? at + nw : NULL, .ydot = d ? at + 2 * nw : NULL};
    memset(x.lambda, 0, (d ? 2 * nw : nw) * sizeof *x.lambda);
    s->fam->dense(s, st, theta, x.y, NULL, NULL, 1);
    if (d) s->fam->dense(s, st, theta, NULL, (dblock *)(uintptr_t)d, x.ydot, 1);
    return x;
}

/* Those within the step, newest first: what they owe to y there goes to the states that it was interpolated from. */
static int within(costate_solver *s, sweep *w, const step *st, const dblock *d)
{
    for (; w->obs >= 0 && s->obs_step[w->obs] == st->n + 1; w->obs--)
        for (int q = 0; q < w->count; q++) {
            ablock *b = &w->block[q], there = *b;
            const double theta = observed_theta(s, w->obs);
            const interpolated x = interpolate(s, st, theta, b->lambda_dot ? d : NULL, b);
            there.lambda = x.lambda;
            there.lambda_dot = x.lambda_dot;
            int rc = cst__observe_adjoint(s, w->obs, x.y, x.ydot, &there);
            if (rc) return product_failed(s, rc, "a product of observe", st);
            s->fam->dense_adjoint(s, st, theta, b->w, x.lambda, b->lambda);
            if (x.lambda_dot) s->fam->dense_adjoint(s, st, theta, b->w, x.lambda_dot, b->lambda_dot);
        }
    return 0;
}

static int back_step(costate_solver *s, sweep *w, const step *st, const double *ydot, const double *dstages)
{
    for (int q = 0; q < w->count; q++) {
        ablock *b = &w->block[q];
        if (b->points + s->fam->points(s) > b->capacity) TRY(flush(s, b, st));
        int rc = s->ev && step_moves(st) ? cst__event_adjoint(s, st, ydot, dstages, b)
                 : b->lambda_dot         ? s->fam->second(s, st, ydot, dstages, b)
                                         : s->fam->adjoint(s, st, b);
        if (rc) return product_failed(s, rc, b->lambda_dot ? "vjp_dot" : "vjp", st);
        size_t count = s->live * (size_t)b->w;
        if (w->params_only && st->n == 0) continue;
        if (!cst__all_finite(count, b->lambda)) return not_finite(s, st, b->lambda, b->w);
        if (b->lambda_dot && !cst__all_finite(count, b->lambda_dot)) return not_finite(s, st, b->lambda_dot, b->w);
    }
    return 0;
}

/* A sweep that ends with nonsense. Lanes of objectives have a size to compare with. */
static int explodes(costate_solver *s, const ablock *b)
{
    enum { LANES = 64 };
    double size[LANES] = {0};
    for (int o = 0; b->omega && o < s->nobj; o++)
        for (int l = 0; l < b->w; l++) size[l] += fabs(b->omega[o * b->w + l] * s->psi[o]);
    for (int l = 0; l < b->w; l++) size[l] = size[l] > 0 ? size[l] : DBL_MAX;
    return cst__fast_explodes(s, 1, cst__beside(s->t0, s->t1), s->y0, b->w, b->lambda, b->omega ? size : NULL);
}

/* What comes after the first step: the history and the initial state as functions of y0 and p. ydot: second order, at t0. */
static int finish(costate_solver *s, sweep *w, const double *ydot)
{
    step st = {.from = s->t0, .to = s->t0};
    size_t np = (size_t)s->prob.np;
    for (int q = 0; q < w->count; q++) {
        ablock *b = &w->block[q];
        TRY(flush(s, b, &st));
        int rc = s->fam->history_adjoint ? s->fam->history_adjoint(s, s->y0, ydot, b) : 0;
        if (rc) return product_failed(s, rc, ydot ? "vjp_dot" : "vjp", &st);
        size_t nw = (size_t)s->prob.n * (size_t)b->w;
        if (cst__all_finite(nw, b->lambda)) TRY(explodes(s, b));
        TRY(cst__consistent_adjoint(s, ydot, b));
        rc = cst__init_adjoint(s, b);
        if (rc) return product_failed(s, rc, "a product of init", &st);
        const int asked = !w->params_only; /* an observation at t0 comes after the last step */
        if (asked && !cst__all_finite(nw, b->lambda)) return not_finite(s, &st, b->lambda, b->w);
        if (asked && b->lambda_dot && !cst__all_finite(nw, b->lambda_dot)) return not_finite(s, &st, b->lambda_dot, b->w);
        if ((b->mu && !cst__all_finite(np * (size_t)b->w, b->mu)) ||
            (b->mu_dot && !cst__all_finite(np * (size_t)b->w, b->mu_dot)))
            return cst__fail_at(s, COSTATE_ERR_SWEEP_NOT_FINITE, s->t0, 0, 0, -1, -1, "a derivative with respect to a parameter");
    }
    return 0;
}

/* Before what is observed there, or happens, and before the first step. */
static int look(costate_solver *s, sweep *w, const step *st, const double *ydot)
{
    const happened *e = s->ev && w->block[0].flow ? cst__event_at(s, st->n) : NULL;
    const int ends = e && (w->block[0].lambda_dot || !cst__drift_goes_on(s, e));
    const int last = st->n == 0 || ends || (w->obs >= 0 && s->obs_step[w->obs] == st->n);
    for (int q = 0; q < w->count && w->block[q].flow; q++) TRY(cst__drift_look(s, &w->block[q], st, ydot, last));
    return 0;
}

/* What comes before the last step. */
static int begin(costate_solver *s, sweep *w)
{
    for (int b = 0; b < w->count && w->block[b].flow; b++) w->block[b].flow[0] = NAN;
    step end = {.n = s->log.count, .from = s->t1, .to = s->t1};
    w->obs = w->objectives ? s->prob.observations - 1 : -1;
    while (s->ev && w->obs >= 0 && s->obs_step[w->obs] == INT64_MAX) w->obs--; /* an event ended the run before */
    if (s->ev) cst__events_end(s);
    for (int b = 0; w->objectives && b < w->count; b++) {
        int rc = cst__terminal_adjoint(s, w->yend, w->ydot_end, &w->block[b]);
        if (rc) return product_failed(s, rc, "a product of terminal", &end);
    }
    const double *y = w->yend, *ydot = w->ydot_end;
    TRY(events_back(s, w, s->log.count, &y, &ydot));
    return observations(s, w, s->log.count, y, ydot);
}

int cst__sweep_fetch(costate_solver *s, const sweep *w, int64_t n, const double **y, const double **data)
{
    return cst__record_fetch(s, w->which, n, w->replay, w->context, y, data);
}

int cst__sweep_part(costate_solver *s, sweep *w, int64_t hi, int64_t lo)
{
    int second = w->block[0].lambda_dot != NULL;
    const size_t stride = cst__record_stride(s, second && s->apart ? PRIMAL : w->which);
    const sweep states = {.which = PRIMAL, .replay = cst__replay, .context = s};
    const double *ydot = NULL;
    if (hi == s->log.count) TRY(begin(s, w));
    for (int64_t n = hi - 1; n >= lo; n--) {
        const double *y, *data;
        if (w->window) {
            y = w->window->y[n - w->window->lo];
            data = w->window->data[n - w->window->lo];
        } else TRY(cst__sweep_fetch(s, w, n, &y, &data));
        dblock d = {.w = w->block[0].w, .stride = cst__record_stride(s, w->which)};
        if (second) {
            d.ydot = (double *)(uintptr_t)(y + joint_at(s)); /* only read */
            d.stages = (double *)(uintptr_t)(data + joint_stages_at(s));
        }
        if (second && s->apart) TRY(cst__sweep_fetch(s, &states, n, &y, &data));
        const step st = fetched_step(s, n, y, data, stride);
        d.into = st.into;
        TRY(within(s, w, &st, &d));
        TRY(back_step(s, w, &st, d.ydot, d.stages));
        if (second) ydot = st.into ? d.stages - d.stride : d.ydot;
        TRY(look(s, w, &st, ydot));
        for (int q = 0; n == s->fast_step && q < w->count; q++) {
            const ablock *b = &w->block[q];
            TRY(cst__fast_measure(s, 1, s->fast_speed, st.t, st.y, b->w, b->lambda));
        }
        const double *at = st.y;
        TRY(events_back(s, w, n, &at, &ydot));
        TRY(observations(s, w, n, at, ydot));
    }
    return lo == 0 ? finish(s, w, ydot) : 0;
}

int cst__sweep(costate_solver *s, sweep *w)
{
    return cst__sweep_part(s, w, s->log.count, 0);
}
