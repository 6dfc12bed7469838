/* glv_bench.c - see glv_bench.h */
#include "glv_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void bench_report(const bench_case *c, const bench_result *r)
{
    size_t n = (size_t)c->n, seeds = (size_t)c->seeds;
    double peak = bench_peak(); /* the reference's memory is not the program's */
    /* y and the matrix of task b; task a is the sum of its columns */
    double *ref = bench_read(c->reference, n * (1 + c->inputs));
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
           1e3 * (bench_median(c->times, (size_t)c->reps) - bench_clock_cost()));
    printf("err_y=%.2e err=%.2e scale=%.2e steps=%ld rhs=%ld vjp=%ld peak_mb=%.1f result_mb=%.1f\n", err_y, err_s, scale,
           r->steps, r->rhs, r->vjp, peak / 1e6, 8e-6 * (double)(c->inputs * seeds));
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
