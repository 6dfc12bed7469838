/* store.h - the parts of a trajectory store, shared by the files of this folder.
 *
 * Memory is a pool of units of one state each. While the tier is "stages", a record of `record` consecutive units, state first,
 * belongs to each step: step n starts at unit n * record, and there is no bookkeeping. After the fall every unit is a slot for
 * one state; the states on disk are further slots, and a list in the order of the steps says what is where. */
#ifndef COSTATE_TRAJ_STORE_H
#define COSTATE_TRAJ_STORE_H

#include "base/alloc.h"
#include "base/try.h"
#include "traj/traj.h"

/* ---- schedule.c: the mathematics of reversal ---------------------------------------------------------------------------- */

/* The fewest step evaluations that reverse a segment of `len` steps with k slots, one of which holds its first state. */
int64_t traj_cost(int64_t len, int64_t k);

/* How many steps after the first state the next checkpoint belongs, for that many evaluations; len, k >= 2. */
int64_t traj_split(int64_t len, int64_t k);

/* ---- chunks.c: units of memory in chunks that double ---------------------------------------------------------------------- */

enum { POOL_CHUNKS = 64 }; /* doubling from POOL_FIRST bytes on passes 2^63 before that */

typedef struct traj_pool {
    const costate_allocator *alloc;
    size_t unit;   /* doubles in a unit */
    void (*growing)(void *ctx); /* as in traj_config */
    void *ctx;
    int64_t units; /* in all chunks */
    int chunks;
    struct {
        double *base;
        int64_t first;        /* number of its first unit */
    } chunk[POOL_CHUNKS + 1]; /* the one after the last has first = units */
} traj_pool;

int traj_pool_grow(traj_pool *p, int64_t multiple, int64_t limit); /* by a multiple of `multiple` units, not beyond `limit` */
void traj_pool_cut(traj_pool *p, int64_t units); /* releases the first units, whole chunks; the others are numbered from 0 then */

static inline double *traj_pool_at(const traj_pool *p, int64_t unit)
{
    int i = p->chunks - 1; /* holds half of all units */
    while (unit < p->chunk[i].first) i--;
    return p->chunk[i].base + (size_t)(unit - p->chunk[i].first) * p->unit;
}

/* ---- disk.c: a file without a name -------------------------------------------------------------------------------------- */

typedef struct traj_disk {
    const costate_allocator *alloc;
    char *dir;
    int fd;           /* -1: not yet needed */
    char detail[256]; /* of the last error; else "" */
} traj_disk;

int traj_disk_open(traj_disk *d, const char *dir); /* COSTATE_ERR_DISK_DIR, with errno, if no file can be made there */
void traj_disk_close(traj_disk *d);
int traj_disk_write(traj_disk *d, const double *from, size_t bytes, int64_t at);
int traj_disk_read(traj_disk *d, double *to, size_t bytes, int64_t at);

/* ---- slots.c: numbered places for states, and the list of those in use, in the order of the steps ----------------------- */

/* Slot 0 holds state 0 for ever and heads the list; slots 1 .. memory are the units of the pool; the others are on disk. As
 * nothing is followed by slot 0, the number 0 also says "none". A slot with step < 0 holds a piece of the stage data of step
 * ~step; the pieces follow the slot of the state. */
typedef struct traj_slot {
    int64_t step;
    uint32_t prev, next; /* next also links the free ones */
} traj_slot;

typedef struct traj_slots {
    traj_slot *at;
    uint32_t count, memory; /* all slots; those in memory */
    uint32_t used, tail;    /* in the list; its end */
    uint32_t states;        /* those used that hold states */
    uint32_t free_memory;   /* how many are free there */
    uint32_t free[2];       /* first free one in memory, first on disk that was used and freed */
    uint32_t untouched;     /* first on disk that was never used */
} traj_slots;

uint32_t traj_slot_take(traj_slots *l);         /* a free slot, in memory if there is one; 0: none */
void traj_slot_give(traj_slots *l, uint32_t s); /* back to the free ones */
void traj_slot_append(traj_slots *l, uint32_t s, int64_t step);
void traj_slot_unlink(traj_slots *l, uint32_t s); /* s > 0; it is neither used nor free then */
void traj_slot_pop(traj_slots *l);                /* the tail becomes free */
int traj_slot_put(traj *tr, uint32_t s, int64_t step, const double *from, size_t doubles); /* write and append; or give back */
int traj_slot_read(traj *tr, uint32_t s, const double **state); /* in place, or in scratch[0] from disk */

/* ---- online.c: which state to give up ----------------------------------------------------------------------------------- */

enum { ONLINE_MARKS = 32 };

typedef struct online_scan { /* what is known of the list before the segment of the given rank has been looked at */
    int64_t rank;
    uint32_t slot; /* the one of that rank */
    uint32_t best; /* cheapest one to drop, so far */
    int64_t best_rank;
    int64_t best_price;
    int64_t shift;     /* what one slot more saves on the segments so far */
    int64_t len, cost; /* of the segment before */
} online_scan;

typedef struct traj_online {
    int thinning;    /* 1: no segment has more steps than slots plus one, and no step is evaluated more than twice */
    uint32_t slot;   /* thinning: the segment being made longer */
    int64_t rank;    /* and its number */
    int64_t dropped; /* after that: rank of the slot dropped last; scans at and behind it are out of date */
    online_scan mark[ONLINE_MARKS]; /* scans at ranks ever further from the tail */
} traj_online;

void traj_online_start(traj_online *o);

/* All slots are used and state n comes up: the slot to take for it, unlinked and appended by the caller, or 0: leave it out. */
uint32_t traj_online_choose(traj_online *o, const traj_slots *l, int64_t n);

/* ---- the store ---------------------------------------------------------------------------------------------------------- */

enum { FREE_SLOTS = 256 }; /* slots whose bookkeeping comes with the store */

struct traj {
    costate_allocator alloc;
    size_t state, stages; /* doubles */
    int64_t record;       /* units of state and stage data together */
    int64_t units;        /* the pool's limit */
    int64_t spare;        /* its first units, given up in the fall: what the bookkeeping takes then */

    /* tier "stages": */
    double *put, *end; /* where the next record goes; where its chunk has no room for another */
    size_t stride;     /* doubles in a record; 0 in the other tiers */
    int filling;       /* the chunk of put; -1: none */

    int fallen;   /* 1: the slots rule */
    int complete; /* fallen: every state is still kept */
    int64_t steps, recomputed;
    int64_t peak_memory, peak_disk; /* bytes */
    uint32_t here;                  /* complete: the slot fetched last */

    traj_pool pool;
    traj_disk disk;
    traj_slots slots;
    traj_online online;
    double *origin, *scratch[2], *scratch_stages;
    double *own[4]; /* what of them was not lent */
    traj_slot few[FREE_SLOTS];
};

#endif
