/* probe.c - see probe.h */
#include "core/probe.h"

#include "base/kernels.h"

#include <math.h>

int cst__probe_wanted(const costate_solver *s)
{
    return s->opt.probe && s->opt.step == 0 && s->prob.np && !s->guide;
}

int cst__probe_start(costate_solver *s, run *r)
{
    const size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np;
    r->probing = 0;
    if (!cst__probe_wanted(s)) return 0;
    double *at = cst__scratch(s, &s->of_probe, cst__pad(n) + cst__dblock_doubles(s, 1));
    if (!at) return s->status;
    dblock *d = &r->probe;
    r->allowed = at;
    cst__dblock_carve(s, d, 1, at + cst__pad(n));
    memset(d->ydot, 0, n * sizeof *d->ydot);
    memset(d->qdot, 0, (size_t)s->nobj * sizeof *d->qdot);
    for (size_t i = 0; i < np; i++) d->own_pdot[i] = (cst__irregular(i) < 1 ? -1 : 1) * (s->p[i] == 0 ? 1 : fabs(s->p[i]));
    const int rc = cst__dblock_init(s, d);
    if (rc) return cst__callback_failed(s, rc, "jvp", s->t0, 0, 0);
    r->probing = 1;
    return 0;
}

/* The tolerance that y leaves: what all parameters together would change is y's affair, too. */
static int judged(costate_solver *s, run *r, const step *st, const step *taken, double *e)
{
    double *own = s->atol;
    for (int i = 0; i < s->prob.n; i++) r->allowed[i] = own[i] + s->opt.rtol * fmax(fabs(st->y[i]), fabs(st->ynew[i]));
    s->atol = r->allowed;
    const int rc = s->fam->tangent(s, taken, &r->probe, e);
    s->atol = own;
    return rc;
}

int cst__probe_attempt(costate_solver *s, run *r, const step *st, double *err)
{
    step taken = *st;
    double e = 0;
    taken.note = s->note; /* as if it were accepted, which may be */
    r->which = "jvp";
    const int rc = judged(s, r, st, &taken, &e);
    if (rc < 0) return cst__callback_failed(s, rc, "jvp", st->from, st->h, st->n);
    r->reason = rc;
    if (rc > 0) return REFUSED;
    if (!isfinite(e)) return DIRECTION_NOT_FINITE;
    if (e > *err) *err = e;
    return e > 1 ? TOO_INACCURATE : ACCEPTED;
}
