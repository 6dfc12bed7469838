/* test_correct.c - the certificate rejects no run whose derivatives are right: models of problems/ and examples/, by all methods
 * that take them, at loose and at tight tolerances. */
#include "known.h"

#include <costate/diff.h>

static const struct {
    const char *file;
    double loosest, tightest;
} models[] = {
    {"examples/models/predator_prey.c", 1e-3, 1e-5}, {"problems/duffing.c", 1e-4, 1e-8},       {"problems/kepler.c", 1e-4, 1e-6},
    {"problems/logistic.c", 1e-2, 1e-8},             {"problems/linear_index1.c", 1e-3, 1e-7},
};

static int suits(const costate_table *method, double tol)
{
    return tol > 0.5 * (method->order > 4 ? 1e-8 : method->order > 2 ? 1e-6 : 1e-4);
}

/* 1: it was judged, and holds. */
static int holds(const costate_model *m, const char *file, const costate_table *method, double tol)
{
    costate_options o = costate_model_defaults(m);
    o.method = method->name;
    o.rtol = tol;
    costate_solver *s = NULL;
    costate_certificate c;
    if (costate_create(&s, costate_model_problem(m), &o)) { /* methods that do not take its algebraic equations */
        costate_free(s);
        return 0;
    }
    const costate_model_info from = costate_model_about(m);
    const int status = costate_check(s, from.t0, from.t1, from.p, from.y0, &c);
    if (status == COSTATE_CHECK_FAILED) fail_msg("%s, %s, %g: %s", file, method->name, tol, c.text);
    if (status) fail_msg("%s, %s, %g: %s", file, method->name, tol, costate_message(s));
    costate_free(s);
    return 1;
}

static void test_correct(void **unused)
{
    int judged = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char file[512];
        costate_model *m = NULL;
        snprintf(file, sizeof file, "%s/%s", SOURCE_DIR, models[i].file);
        if (costate_model_open(&m, file, NULL) || costate_model_need(m, 2)) fail_msg("%s", costate_model_message(m));
        for (int k = 0; costate_method(k); k++)
            for (double tol = models[i].loosest; tol > 0.5 * models[i].tightest; tol /= 100)
                if (suits(costate_method(k), tol)) judged += holds(m, models[i].file, costate_method(k), tol);
        costate_model_close(m);
        print_message("%s: %d runs so far\n", models[i].file, judged);
    }
    assert_true(judged > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_correct)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
