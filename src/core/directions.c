/* directions.c - see directions.h */
#include "core/directions.h"

/* In the order of cst__dblock_carve. */
size_t cst__dblock_doubles(const costate_solver *s, int w)
{
    size_t lanes = (size_t)w, nw = cst__pad((size_t)s->prob.n * lanes);
    return 5 * nw + cst__pad((size_t)s->prob.np * lanes) + cst__pad(s->fam->stage_doubles(s) * lanes) +
           2 * cst__pad((size_t)s->nobj * lanes) + cst__pad(s->fam->tangent_doubles(s) * lanes);
}

void cst__dblock_carve(const costate_solver *s, dblock *d, int w, double *at)
{
    size_t lanes = (size_t)w, nw = cst__pad((size_t)s->prob.n * lanes), qw = cst__pad((size_t)s->nobj * lanes);
    *d = (dblock){.w = w, .ydot = at, .ydotnew = at + nw, .fdot = at + 2 * nw, .fdotnew = at + 3 * nw, .dense = at + 4 * nw};
    d->pdot = d->own_pdot = at += 5 * nw;
    d->stages = at += cst__pad((size_t)s->prob.np * lanes);
    d->qdot = at += cst__pad(s->fam->stage_doubles(s) * lanes);
    d->qrow = at += qw;
    d->kdot = at + qw;
}

int cst__dblock_init(costate_solver *s, dblock *d)
{
    if (!s->d.init.fn.eval || !d->pdot) return 0;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    TRY(s->d.init.fn.jvp(0, s->t0, NULL, s->p, d->w, NULL, NULL, d->pdot, d->fdot, s->d.init.data));
    for (size_t i = 0; i < nw; i++) d->ydot[i] += d->fdot[i];
    return 0;
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

void cst__dblock_accept(dblock *d)
{
    swap(&d->ydot, &d->ydotnew);
    swap(&d->fdot, &d->fdotnew);
    d->fdot_valid = d->fdotnew_valid;
    d->fdotnew_valid = 0;
}
