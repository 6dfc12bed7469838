/* test_newton.c - when an iteration of Newton's has converged: corrections as they come, and what is made of them. */
#include "support.h"

#include "method/newton.h"

/* The number of corrections that are asked for, and the last of them. */
static int corrections(newton c, const double *norm, int count, newton_verdict *last)
{
    int k = 0;
    do *last = newton_judge(&c, norm[k]);
    while (*last == NEWTON_AGAIN && ++k < count);
    return k + (k < count);
}

/* Steps of a given size, round-off being at 1e-9: complex eigenvalues let corrections grow now and then. */
static void test_turning(void **unused)
{
    static const double norm[] = {0.427, 0.0171, 0.0219, 0.0053, 0.000326, 0.000384, 3e-5, 4e-6, 3e-7, 2e-8, 2e-10};
    newton_verdict last;
    (void)unused;
    for (int near = -1; near <= 0; near++) {
        newton c = {.most = 10, .firm = 1, .sized = 1, .share = 0.01, .kappa = 9e-10, .noise = 9e-8, .rate = 1, .near = near};
        assert_int_equal(corrections(c, norm, COUNT(norm), &last), COUNT(norm));
        assert_int_equal(last, NEWTON_DONE);
    }
}

/* The same far above what the solution can bear, where a halt would be round-off of algebraic equations. */
static void test_turning_early(void **unused)
{
    static const double norm[] = {3, 0.002, 0.0072, 0.0061, 0.0012, 1e-4, 3e-6, 2e-7, 1e-9, 2e-11};
    newton_verdict last;
    (void)unused;
    newton c = {.most = 10, .firm = 1, .sized = 1, .share = 1e-3, .kappa = 1e-14, .noise = 1e-10, .rate = 1, .near = 0};
    assert_int_equal(corrections(c, norm, COUNT(norm), &last), COUNT(norm));
}

/* Slow, and past twice the usual count: steps of a given size go on, others have what the solution can bear. */
static void test_slow(void **unused)
{
    double norm[40];
    newton_verdict last;
    (void)unused;
    for (size_t k = 0; k < COUNT(norm); k++) norm[k] = 0.005 * pow(0.6, (double)k);
    for (int sized = 0; sized < 2; sized++) {
        newton c = {.most = 10, .firm = 1, .sized = sized, .share = 0.01, .kappa = 9e-10, .noise = 1e-12, .rate = 1, .near = -1};
        const int count = corrections(c, norm, COUNT(norm), &last);
        assert_int_equal(last, NEWTON_DONE);
        assert_true(sized ? 1.5 * norm[count - 1] <= 9.1e-10 && 1.5 * norm[count - 2] > 9e-10 : count == 20);
    }
}

/* Round-off of f above what was expected: corrections that go neither up nor down are the end. */
static void test_halting(void **unused)
{
    double norm[40] = {1, 0.05, 2e-3, 1e-4, 5e-6};
    newton_verdict last;
    (void)unused;
    for (size_t k = 5; k < COUNT(norm); k++) norm[k] = k % 2 ? 3e-7 : 2.7e-7;
    for (int near = -1; near <= 0; near++) {
        newton c = {.most = 10, .firm = 1, .sized = 1, .share = 0.01, .kappa = 9e-10, .noise = 9e-8, .rate = 1, .near = near};
        assert_true(corrections(c, norm, COUNT(norm), &last) < 12);
        assert_int_equal(last, NEWTON_DONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turning), cmocka_unit_test(test_turning_early),
                                       cmocka_unit_test(test_slow), cmocka_unit_test(test_halting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
