/* event_happen.c - what happens at an event: objectives, reset; values and directions. See events.h (E2). */
#include "core/driver.h"

#include "base/kernels.h"

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

int cst__event_repeat(costate_solver *s, const happened *e, double *y, double *psi)
{
    TRY(cst__event_happen(s, e, y, psi));
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

int cst__event_happen_tangent(costate_solver *s, const happened *e, const double *before, dblock *d, double *ydot,
                              int objectives)
{
    const deriv_function *g = &s->d.on_event, *r = &s->d.reset;
    const size_t w = (size_t)d->w, nw = (size_t)s->prob.n * w;
    memcpy(d->tdot, d->taudot, w * sizeof *d->tdot);
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
