/* test_memory.c - memory runs out: at the first request, at the second, and so on until there was enough, once only or
 * from there on. Every time it is a clean error with NaN in all outputs, nothing is lost, and the solver works when
 * memory is back. */
#include "support.h"

#include "problems.h"

enum { N = 2, NP = 9, NOBJ = 2, W = 11, ROWS = 5 };

typedef enum operation { SOLVE, OUTPUT, TANGENT, ADJOINT, GRADIENT, HESSIAN, MATRICES, CHECK, SET, OPERATIONS } operation;

typedef struct results {
    double y[N], ydot[N * W], psidot[NOBJ * W], rows[ROWS * N], dots[ROWS * N * W];
    double lambda[N * W], mu[NP * W], dy0[N * NOBJ], dp[NP * NOBJ], hy0[N * W], hp[NP * W];
    double d[(N + NP) * NOBJ], h[(N + NP) * (N + NP)];
    double identity;
} results;

typedef struct config {
    int64_t memory, disk;
    int bare; /* no products, so that all are differences */
    const double *atols;
    double size; /* of the steps */
    int threads; /* 0: one */
} config;

static const problem *const duffing = &problem_duffing;

/* ---- the operations ---------------------------------------------------------------------------------------------- */

static int solve(costate_solver *s, results *r)
{
    int status = costate_solve(s, duffing->t0, duffing->t1, duffing->p, r->y);
    if (status) assert_nan(r->y, N);
    return status;
}

static int with_output(costate_solver *s, results *r)
{
    static const double times[ROWS] = {0, 0.01, 1, 3.33, 8};
    double pdot[NP * W];
    fill(pdot, NP * W, 0.25);
    int status = costate_output(s, ROWS, times, r->rows, r->dots);
    if (status) return status;
    status = costate_tangent(s, duffing->t0, duffing->t1, duffing->p, r->y, W, r->ydot, pdot);
    if (status) assert_nan(r->y, N), assert_nan(r->ydot, N * W), assert_nan(r->rows, ROWS * N), assert_nan(r->dots, ROWS * N * W);
    return status;
}

static int directions(costate_solver *s, results *r)
{
    double pdot[NP * W];
    fill(pdot, NP * W, 0.5);
    int status = costate_tangent(s, duffing->t0, duffing->t1, duffing->p, r->y, W, r->ydot, pdot);
    if (status) assert_nan(r->y, N), assert_nan(r->ydot, N * W);
    return status ? status : costate_objectives_dot(s, r->psidot);
}

static int adjoint(costate_solver *s, results *r)
{
    int status = costate_adjoint(s, W, r->lambda, r->mu);
    if (status) assert_nan(r->lambda, N * W), assert_nan(r->mu, NP * W);
    return status;
}

static int gradient(costate_solver *s, results *r)
{
    int status = costate_gradient(s, NOBJ, NULL, r->dy0, r->dp);
    if (status) assert_nan(r->dy0, N * NOBJ), assert_nan(r->dp, NP * NOBJ);
    return status;
}

static int hessian(costate_solver *s, results *r)
{
    double pdot[NP * W];
    for (int i = 0; i < NP * W; i++) pdot[i] = sin(i);
    int status = costate_hessian(s, W, NULL, NULL, pdot, r->hy0, r->hp);
    if (status) assert_nan(r->hy0, N * W), assert_nan(r->hp, NP * W);
    return status;
}

static int matrices(costate_solver *s, results *r)
{
    int status = costate_sensitivities(s, duffing->t0, duffing->t1, duffing->p, r->y, 0, NULL, NOBJ, NULL, r->d);
    if (status) assert_nan(r->y, N), assert_nan(r->d, (N + NP) * NOBJ);
    if (!status) status = costate_hessian_full(s, NULL, 0, NULL, r->h);
    else fill(r->h, (N + NP) * (N + NP), NAN);
    if (status) assert_nan(r->h, (N + NP) * (N + NP));
    return status;
}

static int check(costate_solver *s, results *r)
{
    costate_certificate c;
    int status = costate_check(s, duffing->t0, duffing->t1, duffing->p, NULL, &c);
    if (status && status != COSTATE_CHECK_FAILED)
        assert_true(isnan(c.identity) && isnan(c.symmetry) && isnan(c.worst) && !c.holds);
    r->identity = c.identity;
    return status;
}

static int work(costate_solver *s, operation op, results *r)
{
    int status = 0;
    fill(r->y, sizeof *r / sizeof(double), 1);
    if (op == ADJOINT || op == GRADIENT || op == HESSIAN || op == SET) status = solve(s, r);
    if (status) return status;
    switch (op) {
    case SOLVE: return solve(s, r);
    case OUTPUT: return with_output(s, r);
    case TANGENT: return directions(s, r);
    case ADJOINT: return adjoint(s, r);
    case GRADIENT: return gradient(s, r);
    case HESSIAN: return hessian(s, r);
    case MATRICES: return matrices(s, r);
    case CHECK: return check(s, r);
    default: status = costate_set(s, "method", "cashkarp"); return status ? status : solve(s, r);
    }
}

/* ---- request after request --------------------------------------------------------------------------------------- */

static int create(costate_solver **s, const config *c, heap *h)
{
    costate_problem prob = duffing->prob;
    if (c->bare) {
        prob.jvp = NULL, prob.vjp = NULL, prob.jvp2 = NULL, prob.vjp_dot = NULL, prob.jac = NULL;
        costate_function *f[] = {&prob.init, &prob.terminal, &prob.running, &prob.observe};
        for (size_t i = 0; i < COUNT(f); i++) *f[i] = (costate_function){.eval = f[i]->eval};
    }
    costate_options opt = costate_defaults(NULL);
    opt.step = c->size;
    if (c->threads) opt.threads = c->threads;
    opt.disk = c->disk;
    opt.atols = c->atols;
    if (c->memory) opt.memory = c->memory;
    opt.allocator = heap_allocator(h);
    *s = NULL;
    return costate_create(s, &prob, &opt);
}

/* Request k fails; 0 when the work was done before it came to that. */
static int without_request(int64_t k, int and_all_after, const config *c, operation op, const results *expected)
{
    heap h = {.fail_at = k, .fail_on = and_all_after};
    costate_solver *s;
    results r;
    int status = create(&s, c, &h), made = !status;
    if (made) status = work(s, op, &r);
    if (h.requests < k) {
        assert_ok(s, status);
        assert_memory_equal(&r, expected, sizeof r);
    } else if (s) assert_refused(s, status, COSTATE_ERR_MEMORY, "");
    else assert_int_equal(status, COSTATE_ERR_MEMORY);
    int hit = h.requests >= k;
    h.fail_at = 0; /* memory is back */
    if (s && hit) {
        status = work(s, op, &r);
        if (made && op != SET) assert_ok(s, status); /* only a solver that could not be made or changed stays refused */
        if (status) assert_refused(s, status, COSTATE_ERR_MEMORY, "");
        else assert_memory_equal(&r, expected, sizeof r);
    }
    costate_free(s);
    assert_int_equal(h.live, 0);
    return hit;
}

static void run_out(const config *c)
{
    for (int op = 0; op < OPERATIONS; op++) {
        heap h = {0};
        costate_solver *s;
        results expected;
        assert_int_equal(create(&s, c, &h), 0);
        assert_ok(s, work(s, (operation)op, &expected));
        costate_free(s);
        assert_int_equal(h.live, 0);
        assert_true(h.requests > 5);
        for (int all = 0; all < 2; all++) {
            int64_t k = 1;
            while (without_request(k, all, c, (operation)op, &expected)) k++;
            if (!c->threads) assert_int_equal(k, h.requests + 1); /* else it depends on who does what */
        }
    }
}

static void test_plenty(void **unused)
{
    (void)unused;
    run_out(&(config){.size = 1.0 / 64});
}

static void test_checkpoints(void **unused)
{
    (void)unused;
    run_out(&(config){.memory = 1024, .size = 1.0 / 32});
}

static void test_disk(void **unused)
{
    (void)unused;
    run_out(&(config){.memory = 2048, .disk = 1 << 20, .size = 1.0 / 32});
}

static void test_differences(void **unused)
{
    (void)unused;
    static const double atols[N] = {1e-6, 1e-6};
    run_out(&(config){.bare = 1, .atols = atols, .size = 0.25});
}

/* A user's allocator is never called by two threads at once. */
static void test_threads(void **unused)
{
    (void)unused;
    run_out(&(config){.threads = 3, .size = 1.0 / 8});
    run_out(&(config){.threads = 3, .memory = 4096, .size = 1.0 / 8});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plenty),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_disk),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
