/* open_bench.c - what it takes to open a model that is in no cache: seconds of the clock to differentiate it and to compile what
 * comes of it, the length of that, and memory.
 *
 *     open_bench FILE size|- order */
#include "bench.h"

#include <costate/diff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must_open(costate_model *m, int status)
{
    if (status) bench_give_up("cannot open:", m ? costate_model_message(m) : "out of memory");
}

int main(int argc, char **argv)
{
    if (argc != 4) bench_give_up("usage: open_bench", "FILE size|- order");
    const char *size = argv[2], *text;
    const costate_model_options o = {.order = atoi(argv[3]), .defines = strcmp(size, "-") != 0, .define = &size, .cache = "none"};
    costate_model *written = NULL, *opened = NULL;
    double began = clock_now();
    must_open(written, costate_diff(&written, argv[1], &o, &text, NULL));
    double differentiated = clock_now();
    must_open(opened, costate_model_open(&opened, argv[1], &o));
    double done = clock_now(), whole = done - differentiated, diff = differentiated - began;
    const costate_problem *q = costate_model_problem(opened);
    struct rusage compiler;
    getrusage(RUSAGE_CHILDREN, &compiler);
    printf("model=%s n=%d np=%d order=%s diff_s=%.2f compile_s=%.2f open_s=%.2f text_kb=%.0f peak_mb=%.1f compiler_mb=%.1f array_mb=%.1f\n",
           costate_model_about(opened).name, q->n, q->np, argv[3], diff, whole - diff, whole, (double)strlen(text) / 1e3,
           bench_peak() / 1e6, 1.024e-3 * (double)compiler.ru_maxrss, 8e-6 * q->n);
    costate_model_close(opened), costate_model_close(written);
    return 0;
}
