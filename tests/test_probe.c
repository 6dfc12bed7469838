/* test_probe.c - option probe: a parameter that the steps do not see has a derivative that is off by many times its value without
 * it, and is right with it; ordinary problems hardly notice. */
#include "support.h"

#include "problems.h"

/* y' = -a y + b sin 40t, b = 0: nothing of b is in y. dy(T)/db is known in closed form. */
static int hidden(double t, const double *y, const double *p, double *f, void *data)
{
    (void)data;
    f[0] = -p[0] * y[0] + p[1] * sin(40 * t);
    return 0;
}

static int hidden_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *fdot, void *data)
{
    (void)data;
    for (int l = 0; l < w; l++) {
        fdot[l] = ydot ? -p[0] * ydot[l] : 0;
        if (pdot) fdot[l] += -pdot[l] * y[0] + pdot[w + l] * sin(40 * t);
        if (tdot) fdot[l] += p[1] * 40 * cos(40 * t) * tdot[l];
    }
    return 0;
}

static const costate_problem problem_hidden = {.n = 1, .np = 2, .rhs = hidden, .jvp = hidden_jvp};
static const double a = 0.5, T = 10;

static double by_b(void)
{
    return (a * sin(40 * T) - 40 * cos(40 * T) + 40 * exp(-a * T)) / (a * a + 1600);
}

static double off(const char *method, const char *adjoint, int probe, int64_t memory, double *g, int64_t *steps)
{
    const double p[] = {a, 0};
    double y[] = {1};
    costate_options o = costate_defaults(method);
    o.probe = probe, o.memory = memory;
    o.adjoint = adjoint;
    costate_solver *s = make_solver(&problem_hidden, &o);
    assert_ok(s, costate_solve(s, 0, T, p, y));
    *steps = stats_of(s).steps;
    assert_ok(s, costate_gradient(s, 1, NULL, g, g + 1));
    assert_near(y[0], exp(-a * T), 1e-6);
    if (probe && adjoint[0] == 'd') { /* a tangent run takes the same steps, and is as accurate */
        double ydot[] = {0}, pdot[] = {0, 1}, end[] = {1};
        assert_ok(s, costate_tangent(s, 0, T, p, end, 1, ydot, pdot));
        if (strcmp(method, "auto")) assert_int_equal(stats_of(s).steps, *steps);
        assert_near(ydot[0], g[2], 1e-7);
    }
    costate_free(s);
    return fabs(g[2] / by_b() - 1);
}

static void hidden_parameter(void **state)
{
    static const char *const methods[] = {"dopri5", "radau2a", "sdirk4b", "rodas4", "bdf", "auto"};
    double worst = 0, g[3], again[3];
    int64_t steps, other;
    (void)state;
    for (size_t m = 0; m < COUNT(methods); m++) {
        const double without = off(methods[m], "discrete", 0, 1 << 30, g, &steps);
        const double with = off(methods[m], "discrete", 1, 1 << 30, g, &steps);
        if (!(without > 3 && with < (strcmp(methods[m], "bdf") ? 1e-5 : 1e-3)))
            fail_msg("%s: off by %.3g of its value without, %.3g with the probe", methods[m], without, with);
        worst = fmax(worst, without);
        off(methods[m], "discrete", 1, 9000, again, &other);
        assert_bits(again, g, 3);
        assert_int_equal(other, steps);
    }
    assert_true(worst > 57);
}

/* The adjoint equations have a probe of their own, whatever the run has: an error of one tolerance a step, of an integral of
 * |q'| that is 100 times the value, over some 100 steps. */
static void backwards(void **state)
{
    static const char *const methods[] = {"dopri5", "radau2a", "sdirk4b", "bdf"};
    (void)state;
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int probe = 0; probe < 2; probe++) {
            double g[3];
            int64_t steps;
            const double error = off(methods[m], "continuous", probe, 1 << 30, g, &steps);
            if (!(error < 0.02)) fail_msg("%s, probe = %d: off by %.3g of its value", methods[m], probe, error);
        }
}

/* At most half as many steps again, and the same answer. */
static void ordinary(void **state)
{
    const problem *all[] = {&problem_lotka_volterra, &problem_brusselator, &problem_duffing, stiff_hires(), stiff_pollu()};
    (void)state;
    for (size_t k = 0; k < COUNT(all); k++) {
        const problem *q = all[k];
        int64_t steps[2];
        double y[2][40];
        for (int probe = 0; probe < 2; probe++) {
            costate_options o = costate_defaults(k < 3 ? "dopri5" : "rodas4");
            o.probe = probe;
            costate_solver *s = make_solver(&q->prob, &o);
            for (int i = 0; q->y0 && i < q->prob.n; i++) y[probe][i] = q->y0[i];
            assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y[probe]));
            steps[probe] = stats_of(s).steps;
            costate_free(s);
        }
        if (!((double)steps[1] <= 1.55 * (double)steps[0]))
            fail_msg("%s: %lld and %lld steps", q->name, (long long)steps[0], (long long)steps[1]);
        for (int i = 0; i < q->prob.n; i++) assert_near(y[0][i], y[1][i], 1e-4 * (1 + fabs(y[0][i])));
    }
}

/* Nothing to steer: no parameters, or steps of a given size. */
static void idle(void **state)
{
    costate_options o = costate_defaults("dopri5");
    costate_problem q = problem_hidden;
    const double p[] = {a, 0};
    double y[2] = {1, 1};
    (void)state;
    o.step = 0.01;
    for (int probe = 0; probe < 2; probe++) {
        o.probe = probe;
        costate_solver *s = make_solver(&q, &o);
        assert_ok(s, costate_solve(s, 0, 1, p, &y[probe]));
        assert_int_equal(stats_of(s).jvp, 0);
        costate_free(s);
    }
    assert_bits(&y[0], &y[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hidden_parameter), cmocka_unit_test(backwards),
                                       cmocka_unit_test(ordinary), cmocka_unit_test(idle)};
    return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
