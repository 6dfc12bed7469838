/* test_firk.c - proofs about the fully implicit methods: the transformation of the stage systems, order conditions and refused
 * tables, the observed order of state, tangent, gradient and Hessian product, the identities of the derivatives with both ways
 * to solve their systems, and the certificate. */
#include "modes.h"
#include "trial.h"

#include "method/firk.h"
#include "tableau/tableau.h"

enum { METHODS = 4, S = FIRK_STAGES, WIDEST = 11, COUNTS = 4, ROWS = 2399, WIDE = 3 };

static const char *const methods[METHODS] = {"radau2a", "radau1a", "lobatto3c", "gauss"};

/* ---- tables -------------------------------------------------------------------------------------------------------------- */

static void multiply(firk_matrix a, firk_matrix b, firk_matrix out)
{
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            out[i][j] = 0;
            for (int k = 0; k < S; k++) out[i][j] += a[i][k] * b[k][j];
        }
}

static double off(firk_matrix a, firk_matrix b) /* largest difference */
{
    double most = 0;
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) most = larger(most, fabs(a[i][j] - b[i][j]));
    return most;
}

/* f A x = -x, f back = I and x = -Lambda f, where Lambda is transposed, with q_3 of the other sign, for transposed systems. */
static double map_defect(firk_map *m, firk_matrix a, double gamma, double alpha, double beta)
{
    firk_matrix one = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, lambda = {{-gamma, 0, 0}, {0, -alpha, beta}, {0, -beta, -alpha}}, p;
    multiply(m->f, m->back, p);
    double worst = off(p, one);
    multiply(lambda, m->f, p);
    worst = larger(worst, off(p, m->x));
    multiply(m->x, a, p);
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) worst = larger(worst, fabs(p[i][j] + m->f[i][j]));
    return worst;
}

static void test_transformation(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++) {
        const costate_table *tb = costate_method_find(methods[k]);
        firk m = {0};
        firk_matrix at;
        char why[256] = "";
        assert_non_null(tb);
        if (cst__firk_derive(&m, tb, 0, why, sizeof why)) fail_msg("%s: %s", methods[k], why);
        for (int i = 0; i < S; i++)
            for (int j = 0; j < S; j++) at[i][j] = m.a[j][i];
        double plain = map_defect(&m.plain, m.a, m.gamma, m.alpha, m.beta),
               transposed = map_defect(&m.transposed, at, m.gamma, m.alpha, m.beta);
        print_message("%-10s gamma %.15f alpha %.15f beta %.15f defects %.0e %.0e\n", methods[k], m.gamma, m.alpha, m.beta, plain,
                      transposed);
        assert_true(plain < 1e-14);
        assert_true(transposed < 1e-14);
        for (int i = 0; i < S; i++) { /* dense output ends in y+, and is the collocation polynomial of radau2a and gauss */
            assert_true(fabs(extend_at(m.dense[i], 1) - m.d[i]) < 1e-13);
            for (int j = 0; j < S && (k == 0 || k == 3); j++) assert_true(fabs(extend_at(m.dense[i], m.c[j]) - (i == j)) < 1e-13);
        }
        for (int sdirk = 0; sdirk < 2; sdirk++) { /* the estimates of y' = 1, t, t^2 vanish, that of t^3 does not */
            assert_int_equal(cst__firk_derive(&m, tb, sdirk, why, sizeof why), 0);
            for (int q = 0; q < 4; q++) {
                double estimate = m.e0 * pow(m.node, q) + m.e1;
                for (int i = 0; i < S; i++)
                    for (int j = 0; j < S; j++) estimate += m.e[i] * m.a[i][j] * pow(m.c[j], q);
                assert_true(q < 3 ? fabs(estimate) < 1e-14 : fabs(estimate) > 1e-3);
            }
        }
    }
}

static int cosine(double t, const double *y, const double *p, double *f, void *data)
{
    (void)y, (void)p, (void)data;
    f[0] = cos(t);
    return 0;
}

/* An integral: f at the start of the step says nothing that a stage there does not say, and the estimates must see the error
 * none the less. */
static void test_integral(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++)
        for (int sdirk = 0; sdirk < 2; sdirk++) {
            double y = 0;
            costate_problem q = {.n = 1, .rhs = cosine};
            costate_options o = costate_defaults(methods[k]);
            o.estimator = sdirk ? "sdirk" : "classical";
            costate_solver *s = solver(&q, &o);
            GOOD(s, costate_solve(s, 0, 10, NULL, &y));
            assert_true(fabs(y - sin(10)) < 1e-6);
            costate_free(s);
        }
}

static void test_order_conditions(void **unused)
{
    static const int order[METHODS] = {5, 5, 4, 6};
    char why[256];
    (void)unused;
    for (int k = 0; k < METHODS; k++) {
        const costate_table *tb = costate_method_find(methods[k]);
        assert_int_equal(tb->family, COSTATE_FIRK);
        assert_int_equal(tb->order, order[k]);
        assert_true(tableau_order_defect(tb, tb->b, order[k]) < 1e-15);
        assert_true(tableau_order_defect(tb, tb->b, order[k] + 1) > 1e-5);
        assert_int_equal(tableau_check(tb, why, sizeof why), 0);
    }
}

/* A table of the user's is taken or refused, with the reason. */
static void offer(costate_table tb, int code, const char *reason)
{
    costate_solver *s = NULL;
    costate_options o = costate_defaults(NULL);
    o.table = &tb;
    o.step = tb.e ? 0 : 0.1;
    int status = costate_create(&s, &problem_logistic.prob, &o);
    if (status != code || (reason && !strstr(costate_message(s), reason))) fail_msg("%d, %s", status, costate_message(s));
    costate_free(s);
}

static void test_own_tables(void **unused)
{
    static const double lobatto3a[9] = {0, 0, 0, 5.0 / 24, 1.0 / 3, -1.0 / 24, 1.0 / 6, 2.0 / 3, 1.0 / 6},
                        lobatto_b[3] = {1.0 / 6, 2.0 / 3, 1.0 / 6};
    static const double triangle[9] = {0.5, 0, 0, 0.25, 0.5, 0, 0.25, 0.25, 0.5}, third[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    static const double twice[9] = {0.5, -0.5, 0.5, 0.5, 0.5, -0.5, -0.5, 0.5, 0.5}; /* a circulant: every row sum is 1/2 */
    static const double e[2] = {0.1, 0.1}, zero[2] = {0, 0}, nan[9] = {NAN};
    costate_table own = *costate_method_find("radau2a");
    (void)unused;
    own.name = "mine";
    offer(own, 0, NULL);
    costate_table t = own;
    t.a = lobatto3a, t.b = lobatto_b, t.order = 4;
    offer(t, COSTATE_ERR_TABLE, "A is singular");
    t.a = triangle, t.b = third, t.order = 1;
    offer(t, COSTATE_ERR_TABLE, "three real eigenvalues");
    t.a = twice, t.e = e;
    offer(t, COSTATE_ERR_TABLE, "two nodes coincide");
    t.e = NULL;
    offer(t, 0, NULL);
    t = own, t.stages = 2;
    offer(t, COSTATE_ERR_TABLE, "has 3");
    t = own, t.e = zero;
    offer(t, COSTATE_ERR_TABLE, "never sees an error");
    t = own, t.embedded_order = 4;
    offer(t, COSTATE_ERR_TABLE, "order 3");
    t = own, t.a = nan;
    offer(t, COSTATE_ERR_TABLE, "not finite");
    t = own, t.order = 6;
    t.b = costate_method_find("radau1a")->b;
    offer(t, COSTATE_ERR_TABLE, "violated");
}

/* ---- observed orders --------------------------------------------------------------------------------------------------------
 * */

static const double logistic_p[] = {0.66, 1.2, 0.4, 3.3}, duffing_p[] = {0.2, 1.5, 0.53, 1, 0.96, 0.77, 0.48, 1.4, 0.023};

static void run(const problem *q, const char *method, double h, modes *m)
{
    costate_options o = costate_defaults(method);
    o.step = h;
    o.newton_tol = 1e-12;
    run_modes(q, &o, m);
}

/* Problems that depend on t, with terminal, running and observed objectives; steps that divide `unit` meet every observation. */
static void orders(problem q, const double *p, double unit)
{
    /* steps per unit: errors are between the next term of the expansion and round-off */
    static const int least[] = {[4] = 24, [5] = 12, [6] = 6};
    static modes reference, m;
    q.p = p;
    run(&q, "dopri853", unit / 40, &reference);
    print_message("%-10s order   state tangent gradient Hessian   (%s)\n", "method", q.name);
    for (int k = 0; k < METHODS; k++) {
        double h[COUNTS], e[MODES][COUNTS], observed[MODES];
        int order = costate_method_find(methods[k])->order;
        for (int c = 0; c < COUNTS; c++) {
            h[c] = unit / (least[order] * (3 + c) / 3);
            run(&q, methods[k], h[c], &m);
            for (int i = 0; i < MODES; i++) e[i][c] = distance(m.count[i], m.value[i], reference.value[i]);
        }
        for (int i = 0; i < MODES; i++) observed[i] = slope(COUNTS, h, e[i]);
        print_message("%-10s %5d %7.2f %7.2f %8.2f %7.2f\n", methods[k], order, observed[STATE], observed[TANGENT],
                      observed[GRADIENT], observed[HESSIAN]);
        for (int i = 0; i < MODES; i++) {
            assert_true(e[i][COUNTS - 1] > 1e-13); /* else it is round-off that is measured */
            if (!(fabs(observed[i] - order) < 0.2)) fail_msg("%s, mode %d: order %g", methods[k], i, observed[i]);
        }
    }
}

static void test_orders(void **unused)
{
    (void)unused;
    orders(problem_logistic, logistic_p, 1);
    orders(problem_duffing, duffing_p, 0.8);
}

/* Order 4 in between: degree 3 at least, for state and directions. The number of rows is prime: they see all parts of a step. */
static void test_dense_order(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++) {
        static double times[ROWS], rows[2][ROWS * 2], dots[2][ROWS * 2 * WIDE], exact[ROWS * 2], dots_exact[ROWS * 2 * WIDE];
        double gap[2];
        problem q = problem_lotka_volterra;
        uint64_t seed = 3;
        double y[2], ydot[2 * WIDE], first[2 * WIDE];
        fill(first, 2 * WIDE, &seed);
        for (int i = 0; i < ROWS; i++) times[i] = q.t0 + (q.t1 - q.t0) * (i + 0.4) / ROWS;
        for (int c = -1; c < 2; c++) {
            costate_options o = costate_defaults(c < 0 ? "dopri853" : methods[k]);
            o.step = (q.t1 - q.t0) / (c < 0 ? 4000 : 160 * (c + 1));
            o.newton_tol = 1e-12;
            o.lanes = 2;
            costate_solver *s = solver(&q.prob, &o);
            GOOD(s, costate_output(s, ROWS, times, c < 0 ? exact : rows[c], c < 0 ? dots_exact : dots[c]));
            start(&q, y);
            memcpy(ydot, first, sizeof ydot);
            GOOD(s, costate_tangent(s, q.t0, q.t1, q.p, y, WIDE, ydot, NULL));
            if (c >= 0) gap[c] = larger(distance(ROWS * 2, rows[c], exact), distance(ROWS * 2 * WIDE, dots[c], dots_exact));
            costate_free(s);
        }
        print_message("%-10s dense output %.1e %.1e: order %.2f\n", methods[k], gap[0], gap[1], log2(gap[0] / gap[1]));
        assert_true(log2(gap[0] / gap[1]) > 3.8);
    }
}

/* ---- identities ---------------------------------------------------------------------------------------------------------- */

/* The largest defects over all problems and widths. */
static void identities(const char *method, const costate_options *o, const int *widths, int count, double *id, double *sym)
{
    *id = *sym = 0;
    for (int i = 0; i < problem_count(); i++)
        for (int k = 0; k < count; k++) {
            if (problem_get(i)->prob.n > 10 && k != 1) continue; /* one width will do where systems are large */
            trial *x = prepare(*problem_get(i), widths[k], 1);
            costate_options own = *o;
            own.method = method;
            costate_solver *s = solver(&x->q.prob, &own);
            run_trial(s, x);
            *id = larger(*id, identity(x));
            *sym = larger(*sym, symmetry(x));
            costate_free(s);
            free(x);
        }
}

static void test_direct(void **unused)
{
    static const int widths[] = {1, 3, 8, WIDEST};
    costate_options o = costate_defaults(NULL);
    (void)unused;
    o.tangent_solve = o.adjoint_solve = "direct";
    print_message("%-10s identity symmetry (direct)\n", "method");
    for (int k = 0; k < METHODS; k++) {
        double id, sym;
        identities(methods[k], &o, widths, 4, &id, &sym);
        print_message("%-10s %8.1e %8.1e\n", methods[k], id, sym);
        assert_true(id < 1e-12);
        assert_true(sym < 1e-12);
    }
}

/* Iterated systems are as good as sweep_tol says, and cost no factors of their own. */
static void test_iterated(void **unused)
{
    static const int widths[] = {WIDEST, 1};
    static const double tols[] = {1e-6, 1e-9, 1e-12};
    costate_options o = costate_defaults(NULL);
    (void)unused;
    o.tangent_solve = o.adjoint_solve = "iterated";
    for (int k = 0; k < METHODS; k++)
        for (int t = 0; t < 3; t++) {
            double id, sym;
            o.sweep_tol = tols[t];
            identities(methods[k], &o, widths, 2, &id, &sym);
            print_message("%-10s sweep_tol %.0e: identity %8.1e symmetry %8.1e\n", methods[k], tols[t], id, sym);
            assert_true(id < 10 * tols[t]);
            assert_true(sym < 10 * tols[t]);
        }
}

/* Other ways to choose the steps: both estimates, every control, errors of the directions, backward in time. */
static void test_other_runs(void **unused)
{
    static const char *const controls[] = {"elementary", "pi", "gustafsson"};
    (void)unused;
    for (int k = 0; k < METHODS; k++)
        for (int v = 0; v < 6; v++) {
            trial *x = prepare(problem_lotka_volterra, 3, 1);
            costate_options o = costate_defaults(methods[k]);
            o.estimator = v % 2 ? "sdirk" : "classical";
            o.control = controls[v % 3];
            o.tangent_control = v < 3 ? "state" : "all";
            double span = x->q.t1 - x->q.t0;
            if (v >= 4) x->q.t1 = x->q.t0 - span / 4;
            costate_solver *s = solver(&x->q.prob, &o);
            run_trial(s, x);
            assert_true(identity(x) < 1e-12);
            assert_true(symmetry(x) < 1e-12);
            costate_free(s);
            free(x);
        }
}

/* Lanes do not know of each other, however they are cut. */
static void test_lanes(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++)
        for (int lanes = 1; lanes <= 16; lanes *= 4) {
            trial *wide = prepare(problem_duffing, WIDEST, 1), *one = prepare(problem_duffing, 1, 1);
            costate_options o = costate_defaults(methods[k]);
            o.lanes = lanes;
            costate_solver *s = solver(&wide->q.prob, &o);
            run_trial(s, wide);
            for (int l = 0; l < WIDEST; l += 5) {
                int m = wide->n + wide->np;
                double lane[STATES + PARAMS];
                for (int b = 0; b < 2; b++)
                    for (int i = 0; i < m; i++) one->dir[b][i] = wide->dir[b][i * WIDEST + l];
                for (int i = 0; i < wide->g; i++) one->weights[i] = wide->weights[i * WIDEST + l];
                for (int i = 0; i < wide->n; i++) one->seeds[i] = wide->seeds[i * WIDEST + l];
                run_trial(s, one);
                for (int i = 0; i < m; i++) lane[i] = wide->hessian[0][i * WIDEST + l];
                assert_true(distance(m, lane, one->hessian[0]) < 1e-12);
                for (int i = 0; i < m; i++) lane[i] = wide->gradient[i * WIDEST + l];
                assert_true(distance(m, lane, one->gradient) < 1e-12);
            }
            costate_free(s);
            free(wide), free(one);
        }
}

/* The certificate, where Newton's iteration goes to round-off: then derivatives and objective are of one and the same map. */
static void test_certificate(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++)
        for (int i = 0; i < problem_count(); i++) {
            const problem *q = problem_get(i);
            double y[STATES];
            costate_certificate c;
            costate_options o = costate_defaults(methods[k]);
            o.newton_tol = 1e-12;
            costate_solver *s = solver(&q->prob, &o);
            start(q, y);
            int status = costate_check(s, q->t0, q->t1, q->p, y, &c);
            if (status) fail_msg("%s, %s: %s", methods[k], q->name, costate_message(s));
            costate_free(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transformation), cmocka_unit_test(test_integral),    cmocka_unit_test(test_order_conditions),
        cmocka_unit_test(test_own_tables),     cmocka_unit_test(test_orders),      cmocka_unit_test(test_dense_order),
        cmocka_unit_test(test_direct),         cmocka_unit_test(test_iterated),    cmocka_unit_test(test_other_runs),
        cmocka_unit_test(test_lanes),          cmocka_unit_test(test_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
