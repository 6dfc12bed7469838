/* compute.c - a command's work with a solver: made, watched, asked what it cost, and reported if it fails. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 500 }; /* states up to which threads of the linear algebra only get into each other's way */

/* OpenBLAS, if that is what LAPACK comes from. */
extern void openblas_set_num_threads(int) __attribute__((weak));

void cli_calm_blas(const cli_session *s)
{
    if (getenv("OPENBLAS_NUM_THREADS") || getenv("OMP_NUM_THREADS") || !openblas_set_num_threads) return;
    const char *threads = cli_library_value(s->request, "threads");
    if (s->n <= SMALL || strcmp(threads, "1")) openblas_set_num_threads(1);
}

int cli_compute(cli_session *s, cli_work *work, void *context)
{
    costate_solver *solver = NULL;
    int code = EXIT_GOOD;
    cli_calm_blas(s);
    progress_start(s->request, s->request->command->bit == CLI_CHECK ? "checking" : "integrating");
    progress_follow(&s->problem, s->t0, s->t1);
    int status = cli_solver(s, &solver);
    if (!status) status = work(s, solver, context);
    progress_stop();
    costate_get_stats(solver, &s->stats);
    snprintf(s->linsol, sizeof s->linsol, "%s", s->stats.linsol);
    if (status) code = status == COSTATE_CHECK_FAILED ? EXIT_CHECK : cli_failed(s, solver, status);
    costate_free(solver);
    return code;
}
