/* traj.h - the trajectory: what a forward run leaves behind for the backward sweep, within a budget in bytes.
 *
 * Step n starts from state n and has stage data; both are opaque arrays of doubles here. The store keeps as much as fits:
 *
 *     "stages"       state and stage data of every step: nothing is ever computed again
 *     "states"       every state; the stage data of a step are computed again when the sweep comes to it
 *     "checkpoints"  some states, in memory and on disk; the others are computed again from the nearest earlier one,
 *                    with as few step evaluations as that number of checkpoints allows
 *
 * It begins with the first and falls back to the next when the budget is used up, without knowing how many steps are to come.
 * States go to memory first, then to an unlinked file on disk (so it is gone however the program ends).
 *
 * The budget holds records, states and their bookkeeping, 16 bytes a state from the first fall on. Outside it are the store
 * itself, three states, the stage data of one step, and the alignment of its few dozen blocks.
 *
 * Legal order: traj_open; per run traj_start, then per step traj_reserve (once, before the first attempt) and traj_commit (when
 * the step is accepted), then any number of sweeps of traj_fetch with falling n; traj_close. No allocation happens per step but
 * for growth of the store itself, in ever larger chunks. After an error traj_start and traj_close are legal. */
#ifndef COSTATE_TRAJ_H
#define COSTATE_TRAJ_H

#include <costate/costate.h>

typedef struct traj traj;

typedef struct traj_config {
    size_t state;         /* doubles in a state, > 0 */
    size_t stages;        /* doubles of stage data of one step, >= 0 */
    int64_t memory, disk; /* budgets in bytes; both together must hold at least three states, else COSTATE_ERR_BUDGET */
    const char *dir;      /* folder for the file, copied; NULL or "": $TMPDIR, else /tmp */
    costate_allocator alloc;
    /* Called before the store takes more memory, for others that share the budget to give up theirs; NULL: nobody does. */
    void (*growing)(void *ctx);
    void *ctx;
    /* Lent, or NULL: memory of its own. Two states and stage data, which the store writes to during a fetch and, the latter,
     * between traj_reserve and traj_commit; and the first state of the run. */
    double *scratch[2], *scratch_stages, *origin;
} traj_config;

/* Evaluates recorded step n again: from `state` its stage data and the state n+1 (`next`; NULL: not wanted). Bit for bit as it
 * was. `fresh` is 0 when step n-1 was replayed just before and `state` is what was its `next`, else 1. Returns 0, or an error
 * code that is passed through. */
typedef int traj_replay_fn(void *ctx, int64_t n, int fresh, const double *state, double *stages, double *next);

/* 0 or COSTATE_ERR_...; nothing is left behind on failure. With disk > 0 a file is made and closed to see that it can be; if not,
 * COSTATE_ERR_DISK_DIR, and errno says why. */
int traj_open(traj **tr, const traj_config *config);
void traj_close(traj *tr); /* NULL is fine */

/* Forgets everything; the next step is step 0. Keeps its memory for the run to come, unless bookkeeping took part of it. */
void traj_start(traj *tr);

/* Step n (the number of commits so far) is about to be attempted from `state`: *stages is where its stage data go. The pointer
 * holds until traj_commit, for as many attempts as it takes. */
int traj_reserve(traj *tr, const double *state, double **stages);
void traj_commit(traj *tr);

/* State and stage data of committed step n, read-only, valid until the next fetch; with traj_stable, until the next traj_start.
 * Within a sweep n falls by one from call to call; a new sweep may start at any n. COSTATE_ERR_NO_RECORD: no such step. */
int traj_fetch(traj *tr, int64_t n, traj_replay_fn *replay, void *ctx, const double **state, const double **stages);
int traj_stable(const traj *tr); /* 1 when all stage data are kept: fetched pointers stay valid, and several threads may fetch */

typedef struct traj_info {
    const char *tier;     /* "none", "stages", "states" or "checkpoints" */
    int64_t steps;        /* committed */
    int64_t checkpoints;  /* states held now; those of tier "checkpoints" get fewer during a sweep */
    int64_t slots;        /* in tier "checkpoints": states it can hold, memory and disk together */
    int64_t memory, disk; /* most bytes of the budgets held since traj_open */
    int64_t recomputed;   /* calls of replay since traj_start */
    const char *detail;   /* after an error of the disk: folder, operation and the system's words; else "" */
} traj_info;
void traj_get_info(const traj *tr, traj_info *info);

/* The fewest step evaluations with which a backward sweep over `steps` steps can be done from `slots` >= 1 state slots (the
 * initial state's included) that a first run, which is not counted, was free to fill: the binomial optimum, plus one evaluation
 * per step for its stage data. A sweep of the store may need fewer, as it also keeps stage data where memory is left. */
int64_t traj_optimum(int64_t steps, int64_t slots);

#endif
