/* test_ros_second.c - Hessian products of Rosenbrock methods, which need third derivatives of f: these, the symmetry,
 * differences of gradients, Taylor slopes, lanes, the certificate, and the refusal where they are missing. */
#include "third.h"
#include "trial.h"

enum { METHODS = 5 };
static const char *const methods[METHODS] = {"ros2", "ros3", "ros4", "rodas3", "rodas4"};

static costate_solver *solver_of(const char *method, const problem *q)
{
    costate_options o = costate_defaults(method);
    o.rtol = 1e-4, o.atol = 1e-6; /* what is exact for the discrete map is so for any steps */
    return solver(&q->prob, &o);
}

/* ---- third.h itself -------------------------------------------------------------------------------------------------------- */

/* A function of (t, y, p) with seeds: vjp_dot (udot = 0) and vjp_dot2, of the right-hand side or of the running objective. */
typedef struct function {
    const costate_problem *q;
    int running, rows;
} function;

static void second(function f, double t, const double *y, const double *p, int w, direction d, const double *u, double *yb,
                   double *pb)
{
    const costate_problem *q = f.q;
    int rc = f.running ? q->running.vjp_dot(0, t, y, p, w, d.t, d.y, d.p, u, NULL, NULL, yb, NULL, pb, q->data)
                       : q->vjp_dot(t, y, p, w, d.t, d.y, d.p, u, NULL, NULL, yb, NULL, pb, q->data);
    assert_int_equal(rc, 0);
}

/* vjp_dot along d2, differentiated along d1 by a central difference of fourth order, against vjp_dot2. */
static double third_defect(function f, double t, const double *y, const double *p, int w, direction d1, direction d2,
                           const double *u)
{
    static const double eps = 1e-3, node[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const costate_problem *q = f.q;
    int rows = q->n + q->np;
    double got[(STATES + PARAMS) * LANES] = {0}, expected[(STATES + PARAMS) * LANES] = {0};
    double *got_p = got + q->n * w;
    for (int l = 0; l < w; l++)
        for (int k = 0; k < 4; k++) {
            double e = node[k] * eps, yy[STATES], pp[PARAMS], out[(STATES + PARAMS) * LANES] = {0};
            for (int i = 0; i < q->n; i++) yy[i] = y[i] + e * part(d1.y, i, w, l);
            for (int i = 0; i < q->np; i++) pp[i] = p[i] + e * part(d1.p, i, w, l);
            second(f, t + e * part(d1.t, 0, w, l), yy, pp, w, d2, u, out, out + q->n * w);
            for (int i = 0; i < rows; i++) expected[i * w + l] += weight[k] * out[i * w + l] / eps;
        }
    int rc = f.running ? q->running.vjp_dot2(0, t, y, p, w, d1.t, d1.y, d1.p, d2.t, d2.y, d2.p, u, got, got_p, q->data)
                       : q->vjp_dot2(t, y, p, w, d1.t, d1.y, d1.p, d2.t, d2.y, d2.p, u, got, got_p, q->data);
    assert_int_equal(rc, 0);
    double most = 0, size = 0, bend[(STATES + PARAMS) * LANES] = {0};
    second(f, t, y, p, w, d2, u, bend, bend + q->n * w);
    for (int i = 0; i < rows * w; i++) {
        most = larger(most, fabs(got[i] - expected[i]));
        size = larger(size, larger(fabs(expected[i]), fabs(bend[i]))); /* there may be no third derivatives */
    }
    return size == 0 ? most : most / size;
}

static void test_third(void **unused)
{
    enum { W = 3 };
    (void)unused;
    for (int i = 0; i < THIRDS; i++) {
        problem q = third_problem(i);
        uint64_t seed = 1;
        double t = 0.7, y[STATES], p[PARAMS], u[STATES * W], d[2][(1 + STATES + PARAMS) * W], worst = 0;
        fill(y, q.prob.n, &seed);
        fill(u, STATES * W, &seed);
        for (int b = 0; b < 2; b++) fill(d[b], (1 + STATES + PARAMS) * W, &seed);
        for (int k = 0; k < q.prob.np; k++) p[k] = q.p[k] * (1 + 0.1 * uniform(&seed));
        for (unsigned parts = 1; parts < 64; parts++) { /* of the two directions, those that are not NULL */
            direction e[2];
            for (int b = 0; b < 2; b++) {
                unsigned m = parts >> 3 * b;
                e[b] = (direction){m & 1 ? d[b] : NULL, m & 2 ? d[b] + W : NULL, m & 4 ? d[b] + (1 + STATES) * W : NULL};
            }
            for (int running = 0; running <= !!q.prob.running.eval; running++) {
                function f = {&q.prob, running, running ? goals(&q.prob) : q.prob.n};
                worst = larger(worst, third_defect(f, t, y, p, W, e[0], e[1], u));
            }
        }
        print_message("%-15s %8.1e\n", q.name, worst);
        assert_true(worst < 1e-9);
    }
}

/* ---- Hessian products ---------------------------------------------------------------------------------------------------- */

/* Directions in proportion to the point; with init the initial state is not ours to move. */
static void in_proportion(trial *x, problem q, int w, uint64_t seed)
{
    memset(x, 0, sizeof *x);
    size_trial(x, q, w);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < x->n + x->np; i++)
            for (int l = 0; l < w; l++)
                x->dir[b][i * w + l] = uniform(&seed) * (i >= x->n ? q.p[i - x->n] : q.prob.init.eval ? 0 : q.y0[i]);
    fill_weights(x, &seed);
}

static void gradient_at(costate_solver *s, const trial *x, double eps, double *gradient)
{
    double y[STATES], p[PARAMS];
    start(&x->q, y);
    for (int i = 0; i < x->n; i++) y[i] += eps * x->dir[0][i * x->w];
    for (int i = x->n; i < x->n + x->np; i++) p[i - x->n] = x->q.p[i - x->n] + eps * x->dir[0][i * x->w];
    GOOD(s, costate_solve(s, x->q.t0, x->q.t1, p, y));
    GOOD(s, costate_gradient(s, x->w, x->weights, gradient, gradient + x->n * x->w));
}

static void products(costate_solver *s, trial *x)
{
    gradient_at(s, x, 0, x->gradient);
    run_hessian(s, x, 0);
    run_hessian(s, x, 1);
}

/* For adaptive runs, autonomous problems with and without saying so. */
static void test_symmetry(void **unused)
{
    static const int widths[] = {1, 3, 8, 11};
    (void)unused;
    print_message("%-10s symmetry\n", "method");
    for (int m = 0; m < METHODS; m++) {
        double worst = 0;
        for (int i = 0; i < THIRDS; i++)
            for (int autonomous = 0; autonomous <= (i >= THIRD_LOTKA_VOLTERRA); autonomous++)
                for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
                    static trial x;
                    in_proportion(&x, third_problem(i), widths[k], 1);
                    x.q.prob.autonomous = autonomous;
                    costate_solver *s = solver_of(methods[m], &x.q);
                    products(s, &x);
                    worst = larger(worst, symmetry(&x));
                    costate_free(s);
                }
        print_message("%-10s %8.1e\n", methods[m], worst);
        assert_true(worst < 1e-12);
    }
}

/* H d against a difference of fourth order of gradients over the same steps. The better of two step sizes: where the Hessian
 * is small beside the gradient, round-off asks for a larger one. */
static double by_differences(const char *method, problem q)
{
    static const double sizes[] = {2e-3, 2.5e-4}, node[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static trial x;
    in_proportion(&x, q, 1, 4);
    costate_options o = costate_defaults(method);
    o.step = fabs(q.t1 - q.t0) / 100;
    costate_solver *s = solver(&q.prob, &o);
    products(s, &x);
    double best = INFINITY;
    for (int j = 0; j < 2; j++) {
        double expected[STATES + PARAMS] = {0}, gradient[STATES + PARAMS];
        for (int k = 0; k < 4; k++) {
            gradient_at(s, &x, node[k] * sizes[j], gradient);
            for (int i = 0; i < x.n + x.np; i++) expected[i] += weight[k] * gradient[i] / sizes[j];
        }
        best = fmin(best, distance(x.n + x.np, x.hessian[0], expected));
    }
    costate_free(s);
    return best;
}

static void test_hessian(void **unused)
{
    (void)unused;
    print_message("%-10s differences   Taylor slopes\n", "method");
    for (int m = 0; m < METHODS; m++) {
        double off = 0, first = 2, last = 3;
        for (int i = 0; i < THIRDS; i++) {
            problem q = third_problem(i);
            double y[STATES];
            costate_certificate c;
            costate_solver *s = solver_of(methods[m], &q);
            start(&q, y);
            int status = costate_check(s, q.t0, q.t1, q.p, y, &c);
            if (status) fail_msg("%s, %s, %s", methods[m], q.name, c.text);
            assert_true(c.symmetry < 1e-12);
            first = fabs(c.slope_gradient - 2) > fabs(first - 2) ? c.slope_gradient : first;
            last = fabs(c.slope_hessian - 3) > fabs(last - 3) ? c.slope_hessian : last;
            off = larger(off, by_differences(methods[m], q));
            costate_free(s);
        }
        print_message("%-10s %11.1e %7.2f %7.2f\n", methods[m], off, first, last);
        assert_true(off < 1e-9);
        assert_true(fabs(first - 2) < 0.2);
        assert_true(fabs(last - 3) < 0.2);
    }
}

/* A lane of a block is what a call with that lane alone gives. */
static void test_lanes(void **unused)
{
    enum { W = 11 };
    static trial wide, one;
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        double worst = 0;
        for (int i = 0; i < THIRDS; i++) {
            in_proportion(&wide, third_problem(i), W, 9);
            costate_solver *s = solver_of(methods[m], &wide.q);
            products(s, &wide);
            for (int l = 0; l < W; l++) {
                double lane[STATES + PARAMS];
                in_proportion(&one, wide.q, 1, 9);
                for (int k = 0; k < one.n + one.np; k++) one.dir[0][k] = wide.dir[0][k * W + l];
                for (int k = 0; k < goals(&one.q.prob); k++) one.weights[k] = wide.weights[k * W + l];
                GOOD(s,
                     costate_hessian(s, 1, one.weights, one.dir[0], one.dir[0] + one.n, one.hessian[0], one.hessian[0] + one.n));
                for (int k = 0; k < one.n + one.np; k++) lane[k] = wide.hessian[0][k * W + l];
                worst = larger(worst, distance(one.n + one.np, lane, one.hessian[0]));
            }
            costate_free(s);
        }
        print_message("%-10s lanes %8.1e\n", methods[m], worst);
        assert_true(worst < 1e-13);
    }
}

/* Of three calls of vjp_dot at (t, y) for each of six stages, three are left where stages share them. */
static void test_shared(void **unused)
{
    (void)unused;
    static trial x;
    int64_t calls[2], steps = 0;
    for (int together = 0; together < 2; together++) {
        costate_options o = costate_defaults("rodas4");
        costate_stats before, after;
        o.lanes = together ? 8 : 1;
        in_proportion(&x, third_problem(THIRD_LOGISTIC), 1, 9);
        costate_solver *s = solver(&x.q.prob, &o);
        gradient_at(s, &x, 0, x.gradient);
        costate_get_stats(s, &before);
        run_hessian(s, &x, 0);
        costate_get_stats(s, &after);
        calls[together] = after.vjp_dot - before.vjp_dot;
        steps = after.steps;
        costate_free(s);
    }
    assert_int_equal(calls[0] - calls[1], steps * (18 - 3));
}

/* ---- what is missing is named -------------------------------------------------------------------------------------------- */

static void refused(problem q, const char *missing)
{
    double y[STATES], hy[STATES], hp[PARAMS] = {0}, dy[STATES], dp[PARAMS];
    costate_solver *s = solver_of("rodas3", &q);
    costate_certificate c;
    start(&q, y);
    GOOD(s, costate_solve(s, q.t0, q.t1, q.p, y));
    assert_int_equal(costate_hessian(s, 1, NULL, NULL, q.p, hy, hp), COSTATE_ERR_SECOND);
    if (!strstr(costate_message(s), missing)) fail_msg("\"%s\" does not name %s", costate_message(s), missing);
    for (int i = 0; i < q.prob.n; i++) assert_true(isnan(hy[i]));
    for (int i = 0; i < q.prob.np; i++) assert_true(isnan(hp[i]));
    start(&q, y);
    GOOD(s, costate_gradient(s, goals(&q.prob), NULL, dy, dp)); /* the first order is untouched by it */
    start(&q, y);
    GOOD(s, costate_check(s, q.t0, q.t1, q.p, y, &c)); /* and certified alone */
    assert_true(c.holds && isnan(c.symmetry) && isnan(c.slope_hessian));
    costate_free(s);
}

static void test_refusal(void **unused)
{
    (void)unused;
    problem q = third_problem(THIRD_LOGISTIC);
    q.prob.vjp_dot2 = NULL;
    refused(q, "rodas3 needs vjp_dot2, ");
    q = third_problem(THIRD_LOGISTIC);
    q.prob.running.vjp_dot2 = NULL;
    refused(q, "rodas3 needs running.vjp_dot2, ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_third), cmocka_unit_test(test_symmetry), cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_lanes), cmocka_unit_test(test_shared), cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
