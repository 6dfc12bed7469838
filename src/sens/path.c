/* path.c - see path.h. Values are at theta_j = (1 - cos(pi j/D))/2, j = 0..D, and P is Lagrange's polynomial through them. */
#include "sens/path.h"

#include "base/kernels.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

int path_open(path *k, costate_solver *s, int w, tangent *tg)
{
    *k = (path){.s = s, .w = w, .tg = tg, .hi = s->log.count, .at = s->log.count - 1};
    if (!s->fam->dense_degree) return cst__fail(s, COSTATE_ERR_CONTINUOUS, "%s has no dense output", s->stats.method);
    const int D = k->degree = s->fam->dense_degree(s);
    if (D > PATH_DEGREE)
        return cst__fail(s, COSTATE_ERR_CONTINUOUS, "the dense output of %s is of degree %d", s->stats.method, D);
    for (int j = 0; j <= D; j++) {
        k->node[j] = (1 - cos(pi * j / D)) / 2;
        k->barycentric[j] = (j % 2 ? -1 : 1) * (j % D ? 1 : 0.5); /* of these nodes */
    }
    const size_t n = cst__pad((size_t)s->prob.n), nw = cst__pad((size_t)s->prob.n * (size_t)w), o = cst__pad((size_t)s->nobj);
    const size_t one = (size_t)(D + 1) * (n + nw), spot = 2 * n + nw + o;
    const size_t own = 2 * cst__pad(s->state) + cst__pad(s->fam->stage_doubles(s)) + (w ? cst__dblock_doubles(s, w) : 0);
    double *at = k->memory = cst__alloc(&s->alloc, PATH_KEPT * one + PATH_POINTS * spot + own, sizeof *at);
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the run between %d steps", PATH_KEPT);
    for (int i = 0; i < PATH_KEPT; i++, at += one) k->step[i] = (path_step){-1, at, at + (size_t)(D + 1) * n};
    for (int i = 0; i < PATH_POINTS; i++, at += spot)
        k->point[i] = (path_point){.y = at, .f = at + n, .r = at + 2 * n, .ydot = at + 2 * n + o};
    k->state = at;
    k->ynew = at += cst__pad(s->state);
    k->stages = at += cst__pad(s->state);
    if (w) cst__dblock_carve(s, &k->d, w, at + cst__pad(s->fam->stage_doubles(s)));
    return 0;
}

void path_close(path *k)
{
    if (k->s) cst__release(&k->s->alloc, k->memory);
    *k = (path){0};
}

void path_between(path *k, int64_t lo, int64_t hi)
{
    costate_solver *s = k->s;
    step first = {.n = lo};
    k->lo = lo, k->hi = hi, k->at = hi - 1;
    for (int i = 0; i < PATH_POINTS; i++) k->point[i].there = 0;
    if (!s->ev) return;
    cst__events_enter(s, &first);
    k->mode = s->ev->mv.at.mode, k->held = s->ev->mv.at.held;
}

void path_around(path *k, int64_t n)
{
    const events *v = k->s->ev;
    int64_t i = 0;
    while (i < v->count && v->list[i].step < n) i++;
    path_between(k, i > 0 ? v->list[i - 1].step : 0, i < v->count ? v->list[i].step : k->s->log.count);
}

/* ---- a step ------------------------------------------------------------------------------------------------------------ */

/* One of no length is at a single point. */
static int stands(const path *k, path_step *to, const step *st, const dblock *d)
{
    const size_t n = (size_t)k->s->prob.n, nw = n * (size_t)k->w;
    for (int j = 0; j <= k->degree; j++) {
        memcpy(to->y + (size_t)j * cst__pad(n), st->y, n * sizeof *st->y);
        if (d) memcpy(to->ydot + (size_t)j * cst__pad(nw), d->ydot, nw * sizeof *d->ydot);
    }
    return 0;
}

/* How a step that begins or ends at an event moves with it. */
static void load_motion(const path *k, const step *st, dblock *d)
{
    const size_t bytes = (size_t)k->w * sizeof(double);
    memset(d->taudot, 0, sizeof d->taudot);
    if (st->begins && st->begins->moves) memcpy(d->tdot, cst__event_kept(k->s, st->begins, k->w), bytes);
    if (st->ends && st->ends->moves) memcpy(d->taudot, cst__event_kept(k->s, st->ends, k->w), bytes);
}

static int sample(path *k, path_step *to, const step *st, dblock *d)
{
    costate_solver *s = k->s;
    const size_t n = cst__pad((size_t)s->prob.n), nw = cst__pad((size_t)s->prob.n * (size_t)k->w);
    if (st->h == 0) return stands(k, to, st, d);
    if (s->ev && d) load_motion(k, st, d);
    for (int j = 0; j <= k->degree; j++) {
        int rc = s->fam->dense(s, st, k->node[j], to->y + (size_t)j * n, NULL, NULL, j == 0);
        if (!rc && d) rc = take_dense(s, st, k->node[j], d, to->ydot + (size_t)j * nw, j == 0);
        if (rc) return cst__callback_failed(s, rc, "rhs or jvp, for dense output,", st->from, st->h, st->n);
    }
    return 0;
}

/* The step once more, for what its record does not hold. */
static int again(path *k, path_step *to, int64_t m, const double *y, const double *ydot)
{
    costate_solver *s = k->s;
    memcpy(k->state, y, s->state * sizeof *y);
    if (ydot) memcpy(k->d.ydot, ydot, s->live * (size_t)k->w * sizeof *ydot);
    const step st = recorded_step(s, m, k->state, k->stages, k->ynew);
    TRY(cst__replay_step(s, &st));
    if (ydot) {
        k->d.pdot = k->tg->block[0].pdot;
        k->d.fdot_valid = k->d.fdotnew_valid = 0;
        int rc = take_tangent(s, &st, &k->d, NULL);
        if (rc) return cst__callback_failed(s, rc, "jvp", st.from, st.h, st.n);
    }
    return sample(k, to, &st, ydot ? &k->d : NULL);
}

static int fill(path *k, path_step *to, int64_t m)
{
    costate_solver *s = k->s;
    const double *y = NULL, *data = NULL, *ydot = NULL;
    dblock d = {.w = k->w};
    to->n = -1;
    if (k->w) {
        replay_context context = {s, k->tg};
        TRY(cst__record_fetch(s, JOINT, m, cst__replay_joint, &context, &y, &data));
        ydot = y + joint_at(s);
        d.ydot = (double *)(uintptr_t)ydot; /* only read */
        d.stages = (double *)(uintptr_t)(data + joint_stages_at(s));
        d.stride = cst__record_stride(s, JOINT);
    }
    if (!k->w || s->apart) TRY(cst__record_fetch(s, PRIMAL, m, cst__replay, s, &y, &data));
    if (!s->fam->dense_recorded) TRY(again(k, to, m, y, ydot));
    else {
        const step st = fetched_step(s, m, y, data, cst__record_stride(s, k->w && !s->apart ? JOINT : PRIMAL));
        d.into = st.into;
        TRY(sample(k, to, &st, k->w ? &d : NULL));
    }
    to->n = m;
    return 0; /* in the mode of this step, whatever was taken again for it */
}

int64_t path_find(path *k, double t)
{
    const step_log *l = &k->s->log;
    const double dir = k->s->t1 > k->s->t0 ? 1 : -1;
    while (k->at > k->lo && dir * (t - l->t[k->at]) < 0) k->at--;
    while (k->at < k->hi - 1 && dir * (t - l->t[k->at + 1]) >= 0) k->at++;
    return k->at;
}

static path_step *step_of(path *k, double t)
{
    const int64_t m = path_find(k, t);
    path_step *at = &k->step[m % PATH_KEPT];
    return at->n == m || !fill(k, at, m) ? at : NULL;
}

/* ---- a point ----------------------------------------------------------------------------------------------------------- */

/* The node next to theta. */
static int nearest(const path *k, double theta)
{
    int here = 0;
    for (int j = 1; j <= k->degree; j++)
        if (fabs(theta - k->node[j]) < fabs(theta - k->node[here])) here = j;
    return here;
}

/* One over the distance from a node, as far as that is a number. */
static double near(const path *k, double theta, int j)
{
    const double away = theta - k->node[j];
    return 1 / (fabs(away) < 1e-200 ? 1e-200 : away);
}

/* c_j = L_j(theta), by the barycentric formula. */
static void weights(const path *k, double theta, double *c)
{
    double sum = 0;
    for (int j = 0; j <= k->degree; j++) sum += c[j] = k->barycentric[j] * near(k, theta, j);
    for (int j = 0; j <= k->degree; j++) c[j] /= sum;
}

/* And of the derivative: L_j' = L_j sum over m != j of 1/(theta - theta_m); all of them together are 0, which gives that of the
 * nearest node, where the sum cancels. */
static void slopes(const path *k, double theta, double h, double *c)
{
    const int here = nearest(k, theta);
    double sum = 0, others = 0;
    weights(k, theta, c);
    for (int m = 0; m <= k->degree; m++) sum += near(k, theta, m);
    for (int j = 0; j <= k->degree; j++) {
        c[j] *= (sum - near(k, theta, j)) / h;
        others += j == here ? 0 : c[j];
    }
    c[here] = -others;
}

static double theta_of(const path *k, const path_step *at, double t)
{
    const double h = k->s->log.h[at->n];
    return h != 0 ? (t - k->s->log.t[at->n]) / h : 0;
}

static void combine(const path *k, size_t count, const double *c, const double *values, double *out)
{
    const double *v[PATH_DEGREE + 1];
    for (int j = 0; j <= k->degree; j++) v[j] = values + (size_t)j * cst__pad(count);
    cst__combine(count, NULL, k->degree + 1, c, v, out);
}

const path_point *path_at(path *k, double t)
{
    return path_probe(k, t, NULL);
}

static int probe(path *k, path_point *x, const double *v)
{
    costate_solver *s = k->s;
    const deriv_function *r = &s->d.running;
    TRY(deriv_jvp(&s->d, x->t, x->y, s->p, 1, NULL, NULL, v, x->f));
    if (r->fn.eval) TRY(cst__of(s, "running's jvp", r->fn.jvp(0, x->t, x->y, s->p, 1, NULL, NULL, v, x->r, r->data)));
    x->probed = 1;
    return 0;
}

path_point *path_probe(path *k, double t, const double *v)
{
    const size_t n = (size_t)k->s->prob.n;
    path_point *x = NULL;
    for (int i = 0; i < PATH_POINTS && !x; i++)
        if (k->point[i].there && k->point[i].t == t) x = &k->point[i];
    if (!x) {
        const path_step *at = step_of(k, t);
        if (!at) return NULL;
        double c[PATH_DEGREE + 1];
        x = &k->point[k->next];
        k->next = (k->next + 1) % PATH_POINTS;
        weights(k, theta_of(k, at, t), c);
        combine(k, n, c, at->y, x->y);
        if (k->w) combine(k, n * (size_t)k->w, c, at->ydot, x->ydot);
        x->t = t;
        x->there = 1;
        x->probed = 0;
    }
    if (!v || x->probed) return x;
    return probe(k, x, v) ? NULL : x;
}

int path_slope(path *k, double t, double *slope)
{
    const path_step *at = step_of(k, t);
    double c[PATH_DEGREE + 1];
    if (!at) return k->s->status;
    slopes(k, theta_of(k, at, t), k->s->log.h[at->n], c);
    combine(k, (size_t)k->s->prob.n, c, at->y, slope);
    return 0;
}
