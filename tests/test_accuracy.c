/* test_accuracy.c - error against tolerance: for every problem whose end is known, methods of every family that is meant for it
 * end within 30 tolerances of it; Kepler and E5, which amplify errors, within 30 times what they make of an error of one
 * tolerance (accuracy.h). docs/accuracy_table.md has all methods and tolerances. */
#include "accuracy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST = 100000 };

static void within(const problem *q, const char *method, double rtol)
{
    int status;
    double error = accuracy_error(q, method, rtol, MOST, &status);
    int sensitive = !strcmp(q->name, "kepler") || !strcmp(q->name, "e5");
    if (error <= ACCURACY_FACTOR) return;
    double amplification = sensitive ? accuracy_amplification(q) : 1;
    if (!(error <= ACCURACY_FACTOR * amplification))
        fail_msg("%s, %s, rtol %.0e: status %d, error of %.3g tolerances, amplification %.3g", q->name, method, rtol, status,
                 error, amplification);
}

static void not_stiff(void **state)
{
    static const char *const methods[] = {"rk32", "rk43", "dopri5", "cashkarp", "verner65", "dopri853"};
    const problem *q = *state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int d = 3; d <= 10; d++) within(q, methods[m], pow(10, -d));
}

/* RK2(3) carries the solution of order 2 and estimates its error, h^3, exactly: what adds up over 1/h steps is h^2, so that the
 * error is proportional to rtol^(2/3). */
static void lower_order_carried(void **state)
{
    const problem *q = *state;
    int status;
    double loose = accuracy_error(q, "rk23", 1e-6, MOST, &status), tight = accuracy_error(q, "rk23", 1e-9, MOST, &status);
    double slope = log10(tight / loose) / 3;
    if (!(fabs(slope - 1.0 / 3) < 0.05)) fail_msg("%s: error/rtol is proportional to rtol^-%.3f", q->name, slope);
}

static void stiff(void **state)
{
    static const char *const methods[] = {"rodas3", "rodas4", "sdirk4a", "sdirk4b", "radau2a", "radau1a", "lobatto3c"};
    const problem *q = *state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int d = 3; d <= 7; d += 2) within(q, methods[m], pow(10, -d));
}

/* Where a run takes long: Rodas alone, and at 1e-4: of the ring modulator's fast oscillation methods that damp have nothing
 * left at 1e-3, however they round (docs/accuracy.md). */
static void stiff_and_long(void **state)
{
    const problem *q = *state;
    within(q, "rodas4", 1e-4);
}

/* The amplification of y' = k y over [0, T] is e^(kT) D(0)/D(T): of relative errors 1. */
static int grow(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = p[0] * y[0];
    return 0;
}

static void amplification_known(void **state)
{
    double y0[] = {1}, scale[] = {1e-8}, up[] = {2}, down[] = {-2};
    problem q = {.name = "exponential", .prob = {.n = 1, .np = 1, .rhs = grow}, .y0 = y0, .p = up, .t1 = 3, .scale = scale};
    (void)state;
    assert_true(fabs(accuracy_amplification(&q) - 1) < 1e-5); /* relative errors neither grow nor shrink */
    scale[0] = 10;
    assert_true(fabs(accuracy_amplification(&q) / (exp(6) * 11 / (10 + exp(6))) - 1) < 1e-4);
    q.p = down; /* the last of the times counts most */
    double last = 6.0 / (ACCURACY_TIMES / 2), ratio = (10 + exp(last - 6)) / (10 + exp(-6));
    assert_true(fabs(accuracy_amplification(&q) / (exp(-last) * ratio) - 1) < 1e-4);
    double b[] = {3, 0, 4, 5}; /* singular values sqrt(45), sqrt(5) */
    assert_true(fabs(accuracy_norm(2, b) / sqrt(45) - 1) < 1e-12);
}

int main(void)
{
    problem *sized[] = {heat_diffusivity(8), heat_two_modes(7), brusselator_1d(500)};
    static const char *const sizes[] = {"M=8", "M=7", "N=500"};
    int made = sizeof sized / sizeof *sized, count = 0, models = 0;
    generated all[problem_count() + stiff_count() + made];
    struct CMUnitTest tests[2 * problem_count() + stiff_count() + made + 1];
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(amplification_known);
    for (int i = 0; i < problem_count(); i++) {
        all[models] = generate(problem_get(i), NULL);
        const problem *q = &all[models++].q;
        tests[count++] = (struct CMUnitTest){q->name, not_stiff, NULL, NULL, (void *)q};
        tests[count++] = (struct CMUnitTest){"and with the lower order carried", lower_order_carried, NULL, NULL, (void *)q};
    }
    for (int i = 0; i < stiff_count() + made; i++) {
        int k = i - stiff_count();
        all[models] = generate(k < 0 ? stiff_get(i) : sized[k], k < 0 ? NULL : sizes[k]);
        const problem *q = &all[models++].q;
        int is_long = q->prob.n > 500 || !strcmp(q->name, "ring_modulator");
        tests[count++] = (struct CMUnitTest){q->name, is_long ? stiff_and_long : stiff, NULL, NULL, (void *)q};
    }
    int failed = _cmocka_run_group_tests("accuracy", tests, (size_t)count, NULL, NULL);
    for (int i = 0; i < models; i++) costate_model_close(all[i].model);
    for (int i = 0; i < made; i++) problem_free(sized[i]);
    return failed;
}
