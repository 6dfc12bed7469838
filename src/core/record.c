/* record.c - recorded steps in blocks that share one state.
 *
 * The history of a multistep method is y of the steps before, so that states of neighbouring steps hold the same vectors, each of
 * them several times. For such a family a "step" of the trajectory store is a block of them: the state where it begins, which is
 * what a run can be started from, and the stage data of all its steps, which begin with y at their ends. Of a step within a block
 * the past is with the steps before it and, further back, in the block's state; `step` says where (into, base, stride). A block
 * that is not kept is computed again as a whole. Families whose steps stand alone have blocks of one. */
#include "core/driver.h"

enum { SHARE = 3, MOST = 64 }; /* the stage data of a block are as much as so many states; and it is so many steps at most */

size_t cst__record_stride(const costate_solver *s, int which)
{
    const size_t stages = s->fam->stage_doubles(s);
    const size_t doubles = which == PRIMAL ? stages : joint_stages_at(s) + stages * s->tr_lanes[JOINT];
    return s->block == 1 ? doubles : cst__pad(doubles);
}

/* What comes behind an event is not what the step before it ended with. */
int cst__record_block(const costate_solver *s)
{
    if (s->ev && !event_only_held(s->ev)) return 1;
    const size_t fit = SHARE * s->state / cst__pad(s->fam->stage_doubles(s));
    return fit < 1 ? 1 : fit > MOST ? MOST : (int)fit;
}

/* ---- on the way forward ------------------------------------------------------------------------------------------------- */

int cst__record_reserve(costate_solver *s, int which, int64_t n, const double *state, double **stages)
{
    recording *r = &s->record[which];
    const int64_t into = n % s->block;
    if (into == 0) {
        int status = traj_reserve(s->tr[which], state, &r->at);
        if (status) return cst__traj_failed(s, s->tr[which], status);
    }
    *stages = s->block == 1 ? r->at : r->at + (size_t)into * cst__record_stride(s, which);
    return 0;
}

void cst__record_commit(costate_solver *s, int which, int64_t n)
{
    if ((n + 1) % s->block == 0) traj_commit(s->tr[which]);
}

void cst__record_end(costate_solver *s, int which)
{
    if (s->log.count % s->block) traj_commit(s->tr[which]);
}

/* ---- on the way back ---------------------------------------------------------------------------------------------------- */

typedef struct replayed {
    costate_solver *s;
    int which;
    traj_replay_fn *step;
    void *ctx;
} replayed;

/* A whole block computed again, through two states of its own. */
static int replay_block(void *ctx, int64_t block, int fresh, const double *state, double *stages, double *next)
{
    const replayed *r = ctx;
    costate_solver *s = r->s;
    const size_t stride = cst__record_stride(s, r->which), live = s->live * s->tr_lanes[JOINT];
    const size_t doubles = cst__pad(r->which == PRIMAL ? s->state : joint_at(s) + live);
    const int64_t from = block * s->block, to = from + s->block < s->log.count ? from + s->block : s->log.count;
    double *between = cst__scratch(s, &s->block_states, 2 * doubles);
    if (!between) return s->status;
    for (int64_t n = from; n < to; n++, stages += stride) {
        double *end = n == to - 1 ? next : between + (n % 2 ? doubles : 0);
        TRY(r->step(r->ctx, n, fresh, state, stages, end));
        state = end;
        fresh = 0;
        s->record[r->which].recomputed++;
    }
    return 0;
}

static int fetch(costate_solver *s, int which, int64_t n, traj_replay_fn *replay, void *ctx, const double **state,
                 const double **stages)
{
    int status = traj_fetch(s->tr[which], n, replay, ctx, state, stages);
    return status && s->status != status ? cst__traj_failed(s, s->tr[which], status) : status;
}

int cst__record_fetch(costate_solver *s, int which, int64_t n, traj_replay_fn *replay, void *ctx, const double **state,
                      const double **stages)
{
    if (s->block == 1) return fetch(s, which, n, replay, ctx, state, stages);
    recording *r = &s->record[which];
    const int64_t block = n / s->block;
    if (traj_stable(s->tr[which]) || block != r->block) {
        replayed own = {s, which, replay, ctx};
        r->block = -1;
        TRY(fetch(s, which, block, replay_block, &own, &r->state, &r->stages));
        r->block = block;
    }
    *state = r->state;
    *stages = r->stages + (size_t)(n % s->block) * cst__record_stride(s, which);
    return 0;
}

int64_t cst__record_recomputed(const costate_solver *s, int which)
{
    traj_info info;
    traj_get_info(s->tr[which], &info);
    return s->block == 1 ? info.recomputed : s->record[which].recomputed;
}
