/* slots.c - the list of the states that are kept, in the order of their steps, and where they are.
 *
 * Everything takes constant time. */
#include "traj/store.h"

#include <string.h>

uint32_t traj_slot_take(traj_slots *l)
{
    int on_disk = !l->free[0];
    uint32_t s = l->free[on_disk];
    if (s) {
        l->free[on_disk] = l->at[s].next;
        if (!on_disk) l->free_memory--;
    } else if (l->untouched < l->count) s = l->untouched++;
    return s;
}

void traj_slot_give(traj_slots *l, uint32_t s)
{
    int on_disk = s > l->memory;
    l->at[s].next = l->free[on_disk];
    l->free[on_disk] = s;
    if (!on_disk) l->free_memory++;
}

void traj_slot_append(traj_slots *l, uint32_t s, int64_t step)
{
    l->at[s] = (traj_slot){.step = step, .prev = l->tail};
    if (s) l->at[l->tail].next = s;
    l->tail = s;
    l->used++;
    if (step >= 0) l->states++;
}

void traj_slot_unlink(traj_slots *l, uint32_t s)
{
    uint32_t prev = l->at[s].prev, next = l->at[s].next;
    l->at[prev].next = next;
    if (next) l->at[next].prev = prev;
    else l->tail = prev;
    l->used--;
    if (l->at[s].step >= 0) l->states--;
}

void traj_slot_pop(traj_slots *l)
{
    uint32_t s = l->tail;
    traj_slot_unlink(l, s);
    traj_slot_give(l, s);
}

static double *place_in_memory(traj *tr, uint32_t s)
{
    return s ? traj_pool_at(&tr->pool, (int64_t)s - 1) : tr->origin;
}

static int64_t place_on_disk(const traj *tr, uint32_t s)
{
    return (int64_t)(s - tr->slots.memory - 1) * (int64_t)(tr->state * sizeof(double));
}

static int store(traj *tr, uint32_t s, const double *from, size_t bytes)
{
    if (s <= tr->slots.memory) {
        memcpy(place_in_memory(tr, s), from, bytes);
        return 0;
    }
    int64_t at = place_on_disk(tr, s), end = at + (int64_t)bytes;
    TRY(traj_disk_write(&tr->disk, from, bytes, at));
    if (end > tr->peak_disk) tr->peak_disk = end;
    return 0;
}

int traj_slot_put(traj *tr, uint32_t s, int64_t step, const double *from, size_t doubles)
{
    int status = store(tr, s, from, doubles * sizeof *from);
    if (status) traj_slot_give(&tr->slots, s);
    else traj_slot_append(&tr->slots, s, step);
    return status;
}

int traj_slot_read(traj *tr, uint32_t s, const double **state)
{
    if (s <= tr->slots.memory) {
        *state = place_in_memory(tr, s);
        return 0;
    }
    *state = tr->scratch[0];
    return traj_disk_read(&tr->disk, tr->scratch[0], tr->state * sizeof(double), place_on_disk(tr, s));
}
