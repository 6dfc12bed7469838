/* cost_bench.c - what derivatives cost beside the solution, from a model file alone: time of a forward run that records nothing,
 * of one with the gradient of the sum of the objectives (or of the final states), of one with a Hessian-vector product, and
 * memory.
 *
 *     cost_bench fgh problem size method rtol reps [end=T] [option=value ...]
 *
 * fgh: which of forward, gradient and Hessian. problem: a file of problems/, without .c; size: a definition for it, or -. The
 * least of the repetitions, which take turns, on one line. */
#include "generated.h"
#include "own.h"

#include <math.h>

typedef struct setting {
    costate_model *model;
    costate_model_info about;
    size_t n, np;
    double t1, *y, *weights, *dy, *dp, *ydot, *pdot; /* weights and ydot: all 1; pdot: p */
} setting;

static void forward(costate_solver *s, const setting *x)
{
    memcpy(x->y, x->about.y0, x->n * sizeof *x->y);
    must(s, costate_solve(s, x->about.t0, x->t1, x->about.p, x->y));
}

static void gradient(costate_solver *s, const setting *x)
{
    forward(s, x);
    must(s, costate_gradient(s, 1, x->weights, x->dy, x->dp));
}

static void hessian(costate_solver *s, const setting *x)
{
    forward(s, x);
    must(s, costate_hessian(s, 1, NULL, x->ydot, x->pdot, x->dy, x->dp));
}

static setting open_setting(const char *name, const char *size, int order)
{
    setting x = {.model = generated_open(name, strcmp(size, "-") ? size : NULL, order, NULL)};
    const costate_problem *q = costate_model_problem(x.model);
    x.about = costate_model_about(x.model);
    x.t1 = x.about.t1;
    x.n = (size_t)q->n, x.np = (size_t)q->np;
    size_t goals = q->objectives ? (size_t)q->objectives : x.n, ones = x.n > goals ? x.n : goals;
    x.y = bench_alloc(2 * x.n + 2 * x.np + ones, sizeof *x.y);
    x.dy = x.y + x.n, x.dp = x.dy + x.n, x.pdot = x.dp + x.np;
    x.weights = x.ydot = x.pdot + x.np;
    for (size_t i = 0; i < ones; i++) x.weights[i] = 1;
    for (size_t i = 0; i < x.np; i++) x.pdot[i] = x.about.p[i];
    return x;
}

static costate_solver *make_solver(setting *x, char **argv, int record)
{
    costate_options o = costate_defaults(argv[4]);
    costate_solver *s = NULL;
    o.rtol = o.atol = atof(argv[5]);
    o.record = record;
    must(s, costate_create(&s, costate_model_problem(x->model), &o));
    for (char **text = argv + 7; *text; text++) {
        if (strncmp(*text, "end=", 4)) own_option(s, *text, "");
        else x->t1 = atof(*text + 4);
    }
    return s;
}

int main(int argc, char **argv)
{
    static const struct {
        char letter;
        const char *name;
        void (*run)(costate_solver *, const setting *);
    } tasks[] = {{'f', "forward", forward}, {'g', "gradient", gradient}, {'h', "hessian", hessian}};
    if (argc < 7 || !strpbrk(argv[1], "fgh"))
        bench_give_up("usage: cost_bench fgh problem size|- method rtol reps", "[end=T] [option=value ...]");
    const costate_table *method = costate_method_find(argv[4]);
    if (!method) bench_give_up("no method", argv[4]);
    int sensitive = strpbrk(argv[1], "gh") != NULL; /* memory is measured, too: no solver that is not wanted */
    int rosenbrock = method->family == COSTATE_ROS; /* its steps contain the Jacobian */
    setting x = open_setting(argv[2], argv[3], 1 + (strchr(argv[1], 'h') != NULL) + (sensitive && rosenbrock));
    costate_solver *plain = strchr(argv[1], 'f') ? make_solver(&x, argv, 0) : NULL;
    costate_solver *recording = sensitive ? make_solver(&x, argv, 1) : NULL, *last = sensitive ? recording : plain;
    double best[] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int rep = 0; rep < atoi(argv[6]); rep++)
        for (int k = 0; k < 3; k++) {
            if (!strchr(argv[1], tasks[k].letter)) continue;
            double began = bench_now();
            tasks[k].run(k ? recording : plain, &x);
            best[k] = fmin(best[k], bench_now() - began);
        }
    costate_stats stats;
    must(last, costate_get_stats(last, &stats));
    printf("problem=%s size=%s method=%s n=%zu np=%zu steps=%lld", argv[2], argv[3], argv[4], x.n, x.np, (long long)stats.steps);
    for (int k = 0; k < 3; k++)
        if (isfinite(best[k])) printf(" %s_ms=%.5f", tasks[k].name, 1e3 * (best[k] - bench_clock_cost()));
    printf(" tier=%s recomputed=%lld peak_mb=%.1f trajectory_mb=%.3f\n", stats.tier, (long long)stats.recomputed_steps,
           bench_peak() / 1e6, (double)stats.trajectory_bytes / 1e6);
    costate_free(plain), costate_free(recording);
    costate_model_close(x.model);
    free(x.y);
    return 0;
}
