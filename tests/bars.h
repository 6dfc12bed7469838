/* bars.h - how error bars compare with true errors: a model, a method and a tolerance at a time, the truth being what a method of
 * high order gives near round-off.
 *
 *     error of the gradient    | (p_i (g_i - truth_i))_i |,  p_i the variable's value, initial values included; the largest
 *     ratio                    the same of the bars, over it
 *
 * Objectives and, along the direction that changes every variable by its own size, Hessian products likewise. One objective at a
 * time: that of the number `goal`. */
#ifndef TESTS_BARS_H
#define TESTS_BARS_H

#include <costate/diff.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct answer { /* of one run: an objective, its gradient, its Hessian times the direction; n + np numbers each */
    double psi, *g, *h;
    double psi_bar, *g_bar, *h_bar;
    int status, steps;
    char reason[256];
} answer;

typedef struct subject {
    costate_model *model;
    costate_problem prob;
    costate_model_info about;
    size_t n, np, all;
    int goal;
    double *unit; /* n + np: the variables' values, 0 where init computes them */
    answer truth;
    double psi_open, g_open, h_open; /* what the truth leaves open */
} subject;

static inline answer answer_make(size_t all)
{
    double *at = calloc(4 * all + 1, sizeof *at);
    return (answer){.g = at, .h = at + all, .g_bar = at + 2 * all, .h_bar = at + 3 * all};
}

static inline void answer_free(answer *a)
{
    free(a->g);
}

/* A run of the subject with its bars, if they are wanted. Other objectives have weight 0. */
static inline void answer_fill(const subject *q, const costate_options *o, int with_bars, int second, answer *a)
{
    costate_solver *s = NULL;
    const size_t n = q->n, np = q->np;
    double *y = malloc((2 * n + np + 1) * sizeof *y), *dir = y + n, weights[1000] = {0};
    weights[q->goal] = 1;
    memcpy(y, q->about.y0, n * sizeof *y);
    memcpy(dir, q->unit, q->all * sizeof *dir);
    int status = costate_create(&s, &q->prob, o);
    if (!status) status = costate_solve(s, q->about.t0, q->about.t1, q->about.p, y);
    double psi[1000] = {0}, psi_bar[1000] = {0};
    if (!status) status = costate_objectives(s, psi);
    a->psi = psi[q->goal];
    if (!status) status = costate_gradient(s, 1, weights, a->g, a->g + n);
    if (!status && with_bars)
        status = costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT,
                                                       .w = 1,
                                                       .weights = weights,
                                                       .psi = psi_bar,
                                                       .value = {a->g, a->g + n},
                                                       .bar = {a->g_bar, a->g_bar + n}});
    a->psi_bar = psi_bar[q->goal];
    if (!status && second) status = costate_hessian(s, 1, weights, dir, dir + n, a->h, a->h + n);
    if (!status && with_bars && second)
        status = costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_HESSIAN,
                                                       .w = 1,
                                                       .weights = weights,
                                                       .ydot = dir,
                                                       .pdot = dir + n,
                                                       .value = {a->h, a->h + n},
                                                       .bar = {a->h_bar, a->h_bar + n}});
    costate_stats stats = {0};
    if (s) costate_get_stats(s, &stats);
    a->steps = (int)stats.steps;
    a->status = status;
    snprintf(a->reason, sizeof a->reason, "%.255s", status ? costate_reason(s) : "");
    costate_free(s);
    free(y);
}

/* The largest of u_i |x_i - z_i|; z NULL: 0. */
static inline double bars_norm(const subject *q, const double *x, const double *z)
{
    double most = 0;
    for (size_t i = 0; i < q->all; i++) most = fmax(most, q->unit[i] * fabs(x[i] - (z ? z[i] : 0)));
    return most;
}

static inline costate_options bars_options(const char *method, double rtol)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    o.max_steps = 200000;
    return o;
}

static inline int subject_load(subject *q, const char *file, const char *define)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.c", SOURCE_DIR, file);
    const costate_model_options mo = {.flags = "-O1", .defines = define != NULL, .define = &define};
    if (costate_model_open(&q->model, path, &mo)) {
        fprintf(stderr, "%s\n", costate_model_message(q->model));
        return -1;
    }
    q->prob = *costate_model_problem(q->model);
    q->about = costate_model_about(q->model);
    q->n = (size_t)q->prob.n, q->np = (size_t)q->prob.np, q->all = q->n + q->np;
    q->unit = calloc(q->all, sizeof *q->unit);
    for (size_t i = 0; i < q->n; i++) q->unit[i] = q->prob.init.eval ? 0 : fabs(q->about.y0[i]);
    for (size_t i = 0; i < q->np; i++) q->unit[q->n + i] = fabs(q->about.p[i]);
    q->truth = answer_make(q->all);
    return 0;
}

/* The truth about an objective. */
static inline int subject_truth(subject *q, int goal, const char *best, int second)
{
    answer other = answer_make(q->all);
    q->goal = goal;
    for (double tight = 1e-13; tight < 1e-9; tight *= 100) { /* as tight as can be had */
        costate_options o = bars_options(best, tight), p = bars_options(best, 10 * tight);
        answer_fill(q, &o, 0, second, &q->truth);
        answer_fill(q, &p, 0, second, &other);
        if (!q->truth.status && !other.status) break;
    }
    q->psi_open = fabs(q->truth.psi - other.psi);
    q->g_open = bars_norm(q, q->truth.g, other.g);
    q->h_open = bars_norm(q, q->truth.h, other.h);
    answer_free(&other);
    return q->truth.status || other.status;
}

static inline int subject_open(subject *q, const char *file, const char *define, const char *best, int second)
{
    return subject_load(q, file, define) ? -1 : subject_truth(q, 0, best, second);
}

static inline void subject_close(subject *q)
{
    free(q->unit);
    answer_free(&q->truth);
    costate_model_close(q->model);
}

#endif
