/* test_sweep_trouble.c - callbacks that fail, or give values that are not finite, on the way back and in steps that are
 * computed again. No gradient comes out of it, the message says where it was, and the recorded run is still there for
 * another try. */
#include "faulty.h"

#include "problems.h"

enum { N = 2, NP = 9, NOBJ = 2, W = 3 };

typedef enum mode { ADJOINT, GRADIENT, HESSIAN } mode;

typedef struct outputs {
    double dy0[N * W], dp[NP * W];
} outputs;

static int sweep(costate_solver *s, mode m, outputs *o)
{
    double weights[NOBJ * W], pdot[NP * W];
    for (int i = 0; i < NOBJ * W; i++) weights[i] = 1 + 0.25 * i;
    for (int i = 0; i < NP * W; i++) pdot[i] = 0.1 * (i - 10);
    fill(o->dy0, N * W, 1);
    fill(o->dp, NP * W, 1);
    if (m == ADJOINT) return costate_adjoint(s, W, o->dy0, o->dp);
    if (m == GRADIENT) return costate_gradient(s, W, weights, o->dy0, o->dp);
    return costate_hessian(s, W, weights, NULL, pdot, o->dy0, o->dp);
}

static void run(costate_solver *s)
{
    double y[N] = {0};
    assert_ok(s, costate_solve(s, problem_duffing.t0, problem_duffing.t1, problem_duffing.p, y));
}

/* ---- one callback fails ------------------------------------------------------------------------------------------ */

typedef struct fault {
    mode m;
    int where;
    const char *name; /* in the message */
    int code;         /* the status when it fails; values that are not finite give COSTATE_ERR_SWEEP_NOT_FINITE */
} fault;

/* It fails from its first call on, from the second, from the middle, or in its last one alone. After each failure the
 * same call on the same recorded run gives what it gave before. */
static void strike(costate_solver *s, faulty *f, const fault *x)
{
    outputs clean, o;
    faulty_arm(f, NOWHERE, 0, 0, 0);
    assert_ok(s, sweep(s, x->m, &clean));
    assert_ok(s, sweep(s, x->m, &o));
    assert_memory_equal(&o, &clean, sizeof o);
    faulty_arm(f, NOWHERE, 0, 0, 0);
    assert_ok(s, sweep(s, x->m, &o));
    int64_t calls = f->calls[x->where], from[] = {0, 1, calls / 2, calls - 1};
    assert_true(calls > 0);
    static const struct {
        int code;
        double value;
    } kinds[] = {{-5, 0}, {5, 0}, {0, NAN}, {0, HUGE_VAL}};
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(from); i++) {
            int idle = (x->where == RHS || x->where == JVP) && i == 3; /* the last f may be one that nothing depends on */
            if (from[i] >= calls || (idle && !kinds[k].code)) continue;
            faulty_arm(f, x->where, from[i], kinds[k].code, kinds[k].value);
            int status = sweep(s, x->m, &o);
            if (!kinds[k].code) assert_refused(s, status, COSTATE_ERR_SWEEP_NOT_FINITE, "");
            else {
                assert_refused(s, status, x->code, x->name);
                assert_message(s, x->code, kinds[k].code < 0 ? "returned -5" : "returned 5");
                assert_true(stats_of(s).fail_t >= problem_duffing.t0 && stats_of(s).fail_t <= problem_duffing.t1);
            }
            assert_nan(o.dy0, N * W);
            assert_nan(o.dp, NP * W);
            faulty_arm(f, NOWHERE, 0, 0, 0);
            assert_ok(s, sweep(s, x->m, &o));
            assert_memory_equal(&o, &clean, sizeof o);
        }
}

static void strike_all(const fault *faults, size_t count, const costate_problem *prob, faulty *f, int64_t memory,
                       const char *tier)
{
    heap h = {0};
    costate_options opt = costate_defaults(NULL);
    opt.allocator = heap_allocator(&h);
    opt.rtol = opt.atol = 1e-8;
    if (memory) opt.memory = memory;
    costate_solver *s = make_solver(prob, &opt);
    run(s);
    assert_string_equal(stats_of(s).tier, tier);
    for (size_t i = 0; i < count; i++) strike(s, f, &faults[i]);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

static const fault sweeps[] = {
    {ADJOINT, VJP, "vjp", COSTATE_ERR_SWEEP_CALLBACK},
    {ADJOINT, INIT + F_VJP, "init", COSTATE_ERR_SWEEP_CALLBACK},
    {GRADIENT, VJP, "vjp", COSTATE_ERR_SWEEP_CALLBACK},
    {GRADIENT, INIT + F_VJP, "init", COSTATE_ERR_SWEEP_CALLBACK},
    {GRADIENT, TERMINAL + F_VJP, "terminal", COSTATE_ERR_SWEEP_CALLBACK},
    {GRADIENT, RUNNING + F_VJP, "running", COSTATE_ERR_SWEEP_CALLBACK},
    {GRADIENT, OBSERVE + F_VJP, "observe", COSTATE_ERR_SWEEP_CALLBACK},
    {HESSIAN, VJP_DOT, "vjp_dot", COSTATE_ERR_SWEEP_CALLBACK},
    {HESSIAN, INIT + F_VJP_DOT, "init", COSTATE_ERR_SWEEP_CALLBACK},
    {HESSIAN, TERMINAL + F_VJP_DOT, "terminal", COSTATE_ERR_SWEEP_CALLBACK},
    {HESSIAN, RUNNING + F_VJP_DOT, "running", COSTATE_ERR_SWEEP_CALLBACK},
    {HESSIAN, OBSERVE + F_VJP_DOT, "observe", COSTATE_ERR_SWEEP_CALLBACK},
    {HESSIAN, INIT + F_JVP, "init", COSTATE_ERR_CALLBACK}, /* before the first repeated step */
    {HESSIAN, JVP, "jvp", COSTATE_ERR_SWEEP_REPLAY},
};

static const fault replays[] = {
    {ADJOINT, RHS, "rhs", COSTATE_ERR_SWEEP_REPLAY},
    {GRADIENT, RHS, "rhs", COSTATE_ERR_SWEEP_REPLAY},
    {HESSIAN, RHS, "rhs", COSTATE_ERR_SWEEP_REPLAY},
};

static const fault points[] = {
    {ADJOINT, VJP_POINTS, "vjp_points", COSTATE_ERR_SWEEP_CALLBACK},
    {GRADIENT, VJP_POINTS, "vjp_points", COSTATE_ERR_SWEEP_CALLBACK},
};

enum { LITTLE = 640 }; /* bytes: 40 states, or 5 with their directions */

static void test_recorded(void **unused)
{
    (void)unused;
    faulty f;
    costate_problem prob = faulty_problem(&f, &problem_duffing.prob);
    strike_all(sweeps, COUNT(sweeps), &prob, &f, 0, "stages");
    strike_all(points, COUNT(points), &prob, &f, 0, "stages");
}

static void test_recomputed(void **unused)
{
    (void)unused;
    faulty f;
    costate_problem prob = faulty_problem(&f, &problem_duffing.prob);
    strike_all(sweeps, COUNT(sweeps), &prob, &f, LITTLE, "checkpoints");
    strike_all(points, COUNT(points), &prob, &f, LITTLE, "checkpoints");
    strike_all(replays, COUNT(replays), &prob, &f, LITTLE, "checkpoints");
}

static void test_without_points(void **unused)
{
    (void)unused;
    faulty f;
    costate_problem prob = faulty_problem(&f, &problem_duffing.prob);
    prob.vjp_points = NULL;
    strike_all(sweeps, COUNT(sweeps), &prob, &f, 0, "stages");
}

/* A Hessian product took the room of the recorded run, so that an adjoint repeats it as a whole: a failure there leaves
 * no record. */
static void test_repeated_run(void **unused)
{
    (void)unused;
    faulty f;
    costate_problem prob = faulty_problem(&f, &problem_duffing.prob);
    costate_options opt = costate_defaults(NULL);
    opt.memory = LITTLE;
    costate_solver *s = make_solver(&prob, &opt);
    outputs clean, other, o;
    run(s);
    assert_ok(s, sweep(s, ADJOINT, &clean));
    for (int kind = 0; kind < 3; kind++)
        for (int64_t after = 0; after < 300; after += 100) {
            assert_ok(s, sweep(s, HESSIAN, &other));
            faulty_arm(&f, RHS, after, kind == 0 ? -5 : kind == 1 ? 5 : 0, NAN);
            int status = sweep(s, ADJOINT, &o);
            assert_refused(s, status, kind < 2 ? COSTATE_ERR_SWEEP_REPLAY : COSTATE_ERR_SWEEP_NOT_FINITE, "");
            assert_nan(o.dy0, N * W);
            assert_nan(o.dp, NP * W);
            faulty_arm(&f, NOWHERE, 0, 0, 0);
            assert_ok(s, sweep(s, ADJOINT, &o));
            assert_memory_equal(&o, &clean, sizeof o);
        }
    costate_free(s);
}

/* The last thing a sweep meets is an observation at t0: nothing comes after it to carry a bad value on. */
static void test_observation_at_start(void **unused)
{
    (void)unused;
    faulty f;
    costate_problem prob = faulty_problem(&f, &problem_duffing.prob);
    prob.init = (costate_function){0};
    assert_true(prob.observe_at[0] == problem_duffing.t0);
    costate_solver *s = make_solver(&prob, NULL);
    run(s);
    for (int m = GRADIENT; m <= HESSIAN; m++) {
        outputs o;
        int where = OBSERVE + (m == GRADIENT ? F_VJP : F_VJP_DOT);
        faulty_arm(&f, where, prob.observations - 1, 0, NAN);
        assert_refused(s, sweep(s, (mode)m, &o), COSTATE_ERR_SWEEP_NOT_FINITE, "");
        assert_true(f.calls[where] == prob.observations && stats_of(s).fail_t == problem_duffing.t0);
        assert_nan(o.dy0, N * W);
        assert_nan(o.dp, NP * W);
    }
    costate_free(s);
}

/* ---- the certificate --------------------------------------------------------------------------------------------- */

static void test_check(void **unused)
{
    (void)unused;
    faulty f;
    heap h = {0};
    costate_problem prob = faulty_problem(&f, &problem_duffing.prob);
    costate_options opt = costate_defaults(NULL);
    opt.allocator = heap_allocator(&h);
    costate_solver *s = make_solver(&prob, &opt);
    for (int where = RHS; where < PLACES; where++)
        for (int kind = 0; kind < 2; kind++) {
            costate_certificate c;
            faulty_arm(&f, where, 0, kind ? 0 : -5, NAN);
            int status = costate_check(s, 0, 8, problem_duffing.p, NULL, &c);
            assert_true(status < 0 && !c.holds && (status == COSTATE_CHECK_FAILED || isnan(c.identity)));
            assert_message(s, status, "");
            faulty_arm(&f, NOWHERE, 0, 0, 0);
            assert_ok(s, costate_check(s, 0, 8, problem_duffing.p, NULL, &c));
            assert_true(c.holds);
        }
    costate_free(s);
    assert_int_equal(h.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_recomputed),
        cmocka_unit_test(test_without_points),
        cmocka_unit_test(test_repeated_run),
        cmocka_unit_test(test_observation_at_start),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
