/* test_ros_trouble.c - Rosenbrock methods with little memory, none left, matrices that cannot be factored and callbacks that
 * fail: the same bits within every budget, or a clean error that names what failed, and no numbers. */
#include "support.h"
#include "third.h"

#include <stdio.h>

enum { METHODS = 5, STATES = 40, PARAMS = 30, W = 11, GOALS = 2 };
static const char *const methods[METHODS] = {"ros2", "ros3", "ros4", "rodas3", "rodas4"};

static void start(const problem *q, double *y)
{
    for (int i = 0; i < q->prob.n; i++) y[i] = q->y0 ? q->y0[i] : 0;
}

/* ---- budgets ----------------------------------------------------------------------------------------------------------- */

typedef struct budget {
    int64_t memory, disk;
    const char *tier; /* NULL: any */
} budget;

typedef struct results {
    double adjoint[(STATES + PARAMS) * W], one[STATES + PARAMS], hessian[(STATES + PARAMS) * W];
} results;

static void sweeps(costate_solver *s, const problem *q, results *r)
{
    int n = q->prob.n, np = q->prob.np;
    double pdot[PARAMS * W], y[STATES];
    memset(r, 0, sizeof *r);
    for (int i = 0; i < np * W; i++) pdot[i] = q->p[i / W] * sin(i);
    for (int i = 0; i < n * W; i++) r->adjoint[i] = cos(i);
    for (int i = 0; i < n; i++) r->one[i] = cos(i);
    start(q, y);
    assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
    assert_ok(s, costate_adjoint(s, W, r->adjoint, r->adjoint + n * W));
    assert_ok(s, costate_adjoint(s, 1, r->one, r->one + n));
    if (q->prob.vjp_dot2) assert_ok(s, costate_hessian(s, W, NULL, NULL, pdot, r->hessian, r->hessian + n * W));
}

/* 300 steps. */
static void same_bits(const problem *q, const char *method)
{
    int64_t state = 8 * q->prob.n;
    const budget budgets[] = {{INT64_MAX, 0, "stages"},           {700 * state, 0, "states"},
                              {40 * state + 2000, 0, "checkpoints"}, {40 * state + 2000, 1 << 20, NULL}};
    static results reference, r;
    for (size_t i = 0; i < COUNT(budgets); i++) {
        costate_options o = costate_defaults(method);
        o.memory = budgets[i].memory;
        o.disk = budgets[i].disk;
        o.step = (q->t1 - q->t0) / 300;
        costate_solver *s = make_solver(&q->prob, &o);
        sweeps(s, q, i ? &r : &reference);
        if (i) assert_memory_equal(&r, &reference, sizeof r);
        double y[STATES];
        start(q, y);
        assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
        if (budgets[i].tier) assert_string_equal(stats_of(s).tier, budgets[i].tier);
        assert_true(stats_of(s).disk_bytes > 0 || !budgets[i].disk);
        costate_free(s);
    }
}

static void test_same_bits(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        problem q = third_problem(THIRD_BRUSSELATOR);
        same_bits(&q, methods[m]);
        q.prob.jac = NULL, q.prob.jvp2 = NULL, q.prob.vjp_dot = NULL, q.prob.vjp_dot2 = NULL; /* by differences */
        same_bits(&q, methods[m]);
        q = *stiff_pollu(); /* sparse */
        same_bits(&q, methods[m]);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

typedef struct outputs {
    double y[STATES], ydot[STATES * W], rows[3 * STATES], dots[3 * STATES * W], dy0[STATES * GOALS], dp[PARAMS * GOALS],
        hy0[STATES], hp[PARAMS], identity;
} outputs;

static int everything(costate_solver *s, const problem *q, outputs *r)
{
    const double times[3] = {q->t0, q->t0 + 0.3 * (q->t1 - q->t0), q->t1};
    double pdot[PARAMS * W];
    costate_certificate c;
    memset(r, 0, sizeof *r);
    for (int i = 0; i < q->prob.np * W; i++) pdot[i] = q->p[i / W];
    start(q, r->y);
    int status = costate_output(s, 3, times, r->rows, r->dots);
    if (!status) status = costate_tangent(s, q->t0, q->t1, q->p, r->y, W, r->ydot, pdot);
    if (!status) status = costate_gradient(s, GOALS, NULL, r->dy0, r->dp);
    if (!status) status = costate_hessian(s, 1, NULL, NULL, q->p, r->hy0, r->hp);
    start(q, r->hy0 + STATES / 2); /* room enough: the problem is small */
    if (!status) status = costate_check(s, q->t0, q->t1, q->p, r->hy0 + STATES / 2, &c);
    r->identity = status ? 0 : c.identity;
    return status;
}

/* The k-th request of memory fails, once or for good, until there are no more than k - 1; then, with memory again, all is
 * well. */
static void test_memory(void **unused)
{
    (void)unused;
    problem q = third_problem(THIRD_DUFFING);
    static outputs expected, r;
    for (int all = 0; all < 2; all++)
        for (int64_t k = 0;; k++) {
            heap h = {.fail_at = k, .fail_on = all};
            costate_options o = costate_defaults("ros3");
            o.step = 0.1;
            o.memory = 4096; /* checkpoints */
            o.allocator = heap_allocator(&h);
            costate_solver *s = NULL;
            int status = costate_create(&s, &q.prob, &o), made = !status, enough = 0;
            if (made) status = everything(s, &q, k ? &r : &expected);
            if (k == 0) assert_ok(s, status);
            else if (h.requests < k) {
                assert_ok(s, status);
                assert_memory_equal(&r, &expected, sizeof r);
                enough = 1;
            } else {
                if (s) assert_refused(s, status, COSTATE_ERR_MEMORY, "");
                assert_int_equal(status, COSTATE_ERR_MEMORY);
                h.fail_at = 0;
                if (made) {
                    assert_ok(s, everything(s, &q, &r));
                    assert_memory_equal(&r, &expected, sizeof r);
                }
            }
            costate_free(s);
            assert_int_equal(h.live, 0);
            if (enough) break;
        }
}

/* ---- matrices ---------------------------------------------------------------------------------------------------------- */

/* y' = data[0] y, with a Jacobian that says data[1]. */
static int line_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p;
    f[0] = *(double *)data * y[0];
    f[1] = -y[1];
    return 0;
}

static int line_jac(double t, const double *y, const double *p, double *j, void *data)
{
    const double *x = data;
    (void)t, (void)y, (void)p;
    j[0] = x[1], j[1] = x[2], j[2] = x[2], j[3] = x[3];
    return 0;
}

/* W = I/(h gamma) - f_y is zero in its first row for the first h, and regular for a smaller one. */
static void test_singular_once(void **unused)
{
    (void)unused;
    double data[4] = {16, 16, 0, -1}, y[2] = {1, 1};
    costate_problem q = {.n = 2, .data = data, .rhs = line_rhs, .jac = line_jac, .autonomous = 1};
    costate_options o = costate_defaults("rodas3"); /* gamma = 1/2 */
    o.h0 = 0.125;
    costate_solver *s = make_solver(&q, &o);
    assert_ok(s, costate_solve(s, 0, 0.5, NULL, y));
    assert_near(y[0], exp(8), 1e-3 * exp(8));
    assert_true(stats_of(s).rejected >= 1);
    assert_int_equal(stats_of(s).jac, stats_of(s).steps);
    costate_free(s);
    o.h0 = 0, o.step = 0.125; /* no smaller one is allowed */
    s = make_solver(&q, &o);
    assert_refused(s, costate_solve(s, 0, 0.5, NULL, y), COSTATE_ERR_SINGULAR, "at t = 0 with h = 0.125 (step 0)");
    assert_nan(y, 2);
    costate_free(s);
}

/* Entries beside which any I/(h gamma) is nothing, or no numbers at all. */
static void test_singular(void **unused)
{
    static const double entries[] = {1e300, INFINITY, NAN};
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 3; k++) {
            double data[4] = {-1, entries[k], entries[k], entries[k]}, y[2] = {1, 1};
            costate_problem q = {.n = 2, .data = data, .rhs = line_rhs, .jac = line_jac, .autonomous = 1};
            costate_options o = costate_defaults(methods[m]);
            costate_solver *s = make_solver(&q, &o);
            assert_refused(s, costate_solve(s, 0, 1, NULL, y), k ? COSTATE_ERR_JACOBIAN : COSTATE_ERR_SINGULAR,
                           k ? "d y[0]' / d y[0] is " : "linear solver \"dense\", 2 equations, at t = 0 with h");
            assert_int_equal(stats_of(s).fail_component, k ? 0 : -1);
            assert_int_equal(stats_of(s).jac, 1); /* it belongs to the point, not to the step */
            assert_true(stats_of(s).rejected > 1);
            assert_nan(y, 2);
            costate_free(s);
        }
}

/* ---- callbacks --------------------------------------------------------------------------------------------------------- */

typedef enum place { NOWHERE, JAC, JVP, JVP2, VJP_DOT, VJP_DOT2, RUNNING_DOT2 } place;
static const char *const names[] = {"", "jac", "jvp", "jvp2"};

/* Duffing, whose callbacks have no use for data, with some of them failing from a call on: by a code, or by a NaN. */
typedef struct trouble {
    place where;
    int64_t after, calls;
    int code;
} trouble;

static int strike(trouble *x, place where, double *out)
{
    if (x->where != where || x->calls++ < x->after) return 0;
    if (!x->code) *out = NAN;
    return x->code;
}

static int bad_jac(double t, const double *y, const double *p, double *j, void *data)
{
    problem_duffing.prob.jac(t, y, p, j, data);
    return strike(data, JAC, j);
}

static int bad_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   double *fdot, void *data)
{
    problem_duffing.prob.jvp(t, y, p, w, tdot, ydot, pdot, fdot, data);
    return strike(data, JVP, fdot);
}

static int bad_jvp2(double t, const double *y, const double *p, int w, const double *t1, const double *y1, const double *p1,
                    const double *t2, const double *y2, const double *p2, double *fdd, void *data)
{
    problem_duffing.prob.jvp2(t, y, p, w, t1, y1, p1, t2, y2, p2, fdd, data);
    return strike(data, JVP2, fdd);
}

static int bad_vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                       const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    problem_duffing.prob.vjp_dot(t, y, p, w, td, yd, pd, u, ud, yb, ybd, pb, pbd, data);
    return strike(data, VJP_DOT, ybd);
}

static int bad_vjp_dot2(double t, const double *y, const double *p, int w, const double *t1, const double *y1, const double *p1,
                        const double *t2, const double *y2, const double *p2, const double *u, double *yb, double *pb, void *data)
{
    duffing_vjp_dot2(t, y, p, w, t1, y1, p1, t2, y2, p2, u, yb, pb, data);
    return strike(data, VJP_DOT2, yb);
}

static int bad_loss_dot2(int k, double t, const double *y, const double *p, int w, const double *t1, const double *y1,
                         const double *p1, const double *t2, const double *y2, const double *p2, const double *u, double *yb,
                         double *pb, void *data)
{
    loss_vjp_dot2(k, t, y, p, w, t1, y1, p1, t2, y2, p2, u, yb, pb, data);
    return strike(data, RUNNING_DOT2, yb);
}

static problem bad_problem(trouble *x)
{
    problem q = third_problem(THIRD_DUFFING);
    q.prob.data = x;
    q.prob.jac = bad_jac, q.prob.jvp = bad_jvp, q.prob.jvp2 = bad_jvp2, q.prob.vjp_dot = bad_vjp_dot;
    q.prob.vjp_dot2 = bad_vjp_dot2, q.prob.running.vjp_dot2 = bad_loss_dot2;
    return q;
}

/* Forward: what asks for a smaller step gets one, and in the end a failure; what asks to stop is obeyed. */
static void test_forward(void **unused)
{
    static const struct {
        place where;
        int tangent, code, status;
    } list[] = {
        {JAC, 0, -3, COSTATE_ERR_CALLBACK},  {JAC, 0, 3, COSTATE_ERR_RETRY},  {JAC, 0, 0, COSTATE_ERR_JACOBIAN},
        {JVP, 0, -3, COSTATE_ERR_CALLBACK},  {JVP, 0, 3, COSTATE_ERR_RETRY},  {JVP, 0, 0, COSTATE_ERR_NOT_FINITE},
        {JVP2, 1, -3, COSTATE_ERR_CALLBACK}, {JVP2, 1, 3, COSTATE_ERR_RETRY}, {JVP2, 1, 0, COSTATE_ERR_NOT_FINITE},
    };
    (void)unused;
    for (size_t i = 0; i < COUNT(list); i++)
        for (int m = 0; m < METHODS; m++) {
            trouble x = {list[i].where, 7, 0, list[i].code};
            double y[2], ydot[2] = {1, 1}, none[2] = {1, 1};
            problem q = bad_problem(&x);
            costate_options o = costate_defaults(methods[m]);
            costate_solver *s = make_solver(&q.prob, &o);
            int status =
                list[i].tangent ? costate_tangent(s, q.t0, q.t1, q.p, y, 1, ydot, NULL) : costate_solve(s, q.t0, q.t1, q.p, y);
            char named[32] = "";
            if (list[i].code) snprintf(named, sizeof named, "%s returned %d at t = ", names[list[i].where], list[i].code);
            assert_refused(s, status, list[i].status, named);
            assert_nan(y, 2);
            if (list[i].tangent) assert_nan(ydot, 2);
            assert_int_equal(costate_adjoint(s, 1, none, NULL), COSTATE_ERR_NO_RECORD);
            x.where = NOWHERE;
            assert_ok(s, costate_solve(s, q.t0, q.t1, q.p, y));
            costate_free(s);
        }
}

/* Backward the steps are given, so that any trouble ends the sweep; the product is named. */
static void test_backward(void **unused)
{
    static const struct {
        place where;
        int second;
        const char *name;
    } list[] = {{JAC, 0, "jac"}, {VJP_DOT, 0, "vjp_dot"}, {VJP_DOT, 1, "vjp_dot"}, {VJP_DOT2, 1, "vjp_dot2"},
                {RUNNING_DOT2, 1, "running's vjp_dot2"}};
    static const int codes[] = {-3, 3, 0};
    (void)unused;
    for (size_t i = 0; i < COUNT(list); i++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < METHODS; m++) {
                trouble x = {NOWHERE, 5, 0, codes[k]};
                double y[2], good[2 + 9], hy[2], hp[9] = {0};
                problem q = bad_problem(&x);
                costate_options o = costate_defaults(methods[m]);
                o.step = 0.1;
                costate_solver *s = make_solver(&q.prob, &o);
                assert_ok(s, costate_solve(s, q.t0, q.t1, q.p, y));
                for (int again = 0; again < 3; again++) { /* well, ill, and well again */
                    char named[64];
                    x.where = again == 1 ? list[i].where : NOWHERE;
                    x.calls = 0;
                    fill(hy, 2, 1), fill(hp, 9, 1);
                    int status = list[i].second ? costate_hessian(s, 1, NULL, NULL, q.p, hy, hp) : costate_adjoint(s, 1, hy, hp);
                    if (again == 0) memcpy(good, hy, sizeof hy), memcpy(good + 2, hp, sizeof hp);
                    if (again == 2) assert_bits(hy, good, 2), assert_bits(hp, good + 2, 9);
                    if (again != 1) {
                        assert_ok(s, status);
                        continue;
                    }
                    snprintf(named, sizeof named, "%s returned %d in the step", list[i].name, codes[k]);
                    if (codes[k]) assert_refused(s, status, COSTATE_ERR_SWEEP_CALLBACK, named);
                    else if (list[i].where == JAC)
                        assert_refused(s, status, COSTATE_ERR_JACOBIAN, "is nan in the step from t = ");
                    else assert_refused(s, status, COSTATE_ERR_SWEEP_NOT_FINITE, "");
                    assert_nan(hy, 2), assert_nan(hp, 9);
                }
                costate_free(s);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_memory),  cmocka_unit_test(test_singular_once),
        cmocka_unit_test(test_singular),  cmocka_unit_test(test_forward), cmocka_unit_test(test_backward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
