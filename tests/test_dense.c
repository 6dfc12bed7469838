/* test_dense.c - dense output: published weights; rows of the state and of directions against runs that end there, in
 * tolerances, of implicit methods on stiff problems and of explicit methods on others; directions as differences of rows; what
 * rows cost, that they change nothing, and what is said when they fail. Orders between the steps are with the tests of each
 * family and with the tables. */
#include "method/ros.h"
#include "methods.h"
#include "support.h"

#include "problems.h"

enum { STATES = 100, ROWS = 9 };

static double scale_of(const problem *q, int i)
{
    return q->scale ? q->scale[i] : 1;
}

static void start(const problem *q, double *y)
{
    if (q->y0) memcpy(y, q->y0, (size_t)q->prob.n * sizeof *y);
}

static costate_solver *make(const problem *q, const char *method, const char *solves, double rtol)
{
    double atols[STATES];
    costate_options o = costate_defaults(method);
    assert_true(q->prob.n <= STATES);
    for (int i = 0; i < q->prob.n; i++) atols[i] = rtol * scale_of(q, i);
    o.rtol = rtol, o.atols = atols, o.linsol = solves, o.tangent_control = "all";
    return make_solver(&q->prob, &o);
}

/* Root mean square of a - b in tolerances. */
static double apart(const problem *q, double rtol, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < q->prob.n; i++) sum += pow((a[i] - b[i]) / (rtol * (scale_of(q, i) + fabs(b[i]))), 2);
    return sqrt(sum / q->prob.n);
}

/* ---- weights ------------------------------------------------------------------------------------------------------- */

/* Hairer and Wanner's code RODAS: (1 - theta) y + theta (y+ + (1 - theta) (c + theta d)), with these weights of k_1 .. k_5. */
static void test_published(void **unused)
{
    static const double c[] = {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662},
                        d[] = {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872};
    const costate_table *tb = costate_method_find("rodas4");
    ros m = {.s = tb->stages};
    (void)unused;
    assert_int_equal(cst__ros_further(tb), 0);
    cst__ros_extend(&m, tb);
    for (size_t i = 0; i < COUNT(c); i++) {
        assert_near(m.dense[i][0], tb->b[i] + c[i], 1e-11);
        assert_near(m.dense[i][1], d[i] - c[i], 1e-11);
        assert_near(m.dense[i][2], -d[i], 1e-11);
    }
}

/* ---- stiff problems ------------------------------------------------------------------------------------------------ */

/* From t0 to t1; given ydot, along the relative change of all parameters. */
static void run(costate_solver *s, const problem *q, double t1, double *y, double *ydot)
{
    start(q, y);
    if (!ydot) {
        assert_ok(s, costate_solve(s, q->t0, t1, q->p, y));
        return;
    }
    fill(ydot, (size_t)q->prob.n, 0);
    assert_ok(s, costate_tangent(s, q->t0, t1, q->p, y, 1, ydot, q->p));
}

/* The worst row, of the state or of the direction, against runs that end there. */
static double worst_row(const problem *q, const char *method, const char *solves, const double *times, double rtol,
                        int direction)
{
    int n = q->prob.n;
    static double y[ROWS * STATES], ydot[ROWS * STATES];
    double end[STATES], enddot[STATES], worst = 0, *along = direction ? enddot : NULL;
    const double *at = direction ? ydot : y, *known = direction ? enddot : end;
    costate_solver *s = make(q, method, solves, rtol);
    assert_ok(s, costate_output(s, ROWS, times, y, direction ? ydot : NULL));
    run(s, q, times[ROWS - 1], end, along);
    assert_bits(at + (ROWS - 1) * n, known, (size_t)n);
    assert_ok(s, costate_output(s, 0, NULL, NULL, NULL));
    for (int k = 0; k < ROWS - 1; k++) {
        run(s, q, times[k], end, along);
        worst = fmax(worst, apart(q, rtol, at + k * n, known));
    }
    costate_free(s);
    return worst;
}

typedef struct stiff_case {
    const char *name;
    const problem *q;
    double from, to; /* rows between these times, evenly spread, or by factors */
    int factors;
} stiff_case;

/* A run that ends at a row takes other steps and so has another error, of some tolerances by itself. Those of directions are
 * within tolerances only if they steer the steps too. */
static void test_stiff_rows(void **unused)
{
    static const double rtol = 1e-4, most = 30;
    problem *heat = heat_two_modes(7);
    const stiff_case cases[] = {{"cbm4", stiff_cbm4(), 600, 6 * 3600, 0},
                                {"robertson", stiff_robertson(), 1e-4, 1e5, 1},
                                {"van der Pol", stiff_van_der_pol_3(), 0.01, 0.78, 0}, /* before the first jump */
                                {"heat", heat, 0.01 * heat->t1, heat->t1, 0}};
    (void)unused;
    for (size_t c = 0; c < COUNT(cases); c++)
        for (int m = explicit_methods(); costate_method(m); m++)
            for (int free = 0; free < (cases[c].q == heat ? 2 : 1); free++) { /* of a matrix, where no preconditioner is needed */
                const stiff_case *x = &cases[c];
                const char *method = costate_method(m)->name, *solves = free ? "gmres" : "auto";
                double times[ROWS];
                for (int k = 0; k < ROWS; k++) {
                    double part = (double)k / (ROWS - 1);
                    times[k] = x->factors ? x->from * pow(x->to / x->from, part) : x->from + (x->to - x->from) * part;
                }
                double state = worst_row(x->q, method, solves, times, rtol, 0);
                double dot = worst_row(x->q, method, solves, times, rtol, 1);
                print_message("%-11s %-9s %-5s state %6.2f  direction %6.2f\n", x->name, method, solves, state, dot);
                if (!(state < most && dot < most)) fail_msg("%s, %s: rows are off by %g and %g", x->name, method, state, dot);
            }
    problem_free(heat);
}

/* Extensions of the explicit methods keep up with the steps at tight tolerances too, where a cubic polynomial is off by
 * thousands of tolerances. */
static void test_explicit_rows(void **unused)
{
    static const double rtols[] = {1e-5, 1e-9}, most = 30;
    const problem *cases[] = {&problem_lotka_volterra, &problem_brusselator};
    (void)unused;
    for (size_t c = 0; c < COUNT(cases); c++)
        for (int m = 0; m < explicit_methods(); m++)
            for (size_t r = 0; costate_method(m)->order >= 5 && r < COUNT(rtols); r++) {
                const problem *q = cases[c];
                double times[ROWS];
                for (int k = 0; k < ROWS; k++) times[k] = q->t0 + (q->t1 - q->t0) * (k + 1) / ROWS;
                double state = worst_row(q, costate_method(m)->name, "auto", times, rtols[r], 0);
                double dot = worst_row(q, costate_method(m)->name, "auto", times, rtols[r], 1);
                print_message("%-14s %-9s %.0e state %6.2f  direction %6.2f\n", q->name, costate_method(m)->name, rtols[r], state,
                              dot);
                if (!(state < most && dot < most))
                    fail_msg("%s, %s: rows are off by %g and %g", q->name, costate_method(m)->name, state, dot);
            }
}

/* ---- directions ---------------------------------------------------------------------------------------------------- */

/* Rows of directions are the derivatives of the rows of the state: central differences of these, on the same steps, agree. */
static void test_differences(void **unused)
{
    static const double eps = 1e-6;
    const problem *q = &problem_lotka_volterra;
    int n = q->prob.n;
    (void)unused;
    for (int m = explicit_methods(); costate_method(m); m++) {
        double times[ROWS], y[ROWS * STATES], ydot[ROWS * STATES], side[2][ROWS * STATES], end[STATES], enddot[STATES];
        costate_options o = costate_defaults(costate_method(m)->name);
        o.step = 0.05, o.newton_tol = 1e-10;
        for (int k = 0; k < ROWS; k++) times[k] = q->t0 + 2.0 * (k + 0.37) / ROWS;
        costate_solver *s = make_solver(&q->prob, &o);
        start(q, end);
        for (int i = 0; i < n; i++) enddot[i] = i + 1;
        assert_ok(s, costate_output(s, ROWS, times, y, ydot));
        assert_ok(s, costate_tangent(s, q->t0, q->t0 + 2, q->p, end, 1, enddot, NULL));
        for (int b = 0; b < 2; b++) {
            start(q, end);
            for (int i = 0; i < n; i++) end[i] += (b ? eps : -eps) * (i + 1);
            assert_ok(s, costate_output(s, ROWS, times, side[b], NULL));
            assert_ok(s, costate_solve(s, q->t0, q->t0 + 2, q->p, end));
        }
        for (int i = 0; i < ROWS * n; i++)
            assert_near((side[1][i] - side[0][i]) / (2 * eps), ydot[i], 1e-7 * (1 + fabs(ydot[i])));
        costate_free(s);
    }
}

/* ---- the run ------------------------------------------------------------------------------------------------------- */

/* With rows in every step: the same bits as without any, state and gradient. Runge-Kutta methods evaluate nothing for them,
 * Rosenbrock methods solve two systems a step at most, and f at the end of a step is what the next one begins with. */
static void test_rows_change_nothing(void **unused)
{
    enum { MANY = 400 };
    const problem *q = &problem_duffing;
    static double times[MANY], rows[MANY][2];
    static const char *const solvers[] = {"dense", "gmres"};
    (void)unused;
    for (int k = 0; k < MANY; k++) times[k] = q->t0 + (q->t1 - q->t0) * (k + 0.5) / MANY;
    for (int m = explicit_methods(); costate_method(m); m++)
        for (size_t l = 0; l < COUNT(solvers); l++) {
            double y[2][2], dy0[2][4], dp[2][18];
            costate_stats st[2];
            for (int i = 0; i < 2; i++) {
                costate_options o = costate_defaults(costate_method(m)->name);
                o.linsol = solvers[l];
                costate_solver *s = make_solver(&q->prob, &o);
                if (i) assert_ok(s, costate_output(s, MANY, times, rows[0], NULL));
                start(q, y[i]);
                assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y[i]));
                st[i] = stats_of(s);
                assert_ok(s, costate_gradient(s, 2, NULL, dy0[i], dp[i]));
                costate_free(s);
            }
            assert_int_equal(st[0].steps, st[1].steps);
            assert_int_equal(st[0].rejected, st[1].rejected);
            assert_int_equal(st[0].factor, st[1].factor);
            int more = costate_method(m)->family == COSTATE_ROS;
            assert_in_range(st[1].solve - st[0].solve, 0, more ? 2 * st[0].steps : 0);
            int stops = q->prob.observations; /* f at their far side is no use for the next step */
            assert_in_range(st[1].rhs - st[0].rhs, 0, more ? 1 + stops : 0);
            assert_bits(y[0], y[1], 2);
            assert_bits(dy0[0], dy0[1], 4);
            assert_bits(dp[0], dp[1], 18);
            assert_finite(rows[0], 2 * MANY);
        }
}

/* ---- failures ------------------------------------------------------------------------------------------------------ */

typedef struct wild {
    int calls, from; /* of rhs so far; the one from which on products with the Jacobian are nonsense */
} wild;

static int wild_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p;
    wild *w = data;
    w->calls++;
    f[0] = -y[0] - 100 * y[1];
    f[1] = y[0] - 50 * y[1];
    return 0;
}

static int wild_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                    double *fdot, void *data)
{
    (void)t, (void)y, (void)p, (void)tdot, (void)pdot;
    const wild *x = data;
    for (int l = 0; l < w; l++) {
        double a = ydot ? ydot[l] : 0, b = ydot ? ydot[w + l] : 0;
        fdot[l] = x->calls < x->from ? -a - 100 * b : 1e3 * fabs(b);
        fdot[w + l] = x->calls < x->from ? a - 50 * b : 1e3 * fabs(a);
    }
    return 0;
}

/* Rows that ask for a system which is not solved: the third call of rhs in the first step of ros2 is theirs. */
static void test_row_fails(void **unused)
{
    static const double times[] = {0.1};
    wild data = {.from = 3};
    costate_problem prob = {.n = 2, .data = &data, .rhs = wild_rhs, .jvp = wild_jvp, .autonomous = 1};
    costate_options o = costate_defaults("ros2");
    double out[2] = {1, 1}, y[2] = {1, 0.5};
    (void)unused;
    o.step = 0.25, o.linsol = "gmres";
    costate_solver *s = make_solver(&prob, &o);
    assert_ok(s, costate_output(s, 1, times, out, NULL));
    assert_refused(s, costate_solve(s, 0, 1, NULL, y), COSTATE_ERR_GMRES, "for dense output at t = 0.1");
    assert_nan(out, 2);
    assert_nan(y, 2);
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_stiff_rows),
        cmocka_unit_test(test_explicit_rows),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_rows_change_nothing),
        cmocka_unit_test(test_row_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
