/* event_find.c - when a guard is met within a step that was accepted. See events.h.
 *
 * A guard has a side, + or -. It is met where the side changes from one end of the step to the other; or where it does not, but
 * the guard goes towards zero at the beginning and comes from there at the end, and its extremum, looked for on dense output,
 * is beyond zero. Dense output only brackets the time: the event is the root of the step map itself,
 *
 *     e(t_n + h, Phi(t_n, y_n, p, h), p) = 0,      h <- h - e/(e_t + e_y f), then the secant,
 *
 * to round-off, so that what ends there is a step like any other. */
#include "core/run.h"

#include "base/kernels.h"
#include "method/mass.h"

#include <float.h>
#include <math.h>

enum { LOOKS = 6, ROOTS = 60, EARLIER = 8 };

int cst__event_values(costate_solver *s, double t, const double *y, double *e)
{
    events *v = s->ev;
    const deriv_function *g = &s->d.event;
    char name[32];
    int rc = cst__of(s, "event", g->fn.eval(0, t, y, s->p, e, g->data));
    if (rc) return rc;
    for (int k = v->user_guards; k < v->guards; k++)
        if (event_released(v, k)) e[k] = 1;
    for (int k = 0; k < v->guards; k++)
        if (!isfinite(e[k])) {
            v->blamed = k;
            return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, t, 0, s->log.count, -1, -1, "the guard of %s is %g at t = %.10g",
                                cst__event_name(s, k, name), e[k], t);
        }
    return 0;
}

int cst__event_slopes(costate_solver *s, double t, const double *y, const double *f, double *slope)
{
    const deriv_function *g = &s->d.event;
    const double one = 1;
    TRY(cst__of(s, "event's jvp", g->fn.jvp(0, t, y, s->p, 1, &one, f, NULL, slope, g->data)));
    for (int k = s->ev->user_guards; k < s->ev->guards; k++)
        if (event_released(s->ev, k)) slope[k] = 0;
    return 0;
}

/* y' at theta of the step, where it is y: f, and of algebraic states the slope of dense output, from values near by. */
static int slope_within(costate_solver *s, const step *st, double theta, const double *y, double *f)
{
    static const double by = 1.0 / 64, weight[3][3] = {{-1.5, 2, -0.5}, {-0.5, 0, 0.5}, {0.5, -2, 1.5}};
    const int where = theta < by ? 0 : theta > 1 - by ? 2 : 1;
    TRY(deriv_rhs(&s->d, theta < 1 ? st->from + theta * st->h : st->tn, y, s->p, f));
    if (!s->prob.mass) return 0;
    mass_divide(s, f);
    for (int q = 0; q < 3; q++) {
        const double *near = s->ev->near;
        TRY(s->fam->dense(s, st, theta + (q - where) * by, s->ev->near, NULL, NULL, q == 0));
        for (int i = 0; i < s->prob.n; i++)
            if (s->prob.mass[i] == 0) f[i] += weight[where][q] / (by * st->h) * near[i];
    }
    return 0;
}

/* ---- a look into the step ------------------------------------------------------------------------------------------------ */

typedef struct look {
    const step *st;
    double theta[4];
    int first;
} look;

/* Values at theta, into place q; */
static int values_at(costate_solver *s, look *l, double theta, int q)
{
    events *v = s->ev;
    l->theta[q] = theta;
    TRY(s->fam->dense(s, l->st, theta, v->point, NULL, NULL, l->first));
    l->first = 0;
    return cst__event_values(s, l->st->from + theta * l->st->h, v->point, v->e[q]);
}

/* and slopes, which cost an f. */
static int look_at(costate_solver *s, look *l, double theta, int q)
{
    events *v = s->ev;
    const double t = l->st->from + theta * l->st->h;
    TRY(values_at(s, l, theta, q));
    TRY(slope_within(s, l->st, theta, v->point, v->f));
    return cst__event_slopes(s, t, v->point, v->f, v->slope[q]);
}

/* A guard is met between two thetas; before it, it has the side given. theta 2: it is not. */
typedef struct meeting {
    int k;
    double low, high, theta, side;
    int dip; /* seen on dense output only */
} meeting;

static int wanted(const costate_solver *s, int k, double from)
{
    const double direction = s->prob.direction ? s->prob.direction[k] : 0;
    return direction == 0 || direction == -from;
}

/* The extremum of guard k between places a and b, where it comes near zero and leaves again: *theta, or 2 if it does not get
 * there. The smallest value that tangents at both ends allow says when to give up. */
static int dip(costate_solver *s, look *l, int k, int a, int b, double *theta)
{
    events *v = s->ev;
    const double side = v->working[k], h = l->st->h;
    double x[2] = {l->theta[a], l->theta[b]}, e[2] = {side * v->e[a][k], side * v->e[b][k]};
    double d[2] = {side * v->slope[a][k] * h, side * v->slope[b][k] * h};
    *theta = 2;
    for (int i = 0; i < LOOKS; i++) {
        const double wide = x[1] - x[0];
        double least = e[0], at = x[0] + wide * d[0] / (d[0] - d[1]);
        if (d[1] > d[0]) least = e[0] + d[0] * (e[1] - e[0] - d[1] * wide) / (d[0] - d[1]);
        if (i > 1 && least > 0) return 0;
        if (!(at > x[0] + 0.02 * wide && at < x[1] - 0.02 * wide)) at = x[0] + wide / 2;
        TRY(look_at(s, l, at, 3));
        const double here = side * v->e[3][k], slope = side * v->slope[3][k] * h;
        if (here < 0) {
            *theta = at;
            return 0;
        }
        const int to = slope > 0;
        x[to] = at, e[to] = here, d[to] = slope;
        if (wide < 1e-10) return 0;
    }
    return 0;
}

/* Its root on dense output, by the regula falsi, halving the value at an end that stays (Illinois). */
static int root(costate_solver *s, look *l, meeting *m, double low, double high)
{
    double a = m->low, b = m->high, fa = low, fb = high;
    int stays = 0; /* -1: a did, 1: b did */
    m->theta = b;
    for (int i = 0; i < ROOTS && fb != 0 && b - a > 1e-11; i++) {
        double x = b - fb * (b - a) / (fb - fa);
        if (!(x > a && x < b)) x = a + (b - a) / 2;
        TRY(values_at(s, l, x, 3));
        const double f = s->ev->e[3][m->k], moved = fabs(x - m->theta);
        m->theta = x;
        if (f == 0 || moved < 1e-12) break;
        if (f * m->side < 0) {
            if (stays == -1) fa /= 2;
            b = x, fb = f, stays = -1;
        } else {
            if (stays == 1) fb /= 2;
            a = x, fa = f, stays = 1;
        }
    }
    return 0;
}

/* A guard that was zero where this begins has left it before it comes back: the root is behind a place on its side. */
static int crossing(costate_solver *s, look *l, meeting *m, double start, double end)
{
    double x = m->high, low = start;
    for (int i = 0; i < ROOTS && !(low * m->side > 1e-6 * fabs(end)); i++) {
        x = m->low + (x - m->low) / 2;
        TRY(values_at(s, l, x, 3));
        const double e = s->ev->e[3][m->k];
        if (e * m->side <= 0) {
            m->high = x, end = e;
            continue;
        }
        m->low = x, low = e;
        break;
    }
    return low * m->side > 0 ? root(s, l, m, low, end) : 0;
}

/* Guard k between places a and b. */
static int meets(costate_solver *s, look *l, int k, int a, int b, meeting *m)
{
    events *v = s->ev;
    const double side = v->working[k], end = v->e[b][k], dir = event_dir(s);
    m->theta = 2;
    if (side == 0) return 0;
    *m = (meeting){.k = k, .low = l->theta[a], .high = l->theta[b], .theta = 2, .side = side};
    if (end * side <= 0) return wanted(s, k, side) ? crossing(s, l, m, v->e[a][k], end) : 0;
    if (side * v->slope[a][k] * dir >= 0 || side * v->slope[b][k] * dir <= 0) return 0;
    double bottom;
    TRY(dip(s, l, k, a, b, &bottom));
    if (bottom > 1) return 0;
    const double lowest = v->e[3][k], start = v->e[a][k];
    m->dip = 1;
    if (wanted(s, k, side)) m->high = bottom;
    else {
        m->low = bottom;
        m->side = -side;
        return root(s, l, m, lowest, end);
    }
    return root(s, l, m, start * side > 0 ? start : DBL_MIN * side, lowest);
}

/* The first of all between places a and b; what is before it is looked at again. */
static int first_between(costate_solver *s, look *l, int a, int b, meeting *found)
{
    const events *v = s->ev;
    meeting m;
    found->theta = 2;
    for (int round = 0; round < EARLIER; round++) {
        const double before = found->theta;
        for (int k = 0; k < v->guards; k++) {
            if (round && k == found->k) continue;
            TRY(meets(s, l, k, a, b, &m));
            if (m.theta < found->theta) *found = m;
        }
        if (found->theta > 1 || found->theta == before) return 0;
        if (v->guards == 1) return 0;
        TRY(look_at(s, l, found->theta, 2));
        b = 2;
    }
    return 0;
}

/* ---- the time of the event --------------------------------------------------------------------------------------------- */

/* Slopes of the guards at the step's end, whose f is kept for the next one. */
static int slopes_at_end(costate_solver *s, const step *st)
{
    events *v = s->ev;
    if (s->prob.mass) {
        TRY(slope_within(s, st, 1, st->ynew, v->f));
        return cst__event_slopes(s, st->to, st->ynew, v->f, v->slope[1]);
    }
    if (!s->fnew_valid) TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew));
    s->fnew_valid = 1;
    return cst__event_slopes(s, st->to, st->ynew, s->fnew, v->slope[1]);
}

/* The step of that size; e of guard k at its end, and its slope there. */
static int try_size(costate_solver *s, step *st, double h, int k, double *e, double *slope)
{
    events *v = s->ev;
    st->h = h;
    st->to = st->from + (st->lag + h);
    st->h = st->to - st->from - st->lag;
    cst__step_sides(st, s->log.stop[st->n], 1);
    s->fnew_valid = 0;
    v->evaluations++;
    TRY(cst__event_take(s, st, NULL));
    if (!cst__all_finite(s->live, st->ynew)) return STEP_NOT_FINITE;
    TRY(cst__event_values(s, st->to, st->ynew, v->e[1]));
    TRY(slopes_at_end(s, st));
    *e = v->e[1][k];
    *slope = v->slope[1][k];
    return 0;
}

static int no_root(costate_solver *s, const step *st, int k, double e)
{
    char name[32];
    s->ev->blamed = k;
    return cst__fail_at(s, COSTATE_ERR_EVENT_ROOT, st->to, st->h, st->n, -1, -1,
                        "%s: the guard is %g at t = %.17g, and does not become zero", cst__event_name(s, k, name), e, st->to);
}

/* Where the guard changes its sign between neighbouring times it is zero up to round-off, or it jumps. */
static int meets_zero(costate_solver *s, const step *st, int k, double e, double slope)
{
    double eta;
    TRY(cst__event_round_off(s, k, st->to, st->ynew, slope, &eta));
    return fabs(e) <= 64 * eta ? 0 : no_root(s, st, k, e);
}

/* Between low and high, sizes of steps by whose ends the guard has the side given and the other one. */
static int newton(costate_solver *s, step *st, const meeting *m, double low, double high, double h)
{
    double e = 0, slope, before_h = 0, before_e = 0, best = INFINITY;
    int worse = 0;
    for (int i = 0; i < ROOTS; i++) {
        TRY(try_size(s, st, h, m->k, &e, &slope));
        h = st->h;
        if (e * m->side > 0) low = h;
        else high = h;
        double change = -e / slope;
        if (i && before_h != h && before_e != e) change = -e * (h - before_h) / (e - before_e);
        const double grain = DBL_EPSILON * fmax(fabs(st->to), fabs(h) * 1e-3);
        if (e == 0 || fabs(e) <= fabs(slope) * grain) return 0;
        if (fabs(change) <= grain || fabs(high - low) <= grain) return meets_zero(s, st, m->k, e, slope);
        worse = fabs(e) < best ? 0 : worse + 1;
        best = fmin(best, fabs(e));
        if (worse > 3 && fabs(change) <= 64 * grain) return meets_zero(s, st, m->k, e, slope);
        before_h = h, before_e = e;
        double next = h + change;
        if (!((next - low) * (next - high) < 0)) next = low + (high - low) / 2;
        if (st->from + (st->lag + next) == st->to) return meets_zero(s, st, m->k, e, slope);
        h = next;
    }
    return no_root(s, st, m->k, e);
}

int cst__event_again(costate_solver *s, step *st, int k)
{
    double e, slope, h = st->h, before_h = 0, before_e = 0;
    for (int i = 0; i < ROOTS; i++) {
        TRY(try_size(s, st, h, k, &e, &slope));
        h = st->h;
        double change = -e / slope;
        if (i && before_h != h && before_e != e) change = -e * (h - before_h) / (e - before_e);
        if (!isfinite(change)) break;
        if (e == 0 || fabs(change) <= DBL_EPSILON * fmax(fabs(st->to), 1e-3 * fabs(h))) return 0;
        if (i > 20 && fabs(change) <= 64 * DBL_EPSILON * fabs(st->to)) return 0;
        if (st->from + (st->lag + h + change) == st->to) return 0;
        before_h = h, before_e = e;
        h += change;
    }
    return no_root(s, st, k, e);
}

/* ---- the search --------------------------------------------------------------------------------------------------------- */

static int refused(costate_solver *s, run *r, int rc)
{
    if (rc < 0) return s->status == rc ? rc : cst__callback_failed(s, rc, "rhs or event", r->t, r->h, s->log.count);
    r->reason = rc;
    r->which = "rhs or event, where an event was looked for,";
    return rc == STEP_NOT_FINITE ? NOT_FINITE : REFUSED;
}

static int at_end(costate_solver *s, const step *st)
{
    TRY(cst__event_values(s, st->to, st->ynew, s->ev->e[1]));
    return slopes_at_end(s, st);
}

/* Sides at the end of a part, which has no event. */
static int settle_sides(costate_solver *s, int b, double t)
{
    events *v = s->ev;
    char name[32];
    for (int k = 0; k < v->guards; k++) {
        if (v->e[b][k] != 0) v->working[k] = v->e[b][k] > 0 ? 1 : -1;
        else if (v->working[k] == 0 && v->slope[b][k] == 0) {
            v->blamed = k;
            return cst__fail_at(s, COSTATE_ERR_EVENT_GUARD, t, 0, s->log.count, -1, -1,
                                "the guard of %s is 0, and stays so at t = %.10g", cst__event_name(s, k, name), t);
        }
    }
    return 0;
}

/* The meeting as a step. *missed: there is none, for the step map does not get where dense output does. */
static int cut(costate_solver *s, step *st, const meeting *m, int *missed)
{
    events *v = s->ev;
    const double h = st->h, full = st->to, to = st->tn;
    double e, slope;
    *missed = 0;
    if (m->dip) {
        const double bottom = m->side == v->working[m->k] ? m->high : m->low;
        TRY(try_size(s, st, bottom * h, m->k, &e, &slope));
        if (e * v->working[m->k] > 0) {
            st->h = h, st->to = full, st->tn = to;
            *missed = 1;
            s->fnew_valid = 0;
            TRY(s->fam->step(s, st, NULL));
            return at_end(s, st);
        }
    }
    if (m->theta >= 1 && v->e[1][m->k] == 0) return 0;
    return newton(s, st, m, m->low * h, m->high * h, m->theta * h);
}

static void end_here(costate_solver *s, step *st, int k, int moves)
{
    events *v = s->ev;
    v->pending = (happened){.k = k, .count = v->seen[k], .t = st->to, .moves = moves, .step = st->n + 1};
    v->hit = 1;
    st->ends = &v->pending;
}

/* A fixed time is met first, and what is due there then: an end, an observation. */
static int fixed_end(const run *r, const events *v, const step *st)
{
    return st->to == r->stop && v->due < 0;
}

/* Into how many parts the step is cut: a guard whose slope would carry it far beyond what it is at both ends is faster than the
 * step, which may be long where f does not change, as within a branch that is held. Slopes of what is stiff are noise, and ask
 * for little. */
static int parts_of(const costate_solver *s, const step *st)
{
    const events *v = s->ev;
    const double far = 4, most = s->im ? 8 : 256;
    double parts = (double)s->opt.event_samples;
    for (int k = 0; k < v->guards; k++) {
        const double period = s->prob.event_period ? s->prob.event_period[k] : 0;
        if (period > 0 && !event_released(v, k)) parts = fmax(parts, fmin(1e6, ceil(2 * fabs(st->h) / period)));
        const double reach = fmax(fabs(v->slope[0][k]), fabs(v->slope[1][k])) * fabs(st->h);
        const double size = fmax(fabs(v->e[0][k]), fabs(v->e[1][k]));
        if (reach > far * size && size > 0) parts = fmax(parts, fmin(most, ceil(2 * reach / size)));
    }
    return (int)parts;
}

int cst__event_search(costate_solver *s, run *r, step *st)
{
    events *v = s->ev;
    int parts = v->guards > 0;
    look l = {.st = st, .first = 1, .theta = {0, 1}};
    meeting m = {.theta = 2};
    int rc = 0, missed = 0, from = 0;
    v->hit = 0;
    st->ends = NULL;
    if (parts) {
        memcpy(v->working, v->side, (size_t)v->guards * sizeof *v->working);
        rc = at_end(s, st);
        if (!rc) parts = parts_of(s, st);
    }
    for (int q = 0; q < parts && !rc; q++) {
        int to = 1;
        if (q < parts - 1) {
            to = 2;
            rc = look_at(s, &l, (q + 1.0) / parts, 2);
        }
        if (!rc) rc = first_between(s, &l, from, to, &m);
        if (!rc && m.theta <= 1) rc = cut(s, st, &m, &missed);
        if (rc || (m.theta <= 1 && !missed)) break;
        if (to == 2 && missed) rc = look_at(s, &l, (q + 1.0) / parts, 2);
        if (!rc) rc = settle_sides(s, to, st->to);
        if (to == 2 && !rc) { /* the end of this part is the beginning of the next */
            double *e = v->e[0], *slope = v->slope[0];
            v->e[0] = v->e[2], v->slope[0] = v->slope[2];
            v->e[2] = e, v->slope[2] = slope;
            l.theta[0] = l.theta[2];
        }
    }
    if (rc) return refused(s, r, rc);
    if (m.theta <= 1 && !missed && !fixed_end(r, v, st)) end_here(s, st, m.k, 1);
    else if (v->due >= 0 && st->to == r->stop) end_here(s, st, v->due, s->d.event_times.fn.eval != NULL);
    return ACCEPTED;
}
