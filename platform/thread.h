/* thread.h - what POSIX threads do not offer in the same way everywhere. */
#ifndef COSTATE_PLATFORM_THREAD_H
#define COSTATE_PLATFORM_THREAD_H

#include <pthread.h>

/* Starts a thread that gets no signals: they are for the threads of the program. 0, or an errno. */
int platform_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* A condition for platform_wait: it waits for at most so many seconds, by a clock that never goes back. */
void platform_wait_open(pthread_cond_t *condition);
void platform_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds);

#endif
