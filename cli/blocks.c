/* blocks.c - objectives or directions in one block, or dealt out to threads, each with a solver and a run of its own: no thread
 * waits for another, and the steps are the same in all. */
#include "cli.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 500 }; /* states up to which threads of the linear algebra only get into each other's way */

typedef struct part {
    cli_session *session;
    costate_solver *solver;
    cli_work *work;
    void *context;
    int from, count, status;
    pthread_t thread;
} part;

static void *compute(void *argument)
{
    part *a = argument;
    a->status = cli_solver(a->session, &a->solver);
    if (!a->status) a->status = a->work(a->session, a->solver, a->from, a->count, a->context);
    return NULL;
}

/* OpenBLAS, if that is what LAPACK comes from. */
extern void openblas_set_num_threads(int) __attribute__((weak));

static void calm_blas(const cli_session *s, int threads)
{
    if (getenv("OPENBLAS_NUM_THREADS") || getenv("OMP_NUM_THREADS") || !openblas_set_num_threads) return;
    if (s->n <= SMALL || threads > 1) openblas_set_num_threads(1);
}

static int thread_count(const cli_session *s, int lanes, int *threads)
{
    const char *value = cli_value(s->request, OPT_THREADS);
    double count = 1;
    if (value && (cli_number(value, (int)strlen(value), &count) || count < 1 || count > 1024 || count != (int)count))
        return cli_usage(s->request->command->name, "--threads: '%s' is not a whole number from 1 on", value);
    *threads = count < lanes ? (int)count : lanes > 0 ? lanes : 1;
    return EXIT_GOOD;
}

int cli_blocks(cli_session *s, int lanes, cli_work *work, void *context)
{
    int threads = 1, code = thread_count(s, lanes, &threads), failed = -1;
    if (code) return code;
    calm_blas(s, threads);
    part *parts = cli_take((size_t)threads, sizeof *parts);
    progress_start(s->request, s->request->command->bit == CLI_CHECK ? "checking" : "integrating");
    progress_follow(&s->problem, s->t0, s->t1);
    for (int k = 0, from = 0; k < threads; k++) {
        const int count = lanes / threads + (k < lanes % threads);
        parts[k] = (part){.session = s, .work = work, .context = context, .from = from, .count = count};
        from += count;
    }
    int started = 1;
    while (started < threads && !pthread_create(&parts[started].thread, NULL, compute, &parts[started])) started++;
    compute(&parts[0]);
    for (int k = started; k < threads; k++) compute(&parts[k]); /* no more threads to be had */
    for (int k = 1; k < started; k++) pthread_join(parts[k].thread, NULL);
    progress_stop();
    for (int k = threads - 1; k >= 0; k--)
        if (parts[k].status) failed = k;
    costate_get_stats(parts[0].solver, &s->stats);
    snprintf(s->linsol, sizeof s->linsol, "%s", s->stats.linsol);
    if (failed >= 0)
        code =
            parts[failed].status == COSTATE_CHECK_FAILED ? EXIT_CHECK : cli_failed(s, parts[failed].solver, parts[failed].status);
    for (int k = 0; k < threads; k++) costate_free(parts[k].solver);
    free(parts);
    return code;
}
