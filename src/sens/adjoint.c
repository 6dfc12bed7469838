/* adjoint.c - gradients: the recorded run transposed for w objectives at once.
 *
 * Lanes are cut into blocks. While the trajectory holds every stage, block after block is swept, so that one block's mu stays in cache; where steps have to be
 * computed again, all blocks go back together, so that they are computed once. Either way a block sees the same operations in the same order. */
#include "sens/sweep.h"

#include "core/kernels.h"

#include <stdlib.h>

/* Memory of one block, in doubles; pointers are kept in doubles too. */
typedef struct layout {
    size_t lambda, mu, omega, points, total;
    int capacity;
} layout;

enum { POINT_BYTES = 256 * 1024, POINTS_MOST = 512 }; /* seeds put off: what the cache next to the core holds */

static layout plan(const costate_solver *s, int w, int want_mu, int want_omega, int copy_y, int own_lambda, int own_mu)
{
    size_t n = (size_t)s->prob.n, lanes = (size_t)w;
    layout l = {0};
    if (want_mu && s->prob.np && s->prob.vjp && s->prob.vjp_points) {
        int step_points = s->fam->points(s), fit = (int)(POINT_BYTES / (n * lanes * sizeof(double) + 1));
        fit = fit > POINTS_MOST ? POINTS_MOST : fit;
        l.capacity = fit < step_points ? step_points : fit / step_points * step_points;
    }
    l.lambda = own_lambda ? cst__pad(n * lanes) : 0;
    l.mu = own_mu ? cst__pad((size_t)s->prob.np * lanes) : 0;
    l.omega = want_omega ? cst__pad((size_t)s->nobj * lanes) : 0;
    size_t c = (size_t)l.capacity;
    l.points = 3 * cst__pad(c) + cst__pad(c * n * lanes) + (copy_y ? cst__pad(c * n) : 0);
    l.total = l.lambda + l.mu + l.omega + l.points;
    return l;
}

static void place(const costate_solver *s, ablock *b, int w, layout l, int copy_y, double *at)
{
    size_t n = (size_t)s->prob.n, c = (size_t)l.capacity;
    *b = (ablock){.w = w, .capacity = l.capacity};
    b->lambda = at;
    b->mu = at += l.lambda;
    b->omega = l.omega ? at + l.mu : NULL;
    b->pt = at += l.mu + l.omega;
    b->py = (const double **)(void *)(at += cst__pad(c));
    b->pu = (const double **)(void *)(at += cst__pad(c));
    b->pu_store = at += cst__pad(c);
    b->py_copy = copy_y ? at + cst__pad(c * n * (size_t)w) : NULL;
}

/* omega (nobj x w): the caller's weights, or the identity. */
static void load_weights(const costate_solver *s, lane_cut c, int b, const double *weights, ablock *blk)
{
    cst__block_load(c, b, (size_t)s->nobj, weights, blk->omega);
    for (int l = 0; !weights && l < cut_used(c, b); l++) blk->omega[(b * c.lanes + l) * blk->w + l] = 1;
}

/* lambda: in and out for seeds on the final state; only out with objectives. */
static int transpose(costate_solver *s, int w, int objectives, const double *weights, double *lambda, double *mu)
{
    lane_cut c = cut_lanes(s, w);
    size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np;
    int stable = traj_stable(s->tr[PRIMAL]) && !s->fam->heavy, group = stable ? 1 : c.blocks, first_w = cut_width(c, 0), want_mu = mu && np;
    int direct = c.blocks == 1 && first_w == w; /* the caller's arrays are the block */
    layout l = plan(s, first_w, want_mu, objectives, !stable, !direct, want_mu && !direct);
    size_t work = cst__pad(s->fam->adjoint_doubles(s) * (size_t)first_w);
    double *at = cst__scratch(s, &s->sweep, work + (size_t)group * l.total);
    if (!at) return s->status;
    ablock *blocks = cst__alloc(&s->alloc, (size_t)group, sizeof *blocks);
    if (!blocks) return cst__fail(s, COSTATE_ERR_MEMORY, "%d blocks of adjoints", group);
    int status = 0;
    for (int first = 0; first < c.blocks && !status; first += group) {
        for (int q = 0; q < group; q++) {
            ablock *b = &blocks[q];
            int width = cut_width(c, first + q);
            place(s, b, width, l, !stable, at + work + (size_t)q * l.total);
            b->work = at;
            if (direct) {
                b->lambda = lambda;
                b->mu = mu;
                if (objectives) memset(lambda, 0, n * (size_t)w * sizeof *lambda);
            } else cst__block_load(c, first + q, n, objectives ? NULL : lambda, b->lambda);
            if (want_mu) memset(b->mu, 0, np * (size_t)width * sizeof *b->mu);
            else b->mu = NULL;
            if (objectives) load_weights(s, c, first + q, weights, b);
        }
        sweep sw = {.which = PRIMAL, .replay = cst__replay, .context = s, .block = blocks, .count = group, .yend = s->yend, .objectives = objectives};
        status = cst__sweep(s, &sw);
        for (int q = 0; q < group && !status && !direct; q++) {
            cst__block_store(c, first + q, n, blocks[q].lambda, lambda);
            if (want_mu) cst__block_store(c, first + q, np, blocks[q].mu, mu);
        }
    }
    cst__release(&s->alloc, blocks);
    return status;
}

/* The common part of both public functions, with everything around the sweep. */
static int adjoint(costate_solver *s, int w, int objectives, const double *weights, double *lambda, double *mu)
{
    size_t lanes = (size_t)w, n = (size_t)s->prob.n;
    double began = cst__now();
    TRY(cst__sweep_ready(s));
    if (!s->recorded[PRIMAL]) { /* given up for a second-order sweep: the run is repeated */
        TRY(cst__traj_prepare(s, PRIMAL, 0));
        TRY(cst__repeat(s, s->y0, NULL, PRIMAL, NULL, NULL));
    }
    if (!objectives && !cst__all_finite(n * lanes, lambda)) return cst__fail(s, COSTATE_ERR_INPUT, "a seed in lambda");
    if (weights && !cst__all_finite((size_t)s->nobj * lanes, weights)) return cst__fail(s, COSTATE_ERR_INPUT, "a weight of the objectives");
    traj_info before, after;
    traj_get_info(s->tr[PRIMAL], &before);
    int status = transpose(s, w, objectives, weights, lambda, mu);
    if (status) { /* what was computed again on the way may be at fault: the next sweep repeats the run */
        s->recorded[PRIMAL] = 0;
        return status;
    }
    traj_get_info(s->tr[PRIMAL], &after);
    s->stats.recomputed_steps = after.recomputed - before.recomputed;
    s->stats.adjoint_s = cst__now() - began;
    return 0;
}

int costate_adjoint(costate_solver *s, int w, double *lambda, double *mu)
{
    int status = cst__begin(s);
    if (!status && w < 1) status = cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", w);
    if (!status && !lambda) status = cst__fail(s, COSTATE_ERR_NULL, "lambda");
    if (!status) status = adjoint(s, w, 0, NULL, lambda, mu);
    if (status) cst__no_numbers(s, w, lambda, mu);
    return status;
}

int costate_gradient(costate_solver *s, int w, const double *weights, double *dy0, double *dp)
{
    int status = cst__begin(s);
    if (!status && w < 1) status = cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", w);
    if (!status && !dy0) status = cst__fail(s, COSTATE_ERR_NULL, "dy0");
    if (!status && !weights && w != s->nobj)
        status = cst__fail(s, COSTATE_ERR_WIDTH, "w = %d without weights, but there are %d objectives", w, s->nobj);
    if (!status) status = adjoint(s, w, 1, weights, dy0, dp);
    if (status) cst__no_numbers(s, w, dy0, dp);
    return status;
}
