/* dae_bench.h - what the programs for differential-algebraic problems share: problems, known derivatives, one line of results.
 * Every program is called
 *
 *     program problem method rtol reps [option=value ...]
 *
 * times a forward run, and one with the gradients of all objectives with respect to p and to the initial values, and prints
 * key=value pairs on one line; ms are the least of the repetitions, forward_ms without what adjoints need. The error is the
 * largest of the known derivatives', each relative to itself. */
#ifndef BENCH_DAE_BENCH_H
#define BENCH_DAE_BENCH_H

#include "bench.h"

#include <costate/diff.h>

enum { DAE_KNOWN = 16 };

typedef struct dae_known { /* derivative of an objective by parameter `at`, or by initial value at - np */
    int objective, at;
    double value;
} dae_known;

typedef struct dae_problem {
    const char *name, *file, *define;
    double t1;
    double atol[3]; /* in units of rtol; 0: as the first */
    dae_known known[DAE_KNOWN];
} dae_problem;

typedef struct dae_case {
    const dae_problem *of;
    const char *method;
    char **options; /* the rest of the arguments, NULL behind the last */
    double rtol;
    int reps;
    costate_model *model;
    costate_model_info about;
    const costate_problem *q;
    int n, np, goals;
    double *atols, *y;      /* n */
    double *dy, *dp;        /* results: goals x n, goals x np, lanes innermost */
    double forward, gradient; /* seconds of the fastest repetitions */
} dae_case;

typedef struct dae_counts {
    const char *peer, *linsol;
    long steps, backward; /* those of the backward run, summed over the objectives; 0: there is none */
} dae_counts;

dae_case dae_open(int argc, char **argv, int order); /* order: of the derivatives that are needed */
void dae_report(dae_case *c, const dae_counts *k);
void dae_close(dae_case *c);

#endif
