/* progress.c - a line on standard error when something takes more than a second and standard error is a terminal. A thread of its
 * own writes it; what the callbacks do for it is to store the time that they are called with. */
#include "cli.h"
#include "platform/machine.h"
#include "platform/thread.h"

#include <math.h>
#include <stdatomic.h>

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

static void show(double began, double *turned)
{
    const double backward = atomic_load(&line.backward), forward = atomic_load(&line.forward), now = platform_now();
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
    const double began = platform_now();
    double turned = began;
    int shown = 0;
    pthread_mutex_lock(&line.lock);
    while (!line.stop) {
        const double patience = began + 1 - platform_now();
        if (patience <= 0) {
            show(began, &turned);
            shown = 1;
        }
        platform_wait(&line.wake, &line.lock, patience > 0 ? patience : 0.25);
    }
    pthread_mutex_unlock(&line.lock);
    if (shown) fprintf(stderr, "\r\033[K");
    return none;
}

void progress_start(const cli_request *r, const char *what)
{
    if (cli_value(r, OPT_QUIET) || !platform_terminal_width(fileno(stderr))) return;
    platform_wait_open(&line.wake);
    line.what = what;
    line.stop = 0;
    atomic_store(&line.forward, NAN);
    atomic_store(&line.backward, NAN);
    line.running = !platform_thread_start(&line.thread, watch, NULL);
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
