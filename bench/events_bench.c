/* events_bench.c - what events cost: a forward run with thousands of them, its gradient and a Hessian-vector product.
 *
 *     events_bench FILE end method rtol reps
 *
 * Processor time, the least of the repetitions, which take turns; steps and evaluations of f for each event; what derivatives
 * take beside the forward run, which records nothing. The objectives have the weight 1. One line. */
#include "own.h"

#include <costate/diff.h>

typedef struct setting {
    costate_model *model;
    costate_model_info about;
    size_t n, np;
    double t1, *y, *weights, *ydot, *pdot, *dy, *dp;
} setting;

enum { FORWARD, GRADIENT, HESSIAN, TASKS };

static void run(costate_solver *s, const setting *x, int task)
{
    memcpy(x->y, x->about.y0, x->n * sizeof *x->y);
    must(s, costate_solve(s, x->about.t0, x->t1, x->about.p, x->y));
    if (task == GRADIENT) must(s, costate_gradient(s, 1, x->weights, x->dy, x->dp));
    if (task == HESSIAN) must(s, costate_hessian(s, 1, x->weights, x->ydot, x->pdot, x->dy, x->dp));
}

static setting open_setting(const char *file, const char *end)
{
    setting x = {0};
    if (costate_model_open(&x.model, file, NULL)) bench_give_up("no model", costate_model_message(x.model));
    const costate_problem *q = costate_model_problem(x.model);
    x.about = costate_model_about(x.model);
    x.t1 = atof(end);
    x.n = (size_t)q->n, x.np = (size_t)q->np;
    const size_t goals = q->objectives ? (size_t)q->objectives : x.n;
    x.y = bench_alloc(3 * x.n + 2 * x.np + goals, sizeof *x.y);
    x.ydot = x.y + x.n, x.dy = x.ydot + x.n, x.pdot = x.dy + x.n, x.dp = x.pdot + x.np, x.weights = x.dp + x.np;
    for (size_t i = 0; i < goals; i++) x.weights[i] = 1;
    for (size_t i = 0; i < x.np; i++) x.pdot[i] = x.about.p[i];
    return x;
}

static void report(const setting *x, const char *method, costate_solver *const *s, const double *least)
{
    costate_stats run, back;
    costate_get_stats(s[FORWARD], &run);
    costate_get_stats(s[GRADIENT], &back);
    const double count = (double)run.events, most = least[FORWARD];
    printf("problem=%s method=%s events=%.0f steps=%.1f rhs=%.1f vjp=%.1f jvp=%.1f forward=%.4g gradient=%.2f hessian=%.2f\n",
           x->about.name, method, count, (double)run.steps / count, (double)run.rhs / count, (double)back.vjp / count,
           (double)back.jvp / count, 1e6 * most / count, least[GRADIENT] / most, least[HESSIAN] / most);
}

int main(int argc, char **argv)
{
    if (argc != 6) bench_give_up("usage: events_bench FILE end method rtol reps", "");
    setting x = open_setting(argv[1], argv[2]);
    costate_solver *s[TASKS] = {NULL};
    double least[TASKS];
    for (int task = 0; task < TASKS; task++) {
        costate_options o = costate_defaults(argv[3]);
        o.rtol = o.atol = atof(argv[4]);
        o.record = task != FORWARD;
        o.max_steps = 10000000;
        must(s[task], costate_create(&s[task], costate_model_problem(x.model), &o));
        run(s[task], &x, task);
        least[task] = 1e300;
    }
    for (int k = 0; k < atoi(argv[5]); k++)
        for (int task = 0; task < TASKS; task++) {
            const double began = bench_now();
            run(s[task], &x, task);
            const double took = bench_now() - began;
            if (took < least[task]) least[task] = took;
        }
    report(&x, argv[3], s, least);
    for (int task = 0; task < TASKS; task++) costate_free(s[task]);
    costate_model_close(x.model);
    return 0;
}
