/* workers.c - see workers.h */
#include "core/workers.h"

#include "core/create.h"
#include "core/events.h"
#include "core/thread_pool.h"
#include "method/implicit.h"
#include "platform/machine.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

struct worker_set {
    thread_pool *pool;
    int count; /* workers beside the leader */
    costate_solver *worker[];
};

/* ---- workers --------------------------------------------------------------------------------------------------------- */

/* What a worker has to tell of a failure. */
typedef struct account {
    int rc, task; /* rc 0: there was none */
    int64_t step;
    const char *calling;
    int status;
    costate_stats stats;
    char reason[sizeof((costate_solver *)0)->reason], message[sizeof((costate_solver *)0)->message];
} account;

static void take(account *a, const costate_solver *w)
{
    a->calling = w->calling;
    a->status = w->status;
    a->stats = w->stats;
    memcpy(a->reason, w->reason, sizeof a->reason);
    memcpy(a->message, w->message, sizeof a->message);
}

static void tell(costate_solver *s, const account *a)
{
    s->calling = a->calling;
    s->status = a->status;
    if (!a->status) return; /* the caller finds the words */
    memcpy(s->reason, a->reason, sizeof s->reason);
    memcpy(s->message, a->message, sizeof s->message);
    s->stats.fail_t = a->stats.fail_t;
    s->stats.fail_h = a->stats.fail_h;
    s->stats.fail_step = a->stats.fail_step;
    s->stats.fail_stage = a->stats.fail_stage;
    s->stats.fail_component = a->stats.fail_component;
}

static void free_worker(costate_solver *w)
{
    if (!w) return;
    w->log = (step_log){0}; /* borrowed */
    w->obs_step = NULL;
    w->tr[PRIMAL] = NULL;
    costate_free(w);
}

/* The leader's options, which may have changed. */
static void take_options(const costate_solver *s, costate_solver *w)
{
    w->opt = s->opt;
    w->opt.threads = 1;
    w->opt.atols = w->atol;
    memcpy(w->atol, s->atol, (size_t)s->prob.n * sizeof *w->atol);
}

int cst__worker_create(costate_solver *s, costate_solver **worker)
{
    costate_solver *w = *worker = cst__alloc(&s->alloc, 1, sizeof *w);
    if (!w) return cst__fail(s, COSTATE_ERR_MEMORY, "a thread's workspace");
    *w = (costate_solver){.leader = s, .alloc = s->alloc, .prob = s->prob, .opt = s->opt, .nobj = s->nobj, .own_fam = s->own_fam};
    w->chosen = s->chosen;
    w->has_objective = s->has_objective;
    w->opt.threads = 1;
    w->opt.atols = s->atol;
    int status = cst__furnish(w);
    if (status) {
        account a;
        take(&a, w);
        tell(s, &a);
    }
    return status;
}

int cst__workers_threads(const costate_solver *s)
{
    const costate_preconditioner *p = s->opt.preconditioner;
    if (s->im && s->im->handles && p->setup && !p->open) return 1; /* what it sets up is in one place for all */
    return s->opt.threads ? (int)s->opt.threads : platform_processors();
}

static int open_workers(costate_solver *s, int threads)
{
    worker_set *c = s->workers = cst__alloc(&s->alloc, 1, sizeof *c + (size_t)(threads - 1) * sizeof *c->worker);
    if (!c) return cst__fail(s, COSTATE_ERR_MEMORY, "%d threads", threads);
    memset(c, 0, sizeof *c + (size_t)(threads - 1) * sizeof *c->worker);
    c->count = threads - 1;
    c->pool = thread_pool_open(threads, &s->alloc);
    int status = c->pool ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "%d threads", threads);
    for (int i = 0; i < c->count && !status; i++) status = cst__worker_create(s, &c->worker[i]);
    if (status) cst__workers_close(s);
    return status;
}

void cst__workers_close(costate_solver *s)
{
    worker_set *c = s->workers;
    if (!c) return;
    thread_pool_close(c->pool);
    for (int i = 0; i < c->count; i++) free_worker(c->worker[i]);
    cst__release(&s->alloc, c);
    s->workers = NULL;
}

void cst__workers_drop(costate_solver *s, int which)
{
    for (int i = 0; s->workers && i < s->workers->count; i++) {
        costate_solver *w = s->workers->worker[i];
        traj_close(w->tr[which]);
        w->tr[which] = NULL;
        w->recorded[which] = 0;
    }
}

void cst__workers_forget(costate_solver *s)
{
    for (int i = 0; s->workers && i < s->workers->count; i++) {
        costate_solver *w = s->workers->worker[i];
        if (w->back) w->back_close(w->back);
        w->back = NULL;
    }
}

/* ---- at work --------------------------------------------------------------------------------------------------------- */

/* The leader's run, for reading; counters at zero. */
static void update(const costate_solver *s, costate_solver *w)
{
    take_options(s, w);
    w->t0 = w->d.t0 = s->t0;
    w->t1 = s->t1;
    w->have_run = s->have_run;
    w->log = s->log;
    w->obs_step = s->obs_step;
    w->p = s->p;
    w->y0 = s->y0;
    w->start_mass = s->start_mass;
    w->constraint = s->constraint;
    w->start_stays = s->start_stays;
    w->yend = s->yend;
    w->adjoint_rows = s->adjoint_rows;
    memcpy(w->psi, s->psi, (size_t)s->nobj * sizeof *w->psi);
    w->tr[PRIMAL] = s->tr[PRIMAL];
    w->recorded[PRIMAL] = s->recorded[PRIMAL];
    w->f_valid = w->fnew_valid = 0;
    w->stats = (costate_stats){.method = s->stats.method, .linsol = s->stats.linsol};
    w->fast_step = s->fast_step;
    w->fast_speed = s->fast_speed;
    w->fast_part = w->drift = 0;
    w->status = 0;
    w->calling = NULL;
    if (w->ev) cst__events_follow(w);
    if (w->fam->start) w->fam->start(w, 0);
}

costate_solver *cst__worker(costate_solver *s, int i)
{
    return !i ? s : s->workers && i <= s->workers->count ? s->workers->worker[i - 1] : NULL;
}

int cst__workers_prepare(costate_solver *s, int tasks, int *workers)
{
    int threads = cst__workers_threads(s);
    *workers = 1;
    if (threads == 1 || tasks <= 1) return 0;
    if (!s->workers) TRY(open_workers(s, threads));
    int count = tasks < threads ? tasks : threads;
    for (int i = 1; i < count; i++) update(s, cst__worker(s, i));
    *workers = count;
    return 0;
}

int cst__workers_scratch(costate_solver *s, int workers, size_t doubles)
{
    for (int i = 1; i < workers; i++) {
        costate_solver *w = cst__worker(s, i);
        if (!cst__scratch(w, &w->sweep, doubles))
            return cst__fail(s, COSTATE_ERR_MEMORY, "%zu bytes for adjoints", doubles * sizeof(double));
    }
    return 0;
}

typedef struct job {
    costate_solver *leader;
    int by_step;
    worker_task *task;
    void *ctx;
    atomic_int until; /* tasks behind this one need not be done */
    pthread_mutex_t lock;
    account first; /* of all failures, the one that comes first with one thread */
} job;

static void note(job *j, costate_solver *w, int task, int rc)
{
    account *a = &j->first;
    int64_t at = !j->by_step ? 0 : w->status && w->stats.fail_step >= 0 ? w->stats.fail_step : INT64_MAX;
    pthread_mutex_lock(&j->lock);
    if (!a->rc || at > a->step || (at == a->step && task < a->task)) {
        a->rc = rc;
        a->task = task;
        a->step = at;
        take(a, w);
        if (!j->by_step) atomic_store(&j->until, task);
    }
    pthread_mutex_unlock(&j->lock);
    w->status = 0;
    w->calling = NULL;
}

static void do_task(void *ctx, int worker, int task)
{
    job *j = ctx;
    if (task > atomic_load(&j->until)) return;
    costate_solver *w = cst__worker(j->leader, worker);
    int rc = j->task(w, task, j->ctx);
    if (rc) note(j, w, task, rc);
}

static void add_counts(costate_stats *to, costate_stats *from)
{
    static const size_t at[] = {offsetof(costate_stats, rhs),       offsetof(costate_stats, jvp),
                                offsetof(costate_stats, vjp),       offsetof(costate_stats, jvp2),
                                offsetof(costate_stats, vjp_dot),   offsetof(costate_stats, jac),
                                offsetof(costate_stats, factor),    offsetof(costate_stats, solve),
                                offsetof(costate_stats, fallbacks), offsetof(costate_stats, recomputed_steps)};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        int64_t *sum = (int64_t *)(void *)((char *)to + at[i]), *part = (int64_t *)(void *)((char *)from + at[i]);
        *sum += *part;
        *part = 0;
    }
}

int cst__workers_run(costate_solver *s, int workers, int tasks, int by_step, worker_task *task, void *ctx)
{
    for (int k = 0; workers == 1 && k < tasks; k++) TRY(task(s, k, ctx));
    if (workers == 1) return 0;
    for (int i = 1; i < workers && s->im; i++) {
        int status = cst__implicit_follow(cst__worker(s, i));
        if (status) return cst__fail(s, status, "a thread's factors");
    }
    job j = {.leader = s, .by_step = by_step, .task = task, .ctx = ctx, .until = INT_MAX};
    pthread_mutex_init(&j.lock, NULL);
    thread_pool_run(s->workers->pool, workers, tasks, do_task, &j);
    pthread_mutex_destroy(&j.lock);
    for (int i = 1; i < workers; i++) {
        costate_solver *w = cst__worker(s, i);
        add_counts(&s->stats, &w->stats);
        if (w->fast_part > s->fast_part) s->fast_part = w->fast_part;
        if (w->drift > s->drift) s->drift = w->drift;
    }
    if (j.first.rc) tell(s, &j.first);
    return j.first.rc;
}
