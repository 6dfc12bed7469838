/* glv_bench.h - what the GLV benchmark programs share: arguments, timing, the reference, one line of results.
 *
 * GLV(N) as in problems/glv.c. Task a: the gradient of sum_i y_i(10) with respect to the 2N + N^2 inputs (y0, r, A). Task b:
 * all of dy_k(10)/d(y0, r, A), k = 0 .. N-1. Every program is called
 *
 *     program a|b N tol reps reference [method]
 *
 * solves the task once to warm up and then `reps` times, and prints key=value pairs on one line. The reference is a file of
 * doubles that bench_write_reference wrote: y(10), then task b with the N results of an input side by side. */
#ifndef BENCH_GLV_BENCH_H
#define BENCH_GLV_BENCH_H

#include "bench.h"
#include "glv.h"

#define BENCH_H0 0.1 /* first step size given to every code that takes one */

typedef struct bench_case {
    char task;
    int n;
    double tol;
    int reps;
    const char *reference, *method; /* file name; NULL: the program's default */
    int seeds;      /* 1 or n */
    size_t inputs;  /* 2n + n^2 */
    double *p, *y0; /* nominal values */
    double *times;  /* reps, filled by the program, in seconds */
} bench_case;

/* What a program computed: d y_k / d input q is result[k*seed_stride + q*input_stride]. */
typedef struct bench_result {
    const char *peer, *method;
    const double *y, *result;
    size_t seed_stride, input_stride;
    long steps, rhs, vjp; /* calls; a block of lanes counts as one */
} bench_result;

bench_case bench_open(int argc, char **argv); /* exits with a usage message if it must */
void bench_close(bench_case *c);

/* Prints the line: median time, less what the clock takes, and the largest errors of the state and of the sensitivities. */
void bench_report(const bench_case *c, const bench_result *r);
void bench_write_reference(const bench_case *c, const bench_result *r);

#endif
