/* crew.c - see crew.h */
#include "core/crew.h"

#include "core/pool.h"
#include "method/implicit.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

struct crew {
    pool *pool;
    int count;               /* hands beside the leader */
    costate_solver *hand[];
};

/* ---- hands --------------------------------------------------------------------------------------------------------- */

/* What a hand has to tell of a failure. */
typedef struct account {
    int rc, task; /* rc 0: there was none */
    int64_t step;
    const char *calling;
    int status;
    costate_stats stats;
    char message[sizeof((costate_solver *)0)->message];
} account;

static void take(account *a, const costate_solver *h)
{
    a->calling = h->calling;
    a->status = h->status;
    a->stats = h->stats;
    memcpy(a->message, h->message, sizeof a->message);
}

static void tell(costate_solver *s, const account *a)
{
    s->calling = a->calling;
    s->status = a->status;
    if (!a->status) return; /* the caller finds the words */
    memcpy(s->message, a->message, sizeof s->message);
    s->stats.fail_t = a->stats.fail_t;
    s->stats.fail_h = a->stats.fail_h;
    s->stats.fail_step = a->stats.fail_step;
    s->stats.fail_stage = a->stats.fail_stage;
    s->stats.fail_component = a->stats.fail_component;
}

static void dismiss(costate_solver *h)
{
    if (!h) return;
    h->log = (step_log){0}; /* borrowed */
    h->obs_step = NULL;
    h->tr[PRIMAL] = NULL;
    costate_free(h);
}

int cst__crew_hire(costate_solver *s, costate_solver **hand)
{
    costate_solver *h = *hand = cst__alloc(&s->alloc, 1, sizeof *h);
    if (!h) return cst__fail(s, COSTATE_ERR_MEMORY, "a thread's workspace");
    *h = (costate_solver){.leader = s, .alloc = s->alloc, .prob = s->prob, .opt = s->opt, .nobj = s->nobj};
    h->has_objective = s->has_objective;
    h->opt.threads = 1;
    h->opt.atols = s->atol;
    int status = cst__furnish(h);
    if (status) {
        account a;
        take(&a, h);
        tell(s, &a);
    }
    return status;
}

int cst__crew_threads(const costate_solver *s)
{
    const costate_preconditioner *p = s->opt.preconditioner;
    if (s->im && s->im->handles && p->setup && !p->open) return 1; /* what it sets up is in one place for all */
    return s->opt.threads ? (int)s->opt.threads : pool_cores();
}

static int open_crew(costate_solver *s, int threads)
{
    crew *c = s->crew = cst__alloc(&s->alloc, 1, sizeof *c + (size_t)(threads - 1) * sizeof *c->hand);
    if (!c) return cst__fail(s, COSTATE_ERR_MEMORY, "%d threads", threads);
    memset(c, 0, sizeof *c + (size_t)(threads - 1) * sizeof *c->hand);
    c->count = threads - 1;
    c->pool = pool_open(threads, &s->alloc);
    int status = c->pool ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "%d threads", threads);
    for (int i = 0; i < c->count && !status; i++) status = cst__crew_hire(s, &c->hand[i]);
    if (status) cst__crew_close(s);
    return status;
}

void cst__crew_close(costate_solver *s)
{
    crew *c = s->crew;
    if (!c) return;
    pool_close(c->pool);
    for (int i = 0; i < c->count; i++) dismiss(c->hand[i]);
    cst__release(&s->alloc, c);
    s->crew = NULL;
}

void cst__crew_drop(costate_solver *s, int which)
{
    for (int i = 0; s->crew && i < s->crew->count; i++) {
        costate_solver *h = s->crew->hand[i];
        traj_close(h->tr[which]);
        h->tr[which] = NULL;
        h->recorded[which] = 0;
    }
}

/* ---- at work --------------------------------------------------------------------------------------------------------- */

/* The leader's run, for reading; counters at zero. */
static void brief(const costate_solver *s, costate_solver *h)
{
    h->t0 = s->t0;
    h->t1 = s->t1;
    h->have_run = s->have_run;
    h->log = s->log;
    h->obs_step = s->obs_step;
    h->p = s->p;
    h->y0 = s->y0;
    h->yend = s->yend;
    h->tr[PRIMAL] = s->tr[PRIMAL];
    h->recorded[PRIMAL] = s->recorded[PRIMAL];
    h->f_valid = h->fnew_valid = 0;
    h->stats = (costate_stats){.method = s->stats.method, .linsol = s->stats.linsol};
    h->status = 0;
    h->calling = NULL;
    if (h->fam->start) h->fam->start(h, 0);
}

costate_solver *cst__crew_hand(costate_solver *s, int i)
{
    return !i ? s : s->crew && i <= s->crew->count ? s->crew->hand[i - 1] : NULL;
}

int cst__crew_muster(costate_solver *s, int tasks, int *hands)
{
    int threads = cst__crew_threads(s);
    *hands = 1;
    if (threads == 1 || tasks <= 1) return 0;
    if (!s->crew) TRY(open_crew(s, threads));
    int count = tasks < threads ? tasks : threads;
    for (int i = 1; i < count; i++) brief(s, cst__crew_hand(s, i));
    *hands = count;
    return 0;
}

int cst__crew_scratch(costate_solver *s, int hands, size_t doubles)
{
    for (int i = 1; i < hands; i++) {
        costate_solver *h = cst__crew_hand(s, i);
        if (!cst__scratch(h, &h->sweep, doubles))
            return cst__fail(s, COSTATE_ERR_MEMORY, "%zu bytes for adjoints", doubles * sizeof(double));
    }
    return 0;
}

typedef struct job {
    costate_solver *leader;
    int by_step;
    crew_task *task;
    void *ctx;
    atomic_int until; /* tasks behind this one need not be done */
    pthread_mutex_t lock;
    account first; /* of all failures, the one that comes first with one thread */
} job;

static void note(job *j, costate_solver *h, int task, int rc)
{
    account *a = &j->first;
    int64_t at = !j->by_step ? 0 : h->status && h->stats.fail_step >= 0 ? h->stats.fail_step : INT64_MAX;
    pthread_mutex_lock(&j->lock);
    if (!a->rc || at > a->step || (at == a->step && task < a->task)) {
        a->rc = rc;
        a->task = task;
        a->step = at;
        take(a, h);
        if (!j->by_step) atomic_store(&j->until, task);
    }
    pthread_mutex_unlock(&j->lock);
    h->status = 0;
    h->calling = NULL;
}

static void do_task(void *ctx, int worker, int task)
{
    job *j = ctx;
    if (task > atomic_load(&j->until)) return;
    costate_solver *h = cst__crew_hand(j->leader, worker);
    int rc = j->task(h, task, j->ctx);
    if (rc) note(j, h, task, rc);
}

static void add_counts(costate_stats *to, costate_stats *from)
{
    static const size_t at[] = {offsetof(costate_stats, rhs),       offsetof(costate_stats, jvp),    offsetof(costate_stats, vjp),
                                offsetof(costate_stats, jvp2),      offsetof(costate_stats, vjp_dot), offsetof(costate_stats, jac),
                                offsetof(costate_stats, factor),    offsetof(costate_stats, solve),
                                offsetof(costate_stats, fallbacks), offsetof(costate_stats, recomputed_steps)};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        int64_t *sum = (int64_t *)(void *)((char *)to + at[i]), *part = (int64_t *)(void *)((char *)from + at[i]);
        *sum += *part;
        *part = 0;
    }
}

int cst__crew_run(costate_solver *s, int hands, int tasks, int by_step, crew_task *task, void *ctx)
{
    for (int k = 0; hands == 1 && k < tasks; k++) TRY(task(s, k, ctx));
    if (hands == 1) return 0;
    for (int i = 1; i < hands && s->im; i++) {
        int status = cst__implicit_follow(cst__crew_hand(s, i));
        if (status) return cst__fail(s, status, "a thread's factors");
    }
    job j = {.leader = s, .by_step = by_step, .task = task, .ctx = ctx, .until = INT_MAX};
    pthread_mutex_init(&j.lock, NULL);
    pool_run(s->crew->pool, hands, tasks, do_task, &j);
    pthread_mutex_destroy(&j.lock);
    for (int i = 1; i < hands; i++) add_counts(&s->stats, &cst__crew_hand(s, i)->stats);
    if (j.first.rc) tell(s, &j.first);
    return j.first.rc;
}
