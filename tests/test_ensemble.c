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

enum { ROWS = 3, LISTED = 3 };

/* Derivatives in one matrix, of a list of variables or of all, by tangents or the adjoint, and rows of dense output. */
static void test_matrices(void **unused)
{
    (void)unused;
    const problem *q = &problem_lotka_volterra;
    static const char *const ways[] = {"auto", "tangent", "adjoint"};
    static const int some[] = {1, 4, 2};
    enum { MOST = 8 };
    const size_t n = (size_t)q->prob.n, np = (size_t)q->prob.np;
    const size_t w = (size_t)(q->prob.objectives ? q->prob.objectives : q->prob.n);
    double times[ROWS], rows[MEMBERS * ROWS * MOST], row[ROWS * MOST], d[MEMBERS * MOST * MOST], one[MOST * MOST];
    for (int r = 0; r < ROWS; r++) times[r] = q->t0 + (q->t1 - q->t0) * (r + 1) / ROWS;
    for (size_t i = 0; i < COUNT(ways) * 4; i++) {
        const int listed = i % 2, count = listed ? LISTED : (int)(n + np);
        costate_options opt = options("dopri5", i / 2 % 2 ? 3 : 1);
        opt.sensitivities = ways[i / 4];
        costate_solver *s = make_solver(&q->prob, &opt), *single = make_solver(&q->prob, &opt);
        ensemble all = make(q, (int)w, 1);
        all.m.dy0 = all.m.dp = NULL;
        all.m.d = d;
        all.m.variables = listed ? LISTED : 0;
        all.m.variable = listed ? some : NULL;
        all.m.rows = ROWS, all.m.times = times, all.m.row = rows;
        assert_ok(s, costate_ensemble(s, &all.m));
        for (size_t k = 0; k < MEMBERS; k++) {
            double y[MOST];
            memcpy(y, q->y0, n * sizeof *y);
            assert_ok(single, costate_output(single, ROWS, times, row, NULL));
            assert_ok(single, costate_sensitivities(single, q->t0, q->t1, all.m.p + k * np, y, listed ? LISTED : 0,
                                                    listed ? some : NULL, (int)w, NULL, one));
            assert_bits(d + k * (size_t)count * w, one, (size_t)count * w);
            assert_bits(rows + k * ROWS * n, row, ROWS * n);
            assert_bits(all.m.y + k * n, y, n);
        }
        costate_free(s);
        costate_free(single);
        drop(&all);
    }
}

/* What does not fit is refused, and nothing stays as it was; a member that fails has NaN in its rows alone. */
static void test_matrices_refused(void **unused)
{
    (void)unused;
    const problem *q = &problem_lotka_volterra;
    const int w = q->prob.objectives ? q->prob.objectives : q->prob.n, all_of_them = q->prob.n + q->prob.np;
    const size_t size = (size_t)all_of_them * (size_t)w, n = (size_t)q->prob.n;
    costate_options opt = options("dopri5", 2);
    costate_solver *s = make_solver(&q->prob, &opt);
    ensemble e = make(q, w, 1);
    double *d = calloc(MEMBERS * size, sizeof *d), *row = calloc(MEMBERS * n, sizeof *row);
    e.m.d = d, e.m.row = row, e.m.times = &q->t1, e.m.rows = 1;
    assert_refused(s, costate_ensemble(s, &e.m), COSTATE_ERR_WIDTH, "d of the ensemble with dy0 or dp");
    assert_nan(d, MEMBERS * size), assert_nan(row, MEMBERS * n);
    e.m.dy0 = e.m.dp = NULL;
    e.m.variables = 1;
    assert_refused(s, costate_ensemble(s, &e.m), COSTATE_ERR_WIDTH, "1 variables without a list");
    e.m.variables = 0;
    e.m.times = NULL;
    assert_refused(s, costate_ensemble(s, &e.m), COSTATE_ERR_NULL, "rows of the ensemble");
    e.m.times = &q->t1;
    for (size_t k = 0; k < MEMBERS; k++) memcpy(e.m.y + k * n, q->y0, n * sizeof *row);
    ((double *)(uintptr_t)e.m.p)[2 * q->prob.np] = NAN;
    assert_int_equal(costate_ensemble(s, &e.m), COSTATE_ERR_MEMBERS);
    assert_nan(d + 2 * size, size), assert_nan(row + 2 * n, n);
    assert_finite(d, 2 * size), assert_finite(d + 3 * size, (MEMBERS - 3) * size), assert_finite(row, 2 * n);
    free(d);
    free(row);
    drop(&e);
    costate_free(s);
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
    m = e.m, m.w = q->prob.n + 1; /* gradients of unknown size are left alone */
    *m.dy0 = *m.dp = 1;
    assert_refused(s, costate_ensemble(s, &m), COSTATE_ERR_WIDTH, "without weights");
    assert_true(*m.dy0 == 1 && *m.dp == 1);
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

/* While a gradient is computed nothing is written to the caller's rows, which other threads have neighbours of. */
typedef struct watch {
    const ensemble *e;
    size_t count; /* of dy0 and dp together */
    int looks, touched;
} watch;

static watch watched;

static int watching_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (size_t i = 0; i < watched.count; i++) watched.touched += watched.e->m.dy0[i] != 7;
    watched.looks++;
    return problem_lotka_volterra.prob.vjp(t, y, p, w, u, yb, pb, data);
}

static void test_private(void **unused)
{
    const problem *q = &problem_lotka_volterra;
    costate_problem prob = q->prob;
    costate_options opt = options("dopri5", 1);
    const int w = prob.objectives ? prob.objectives : prob.n;
    (void)unused;
    ensemble e = make(q, w, 1);
    e.m.count = 1;
    watched = (watch){.e = &e, .count = MEMBERS * (size_t)((prob.n + prob.np) * w)};
    fill(e.m.dy0, watched.count, 7);
    prob.vjp = watching_vjp;
    costate_solver *s = make_solver(&prob, &opt);
    assert_ok(s, costate_ensemble(s, &e.m));
    assert_true(watched.looks > 0 && watched.touched == 0 && e.m.dy0[0] != 7 && e.m.dp[0] != 7);
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
        cmocka_unit_test(test_members),  cmocka_unit_test(test_matrices), cmocka_unit_test(test_matrices_refused),
        cmocka_unit_test(test_pattern),  cmocka_unit_test(test_failures), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_private),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
