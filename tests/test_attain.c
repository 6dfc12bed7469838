/* test_attain.c - an accuracy that is asked for: the true errors are within it, in few runs; what cannot be had is said, with the
 * best there is; bad input. */
#include "support.h"

#include "bars.h"

/* Objective 0 and its gradient by all that are variables, with relative accuracy `wanted`. */
static void asked(const subject *q, const char *method, double wanted)
{
    costate_options o = costate_defaults(method);
    const int first = q->prob.init.eval ? (int)q->n : 0, count = (int)q->all - first;
    int list[200];
    double y[200], g[200] = {0}, bar[200], psi[200], psi_bar[200], weights[200] = {1};
    for (int i = 0; i < count; i++) list[i] = first + i;
    memcpy(y, q->about.y0, q->n * sizeof *y);
    costate_accuracy a = {.wanted = wanted,
                          .t0 = q->about.t0,
                          .t1 = q->about.t1,
                          .p = q->about.p,
                          .y = y,
                          .w = 1,
                          .count = count,
                          .weights = weights,
                          .variable = list,
                          .d = g + first,
                          .psi_bar = psi_bar,
                          .d_bar = bar + first};
    costate_solver *s = make_solver(&q->prob, &o);
    assert_ok(s, costate_attain(s, &a));
    assert_ok(s, costate_objectives(s, psi));
    const double e = fmax(fabs(psi[0] / q->truth.psi - 1), bars_norm(q, g, q->truth.g) / bars_norm(q, q->truth.g, NULL));
    if (!(e <= wanted && a.reached <= wanted && a.runs < 12))
        fail_msg("%g: true error %.2g, bar %.2g, %d runs", wanted, e, a.reached, a.runs);
    assert_true(strcmp(method, "auto") == 0 || strcmp(a.method, method) == 0);
    assert_finite(bar + first, (size_t)count);
    double again[200], z[200]; /* the solver keeps what was found */
    memcpy(z, q->about.y0, q->n * sizeof *z);
    assert_ok(s, costate_sensitivities(s, a.t0, a.t1, a.p, z, count, list, 1, weights, again));
    assert_bits(again, g + first, (size_t)count);
    costate_free(s);
}

static void reached(void **state)
{
    static const char *const files[] = {"problems/lotka_volterra", "problems/duffing", "problems/hires"};
    (void)state;
    for (size_t k = 0; k < COUNT(files); k++) {
        subject q = {0};
        assert_int_equal(subject_open(&q, files[k], NULL, k == 2 ? "radau2a" : "dopri853", 0), 0);
        for (int d = 2; d <= 8; d += 2) asked(&q, "auto", pow(10, -d));
        asked(&q, "bdf", 1e-4);
        if (k < 2) asked(&q, "rk43", 1e-5);
        subject_close(&q);
    }
}

static int decay(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = -p[0] * y[0];
    return 0;
}

static int noisy(double t, const double *y, const double *p, double *f, void *data)
{
    decay(t, y, p, f, data);
    f[0] *= 1 + 1e-3 * sin(1e9 * y[0]);
    return 0;
}

static int bursts(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = y[0] * y[0];
    return 0;
}

/* Objectives alone: y(1) = exp(-p). */
static void objectives_alone(void **state)
{
    const costate_problem q = {.n = 1, .np = 1, .rhs = decay};
    const costate_options o = costate_defaults("dopri5");
    const double p[] = {2};
    (void)state;
    for (int d = 2; d <= 10; d++) {
        double y[] = {1};
        costate_solver *s = make_solver(&q, &o);
        costate_accuracy a = {.wanted = pow(10, -d), .t1 = 1, .p = p, .y = y};
        assert_ok(s, costate_attain(s, &a));
        assert_true(fabs(y[0] / exp(-2) - 1) <= a.wanted);
        assert_true(a.reached >= 0.001 * a.wanted || a.rtol > 0.02);
        costate_free(s);
    }
}

/* Noise of a thousandth: 1e-2 may be had, 1e-9 not; then the best is there, and said to be it. */
static void not_reached(void **state)
{
    const costate_problem q = {.n = 1, .np = 1, .rhs = noisy};
    costate_options o = costate_defaults("dopri5");
    const double p[] = {2};
    double y[] = {1}, bar;
    (void)state;
    o.max_steps = 3000;
    costate_solver *s = make_solver(&q, &o);
    costate_accuracy a = {.wanted = 1e-9, .t1 = 1, .p = p, .y = y, .psi_bar = &bar};
    assert_refused(s, costate_attain(s, &a), COSTATE_ERR_ACCURACY, "1e-09 was asked for");
    assert_true(a.reached > 1e-9 && a.reached < 1e-2 && a.rtol > 0 && fabs(y[0] / exp(-2) - 1) < 2e-3);
    assert_near(bar, a.reached * y[0], 1e-12);
    costate_free(s);
}

/* Nothing comes of a run that ends in a pole, nor of bad input. */
static void refused(void **state)
{
    const costate_problem q = {.n = 1, .rhs = bursts};
    costate_options o = costate_defaults("dopri5");
    double y[] = {1}, d[1] = {0}, psi_bar = 0;
    (void)state;
    costate_solver *s = make_solver(&q, &o);
    costate_accuracy a = {.wanted = 1e-3, .t1 = 2, .y = y, .w = 1, .d = d, .psi_bar = &psi_bar};
    assert_true(costate_attain(s, &a) != 0);
    assert_true(isnan(y[0]) && isnan(d[0]) && isnan(psi_bar) && isnan(a.rtol));
    const double bad[] = {0, 1, -1, NAN};
    for (size_t k = 0; k < COUNT(bad); k++) {
        y[0] = 1, a.wanted = bad[k];
        assert_refused(s, costate_attain(s, &a), COSTATE_ERR_VALUE, "accuracy");
    }
    a.wanted = 1e-3, a.w = 3;
    assert_refused(s, costate_attain(s, &a), COSTATE_ERR_WIDTH, "w = 3");
    a.w = 1, a.d = NULL, y[0] = 1;
    assert_refused(s, costate_attain(s, &a), COSTATE_ERR_NULL, "d of");
    assert_refused(s, costate_attain(s, NULL), COSTATE_ERR_NULL, "accuracy");
    costate_free(s);
    o.step = 0.1;
    s = make_solver(&q, &o);
    a.d = d, y[0] = 1;
    assert_refused(s, costate_attain(s, &a), COSTATE_ERR_VALUE, "given size");
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reached), cmocka_unit_test(objectives_alone),
                                       cmocka_unit_test(not_reached), cmocka_unit_test(refused)};
    return cmocka_run_group_tests_name("attain", tests, NULL, NULL);
}
