/* thread_pool.c - see thread_pool.h */
#include "core/thread_pool.h"

#include "platform/thread.h"

#include <stdatomic.h>

typedef struct member {
    thread_pool *p;
    pthread_t thread;
} member;

struct thread_pool {
    costate_allocator alloc;
    pthread_mutex_t lock;
    pthread_cond_t called, left; /* there is a job, or nothing more to come; the last thread has left the job */
    int64_t job;                 /* its number */
    int open, inside, over;      /* threads may enter it; those that did; the pool closes */
    int workers, tasks;
    atomic_int next; /* the task to be dealt out next */
    thread_pool_task *task;
    void *ctx;
    int threads; /* threads beside the caller */
    member thread[];
};

static void deal(thread_pool *p, int worker)
{
    for (int k; (k = atomic_fetch_add(&p->next, 1)) < p->tasks;) p->task(p->ctx, worker, k);
}

static void *serve(void *argument)
{
    member *m = argument;
    thread_pool *p = m->p;
    int worker = 1 + (int)(m - p->thread);
    pthread_mutex_lock(&p->lock);
    for (int64_t seen = 0;;) {
        while (!p->over && (!p->open || p->job == seen || worker >= p->workers)) pthread_cond_wait(&p->called, &p->lock);
        if (p->over) break;
        seen = p->job;
        p->inside++;
        pthread_mutex_unlock(&p->lock);
        deal(p, worker);
        pthread_mutex_lock(&p->lock);
        if (--p->inside == 0) pthread_cond_signal(&p->left);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

thread_pool *thread_pool_open(int threads, const costate_allocator *alloc)
{
    thread_pool *p = cst__alloc(alloc, 1, sizeof *p + (size_t)(threads - 1) * sizeof *p->thread);
    if (!p) return NULL;
    *p = (thread_pool){.alloc = *alloc};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->called, NULL);
    pthread_cond_init(&p->left, NULL);
    for (; p->threads < threads - 1; p->threads++) {
        member *m = &p->thread[p->threads];
        m->p = p;
        if (platform_thread_start(&m->thread, serve, m)) break;
    }
    return p;
}

void thread_pool_close(thread_pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->over = 1;
    pthread_cond_broadcast(&p->called);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->threads; i++) pthread_join(p->thread[i].thread, NULL);
    pthread_cond_destroy(&p->left);
    pthread_cond_destroy(&p->called);
    pthread_mutex_destroy(&p->lock);
    costate_allocator alloc = p->alloc;
    cst__release(&alloc, p);
}

void thread_pool_run(thread_pool *p, int workers, int tasks, thread_pool_task *task, void *ctx)
{
    pthread_mutex_lock(&p->lock);
    p->workers = workers;
    p->task = task;
    p->ctx = ctx;
    p->tasks = tasks;
    atomic_store(&p->next, 0);
    p->open = 1;
    p->job++;
    pthread_cond_broadcast(&p->called);
    pthread_mutex_unlock(&p->lock);
    deal(p, 0);
    pthread_mutex_lock(&p->lock);
    p->open = 0;
    while (p->inside) pthread_cond_wait(&p->left, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
