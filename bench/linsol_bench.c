/* linsol_bench.c - the choice of a linear solver: time of a forward run and of a gradient (of the sum of the objectives) with
 * each of those named, from a model file alone.
 *
 *     linsol_bench FILE size|- method rtol reps solver ...
 *
 * size: a definition for the file; absolute tolerances are rtol. The least of the repetitions, in which the solvers take turns,
 * those that took SLOW times as long as the first one, or failed, only once; the solver is made once. One line for each of them:
 * what it was when `auto` chose, and how far its gradient is from the first solver's that got through, in the largest norm. */
#include "own.h"

#include <costate/diff.h>
#include <math.h>

enum { MOST_SOLVERS = 12, SLOW = 4 };

typedef struct setting {
    costate_model *model;
    costate_model_info about;
    size_t n, np;
    double *y, *weights, *g, *first; /* g, first: n + np */
    int known;                       /* first is */
} setting;

typedef struct trial {
    const char *name;
    costate_solver *plain, *recording;
    int status;
    double forward, gradient, apart;
    costate_stats stats;
} trial;

static setting open_setting(const char *file, const char *size, int order)
{
    setting x = {0};
    const costate_model_options o = {.order = order, .defines = strcmp(size, "-") != 0, .define = &size};
    if (costate_model_open(&x.model, file, &o)) bench_give_up("cannot open:", costate_model_message(x.model));
    const costate_problem *q = costate_model_problem(x.model);
    x.about = costate_model_about(x.model);
    x.n = (size_t)q->n, x.np = (size_t)q->np;
    const size_t goals = q->objectives ? (size_t)q->objectives : x.n;
    x.y = bench_alloc(3 * x.n + 2 * x.np + goals, sizeof *x.y);
    x.g = x.y + x.n, x.first = x.g + x.n + x.np, x.weights = x.first + x.n + x.np;
    for (size_t i = 0; i < goals; i++) x.weights[i] = 1;
    return x;
}

static int solve(const setting *x, costate_solver *s)
{
    memcpy(x->y, x->about.y0, x->n * sizeof *x->y);
    return costate_solve(s, x->about.t0, x->about.t1, x->about.p, x->y);
}

static int gradient(const setting *x, costate_solver *s)
{
    const int status = solve(x, s);
    return status ? status : costate_gradient(s, 1, x->weights, x->g, x->g + x->n);
}

static double timed(int (*task)(const setting *, costate_solver *), const setting *x, costate_solver *s, trial *t, double best)
{
    const double began = bench_now();
    if (!t->status) t->status = task(x, s);
    return fmin(best, bench_now() - began - bench_clock_cost());
}

static void compare(setting *x, trial *t)
{
    double apart = 0, size = 0;
    if (t->status) return;
    if (!x->known++) memcpy(x->first, x->g, (x->n + x->np) * sizeof *x->g);
    for (size_t i = 0; i < x->n + x->np; i++) {
        bench_widen(&apart, x->g[i] - x->first[i]);
        bench_widen(&size, x->first[i]);
    }
    t->apart = apart / size;
}

int main(int argc, char **argv)
{
    if (argc < 7 || argc - 6 > MOST_SOLVERS) bench_give_up("usage: linsol_bench", "FILE size|- method rtol reps solver ...");
    const costate_table *method = costate_method_find(argv[3]);
    if (!method) bench_give_up("no method", argv[3]);
    setting x = open_setting(argv[1], argv[2], method->family == COSTATE_ROS ? 2 : 1);
    trial t[MOST_SOLVERS];
    const int count = argc - 6;
    for (int i = 0; i < count; i++) {
        costate_options o = costate_defaults(argv[3]);
        t[i] = (trial){.name = argv[6 + i], .forward = HUGE_VAL, .gradient = HUGE_VAL, .apart = NAN};
        o.rtol = o.atol = atof(argv[4]);
        o.linsol = t[i].name;
        t[i].status = costate_create(&t[i].recording, costate_model_problem(x.model), &o);
        o.record = 0;
        if (!t[i].status) t[i].status = costate_create(&t[i].plain, costate_model_problem(x.model), &o);
    }
    for (int rep = 0; rep < atoi(argv[5]); rep++)
        for (int i = 0; i < count; i++) {
            if (rep && (t[i].status || t[i].gradient > SLOW * t[0].gradient)) continue;
            t[i].forward = timed(solve, &x, t[i].plain, &t[i], t[i].forward);
            t[i].gradient = timed(gradient, &x, t[i].recording, &t[i], t[i].gradient);
            if (!rep) compare(&x, &t[i]);
        }
    for (int i = 0; i < count; i++) {
        costate_get_stats(t[i].recording, &t[i].stats);
        printf("model=%s size=%s n=%zu method=%s rtol=%s linsol=%s used=%s status=%d forward_ms=%.2f gradient_ms=%.2f "
               "apart=%.1e steps=%lld factor=%lld solve=%lld\n",
               x.about.name, argv[2], x.n, argv[3], argv[4], t[i].name, t[i].stats.linsol, t[i].status, 1e3 * t[i].forward,
               1e3 * t[i].gradient, t[i].apart, (long long)t[i].stats.steps, (long long)t[i].stats.factor,
               (long long)t[i].stats.solve);
        costate_free(t[i].plain), costate_free(t[i].recording);
    }
    costate_model_close(x.model);
    free(x.y);
    return 0;
}
