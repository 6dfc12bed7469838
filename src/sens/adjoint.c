/* adjoint.c - gradients: the recorded run transposed for w objectives at once.
 *
 * Lanes are cut into blocks. While the trajectory holds every stage, block after block is swept, so that one block's mu stays in
 * cache; where steps have to be computed again, or have matrices that are worth sharing, blocks go back together. Several threads
 * take different blocks; steps that are computed again are computed once, a window of them at a time. Either way a block sees
 * the same operations in the same order. */
#include "sens/sweep.h"

#include "base/kernels.h"
#include "core/create.h"
#include "core/workers.h"
#include "platform/machine.h"

#include <stdlib.h>

/* Passes over mu are saved where they cost more than the passes over the right-hand side that vjp_points adds: with many parameters. */
enum { MANY_PARAMS = 2 };

/* Memory of one block, in doubles; pointers are kept in doubles too. */
typedef struct layout {
    size_t lambda, mu, omega, points, total;
    int capacity;
} layout;

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

static layout plan(const costate_solver *s, int w, int want_mu, int want_omega, int copy_y, int own_lambda, int own_mu)
{
    size_t n = (size_t)s->prob.n, lanes = (size_t)w;
    layout l = {0};
    if (want_mu && s->prob.np >= MANY_PARAMS * s->prob.n && s->prob.np && s->prob.vjp && s->prob.vjp_points)
        l.capacity = points_put_off(s, n, lanes);
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

/* A call: what is asked for, and how it is done. lambda: in and out for seeds on the final state; only out with objectives. */
typedef struct job {
    int objectives, want_mu;
    const double *weights;
    double *lambda, *mu;
    lane_cut c;
    int alone;  /* each block is swept by itself */
    int direct; /* the caller's arrays are the only block */
    int workers;  /* threads */
    layout l;
    size_t work; /* doubles of the family's, at the head of every worker's memory */
    ablock *block; /* blocks that go together: all of them, */
    sweep *group;  /* in groups; a group is a task */
    int groups;
    int64_t hi, lo; /* the steps of the task at hand */
} job;

static void load(const costate_solver *s, const job *j, int q, ablock *b, double *at)
{
    size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np;
    int width = cut_width(j->c, q);
    place(s, b, width, j->l, !j->alone, at);
    if (j->direct) {
        b->lambda = j->lambda;
        b->mu = j->mu;
        if (j->objectives) memset(b->lambda, 0, n * (size_t)width * sizeof *b->lambda);
    } else cst__block_load(j->c, q, n, j->objectives ? NULL : j->lambda, b->lambda);
    if (j->want_mu) memset(b->mu, 0, np * (size_t)width * sizeof *b->mu);
    else b->mu = NULL;
    if (j->objectives) load_weights(s, j->c, q, j->weights, b);
}

static void store(const costate_solver *s, const job *j, int q, const ablock *b)
{
    if (j->direct) return;
    cst__block_store(j->c, q, (size_t)s->prob.n, b->lambda, j->lambda);
    if (j->want_mu) cst__block_store(j->c, q, (size_t)s->prob.np, b->mu, j->mu);
}

static sweep sweep_of(costate_solver *s, const job *j, ablock *block, int count)
{
    return (sweep){.which = PRIMAL, .replay = cst__replay, .context = s, .block = block, .count = count, .yend = s->yend,
                   .objectives = j->objectives};
}

/* ---- block by block -------------------------------------------------------------------------------------------------- */

static int sweep_block(costate_solver *worker, int q, void *ctx)
{
    const job *j = ctx;
    ablock b;
    load(worker, j, q, &b, worker->sweep.at + j->work);
    b.work = worker->sweep.at;
    sweep sw = sweep_of(worker, j, &b, 1);
    TRY(cst__sweep(worker, &sw));
    store(worker, j, q, &b);
    return 0;
}

/* ---- blocks together ------------------------------------------------------------------------------------------------- */

enum { WINDOW_BYTES = 64 * 1024, WINDOW_MOST = 64 }; /* steps that several threads go over before the next are computed */

static int sweep_group(costate_solver *worker, int g, void *ctx)
{
    const job *j = ctx;
    sweep *w = &j->group[g];
    for (int b = 0; b < w->count; b++) w->block[b].work = worker->sweep.at;
    return cst__sweep_part(worker, w, j->hi, j->lo);
}

static size_t record_doubles(const costate_solver *s)
{
    return cst__pad(s->state) + cst__pad(s->fam->stage_doubles(s));
}

static int window_steps(const costate_solver *s, const job *j)
{
    size_t fit = WINDOW_BYTES / (record_doubles(s) * sizeof(double));
    return j->workers == 1 || fit < 1 ? 1 : fit > WINDOW_MOST ? WINDOW_MOST : (int)fit;
}

/* Steps hi-1 .. lo are computed again; several of them are copied to `at`, for a fetched step only stays until the next. */
static int fill_window(costate_solver *s, const job *j, window *v, double *at)
{
    v->lo = j->lo;
    for (int64_t n = j->hi - 1; n >= j->lo; n--, at += record_doubles(s)) {
        const double *y, *data;
        TRY(cst__sweep_fetch(s, &j->group[0], n, &y, &data));
        if (j->hi - j->lo > 1) {
            y = memcpy(at, y, s->state * sizeof *y);
            data = memcpy(at + cst__pad(s->state), data, s->fam->stage_doubles(s) * sizeof *y);
        }
        v->y[n - j->lo] = y;
        v->data[n - j->lo] = data;
    }
    return 0;
}

static int sweep_windows(costate_solver *s, job *j, double *at)
{
    const double *y[WINDOW_MOST], *data[WINDOW_MOST];
    window v = {.y = y, .data = data};
    int steps = window_steps(s, j);
    for (int g = 0; g < j->groups; g++) j->group[g].window = &v;
    for (j->hi = s->log.count; j->hi > 0; j->hi = j->lo) {
        j->lo = j->hi > steps ? j->hi - steps : 0;
        TRY(fill_window(s, j, &v, at));
        TRY(cst__workers_run(s, j->workers, j->groups, 1, sweep_group, j));
    }
    return 0;
}

/* Groups as equal as can be: one for every worker that will have to make the matrices, else one for every block. */
static int sweep_together(costate_solver *s, job *j, double *at)
{
    j->groups = s->fam->heavy ? j->workers : j->c.blocks;
    j->block = cst__alloc(&s->alloc, (size_t)j->c.blocks, sizeof *j->block + sizeof *j->group);
    if (!j->block) return cst__fail(s, COSTATE_ERR_MEMORY, "%d blocks of adjoints", j->c.blocks);
    j->group = (sweep *)(void *)(j->block + j->c.blocks);
    for (int q = 0; q < j->c.blocks; q++, at += j->l.total) load(s, j, q, &j->block[q], at);
    for (int g = 0; g < j->groups; g++) {
        int from = j->c.blocks * g / j->groups, to = j->c.blocks * (g + 1) / j->groups;
        j->group[g] = sweep_of(s, j, j->block + from, to - from);
    }
    j->hi = s->log.count;
    int status = traj_stable(s->tr[PRIMAL]) ? cst__workers_run(s, j->workers, j->groups, 1, sweep_group, j) : sweep_windows(s, j, at);
    for (int q = 0; q < j->c.blocks && !status; q++) store(s, j, q, &j->block[q]);
    cst__release(&s->alloc, j->block);
    return status;
}

static int transpose(costate_solver *s, int w, job *j)
{
    j->c = cut_lanes(s, w);
    j->want_mu = j->mu && s->prob.np;
    int width = cut_width(j->c, 0), stable = traj_stable(s->tr[PRIMAL]);
    j->alone = stable && !s->fam->heavy;
    j->direct = j->c.blocks == 1 && width == w;
    TRY(cst__workers_prepare(s, j->c.blocks, &j->workers));
    j->l = plan(s, width, j->want_mu, j->objectives, !j->alone, !j->direct, j->want_mu && !j->direct);
    j->work = cst__pad(s->fam->adjoint_doubles(s) * (size_t)width);
    size_t copies = stable || j->workers == 1 ? 0 : (size_t)window_steps(s, j) * record_doubles(s);
    size_t blocks = j->alone ? j->l.total : (size_t)j->c.blocks * j->l.total;
    if (!cst__scratch(s, &s->sweep, j->work + blocks + copies)) return s->status;
    TRY(cst__workers_scratch(s, j->workers, j->work + (j->alone ? j->l.total : 0)));
    if (j->alone) return cst__workers_run(s, j->workers, j->c.blocks, 0, sweep_block, j);
    return sweep_together(s, j, s->sweep.at + j->work);
}

/* The common part of both public functions, with everything around the sweep. */
static int adjoint(costate_solver *s, int w, int objectives, const double *weights, double *lambda, double *mu)
{
    size_t lanes = (size_t)w, n = (size_t)s->prob.n;
    double began = platform_now();
    TRY(cst__sweep_ready(s));
    if (!s->recorded[PRIMAL]) { /* given up for a second-order sweep: the run is repeated */
        TRY(cst__traj_prepare(s, PRIMAL, 0));
        TRY(cst__repeat(s, s->y0, NULL, PRIMAL, NULL, NULL));
    }
    if (!objectives && !cst__all_finite(n * lanes, lambda)) return cst__fail(s, COSTATE_ERR_INPUT, "a seed in lambda");
    if (weights && !cst__all_finite((size_t)s->nobj * lanes, weights)) return cst__fail(s, COSTATE_ERR_INPUT, "a weight of the objectives");
    traj_info before, after;
    traj_get_info(s->tr[PRIMAL], &before);
    int status = transpose(s, w, &(job){.objectives = objectives, .weights = weights, .lambda = lambda, .mu = mu});
    if (status) { /* what was computed again on the way may be at fault: the next sweep repeats the run */
        s->recorded[PRIMAL] = 0;
        return status;
    }
    traj_get_info(s->tr[PRIMAL], &after);
    s->stats.recomputed_steps = after.recomputed - before.recomputed;
    s->stats.adjoint_s = platform_now() - began;
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
