/* back_events.c - events on the way back along the adjoint equations. With H = lambda.f + omega.r, D = e_t + e_y f-, and
 * lambda_R = R_y^T lambda+ + g_y^T omega,
 *
 *     nu = R_t.lambda+ + omega.g_t - H+,       mu += R_p^T lambda+ + g_p^T omega
 *     guards:   kappa = -(nu + lambda_R.f- + omega.r-)/D,   lambda- = lambda_R + kappa e_y^T,   mu += kappa e_p^T
 *     times:    lambda- = lambda_R,   mu += tau_p^T (nu + lambda_R.f- + omega.r-)
 *
 * That is (E2) - (E4) of core/events.h with steps of no length on both sides of the event: one from a fixed time to it, and one
 * from it to that time again. What is behind a run's end owes nothing to its time but g_t of `terminal`. So it is in the second
 * order, where directions beside an event are those at a fixed time, ydot-, and with the event Dy- = ydot- + f- taudot.
 * docs/theory.md, (109) */
#include "sens/back.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "sens/event_back.h"

/* All that lambda is, is owed; lambda is nothing then. */
static void give(backward *b, ablock *owed)
{
    const size_t n = (size_t)b->s->prob.n;
    cst__back_surrender(b, owed);
    memset(b->y, 0, n * sizeof *b->y);
    memset(b->ydot, 0, n * (size_t)b->lanes * sizeof *b->ydot);
}

static int failed(backward *b, int rc, double t)
{
    return rc ? cst__back_product_failed(b->s, rc, "a product of an event", t) : 0;
}

/* y+ of event e, and its directions, which move with it. The mode is what it was before. */
static int behind(backward *b, const happened *e, double *y, double *ydot)
{
    costate_solver *s = b->s;
    const size_t n = (size_t)s->prob.n, w = (size_t)b->lanes;
    const double *before = event_before(s, e);
    cst__events_mode(s, e->mode, e->held);
    memcpy(y, event_after(s, e) ? event_after(s, e) : before, n * sizeof *y);
    if (!event_after(s, e)) TRY(cst__event_happen(s, e, y, NULL));
    if (!b->second) return 0;
    const double *taudot = cst__event_kept(s, e, b->lanes);
    double *work = cst__alloc(&s->alloc, 2 * n * w, sizeof *work);
    if (!work) return cst__fail(s, COSTATE_ERR_MEMORY, "an event on the way back");
    dblock d = {.w = b->lanes, .pdot = b->pdot, .fdot = work, .dense = work + n * w};
    memcpy(d.taudot, taudot, w * sizeof *taudot);
    memcpy(ydot, taudot + w, n * w * sizeof *ydot);
    const int rc = cst__event_happen_tangent(s, e, before, y, &d, ydot, 0);
    cst__release(&s->alloc, work);
    return rc;
}

/* y- of event e, and its directions at a fixed time. */
static int ahead(backward *b, const happened *e, double t, double *y, double *ydot)
{
    costate_solver *s = b->s;
    const size_t n = (size_t)s->prob.n, w = (size_t)b->lanes;
    cst__events_mode(s, e->mode, e->held);
    memcpy(y, event_before(s, e), n * sizeof *y);
    if (!b->second) return 0;
    const double *taudot = cst__event_kept(s, e, b->lanes), *along = taudot + w;
    TRY(cst__consistent_slopes(s, t, y, b->v));
    for (size_t i = 0; i < n * w; i++) ydot[i] = along[i] - taudot[i % w] * b->v[i / w];
    return 0;
}

/* The step of no length between these; either NULL: a fixed time. */
static int still(backward *b, const happened *begins, const happened *ends, ablock *owed)
{
    costate_solver *s = b->s;
    const size_t n = (size_t)s->prob.n;
    const double at = (begins ? begins : ends)->t, t = cst__beside(at, begins ? s->t1 : s->t0);
    double *y = cst__alloc(&s->alloc, n * (1 + (size_t)(b->second ? b->lanes : 0)), sizeof *y), *ydot = y + n;
    if (!y) return cst__fail(s, COSTATE_ERR_MEMORY, "an event on the way back");
    int rc = begins ? behind(b, begins, y, ydot) : ahead(b, ends, t, y, ydot);
    cst__events_mode(s, b->path.mode, b->path.held);
    const step st = {.from = at, .to = at, .t = t, .tn = t, .y = y, .begins = begins, .ends = ends};
    if (!rc) rc = cst__event_adjoint(s, &st, b->second ? ydot : NULL, NULL, owed);
    cst__release(&s->alloc, y);
    return failed(b, rc, at);
}

/* (E2) at event e; y+ matters where algebraic states were made consistent. */
static int through(backward *b, const happened *e, ablock *owed)
{
    costate_solver *s = b->s;
    const size_t n = (size_t)s->prob.n;
    if (!cst__event_corrects(s, e)) {
        cst__events_mode(s, e->mode, e->held);
        return cst__event_back(s, e, NULL, NULL, owed);
    }
    double *y = cst__alloc(&s->alloc, n * (1 + (size_t)(b->second ? b->lanes : 0)), sizeof *y), *ydot = y + n;
    if (!y) return cst__fail(s, COSTATE_ERR_MEMORY, "an event on the way back");
    int rc = behind(b, e, y, ydot);
    cst__events_mode(s, e->mode, e->held);
    if (!rc) rc = cst__event_back(s, e, y, ydot, owed);
    cst__release(&s->alloc, y);
    return rc;
}

int cst__back_to_event(backward *b, int64_t hi, ablock *owed)
{
    costate_solver *s = b->s;
    const happened *begins = cst__event_at(s, b->path.lo), *ends = cst__event_at(s, hi);
    const int stands = s->log.h[b->path.lo] == 0;
    if (!ends && !stands) return 0;
    give(b, owed);
    if (ends) {
        TRY(failed(b, through(b, ends, owed), ends->t));
        cst__events_mode(s, b->path.mode, b->path.held);
    }
    if (stands) TRY(still(b, begins, ends, owed));
    else if (ends->moves) TRY(still(b, NULL, ends, owed));
    cst__back_absorb(b, owed);
    return 0;
}

int cst__back_from_event(backward *b, int64_t lo, ablock *owed)
{
    const happened *begins = cst__event_at(b->s, lo);
    if (!begins->moves || b->s->log.h[lo] == 0) return 0;
    give(b, owed);
    TRY(still(b, begins, NULL, owed));
    cst__back_absorb(b, owed);
    return 0;
}
