/* progress.c - a line on standard error when something takes more than a second and standard error is a terminal. A thread of its
 * own writes it; what the callbacks do for it is to store the time that they are called with. */
#include "cli.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* There is one line in a process. */
static struct {
    int running, stop;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    const char *what;
    double t0, t1;
    _Atomic double forward, backward; /* NaN: not begun */
    costate_rhs_fn *rhs;
    costate_vjp_fn *vjp;
    costate_vjp_dot_fn *vjp_dot;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void show(double began, double *turned)
{
    const double backward = atomic_load(&line.backward), forward = atomic_load(&line.forward), now = seconds();
    const int back = !isnan(backward);
    const double t = back ? backward : forward,
                 done = back ? (line.t1 - t) / (line.t1 - line.t0) : (t - line.t0) / (line.t1 - line.t0);
    if (!back) *turned = now;
    if (isnan(t)) fprintf(stderr, "\r\033[K%s: %.0f s", line.what, now - began);
    else
        fprintf(stderr, "\r\033[K%s %s: %.0f%%, t = %.4g of %.4g", line.what, back ? "backward" : "forward", 100 * done, t,
                back ? line.t0 : line.t1);
    const double since = now - (back ? *turned : began);
    if (done > 0.005 && since > 0.5) fprintf(stderr, ", about %.0f s to go", ceil(since * (1 - done) / done));
    fflush(stderr);
}

static void *watch(void *none)
{
    const double began = seconds();
    double turned = began;
    int shown = 0;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_mutex_lock(&line.lock);
    while (!line.stop) {
        if (seconds() - began >= 1) {
            show(began, &turned);
            shown = 1;
            clock_gettime(CLOCK_MONOTONIC, &until);
            until.tv_nsec += 250000000;
            if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
        }
        pthread_cond_timedwait(&line.wake, &line.lock, &until);
    }
    pthread_mutex_unlock(&line.lock);
    if (shown) fprintf(stderr, "\r\033[K");
    return none;
}

void progress_start(const cli_request *r, const char *what)
{
    if (cli_value(r, OPT_QUIET) || !isatty(STDERR_FILENO)) return;
    pthread_condattr_t by_clock;
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&line.wake, &by_clock);
    pthread_condattr_destroy(&by_clock);
    line.what = what;
    line.stop = 0;
    atomic_store(&line.forward, NAN);
    atomic_store(&line.backward, NAN);
    sigset_t all, before; /* signals are the main thread's */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    line.running = !pthread_create(&line.thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_stop(void)
{
    if (!line.running) return;
    pthread_mutex_lock(&line.lock);
    line.stop = 1;
    pthread_cond_signal(&line.wake);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.wake);
    line.running = 0;
}

/* ---- callbacks that leave the time behind ----------------------------------------------------------------------------- */

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    atomic_store_explicit(&line.forward, t, memory_order_relaxed);
    return line.rhs(t, y, p, f, data);
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    atomic_store_explicit(&line.backward, t, memory_order_relaxed);
    return line.vjp(t, y, p, w, u, yb, pb, data);
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    atomic_store_explicit(&line.backward, t, memory_order_relaxed);
    return line.vjp_dot(t, y, p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, data);
}

void progress_follow(costate_problem *problem, double t0, double t1)
{
    if (!line.running) return;
    line.t0 = t0;
    line.t1 = t1;
    line.rhs = problem->rhs;
    line.vjp = problem->vjp;
    line.vjp_dot = problem->vjp_dot;
    problem->rhs = rhs;
    if (problem->vjp) problem->vjp = vjp;
    if (problem->vjp_dot) problem->vjp_dot = vjp_dot;
}
