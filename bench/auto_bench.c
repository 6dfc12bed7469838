/* auto_bench.c - what the default method costs beside those it chooses among: time and error of one gradient (of a weighted
 * sum of the objectives) for each method named, from a model file alone.
 *
 *     auto_bench FILE size|- rtol atol reference_rtol method ...
 *
 * size: a definition for the file. The error is that of compare: |D (g - g_ref)| / |D g_ref|, D = diag(|x_k|, or 1 where x_k is
 * zero), x = (p, y0), against the first method that gets through at reference_rtol. The times are the least of several
 * repetitions, which take turns; the solver is made once. One line for each method. */
#include "own.h"

#include <costate/diff.h>
#include <math.h>

enum { MOST_METHODS = 32, REPEATS = 40, STEPS = 400000 };
static const double enough = 0.1; /* seconds for the repetitions of one method */

typedef struct setting {
    costate_model *model;
    costate_model_info about;
    const costate_problem *q;
    size_t n, np;
    double *weights, *y, *g, *truth; /* g, truth: n + np */
} setting;

typedef struct trial {
    const char *method;
    costate_solver *solver;
    int status, repeats;
    double seconds, spent, error;
    costate_stats stats;
} trial;

static int gradient(const setting *x, costate_solver *s)
{
    memcpy(x->y, x->about.y0, x->n * sizeof *x->y);
    int status = costate_solve(s, x->about.t0, x->about.t1, x->about.p, x->y);
    return status ? status : costate_gradient(s, 1, x->weights, x->g, x->g + x->n);
}

static int make(const setting *x, const char *method, double rtol, double atol, costate_solver **s)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = atol;
    o.max_steps = STEPS;
    return costate_create(s, x->q, &o);
}

static double difference(const setting *x)
{
    double defect = 0, size = 0;
    for (size_t i = 0; i < x->n + x->np; i++) {
        if (i < x->n && x->q->init.eval) continue;
        const double v = i < x->n ? x->about.y0[i] : x->about.p[i - x->n], d = v == 0 ? 1 : fabs(v);
        defect = hypot(defect, d * (x->g[i] - x->truth[i]));
        size = hypot(size, d * x->truth[i]);
    }
    return size > 0 ? defect / size : defect;
}

static const char *reference(const setting *x, double rtol, double atol)
{
    static const char *const methods[] = {"radau2a", "rodas4", "dopri853", "dopri5"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        costate_solver *s = NULL;
        int status = make(x, methods[i], rtol, atol, &s);
        if (!status) status = gradient(x, s);
        costate_free(s);
        if (status) continue;
        memcpy(x->truth, x->g, (x->n + x->np) * sizeof *x->g);
        return methods[i];
    }
    return "none";
}

static void repeat(const setting *x, trial *t)
{
    if (t->status || t->repeats == REPEATS || t->spent > enough) return;
    const double began = bench_now();
    t->status = gradient(x, t->solver);
    const double took = bench_now() - began - bench_clock_cost();
    t->spent += took;
    if (!t->repeats++ || took < t->seconds) t->seconds = took;
    if (t->repeats == 1 && !t->status) t->error = difference(x);
}

static setting open_setting(const char *file, const char *size)
{
    setting x = {0};
    const costate_model_options o = {.order = 1, .defines = strcmp(size, "-") != 0, .define = &size};
    if (costate_model_open(&x.model, file, &o)) bench_give_up("cannot open:", costate_model_message(x.model));
    x.q = costate_model_problem(x.model);
    x.about = costate_model_about(x.model);
    x.n = (size_t)x.q->n, x.np = (size_t)x.q->np;
    const int own = x.q->terminal.eval || x.q->running.eval || x.q->observe.eval;
    const size_t goals = own ? (size_t)x.q->objectives : x.n;
    x.weights = bench_alloc(goals + 3 * x.n + 2 * x.np, sizeof *x.y);
    x.y = x.weights + goals, x.g = x.y + x.n, x.truth = x.g + x.n + x.np;
    for (size_t i = 0; i < goals; i++) x.weights[i] = 1 + 0.5 * sin(1.7 * (double)i); /* no conserved sum */
    return x;
}

int main(int argc, char **argv)
{
    if (argc < 7 || argc - 6 > MOST_METHODS)
        bench_give_up("usage: auto_bench", "FILE size|- rtol atol reference_rtol method ...");
    setting x = open_setting(argv[1], argv[2]);
    trial t[MOST_METHODS] = {{0}};
    const int count = argc - 6;
    const double rtol = atof(argv[3]), atol = atof(argv[4]), tight = atof(argv[5]);
    const char *by = reference(&x, tight, atol * tight / rtol);
    for (int i = 0; i < count; i++) {
        t[i] = (trial){.method = argv[6 + i], .error = NAN};
        t[i].status = make(&x, t[i].method, rtol, atol, &t[i].solver);
    }
    for (int k = 0; k < REPEATS; k++)
        for (int i = 0; i < count; i++) repeat(&x, &t[i]);
    for (int i = 0; i < count; i++) {
        costate_get_stats(t[i].solver, &t[i].stats);
        printf("model=%s size=%s n=%d rtol=%g method=%s used=%s status=%d ms=%.4g error=%.2e steps=%lld rhs=%lld by=%s "
               "warned=%d\n",
               x.about.name, argv[2], x.q->n, rtol, t[i].method, t[i].stats.method, t[i].status,
               t[i].status ? NAN : 1e3 * t[i].seconds, t[i].error, (long long)t[i].stats.steps, (long long)t[i].stats.rhs, by,
               t[i].stats.warning[0] != 0);
        costate_free(t[i].solver);
    }
    costate_model_close(x.model);
    return 0;
}
