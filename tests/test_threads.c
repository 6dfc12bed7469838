/* test_threads.c - threads change no bit. Solvers in several threads know nothing of each other: all problems by several methods
 * and within several budgets, in every thread at once, give the bits that one thread gives. One solver with several threads
 * gives the bits, and the messages, that it gives with one. To be run with -fsanitize=thread as well. */
#include "support.h"

#include "glv.h"
#include "problems.h"

#include <pthread.h>
#include <stdio.h>

enum { MOST_JOBS = 64, MOST_THREADS = 4, W = 11 };

typedef struct job {
    const problem *pb;
    const char *method;
    int64_t memory, disk;
    double rtol;               /* 0: 1e-9 */
    int threads, lanes;        /* of the solver; 0: the default */
    const char *solve;         /* stage systems of tangents and adjoints; NULL: the default */
    const char *linsol;        /* likewise */
    int holds;                 /* what fresh memory is filled with, as a byte; 0: whatever it held */
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
    r->count = 2 * n + nobj + nobj * W + 4 * n * W + 3 * np * W;
    double *y = r->numbers = calloc(r->count, sizeof *y), *psi = y + n, *psidot = psi + nobj, *ydot = psidot + nobj * W;
    double *pdot = ydot + n * W, *dy0 = pdot + np * W, *dp = dy0 + n * W, *hy0 = dp + np * W, *hp = hy0 + n * W;
    double *row = hp + np * W, *row_dot = row + n, middle = 0.3 * j->pb->t0 + 0.7 * j->pb->t1;
    double *weights = calloc(nobj * W, sizeof *weights);
    costate_options opt = costate_defaults(j->method);
    opt.rtol = opt.atol = j->rtol > 0 ? j->rtol : 1e-9;
    opt.memory = j->memory;
    opt.disk = j->disk;
    if (j->threads) opt.threads = j->threads;
    if (j->lanes) opt.lanes = j->lanes;
    if (j->solve) opt.tangent_solve = opt.adjoint_solve = j->solve;
    if (j->linsol) opt.linsol = j->linsol;
    heap h = {.holds = j->holds};
    if (j->holds) opt.allocator = heap_allocator(&h);
    costate_solver *s = NULL;
    if (j->pb->y0) memcpy(y, j->pb->y0, n * sizeof *y);
    for (size_t i = 0; i < n * W; i++) ydot[i] = sin((double)i);
    for (size_t i = 0; i < np * W; i++) pdot[i] = cos((double)i);
    for (size_t i = 0; i < nobj * W; i++) weights[i] = 1 + (double)(i % 3);
    int status = keep(costate_create(&s, prob, &opt), r);
    if (!status) status = keep(costate_output(s, 1, &middle, row, row_dot), r);
    if (!status) status = keep(costate_tangent(s, j->pb->t0, j->pb->t1, j->pb->p, y, W, ydot, np ? pdot : NULL), r);
    if (!status) r->tier = stats_of(s).tier;
    if (!status) status = keep(costate_objectives(s, psi), r);
    if (!status) status = keep(costate_objectives_dot(s, psidot), r);
    if (!status) status = keep(costate_gradient(s, W, weights, dy0, np ? dp : NULL), r);
    if (!status) status = costate_hessian(s, W, weights, ydot, np ? pdot : NULL, hy0, np ? hp : NULL);
    if (status == COSTATE_ERR_SECOND) fill(hy0, (n + np) * W, 0); /* a Rosenbrock method without third derivatives */
    else keep(status, r);
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

/* ---- one solver with several threads ------------------------------------------------------------------------------ */

static const int threads_tried[] = {2, 3, 7};

static int same_with_any(job j) /* 1: steps had to be computed again */
{
    result one = {0};
    j.threads = 1;
    j.lanes = 2; /* six blocks */
    if (j.rtol == 0) j.rtol = 1e-6;
    work(&j, &one);
    assert_int_equal(one.status, 0);
    assert_finite(one.numbers, one.count);
    for (size_t i = 0; i < COUNT(threads_tried); i++) {
        result several = {0};
        j.threads = threads_tried[i];
        work(&j, &several);
        assert_int_equal(several.status, 0);
        assert_string_equal(several.tier, one.tier);
        assert_bits(several.numbers, one.numbers, one.count);
        free(several.numbers);
    }
    free(one.numbers);
    return strcmp(one.tier, "stages") != 0;
}

static void test_explicit(void **unused)
{
    (void)unused;
    for (int i = 0; i < problem_count(); i++) {
        const problem *q = problem_get(i);
        same_with_any((job){.pb = q, .method = "dopri5", .memory = 1 << 26});
        assert_true(same_with_any((job){.pb = q, .method = "cashkarp", .memory = 400 * q->prob.n, .disk = 1 << 20}));
    }
}

/* Products by differences have scratch of their own. */
static void test_differences(void **unused)
{
    (void)unused;
    problem bare = problem_duffing;
    bare.prob.jvp = NULL, bare.prob.vjp = NULL, bare.prob.jvp2 = NULL, bare.prob.vjp_dot = NULL, bare.prob.jac = NULL;
    costate_function *f[] = {&bare.prob.init, &bare.prob.terminal, &bare.prob.running, &bare.prob.observe};
    for (size_t i = 0; i < COUNT(f); i++) *f[i] = (costate_function){.eval = f[i]->eval};
    same_with_any((job){.pb = &bare, .method = "rk23", .memory = 1 << 26});
}

static void test_implicit(void **unused)
{
    static const char *const pairs[][2] = {{"rodas4", "gmres"}, {"sdirk4a", "superlu"}, {"radau2a", "dense"},
                                           {"sdirk4b", "ilu"},  {"radau2a", "ilu"}};
    static const char *const how[] = {"direct", "iterated"};
    (void)unused;
    problem *heat = heat_two_modes(4);
    for (size_t m = 0; m < COUNT(pairs); m++) {
        const char *method = pairs[m][0], *linsol = pairs[m][1];
        assert_true(same_with_any((job){.pb = &problem_brusselator, .method = method, .memory = 9000, .rtol = 1e-4}));
        same_with_any((job){.pb = heat, .method = method, .memory = 1 << 26, .rtol = 1e-3, .linsol = linsol});
        for (size_t k = 0; k < COUNT(how); k++)
            same_with_any((job){.pb = stiff_pollu(), .method = method, .memory = 30000, .rtol = 1e-3, .solve = how[k],
                                .linsol = "klu"});
    }
    problem_free(heat);
}

/* Nor does it matter what memory held before: 0.00048, 32.5, -2.2e6. */
static void test_held(void **unused)
{
    static const int held[] = {0x3F, 0x40, 0xC1};
    static const char *const linsols[] = {"dense", "superlu", "klu", "gmres", "ilu"};
    (void)unused;
    problem *heat = heat_two_modes(4);
    const problem *const problems[] = {heat, &problem_brusselator, stiff_pollu()};
    for (int m = 0; m < costate_method_count(); m++)
        for (size_t k = 0; k < COUNT(problems); k++) {
            const costate_table *table = costate_method(m);
            const int explicit = table->family == COSTATE_ERK;
            const char *linsol = explicit || k ? NULL : linsols[(size_t)m % COUNT(linsols)];
            if (!table->e || (explicit && k == 2)) continue;
            result first = {0}, other = {0};
            job j = {.pb = problems[k], .method = table->name, .memory = 1 << 26, .rtol = 1e-3, .linsol = linsol};
            work(&j, &first);
            assert_int_equal(first.status, 0);
            for (size_t i = 0; i < COUNT(held); i++, free(other.numbers)) {
                j.holds = held[i];
                work(&j, &other);
                assert_bits(other.numbers, first.numbers, first.count);
            }
            free(first.numbers);
        }
    problem_free(heat);
}

/* Steps whose directions are worth several threads. */
static void test_large(void **unused)
{
    enum { N = 60 };
    static double p[N + N * N], y0[N];
    glv model = {N};
    problem q = {.prob = glv_problem(&model), .y0 = y0, .p = p, .t1 = 1};
    (void)unused;
    glv_defaults(N, p, y0);
    same_with_any((job){.pb = &q, .method = "dopri5", .memory = 1 << 26});
    assert_true(same_with_any((job){.pb = &q, .method = "rodas4", .memory = 8000}));
}

/* Products that fail for some blocks. */
static int odd_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    if (t < 5 && u[0] != 0) return -7;
    return problem_lotka_volterra.prob.vjp(t, y, p, w, u, yb, pb, data);
}

static int odd_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   double *fdot, void *data)
{
    if (t > 5 && pdot && pdot[0] == 3) return -8;
    return problem_lotka_volterra.prob.jvp(t, y, p, w, tdot, ydot, pdot, fdot, data);
}

static void fail_with(const char *method, int64_t memory, int threads, char text[2][512])
{
    const problem *q = &problem_lotka_volterra;
    const size_t n = (size_t)q->prob.n, np = (size_t)q->prob.np;
    double y[8], lambda[8 * W], mu[8 * W], pdot[8 * W];
    costate_problem prob = q->prob;
    costate_options opt = costate_defaults(method);
    opt.threads = threads;
    opt.lanes = 2;
    opt.memory = memory;
    prob.vjp_points = NULL;
    prob.vjp = odd_vjp;
    prob.jvp = odd_jvp;
    costate_solver *s = make_solver(&prob, &opt);
    for (size_t i = 0; i < n * W; i++) lambda[i] = i % W >= 4 && i % W < 8; /* blocks 2 and 3 are not zero */
    memcpy(y, q->y0, n * sizeof *y);
    assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
    assert_int_equal(costate_adjoint(s, W, lambda, mu), COSTATE_ERR_SWEEP_CALLBACK);
    assert_nan(lambda, n * W), assert_nan(mu, np * W);
    snprintf(text[0], sizeof text[0], "%s", costate_message(s));
    for (size_t i = 0; i < np * W; i++) pdot[i] = (double)(i / 2); /* 3 heads block 3 */
    for (size_t i = 0; i < n * W; i++) lambda[i] = 0;
    memcpy(y, q->y0, n * sizeof *y);
    assert_int_equal(costate_tangent(s, q->t0, q->t1, q->p, y, W, lambda, pdot), COSTATE_ERR_CALLBACK);
    assert_nan(lambda, n * W), assert_nan(y, n);
    snprintf(text[1], sizeof text[1], "%s", costate_message(s));
    costate_free(s);
}

static void test_failures(void **unused)
{
    static const char *const methods[] = {"dopri5", "sdirk4a"};
    (void)unused;
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int64_t memory = 1000; memory < 1 << 30; memory *= 100000) {
            char one[2][512], several[2][512];
            fail_with(methods[m], memory, 1, one);
            assert_non_null(strstr(one[0], "-7"));
            assert_non_null(strstr(one[1], "-8"));
            for (size_t i = 0; i < COUNT(threads_tried); i++) {
                fail_with(methods[m], memory, threads_tried[i], several);
                for (int k = 0; k < 2; k++) assert_string_equal(several[k], one[k]);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),         cmocka_unit_test(test_four),     cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_differences), cmocka_unit_test(test_implicit), cmocka_unit_test(test_large),
        cmocka_unit_test(test_failures),    cmocka_unit_test(test_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
