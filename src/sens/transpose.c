/* transpose.c - the recorded run transposed, block by block or all blocks together, by one thread or several.
 *
 * Lanes are cut into blocks. While the trajectory holds every stage, block after block is swept, so that one block's mu stays in
 * cache; where steps have to be computed again, or have matrices that are worth sharing, blocks go back together. Several threads
 * take different blocks; steps that are computed again are computed once, a window of them at a time. Either way a block sees
 * the same operations in the same order. */
#include "sens/transpose.h"

#include "core/workers.h"

/* omega (nobj x w): the caller's weights, or the identity. */
static void load_weights(const costate_solver *s, lane_cut c, int b, const double *weights, ablock *blk)
{
    cst__block_load(c, b, (size_t)s->nobj, weights, blk->omega);
    for (int l = 0; !weights && l < cut_used(c, b); l++) blk->omega[(size_t)(b * c.lanes + l) * (size_t)blk->w + (size_t)l] = 1;
}

static void load(const costate_solver *s, const transpose *j, int q, ablock *b, double *at)
{
    size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np;
    int width = cut_width(j->c, q);
    cst__ablock_place(s, b, width, j->l, !j->alone, at);
    if (j->direct) {
        b->lambda = j->lambda;
        b->mu = j->mu;
        if (j->objectives) memset(b->lambda, 0, n * (size_t)width * sizeof *b->lambda);
    } else {
        size_t lanes = (size_t)width;
        cst__block_load(j->c, q, n, j->objectives ? NULL : j->lambda, b->lambda);
        memset(b->lambda + n * lanes, 0, (s->live - n) * lanes * sizeof *b->lambda); /* nobody sees the history at t1 */
    }
    if (j->want_mu) memset(b->mu, 0, np * (size_t)width * sizeof *b->mu);
    else b->mu = NULL;
    if (j->direct && j->objectives && j->weights) b->omega = (double *)(uintptr_t)j->weights; /* only read */
    else if (j->objectives) load_weights(s, j->c, q, j->weights, b);
}

static void store(const costate_solver *s, const transpose *j, int q, const ablock *b)
{
    if (j->direct) return;
    if (j->lambda) cst__block_store(j->c, q, (size_t)s->prob.n, b->lambda, j->lambda);
    if (j->want_mu) cst__block_store(j->c, q, (size_t)s->prob.np, b->mu, j->mu);
}

static sweep sweep_of(costate_solver *s, const transpose *j, ablock *block, int count)
{
    return (sweep){.which = PRIMAL,
                   .replay = cst__replay,
                   .context = s,
                   .block = block,
                   .count = count,
                   .yend = s->yend,
                   .objectives = j->objectives,
                   .params_only = !j->lambda};
}

/* ---- block by block -------------------------------------------------------------------------------------------------- */

static int sweep_block(costate_solver *worker, int q, void *ctx)
{
    const transpose *j = ctx;
    ablock b;
    load(worker, j, q, &b, worker->sweep.at + j->work);
    b.work = worker->sweep.at;
    sweep sw = sweep_of(worker, j, &b, 1);
    TRY(cst__sweep(worker, &sw));
    store(worker, j, q, &b);
    return 0;
}

/* ---- blocks together ------------------------------------------------------------------------------------------------- */

/* Steps that several threads go over before the next are computed, or the block that they come in. */
enum { WINDOW_BYTES = 64 * 1024, WINDOW_MOST = 64 };

static int sweep_group(costate_solver *worker, int g, void *ctx)
{
    const transpose *j = ctx;
    sweep *w = &j->group[g];
    for (int b = 0; b < w->count; b++) w->block[b].work = worker->sweep.at;
    return cst__sweep_part(worker, w, j->hi, j->lo);
}

static size_t record_doubles(const costate_solver *s)
{
    return cst__pad(s->state) + cst__pad(s->fam->stage_doubles(s));
}

static int window_steps(const costate_solver *s, const transpose *j)
{
    size_t fit = WINDOW_BYTES / (record_doubles(s) * sizeof(double));
    return j->workers == 1 || fit < 1 ? 1 : fit > WINDOW_MOST ? WINDOW_MOST : (int)fit;
}

/* Steps hi-1 .. lo are computed again; several of them are copied to `at`, for a fetched step only stays until the next. */
static int fill_window(costate_solver *s, const transpose *j, window *v, double *at)
{
    const int copies = s->block == 1 && j->hi - j->lo > 1; /* those of a block stay together */
    v->lo = j->lo;
    for (int64_t n = j->hi - 1; n >= j->lo; n--, at += record_doubles(s)) {
        const double *y, *data;
        TRY(cst__sweep_fetch(s, &j->group[0], n, &y, &data));
        if (copies) {
            y = memcpy(at, y, s->state * sizeof *y);
            data = memcpy(at + cst__pad(s->state), data, s->fam->stage_doubles(s) * sizeof *y);
        }
        v->y[n - j->lo] = y;
        v->data[n - j->lo] = data;
    }
    return 0;
}

static int sweep_windows(costate_solver *s, transpose *j, double *at)
{
    const double *y[WINDOW_MOST], *data[WINDOW_MOST];
    window v = {.y = y, .data = data};
    const int64_t steps = window_steps(s, j);
    for (int g = 0; g < j->groups; g++) j->group[g].window = &v;
    for (j->hi = s->log.count; j->hi > 0; j->hi = j->lo) {
        j->lo = s->block > 1 ? (j->hi - 1) / s->block * s->block : j->hi > steps ? j->hi - steps : 0;
        TRY(fill_window(s, j, &v, at));
        TRY(cst__workers_run(s, j->workers, j->groups, 1, sweep_group, j));
    }
    return 0;
}

/* Groups as equal as can be: one for every worker that will have to make the matrices, else one for every block. */
static int sweep_together(costate_solver *s, transpose *j, double *at)
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
    int status =
        traj_stable(s->tr[PRIMAL]) ? cst__workers_run(s, j->workers, j->groups, 1, sweep_group, j) : sweep_windows(s, j, at);
    for (int q = 0; q < j->c.blocks && !status; q++) store(s, j, q, &j->block[q]);
    cst__release(&s->alloc, j->block);
    return status;
}

int cst__transpose(costate_solver *s, int w, transpose *j)
{
    j->c = cut_lanes(s, w);
    j->want_mu = j->mu && s->prob.np;
    int width = cut_width(j->c, 0), stable = traj_stable(s->tr[PRIMAL]);
    j->alone = stable && !s->fam->heavy;
    j->direct = j->lambda && j->c.blocks == 1 && width == w && s->live == (size_t)s->prob.n;
    TRY(cst__workers_prepare(s, j->c.blocks, &j->workers));
    const int own_omega = j->objectives && !(j->direct && j->weights);
    j->l = cst__ablock_plan(s, width, j->want_mu, own_omega, !j->alone, !j->direct, j->want_mu && !j->direct);
    const int single = width == 1 && s->fam->single_doubles;
    j->work = cst__pad((single ? s->fam->single_doubles : s->fam->adjoint_doubles)(s) * (size_t)width);
    size_t copies = stable || j->workers == 1 || s->block > 1 ? 0 : (size_t)window_steps(s, j) * record_doubles(s);
    size_t blocks = j->alone ? j->l.total : (size_t)j->c.blocks * j->l.total;
    if (!cst__scratch(s, &s->sweep, j->work + blocks + copies)) return s->status;
    TRY(cst__workers_scratch(s, j->workers, j->work + (j->alone ? j->l.total : 0)));
    if (j->alone) return cst__workers_run(s, j->workers, j->c.blocks, 0, sweep_block, j);
    return sweep_together(s, j, s->sweep.at + j->work);
}
