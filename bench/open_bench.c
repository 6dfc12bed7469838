/* open_bench.c - what it takes to open a model that is in no cache: processor time to differentiate it and to compile what comes
 * of it, time by the clock, and the memory of this process. (That of the compiler is not told: what the system calls the most
 * that a child had includes what its parent had when it was started.)
 *
 *     open_bench FILE size|- order */
#include "bench.h"

#include <costate/diff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static double children(void) /* processor time of the compiler so far */
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    if (argc != 4) bench_give_up("usage: open_bench", "FILE size|- order");
    const char *size = argv[2];
    const costate_model_options o = {.order = atoi(argv[3]), .defines = strcmp(size, "-") != 0, .define = &size, .cache = "none"};
    costate_model *m = NULL;
    double before = bench_peak(), clock = bench_clock(), own = bench_now();
    int status = costate_model_open(&m, argv[1], &o);
    own = bench_now() - own, clock = bench_clock() - clock;
    if (status) bench_give_up("cannot open:", m ? costate_model_message(m) : "out of memory");
    const costate_problem *q = costate_model_problem(m);
    printf("model=%s n=%d np=%d order=%s diff_s=%.2f compile_s=%.2f cpu_s=%.2f clock_s=%.2f memory_mb=%.1f state_mb=%.1f "
           "pattern_mb=%.1f\n",
           costate_model_about(m).name, q->n, q->np, argv[3], own, children(), own + children(), clock,
           (bench_peak() - before) / 1e6, 8e-6 * q->n, 4e-6 * (q->n + (q->pattern.colptr ? q->pattern.colptr[q->n] : 0)));
    costate_model_close(m);
    return 0;
}
