/* stiff_bench.h - what the programs for stiff problems share: arguments, problems, the reference, one line of results. Every
 * program is called
 *
 *     program task problem method rtol reps reference [option=value ...]
 *
 * with one of the tasks
 *
 *     forward    y(t1)
 *     gradient   and the gradient of the problem's objective, or of y_0(t1), with respect to y(t0) and p
 *     tangent    and dy(t1)/dy_0(t0)
 *     adjoint    and dy_0(t1)/dy(t0)
 *
 * solves it `reps` times, after once to warm up if that is more than once, and prints key=value pairs on one line; ms is the
 * fastest repetition. The absolute tolerance of component i is rtol problem.scale[i], or rtol. With reps = 0 the program solves
 * once and writes what it found, state and sensitivities, to the reference.
 *
 * Errors: of the state, the largest of its components', relative to problem.scale[i]/1000 + |y_i|, or to 1 + |y_i|; of
 * sensitivities, the largest relative to the largest entry. `err` is that of the parameters' for gradient, and of what the task
 * asks for otherwise. */
#ifndef BENCH_STIFF_BENCH_H
#define BENCH_STIFF_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "problems.h"

typedef enum stiff_task { FORWARD, GRADIENT, TANGENT, ADJOINT } stiff_task;

typedef struct stiff_case {
    const char *task_name, *name, *method, *reference;
    char **options; /* the rest of the arguments, NULL behind the last */
    stiff_task task;
    double rtol;
    int reps;
    const problem *q;
    problem *made;      /* to be freed; NULL: q is a constant */
    const char *size;   /* the definition that makes its model as large; NULL: there is none */
    double *floors;     /* n: the error of component i is |y_i - r_i| / (floors[i] + |r_i|) */
    double *atols;      /* n */
    double *y, *dy, *dp; /* results: n; n but for forward; np for gradient */
    double best;        /* seconds of the fastest repetition */
} stiff_case;

typedef struct stiff_counts {
    const char *peer, *linsol;
    int64_t steps, rejected, rhs, jac, factor, solve;
} stiff_counts;

stiff_case stiff_open(int argc, char **argv); /* exits with a usage message if it must */
void stiff_time(stiff_case *c, int rep, double seconds); /* rep < 0: warming up, not counted */
void stiff_report(stiff_case *c, const stiff_counts *k); /* prints the line, or writes the reference */
void stiff_close(stiff_case *c);

#endif
