/* thread.c - see thread.h */
#include "platform/thread.h"

#include <signal.h>
#include <time.h>

int platform_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int status = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

void platform_wait_open(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
#ifndef __APPLE__ /* which waits for a length of time instead */
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void platform_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds)
{
    enum { SECOND = 1000000000 };
    struct timespec until = {.tv_sec = (time_t)seconds};
    until.tv_nsec = (long)((seconds - (double)until.tv_sec) * SECOND);
#ifdef __APPLE__
    pthread_cond_timedwait_relative_np(condition, lock, &until);
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    until.tv_sec += now.tv_sec;
    until.tv_nsec += now.tv_nsec;
    if (until.tv_nsec >= SECOND) until.tv_nsec -= SECOND, until.tv_sec++;
    pthread_cond_timedwait(condition, lock, &until);
#endif
}
