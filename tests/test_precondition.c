/* test_precondition.c - GMRES with a user's preconditioner: fewer products with the Jacobian, forwards and backwards, for the
 * same gradient; without its transpose there are no adjoints; what its functions return reaches the user; handles are closed.
 *
 * The problem is advection, diffusion and reaction on a square of M x M points, periodic along x, so that J is not symmetric:
 *
 *     y' = d (y_xx / 100 + y_zz) - a y_x - k y^2
 *
 * and the preconditioner is re I - J without its part along x: lines in z, tridiagonal, with the diagonal of all of J. */
#include "support.h"

enum { M = 12, N = M * M, NP = 3, METHODS = 3 };
static const char *const methods[METHODS] = {"rodas4", "sdirk4a", "radau2a"};
static const double P[NP] = {10, 2, 3};

/* ---- the problem --------------------------------------------------------------------------------------------------------- */

typedef struct fault {
    int jvp, vjp; /* what they return */
} fault;

typedef struct stencil { /* weights of the neighbours and of the point itself, without reaction */
    double west, east, side, here;
} stencil;

static stencil stencil_of(const double *p)
{
    double x = p[0] * M * M / 100, z = p[0] * M * M, drift = p[1] * M;
    return (stencil){x + drift, x, z, -2 * x - 2 * z - drift};
}

/* out += A v, or A^T v, for the linear part A */
static void linear(const double *p, int transposed, int w, const double *v, double *out)
{
    stencil c = stencil_of(p);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            int at = i * M + j, west = i * M + (j + M - 1) % M, east = i * M + (j + 1) % M;
            double left = transposed ? c.east : c.west, right = transposed ? c.west : c.east;
            for (int l = 0; l < w; l++) {
                double sum = c.here * v[at * w + l] + left * v[west * w + l] + right * v[east * w + l];
                if (i > 0) sum += c.side * v[(at - M) * w + l];
                if (i < M - 1) sum += c.side * v[(at + M) * w + l];
                out[at * w + l] += sum;
            }
        }
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < N; i++) f[i] = -p[2] * y[i] * y[i];
    linear(p, 0, 1, y, f);
    return 0;
}

/* What f gains from one unit of parameter k. */
static void along_parameter(int k, const double *y, double *f)
{
    double one[NP] = {0};
    one[k] = 1;
    for (int i = 0; i < N; i++) f[i] = k == 2 ? -y[i] * y[i] : 0;
    linear(one, 0, 1, y, f);
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    double f[N];
    (void)t, (void)tdot;
    for (int i = 0; i < N * w; i++) fdot[i] = ydot ? -2 * p[2] * y[i / w] * ydot[i] : 0;
    if (ydot) linear(p, 0, w, ydot, fdot);
    for (int k = 0; pdot && k < NP; k++) {
        along_parameter(k, y, f);
        for (int i = 0; i < N * w; i++) fdot[i] += f[i / w] * pdot[k * w + i % w];
    }
    return data ? ((fault *)data)->jvp : 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    double f[N];
    (void)t;
    if (yb) linear(p, 1, w, u, yb);
    for (int i = 0; yb && i < N * w; i++) yb[i] -= 2 * p[2] * y[i / w] * u[i];
    for (int k = 0; pb && k < NP; k++) {
        along_parameter(k, y, f);
        for (int i = 0; i < N * w; i++) pb[k * w + i % w] += f[i / w] * u[i];
    }
    return data ? ((fault *)data)->vjp : 0;
}

static void first_state(double *y)
{
    for (int i = 0; i < N; i++) y[i] = 1 + 0.5 * sin(i);
}

/* ---- the preconditioner -------------------------------------------------------------------------------------------------- */

typedef struct workshop {
    int handles, opened, setups, solves, transposed;
    int refuse_open, refuse_setup, refuse_solve, refuse_transposed; /* what these return */
} workshop;

typedef struct lines {
    workshop *shop;
    double low[N], diag[N], up; /* L U of the lines, interleaved: neighbours in a line are M apart */
} lines;

static int lines_open(void **handle, int n, void *data)
{
    workshop *shop = data;
    if (shop->refuse_open) return shop->refuse_open;
    assert_int_equal(n, N);
    lines *c = calloc(1, sizeof *c);
    c->shop = shop;
    *handle = c;
    shop->handles++;
    shop->opened++;
    return 0;
}

static void lines_close(void *handle)
{
    ((lines *)handle)->shop->handles--;
    free(handle);
}

/* Of a complex matrix the modulus of the shift is taken. */
static int lines_setup(void *handle, double t, const double *y, const double *p, double re, double im)
{
    lines *c = handle;
    stencil s = stencil_of(p);
    (void)t;
    c->shop->setups++;
    c->up = -s.side;
    for (int i = 0; i < N; i++) {
        c->low[i] = i >= M ? c->up / c->diag[i - M] : 0;
        c->diag[i] = hypot(re, im) - s.here + 2 * p[2] * y[i] - c->low[i] * (i >= M ? c->up : 0);
    }
    return c->shop->refuse_setup;
}

static int lines_solve(void *handle, int w, double *x)
{
    lines *c = handle;
    int row = M * w;
    c->shop->solves++;
    for (int k = row; k < N * w; k++) x[k] -= c->low[k / w] * x[k - row];
    for (int k = N * w - 1; k >= 0; k--) x[k] = (x[k] - (k < (N - M) * w ? c->up * x[k + row] : 0)) / c->diag[k / w];
    return c->shop->refuse_solve;
}

static int lines_transposed(void *handle, int w, double *x)
{
    lines *c = handle;
    int row = M * w;
    c->shop->transposed++;
    for (int k = 0; k < N * w; k++) x[k] = (x[k] - (k >= row ? c->up * x[k - row] : 0)) / c->diag[k / w];
    for (int k = (N - M) * w - 1; k >= 0; k--) x[k] -= c->low[k / w + M] * x[k + row];
    return c->shop->refuse_transposed;
}

static costate_preconditioner preconditioner(workshop *shop)
{
    return (costate_preconditioner){shop, lines_open, lines_setup, lines_solve, lines_transposed, lines_close};
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    double lambda[N], mu[NP];
    int64_t jvp, vjp;
} outcome;

static costate_problem square(fault *f)
{
    return (costate_problem){.n = N, .np = NP, .rhs = rhs, .jvp = jvp, .vjp = vjp, .autonomous = 1, .data = f};
}

static costate_options options(const char *method, const char *linsol, const costate_preconditioner *c)
{
    costate_options o = costate_defaults(method);
    o.linsol = linsol;
    o.preconditioner = c;
    o.step = 0.01;
    o.newton_tol = 1e-6, o.newton_most = 50;
    o.gmres_tol = 1e-13, o.sweep_tol = 1e-13;
    return o;
}

static void gradient(const costate_options *o, outcome *r)
{
    costate_problem q = square(NULL);
    costate_solver *s = make_solver(&q, o);
    double y[N];
    first_state(y);
    assert_ok(s, costate_solve(s, 0, 0.1, P, y));
    r->jvp = stats_of(s).jvp;
    for (int i = 0; i < N; i++) r->lambda[i] = cos(i);
    assert_ok(s, costate_adjoint(s, 1, r->lambda, r->mu));
    r->vjp = stats_of(s).vjp;
    costate_free(s);
}

static double apart(const outcome *a, const outcome *b)
{
    double most = 0, size = 0;
    for (int i = 0; i < N; i++) {
        most = fmax(most, fabs(a->lambda[i] - b->lambda[i]));
        size = fmax(size, fabs(b->lambda[i]));
    }
    for (int i = 0; i < NP; i++) {
        most = fmax(most, fabs(a->mu[i] - b->mu[i]));
        size = fmax(size, fabs(b->mu[i]));
    }
    return most / size;
}

/* Against a direct solver; jvp are the iterations of the run (but for one in a Rosenbrock step none is anything else), vjp those
 * of the sweep and one a stage. */
static void test_fewer_iterations(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        workshop shop = {0};
        costate_preconditioner c = preconditioner(&shop);
        costate_options direct = options(methods[m], "dense", NULL), plain = options(methods[m], "gmres", NULL),
                        conditioned = options(methods[m], "gmres", &c);
        static outcome a, b, r;
        gradient(&direct, &r);
        gradient(&plain, &a);
        assert_int_equal(shop.opened, 0);
        gradient(&conditioned, &b);
        print_message("%-8s jvp %5d -> %4d, vjp %5d -> %4d; gradients %.1e, %.1e from dense\n", methods[m], (int)a.jvp,
                      (int)b.jvp, (int)a.vjp, (int)b.vjp, apart(&a, &r), apart(&b, &r));
        assert_true(apart(&a, &r) < 1e-9 && apart(&b, &r) < 1e-9);
        assert_true(2 * b.jvp < a.jvp && 2 * b.vjp < a.vjp);
        assert_true(shop.setups > 0 && shop.solves > 0 && shop.transposed > 0);
        assert_int_equal(shop.handles, 0);
    }
}

/* A fixed preconditioner needs neither open nor setup nor close; other linear solvers take no notice of one. */
static int halve(void *handle, int w, double *x)
{
    ++*(int *)handle;
    for (int i = 0; i < N * w; i++) x[i] /= 2;
    return 0;
}

static void test_fixed(void **state)
{
    (void)state;
    int calls = 0;
    costate_preconditioner c = {.data = &calls, .solve = halve, .solve_transposed = halve};
    costate_options direct = options("sdirk4a", "dense", &c), fixed = options("sdirk4a", "gmres", &c);
    static outcome a, r;
    gradient(&direct, &r);
    assert_int_equal(calls, 0);
    gradient(&fixed, &a);
    assert_true(calls > 0);
    assert_true(apart(&a, &r) < 1e-9);
}

/* ---- trouble ------------------------------------------------------------------------------------------------------------- */

static void test_no_transpose(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        workshop shop = {0};
        costate_preconditioner c = preconditioner(&shop);
        costate_options o = options(methods[m], "gmres", &c);
        costate_problem q = square(NULL);
        c.solve_transposed = NULL;
        costate_solver *s = make_solver(&q, &o);
        double y[N], ydot[N] = {1}, lambda[N] = {1}, mu[NP];
        first_state(y);
        assert_ok(s, costate_tangent(s, 0, 0.1, P, y, 1, ydot, NULL));
        assert_refused(s, costate_adjoint(s, 1, lambda, mu), COSTATE_ERR_PRECONDITIONER, "gmres");
        assert_nan(lambda, N);
        assert_nan(mu, NP);
        costate_free(s);
        assert_int_equal(shop.handles, 0);
    }
    costate_preconditioner none = {0};
    costate_options o = options("sdirk4a", "gmres", &none);
    costate_problem q = square(NULL);
    costate_solver *s = NULL;
    int status = costate_create(&s, &q, &o);
    assert_refused(s, status, COSTATE_ERR_LINSOL, "the preconditioner has no solve");
    costate_free(s);
}

static void test_return_values(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        static const char *const words[] = {"the preconditioner's open returned -4", "the preconditioner's setup returned -4",
                                            "the preconditioner's solve returned -4", "jvp returned -4"};
        workshop shop = {0};
        fault f = {0};
        costate_preconditioner c = preconditioner(&shop);
        costate_options o = options(methods[m], "gmres", &c);
        costate_problem q = square(&f);
        costate_solver *s = make_solver(&q, &o);
        double y[N], lambda[N], mu[NP];
        int *where[] = {&shop.refuse_open, &shop.refuse_setup, &shop.refuse_solve, &f.jvp};
        for (int k = 0; k < 4; k++) {
            *where[k] = -4;
            first_state(y);
            assert_refused(s, costate_solve(s, 0, 0.1, P, y), COSTATE_ERR_CALLBACK, words[k]);
            assert_nan(y, N);
            *where[k] = 4; /* a smaller step is not allowed here */
            first_state(y);
            assert_refused(s, costate_solve(s, 0, 0.1, P, y), COSTATE_ERR_RETRY, "returned 4 at t = 0 with h = 0.01");
            *where[k] = 0;
        }
        first_state(y);
        assert_ok(s, costate_solve(s, 0, 0.1, P, y));
        int *back[] = {&shop.refuse_transposed, &f.vjp};
        for (int k = 0; k < 2; k++) {
            *back[k] = -5;
            fill(lambda, N, 1);
            assert_refused(s, costate_adjoint(s, 1, lambda, mu), COSTATE_ERR_SWEEP_CALLBACK,
                           k ? "vjp returned -5 in the step" : "the preconditioner's solve_transposed returned -5 in the step");
            assert_nan(lambda, N);
            *back[k] = 0;
        }
        fill(lambda, N, 1);
        assert_ok(s, costate_adjoint(s, 1, lambda, mu));
        costate_free(s);
        assert_int_equal(shop.handles, 0);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (int64_t k = 1, enough = 0; !enough; k++) {
        workshop shop = {0};
        heap h = {.fail_at = k};
        costate_preconditioner c = preconditioner(&shop);
        costate_options o = options("sdirk4a", "gmres", &c);
        costate_problem q = square(NULL);
        costate_solver *s = NULL;
        double y[N], lambda[N] = {1}, mu[NP];
        o.allocator = heap_allocator(&h);
        first_state(y);
        int status = costate_create(&s, &q, &o);
        if (!status) status = costate_solve(s, 0, 0.02, P, y);
        if (!status) status = costate_adjoint(s, 1, lambda, mu);
        enough = h.requests < k;
        assert_int_equal(status, enough ? 0 : COSTATE_ERR_MEMORY);
        costate_free(s);
        assert_int_equal(shop.handles, 0);
        assert_int_equal(h.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fewer_iterations), cmocka_unit_test(test_fixed),  cmocka_unit_test(test_no_transpose),
        cmocka_unit_test(test_return_values),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
