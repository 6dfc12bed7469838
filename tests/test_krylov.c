/* test_krylov.c - differential-algebraic problems without a matrix: GMRES with a user's preconditioner and its transpose, or
 * without one, for systems with a mass and for residuals, forward, tangent, adjoint and second order: what direct solvers give.
 *
 * The food web has a preconditioner of blocks, re M - f_y of every point with its neighbours left out, 2 x 2. */
#include "dae.h"

enum { GRID = 20, POINTS = GRID * GRID };

/* ---- the preconditioner -------------------------------------------------------------------------------------------------- */

typedef struct counted {
    int handles, solves, transposed;
} counted;

typedef struct blocks {
    counted *of;
    double inverse[POINTS][2][2];
} blocks;

static int blocks_open(void **handle, int n, void *data)
{
    blocks *b = calloc(1, sizeof *b);
    assert_non_null(b);
    assert_int_equal(n, 2 * POINTS);
    b->of = data;
    b->of->handles++;
    *handle = b;
    return 0;
}

static void blocks_close(void *handle)
{
    ((blocks *)handle)->of->handles--;
    free(handle);
}

/* Of a complex shift the modulus is taken. */
static int blocks_setup(void *handle, double t, const double *y, const double *p, double re, double im)
{
    const double pi = 3.14159265358979323846, mesh = 4.0 * (GRID - 1) * (GRID - 1);
    (void)t;
    for (int k = 0; k < POINTS; k++) {
        const double x = k % GRID / (GRID - 1.0), z = k / GRID / (GRID - 1.0), prey = y[2 * k], predators = y[2 * k + 1];
        const double b = 1 + p[0] * x * z + p[1] * sin(4 * pi * x) * sin(4 * pi * z);
        const double a[2][2] = {{hypot(re, im) - b + 2 * prey + 0.5e-6 * predators + mesh, 0.5e-6 * prey},
                                {-1e4 * predators, b - 1e4 * prey + 2 * predators + 0.05 * mesh}};
        const double d = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        double(*to)[2] = ((blocks *)handle)->inverse[k];
        to[0][0] = a[1][1] / d, to[0][1] = -a[0][1] / d;
        to[1][0] = -a[1][0] / d, to[1][1] = a[0][0] / d;
    }
    return 0;
}

static int apply(const blocks *b, int transposed, int w, double *x)
{
    for (int k = 0; k < POINTS; k++)
        for (int l = 0; l < w; l++) {
            double *u = x + 2 * k * w + l, *v = u + w, was[2] = {*u, *v};
            const double(*a)[2] = b->inverse[k];
            *u = a[0][0] * was[0] + (transposed ? a[1][0] : a[0][1]) * was[1];
            *v = (transposed ? a[0][1] : a[1][0]) * was[0] + a[1][1] * was[1];
        }
    return 0;
}

static int blocks_solve(void *handle, int w, double *x)
{
    ((blocks *)handle)->of->solves++;
    return apply(handle, 0, w, x);
}

static int blocks_transposed(void *handle, int w, double *x)
{
    ((blocks *)handle)->of->transposed++;
    return apply(handle, 1, w, x);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

enum { STEPS = 3 };

typedef struct outcome {
    double psi[3], psidot[3], dp[6], h[4], *dy0; /* h: of the first two parameters */
    int64_t products;
} outcome;

/* Derivatives of the sum of the objectives; a few steps of one size, so that runs do not differ. */
static outcome run(const subject *q, const costate_options *given)
{
    outcome r = {.dy0 = calloc(3 * (size_t)q->prob->n, sizeof(double))};
    double *y = r.dy0 + q->prob->n, *ydot = y + q->prob->n, pdot[6];
    costate_options o = *given;
    o.step = q->about.t1 / STEPS;
    o.tangent_solve = o.adjoint_solve = "direct";
    o.newton_tol = 1e-11;
    costate_solver *s = make_solver(q->prob, &o);
    assert_non_null(r.dy0);
    memcpy(y, q->about.y0, (size_t)q->prob->n * sizeof *y);
    for (int i = 0; i < q->prob->np; i++) pdot[i] = 0.1 * (i + 1) * q->about.p[i];
    assert_ok(s, costate_tangent(s, q->about.t0, q->about.t1, q->about.p, y, 1, ydot, pdot));
    assert_ok(s, costate_objectives(s, r.psi));
    assert_ok(s, costate_objectives_dot(s, r.psidot));
    assert_ok(s, costate_gradient(s, 1, (double[]){1, 1, 1}, r.dy0, r.dp));
    r.products = stats_of(s).jvp + stats_of(s).vjp;
    assert_ok(s, costate_hessian_full(s, NULL, 2, (int[]){q->prob->n, q->prob->n + 1}, r.h));
    costate_free(s);
    return r;
}

static void near(const char *who, const char *what, int count, const double *a, const double *b, double tol)
{
    double most = 0, apart = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(b[i]));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    if (!(apart <= tol * most)) fail_msg("%s: %s is %g off", who, what, apart / most);
}

static void test_food_web(void **unused)
{
    static const char *const methods[] = {"rodas4", "sdirk4a", "radau2a", "bdf"};
    (void)unused;
    subject q = subject_open("food_web", NULL);
    q.about.t1 = 3e-4;
    for (size_t m = 0; m < COUNT(methods); m++) {
        counted of = {0};
        const costate_preconditioner c = {&of, blocks_open, blocks_setup, blocks_solve, blocks_transposed, blocks_close};
        costate_options o = options_of(methods[m], 1e-5, 1e-2);
        o.linsol = "klu";
        outcome direct = run(&q, &o);
        o.linsol = "gmres";
        outcome plain = run(&q, &o);
        o.preconditioner = &c;
        outcome conditioned = run(&q, &o);
        const outcome *both[] = {&plain, &conditioned};
        for (int k = 0; k < 2; k++) {
            near(methods[m], "the objective", 1, both[k]->psi, direct.psi, 1e-8);
            near(methods[m], "its tangent", 1, both[k]->psidot, direct.psidot, 1e-6);
            near(methods[m], "the gradient", 2, both[k]->dp, direct.dp, 1e-6);
            near(methods[m], "that by initial values", q.prob->n, both[k]->dy0, direct.dy0, 1e-6);
            near(methods[m], "the Hessian", 4, both[k]->h, direct.h, 1e-5);
            near(methods[m], "its transpose", 1, &both[k]->h[1], &both[k]->h[2], 1e-5);
        }
        assert_true(of.handles == 0 && of.solves > 0 && of.transposed > 0);
        assert_true(conditioned.products < plain.products);
        free(direct.dy0), free(plain.dy0), free(conditioned.dy0);
    }
    costate_model_close(q.model);
}

/* Residuals, of twice as many states. */
static void test_residual(void **unused)
{
    static const char *const methods[] = {"sdirk4a", "radau2a", "bdf"}, *const names[] = {"linear_index1", "pendulum"};
    (void)unused;
    for (size_t c = 0; c < COUNT(names) * COUNT(methods); c++) {
        const char *method = methods[c % COUNT(methods)];
        subject q = subject_open(names[c / COUNT(methods)], "RESIDUAL");
        costate_options o = options_of(method, 1e-5, 1e-8);
        q.about.t1 = 0.1;
        o.linsol = "dense";
        outcome direct = run(&q, &o);
        o.linsol = "gmres";
        outcome free_of = run(&q, &o);
        near(method, "the objectives", q.prob->objectives, free_of.psi, direct.psi, 1e-9);
        near(method, "their tangents", q.prob->objectives, free_of.psidot, direct.psidot, 1e-8);
        near(method, "the gradient", q.prob->np, free_of.dp, direct.dp, 1e-8);
        near(method, "the Hessian", 4, free_of.h, direct.h, 1e-7);
        free(direct.dy0), free(free_of.dy0);
        costate_model_close(q.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_food_web), cmocka_unit_test(test_residual)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
