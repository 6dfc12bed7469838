/* glv_bench.c - see glv_bench.h */
#include "glv_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

void *bench_alloc(size_t count, size_t size)
{
    size_t bytes = (count * size + 63) / 64 * 64 + 64;
    void *block = aligned_alloc(64, bytes);
    if (!block) bench_give_up("out of memory", "");
    return memset(block, 0, bytes);
}

bench_case bench_open(int argc, char **argv)
{
    bench_case c = {0};
    if (argc >= 6)
        c = (bench_case){.task = argv[1][0], .n = atoi(argv[2]), .tol = atof(argv[3]), .reps = atoi(argv[4]),
                         .reference = argv[5], .method = argc > 6 ? argv[6] : NULL};
    if ((c.task != 'a' && c.task != 'b') || c.n < 1 || c.n > GLV_MAX || !(c.tol > 0) || c.reps < 1)
        bench_give_up("usage: program a|b N tol reps reference [method]", "");
    size_t n = (size_t)c.n;
    c.seeds = c.task == 'a' ? 1 : c.n;
    c.inputs = 2 * n + n * n;
    c.p = bench_alloc(n + n * n, sizeof(double));
    c.y0 = bench_alloc(n, sizeof(double));
    c.times = bench_alloc((size_t)c.reps, sizeof(double));
    glv_defaults(c.n, c.p, c.y0);
    return c;
}

void bench_close(bench_case *c)
{
    free(c->p), free(c->y0), free(c->times);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t count)
{
    qsort(x, count, sizeof *x, ascending);
    return 0.5 * (x[(count - 1) / 2] + x[count / 2]);
}

/* What reading the clock adds to a time: a system call, not negligible beside microseconds */
static double clock_cost(void)
{
    enum { READS = 1001 };
    double cost[READS];
    for (int i = 0; i < READS; i++) {
        double began = bench_now();
        cost[i] = bench_now() - began;
    }
    return median(cost, READS);
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

void bench_report(const bench_case *c, const bench_result *r)
{
    size_t n = (size_t)c->n, seeds = (size_t)c->seeds;
    double *ref = bench_read(c->reference, n * (1 + c->inputs)); /* y and the matrix of task b; task a is the sum of its columns */
    double *matrix = ref + n, err_y = 0, err_s = 0, scale = 0;
    for (size_t i = 0; i < n; i++) bench_widen(&err_y, r->y[i] - ref[i]);
    for (size_t q = 0; q < c->inputs; q++) {
        double *row = matrix + q * n;
        for (size_t k = 1; c->task == 'a' && k < n; k++) row[0] += row[k];
        for (size_t k = 0; k < seeds; k++) {
            bench_widen(&err_s, r->result[k * r->seed_stride + q * r->input_stride] - row[k]);
            bench_widen(&scale, row[k]);
        }
    }
    printf("peer=%s method=%s task=%c N=%d tol=%.0e ms=%.5f ", r->peer, r->method, c->task, c->n, c->tol,
           1e3 * (median(c->times, (size_t)c->reps) - clock_cost()));
    printf("err_y=%.2e err=%.2e scale=%.2e steps=%ld rhs=%ld vjp=%ld\n", err_y, err_s, scale, r->steps, r->rhs, r->vjp);
    free(ref);
}

void bench_write_reference(const bench_case *c, const bench_result *r)
{
    size_t n = (size_t)c->n;
    double *row = bench_alloc(n, sizeof *row);
    FILE *file = fopen(c->reference, "wb");
    size_t written = file ? fwrite(r->y, sizeof *row, n, file) : 0;
    for (size_t q = 0; file && q < c->inputs; q++) {
        for (size_t k = 0; k < n; k++) row[k] = r->result[k * r->seed_stride + q * r->input_stride];
        written += fwrite(row, sizeof *row, n, file);
    }
    if (written != n * (1 + c->inputs) || fclose(file)) bench_give_up("cannot write", c->reference);
    free(row);
}
