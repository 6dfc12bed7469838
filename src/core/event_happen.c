/* event_happen.c - what happens at an event: objectives, reset; values and directions. See events.h (E2). */
#include "core/driver.h"

#include "base/kernels.h"
#include "core/consistent.h"

#include <stdio.h>

int cst__event_on(const costate_solver *s, const happened *e)
{
    return e->k + (int)e->count * s->ev->all;
}

static int on_event(costate_solver *s, const happened *e, const double *y, double *psi)
{
    const deriv_function *g = &s->d.on_event;
    int rc = g->fn.eval(cst__event_on(s, e), e->t, y, s->p, s->psi_row, g->data);
    if (rc) return cst__callback_failed(s, rc, "on_event", e->t, 0, e->step);
    for (int o = 0; o < s->nobj; o++) psi[o] += s->psi_row[o];
    return 0;
}

int cst__event_happen(costate_solver *s, const happened *e, double *y, double *psi)
{
    const deriv_function *r = &s->d.reset;
    const size_t n = (size_t)s->prob.n;
    if (event_held(s->ev, e->k)) return 0;
    if (psi && s->d.on_event.fn.eval) TRY(on_event(s, e, y, psi));
    if (!r->fn.eval) return 0;
    double *before = s->ev->f; /* free between steps */
    memcpy(before, y, n * sizeof *y);
    int rc = r->fn.eval(e->k, e->t, before, s->p, y, r->data);
    return rc ? cst__callback_failed(s, rc, "reset", e->t, 0, e->step) : 0;
}

/* The mode behind it is that of algebraic equations, which hold again in it. A run that ends there stays in its mode. */
static void mode_behind(const costate_solver *s, const happened *e)
{
    if (e->after == COSTATE_STOP) cst__events_mode(s, e->mode, e->held_after);
    else cst__events_mode(s, e->after, e->held_after);
}

int cst__event_corrects(const costate_solver *s, const happened *e)
{
    const int resets = s->d.reset.fn.eval && !event_held(s->ev, e->k);
    const int mode = e->after != COSTATE_STOP && e->after != e->mode;
    return s->prob.mass && (resets || mode || e->held_after != e->held) && cst__start_any(s);
}

int cst__event_consistent(costate_solver *s, const happened *e, double *y)
{
    char name[32], reason[sizeof s->reason];
    if (!cst__event_corrects(s, e)) return 0;
    mode_behind(s, e);
    const int status = cst__consistent_behind(s, e->t, y);
    cst__events_mode(s, e->mode, e->held);
    if (status != COSTATE_ERR_CONSISTENT) return status;
    const char *colon = strstr(s->reason, ": ");
    snprintf(reason, sizeof reason, "%s", colon ? colon + 2 : s->reason);
    s->ev->blamed = e->k;
    return cst__fail_at(s, status, e->t, 0, e->step, -1, -1, "behind %s: %s", cst__event_name(s, e->k, name), reason);
}

int cst__event_repeat(costate_solver *s, const happened *e, double *y, double *psi)
{
    memcpy(s->ev->f, y, (size_t)s->prob.n * sizeof *y); /* y-, for those who carry directions */
    TRY(cst__event_happen(s, e, y, psi));
    TRY(cst__event_consistent(s, e, y));
    memset(y + s->prob.n, 0, (s->state - (size_t)s->prob.n) * sizeof *y);
    return 0;
}

void cst__event_keep(costate_solver *s, const happened *e, const dblock *d)
{
    const size_t w = (size_t)d->w;
    double *kept = cst__event_kept(s, e, d->w);
    memcpy(kept, d->taudot, w * sizeof *kept);
    memcpy(kept + w, d->ydot, (size_t)s->prob.n * w * sizeof *kept);
}

static int reset_tangent(costate_solver *s, const happened *e, const double *before, dblock *d, double *ydot, int objectives)
{
    const deriv_function *g = &s->d.on_event, *r = &s->d.reset;
    const size_t w = (size_t)d->w, nw = (size_t)s->prob.n * w;
    if (event_held(s->ev, e->k)) return 0;
    if (objectives && g->fn.eval) {
        int rc = g->fn.jvp(cst__event_on(s, e), e->t, before, s->p, d->w, d->taudot, ydot, d->pdot, d->qrow, g->data);
        if (rc) return cst__callback_failed(s, rc, "on_event's jvp", e->t, 0, e->step);
        for (size_t o = 0; o < (size_t)s->nobj * w; o++) d->qdot[o] += d->qrow[o];
    }
    if (!r->fn.eval) return 0;
    int rc = r->fn.jvp(e->k, e->t, before, s->p, d->w, d->taudot, ydot, d->pdot, d->dense, r->data);
    if (rc) return cst__callback_failed(s, rc, "reset's jvp", e->t, 0, e->step);
    memcpy(ydot, d->dense, nw * sizeof *ydot);
    return 0;
}

int cst__event_happen_tangent(costate_solver *s, const happened *e, const double *before, const double *after, dblock *d,
                              double *ydot, int objectives)
{
    const size_t w = (size_t)d->w;
    memcpy(d->tdot, d->taudot, w * sizeof *d->tdot);
    d->fdot_valid = 0;
    cst__events_mode(s, e->mode, e->held);
    TRY(reset_tangent(s, e, before, d, ydot, objectives));
    mode_behind(s, e);
    return cst__event_corrects(s, e) ? cst__consistent_behind_tangent(s, e->t, after, d->taudot, d, ydot) : 0;
}
