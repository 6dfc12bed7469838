/* events.c - memory of events, what a problem says of them, the list of those that happened. See events.h. */
#include "core/events.h"

#include "base/kernels.h"
#include "base/sized.h"
#include "core/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the problem -------------------------------------------------------------------------------------------------------- */

static int check_held(costate_solver *s)
{
    const costate_problem *p = &s->prob;
    if (p->held < 0 || p->held > p->events || p->timed_held < 0 || p->timed_held > p->timed_events)
        return cst__fail(s, COSTATE_ERR_EVENTS, "held = %d of %d events, timed_held = %d of %d timed ones", p->held, p->events,
                         p->timed_held, p->timed_events);
    if (p->held + p->timed_held > COSTATE_HELD_MOST)
        return cst__fail(s, COSTATE_ERR_EVENTS, "%d conditions are held, and at most %d can be", p->held + p->timed_held,
                         COSTATE_HELD_MOST);
    return 0;
}

int cst__events_check(costate_solver *s)
{
    const costate_problem *p = &s->prob;
    char name[32];
    if (p->events < 0 || p->timed_events < 0)
        return cst__fail(s, COSTATE_ERR_EVENTS, "events = %d, timed_events = %d", p->events, p->timed_events);
    if (!p->event.eval != !p->events)
        return cst__fail(s, COSTATE_ERR_EVENTS, "events = %d, event.eval is %s", p->events, p->event.eval ? "set" : "NULL");
    if (p->timed_events && !p->event_times.eval && !p->event_at)
        return cst__fail(s, COSTATE_ERR_EVENTS, "timed_events = %d, but there is neither event_times nor event_at",
                         p->timed_events);
    if (p->events + (int64_t)p->timed_events == 0) {
        if (p->reset.eval || p->on_event.eval || p->next_mode || p->event_times.eval || p->first_mode)
            return cst__fail(s, COSTATE_ERR_EVENTS, "there are functions or modes of events, but events and timed_events are 0");
        return 0;
    }
    if (p->events > (1 << 24) || p->timed_events > (1 << 24))
        return cst__fail(s, COSTATE_ERR_EVENTS, "events = %d, timed_events = %d: at most %d of each", p->events, p->timed_events,
                         1 << 24);
    if (p->first_mode < 0) return cst__fail(s, COSTATE_ERR_MODE, "first_mode is %d", p->first_mode);
    for (int k = 0; p->direction && k < p->events; k++)
        if (p->direction[k] != 0 && fabs(p->direction[k]) != 1)
            return cst__fail(s, COSTATE_ERR_EVENTS, "the direction of %s is %g, and not -1, 0 or 1", cst__event_name(s, k, name),
                             p->direction[k]);
    for (int k = 0; p->event_period && k < p->events; k++)
        if (!(p->event_period[k] >= 0))
            return cst__fail(s, COSTATE_ERR_EVENTS, "event_period of %s is %g", cst__event_name(s, k, name), p->event_period[k]);
    return check_held(s);
}

const char *cst__event_name(const costate_solver *s, int k, char buffer[32])
{
    if (s->prob.event_names && s->prob.event_names[k]) return s->prob.event_names[k];
    snprintf(buffer, 32, "event %d", k);
    return buffer;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

/* Laid out from base, or with base NULL counted. */
static size_t place(costate_solver *s, events *v, double *base)
{
    const costate_problem *q = &s->prob;
    const size_t n = cst__pad((size_t)q->n), np = cst__pad((size_t)q->np + 2), lanes = (size_t)s->opt.lanes;
    const size_t g = cst__pad((size_t)q->events), block = cst__pad(((size_t)q->np + 2) * lanes);
    size_t used = 0;
    double **const parts[] = {&v->side, &v->working, &v->e[0], &v->e[1], &v->e[2], &v->e[3], &v->slope[0], &v->slope[1],
                              &v->slope[2], &v->slope[3], &v->seed};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, used += g) *parts[i] = base ? base + used : NULL;
    double **const vectors[] = {&v->f, &v->point, &v->near, &v->row, &v->y0};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, used += n) *vectors[i] = base ? base + used : NULL;
    double **const params[] = {&v->prow, &v->p};
    for (size_t i = 0; i < sizeof params / sizeof *params; i++, used += np) *params[i] = base ? base + used : NULL;
    double **const blocks[] = {&v->pext, &v->mext, &v->mext_dot};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++, used += block) *blocks[i] = base ? base + used : NULL;
    v->mv.work = base ? base + used : NULL;
    used += moving_doubles(q, (int)s->opt.lanes);
    v->tau = base ? base + used : NULL;
    used += cst__pad((size_t)q->timed_events);
    return used;
}

int cst__events_open(costate_solver *s)
{
    costate_problem *q = &s->prob;
    if (s->ev) {
        if (s->ev->mv.lanes == (int)s->opt.lanes) return 0;
        cst__events_close(s);
    }
    if (q->events + q->timed_events == 0) return 0;
    events *v = s->ev = cst__alloc(&s->alloc, 1, sizeof *v);
    if (!v) return cst__fail(s, COSTATE_ERR_MEMORY, "events");
    memset(v, 0, sizeof *v);
    v->mv.at.data = s->leader ? s->leader->ev->mv.at.data : q->data;
    q->data = v;
    v->mv.d = &s->d;
    v->mv.prob = q;
    v->mv.running_jvp2 = q->jvp2_of.running;
    v->mv.lanes = (int)s->opt.lanes;
    v->mv.rows = q->n > q->objectives ? q->n : q->objectives;
    v->guards = q->events, v->timed = q->timed_events, v->all = v->guards + v->timed;
    v->user_guards = v->guards - q->held, v->user_timed = v->timed - q->timed_held;
    const size_t doubles = place(s, v, NULL);
    v->memory = cst__alloc(&s->alloc, doubles, sizeof(double));
    v->seen = cst__alloc(&s->alloc, (size_t)v->all, sizeof *v->seen);
    v->order = cst__alloc(&s->alloc, (size_t)v->timed + 1, sizeof *v->order);
    if (!v->memory || !v->seen || !v->order) return cst__fail(s, COSTATE_ERR_MEMORY, "%d events", v->all);
    memset(v->memory, 0, doubles * sizeof(double));
    place(s, v, v->memory);
    return 0;
}

void cst__events_close(costate_solver *s)
{
    events *v = s->ev;
    if (!v) return;
    s->prob.data = v->mv.at.data;
    if (!v->borrowed) {
        cst__release(&s->alloc, v->list);
        cst__release(&s->alloc, v->before);
        cst__release(&s->alloc, v->after);
    }
    cst__release(&s->alloc, v->memory);
    cst__release(&s->alloc, v->seen);
    cst__release(&s->alloc, v->order);
    cst__release(&s->alloc, v->room.at);
    cst__release(&s->alloc, v->dots.at);
    cst__release(&s->alloc, v->back.at);
    cst__release(&s->alloc, v);
    s->ev = NULL;
}

/* ---- a run ------------------------------------------------------------------------------------------------------------- */

void cst__events_mode(const costate_solver *s, int mode, uint64_t held)
{
    s->ev->mv.at.mode = mode;
    s->ev->mv.at.held = held;
}

typedef struct sorted {
    double t;
    int j;
} sorted;

static int earlier(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : x->j - y->j;
}

/* Those within the run, by time along it. */
static int order_times(costate_solver *s)
{
    events *v = s->ev;
    const double dir = event_dir(s);
    sorted *list = cst__alloc(&s->alloc, (size_t)v->timed + 1, sizeof *list);
    if (!list) return cst__fail(s, COSTATE_ERR_MEMORY, "%d timed events", v->timed);
    int count = 0;
    for (int j = 0; j < v->timed; j++) {
        const int within = dir * (v->tau[j] - s->t0) >= 0 && dir * (s->t1 - v->tau[j]) >= 0;
        if (within && !event_released(v, v->guards + j)) list[count++] = (sorted){dir * v->tau[j], j};
    }
    qsort(list, (size_t)count, sizeof *list, earlier);
    for (int q = 0; q < count; q++) v->order[q] = list[q].j;
    v->order[count] = -1;
    s->stats.outside = v->timed - count;
    cst__release(&s->alloc, list);
    return 0;
}

static int take_times(costate_solver *s)
{
    events *v = s->ev;
    const deriv_function *g = &s->d.event_times;
    char name[32];
    if (!v->timed) return 0;
    if (g->fn.eval) {
        int rc = g->fn.eval(0, s->t0, NULL, s->p, v->tau, g->data);
        if (rc) return cst__callback_failed(s, rc, "event_times", s->t0, 0, 0);
    } else memcpy(v->tau, s->prob.event_at, (size_t)v->timed * sizeof *v->tau);
    for (int j = 0; j < v->timed; j++)
        if (!isfinite(v->tau[j]))
            return cst__fail(s, COSTATE_ERR_TIMES, "the time of %s is %g", cst__event_name(s, v->guards + j, name), v->tau[j]);
    return order_times(s);
}

/* Conditions of the text alone, where events cannot be: none is held. */
static int lets_go(const costate_solver *s)
{
    return event_only_held(s->ev) && (s->fam->history_doubles || s->constraint || s->prob.steady);
}

void cst__events_hold(costate_solver *s)
{
    s->ev->mv.at.released = strcmp(s->opt.switches, "off") && !lets_go(s) ? 0 : ~(uint64_t)0;
}

/* A condition that is held must not be why a run fails. */
int cst__events_release(costate_solver *s, int status)
{
    events *v = s->ev;
    char name[32];
    const int count = s->prob.held + s->prob.timed_held;
    const uint64_t all = count == COSTATE_HELD_MOST ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1, before = v->mv.at.released & all;
    uint64_t now = 0;
    if (status == COSTATE_ERR_MEMORY || status == COSTATE_ERR_CALLBACK || before == all) return 0;
    if (v->blamed >= 0 && !event_held(v, v->blamed)) return 0;
    const int one = v->blamed >= 0 && !event_released(v, v->blamed);
    now = one ? before | (uint64_t)1 << (event_held(v, v->blamed) - 1) : all;
    v->mv.at.released = now;
    snprintf(s->warning, sizeof s->warning, "%s is not held, for the run failed so (%s): derivatives may lack what it moves",
             one ? cst__event_name(s, v->blamed, name) : "no condition of the text", costate_status_text(status));
    return 1;
}

/* What there are no events with. Times of a multistep method's past are in its formula: none of them may move. */
static int refuse(costate_solver *s)
{
    const int moves = s->prob.events > 0 || s->d.event_times.fn.eval;
    if (s->fam->id == COSTATE_BDF && moves)
        return cst__fail(s, COSTATE_ERR_EVENTS,
                         "bdf takes events at fixed times (event_at), and neither guards nor times that are functions of the "
                         "parameters: use radau2a or rodas4");
    if (s->fam->history_doubles && s->fam->id != COSTATE_BDF)
        return cst__fail(s, COSTATE_ERR_EVENTS, "multistep methods of one's own take no events");
    if (s->constraint)
        return cst__fail(s, COSTATE_ERR_EVENTS,
                         "behind an event variables of index 2 would have to be found from derivatives of their constraints, "
                         "which is done at t0 only");
    if (s->prob.steady) return cst__fail(s, COSTATE_ERR_EVENTS, "a steady start takes no events");
    return 0;
}

int cst__events_start(costate_solver *s)
{
    events *v = s->ev;
    if (lets_go(s)) s->ev->mv.at.released = ~(uint64_t)0;
    else TRY(refuse(s));
    v->count = v->lasts = 0;
    v->next = v->hit = v->known = v->stopped = v->rebound = v->kept = 0;
    v->fresh = 1;
    v->due = v->blamed = -1;
    v->at = 0;
    v->t_end = s->t1;
    v->evaluations = 0;
    s->stats.events = s->stats.grazing = s->stats.ties = s->stats.outside = 0;
    memset(v->seen, 0, (size_t)v->all * sizeof *v->seen);
    memcpy(v->p, s->p, (size_t)s->prob.np * sizeof *v->p);
    memcpy(v->y0, s->y0, (size_t)s->prob.n * sizeof *v->y0);
    for (int k = 0; s->obs_step && k < s->prob.observations; k++) s->obs_step[k] = INT64_MAX;
    cst__events_mode(s, s->prob.first_mode, 0);
    TRY(take_times(s));
    for (int j = v->user_timed; j < v->timed; j++) { /* where they will happen, they have not yet */
        const int within = event_dir(s) * (v->tau[j] - s->t0) >= 0, after = within ? s->t1 < s->t0 : s->t0 > v->tau[j];
        if (after) v->mv.at.held |= (uint64_t)1 << (event_held(v, v->guards + j) - 1);
    }
    return 0;
}

void cst__events_repeat(costate_solver *s, const double *y0)
{
    events *v = s->ev;
    v->at = 0;
    const size_t n = (size_t)s->prob.n * sizeof *y0, np = (size_t)s->prob.np * sizeof *v->p;
    v->anew = s->log.fresh || memcmp(s->p, v->p, np) != 0 || memcmp(y0, v->y0, n) != 0;
    cst__events_mode(s, v->first_mode, v->first_held);
}

int cst__events_halve(costate_solver *h, const costate_solver *s)
{
    events *v = h->ev;
    const events *from = s->ev;
    v->count = v->at = 0;
    v->kept = v->hit = v->known = v->rebound = 0;
    v->late = 0;
    v->mv.at.released = from->mv.at.released;
    for (int64_t i = 0; i < from->count; i++) {
        happened e = from->list[i];
        e.step *= 2;
        TRY(cst__events_append(h, &e, event_before(s, &from->list[i])));
        if (from->after) cst__events_after(h, &v->list[v->count - 1], event_after(s, &from->list[i]));
    }
    v->first_mode = from->first_mode, v->first_held = from->first_held;
    v->stopped = from->stopped, v->t_end = from->t_end;
    memcpy(v->p, from->p, (size_t)s->prob.np * sizeof *v->p);
    memcpy(v->y0, from->y0, (size_t)s->prob.n * sizeof *v->y0);
    memcpy(v->tau, from->tau, (size_t)v->timed * sizeof *v->tau);
    return 0;
}

void cst__events_took(costate_solver *s, const step *st)
{
    events *v = s->ev;
    s->log.h[st->n] = st->h;
    v->late = st->ends ? st->to - s->log.t[st->n + 1] : 0;
    if (!st->ends) return;
    s->log.t[st->n + 1] = st->to;
    v->list[st->ends - v->list].t = st->to;
    memcpy(v->before + (st->ends - v->list) * s->prob.n, st->ynew, (size_t)s->prob.n * sizeof *st->ynew);
}

int cst__event_time(costate_solver *s, int k, double *t)
{
    events *v = s->ev;
    const deriv_function *g = &s->d.event_times;
    *t = v->tau[k - v->guards];
    if (!g->fn.eval) return 0;
    double *tau = cst__scratch(s, &v->room, (size_t)v->timed);
    if (!tau) return s->status;
    TRY(cst__of(s, "event_times", g->fn.eval(0, s->t0, NULL, s->p, tau, g->data)));
    *t = tau[k - v->guards];
    return 0;
}

void cst__events_follow(costate_solver *w)
{
    events *v = w->ev;
    const events *from = w->leader->ev;
    v->list = from->list, v->before = from->before, v->after = from->after, v->count = from->count;
    v->borrowed = 1;
    v->first_mode = from->first_mode, v->first_held = from->first_held;
    v->stopped = from->stopped, v->t_end = from->t_end;
    memcpy(v->p, from->p, (size_t)w->prob.np * sizeof *v->p);
    memcpy(v->y0, from->y0, (size_t)w->prob.n * sizeof *v->y0);
    memcpy(v->tau, from->tau, (size_t)v->timed * sizeof *v->tau);
    v->at = 0;
    v->kept = 0;
    cst__events_mode(w, from->mv.at.mode, from->mv.at.held);
    v->mv.at.released = from->mv.at.released;
}

/* ---- the list ---------------------------------------------------------------------------------------------------------- */

/* A longer array in the place of *at, its first `count` entries as they were; 0: no memory. */
static int longer(costate_solver *s, void *at, size_t count, size_t capacity, size_t size)
{
    void *old, *new = cst__alloc(&s->alloc, capacity, size);
    if (!new) return 0;
    memcpy(&old, at, sizeof old);
    if (count) memcpy(new, old, count * size);
    cst__release(&s->alloc, old);
    memcpy(at, &new, sizeof new);
    return 1;
}

static int grow(costate_solver *s)
{
    events *v = s->ev;
    const size_t n = (size_t)s->prob.n * sizeof(double), count = (size_t)v->count;
    const size_t capacity = v->capacity ? 2 * (size_t)v->capacity : 16;
    if (!longer(s, &v->list, count, capacity, sizeof *v->list) || !longer(s, &v->before, count, capacity, n) ||
        (s->prob.mass && !longer(s, &v->after, count, capacity, n)))
        return cst__fail(s, COSTATE_ERR_MEMORY, "the list of %zu events", capacity);
    v->capacity = (int64_t)capacity;
    return 0;
}

void cst__events_after(costate_solver *s, const happened *e, const double *y)
{
    const size_t n = (size_t)s->prob.n;
    if (s->ev->after) memcpy(s->ev->after + (size_t)(e - s->ev->list) * n, y, n * sizeof *y);
}

int cst__events_append(costate_solver *s, const happened *e, const double *y)
{
    events *v = s->ev;
    const size_t n = (size_t)s->prob.n;
    if (v->count == v->capacity) TRY(grow(s));
    v->list[v->count] = *e;
    memcpy(v->before + (size_t)v->count++ * n, y, n * sizeof *y);
    return 0;
}

/* v->at: events at the end of at most n steps. Neighbouring steps come after each other. */
static void seek(const costate_solver *s, int64_t n)
{
    events *v = s->ev;
    while (v->at > 0 && v->list[v->at - 1].step > n) v->at--;
    while (v->at < v->count && v->list[v->at].step <= n) v->at++;
}

happened *cst__event_at(const costate_solver *s, int64_t n)
{
    events *v = s->ev;
    seek(s, n);
    return v->at > 0 && v->list[v->at - 1].step == n ? &v->list[v->at - 1] : NULL;
}

/* After so many events. */
static void mode_after(const costate_solver *s, int64_t count)
{
    const events *v = s->ev;
    const happened *last = count ? &v->list[count - 1] : NULL;
    if (last) cst__events_mode(s, last->after == COSTATE_STOP ? last->mode : last->after, last->held_after);
    else cst__events_mode(s, v->first_mode, v->first_held);
}

void cst__events_end(const costate_solver *s)
{
    mode_after(s, s->ev->count);
}

void cst__events_enter(const costate_solver *s, step *st)
{
    events *v = s->ev;
    st->begins = cst__event_at(s, st->n);
    st->ends = v->at < v->count && v->list[v->at].step == st->n + 1 ? &v->list[v->at] : NULL;
    mode_after(s, v->at);
}

uint64_t cst__events_signature(const costate_solver *s)
{
    uint64_t mixed = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < s->ev->count; i++) {
        const happened *e = &s->ev->list[i];
        mixed = (mixed ^ (uint64_t)(unsigned)e->k) * 0x100000001b3u;
        mixed = (mixed ^ (uint64_t)(unsigned)e->after) * 0x100000001b3u;
    }
    return mixed ^ (uint64_t)s->ev->count;
}

/* ---- for the user ------------------------------------------------------------------------------------------------------ */

int costate_events_sized(costate_solver *s, int64_t i, costate_event *found, size_t size)
{
    TRY(cst__begin(s));
    if (!found) return cst__fail(s, COSTATE_ERR_NULL, "found");
    if (!s->have_run) return cst__fail(s, COSTATE_ERR_NO_RUN, "costate_events");
    if (!s->ev || i < 0 || i >= s->ev->count) return -1;
    const happened *e = &s->ev->list[i];
    const double *before = event_before(s, e);
    memcpy(s->ev->point, before, (size_t)s->prob.n * sizeof *before);
    cst__events_mode(s, e->mode, e->held);
    TRY(cst__event_happen(s, e, s->ev->point, NULL));
    if (event_after(s, e)) memcpy(s->ev->point, event_after(s, e), (size_t)s->prob.n * sizeof *before);
    const costate_event event = {.k = e->k, .count = e->count, .t = e->t, .mode = e->after, .held = e->held_after,
                                 .step = e->step, .grazing = e->grazing, .before = before, .after = s->ev->point};
    sized_give(found, size, &event, sizeof event);
    return 0;
}
