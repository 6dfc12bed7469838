/* test_own_solver.c - linear solvers of the user's own: residuals in every kind of system; early and clear refusals; what they
 * return reaches the user; every handle is closed, whatever fails. */
#include "linsol_model.h"
#include "own_solver.h"

enum { ROS, SDIRK, FIRK, METHODS };
static const char *const methods[METHODS] = {"rodas4", "sdirk4a", "radau2a"};

/* ---- systems ------------------------------------------------------------------------------------------------------------- */

/* Residuals, plain and transposed, on any number of lanes; complex matrices taken as they are, or as real ones of twice the
 * size. The corners of bands are NaN. */
static void test_residuals(void **state)
{
    (void)state;
    matrix all[] = {full_matrix(1, 4),
                    full_matrix(9, 4),
                    band_matrix(12, 2, 3, 4),
                    band_matrix(12, 0, 2, 4),
                    band_matrix(7, 3, 0, 4),
                    band_matrix(5, 0, 0, 4),
                    sparse_matrix("scattered", 20, scattered, 4),
                    sparse_matrix("diagonal", 6, diagonal, 4)};
    double worst = 0;
    for (size_t a = 0; a < COUNT(all); a++)
        for (int takes = 0; takes < 2; takes++) {
            matrix *m = &all[a];
            own_data d = {0};
            linsol_said said;
            costate_linear_solver own = own_solver(&d, takes);
            linsol_config c = config_of(m, 3);
            c.own = &own, c.said = &said;
            linsol l = open_solver("auto", &c);
            assert_string_equal(l.name, "gauss");
            const sys tasks[] = {{m, m->jac, 0, 7, 0}, {m, m->jac, 1, 5, 3}, {m, m->jac, 1, -6, 0}};
            for (int t = 0; t < 3; t++) factor(&l, t, &tasks[t]);
            for (int t = 0; t < 3; t++)
                for (size_t k = 0; k < COUNT(lanes_tested); k++)
                    for (int transposed = 0; transposed < 2; transposed++) {
                        int w = lanes_tested[k];
                        double *b = random_block(&tasks[t], w, 3 + k), *x = solved(&l, t, &tasks[t], transposed, w, b);
                        worst = fmax(worst, residual(&tasks[t], transposed, w, x, b));
                        free(b);
                        free(x);
                    }
            assert_int_equal(d.largest, takes ? m->n : 2 * m->n);
            assert_int_equal(l.ops->factor(l.self, 0, 0, NAN, 0, m->jac), LINSOL_NOT_FINITE);
            double kept = m->jac[m->place[0]];
            m->jac[m->place[0]] = INFINITY;
            assert_int_equal(l.ops->factor(l.self, 0, 0, 1, 0, m->jac), LINSOL_NOT_FINITE);
            m->jac[m->place[0]] = kept;
            linsol_close(&l);
            assert_int_equal(d.handles, 0);
        }
    print_message("residual %.1e\n", worst);
    assert_true(worst <= 1e-13);
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(&all[a]);
}

/* ---- a problem ----------------------------------------------------------------------------------------------------------- */

/* y_i' = p (y_(i-1) - 2 y_i + y_(i+1)) + y_i - y_i^3 */
enum { N = 6 };

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < N; i++)
        f[i] = p[0] * ((i ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < N ? y[i + 1] : 1)) + y[i] - y[i] * y[i] * y[i];
    return 0;
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < N; i++) {
        j[3 * i] = j[3 * i + 2] = p[0];
        j[3 * i + 1] = -2 * p[0] + 1 - 3 * y[i] * y[i];
    }
    return 0;
}

static const double P[1] = {50};

static costate_problem line(void)
{
    return (costate_problem){
        .n = N, .np = 1, .rhs = rhs, .jac = jac, .pattern = {.format = COSTATE_BANDED, .lower = 1, .upper = 1}, .autonomous = 1};
}

typedef struct bench {
    own_data d;
    costate_linear_solver own;
    costate_options o;
    costate_solver *s;
    double y[N], lambda[N], mu[1];
} bench;

static int start(bench *b, const char *method, int takes_complex)
{
    costate_problem q = line();
    b->o.method = method;
    if (!b->own.name) b->own = own_solver(&b->d, takes_complex);
    b->o.linear_solver = &b->own;
    fill(b->y, N, 0.3);
    fill(b->lambda, N, 1);
    return costate_create(&b->s, &q, &b->o);
}

static bench make_bench(void)
{
    return (bench){.o = costate_defaults(NULL)};
}

static int solve(bench *b)
{
    fill(b->y, N, 0.3);
    return costate_solve(b->s, 0, 0.5, P, b->y);
}

static void finish_bench(bench *b)
{
    costate_free(b->s);
    assert_int_equal(b->d.handles, 0);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------------ */

static void test_incomplete(void **state)
{
    (void)state;
    static const char *const lacks[] = {"has no open", "has no factor", "has no solve"};
    for (int k = 0; k < 3; k++) {
        bench b = make_bench();
        b.own = own_solver(&b.d, 0);
        if (k == 0) b.own.open = NULL;
        if (k == 1) b.own.factor = NULL;
        if (k == 2) b.own.solve = NULL;
        int status = start(&b, "rodas4", 0);
        assert_refused(b.s, status, COSTATE_ERR_LINSOL, lacks[k]);
        finish_bench(&b);
    }
}

/* Without a transposed solve there are runs and tangents, and adjoints say why there are none. */
static void test_no_transpose(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        bench b = make_bench();
        costate_certificate c;
        double ydot[N] = {1};
        b.own = own_solver(&b.d, 0);
        b.own.solve_transposed = NULL;
        assert_ok(b.s, start(&b, methods[m], 0));
        assert_ok(b.s, costate_tangent(b.s, 0, 0.5, P, b.y, 1, ydot, NULL));
        assert_ok(b.s, solve(&b));
        assert_refused(b.s, costate_adjoint(b.s, 1, b.lambda, b.mu), COSTATE_ERR_TRANSPOSE, "\"gauss\"");
        assert_nan(b.lambda, N);
        double weights[N] = {1};
        assert_int_equal(costate_gradient(b.s, 1, weights, b.lambda, b.mu), COSTATE_ERR_TRANSPOSE);
        assert_int_equal(costate_hessian(b.s, 1, weights, NULL, P, b.lambda, b.mu), COSTATE_ERR_TRANSPOSE);
        assert_int_equal(costate_check(b.s, 0, 0.5, P, (double[N]){0}, &c), COSTATE_ERR_TRANSPOSE);
        finish_bench(&b);
    }
}

/* Patterns that open refuses: the problem's own and the twofold one at once, the coupled one when it is asked for. */
static void test_refused_patterns(void **state)
{
    (void)state;
    bench b = make_bench();
    b.d.most = N - 1;
    int status = start(&b, "sdirk4a", 0);
    assert_refused(b.s, status, COSTATE_ERR_LINSOL,
                   "open of linear solver \"gauss\" returned 5 for a banded pattern of 6 equations");
    finish_bench(&b);

    b = make_bench();
    b.d.most = N;
    status = start(&b, "radau2a", 0);
    assert_refused(b.s, status, COSTATE_ERR_LINSOL, "12 equations, which stand for complex ones");
    finish_bench(&b);

    b = make_bench();
    b.d.most = N;
    assert_ok(b.s, start(&b, "radau2a", 1));
    assert_ok(b.s, solve(&b));
    assert_refused(b.s, costate_adjoint(b.s, 1, b.lambda, b.mu), COSTATE_ERR_LINSOL, "18 equations, for the coupled stages");
    assert_ok(b.s, costate_set(b.s, "adjoint_solve", "iterated"));
    assert_ok(b.s, solve(&b));
    fill(b.lambda, N, 1);
    assert_ok(b.s, costate_adjoint(b.s, 1, b.lambda, b.mu));
    assert_string_equal(stats_of(b.s).linsol, "gauss");
    finish_bench(&b);

    b = make_bench(); /* a handle for a further matrix */
    assert_ok(b.s, start(&b, "sdirk4a", 0));
    assert_ok(b.s, solve(&b));
    b.d.refuse_open = 8;
    assert_refused(b.s, costate_adjoint(b.s, 1, b.lambda, b.mu), COSTATE_ERR_LINSOL, "returned 8 for 6 equations");
    assert_nan(b.lambda, N);
    finish_bench(&b);
}

/* ---- what they return ---------------------------------------------------------------------------------------------------- */

static void test_return_values(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int takes = 0; takes < 2; takes++) {
            bench b = make_bench();
            assert_ok(b.s, start(&b, methods[m], takes));
            assert_ok(b.s, solve(&b));

            b.d.refuse_factor = 3, b.d.refuse_once = 1; /* once singular: a smaller step does */
            assert_ok(b.s, solve(&b));
            assert_true(b.d.refuse_factor == 0 && stats_of(b.s).rejected >= 1);
            b.d.refuse_factor = 3, b.d.refuse_once = 0;
            assert_refused(b.s, solve(&b), COSTATE_ERR_SINGULAR, "linear solver \"gauss\", 6 equations, at t = 0 with h");
            b.d.refuse_factor = -7;
            assert_refused(b.s, solve(&b), COSTATE_ERR_CALLBACK, "the linear solver's factor returned -7 at t = 0");
            b.d.refuse_factor = 0, b.d.refuse_solve = -8;
            assert_refused(b.s, solve(&b), COSTATE_ERR_CALLBACK, "the linear solver's solve returned -8 at t = 0");
            assert_nan(b.y, N);
            b.d.refuse_solve = 2;
            assert_refused(b.s, solve(&b), COSTATE_ERR_SINGULAR, "gauss");
            b.d.refuse_solve = 0;

            assert_ok(b.s, solve(&b));
            b.d.refuse_transposed = -9;
            assert_refused(b.s, costate_adjoint(b.s, 1, b.lambda, b.mu), COSTATE_ERR_SWEEP_CALLBACK,
                           "the linear solver's solve_transposed returned -9 in the step from t = ");
            assert_nan(b.lambda, N);
            assert_nan(b.mu, 1);
            b.d.refuse_transposed = 4;
            fill(b.lambda, N, 1);
            assert_refused(b.s, costate_adjoint(b.s, 1, b.lambda, b.mu), COSTATE_ERR_SINGULAR, "backwards");
            b.d.refuse_transposed = 0;
            fill(b.lambda, N, 1);
            assert_ok(b.s, costate_adjoint(b.s, 1, b.lambda, b.mu));
            assert_finite(b.lambda, N);
            finish_bench(&b);
        }
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

/* Within any budget the same bits; and whatever request of memory fails, handles are closed. */
static void test_memory(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        double lambda[2][N], mu[2];
        for (int tight = 0; tight < 2; tight++) {
            bench b = make_bench();
            b.o.memory = tight ? 4096 : INT64_MAX;
            b.o.step = 0.005;
            assert_ok(b.s, start(&b, methods[m], 0));
            assert_ok(b.s, solve(&b));
            assert_ok(b.s, costate_adjoint(b.s, 1, b.lambda, &mu[tight]));
            assert_true(!tight || stats_of(b.s).recomputed_steps > 0);
            memcpy(lambda[tight], b.lambda, sizeof b.lambda);
            finish_bench(&b);
        }
        assert_bits(lambda[0], lambda[1], N);
        assert_bits(mu, mu + 1, 1);
        for (int64_t k = 1, enough = 0; !enough; k++) {
            heap h = {.fail_at = k};
            bench b = make_bench();
            b.o.allocator = heap_allocator(&h);
            int status = start(&b, methods[m], 0);
            if (!status) status = solve(&b);
            if (!status) status = costate_adjoint(b.s, 1, b.lambda, b.mu);
            enough = h.requests < k;
            assert_int_equal(status, enough ? 0 : COSTATE_ERR_MEMORY);
            finish_bench(&b);
            assert_int_equal(h.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residuals),        cmocka_unit_test(test_incomplete),    cmocka_unit_test(test_no_transpose),
        cmocka_unit_test(test_refused_patterns), cmocka_unit_test(test_return_values), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
