/* ablock.c - memory of a block of adjoints: lambda, mu, weights, and the points whose parameter part is put off. */
#include "sens/drift.h"
#include "sens/transpose.h"

/* Passes over mu are saved where they cost more than the passes over the right-hand side that vjp_points adds: with many
 * parameters. */
enum { MANY_PARAMS = 2 };

/* Points put off: their seeds fit into the second cache, and into the first one their states, which are gone over for every row
 * of mu, unless that leaves so few that passes over mu cost more. */
enum { SEED_BYTES = 256 * 1024, STATE_BYTES = 30 * 1024, POINTS_MOST = 512, POINTS_FEW = 12 };

static int points_put_off(const costate_solver *s, size_t n, size_t lanes)
{
    int step_points = s->fam->points(s), near = (int)(STATE_BYTES / (n * sizeof(double)));
    int fit = (int)(SEED_BYTES / (n * lanes * sizeof(double)));
    if (near >= POINTS_FEW && near < fit) fit = near;
    if (fit > POINTS_MOST) fit = POINTS_MOST;
    return fit < step_points ? step_points : fit / step_points * step_points;
}

layout cst__ablock_plan(const costate_solver *s, int w, int want_mu, int want_omega, int copy_y, int own_lambda, int own_mu)
{
    size_t n = (size_t)s->prob.n, lanes = (size_t)w;
    layout l = {0};
    if (want_mu && s->prob.np >= MANY_PARAMS * s->prob.n && s->prob.np && s->prob.vjp && s->prob.vjp_points)
        l.capacity = points_put_off(s, n, lanes);
    l.lambda = own_lambda ? cst__pad(s->live * lanes) : 0;
    l.mu = own_mu ? cst__pad((size_t)s->prob.np * lanes) : 0;
    l.omega = want_omega ? cst__pad((size_t)s->nobj * lanes) : 0;
    l.flow = cst__drift_doubles(s, w);
    size_t c = (size_t)l.capacity;
    l.points = 3 * cst__pad(c) + cst__pad(c * n * lanes) + (copy_y ? cst__pad(c * n) : 0);
    l.total = l.lambda + l.mu + l.omega + l.flow + l.points;
    return l;
}

void cst__ablock_place(const costate_solver *s, ablock *b, int w, layout l, int copy_y, double *at)
{
    size_t n = (size_t)s->prob.n, c = (size_t)l.capacity;
    *b = (ablock){.w = w, .capacity = l.capacity};
    b->lambda = at;
    b->mu = at += l.lambda;
    b->omega = l.omega ? at + l.mu : NULL;
    b->flow = l.flow ? at + l.mu + l.omega : NULL;
    b->pt = at += l.mu + l.omega + l.flow;
    b->py = (const double **)(void *)(at += cst__pad(c));
    b->pu = (const double **)(void *)(at += cst__pad(c));
    b->pu_store = at += cst__pad(c);
    b->py_copy = copy_y ? at + cst__pad(c * n * (size_t)w) : NULL;
}
