/* thread_pool.h - threads that wait for work. A job is a number of tasks, which are dealt out one by one, in their order, to
 * whoever is free; the caller takes part as worker 0, so that a job never waits for a thread that is still asleep. Between
 * jobs all sleep. */
#ifndef COSTATE_CORE_THREAD_POOL_H
#define COSTATE_CORE_THREAD_POOL_H

#include "base/alloc.h"

typedef struct thread_pool thread_pool;
typedef void thread_pool_task(void *ctx, int worker, int task);

/* `threads` >= 1, the caller's included; fewer where the system has no more to give. NULL: no memory. */
thread_pool *thread_pool_open(int threads, const costate_allocator *alloc);
void thread_pool_close(thread_pool *p); /* NULL is fine */

/* All tasks, done when it returns, by workers 0 .. workers-1. */
void thread_pool_run(thread_pool *p, int workers, int tasks, thread_pool_task *task, void *ctx);

#endif
