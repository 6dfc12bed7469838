/* directions.c - see directions.h */
#include "core/directions.h"

#include "core/consistent.h"

/* In the order of cst__dblock_carve. */
size_t cst__dblock_doubles(const costate_solver *s, int w)
{
    size_t lanes = (size_t)w, lw = cst__pad(s->live * lanes), nw = cst__pad((size_t)s->prob.n * lanes);
    return 2 * lw + 3 * nw + cst__pad((size_t)s->prob.np * lanes) + cst__pad(s->fam->stage_doubles(s) * lanes) +
           2 * cst__pad((size_t)s->nobj * lanes) + cst__pad(s->fam->tangent_doubles(s) * lanes);
}

void cst__dblock_carve(const costate_solver *s, dblock *d, int w, double *at)
{
    size_t lanes = (size_t)w, lw = cst__pad(s->live * lanes), nw = cst__pad((size_t)s->prob.n * lanes);
    size_t qw = cst__pad((size_t)s->nobj * lanes);
    *d = (dblock){.w = w, .ydot = at, .ydotnew = at + lw};
    d->fdot = at += 2 * lw;
    d->fdotnew = at += nw;
    d->dense = at += nw;
    d->pdot = d->own_pdot = at += nw;
    d->stages = at += cst__pad((size_t)s->prob.np * lanes);
    d->qdot = at += cst__pad(s->fam->stage_doubles(s) * lanes);
    d->qrow = at += qw;
    d->kdot = at + qw;
}

int cst__dblock_init(costate_solver *s, dblock *d)
{
    const deriv_function *init = &s->d.init;
    size_t lanes = (size_t)d->w, nw = (size_t)s->prob.n * lanes;
    if (init->fn.eval && d->pdot) {
        TRY(cst__of(s, "init's jvp", init->fn.jvp(0, s->t0, NULL, s->p, d->w, NULL, NULL, d->pdot, d->fdot, init->data)));
        for (size_t i = 0; i < nw; i++) d->ydot[i] += d->fdot[i];
    }
    TRY(cst__consistent_tangent(s, d));
    memset(d->ydot + nw, 0, (s->live * lanes - nw) * sizeof *d->ydot);
    return s->fam->history_tangent ? s->fam->history_tangent(s, s->y0, d) : 0;
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

void cst__dblock_accept(dblock *d, int anew)
{
    swap(&d->ydot, &d->ydotnew);
    swap(&d->fdot, &d->fdotnew);
    d->fdot_valid = d->fdotnew_valid && !anew && !d->moved;
    d->fdotnew_valid = d->moved = 0;
}
