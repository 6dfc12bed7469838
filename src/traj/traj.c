/* traj.c - the store on the way forward: what is kept, within the budget, and the fall from whole records to single states.
 *
 * The budget, for units of B bytes and slots whose bookkeeping takes E bytes each:
 *
 *     "stages"         units B                       <= memory     records of `record` units, no bookkeeping
 *     after the fall   (units - spare) B + slots E   <= memory     slots = 1 + (units - spare) + those on disk
 *
 * So the fall gives up the first `spare` units, which are chunks of their own, for the bookkeeping. No state is lost: those in
 * there move to units that held stage data, of which there are enough because spare is less than half of all. */
#include "traj/store.h"

#include <errno.h>
#include <string.h>

/* Slots in memory and on disk: either so few that the store's own bookkeeping will do, or as many as the budget allows with
 * their bookkeeping, whichever is more. */
static void plan_slots(const traj_config *cf, int64_t unit, int64_t *in_memory, int64_t *on_disk)
{
    int64_t book = sizeof(traj_slot), most = INT32_MAX, m = cf->memory / unit, d = cf->disk / unit;
    *in_memory = m < FREE_SLOTS - 1 ? m : FREE_SLOTS - 1;
    *on_disk = d < FREE_SLOTS - 1 - *in_memory ? d : FREE_SLOTS - 1 - *in_memory;
    if (d > cf->memory / (2 * book)) d = cf->memory / (2 * book); /* the disk's bookkeeping may take half of the memory */
    if (d > most) d = most;
    m = (cf->memory - (1 + d) * book) / (unit + book);
    if (m > most) m = most;
    if (m < 0 || m + d <= *in_memory + *on_disk) return;
    *in_memory = m;
    *on_disk = d;
}

/* The fall moves the states of spare / record records to the units behind the states of the others, at least one unit each, so
 * the others must be no fewer. They are if units <= 2 slots - 3 record, rounding included; only states of one or two numbers,
 * which are no larger than their bookkeeping, do not get the whole budget for records that way. */
static int plan(traj *tr, const traj_config *cf)
{
    int64_t unit = (int64_t)(cf->state * sizeof(double)), slots, on_disk;
    if (cf->memory < 0 || cf->disk < 0 || cf->memory / unit + cf->disk / unit < 3) return COSTATE_ERR_BUDGET;
    plan_slots(cf, unit, &slots, &on_disk);
    tr->record = 1 + (int64_t)((cf->stages + cf->state - 1) / cf->state);
    tr->units = cf->memory / unit;
    if (tr->units > 2 * slots - 3 * tr->record) tr->units = 2 * slots - 3 * tr->record;
    if (tr->units < slots || tr->record == 1) tr->units = slots;
    tr->spare = (tr->units - slots + tr->record - 1) / tr->record * tr->record;
    tr->slots.memory = (uint32_t)(tr->units - tr->spare);
    tr->slots.count = 1 + tr->slots.memory + (uint32_t)on_disk;
    return 0;
}

static int open_parts(traj *tr, const traj_config *cf)
{
    double *const lent[] = {cf->scratch_stages, cf->scratch[0], cf->scratch[1], cf->origin};
    double **const at[] = {&tr->scratch_stages, &tr->scratch[0], &tr->scratch[1], &tr->origin};
    for (int i = 0; i < 4; i++) {
        if (!lent[i]) tr->own[i] = cst__alloc(&tr->alloc, i ? cf->state : cf->stages, sizeof(double));
        *at[i] = lent[i] ? lent[i] : tr->own[i];
        if (!*at[i]) return COSTATE_ERR_MEMORY;
    }
    TRY(plan(tr, cf));
    return cf->disk ? traj_disk_open(&tr->disk, cf->dir) : 0;
}

int traj_open(traj **out, const traj_config *cf)
{
    *out = NULL;
    traj *tr = cst__alloc(&cf->alloc, 1, sizeof *tr);
    if (!tr) return COSTATE_ERR_MEMORY;
    *tr = (traj){.alloc = cf->alloc, .state = cf->state, .stages = cf->stages};
    tr->pool.alloc = tr->disk.alloc = &tr->alloc;
    tr->pool.unit = cf->state;
    tr->pool.growing = cf->growing;
    tr->pool.ctx = cf->ctx;
    tr->disk.fd = -1;
    tr->slots.at = tr->few;
    int status = open_parts(tr, cf);
    if (status) {
        int why = errno;
        traj_close(tr);
        errno = why;
        return status;
    }
    traj_start(tr);
    *out = tr;
    return 0;
}

static void release_slots(traj *tr)
{
    if (tr->slots.at != tr->few) cst__release(&tr->alloc, tr->slots.at);
    tr->slots.at = tr->few;
}

void traj_close(traj *tr)
{
    if (!tr) return;
    costate_allocator alloc = tr->alloc;
    traj_pool_cut(&tr->pool, tr->pool.units);
    release_slots(tr);
    traj_disk_close(&tr->disk);
    for (int i = 0; i < 4; i++) cst__release(&alloc, tr->own[i]);
    cst__release(&alloc, tr);
}

/* Records go to chunk i from its beginning, if there is such a chunk. */
static void fill_chunk(traj *tr, int i)
{
    if (i >= tr->pool.chunks) return;
    int64_t units = tr->pool.chunk[i + 1].first - tr->pool.chunk[i].first;
    tr->filling = i;
    tr->put = tr->pool.chunk[i].base;
    tr->end = tr->put + (size_t)(units / tr->record) * tr->stride;
}

/* No record has room anywhere. */
static void fill_nothing(traj *tr)
{
    tr->filling = -1;
    tr->put = tr->end = tr->origin;
}

void traj_start(traj *tr)
{
    if (tr->fallen && tr->spare) { /* the first chunks are gone, so the others are of no use */
        traj_pool_cut(&tr->pool, tr->pool.units);
        release_slots(tr);
    }
    tr->fallen = tr->complete = 0;
    tr->steps = tr->recomputed = 0;
    tr->stride = (size_t)tr->record * tr->state;
    tr->disk.detail[0] = 0;
    fill_nothing(tr);
    fill_chunk(tr, 0);
}

static void note_memory(traj *tr)
{
    int64_t bytes = tr->pool.units * (int64_t)(tr->state * sizeof(double));
    if (tr->slots.at != tr->few) bytes += (int64_t)tr->slots.count * (int64_t)sizeof(traj_slot);
    if (bytes > tr->peak_memory) tr->peak_memory = bytes;
}

/* ---- the fall ----------------------------------------------------------------------------------------------------------- */

/* The unit, counted from the start of the pool, in which state i outlives the fall. */
static int64_t refuge(const traj *tr, int64_t i)
{
    int64_t gone = tr->spare / tr->record, pieces = tr->record - 1;
    return i >= gone ? i * tr->record : (gone + i / pieces) * tr->record + 1 + i % pieces;
}

/* The states of the steps so far become the list, all other slots in memory are free. */
static void list_states(traj *tr)
{
    traj_slots *l = &tr->slots;
    l->used = l->states = l->tail = l->free_memory = 0;
    l->free[0] = l->free[1] = 0;
    l->untouched = l->memory + 1;
    for (uint32_t s = 1; s <= l->memory; s++) l->at[s].step = -1;
    for (int64_t i = 0; i < tr->steps; i++) traj_slot_append(l, i ? (uint32_t)(refuge(tr, i) - tr->spare + 1) : 0, i);
    for (uint32_t s = l->memory; s >= 1; s--)
        if (l->at[s].step < 0) traj_slot_give(l, s);
}

static int fall(traj *tr)
{
    size_t bytes = tr->state * sizeof(double);
    if (tr->steps) memcpy(tr->origin, traj_pool_at(&tr->pool, 0), bytes);
    for (int64_t i = 1; i < tr->spare / tr->record; i++) {
        const double *from = traj_pool_at(&tr->pool, i * tr->record);
        memcpy(traj_pool_at(&tr->pool, refuge(tr, i)), from, bytes);
    }
    traj_pool_cut(&tr->pool, tr->spare);
    tr->fallen = tr->complete = 1;
    tr->stride = 0;
    fill_nothing(tr);
    while (tr->pool.units < tr->slots.memory) TRY(traj_pool_grow(&tr->pool, 1, tr->slots.memory));
    if (tr->slots.count > FREE_SLOTS && tr->slots.at == tr->few) {
        traj_slot *at = cst__alloc(&tr->alloc, tr->slots.count, sizeof *at);
        if (!at) return COSTATE_ERR_MEMORY;
        tr->slots.at = at;
    }
    note_memory(tr);
    list_states(tr);
    traj_online_start(&tr->online);
    tr->here = 0;
    return 0;
}

/* ---- per step ----------------------------------------------------------------------------------------------------------- */

/* A chunk for the next record, or the fall when there is no room for one. */
static int next_chunk(traj *tr)
{
    int64_t records = tr->units / tr->record * tr->record, limit = tr->pool.units < tr->spare ? tr->spare : records;
    if (tr->filling + 1 == tr->pool.chunks && tr->pool.units < limit) {
        TRY(traj_pool_grow(&tr->pool, tr->record, limit));
        note_memory(tr);
    }
    fill_chunk(tr, tr->filling + 1);
    if (tr->put < tr->end) return 0;
    int status = fall(tr);
    if (status) traj_start(tr); /* what was recorded is lost */
    return status;
}

/* State n goes into the list, or is left out. */
static int keep(traj *tr, const double *state)
{
    traj_slots *l = &tr->slots;
    uint32_t s = tr->steps ? traj_slot_take(l) : 0;
    if (tr->steps && !s) {
        tr->complete = 0;
        s = traj_online_choose(&tr->online, l, tr->steps);
        if (!s) return 0;
        traj_slot_unlink(l, s);
    }
    return traj_slot_put(tr, s, tr->steps, state, tr->state);
}

int traj_reserve(traj *tr, const double *state, double **stages)
{
    if (__builtin_expect(tr->put == tr->end, 0)) {
        if (!tr->fallen) TRY(next_chunk(tr));
        if (tr->fallen) {
            *stages = tr->scratch_stages;
            return keep(tr, state);
        }
    }
    memcpy(tr->put, state, tr->state * sizeof *state);
    *stages = tr->put + tr->state;
    return 0;
}

void traj_commit(traj *tr)
{
    tr->steps++;
    tr->put += tr->stride;
}

/* ---- figures ------------------------------------------------------------------------------------------------------------ */

int traj_stable(const traj *tr)
{
    return !tr->fallen;
}

void traj_get_info(const traj *tr, traj_info *info)
{
    const traj_slots *l = &tr->slots;
    *info = (traj_info){.tier = !tr->steps     ? "none"
                                : !tr->fallen  ? "stages"
                                : tr->complete ? "states"
                                               : "checkpoints",
                        .steps = tr->steps,
                        .checkpoints = tr->fallen ? l->states : tr->steps,
                        .slots = l->count,
                        .memory = tr->peak_memory,
                        .disk = tr->peak_disk,
                        .recomputed = tr->recomputed,
                        .detail = tr->disk.detail};
}
