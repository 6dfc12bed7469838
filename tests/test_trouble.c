/* test_trouble.c - callbacks that refuse, stop, or give values that are not finite, on the way forward: what can be
 * avoided by a smaller step is, what cannot is told with its place, and no number survives a failed run. */
#include "faulty.h"

#include "problems.h"

#include <stdio.h>

/* y' = -y; refuses, or gives `value` in a component, from `from` on; refuses the first calls after t0 in any case. */
typedef struct decay {
    int refusals;     /* still to come */
    double from;
    int code;         /* of the refusal from there on; 0: value */
    int component;
    double value;
} decay;

static int decay_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)p;
    decay *d = data;
    if (d->refusals > 0) {
        d->refusals--;
        return 1;
    }
    f[0] = -y[0];
    f[1] = -2 * y[1];
    if (t > d->from && d->code) return d->code;
    if (t > d->from) f[d->component] = d->value;
    return 0;
}

static const char *const names[] = {"prey", "predator"};

static costate_problem decaying(decay *d)
{
    return (costate_problem){.n = 2, .data = d, .rhs = decay_rhs, .state_names = names};
}

/* ---- a smaller step helps ---------------------------------------------------------------------------------------- */

static void test_refused_at_first(void **unused)
{
    (void)unused;
    decay d = {.from = HUGE_VAL};
    costate_problem prob = decaying(&d);
    costate_solver *s = make_solver(&prob, NULL);
    for (int refusals = 0; refusals < 6; refusals++) {
        double y[2] = {1, 1}, again[2] = {1, 1};
        d.refusals = refusals;
        assert_ok(s, costate_solve(s, 0, 1, NULL, y));
        assert_int_equal(d.refusals, 0);
        assert_near(y[0], exp(-1), 1e-5);
        assert_near(y[1], exp(-2), 1e-5);
        if (refusals > 2) assert_true(stats_of(s).rejected >= refusals - 2); /* the choice of the first step met the others */
        heap h = {0}; /* what an earlier run left in memory plays no role */
        costate_options opt = costate_defaults(NULL);
        opt.allocator = heap_allocator(&h);
        costate_solver *fresh = make_solver(&prob, &opt);
        d.refusals = refusals;
        assert_ok(fresh, costate_solve(fresh, 0, 1, NULL, again));
        assert_bits(y, again, 2);
        costate_free(fresh);
        assert_int_equal(h.live, 0);
    }
    costate_free(s);
}

/* y' = 1 - 10 sqrt(y) settles at 0.01; a step that is too long ends below zero. */
static int settling(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p;
    if (y[0] < 0 && *(const int *)data) return 1;
    f[0] = 1 - 10 * sqrt(y[0]);
    return 0;
}

static void test_left_the_domain(void **unused)
{
    (void)unused;
    for (int refuses = 0; refuses < 2; refuses++) /* NaN by the square root, or a refusal */
        for (int m = 0; m < costate_method_count(); m++) {
            costate_problem prob = {.n = 1, .data = &refuses, .rhs = settling};
            costate_options opt = costate_defaults(costate_method(m)->name);
            opt.h0 = 1;
            costate_solver *s = make_solver(&prob, &opt);
            double y = 1;
            assert_ok(s, costate_solve(s, 0, 2, NULL, &y));
            assert_near(y, 0.01, 1e-6);
            assert_true(stats_of(s).rejected > 0);
            costate_free(s);
        }
}

/* ---- nothing helps ----------------------------------------------------------------------------------------------- */

static void test_always_refused(void **unused)
{
    (void)unused;
    static const double from[] = {-1, 0.5};
    for (size_t i = 0; i < COUNT(from); i++) {
        decay d = {.from = from[i], .code = 3};
        costate_problem prob = decaying(&d);
        costate_solver *s = make_solver(&prob, NULL);
        double y[2] = {1, 1}, reached = from[i] < 0 ? 0 : from[i];
        assert_refused(s, costate_solve(s, 0, 1, NULL, y), COSTATE_ERR_RETRY, "at t = ");
        assert_nan(y, 2);
        costate_stats st = stats_of(s);
        assert_near(st.fail_t, reached, 1e-12);
        assert_true(st.fail_h > 0 && st.fail_h < 1e-12 && st.fail_step == st.steps);
        d.from = HUGE_VAL;
        y[0] = y[1] = 1;
        assert_ok(s, costate_solve(s, 0, 1, NULL, y));
        assert_true(isnan(stats_of(s).fail_t) && stats_of(s).fail_step == -1);
        costate_free(s);
    }
}

static void test_asked_to_stop(void **unused)
{
    (void)unused;
    static const double from[] = {-1, 0, 0.5};
    for (size_t i = 0; i < COUNT(from); i++) {
        decay d = {.from = from[i], .code = -7};
        costate_problem prob = decaying(&d);
        costate_solver *s = make_solver(&prob, NULL);
        double y[2] = {1, 1}, t;
        assert_refused(s, costate_solve(s, 0, 1, NULL, y), COSTATE_ERR_CALLBACK, "rhs returned -7 at t = ");
        assert_nan(y, 2);
        assert_int_equal(sscanf(strstr(costate_message(s), "t = "), "t = %lf", &t), 1);
        assert_true(fabs(t - stats_of(s).fail_t) <= 1e-9 && t >= 0 && t <= fmax(from[i], 0) + 0.1);
        costate_free(s);
    }
}

/* The message names component, stage, time to ten digits and step; the statistics say the same. */
static void check_place(const costate_solver *s, int component)
{
    costate_stats st = stats_of(s);
    char name[32];
    int number, stage;
    double t, h;
    long long n;
    const char *m = strstr(costate_message(s), "component ");
    assert_non_null(m);
    int read = sscanf(m, "component %d (%31[^)]) of the right-hand side in stage %d, at t = %lf with h = %lf (step %lld)",
                      &number, name, &stage, &t, &h, &n);
    assert_int_equal(read, 6);
    assert_int_equal(number, component);
    assert_string_equal(name, names[component]);
    assert_int_equal(st.fail_component, component);
    assert_int_equal(st.fail_stage, stage - 1); /* people count from one */
    assert_true(fabs(st.fail_t - t) <= 1e-9 && st.fail_step == n && n == st.steps);
    assert_near(st.fail_h, h, 1e-5 * h);
}

static void test_not_finite(void **unused)
{
    (void)unused;
    static const double values[] = {NAN, HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < COUNT(values); i++)
        for (int component = 0; component < 2; component++)
            for (int fixed = 0; fixed < 2; fixed++) {
                decay d = {.from = 0.3, .component = component, .value = values[i]};
                costate_problem prob = decaying(&d);
                costate_options opt = costate_defaults(NULL);
                heap h = {0};
                opt.step = fixed ? 0.0625 : 0;
                opt.allocator = heap_allocator(&h);
                costate_solver *s = make_solver(&prob, &opt);
                double y[2] = {1, 1}, psi[2];
                assert_refused(s, costate_solve(s, 0, 1, NULL, y), COSTATE_ERR_NOT_FINITE, names[component]);
                check_place(s, component);
                assert_nan(y, 2);
                if (fixed) assert_true(stats_of(s).fail_t == 0.25 && stats_of(s).fail_h == 0.0625);
                else assert_near(stats_of(s).fail_t, 0.3, 1e-10);
                fill(psi, 2, 1);
                assert_refused(s, costate_objectives(s, psi), COSTATE_ERR_NO_RUN, "costate_objectives");
                assert_nan(psi, 2);
                costate_free(s);
                assert_int_equal(h.live, 0);
            }
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

static int pure_decay(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -y[0];
    f[1] = -2 * y[1];
    return 0;
}

/* The last direction is spoilt from the time on that data points to. */
static int decay_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                     const double *pdot, double *fdot, void *data)
{
    (void)y, (void)p, (void)tdot, (void)pdot;
    for (int l = 0; l < w; l++) {
        fdot[l] = -ydot[l];
        fdot[w + l] = t >= *(const double *)data && l == w - 1 ? NAN : -2 * ydot[w + l];
    }
    return 0;
}

static void check_direction(double from, int w, const costate_options *opt)
{
    costate_problem prob = {.n = 2, .data = &from, .rhs = pure_decay, .jvp = decay_jvp};
    costate_solver *s = make_solver(&prob, opt);
    double y[2] = {1, 1}, ydot[22];
    fill(ydot, 22, 1);
    assert_refused(s, costate_tangent(s, 0, 1, NULL, y, w, ydot, NULL), COSTATE_ERR_NOT_FINITE, "a direction of the tangent");
    costate_stats st = stats_of(s);
    assert_true(st.fail_component == -1 && st.fail_stage == -1);
    assert_near(st.fail_t, from, fmax(opt->step, 1e-10));
    assert_nan(y, 2);
    assert_nan(ydot, 2 * (size_t)w);
    y[0] = y[1] = 1;
    assert_ok(s, costate_solve(s, 0, 1, NULL, y));
    costate_free(s);
}

static void test_direction_not_finite(void **unused)
{
    (void)unused;
    for (int w = 1; w <= 11; w += 10)
        for (int variant = 0; variant < 6; variant++) {
            costate_options opt = costate_defaults(NULL);
            heap h = {0};
            opt.allocator = heap_allocator(&h);
            opt.step = variant / 2 == 2 ? 0.0625 : 0;
            opt.tangent_control = variant / 2 == 1 ? "all" : "state";
            check_direction(variant % 2 ? 0.3 : 0, w, &opt);
            assert_int_equal(h.live, 0);
        }
}

/* ---- every callback of a forward run, in turn -------------------------------------------------------------------- */

enum { W = 3 };

typedef struct outputs {
    double y[2], ydot[2 * W], psi[2], psidot[2 * W];
} outputs;

static int run(costate_solver *s, int directions, outputs *o)
{
    double pdot[9 * W];
    const problem *duffing = &problem_duffing;
    fill(o->y, sizeof *o / sizeof(double), 1);
    fill(pdot, COUNT(pdot), 0.5);
    int status = directions ? costate_tangent(s, duffing->t0, duffing->t1, duffing->p, o->y, W, o->ydot, pdot)
                            : costate_solve(s, duffing->t0, duffing->t1, duffing->p, o->y);
    if (status) return status;
    assert_ok(s, costate_objectives(s, o->psi));
    if (directions) assert_ok(s, costate_objectives_dot(s, o->psidot));
    return 0;
}

static const struct {
    int where, directions;
    const char *name; /* in the message */
    int not_finite;   /* status when it gives NaN */
} forward[] = {
    {RHS, 0, "rhs", COSTATE_ERR_NOT_FINITE},
    {INIT + EVAL, 0, "init", COSTATE_ERR_INPUT},
    {TERMINAL + EVAL, 0, "terminal", COSTATE_ERR_NOT_FINITE},
    {RUNNING + EVAL, 0, "running", COSTATE_ERR_NOT_FINITE},
    {OBSERVE + EVAL, 0, "observe", COSTATE_ERR_NOT_FINITE},
    {JVP, 1, "jvp", COSTATE_ERR_NOT_FINITE},
    {INIT + F_JVP, 1, "init", COSTATE_ERR_NOT_FINITE},
    {TERMINAL + F_JVP, 1, "terminal", COSTATE_ERR_NOT_FINITE},
    {RUNNING + F_JVP, 1, "running", COSTATE_ERR_NOT_FINITE},
    {OBSERVE + F_JVP, 1, "observe", COSTATE_ERR_NOT_FINITE},
};

/* It fails in its first call, in its second or in a later one. */
static void test_every_callback(void **unused)
{
    (void)unused;
    faulty f;
    costate_problem prob = faulty_problem(&f, &problem_duffing.prob);
    for (size_t i = 0; i < COUNT(forward); i++)
        for (int kind = 0; kind < 3; kind++) {
            outputs clean, o;
            costate_solver *s = make_solver(&prob, NULL);
            faulty_arm(&f, NOWHERE, 0, 0, 0);
            assert_ok(s, run(s, forward[i].directions, &clean));
            int64_t calls = f.calls[forward[i].where], points[] = {0, 1, calls / 2};
            for (size_t at = 0; at < COUNT(points); at++) {
                if (points[at] >= calls) continue;
                faulty_arm(&f, forward[i].where, points[at], kind ? 0 : -5, kind == 1 ? NAN : -HUGE_VAL);
                int status = run(s, forward[i].directions, &o);
                if (kind) assert_refused(s, status, forward[i].not_finite, "");
                else assert_refused(s, status, COSTATE_ERR_CALLBACK, "returned -5 at t = ");
                if (!kind) assert_refused(s, status, COSTATE_ERR_CALLBACK, forward[i].name);
                assert_nan(o.y, 2);
                if (forward[i].directions) assert_nan(o.ydot, 2 * W);
                assert_refused(s, costate_objectives(s, o.psi), COSTATE_ERR_NO_RUN, "");
                assert_nan(o.psi, 2);
                assert_refused(s, costate_objectives_dot(s, o.psidot), COSTATE_ERR_NO_TANGENT, "");
                faulty_arm(&f, NOWHERE, 0, 0, 0); /* nothing of it stays */
                assert_ok(s, run(s, forward[i].directions, &o));
                assert_memory_equal(&o, &clean, sizeof o);
            }
            costate_free(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_at_first), cmocka_unit_test(test_left_the_domain),
        cmocka_unit_test(test_always_refused),   cmocka_unit_test(test_asked_to_stop),
        cmocka_unit_test(test_not_finite),       cmocka_unit_test(test_direction_not_finite),
        cmocka_unit_test(test_every_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
