/* test_blas.c - BLAS works with one thread inside the library, whatever the program has set for it, and that holds again
 * afterwards; so the numbers do not depend on it. Not much is to be seen on a machine with one processor. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "support.h"

#include "linsol/blas.h"
#include "linsol/lapack.h"
#include "linsol/linsol.h"

#include <sys/resource.h>
#include <unistd.h>

extern __attribute__((weak)) int openblas_get_num_threads(void);
extern __attribute__((weak)) void openblas_set_num_threads(int);

enum { N = 400, WIDE = 80 };

static double seconds(int who)
{
    struct rusage u;
    assert_int_equal(getrusage(who, &u), 0);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double of_others(void) /* processor time of all threads but this one */
{
    return seconds(RUSAGE_SELF) - seconds(RUSAGE_THREAD);
}

static void fill_jacobian(double *j, size_t count)
{
    for (size_t k = 0; k < count; k++) j[k] = sin((double)(k * k % 7919));
}

/* Whether other threads do some of the work: those that were just made, or are about to sleep, spin for a while. */
static void alone(const char *name, void (*work)(void *), void *ctx)
{
    double least = HUGE_VAL;
    for (int k = 0; k < 10 && least > 0.002; k++) {
        usleep(20000);
        const double before = of_others();
        work(ctx);
        least = fmin(least, of_others() - before);
    }
    if (least > 0.002) fail_msg("%s: others worked %g s", name, least);
}

typedef struct factoring {
    linsol *l;
    const double *jac;
} factoring;

static void factors(void *ctx)
{
    const factoring *f = ctx;
    for (int z = 0; z < 2; z++) assert_int_equal(f->l->ops->factor(f->l->self, 0, z, 3, z, f->jac), 0);
}

/* Factors and solutions of one matrix, with as many threads of BLAS as the program wants. */
static void factor(const char *name, const costate_pattern *pattern, const double *j, int threads, double *x)
{
    linsol l;
    char why[256];
    const linsol_config c = {.n = N, .pattern = *pattern, .slots = 1};
    if (openblas_set_num_threads) openblas_set_num_threads(threads);
    if (linsol_open(&l, name, &c, why, sizeof why)) fail_msg("%s: %s", name, why);
    for (int i = 0; i < 2 * N; i++) x[i] = 1 + i % 3;
    alone(name, factors, &(factoring){&l, j});
    assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x), 0);
    linsol_close(&l);
    if (openblas_get_num_threads) assert_int_equal(openblas_get_num_threads(), threads);
}

static void test_back_ends(void **state)
{
    (void)state;
    static double j[N * N], one[2 * N], many[2 * N];
    static int colptr[N + 1], rowind[N * N];
    fill_jacobian(j, N * N);
    for (int c = 0; c < N; c++) {
        colptr[c + 1] = N * (c + 1);
        for (int r = 0; r < N; r++) rowind[N * c + r] = r;
    }
    const costate_pattern dense = {.format = COSTATE_DENSE}, band = {.format = COSTATE_BANDED, .lower = WIDE, .upper = WIDE},
                          sparse = {.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
    const struct {
        const char *name;
        const costate_pattern *pattern;
    } all[] = {{"dense", &dense}, {"band", &band}, {"superlu", &sparse}, {"umfpack", &sparse}};
    for (size_t i = 0; i < COUNT(all); i++) {
        if (!linsol_find(all[i].name)) continue;
        factor(all[i].name, all[i].pattern, j, 1, one);
        factor(all[i].name, all[i].pattern, j, 4, many);
        assert_memory_equal(one, many, sizeof one);
    }
}

/* A residual, A y' + y = 0: which slopes are independent, of a matrix of all of them. */
static int residual(double t, const double *y, const double *p, double *f, void *a)
{
    (void)t, (void)p;
    for (int i = 0; i < N; i++) {
        f[i] = y[N + i];
        f[N + i] = y[i];
        for (int k = 0; k < N; k++) f[N + i] += ((const double *)a)[i + N * k] * y[N + k];
    }
    return 0;
}

static int jacobian(double t, const double *y, const double *p, double *jac, void *a)
{
    (void)t, (void)y, (void)p;
    memset(jac, 0, (size_t)(4 * N * N) * sizeof *jac);
    for (int i = 0; i < N; i++) {
        jac[i + 2 * N * (N + i)] = jac[N + i + 2 * N * i] = 1;
        for (int k = 0; k < N; k++) jac[N + i + 2 * N * (N + k)] = ((const double *)a)[i + N * k];
    }
    return 0;
}

static void solves(void *solver)
{
    static double y[2 * N];
    for (int i = 0; i < 2 * N; i++) y[i] = i < N;
    assert_ok(solver, costate_solve(solver, 0, 1, NULL, y));
}

static void test_slopes(void **state)
{
    (void)state;
    static double a[N * N], mass[2 * N];
    fill_jacobian(a, N * N);
    for (int i = 0; i < N; i++) mass[i] = 1, a[i + N * i] += 10;
    const costate_problem q = {.n = 2 * N, .slopes = N, .rhs = residual, .jac = jacobian, .mass = mass, .data = a};
    costate_options o = costate_defaults("rodas4");
    o.step = 1;
    costate_solver *s;
    assert_int_equal(costate_create(&s, &q, &o), 0);
    if (openblas_set_num_threads) openblas_set_num_threads(4);
    alone("slopes", solves, s);
    if (openblas_get_num_threads) assert_int_equal(openblas_get_num_threads(), 4);
    costate_free(s);
}

/* Several of our threads: the first to come, the last to go. What the program sets meanwhile stays. */
static void test_nested(void **state)
{
    (void)state;
    if (!openblas_set_num_threads) return;
    openblas_set_num_threads(3);
    const int outer = blas_calm(), inner = blas_calm();
    assert_int_equal(openblas_get_num_threads(), 1);
    blas_as_before(inner);
    assert_int_equal(openblas_get_num_threads(), 1);
    blas_as_before(outer);
    assert_int_equal(openblas_get_num_threads(), 3);
    const int again = blas_calm();
    openblas_set_num_threads(2);
    blas_as_before(again);
    assert_int_equal(openblas_get_num_threads(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_back_ends),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_nested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
