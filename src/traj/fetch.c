/* fetch.c - the store on the way back: state and stage data of step n, as they were kept or by evaluating steps again.
 *
 * With checkpoints, what lies behind step n is dropped, and the steps from the last state that is kept up to n are evaluated,
 * leaving checkpoints where schedule.c wants them. Once every state up to n has a slot, memory that is left takes the stage data
 * of the last steps before n as well, piece by piece, so that these are not evaluated a second time. */
#include "traj/store.h"

#include <string.h>

typedef struct replayer {
    traj_replay_fn *step;
    void *ctx;
} replayer;

static int evaluate(traj *tr, const replayer *r, int64_t n, int fresh, const double *state, double *next)
{
    tr->recomputed++;
    return r->step(r->ctx, n, fresh, state, tr->scratch_stages, next);
}

/* ---- stage data in slots ------------------------------------------------------------------------------------------------ */

static size_t piece_size(const traj *tr, int64_t i)
{
    size_t left = tr->stages - (size_t)i * tr->state;
    return left < tr->state ? left : tr->state;
}

/* Behind the state of step n, which is the tail; there is room in memory. */
static int keep_stages(traj *tr, int64_t n)
{
    for (int64_t i = 0; i < tr->record - 1; i++) {
        const double *piece = tr->scratch_stages + (size_t)i * tr->state;
        TRY(traj_slot_put(tr, traj_slot_take(&tr->slots), ~n, piece, piece_size(tr, i)));
    }
    return 0;
}

/* From the tail, which is the last piece, to the scratch; the slot of the state. */
static uint32_t gather_stages(traj *tr)
{
    uint32_t s = tr->slots.tail;
    for (int64_t i = tr->record - 2; i >= 0; i--, s = tr->slots.at[s].prev) {
        const double *piece = traj_pool_at(&tr->pool, (int64_t)s - 1);
        memcpy(tr->scratch_stages + (size_t)i * tr->state, piece, piece_size(tr, i) * sizeof *piece);
    }
    return s;
}

/* ---- from the last checkpoint to step n --------------------------------------------------------------------------------- */

/* State i is the tail: the next state to keep on the way to n (n: none), and from which step on stage data are kept, too. */
static int64_t next_checkpoint(const traj *tr, int64_t i, int64_t n, int64_t *full)
{
    const traj_slots *l = &tr->slots;
    int64_t between = n - i - 1, left = (int64_t)(l->count - l->used), pieces = tr->record - 1;
    *full = n;
    if (between > left) return left ? i + traj_split(n - i + 1, left + 1) : n;
    int64_t whole = pieces ? (l->free_memory - between) / pieces : 0; /* < 0: states go to disk, no stage data are kept */
    *full = whole < n - i ? n - whole : i;
    return i + 1;
}

static int walk(traj *tr, const replayer *r, int64_t n, const double **state)
{
    traj_slots *l = &tr->slots;
    int64_t i = l->at[l->tail].step, full, wanted = next_checkpoint(tr, i, n, &full);
    double *next = tr->scratch[1];
    TRY(traj_slot_read(tr, l->tail, state));
    for (int fresh = 1; i < n; fresh = 0) {
        TRY(evaluate(tr, r, i, fresh, *state, next));
        if (i >= full) TRY(keep_stages(tr, i));
        if (++i == wanted && i < n) {
            TRY(traj_slot_put(tr, traj_slot_take(l), i, next, tr->state));
            wanted = next_checkpoint(tr, i, n, &full);
        }
        *state = next;
        next = tr->scratch[next == tr->scratch[1] ? 0 : 1];
    }
    return tr->record > 1 ? evaluate(tr, r, n, 0, *state, NULL) : 0;
}

static int fetch_from_checkpoints(traj *tr, int64_t n, const replayer *r, const double **state)
{
    traj_slots *l = &tr->slots;
    int64_t last;
    while ((last = l->at[l->tail].step) > n || (last < 0 && last != ~n)) traj_slot_pop(l);
    if (last < 0) return traj_slot_read(tr, gather_stages(tr), state);
    if (last < n) return walk(tr, r, n, state);
    TRY(traj_slot_read(tr, l->tail, state));
    return tr->record > 1 ? evaluate(tr, r, n, 1, *state, NULL) : 0;
}

static int fetch_from_states(traj *tr, int64_t n, const replayer *r, const double **state)
{
    const traj_slot *at = tr->slots.at;
    if (at[tr->here].step < n) tr->here = tr->slots.tail;
    while (at[tr->here].step > n) tr->here = at[tr->here].prev;
    TRY(traj_slot_read(tr, tr->here, state));
    return tr->record > 1 ? evaluate(tr, r, n, 1, *state, NULL) : 0;
}

int traj_fetch(traj *tr, int64_t n, traj_replay_fn *replay, void *ctx, const double **state, const double **stages)
{
    const replayer r = {.step = replay, .ctx = ctx};
    if (n < 0 || n >= tr->steps) return COSTATE_ERR_NO_RECORD;
    if (!tr->fallen) {
        *state = traj_pool_at(&tr->pool, n * tr->record);
        *stages = *state + tr->state;
        return 0;
    }
    *stages = tr->scratch_stages;
    return tr->complete ? fetch_from_states(tr, n, &r, state) : fetch_from_checkpoints(tr, n, &r, state);
}
