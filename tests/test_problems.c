/* test_problems.c - every product of every problem that is not stiff, as products.h checks it. */
#include "products.h"

static void products(void **state)
{
    point ones;
    ones.t = 1;
    for (int i = 0; i < N; i++) ones.y[i] = ones.u[i] = 1;
    for (int i = 0; i < NP; i++) ones.p[i] = 1;
    check_products(*state, &ones);
}

static void found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < problem_count(); i++) assert_ptr_equal(problem_find(problem_get(i)->name), problem_get(i));
    assert_null(problem_get(-1));
    assert_null(problem_get(problem_count()));
    assert_null(problem_find("no such problem"));
}

int main(void)
{
    int count = problem_count();
    struct CMUnitTest tests[count + 1];
    for (int i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){problem_get(i)->name, products, NULL, NULL, (void *)problem_get(i)};
    tests[count] = (struct CMUnitTest)cmocka_unit_test(found_by_name);
    return _cmocka_run_group_tests("problems", tests, (size_t)count + 1, NULL, NULL);
}
