/* bench.c - see bench.h */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

_Noreturn void bench_give_up(const char *what, const char *which)
{
    fprintf(stderr, "%s %s\n", what, which);
    exit(1);
}

double bench_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

double bench_clock(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *x, size_t count)
{
    qsort(x, count, sizeof *x, ascending);
    return 0.5 * (x[(count - 1) / 2] + x[count / 2]);
}

double bench_clock_cost(void)
{
    enum { READS = 1001 };
    double cost[READS];
    for (int i = 0; i < READS; i++) {
        double began = bench_now();
        cost[i] = bench_now() - began;
    }
    return bench_median(cost, READS);
}

double bench_peak(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 1024.0 * (double)used.ru_maxrss;
}

void *bench_alloc(size_t count, size_t size)
{
    size_t bytes = (count * size + 63) / 64 * 64 + 64;
    void *block = aligned_alloc(64, bytes);
    if (!block) bench_give_up("out of memory", "");
    return memset(block, 0, bytes);
}

double *bench_read(const char *path, size_t count)
{
    double *x = bench_alloc(count, sizeof *x);
    FILE *file = fopen(path, "rb");
    if (!file || fread(x, sizeof *x, count, file) != count) bench_give_up("cannot read", path);
    fclose(file);
    return x;
}

void bench_widen(double *worst, double d)
{
    if (!(fabs(d) <= *worst)) *worst = fabs(d);
}
