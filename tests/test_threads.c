/* test_threads.c - solvers in several threads know nothing of each other: all problems by several methods and within
 * several budgets, in every thread at once, give the bits that one thread gives. To be run with -fsanitize=thread as
 * well. */
#include "support.h"

#include "problems.h"

#include <pthread.h>

enum { MOST_JOBS = 64, MOST_THREADS = 4, W = 11 };

typedef struct job {
    const problem *pb;
    const char *method;
    int64_t memory, disk;
} job;

typedef struct result { /* nothing is asserted inside a thread */
    int status;
    const char *tier; /* of the run */
    size_t count;
    double *numbers;
} result;

static int list_jobs(job *jobs)
{
    static const char *const methods[] = {"dopri5", "dopri853", "cashkarp"};
    int count = 0;
    for (int i = 0; i < problem_count(); i++)
        for (size_t m = 0; m < COUNT(methods); m++) {
            job j = {.pb = problem_get(i), .method = methods[m], .memory = m ? 400 * problem_get(i)->prob.n : 1 << 26};
            if (m == 2) j.disk = 1 << 20;
            if (count < MOST_JOBS) jobs[count++] = j;
        }
    return count;
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

static int keep(int status, result *r)
{
    if (status && !r->status) r->status = status;
    return status;
}

static void work(const job *j, result *r)
{
    const costate_problem *prob = &j->pb->prob;
    size_t n = (size_t)prob->n, np = (size_t)prob->np, nobj = (size_t)(prob->objectives ? prob->objectives : prob->n);
    r->count = n + nobj + nobj * W + 3 * n * W + 3 * np * W;
    double *y = r->numbers = calloc(r->count, sizeof *y), *psi = y + n, *psidot = psi + nobj, *ydot = psidot + nobj * W;
    double *pdot = ydot + n * W, *dy0 = pdot + np * W, *dp = dy0 + n * W, *hy0 = dp + np * W, *hp = hy0 + n * W;
    double *weights = calloc(nobj * W, sizeof *weights);
    costate_options opt = costate_defaults(j->method);
    opt.rtol = opt.atol = 1e-9;
    opt.memory = j->memory;
    opt.disk = j->disk;
    costate_solver *s = NULL;
    if (j->pb->y0) memcpy(y, j->pb->y0, n * sizeof *y);
    for (size_t i = 0; i < n * W; i++) ydot[i] = sin((double)i);
    for (size_t i = 0; i < np * W; i++) pdot[i] = cos((double)i);
    for (size_t i = 0; i < nobj * W; i++) weights[i] = 1 + (double)(i % 3);
    int status = keep(costate_create(&s, prob, &opt), r);
    if (!status) status = keep(costate_tangent(s, j->pb->t0, j->pb->t1, j->pb->p, y, W, ydot, np ? pdot : NULL), r);
    if (!status) r->tier = stats_of(s).tier;
    if (!status) status = keep(costate_objectives(s, psi), r);
    if (!status) status = keep(costate_objectives_dot(s, psidot), r);
    if (!status) status = keep(costate_gradient(s, W, weights, dy0, np ? dp : NULL), r);
    if (!status) keep(costate_hessian(s, W, weights, ydot, np ? pdot : NULL, hy0, np ? hp : NULL), r);
    costate_free(s);
    free(weights);
}

/* ---- all jobs, beginning with a different one in every thread ---------------------------------------------------- */

typedef struct worker {
    const job *jobs;
    int count, first;
    result results[MOST_JOBS];
} worker;

static void *work_all(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < w->count; i++) {
        int which = (w->first + i) % w->count;
        work(&w->jobs[which], &w->results[which]);
    }
    return NULL;
}

static void together(int threads)
{
    static worker alone, workers[MOST_THREADS];
    job jobs[MOST_JOBS];
    int count = list_jobs(jobs);
    pthread_t id[MOST_THREADS];
    alone = (worker){.jobs = jobs, .count = count};
    work_all(&alone);
    for (int t = 0; t < threads; t++) {
        int first = t < 2 ? 0 : count * t / threads; /* two do the same at the same time */
        workers[t] = (worker){.jobs = jobs, .count = count, .first = first};
        assert_int_equal(pthread_create(&id[t], NULL, work_all, &workers[t]), 0);
    }
    for (int t = 0; t < threads; t++) assert_int_equal(pthread_join(id[t], NULL), 0);
    int small = 0;
    for (int i = 0; i < count; i++) {
        assert_int_equal(alone.results[i].status, 0);
        small += !strcmp(alone.results[i].tier, "checkpoints");
        assert_finite(alone.results[i].numbers, alone.results[i].count);
        for (int t = 0; t < threads; t++) {
            assert_int_equal(workers[t].results[i].status, 0);
            assert_bits(workers[t].results[i].numbers, alone.results[i].numbers, alone.results[i].count);
            free(workers[t].results[i].numbers);
        }
        free(alone.results[i].numbers);
    }
    assert_true(small > 2);
}

static void test_two(void **unused)
{
    (void)unused;
    together(2);
}

static void test_four(void **unused)
{
    (void)unused;
    together(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two), cmocka_unit_test(test_four)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
