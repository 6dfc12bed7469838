/* test_continuous_dae.c - the adjoint equations of differential-algebraic systems: index 0 and 1 with a mass or as a residual,
 * Hessenberg's index 2; orders of radau2a, and of bdf, whose steps of a given size begin with implicit Euler; against the
 * discrete adjoint of a far more accurate run, which knows nothing of them. */
#include "support.h"

#include <costate/diff.h>
#include <stdio.h>

enum { MOST = 32 };

typedef struct subject {
    const char *file, *define;
    int index;
    double step, order; /* of radau2a, at this step and half of it */
} subject;

static const subject subjects[] = {
    {"linear_index1.c", NULL, 1, 0.4, 5}, {"linear_index1.c", "RESIDUAL=1", 1, 0.4, 5}, {"state_mass.c", NULL, 1, 0.5, 5},
    {"polar.c", NULL, 0, 0.3925, 5},      {"linear_index2.c", NULL, 2, 0.1, 3},
};

static costate_model *open_subject(const subject *q)
{
    char file[512];
    costate_model *m = NULL;
    const char *const define[] = {q->define};
    snprintf(file, sizeof file, SOURCE_DIR "/problems/%s", q->file);
    const costate_model_options o = {.order = 2, .defines = q->define != NULL, .define = define};
    if (costate_model_open(&m, file, &o)) fail_msg("%s", costate_model_message(m));
    return m;
}

/* By parameters and initial values, one after the other; their number. second: of the Hessian along an irregular direction. */
static int derivatives(costate_model *m, costate_options o, int second, double *d, costate_stats *st)
{
    const costate_problem *p = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    costate_solver *s = make_solver(p, &o);
    double y[MOST], one[MOST], ydot[MOST], pdot[MOST];
    for (int i = 0; i < MOST; i++) one[i] = 1, ydot[i] = sin(1 + i), pdot[i] = cos(i);
    if (about.y0) memcpy(y, about.y0, (size_t)p->n * sizeof *y);
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    if (second) assert_ok(s, costate_hessian(s, 1, NULL, ydot, pdot, d + p->np, d));
    else assert_ok(s, costate_gradient(s, 1, one, d + p->np, d));
    *st = stats_of(s);
    costate_free(s);
    return p->np + p->n;
}

static costate_options by(const char *method, double rtol)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = rtol / 100;
    o.adjoint = "continuous";
    return o;
}

static double off(int count, const double *d, const double *exact)
{
    double error = 0, size = 0.1; /* of numbers of about 1: some products are zero */
    for (int i = 0; i < count; i++) {
        error = fmax(error, fabs(d[i] - exact[i]));
        size = fmax(size, fabs(exact[i]));
    }
    return error / size;
}

static void of_order(int second)
{
    for (size_t i = 0; i < COUNT(subjects); i++) {
        const subject *q = &subjects[i];
        if (second && q->index != 1) continue; /* of polar.c they are zero */
        costate_model *m = open_subject(q);
        double exact[2 * MOST], d[2 * MOST], error[2];
        costate_stats st;
        costate_options o = by("radau2a", 1e-12);
        o.adjoint = "discrete";
        const int count = derivatives(m, o, second, exact, &st);
        for (int by_bdf = 0; by_bdf < 2; by_bdf++) {
            for (int k = 0; k < 2; k++) {
                o = by(by_bdf ? "bdf" : "radau2a", 1e-6);
                o.step = q->step / (by_bdf ? 40 : 1) / (1 << k);
                derivatives(m, o, second, d, &st);
                error[k] = off(count, d, exact);
            }
            const double order = log2(error[0] / error[1]), expected = by_bdf ? 2 : q->order;
            if (!(order > expected - 0.25) && !(error[1] < 1e-10))
                fail_msg("%s, %s: errors %.2e, %.2e, order %.2f, not %g", q->file, o.method, error[0], error[1], order, expected);
        }
        const char *const methods[] = {"radau2a", "bdf", "sdirk4a"};
        for (size_t k = 0; k < (q->index < 2 ? 3 : 2); k++)
            for (double rtol = 1e-4; rtol > 1e-7; rtol /= 100) {
                derivatives(m, by(methods[k], rtol), second, d, &st);
                const double e = off(count, d, exact);
                if (!(e < 300 * rtol)) fail_msg("%s, %s at %g: error %.2e", q->file, methods[k], rtol, e);
            }
        costate_model_close(m);
    }
}

static void gradients_of_index_0_to_2(void **state)
{
    (void)state;
    of_order(0);
}

static void products_of_index_1(void **state)
{
    (void)state;
    of_order(1);
}

/* (31) of DASPKADJOINT takes 61 backward steps with the error test on F_v^T lambda alone, 2662 on lambda (Table 2). */
static void few_steps_where_the_matrix_depends_on_the_state(void **state)
{
    (void)state;
    costate_model *m = open_subject(&subjects[3]);
    double d[2 * MOST];
    costate_stats st;
    derivatives(m, by("bdf", 1e-7), 0, d, &st);
    assert_in_range(st.adjoint_steps, 10, 60);
    assert_near(d[0], -0.99920335622110, 1e-6);
    assert_near(d[1], 1.00079600964257, 1e-6);
    derivatives(m, by("radau2a", 1e-7), 0, d, &st);
    assert_in_range(st.adjoint_steps, 5, 30);
    assert_near(d[0], -0.99920335622110, 1e-8);
    costate_model_close(m);
}

static void what_is_not_set_up_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *file, *words;
        int second;
    } cases[] = {{"transistor.c", "slopes that depend on each other", 0}, {"linear_index2.c", "first order only", 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        costate_model *m = open_subject(&(subject){.file = cases[i].file});
        const costate_problem *p = costate_model_problem(m);
        const costate_model_info about = costate_model_about(m);
        const costate_options o = by("radau2a", 1e-4);
        costate_solver *s = make_solver(p, &o);
        double y[MOST] = {0}, one[MOST] = {1}, d[2 * MOST];
        if (about.y0) memcpy(y, about.y0, (size_t)p->n * sizeof *y);
        assert_ok(s, costate_solve(s, about.t0, about.t0 + (about.t1 - about.t0) / 100, about.p, y));
        const int status =
            cases[i].second ? costate_hessian(s, 1, NULL, one, NULL, d + p->np, d) : costate_gradient(s, 1, one, d + p->np, d);
        assert_refused(s, status, COSTATE_ERR_CONTINUOUS, cases[i].words);
        assert_nan(d, (size_t)(p->np + p->n));
        costate_free(s);
        costate_model_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_index_0_to_2),
        cmocka_unit_test(products_of_index_1),
        cmocka_unit_test(few_steps_where_the_matrix_depends_on_the_state),
        cmocka_unit_test(what_is_not_set_up_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
