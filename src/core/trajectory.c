/* trajectory.c - the stores of a solver: opened within the budget, shared by threads, reported. */
#include "core/driver.h"

#include "core/rig.h"
#include "core/workers.h"
#include "platform/folder.h"

#include <errno.h>

int cst__traj_failed(costate_solver *s, const traj *tr, int status)
{
    traj_info info = {.detail = ""};
    if (tr) traj_get_info(tr, &info);
    if (status == COSTATE_ERR_BUDGET)
        return cst__fail(s, status, "memory = %lld and disk = %lld bytes, for states of %d numbers", (long long)s->opt.memory,
                         (long long)s->opt.disk, s->prob.n);
    if (status == COSTATE_ERR_DISK_DIR && !tr) {
        const char *dir = s->opt.disk_dir[0] ? s->opt.disk_dir : platform_folder_temporary();
        return cst__fail(s, status, "folder \"%s\": %s", dir, strerror(errno));
    }
    return cst__fail(s, status, "the trajectory%s%s", info.detail[0] ? ", " : "", info.detail);
}

void cst__traj_report(costate_solver *s, int which)
{
    s->stats.trajectory_bytes = s->stats.disk_bytes = 0;
    for (int i = 0; i == 0 || (which == JOINT && cst__worker(s, i)); i++) { /* threads that record have stores of their own */
        const costate_solver *w = cst__worker(s, i);
        traj_info info;
        if (!w->tr[which] || !w->recorded[which]) continue;
        traj_get_info(w->tr[which], &info);
        s->stats.tier = info.tier;
        s->stats.checkpoints = info.checkpoints;
        s->stats.trajectory_bytes += info.memory;
        s->stats.disk_bytes += info.disk;
    }
}

static void drop(costate_solver *s, int which)
{
    traj_close(s->tr[which]);
    s->tr[which] = NULL;
    s->recorded[which] = 0;
}

/* What the joint store may take: what the state's own leaves; that one is given up if it holds more than half. */
static int64_t joint_budget(costate_solver *s)
{
    traj_info info;
    cst__rigs_forget(s);
    if (!s->tr[PRIMAL]) return s->opt.memory;
    traj_get_info(s->tr[PRIMAL], &info);
    if (info.memory <= s->opt.memory / 2 && info.disk == 0) return s->opt.memory - info.memory;
    drop(s, PRIMAL);
    return s->opt.memory;
}

enum { SHARE_STATES = 16 }; /* that a thread's joint store should hold at least */

void cst__joint_share(costate_solver *s, size_t lanes, int *workers)
{
    const int64_t memory = joint_budget(s);
    const int apart = s->recorded[PRIMAL] && traj_stable(s->tr[PRIMAL]), changed = s->apart != apart;
    costate_solver *worker;
    for (int i = 0; (worker = cst__worker(s, i)); i++) worker->apart = apart;
    const int64_t unit = (int64_t)((joint_at(s) + s->live * lanes) * sizeof(double));
    while (*workers > 1 && memory / *workers / unit + s->opt.disk / *workers / unit < SHARE_STATES) --*workers;
    if (changed || s->joint_memory != memory / *workers || s->joint_disk != s->opt.disk / *workers) {
        drop(s, JOINT);
        cst__workers_drop(s, JOINT);
    }
    s->joint_memory = memory / *workers;
    s->joint_disk = s->opt.disk / *workers;
}

static void drop_joint(costate_solver *s)
{
    drop(s, JOINT);
    cst__workers_drop(s, JOINT);
}

/* The state's own store is about to grow, to twice its size at most: joint ones give way, and those of methods that are not
 * in use if the budget would not hold both. */
static void make_room(void *ctx)
{
    enum { FIRST = 1 << 15 }; /* more than the first piece */
    costate_solver *s = ctx;
    traj_info info = {0};
    drop_joint(s);
    if (s->tr[PRIMAL]) traj_get_info(s->tr[PRIMAL], &info);
    if (2 * info.memory + FIRST + cst__rigs_hold(s) > s->opt.memory) cst__rigs_forget(s);
}

/* A new run is about to be recorded: joint stores hold nothing of it. They keep their memory, as it was within the budget
 * beside that of the state's own, until that one grows; unless they are on disk. */
static void clear_joint(costate_solver *s)
{
    costate_solver *worker;
    int on_disk = 0;
    for (int i = 0; (worker = cst__worker(s, i)); i++) {
        traj_info info = {0};
        if (worker->tr[JOINT]) traj_get_info(worker->tr[JOINT], &info);
        on_disk |= info.disk > 0;
        worker->recorded[JOINT] = 0;
    }
    if (on_disk) drop_joint(s);
}

int64_t cst__traj_spare(costate_solver *s)
{
    drop_joint(s);
    return joint_budget(s);
}

int cst__traj_prepare(costate_solver *s, int which, size_t lanes)
{
    const costate_solver *budget = s->leader ? s->leader : s;
    s->recorded[which] = 0;
    s->record[which] = (recording){.block = -1};
    if (which == PRIMAL) clear_joint(s);
    else if (s->tr_lanes[JOINT] != lanes) drop(s, JOINT);
    if (!s->tr[which]) {
        s->tr_lanes[which] = lanes;
        const size_t stride = cst__record_stride(s, which);
        traj_config config = {.state = lanes ? joint_at(s) + s->live * lanes : s->state,
                              .stages = (size_t)s->block * stride,
                              .memory = which == JOINT ? budget->joint_memory : s->opt.memory,
                              .disk = which == JOINT ? budget->joint_disk : s->opt.disk,
                              .dir = s->opt.disk_dir,
                              .alloc = s->alloc,
                              .growing = which == PRIMAL ? make_room : NULL,
                              .ctx = s};
        if (which == PRIMAL) { /* nobody needs them while a recorded run is gone over */
            config.scratch[0] = s->y, config.scratch[1] = s->ynew;
            config.scratch_stages = s->block == 1 ? s->stages : NULL;
            config.origin = s->y0;
        }
        int status = traj_open(&s->tr[which], &config);
        if (status) return cst__traj_failed(s, NULL, status);
    }
    traj_start(s->tr[which]);
    return 0;
}
