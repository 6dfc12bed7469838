/* event_sides.c - at a time that was reached: on which side of its guard the run goes on, what else is due there, and what is
 * refused: events that are decided by round-off, that accumulate, or whose modes push back to the guard. See events.h.
 *
 *     eta_k = 16 eps (|D tau| + sum |e_y,i| |y_i|)          the guard's round-off
 *
 * A guard is on the side of its sign where |e| > eta, else of its slope along the run in the new mode. */
#include "core/run.h"

#include "base/kernels.h"
#include "core/consistent.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { CONDITIONS = 4 };                   /* rounds in which those of the text settle */
enum { ACCUMULATE = 20, AT_ONCE = 100 }; /* intervals that shrink; units in the last place of t */

/* e_y of guard k. */
static int row_of(costate_solver *s, int k, double t, const double *y, double *row)
{
    events *v = s->ev;
    const deriv_function *g = &s->d.event;
    double *seed = v->seed;
    memset(row, 0, (size_t)s->prob.n * sizeof *row);
    memset(seed, 0, (size_t)v->guards * sizeof *seed);
    seed[k] = 1;
    return cst__of(s, "event's vjp", g->fn.vjp(0, t, y, s->p, 1, seed, row, NULL, g->data));
}

static double eta_of(const costate_solver *s, double t, const double *y, const double *row, double slope)
{
    const double *other = s->ev->count ? s->ev->before + (s->ev->count - 1) * s->prob.n : y; /* zero there may be large here */
    double sum = fabs(slope * t);
    for (int i = 0; i < s->prob.n; i++) sum += fabs(row[i]) * fmax(fabs(y[i]), fabs(other[i]));
    return 16 * DBL_EPSILON * sum;
}

int cst__event_round_off(costate_solver *s, int k, double t, const double *y, double slope, double *eta)
{
    TRY(row_of(s, k, t, y, s->ev->row));
    *eta = eta_of(s, t, y, s->ev->row, slope);
    return 0;
}

static int sliding(costate_solver *s, double t, int k)
{
    char name[32];
    s->ev->blamed = k;
    return cst__fail_at(s, COSTATE_ERR_EVENT_SLIDING, t, 0, s->log.count, -1, -1,
                        "%s: both modes push back to its guard at t = %.10g", cst__event_name(s, k, name), t);
}

static void set_bit(events *v, int k, int on)
{
    const uint64_t bit = (uint64_t)1 << (event_held(v, k) - 1);
    v->mv.at.held = on ? v->mv.at.held | bit : v->mv.at.held & ~bit;
}

/* Sides by sign. Those that are zero: 0. */
static int by_sign(costate_solver *s, double t)
{
    events *v = s->ev;
    for (int k = 0; k < v->guards; k++) {
        TRY(row_of(s, k, t, s->y, v->row));
        const double eta = eta_of(s, t, s->y, v->row, v->slope[0][k]);
        v->side[k] = fabs(v->e[0][k]) <= eta ? 0 : v->e[0][k] > 0 ? 1 : -1;
        if (event_held(v, k) && !event_released(v, k) && v->side[k] != 0) set_bit(v, k, v->side[k] > 0);
    }
    return 0;
}

static int slopes(costate_solver *s, double t)
{
    TRY(cst__consistent_slopes(s, t, s->y, s->f));
    s->f_valid = !s->prob.mass;
    return cst__event_slopes(s, t, s->y, s->f, s->ev->slope[0]);
}

/* Conditions of the text by the signs of their guards, which may depend on other conditions. */
static int settle_bits(costate_solver *s, double t)
{
    events *v = s->ev;
    for (int round = 0; round <= v->guards - v->user_guards; round++) {
        const uint64_t before = v->mv.at.held;
        TRY(cst__event_values(s, t, s->y, v->e[0]));
        TRY(slopes(s, t));
        TRY(by_sign(s, t));
        if (v->mv.at.held == before) return 0;
    }
    return 0;
}

static int settle(costate_solver *s, double t)
{
    events *v = s->ev;
    const double dir = event_dir(s);
    if (!v->guards) return 0;
    TRY(settle_bits(s, t));
    for (int k = 0; k < v->guards; k++) {
        if (v->side[k] != 0) continue;
        const double slope = dir * v->slope[0][k];
        v->side[k] = slope > 0 ? 1 : slope < 0 ? -1 : 0;
        if (!event_held(v, k) || v->side[k] == 0) continue;
        set_bit(v, k, v->side[k] > 0);
        TRY(slopes(s, t));
        if (dir * v->slope[0][k] * v->side[k] < 0) return sliding(s, t, k);
    }
    v->known = 1;
    return 0;
}

static int failed(costate_solver *s, int rc, double t)
{
    return rc < 0 && s->status == rc ? rc : cst__callback_failed(s, rc, "rhs or event", t, 0, s->log.count);
}

int cst__events_conditions(costate_solver *s)
{
    events *v = s->ev;
    const size_t n = (size_t)s->prob.n * sizeof *s->y;
    for (int round = 0; s->prob.mass && v->guards + v->timed > v->user_guards + v->user_timed; round++) {
        memcpy(s->y, s->y0, n);
        int rc = settle(s, s->t0);
        if (rc) return failed(s, rc, s->t0);
        if (v->mv.at.held == v->first_held) break;
        if (round == CONDITIONS) return sliding(s, s->t0, v->user_guards);
        v->first_held = v->mv.at.held;
        TRY(cst__consistent(s, s->y0, 0));
    }
    memcpy(v->y0, s->y0, n);
    return 0;
}

int cst__event_sides(costate_solver *s, double t)
{
    events *v = s->ev;
    int rc = settle(s, t);
    v->first_mode = v->mv.at.mode;
    v->first_held = v->mv.at.held;
    return rc ? failed(s, rc, t) : 0;
}

/* ---- what is doubted ----------------------------------------------------------------------------------------------------- */

/* A guard that is only just met: bend (e over D^2 is by how much it would have to move) against its noise. */
static int grazes(costate_solver *s, const step *st, happened *e, double before)
{
    events *v = s->ev;
    char name[32];
    const double slope = v->slope[1][e->k], bend = st->h == 0 ? 0 : fabs((slope - before) / st->h);
    double noise = 0;
    TRY(row_of(s, e->k, e->t, s->y, v->row));
    for (int i = 0; i < s->prob.n; i++) noise += fabs(v->row[i]) * (s->atol[i] + s->opt.rtol * fabs(s->y[i]));
    const double eta = eta_of(s, e->t, s->y, v->row, slope);
    v->blamed = e->k;
    if (slope == 0 || eta * bend > 0.1 * slope * slope)
        return cst__fail_at(s, COSTATE_ERR_EVENT_GRAZING, e->t, st->h, st->n, -1, -1,
                            "%s only touches zero at t = %.10g: whether it happens is for round-off to say",
                            cst__event_name(s, e->k, name), e->t);
    e->grazing = noise * bend > 0.5 * slope * slope;
    if (e->grazing && !s->stats.grazing++)
        snprintf(s->warning, sizeof s->warning,
                 "%s at t = %.10g happens by less than the tolerance; do not trust derivatives; tighten rtol",
                 cst__event_name(s, e->k, name), e->t);
    return 0;
}

/* The same guard again at once; or intervals that shrink to nothing. */
static int accumulates(costate_solver *s, const happened *e)
{
    events *v = s->ev;
    char name[32];
    const int most = sizeof v->last / sizeof *v->last, known = v->lasts < most ? (int)v->lasts : most;
    const happened *last = v->count ? &v->list[v->count - 1] : NULL;
    const double near = AT_ONCE * DBL_EPSILON * fabs(e->t);
    const int again = last && last->k == e->k && e->k < v->guards && fabs(e->t - last->t) <= near;
    v->rebound = again ? v->rebound + 1 : 0;
    if (v->rebound > 2) return sliding(s, e->t, e->k);
    int shrink = known > ACCUMULATE;
    v->blamed = e->k;
    double newest = known > 0 ? fabs(e->t - v->last[0]) : 0, later = newest;
    const double before = known > 1 ? fabs(v->last[0] - v->last[1]) : 0;
    for (int i = 0; i + 1 < known && shrink && i < ACCUMULATE; i++) {
        const double earlier = fabs(v->last[i] - v->last[i + 1]);
        shrink = later < earlier && later > 0;
        later = earlier;
    }
    const double ratio = before > 0 ? newest / before : 0, left = newest * ratio / (1 - ratio);
    if (shrink && left <= 1e-9 * fabs(s->t1 - s->t0))
        return cst__fail_at(s, COSTATE_ERR_EVENT_ZENO, e->t, 0, e->step, -1, -1,
                            "%s accumulates at t = %.10g (intervals shrink by %.2f)", cst__event_name(s, e->k, name),
                            e->t + event_dir(s) * left, ratio);
    memmove(v->last + 1, v->last, sizeof v->last - sizeof *v->last);
    v->last[0] = e->t;
    v->lasts++;
    if (v->count >= s->opt.max_events)
        return cst__fail_at(s, COSTATE_ERR_MAX_EVENTS, e->t, 0, e->step, -1, -1,
                            "max_events = %lld reached at t = %.10g of %.10g", (long long)s->opt.max_events, e->t, s->t1);
    return 0;
}

/* ---- an event ------------------------------------------------------------------------------------------------------------ */

static int next_mode(costate_solver *s, happened *e)
{
    events *v = s->ev;
    char name[32];
    e->after = e->mode;
    e->held_after = e->held;
    if (event_held(v, e->k)) {
        e->held_after ^= (uint64_t)1 << (event_held(v, e->k) - 1);
        return 0;
    }
    if (s->prob.next_mode) e->after = s->prob.next_mode(e->k, e->t, s->y, s->p, s->prob.data);
    if (e->after < 0 && e->after != COSTATE_STOP)
        return cst__fail_at(s, COSTATE_ERR_MODE, e->t, 0, e->step, -1, -1, "next_mode returned %d after %s at t = %.10g",
                            e->after, cst__event_name(s, e->k, name), e->t);
    return 0;
}

static int check_state(costate_solver *s, const happened *e)
{
    char name[32], state[32];
    int i = 0;
    if (cst__all_finite((size_t)s->prob.n, s->y)) return 0;
    while (isfinite(s->y[i])) i++;
    return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, e->t, 0, e->step, -1, i, "reset makes %s %g at %s, t = %.10g",
                        cst__state_name(s, i, state), s->y[i], cst__event_name(s, e->k, name), e->t);
}

/* ev->pending, at the step's end: s->y is y- and becomes y+. */
static int happen(costate_solver *s)
{
    events *v = s->ev;
    happened *e = &v->pending;
    e->mode = v->mv.at.mode, e->held = v->mv.at.held;
    TRY(accumulates(s, e));
    TRY(cst__events_append(s, e, s->y));
    e = &v->list[v->count - 1];
    TRY(cst__event_happen(s, e, s->y, s->psi));
    TRY(check_state(s, e));
    TRY(next_mode(s, e));
    TRY(cst__event_consistent(s, e, s->y));
    cst__events_after(s, e, s->y);
    memset(s->y + s->prob.n, 0, (s->state - (size_t)s->prob.n) * sizeof *s->y);
    v->seen[e->k]++;
    v->hit = v->known = 0;
    s->stats.events++;
    s->log.stop[s->log.count] = (signed char)((s->log.stop[s->log.count] & EVENT_STOP) | (EVENT_STOP + 1));
    if (e->after == COSTATE_STOP) {
        v->stopped = 1;
        v->t_end = e->t;
    } else cst__events_mode(s, e->after, e->held_after);
    return 0;
}

/* Conditions of the text were found to be others behind the last event than when its algebraic states were made consistent, as
 * they are again, until they stay. */
static int conditions_stay(costate_solver *s, double t)
{
    events *v = s->ev;
    happened *e = &v->list[v->count - 1];
    TRY(settle(s, t));
    for (int round = 0; s->prob.mass && e->held_after != v->mv.at.held; round++) {
        if (round == CONDITIONS) return sliding(s, t, e->k);
        e->held_after = v->mv.at.held;
        memcpy(s->y, event_before(s, e), (size_t)s->prob.n * sizeof *s->y);
        cst__events_mode(s, e->mode, e->held);
        TRY(cst__event_happen(s, e, s->y, NULL));
        TRY(cst__event_consistent(s, e, s->y));
        cst__events_after(s, e, s->y);
        cst__events_mode(s, e->after, e->held_after);
        TRY(settle(s, t));
    }
    e->held_after = v->mv.at.held;
    return 0;
}

/* Directions through the last event, when all that is behind it is known. */
static int carry(costate_solver *s, run *r)
{
    const happened *e = &s->ev->list[s->ev->count - 1];
    for (int b = 0; r->tg && b < r->tg->cut.blocks; b++) {
        dblock *d = &r->tg->block[b];
        event_forget(s, d->w, d->ydot);
        TRY(cst__event_happen_tangent(s, e, event_before(s, e), s->y, d, d->ydot, 1));
    }
    return 0;
}

/* A step of no length: to an event that moves as the time reached does not. */
static int stand_still(costate_solver *s, run *r, int ends)
{
    events *v = s->ev;
    step st = {.n = s->log.count, .from = r->t, .to = r->t, .y = s->y, .ynew = s->ynew, .stages = s->stages, .note = 0};
    cst__step_sides(&st, 1, 1);
    st.t = st.tn = cst__beside(r->t, s->t1);
    st.begins = cst__event_at(s, st.n);
    if (ends) {
        v->pending.step = st.n + 1;
        st.ends = &v->pending;
    }
    if (r->tr) TRY(cst__record_reserve(s, PRIMAL, st.n, s->y, &st.stages));
    TRY(take_step(s, &st, NULL));
    for (int b = 0; r->tg && b < r->tg->cut.blocks; b++) {
        dblock *d = &r->tg->block[b];
        int rc = take_tangent(s, &st, d, NULL);
        if (!rc && s->d.running.fn.eval) rc = take_running_tangent(s, &st, d);
        if (rc) return cst__callback_failed(s, rc, "jvp", st.from, 0, st.n);
    }
    s->note = 0;
    TRY(cst__log_append(s, 0, r->t, 1));
    if (r->tr) cst__record_commit(s, PRIMAL, st.n);
    double *y = s->y;
    s->y = s->ynew;
    s->ynew = y;
    for (int b = 0; r->tg && b < r->tg->cut.blocks; b++) cst__dblock_accept(&r->tg->block[b], 1);
    return 0;
}

/* ---- modes that push back ------------------------------------------------------------------------------------------------ */

/* Event k at s->y, in the mode that is set, does nothing but to set mode `to`. */
static int only_sets(costate_solver *s, int k, double t, int to)
{
    events *v = s->ev;
    const size_t bytes = (size_t)s->prob.n * sizeof *s->y;
    const happened e = {.k = k, .count = v->seen[k], .t = t};
    if (s->prob.next_mode(k, t, s->y, s->p, s->prob.data) != to) return 0;
    memcpy(v->point, s->y, bytes);
    return !cst__event_happen(s, &e, v->point, NULL) && memcmp(v->point, s->y, bytes) == 0;
}

/* An event that only sets a mode, in which the run leaves a guard that is zero in the direction in which it is watched, or, being
 * watched in both, to where it came from; and that guard's event would set the mode before: the run is to stay at the guard. */
static int pushed_back(costate_solver *s, double t)
{
    events *v = s->ev;
    const double dir = event_dir(s);
    const happened *e = &v->list[v->count - 1];
    const double *before = event_before(s, e);
    if (e->k >= v->user_guards || e->after == e->mode) return 0;
    for (int i = 0; i < s->prob.n; i++)
        if (before[i] != s->y[i] && !(s->prob.mass && s->prob.mass[i] == 0)) return 0;
    for (int k = 0; k < v->user_guards; k++) {
        const double slope = dir * v->slope[0][k], direction = s->prob.direction ? s->prob.direction[k] : 0;
        if (slope == 0 || v->side[k] * slope < 0 || (direction != 0 && direction * slope < 0)) continue;
        TRY(row_of(s, k, t, s->y, v->row));
        if (fabs(v->e[0][k]) > eta_of(s, t, s->y, v->row, v->slope[0][k])) continue;
        if (k == e->k && (direction != 0 || v->came * slope < 0)) continue;
        if (only_sets(s, k, t, e->mode)) return sliding(s, t, k);
    }
    return 0;
}

/* ---- what is due at once ------------------------------------------------------------------------------------------------- */

/* The first guard that is zero at (t, y) and on its way to the other side, from the side it had; -1: none. sides: before. */
static int guard_due(costate_solver *s, double t, const double *sides, int *k)
{
    events *v = s->ev;
    const double dir = event_dir(s);
    *k = -1;
    if (!v->guards) return 0;
    TRY(cst__event_values(s, t, s->y, v->e[1]));
    TRY(cst__consistent_slopes(s, t, s->y, v->f));
    TRY(cst__event_slopes(s, t, s->y, v->f, v->slope[1]));
    for (int q = 0; q < v->guards; q++) {
        const double side = sides[q], direction = s->prob.direction ? s->prob.direction[q] : 0;
        if (side == 0 || dir * v->slope[1][q] * side >= 0 || (direction != 0 && direction != -side)) continue;
        TRY(row_of(s, q, t, s->y, v->row));
        if (fabs(v->e[1][q]) > eta_of(s, t, s->y, v->row, v->slope[1][q])) continue;
        *k = q;
        return 0;
    }
    return 0;
}

static int timed_due(const costate_solver *s, double t)
{
    const events *v = s->ev;
    return v->timed && v->order[v->next] >= 0 && v->tau[v->order[v->next]] == t ? v->guards + v->order[v->next] : -1;
}

/* Everything from here on is new: f, matrices, what steps carry, the size of the next one. */
static int start_anew(costate_solver *s, run *r)
{
    const double before = fabs(r->h);
    r->base = r->t;
    r->lag = 0;
    r->count = 0;
    s->f_valid = s->fnew_valid = 0;
    if (s->opt.step > 0 || r->t == s->t1) return 0;
    memset(r->seen, 0, sizeof r->seen);
    memset(r->usual, 0, sizeof r->usual);
    memset(r->doubt, 0, sizeof r->doubt);
    r->wary = r->t;
    cst__control_start(&r->c, s);
    if (s->fam->start) s->fam->start(s, 0);
    TRY(cst__size_at(s, r->t, s->y, &r->h));
    r->h = copysign(fmin(fabs(r->h), before), r->h);
    return 0;
}

void cst__events_next_stop(costate_solver *s, run *r)
{
    events *v = s->ev;
    const double dir = event_dir(s);
    v->due = -1;
    if (!v->timed || v->order[v->next] < 0) return;
    const double tau = v->tau[v->order[v->next]];
    if (dir * (r->stop - tau) <= 0) return; /* a fixed time is met first, even if it is the same */
    r->stop = tau;
    v->due = v->guards + v->order[v->next];
}

/* Timed events of the problem that do not move need no step of their own, but at t0. */
static int stands_here(costate_solver *s, int k)
{
    return k >= s->ev->guards && !s->d.event_times.fn.eval && s->log.count > 0 && !cst__event_at(s, s->log.count);
}

static int after_step(costate_solver *s, const step *st)
{
    events *v = s->ev;
    double *e = v->e[0], *slope = v->slope[0];
    if (st->ends || !v->guards) return 0;
    memcpy(v->side, v->working, (size_t)v->guards * sizeof *v->side);
    v->e[0] = v->e[1], v->slope[0] = v->slope[1];
    v->e[1] = e, v->slope[1] = slope;
    return 0;
}

static int due(costate_solver *s, run *r, const step *st)
{
    events *v = s->ev;
    const int64_t count = v->count;
    double *sides = v->working; /* as they were before the first of them */
    int k;
    if (st) TRY(after_step(s, st));
    if (v->guards) memcpy(sides, v->side, (size_t)v->guards * sizeof *sides);
    if (st && st->ends) {
        if (v->pending.k < v->guards) {
            v->came = v->side[v->pending.k];
            TRY(grazes(s, st, &v->pending, v->slope[0][v->pending.k]));
            sides[v->pending.k] = 0;
        } else v->next++;
        TRY(happen(s));
    }
    while (!v->stopped) {
        k = -1;
        if (v->count > count || (st && st->to == r->stop)) TRY(guard_due(s, r->t, sides, &k));
        const int timed = timed_due(s, r->t);
        if (k < 0) k = timed;
        if (k < 0) break;
        if (k >= v->guards) v->next++;
        else {
            v->came = sides[k];
            sides[k] = 0;
        }
        if (v->count > count) TRY(carry(s, r));
        s->stats.ties++;
        v->pending = (happened){.k = k, .count = v->seen[k], .t = r->t, .step = s->log.count};
        v->pending.moves = k < v->guards || s->d.event_times.fn.eval;
        if (stands_here(s, k)) s->stats.ties--;
        else TRY(stand_still(s, r, 1));
        TRY(happen(s));
    }
    if (v->count == count) return 0;
    if (v->stopped || r->t == s->t1) TRY(carry(s, r));
    if (v->stopped) return 0;
    if (r->t == s->t1) return v->list[v->count - 1].moves ? stand_still(s, r, 0) : 0;
    TRY(conditions_stay(s, r->t));
    if (s->prob.next_mode) TRY(pushed_back(s, r->t));
    TRY(carry(s, r));
    return start_anew(s, r);
}

int cst__events_due(costate_solver *s, run *r, const step *st)
{
    int rc = due(s, r, st);
    return rc ? failed(s, rc, r->t) : 0;
}
