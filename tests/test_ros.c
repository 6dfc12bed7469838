/* test_ros.c - Rosenbrock methods: observed orders in every mode and of dense output; the identities of tangent and adjoint
 * on every problem, stiff ones too; lanes; products by differences; tables of the user's own. */
#include "glv.h"
#include "modes.h"
#include "third.h"
#include "trial.h"

enum { METHODS = 5 };
static const char *const methods[METHODS] = {"ros2", "ros3", "ros4", "rodas3", "rodas4"};

/* ---- observed orders ------------------------------------------------------------------------------------------------------- */

enum { COUNTS = 4, ROWS = 201 };

/* Steps per unit of time, so many that the second term of the error is small. */
static int per_unit(int order, int i)
{
    static const int least[] = {[1] = 200, [2] = 160, [3] = 80, [4] = 60};
    return least[order] * (4 + i) / 4;
}

static void observe_orders(const problem *q, const modes *reference, costate_options o, int order, double *observed)
{
    static modes m;
    double h[COUNTS], e[MODES][COUNTS];
    for (int c = 0; c < COUNTS; c++) {
        o.step = h[c] = 0.8 / per_unit(order, c);
        run_modes(q, &o, &m);
        for (int k = 0; k < MODES; k++) e[k][c] = mode_error(&m, reference, k);
    }
    for (int k = 0; k < MODES; k++) {
        observed[k] = slope(COUNTS, h, e[k]);
        assert_true(e[k][COUNTS - 1] > 1e-12); /* else it is round-off that is measured */
    }
}

static modes reference_of(const problem *q)
{
    modes reference;
    costate_options o = costate_defaults("dopri853");
    o.step = 0.02;
    run_modes(q, &o, &reference);
    return reference;
}

/* Smooth, nonlinear; duffing and logistic depend on t and have running objectives, duffing observations and init too. The
 * time is cut to a multiple of the steps. */
static void test_orders(void **unused)
{
    static const int which[] = {THIRD_DUFFING, THIRD_LOGISTIC, THIRD_BRUSSELATOR};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        problem q = third_problem(which[i]);
        if (which[i] != THIRD_DUFFING) q.t1 = 2.4;
        modes reference = reference_of(&q);
        print_message("%-10s order   state tangent gradient Hessian   (%s)\n", "method", q.name);
        for (int m = 0; m < METHODS; m++) {
            int order = costate_method_find(methods[m])->order;
            double observed[MODES];
            observe_orders(&q, &reference, costate_defaults(methods[m]), order, observed);
            print_message("%-10s %5d %7.2f %7.2f %8.2f %7.2f\n", methods[m], order, observed[STATE], observed[TANGENT],
                          observed[GRADIENT], observed[HESSIAN]);
            for (int k = 0; k < MODES; k++)
                if (!(fabs(observed[k] - order) < 0.2)) fail_msg("%s, mode %d: order %g", methods[m], k, observed[k]);
        }
    }
}

/* Output at ROWS times: by runs with dopri853 that end there, or as the dense output of one run. */
static void rows(const problem *q, const char *method, double h, const double *t, double *y, double *ydot)
{
    int n = q->prob.n, exact = !strcmp(method, "dopri853");
    double end[STATES], pdot[PARAMS], along[STATES];
    costate_options o = costate_defaults(method);
    o.step = h;
    costate_solver *s = solver(&q->prob, &o);
    if (!exact) GOOD(s, costate_output(s, ROWS, t, y, ydot));
    for (int k = 0; k < (exact ? ROWS : 1); k++) {
        uint64_t seed = 7;
        start(q, end);
        fill(along, n, &seed);
        fill(pdot, q->prob.np, &seed);
        GOOD(s, costate_tangent(s, q->t0, exact ? t[k] : q->t1, q->p, end, 1, along, pdot));
        if (exact) memcpy(y + k * n, end, (size_t)n * sizeof *end), memcpy(ydot + k * n, along, (size_t)n * sizeof *along);
    }
    costate_free(s);
}

/* Over all rows: each lies elsewhere within its step, depending on h. */
static double root_mean_square(const double *a, const double *b)
{
    double square = 0;
    for (int i = 0; i < ROWS * 2; i++) square += pow(a[i] - b[i], 2) / (ROWS * 2);
    return sqrt(square);
}

/* Between the steps the order is that of the method. */
static void test_dense(void **unused)
{
    (void)unused;
    static double t[ROWS], y[2][ROWS * 2], ydot[2][ROWS * 2];
    problem q = problem_duffing;
    q.prob.observations = 0;
    q.prob.observe = (costate_function){0};
    for (int k = 0; k < ROWS; k++) t[k] = q.t1 * (k + 0.4) / ROWS;
    rows(&q, "dopri853", 0.04, t, y[0], ydot[0]);
    print_message("%-10s dense   state tangent\n", "method");
    for (int m = 0; m < METHODS; m++) {
        int order = costate_method_find(methods[m])->order;
        double h[COUNTS], e[COUNTS], edot[COUNTS];
        for (int c = 0; c < COUNTS; c++) {
            h[c] = 0.8 / per_unit(order, c);
            rows(&q, methods[m], h[c], t, y[1], ydot[1]);
            e[c] = root_mean_square(y[1], y[0]);
            edot[c] = root_mean_square(ydot[1], ydot[0]);
        }
        double observed = slope(COUNTS, h, e), observed_dot = slope(COUNTS, h, edot);
        print_message("%-10s %5d %7.2f %7.2f\n", methods[m], order, observed, observed_dot);
        assert_true(fabs(observed - order) < 0.2);
        assert_true(fabs(observed_dot - order) < 0.2);
    }
}

/* ---- identities ------------------------------------------------------------------------------------------------------------ */

enum { WIDEST = 11, SPECIES = 10 };

/* The problems of the lists, and GLV, which brings vjp_points. Some are not followed to their end: where invariants drift by
 * round-off times the step (robertson, e5), where directions grow by 1e13 on the way and shrink again (van_der_pol through
 * its jumps), there an identity says something about conditioning, not about derivatives. cbm4 stops before sunrise, its
 * kink, and the ring modulator when a few hundred steps are taken. */
static int problems(void)
{
    return problem_count() + stiff_count() + 1;
}

static problem problem_at(int i)
{
    static const struct {
        const char *name;
        double t1;
    } ends[] = {{"robertson", 4e5}, {"e5", 10}, {"van_der_pol_3", 0.5}, {"van_der_pol_4", 0.5}, {"van_der_pol_5", 0.5},
                {"van_der_pol_6", 0.5}, {"cbm4", 43200}, {"cbm4_rates", 43200}, {"ring_modulator", 2e-5}};
    static glv model = {SPECIES};
    static double y0[SPECIES], p[SPECIES + SPECIES * SPECIES];
    if (i < problem_count()) return *problem_get(i);
    if (i == problem_count() + stiff_count()) {
        glv_defaults(SPECIES, p, y0);
        return (problem){.name = "glv", .prob = glv_problem(&model), .y0 = y0, .p = p, .t1 = GLV_T1};
    }
    problem q = *stiff_get(i - problem_count());
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (!strcmp(q.name, ends[k].name)) q.t1 = ends[k].t1;
    return q;
}

/* Does f depend on t? Looked at several times, for parameters that nobody chose. */
static int autonomous(const problem *q)
{
    double y[STATES], p[PARAMS], ft[STATES], one = 1, most = 0;
    uint64_t seed = 3;
    start(q, y);
    for (int i = 0; i < q->prob.np; i++) p[i] = q->p[i] * (1 + 0.1 * uniform(&seed));
    if (q->prob.init.eval) q->prob.init.eval(0, q->t0, NULL, p, y, q->prob.data);
    for (int k = 0; k < 5; k++) {
        q->prob.jvp(q->t0 + (q->t1 - q->t0) * (k + 0.1) / 5, y, p, 1, &one, NULL, NULL, ft, q->prob.data);
        for (int i = 0; i < q->prob.n; i++) most = fmax(most, fabs(ft[i]));
    }
    return most == 0;
}

/* Directions are in proportion to the point, where that has scales. */
static void in_proportion(trial *x, problem q, int w, uint64_t seed)
{
    memset(x, 0, sizeof *x);
    size_trial(x, q, w);
    for (int i = 0; i < x->n + x->np; i++) {
        double size = !q.scale ? 1 : i >= x->n ? q.p[i - x->n] : q.y0[i] != 0 ? q.y0[i] : q.scale[i];
        for (int l = 0; l < w; l++) x->dir[0][i * w + l] = size * uniform(&seed);
    }
    fill(x->weights, x->g * w, &seed);
    fill(x->seeds, x->n * w, &seed);
}

/* Loose tolerances: what is exact for the discrete map is so for any steps. */
static costate_solver *solver_of(const char *method, const problem *q)
{
    double atols[STATES];
    costate_solver *s = NULL;
    costate_options o = costate_defaults(method);
    o.rtol = 1e-3;
    for (int i = 0; i < q->prob.n; i++) atols[i] = (q->scale ? q->scale[i] : 1e-2) * o.rtol;
    o.atols = atols;
    assert_true(q->prob.n <= STATES && q->prob.np <= PARAMS);
    GOOD(s, costate_create(&s, &q->prob, &o));
    return s;
}

/* Problems that do not depend on t are run with and without saying so. */
static double identity_of(const char *method, problem q)
{
    static const int widths[] = {1, 3, 8, WIDEST};
    static trial x;
    double worst = 0;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int said = autonomous(&q); said >= 0; said--) {
            q.prob.autonomous = said;
            in_proportion(&x, q, widths[k], 1);
            costate_solver *s = solver_of(method, &q);
            run_first_order(s, &x);
            worst = larger(worst, identity(&x));
            costate_free(s);
        }
    return worst;
}

static void test_identity(void **unused)
{
    (void)unused;
    print_message("%-22s", "identity");
    for (int m = 0; m < METHODS; m++) print_message(" %8s", methods[m]);
    print_message("\n");
    for (int i = 0; i < problems(); i++) {
        problem q = problem_at(i);
        double worst[METHODS];
        print_message("%-22s", q.name);
        for (int m = 0; m < METHODS; m++) print_message(" %8.1e", worst[m] = identity_of(methods[m], q));
        print_message("\n");
        for (int m = 0; m < METHODS; m++) assert_true(worst[m] < 1e-12);
    }
}

/* ---- lanes, flags, solvers: the same numbers ----------------------------------------------------------------------------- */

static double apart(int rows, int w, const double *block, int l, const double *alone)
{
    double lane[STATES + PARAMS];
    for (int i = 0; i < rows; i++) lane[i] = block[i * w + l];
    return distance(rows, lane, alone);
}

/* Every lane of a block of 11, cut into blocks as option `lanes` says, is what that lane gives alone. Products round differently
 * by lanes, which the second direction of HIRES magnifies: ros3 is off by 1e-14 to 3e-13, depending on the last bits of h. */
static double lanes_apart(const char *method, problem q)
{
    static const char *const cuts[] = {"4", "8", "16"};
    static trial x, one;
    double worst = 0;
    costate_solver *s = solver_of(method, &q);
    for (int k = 0; k < 3; k++) {
        in_proportion(&x, q, WIDEST, 5);
        GOOD(s, costate_set(s, "lanes", cuts[k]));
        run_first_order(s, &x);
        for (int l = 0; l < WIDEST; l++) {
            in_proportion(&one, q, 1, 5);
            for (int i = 0; i < x.n + x.np; i++) one.dir[0][i] = x.dir[0][i * WIDEST + l];
            for (int i = 0; i < x.g; i++) one.weights[i] = x.weights[i * WIDEST + l];
            for (int i = 0; i < x.n; i++) one.seeds[i] = x.seeds[i * WIDEST + l];
            run_first_order(s, &one);
            worst = larger(worst, apart(x.n, WIDEST, x.ydot, l, one.ydot));
            worst = larger(worst, apart(x.g, WIDEST, x.psidot, l, one.psidot));
            worst = larger(worst, apart(x.n + x.np, WIDEST, x.gradient, l, one.gradient));
            worst = larger(worst, apart(x.n + x.np, WIDEST, x.adjoint, l, one.adjoint));
        }
    }
    costate_free(s);
    return worst;
}

static void test_lanes(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        const problem list[] = {problem_duffing, problem_brusselator, *stiff_hires(), problem_at(problems() - 1)};
        double worst = 0;
        for (int i = 0; i < 4; i++) worst = larger(worst, lanes_apart(methods[m], list[i]));
        print_message("%-10s lanes %8.1e\n", methods[m], worst);
        assert_true(worst < 5e-13);
    }
}

/* What is left of a stiff problem after a tenth of its run: off the slow manifold, and where initial values are zero and so
 * without a scale, directions of order 1 are as good as infinite. */
static problem later(problem q, double *y)
{
    double tenth = q.t0 + (q.t1 - q.t0) / 10;
    costate_solver *s = solver_of("rodas4", &q);
    start(&q, y);
    GOOD(s, costate_solve(s, q.t0, tenth, q.p, y));
    costate_free(s);
    q.t0 = tenth, q.y0 = y;
    return q;
}

/* Directions and gradient, the latter times the point's scales, of a run with 100 steps. */
static void fixed_run(const char *method, const char *linsol, trial *x)
{
    costate_solver *s = NULL;
    costate_options o = costate_defaults(method);
    o.step = (x->q.t1 - x->q.t0) / 100;
    o.linsol = linsol;
    GOOD(s, costate_create(&s, &x->q.prob, &o));
    run_first_order(s, x);
    for (int i = 0; x->q.scale && i < (x->n + x->np) * x->w; i++)
        x->gradient[i] *= i < x->n * x->w ? x->q.y0[i / x->w] : x->q.p[i / x->w - x->n];
    costate_free(s);
}

/* f_t that is not evaluated is f_t that is zero, and one solver of linear systems is as good as another, GMRES within its
 * tolerance. */
static void test_same_numbers(void **unused)
{
    static const struct {
        const char *linsol;
        int pollu, autonomous;
        double apart;
    } variants[] = {{"dense", 1, 1, 1e-12}, {"dense", 1, 0, 1e-12}, {"dense", 0, 1, 1e-12}, {"gmres", 0, 0, 1e-8}};
    static trial x, other;
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
            double y0[STATES];
            in_proportion(&x, variants[k].pollu ? later(*stiff_pollu(), y0) : problem_brusselator, 3, 8);
            other = x;
            other.q.prob.autonomous = variants[k].autonomous;
            fixed_run(methods[m], "auto", &x);
            fixed_run(methods[m], variants[k].linsol, &other);
            double worst = larger(distance(x.n * 3, other.ydot, x.ydot), distance((x.n + x.np) * 3, other.gradient, x.gradient));
            if (!(worst < variants[k].apart)) fail_msg("%s, %s: %g", methods[m], variants[k].linsol, worst);
        }
}

/* ---- the certificate, and products by differences ------------------------------------------------------------------------ */

static void test_certificate(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < problems(); i++) {
            double y0[STATES], y[STATES];
            problem q = problem_at(i);
            if (q.scale) q = later(q, y0);
            costate_certificate c;
            costate_solver *s = solver_of(methods[m], &q);
            start(&q, y);
            int status = costate_check(s, q.t0, q.t1, q.p, y, &c);
            if (status) fail_msg("%s, %s: %s\n%s", methods[m], q.name, costate_message(s), c.text);
            assert_true(isnan(c.symmetry) && isnan(c.slope_hessian));
            costate_free(s);
        }
}

/* Without jvp2 and vjp_dot, these are differences of jvp and vjp; without any product, differences of differences. */
static void test_differences(void **unused)
{
    static trial x;
    (void)unused;
    print_message("%-10s  first exact  nothing exact\n", "method");
    for (int m = 0; m < METHODS; m++) {
        double first = 0, bare = 0;
        for (int i = 0; i < problem_count(); i++) {
            problem q = *problem_get(i);
            q.prob = given(q.prob, JVP | VJP | JAC);
            for (int k = 0; k < 2; k++) {
                in_proportion(&x, q, 3, 2);
                costate_solver *s = solver_of(methods[m], &q);
                run_first_order(s, &x);
                if (k) bare = larger(bare, identity(&x));
                else first = larger(first, identity(&x));
                costate_free(s);
                q.prob = given(q.prob, 0);
            }
        }
        print_message("%-10s %12.1e %14.1e\n", methods[m], first, bare);
        assert_true(first < 1e-9);
        assert_true(bare < 1e-5);
    }
}

/* ---- tables of the user's own -------------------------------------------------------------------------------------------- */

/* Two stages of order 2 for any gamma (Hairer and Wanner, Solving ODEs II, IV.7), in the form of order conditions
 *
 *     alpha_21 = 1,  gamma_21 = -2 gamma,  b = (1/2, 1/2),  embedded (1, 0)
 *
 * brought to that of costate_table: Gamma^-1 = (1/gamma) [[1, 0], [2, 1]]. */
static void test_own_table(void **unused)
{
    (void)unused;
    double gamma = 1 - sqrt(0.5), a[4] = {0, 0, 1 / gamma, 0}, g[4] = {0, 0, -2 / gamma, 0};
    double b[2] = {1.5 / gamma, 0.5 / gamma}, e[2] = {0.5 / gamma, 0.5 / gamma}, alpha[2] = {0, 1}, gammas[2] = {gamma, -gamma};
    costate_table own = {.name = "mine",
                         .family = COSTATE_ROS,
                         .stages = 2,
                         .order = 2,
                         .embedded_order = 1,
                         .a = a,
                         .b = b,
                         .e = e,
                         .g = g,
                         .alpha = alpha,
                         .gamma = gammas};
    double observed[MODES], y[STATES];
    problem q = third_problem(THIRD_DUFFING);
    modes reference = reference_of(&q);
    costate_certificate c;
    costate_options o = costate_defaults(NULL);
    o.table = &own;
    observe_orders(&q, &reference, o, 2, observed);
    for (int k = 0; k < MODES; k++) assert_true(fabs(observed[k] - 2) < 0.2);
    o.step = 0;
    costate_solver *s = solver(&q.prob, &o);
    start(&q, y);
    GOOD(s, costate_check(s, q.t0, q.t1, q.p, y, &c));
    assert_true(c.identity < 1e-13 && c.symmetry < 1e-12);
    costate_stats stats;
    costate_get_stats(s, &stats);
    assert_string_equal(stats.method, "mine");
    costate_free(s);
    gammas[1] = 0; /* no longer the row sum */
    s = NULL;
    assert_int_equal(costate_create(&s, &q.prob, &o), COSTATE_ERR_TABLE);
    assert_non_null(strstr(costate_message(s), "gamma[1] is 0, but"));
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),       cmocka_unit_test(test_dense),       cmocka_unit_test(test_identity),
        cmocka_unit_test(test_lanes),        cmocka_unit_test(test_same_numbers), cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_differences),  cmocka_unit_test(test_own_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
