/* stiff_bench.c - see stiff_bench.h */
#include "stiff_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems and tasks ------------------------------------------------------------------------------------------------ */

/* The problems whose size has to be chosen; the others are those of the lists. */
static const struct sized {
    const char *name;
    problem *(*make)(int size);
    int size;
    const char *define;
} sized[] = {{"heat", heat_two_modes, 100, "M=100"},
             {"brusselator", brusselator_2d, 71, "M=71"},
             {"shallow_water", shallow_water, 40, "M=40"}};

static const char *const tasks[] = {[FORWARD] = "forward", [GRADIENT] = "gradient", [TANGENT] = "tangent", [ADJOINT] = "adjoint"};

static void find_problem(stiff_case *c)
{
    for (size_t i = 0; i < sizeof sized / sizeof *sized && !c->q; i++)
        if (!strcmp(sized[i].name, c->name)) {
            c->q = c->made = sized[i].make(sized[i].size);
            c->size = sized[i].define;
        }
    if (!c->q) c->q = stiff_find(c->name);
    if (!c->q) c->q = problem_find(c->name);
    if (!c->q || !c->q->y0) bench_give_up("no problem", c->name);
}

stiff_case stiff_open(int argc, char **argv)
{
    if (argc < 7) bench_give_up("usage: program task problem method rtol reps reference", "[option=value ...]");
    stiff_case c = {.task_name = argv[1],
                    .name = argv[2],
                    .method = argv[3],
                    .rtol = atof(argv[4]),
                    .reps = atoi(argv[5]),
                    .reference = argv[6],
                    .options = argv + 7,
                    .best = HUGE_VAL};
    while (strcmp(tasks[c.task], c.task_name))
        if (++c.task > ADJOINT) bench_give_up("no task", c.task_name);
    find_problem(&c);
    if (c.task == GRADIENT && c.q->prob.objectives > 1) bench_give_up("several objectives:", c.name);
    if (!(c.rtol > 0) || c.reps < 0) bench_give_up("wrong rtol or reps for", c.name);
    size_t n = (size_t)c.q->prob.n, np = (size_t)c.q->prob.np;
    c.atols = bench_alloc(2 * n, sizeof(double));
    c.floors = c.atols + n;
    for (size_t i = 0; i < n; i++) {
        c.atols[i] = c.rtol * (c.q->scale ? c.q->scale[i] : 1);
        c.floors[i] = c.q->scale ? 1e-3 * c.q->scale[i] : 1;
    }
    c.y = bench_alloc(2 * n + np, sizeof(double));
    c.dy = c.y + n;
    c.dp = c.dy + n;
    return c;
}

void stiff_time(stiff_case *c, int rep, double seconds)
{
    if (rep >= 0 && seconds < c->best) c->best = seconds;
}

void stiff_close(stiff_case *c)
{
    free(c->atols), free(c->y);
    problem_free(c->made);
}

/* ---- results ----------------------------------------------------------------------------------------------------------- */

/* How many numbers a task's result has: what stands in a reference */
static size_t result_size(const stiff_case *c)
{
    size_t n = (size_t)c->q->prob.n, np = (size_t)c->q->prob.np;
    return c->task == FORWARD ? n : c->task == GRADIENT ? 2 * n + np : 2 * n;
}

static void write_reference(const stiff_case *c)
{
    FILE *file = fopen(c->reference, "wb");
    size_t count = result_size(c);
    if (!file || fwrite(c->y, sizeof *c->y, count, file) != count || fclose(file)) bench_give_up("cannot write", c->reference);
}

/* The exact solution where there is one, else what is in the file */
static double *read_reference(const stiff_case *c)
{
    size_t n = (size_t)c->q->prob.n;
    if (c->task != FORWARD || !c->q->state) return bench_read(c->reference, result_size(c));
    return memcpy(bench_alloc(n, sizeof(double)), c->q->state, n * sizeof(double));
}

static double state_error(const stiff_case *c, const double *ref)
{
    double worst = 0;
    for (int i = 0; i < c->q->prob.n; i++) bench_widen(&worst, (c->y[i] - ref[i]) / (c->floors[i] + fabs(ref[i])));
    return worst;
}

/* Relative in the largest norm */
static double vector_error(int n, const double *x, const double *ref)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        bench_widen(&worst, x[i] - ref[i]);
        bench_widen(&size, ref[i]);
    }
    return worst / size;
}

void stiff_report(stiff_case *c, const stiff_counts *k)
{
    if (!c->reps) {
        write_reference(c);
        return;
    }
    int n = c->q->prob.n;
    double *ref = read_reference(c), err_y = state_error(c, ref), err = err_y;
    printf("peer=%s method=%s linsol=%s task=%s problem=%s rtol=%.0e ms=%.4f err_y=%.2e ", k->peer, c->method, k->linsol,
           c->task_name, c->name, c->rtol, 1e3 * c->best, err_y);
    if (c->task != FORWARD) {
        err = vector_error(n, c->dy, ref + n);
        printf("err_dy=%.2e ", err);
    }
    if (c->task == GRADIENT) err = vector_error(c->q->prob.np, c->dp, ref + 2 * n);
    printf("err=%.2e steps=%lld rejected=%lld rhs=%lld jac=%lld factor=%lld solve=%lld\n", err, (long long)k->steps,
           (long long)k->rejected, (long long)k->rhs, (long long)k->jac, (long long)k->factor, (long long)k->solve);
    free(ref);
}
