/* watch.c - guards from step to step: whose outcome is another one now, and who came near to it. See watch.h. */
#include "core/watch.h"

#include <math.h>

const costate_guards *cst__guards(const costate_solver *s, int function)
{
    const costate_problem *p = &s->prob;
    const costate_guards *all[] = {&p->guards.rhs, &p->guards.running, &p->guards.terminal, &p->guards.observe, &p->guards.init};
    return all[function];
}

/* ---- a run begins ---------------------------------------------------------------------------------------------------- */

/* How many guards there are; *most: of one function. */
static int count_guards(const costate_solver *s, int *most)
{
    int count = *most = 0;
    for (int i = 0; i < WATCH_FUNCTIONS; i++) {
        const costate_guards *g = cst__guards(s, i);
        if (!g->eval || g->count < 1) continue;
        count += g->count;
        if (g->count > *most) *most = g->count;
    }
    return count;
}

static void list_guards(const costate_solver *s, watch *w)
{
    for (int i = 0, k = 0; i < WATCH_FUNCTIONS; i++) {
        const costate_guards *g = cst__guards(s, i);
        w->first[i] = k;
        for (int j = 0; g->eval && j < g->count; j++) {
            const int matters = (g->guard[j].on & (COSTATE_ON_STATE | COSTATE_ON_PARAMS)) != 0;
            w->at[k++] = (watched){.guard = &g->guard[j], .function = i, .matters = matters};
            w->matter[i] += matters;
        }
        w->first[i + 1] = k;
    }
}

static int open_watch(costate_solver *s)
{
    int most, count = count_guards(s, &most);
    if (!count) return 0;
    watch *w = s->watch = cst__alloc(&s->alloc, 1, sizeof *w);
    if (!w) return cst__fail(s, COSTATE_ERR_MEMORY, "%d guards", count);
    *w = (watch){.count = count, .at = cst__alloc(&s->alloc, (size_t)count, sizeof *w->at),
                 .now = cst__alloc(&s->alloc, 4 * (size_t)most + (size_t)s->prob.np, sizeof *w->now)};
    if (!w->at || !w->now) return cst__fail(s, COSTATE_ERR_MEMORY, "%d guards", count);
    w->probe = w->now + 2 * most;
    w->p = w->probe + 2 * most;
    list_guards(s, w);
    return 0;
}

void cst__watch_close(costate_solver *s)
{
    watch *w = s->watch;
    if (!w) return;
    cst__release(&s->alloc, w->at);
    cst__release(&s->alloc, w->now);
    cst__release(&s->alloc, w->room);
    cst__release(&s->alloc, w);
    s->watch = NULL;
}

/* 1: `to` has the guards of the function. */
static int evaluate(costate_solver *s, int function, int k, double t, const double *y, const double *p, double *to)
{
    return !cst__guards(s, function)->eval(k, t, y, p, to, s->prob.data);
}

/* Sides +1 and -1 that have nothing to do with each other. */
static double random_sign(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 63 ? 1 : -1;
}

void cst__watch_shift(costate_solver *s, int probe, double a, const double *y, double *c)
{
    uint64_t seed = 12345 + (uint64_t)probe;
    for (int i = 0; y && i < s->prob.n; i++) c[i] = y[i] + a * random_sign(&seed) * (s->atol[i] + s->opt.rtol * fabs(y[i]));
    for (int i = 0; i < s->prob.np; i++) s->watch->p[i] = s->p[i] * (1 + a * random_sign(&seed) * 1e-10);
}

/* Those that a function meets once, or, with fewer probes, once for each observation: whose side is another one within the
 * tolerance? s->ynew is not in use between steps. */
static void at_point(costate_solver *s, int function, int k, double t, const double *y)
{
    watch *w = s->watch;
    if (!w->matter[function] || !evaluate(s, function, k, t, y, s->p, w->now)) return;
    for (int probe = 0; probe < (function == WATCH_OBSERVE ? 2 : 2 * WATCH_PROBES); probe++) {
        cst__watch_shift(s, probe / 2, probe % 2 ? 1 : -1, y, s->ynew);
        if (!evaluate(s, function, k, t, y ? s->ynew : NULL, w->p, w->probe)) continue;
        for (int i = w->first[function], j = 0; i < w->first[function + 1]; i++, j += 2)
            if (w->at[i].matters && w->now[j] != w->probe[j] && w->now[j] != COSTATE_UNMET && w->probe[j] != COSTATE_UNMET)
                cst__watch_edge(s, &w->at[i], probe / 2, k, t, y);
    }
}

double cst__watch_moment(const costate_solver *s, double t, int way)
{
    const double other = t + way * 1e-9 * fabs(s->t1 - s->t0);
    return fmin(fmax(other, fmin(s->t0, s->t1)), fmax(s->t0, s->t1));
}

/* The ends of a run: who could as well be on the other side, for what the tolerance says, or a moment later or earlier? */
static void at_end(costate_solver *s, double t, const double *y)
{
    watch *w = s->watch;
    for (int f = WATCH_RHS; f <= WATCH_RUNNING; f++) {
        const int first = w->first[f], end = w->first[f + 1];
        if (!w->matter[f] || !evaluate(s, f, 0, t, y, s->p, w->now)) continue;
        for (int i = first; i < end; i++) w->at[i].reach = -1;
        for (int probe = 0; probe < WATCH_PROBES + 2; probe++) {
            const int way = probe == WATCH_PROBES ? 1 : probe > WATCH_PROBES ? -1 : 0; /* at last in time */
            cst__watch_shift(s, probe, way ? 0 : 1, y, s->ynew);
            if (!evaluate(s, f, 0, way ? cst__watch_moment(s, t, way) : t, s->ynew, s->p, w->probe)) continue;
            for (int i = first, j = 0; i < end; i++, j += 2)
                if (w->probe[j + 1] != COSTATE_UNMET && w->now[j + 1] != COSTATE_UNMET)
                    w->at[i].reach = fmax(w->at[i].reach, fabs(w->probe[j + 1] - w->now[j + 1]));
        }
        for (int i = first, j = 0; i < end; i++, j += 2)
            if (w->at[i].matters && fabs(w->now[j + 1]) <= w->at[i].reach) cst__watch_near(s, &w->at[i], t, y);
    }
}

int cst__watch_start(costate_solver *s, int directions)
{
    if (!s->watch) TRY(open_watch(s));
    watch *w = s->watch;
    if (!w) return 0;
    w->on = directions || s->opt.record;
    w->spent = 0;
    w->dense_step = -1;
    for (int i = 0; i < w->count; i++) {
        const watched *x = &w->at[i];
        w->at[i] = (watched){.guard = x->guard, .function = x->function, .matters = x->matters, .side = COSTATE_UNMET,
                             .value = COSTATE_UNMET, .before = COSTATE_UNMET};
    }
    if (!w->on) return 0;
    at_point(s, WATCH_INIT, 0, s->t0, NULL);
    at_end(s, s->t0, s->y0);
    for (int f = WATCH_RHS; f <= WATCH_RUNNING; f++) {
        if (!w->matter[f] || !evaluate(s, f, 0, s->t0, s->y0, s->p, w->now)) continue;
        for (int i = w->first[f], j = 0; i < w->first[f + 1]; i++, j += 2)
            w->at[i].side = w->now[j], w->at[i].value = w->now[j + 1];
    }
    return 0;
}

/* ---- along it -------------------------------------------------------------------------------------------------------- */

/* The parabola through the values at (t0, a), (t1, b) and (t2, c), of one sign, has its extremum in or near [t1, t2], and it
 * is at most half as far from 0 as b and c are. */
static int dips(double t0, double a, double t1, double b, double t2, double c)
{
    const double first = (b - a) / (t1 - t0), second = (c - b) / (t2 - t1), bend = (second - first) / (t2 - t0);
    const double at_b = second - bend * (t2 - t1), at = t1 - at_b / (2 * bend), least = b - at_b * at_b / (4 * bend);
    const double theta = (at - t1) / (t2 - t1);
    return bend * b > 0 && theta > -0.25 && theta < 1.25 && copysign(1, b) * least < 0.5 * fmin(fabs(b), fabs(c));
}

/* Changes back and forth that are within the noise count once the guard has left it for another side than it came from. */
static void settle(watched *x, double side, double value)
{
    if (!(x->noise > 0) || !(fabs(value) > x->noise)) return;
    if (side != x->settled) cst__watch_keep(x, &x->waiting);
    x->noise = 0;
}

static void follow(costate_solver *s, watched *x, const step *st, double side, double value)
{
    const int met = side != COSTATE_UNMET && x->side != COSTATE_UNMET && !isnan(side) && !isnan(x->side);
    if (met && side != x->side) {
        x->changes++;
        cst__watch_crossing(s, x, st, 0, 1, x->side);
    } else if (met && value != COSTATE_UNMET && x->value != COSTATE_UNMET && x->before != COSTATE_UNMET &&
               dips(x->t_before, x->before, st->t, x->value, st->tn, value)) {
        cst__watch_dip(s, x, st);
    }
    settle(x, side, value);
    x->t_before = st->t;
    x->before = met && side == x->side ? x->value : COSTATE_UNMET;
    x->side = side;
    x->value = value;
}

void cst__watch_step(costate_solver *s, const step *st)
{
    watch *w = s->watch;
    for (int f = WATCH_RHS; f <= WATCH_RUNNING; f++) {
        if (!w->matter[f] || !evaluate(s, f, 0, st->tn, st->ynew, s->p, w->now)) continue;
        for (int i = w->first[f], j = 0; i < w->first[f + 1]; i++, j += 2)
            if (w->at[i].matters) follow(s, &w->at[i], st, w->now[j], w->now[j + 1]);
    }
}

void cst__watch_observation(costate_solver *s, int k, const double *y)
{
    at_point(s, WATCH_OBSERVE, k, s->prob.observe_at[k], y);
}

void cst__watch_end(costate_solver *s)
{
    at_point(s, WATCH_TERMINAL, 0, s->t1, s->yend);
    at_end(s, s->t1, s->yend);
}
