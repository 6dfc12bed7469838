/* test_ensemble.c - many members at once: each is what a solver of its own makes of it, bit for bit, with any number of threads;
 * one that fails says so and leaves the others alone; memory that runs out is a clean error. To be run with -fsanitize=thread as
 * well. */
#include "support.h"

#include "problems.h"

enum { MEMBERS = 23 };

static const int threads_tried[] = {1, 2, 3, 7};

typedef struct ensemble {
    costate_members m;
    double *memory;
    size_t count; /* numbers in it */
} ensemble;

/* Members around the nominal values; rows of y, psi, dy0, dp in one piece, then p. */
static ensemble make(const problem *q, int w, int gradients)
{
    const costate_problem *prob = &q->prob;
    size_t n = (size_t)prob->n, np = (size_t)prob->np, nobj = (size_t)(prob->objectives ? prob->objectives : prob->n),
           lanes = (size_t)w;
    ensemble e = {.m = {.count = MEMBERS, .t0 = q->t0, .t1 = q->t1, .w = gradients ? w : 0}};
    e.count = MEMBERS * (n + nobj + (n + np) * lanes);
    e.memory = calloc(e.count + MEMBERS * np, sizeof *e.memory);
    e.m.y = e.memory;
    e.m.psi = e.m.y + MEMBERS * n;
    e.m.dy0 = e.m.psi + MEMBERS * nobj;
    e.m.dp = e.m.dy0 + MEMBERS * n * lanes;
    double *p = e.memory + e.count;
    e.m.p = p;
    e.m.member = calloc(MEMBERS, sizeof *e.m.member);
    for (size_t k = 0; k < MEMBERS; k++) {
        for (size_t i = 0; q->y0 && i < n; i++) e.m.y[k * n + i] = q->y0[i];
        for (size_t i = 0; i < np; i++) p[k * np + i] = q->p[i] * (1 + 0.01 * sin((double)(k * np + i)));
    }
    return e;
}

static void drop(ensemble *e)
{
    free(e->memory);
    free(e->m.member);
}

static costate_options options(const char *method, int threads)
{
    costate_options opt = costate_defaults(method);
    opt.rtol = 1e-4;
    opt.atol = 1e-8;
    opt.threads = threads;
    return opt;
}

/* One by one, each with a solver of its own. */
static void alone(const problem *q, const costate_options *opt, ensemble *e)
{
    size_t n = (size_t)q->prob.n, np = (size_t)q->prob.np, w = (size_t)e->m.w;
    for (size_t k = 0; k < MEMBERS; k++) {
        costate_solver *s = make_solver(&q->prob, opt);
        size_t nobj = (size_t)(q->prob.objectives ? q->prob.objectives : q->prob.n);
        assert_ok(s, costate_solve(s, q->t0, q->t1, e->m.p + k * np, e->m.y + k * n));
        assert_ok(s, costate_objectives(s, e->m.psi + k * nobj));
        assert_ok(s, costate_gradient(s, e->m.w, NULL, e->m.dy0 + k * n * w, e->m.dp + k * np * w));
        e->m.member[k].steps = stats_of(s).steps;
        costate_free(s);
    }
}

static void like_single_ones(const problem *q, const char *method)
{
    int w = q->prob.objectives ? q->prob.objectives : q->prob.n;
    ensemble one = make(q, w, 1);
    costate_options opt = options(method, 1);
    alone(q, &opt, &one);
    for (size_t i = 0; i < COUNT(threads_tried); i++) {
        ensemble all = make(q, w, 1);
        opt.threads = threads_tried[i];
        costate_solver *s = make_solver(&q->prob, &opt);
        for (int again = 0; again < 2; again++) { /* a solver may be used again */
            ensemble fresh = make(q, w, 1);
            memcpy(all.memory, fresh.memory, all.count * sizeof *all.memory);
            drop(&fresh);
            assert_ok(s, costate_ensemble(s, &all.m));
            assert_bits(all.memory, one.memory, all.count);
        }
        for (int k = 0; k < MEMBERS; k++) assert_int_equal(all.m.member[k].steps, one.m.member[k].steps);
        costate_free(s);
        drop(&all);
    }
    drop(&one);
}

static void test_members(void **unused)
{
    (void)unused;
    like_single_ones(&problem_lotka_volterra, "dopri5");
    like_single_ones(&problem_duffing, "cashkarp");
    like_single_ones(stiff_robertson(), "rodas4");
    like_single_ones(stiff_hires(), "sdirk4a");
}

/* Without jac and pattern, in a system large enough for one to be looked for. */
static void test_pattern(void **unused)
{
    (void)unused;
    problem *q = brusselator_1d(40);
    ensemble one = make(q, 1, 0);
    q->prob.jac = NULL;
    q->prob.pattern = (costate_pattern){0};
    for (size_t i = 0; i < COUNT(threads_tried); i++) {
        costate_options opt = options("rodas3", threads_tried[i]);
        costate_solver *s = make_solver(&q->prob, &opt);
        ensemble all = make(q, 1, 0);
        ((double *)(uintptr_t)all.m.p)[0] = NAN; /* no pattern is found there */
        assert_int_equal(costate_ensemble(s, &all.m), COSTATE_ERR_MEMBERS);
        assert_true(stats_of(s).jac_nnz > 0 && stats_of(s).jac_nnz < 80 * 8);
        size_t n = (size_t)q->prob.n;
        if (i == 0) memcpy(one.m.y, all.m.y, MEMBERS * n * sizeof *all.m.y);
        else assert_bits(all.m.y + n, one.m.y + n, (MEMBERS - 1) * n);
        costate_free(s);
        drop(&all);
    }
    drop(&one);
    problem_free(q);
}

static void test_failures(void **unused)
{
    const problem *q = &problem_lotka_volterra;
    size_t n = (size_t)q->prob.n, np = (size_t)q->prob.np;
    int w = q->prob.objectives ? q->prob.objectives : q->prob.n;
    (void)unused;
    ensemble good = make(q, w, 1);
    costate_options opt = options("dopri5", 3);
    opt.max_steps = 200;
    costate_solver *s = make_solver(&q->prob, &opt);
    assert_ok(s, costate_ensemble(s, &good.m));
    ensemble bad = make(q, w, 1);
    double *p = (double *)(uintptr_t)bad.m.p;
    p[4 * np + 1] = NAN;
    p[9 * np] = 1e6; /* fast: too many steps */
    assert_refused(s, costate_ensemble(s, &bad.m), COSTATE_ERR_MEMBERS, "2 of 23, the first being number 4");
    for (size_t k = 0; k < MEMBERS; k++) {
        const costate_member *m = &bad.m.member[k];
        size_t lanes = (size_t)w;
        assert_int_equal(m->status, k == 4 ? COSTATE_ERR_INPUT : k == 9 ? COSTATE_ERR_MAX_STEPS : 0);
        assert_int_equal(m->message[0] != 0, m->status != 0);
        if (m->status) {
            assert_nan(bad.m.y + k * n, n);
            assert_nan(bad.m.dy0 + k * n * lanes, n * lanes);
            assert_nan(bad.m.dp + k * np * lanes, np * lanes);
        } else assert_bits(bad.m.dp + k * np * lanes, good.m.dp + k * np * lanes, np * lanes);
    }
    assert_non_null(strstr(bad.m.member[9].message, "max_steps = 200"));
    assert_refused(s, costate_gradient(s, w, NULL, bad.m.dy0, bad.m.dp), COSTATE_ERR_NO_RECORD, ""); /* it holds no run */
    costate_free(s);
    drop(&good), drop(&bad);
}

static void test_refusals(void **unused)
{
    const problem *q = &problem_lotka_volterra;
    costate_options opt = options("dopri5", 2);
    costate_solver *s = make_solver(&q->prob, &opt);
    (void)unused;
    ensemble e = make(q, q->prob.n, 1);
    costate_members m = e.m;
    m.count = 0;
    assert_refused(s, costate_ensemble(s, &m), COSTATE_ERR_WIDTH, "0 members");
    m = e.m, m.y = NULL;
    assert_refused(s, costate_ensemble(s, &m), COSTATE_ERR_NULL, "y of the ensemble");
    m = e.m, m.dy0 = NULL;
    assert_refused(s, costate_ensemble(s, &m), COSTATE_ERR_NULL, "dy0 of the ensemble");
    m = e.m, m.w = 77;
    m.dy0 = m.dp = NULL;
    assert_refused(s, costate_ensemble(s, &m), COSTATE_ERR_NULL, "dy0");
    assert_refused(s, costate_ensemble(s, NULL), COSTATE_ERR_NULL, "the members");
    assert_nan(e.m.y, (size_t)q->prob.n * MEMBERS);
    assert_int_equal(e.m.member[5].status, COSTATE_ERR_NULL);
    costate_free(s);
    drop(&e);
}

/* Request k for memory fails: the whole, or members, and nothing is lost. */
static void test_memory(void **unused)
{
    const problem *q = &problem_lotka_volterra;
    int w = q->prob.objectives ? q->prob.objectives : q->prob.n, refused = 0, members = 0;
    (void)unused;
    ensemble good = make(q, w, 1);
    costate_options opt = options("dopri5", 2);
    costate_solver *s = make_solver(&q->prob, &opt);
    assert_ok(s, costate_ensemble(s, &good.m));
    costate_free(s);
    for (int64_t k = 1, hit = 1; hit; k++) {
        heap h = {.fail_at = k};
        ensemble e = make(q, w, 1);
        opt.allocator = heap_allocator(&h);
        int status = costate_create(&s, &q->prob, &opt);
        if (!status) status = costate_ensemble(s, &e.m);
        hit = h.requests >= k;
        if (!hit) assert_ok(s, status);
        if (!status) assert_bits(e.memory, good.memory, e.count);
        else if (status == COSTATE_ERR_MEMBERS) members++;
        else {
            assert_int_equal(status, COSTATE_ERR_MEMORY);
            refused++;
        }
        costate_free(s);
        assert_int_equal(h.live, 0);
        drop(&e);
    }
    assert_true(refused > 0 && members > 0);
    drop(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),  cmocka_unit_test(test_pattern), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
