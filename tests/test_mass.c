/* test_mass.c - M y' = f with a diagonal M that may be singular, and F(t, y, y', p) = 0: gradients and Hessians against known
 * answers by every method that takes it, transposes, linear solvers, budgets and threads; consistent initial values and
 * their derivatives; and what is refused. */
#include "dae.h"

enum { OBJECTIVES = 3 };

static const char *const forms[] = {NULL, "RESIDUAL=1"}; /* of the problems with known answers */

/* Methods that take algebraic equations, and tolerances; loose ones are of order 2. */
static const struct suited {
    const char *name;
    double rtol;
} suited[] = {{"radau2a", 1e-10}, {"lobatto3c", 1e-10}, {"sdirk4a", 1e-9}, {"sdirk4b", 1e-9}, {"rodas4", 1e-9},
              {"rodas3", 1e-9},   {"sdirk2a", 1e-8},    {"sdirk2b", 1e-8}, {"sdirk3a", 1e-8}, {"bdf", 1e-9}};

typedef struct known {
    const char *name;
    int from, variables;            /* of (p, y0): the first `variables` from `from` on */
    int objectives;
    double atol;                    /* over rtol */
    const double *psi, *gradient, *hessian; /* objectives; times variables; times variables twice; NULL: not known */
} known;

/* The order is p0, p1, p2, x0: closed form. */
static const double linear_psi[] = {2.1416320946617993};
static const double linear_g[] = {-1.194086231658019, 3.802220103615881, 4.611225801432983, 0.5942835481772122};
static const double linear_h[] = {1.74497676726737,  -4.15816659391759, -2.02083596539136, -0.77150369100295,
                                  -4.15816659391759, 8.38957710770084,  6.36090275155433,  2.5157180059883,
                                  -2.02083596539136, 6.36090275155433,  5.07529330539247,  0.550991157119005,
                                  -0.77150369100295, 2.5157180059883,   0.550991157119005, 0.153490622482008};
/* theta'' = -(g/L) sin theta in thirty digits. */
static const double pendulum_psi[] = {0.796082285799072, 7.209963243029049, 0.7433504344481218};
static const double pendulum_g[] = {0.06960603373673281, 0.1132470948417231, 0.3807973989829947,
                                    -1.9597027901415,    19.22468437128811,  1.767823763512134,
                                    0.02671475928022574, 1.224629080357229,  1.066682211825255};
static const double pendulum_h[] = {
    -0.063189817693, 0.61989211157, 0.12505340006,  0.61989211157,    -6.0811416145,   -0.84597645565,  0.12505340006,
    -0.84597645565,  -1.1451197582, 1.2536031283,   -10.338143898,    -8.1803197086,   -10.338143898,   82.192507272,
    80.248936341,    -8.1803197086, 80.248936341,   35.678478757,     0.0072122448486, -0.044037362685, 0.0074363936498,
    -0.044037362685, 1.6566356083,  2.0604134019,   0.0074363936498,  2.0604134019,    -0.30522575672};
/* y3 eliminated; Radau at 3e-12. */
static const double robertson_psi[] = {7.9885858622948795};
static const double robertson_g[] = {129.77648286160124, -0.00036263833732285984, 6.044293421009471e-08};

static const known problems[] = {
    {"linear_index1", 0, 4, 1, 1, linear_psi, linear_g, linear_h},
    {"pendulum", 0, 3, 3, 1, pendulum_psi, pendulum_g, pendulum_h},
    {"robertson_dae", 0, 3, 1, 1e-4, robertson_psi, robertson_g, NULL},
};

/* Largest |a - b| over the largest |b|, row by row. */
static double apart(const double *a, const double *b, int rows, int count)
{
    double worst = 0;
    for (int r = 0; r < rows; r++) {
        double size = 0, defect = 0;
        for (int i = 0; i < count; i++) {
            size = fmax(size, fabs(b[r * count + i]));
            defect = fmax(defect, fabs(a[r * count + i] - b[r * count + i]));
        }
        worst = fmax(worst, defect / size);
    }
    return worst;
}

/* ---- known answers ----------------------------------------------------------------------------------------------------- */

static double gradients_off(costate_solver *s, const subject *q, const known *k)
{
    double y[MOST], psi[OBJECTIVES], dy0[MOST * OBJECTIVES], dp[MOST * OBJECTIVES], g[MOST * OBJECTIVES];
    const int np = q->prob->np, m = k->objectives;
    solve(s, q, y);
    assert_ok(s, costate_objectives(s, psi));
    assert_ok(s, costate_gradient(s, m, NULL, dy0, dp));
    for (int o = 0; o < m; o++)
        for (int i = 0; i < k->variables; i++) g[o * k->variables + i] = i < np ? dp[i * m + o] : dy0[(i - np) * m + o];
    double off = apart(psi, k->psi, m, 1);
    for (int o = 0; o < m; o++) /* each component by itself: they differ by ten decades */
        off = fmax(off, apart(g, k->gradient, m * k->variables, 1));
    return off;
}

static double hessians_off(costate_solver *s, const subject *q, const known *k)
{
    const int np = q->prob->np, m = k->objectives, count = k->variables;
    double h[MOST * MOST], all[OBJECTIVES * MOST * MOST], weights[OBJECTIVES];
    int variable[MOST];
    for (int i = 0; i < count; i++) variable[i] = i < np ? q->prob->n + i : i - np;
    for (int o = 0; o < m; o++) {
        for (int j = 0; j < m; j++) weights[j] = j == o;
        assert_ok(s, costate_hessian_full(s, weights, count, variable, h));
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++) assert_near(h[i * count + j], h[j * count + i], 1e-9 * fabs(h[i * count + i]) + 1e-9);
        memcpy(all + o * count * count, h, (size_t)(count * count) * sizeof *h);
    }
    return apart(all, k->hessian, m, count * count);
}

static void test_known(void **unused)
{
    (void)unused;
    for (size_t c = 0; c < COUNT(forms) * COUNT(problems); c++) {
        const size_t k = c / COUNT(forms);
        subject q = subject_open(problems[k].name, forms[c % COUNT(forms)]);
        for (size_t m = 0; m < COUNT(suited); m++) {
            if (suited[m].rtol > 5e-9 && (problems[k].atol < 1 || c % COUNT(forms))) continue; /* a million steps; many */
            costate_options o = options_of(suited[m].name, suited[m].rtol, suited[m].rtol * problems[k].atol);
            costate_solver *s = make_solver(q.prob, &o);
            const double most = 2000 * suited[m].rtol, off = gradients_off(s, &q, &problems[k]);
            if (!(off <= most)) fail_msg("%s by %s: off by %g, more than %g", problems[k].name, suited[m].name, off, most);
            const double second = problems[k].hessian ? hessians_off(s, &q, &problems[k]) : 0;
            if (!(second <= 10 * most)) fail_msg("%s by %s: Hessian off by %g", problems[k].name, suited[m].name, second);
            costate_free(s);
        }
        costate_model_close(q.model);
    }
}

/* ---- transposes -------------------------------------------------------------------------------------------------------- */

/* <lambda, ydot(t1)> = <lambda(t0), ydot> + <mu, pdot>, by whatever the options say; seeds see algebraic states, too. */
static double identity(costate_solver *s, const subject *q)
{
    enum { W = 5 };
    const size_t n = (size_t)q->prob->n, np = (size_t)q->prob->np;
    double *y = malloc((n + 3 * n * W + 2 * np * W) * sizeof *y), *ydot = y + n, *start = ydot + n * W, *lambda = start + n * W;
    double *pdot = lambda + n * W, *mu = pdot + np * W, worst = 0;
    memcpy(y, q->about.y0, n * sizeof *y);
    for (size_t i = 0; i < n * W; i++) start[i] = ydot[i] = sin((double)i) * (1 + fabs(y[i / W]));
    for (size_t i = 0; i < np * W; i++) pdot[i] = cos(2 * (double)i) * q->about.p[i / W];
    assert_ok(s, costate_tangent(s, q->about.t0, q->about.t1, q->about.p, y, W, ydot, pdot));
    for (size_t i = 0; i < n * W; i++) lambda[i] = cos((double)i) / (1e-3 + fabs(y[i / W]));
    double left[W] = {0}, right[W] = {0}, size[W] = {0};
    for (size_t i = 0; i < n * W; i++) left[i % W] += lambda[i] * ydot[i], size[i % W] += fabs(lambda[i] * ydot[i]);
    assert_ok(s, costate_adjoint(s, W, lambda, mu));
    for (size_t i = 0; i < n * W; i++) right[i % W] += lambda[i] * start[i], size[i % W] += fabs(lambda[i] * start[i]);
    for (size_t i = 0; i < np * W; i++) right[i % W] += mu[i] * pdot[i], size[i % W] += fabs(mu[i] * pdot[i]);
    for (int l = 0; l < W; l++) worst = fmax(worst, fabs(left[l] - right[l]) / size[l]);
    for (size_t i = 0; i < n; i++) assert_true(q->prob->mass[i] != 0 || lambda[i * W] == 0);
    free(y);
    return worst;
}

static void test_identity(void **unused)
{
    static const char *const names[] = {"linear_index1", "pendulum", "robertson_dae"};
    (void)unused;
    for (size_t c = 0; c < COUNT(forms) * COUNT(names); c++) {
        const size_t k = c / COUNT(forms);
        subject q = subject_open(names[k], forms[c % COUNT(forms)]);
        for (size_t m = 0; m < COUNT(suited); m++)
            for (int iterated = 0; iterated < 2; iterated++) {
                costate_options o = options_of(suited[m].name, 1e-4, 1e-8);
                o.tangent_solve = o.adjoint_solve = iterated ? "iterated" : "direct";
                o.sweep_tol = 1e-14;
                costate_solver *s = make_solver(q.prob, &o);
                /* an iteration measures all components together, and these are ten decades apart in robertson_dae */
                const double off = identity(s, &q), most = iterated ? 1e-9 : 1e-12;
                if (!(off <= most)) fail_msg("%s by %s, %s: %g", names[k], suited[m].name, o.adjoint_solve, off);
                costate_free(s);
            }
        costate_model_close(q.model);
    }
}

/* A small model, whose pattern is dense, and a grid. */
static void test_linear_solvers(void **unused)
{
    static const char *const linsols[2][3] = {{"dense", "gmres", "auto"}, {"klu", "superlu", "ilu"}};
    static const char *const methods[] = {"rodas4", "sdirk4a", "radau2a"};
    (void)unused;
    for (int grid = 0; grid < 2; grid++) {
        subject q = subject_open(grid ? "food_web" : "pendulum", NULL);
        for (size_t m = 0; m < COUNT(methods); m++)
            for (size_t l = 0; l < COUNT(linsols[grid]); l++) {
                costate_options o = options_of(methods[m], 1e-5, grid ? 1e-2 : 1e-5);
                o.linsol = linsols[grid][l];
                o.gmres_tol = 1e-14;
                o.tangent_solve = o.adjoint_solve = "iterated";
                o.sweep_tol = 1e-12;
                subject brief = q;
                if (grid) brief.about.t1 = 1e-3;
                costate_solver *s = make_solver(q.prob, &o);
                const double off = identity(s, &brief);
                if (!(off <= 1e-10)) fail_msg("%s with %s: %g", methods[m], linsols[grid][l], off);
                costate_free(s);
            }
        costate_model_close(q.model);
    }
}

/* ---- the same bits ----------------------------------------------------------------------------------------------------- */

static void bits(const subject *q, const char *method, int64_t memory, int64_t disk, int threads, double *out)
{
    const size_t n = (size_t)q->prob->n, np = (size_t)q->prob->np, m = (size_t)q->prob->objectives;
    double y[MOST], pdot[MOST] = {1, 2, 3};
    costate_options o = options_of(method, 1e-7, 1e-7);
    o.memory = memory, o.disk = disk, o.threads = threads, o.lanes = 1;
    costate_solver *s = make_solver(q->prob, &o);
    solve(s, q, y);
    assert_ok(s, costate_gradient(s, (int)m, NULL, out, out + n * m));
    assert_ok(s, costate_hessian(s, 1, NULL, NULL, pdot, out + (n + np) * m, out + (n + np) * m + n));
    costate_free(s);
}

static void same_bits(const char *form)
{
    subject q = subject_open("pendulum", form);
    const size_t count = (size_t)(q.prob->n + q.prob->np) * (size_t)(q.prob->objectives + 1);
    for (size_t m = 0; m < COUNT(suited); m++) {
        double one[96] = {0}, other[96] = {0};
        bits(&q, suited[m].name, 1 << 26, 0, 1, one);
        bits(&q, suited[m].name, 20000, 0, 1, other);
        assert_bits(other, one, count);
        bits(&q, suited[m].name, 20000, 1 << 22, 3, other);
        assert_bits(other, one, count);
    }
    costate_model_close(q.model);
}

static void test_bits(void **unused)
{
    (void)unused;
    for (size_t c = 0; c < COUNT(forms); c++) same_bits(forms[c]);
}

/* ---- initial values ---------------------------------------------------------------------------------------------------- */

/* 2 y' = -z, 0 = z^3 + z - p y: z(t0) is observed, so that everything comes from the initial value. */
static int cubic(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = -y[1];
    f[1] = y[1] * y[1] * y[1] + y[1] - p[0] * y[0];
    return 0;
}

static int at_start(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = y[1] * y[1];
    return 0;
}

static void test_start(void **unused)
{
    static const double mass[] = {2, 0}, first[] = {0};
    static const char *const methods[] = {"rodas4", "sdirk4a", "radau2a"}; /* the first lacks third derivatives here */
    costate_problem q = {.n = 2, .np = 1, .rhs = cubic, .objectives = 1, .observations = 1, .observe_at = first, .mass = mass};
    q.observe.eval = at_start;
    (void)unused;
    for (size_t m = 0; m < COUNT(methods); m++) {
        costate_options o = options_of(methods[m], 1e-9, 1e-9);
        costate_solver *s = make_solver(&q, &o);
        double y[2] = {2, -5}, p[1] = {5}, psi, dy0[2], dp[1], hy0[2], hp[1], pdot[1] = {1};
        assert_ok(s, costate_solve(s, 0, 1, p, y)); /* z = 2 */
        assert_ok(s, costate_objectives(s, &psi));
        assert_near(psi, 4, 1e-12);
        assert_string_equal(stats_of(s).start, "y[1] from -5 to 2");
        assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp)); /* dz = (p dy + y dp)/(3 z^2 + 1) */
        assert_near(dy0[0], 2 * 2 * 5 / 13.0, 1e-6);
        assert_true(dy0[1] == 0);
        assert_near(dp[0], 2 * 2 * 2 / 13.0, 1e-6);
        if (m) assert_ok(s, costate_hessian(s, 1, NULL, NULL, pdot, hy0, hp)); /* z_pp = -6 z z_p^2/(3 z^2 + 1) */
        if (m) assert_near(hp[0], 2 * (4 / 169.0 + 2 * (-12 * 4 / 169.0 / 13)), 1e-4);
        y[0] = 2, y[1] = 2;
        assert_ok(s, costate_solve(s, 0, 1, p, y));
        assert_string_equal(stats_of(s).start, ""); /* nothing to be changed */
        costate_free(s);
    }
}

/* An algebraic state that jumps with the right-hand side: x' = z - p0 x, z = b (1 + x), b = p1 up to t = 1.3, p2 from there. */
static int jumping(double t, const double *y, const double *p, double *f, void *data)
{
    (void)data;
    f[0] = y[1] - p[0] * y[0];
    f[1] = y[1] - (t < 1.3 ? p[1] : p[2]) * (1 + y[0]);
    return 0;
}

static double after(double x, double a, double b, double dt) /* x' = (b - a) x + b */
{
    return (x + b / (b - a)) * exp((b - a) * dt) - b / (b - a);
}

static void test_jump(void **unused)
{
    static const double mass[] = {1, 0}, tolerances[] = {1e-4, 1e-6};
    const costate_problem q = {.n = 2, .np = 3, .rhs = jumping, .mass = mass};
    const double p[] = {1.5, 0.4, 0.8}, eps = 1e-5, x = after(after(1, p[0], p[1], 1.3), p[0], p[2], 0.7);
    const double slope = (after(after(1, p[0], p[1] + eps, 1.3), p[0], p[2], 0.7) -
                          after(after(1, p[0], p[1] - eps, 1.3), p[0], p[2], 0.7)) / (2 * eps);
    (void)unused;
    for (size_t m = 0; m < COUNT(suited); m++)
        for (size_t k = 0; k < COUNT(tolerances); k++) {
            costate_options o = options_of(suited[m].name, tolerances[k], tolerances[k]);
            costate_solver *s = make_solver(&q, &o);
            double y[2] = {1, 0}, lambda[2] = {1, 0}, mu[3];
            const int status = costate_solve(s, 0, 2, p, y);
            if (status) fail_msg("%s, %g: %s", suited[m].name, tolerances[k], costate_message(s));
            assert_near(y[0], x, 30 * tolerances[k]);
            assert_near(y[1], p[2] * (1 + y[0]), 1e-2 * tolerances[k]);
            assert_ok(s, costate_adjoint(s, 1, lambda, mu));
            assert_near(mu[1], slope, 100 * tolerances[k]); /* the steps do not see it */
            costate_free(s);
        }
}

/* A mass that is not singular: sizes are all there is to it, and every implicit method takes it. */
static int halved(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = -4 * p[0] * y[0];
    return 0;
}

static void test_regular(void **unused)
{
    static const double mass[] = {4};
    const costate_problem q = {.n = 1, .np = 1, .rhs = halved, .mass = mass};
    (void)unused;
    for (int i = 0; i < costate_method_count(); i++) {
        const costate_table *t = costate_method(i);
        if (t->family == COSTATE_ERK || !t->e) continue;
        costate_options o = options_of(t->name, 1e-6, 1e-9);
        costate_solver *s = make_solver(&q, &o);
        double y[1] = {1}, p[1] = {0.7}, lambda[1] = {1}, mu[1];
        assert_ok(s, costate_solve(s, 0, 2, p, y));
        assert_ok(s, costate_adjoint(s, 1, lambda, mu));
        assert_near(y[0], exp(-1.4), 1e-4);
        assert_near(mu[0], -2 * exp(-1.4), 4e-4);
        double row[2], row_dot[2], ydot[1] = {0}, pdot[1] = {1};
        static const double times[] = {0.73, 1.9};
        y[0] = 1;
        assert_ok(s, costate_output(s, 2, times, row, row_dot));
        assert_ok(s, costate_tangent(s, 0, 2, p, y, 1, ydot, pdot));
        for (int k = 0; k < 2; k++) {
            const double exact = exp(-0.7 * times[k]);
            assert_near(row[k], exact, 2e-4);
            assert_near(row_dot[k], -times[k] * exact, 2e-4);
        }
        costate_free(s);
    }
}

/* ---- refusals ---------------------------------------------------------------------------------------------------------- */

static void refused(const costate_problem *q, const char *method, int at_create, int status, const char *words)
{
    costate_options o = options_of(method, 1e-6, 1e-6);
    costate_solver *s = NULL;
    double y[2] = {1, 1}, p[1] = {1};
    int got = costate_create(&s, q, &o);
    if (!at_create) {
        assert_ok(s, got);
        got = costate_solve(s, 0, 1, p, y);
        assert_nan(y, 2);
    }
    assert_int_equal(got, status);
    if (!strstr(costate_message(s), words)) fail_msg("\"%s\" lacks \"%s\"", costate_message(s), words);
    costate_free(s);
}

static int index2(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = y[1];
    f[1] = y[0] - 1;
    return 0;
}

static int rootless(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -y[0];
    f[1] = y[1] * y[1] + 1;
    return 0;
}

static int nothing(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -y[0];
    f[1] = NAN;
    return 0;
}

static int flat(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -y[0];
    f[1] = (y[1] - 1) * (y[1] - 1) - y[0];
    return 0;
}

static int same(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = y[0] + y[1] - 2;
    f[1] = 2 * (y[0] + y[1]) - 4;
    return 0;
}

static void test_refused(void **unused)
{
    static const double mass[] = {1, 0}, broken[] = {1, NAN}, none[] = {0, 0};
    static const char *const not_stiffly_accurate[] = {"ros2", "ros3", "ros4", "gauss", "radau1a"};
    costate_problem q = {.n = 2, .np = 1, .rhs = cubic, .mass = broken};
    (void)unused;
    refused(&q, "radau2a", 1, COSTATE_ERR_MASS, "the mass of y[1] is nan");
    q.mass = mass;
    refused(&q, "dopri5", 1, COSTATE_ERR_MASS, "those that do are auto, rodas3, rodas4, ");
    for (size_t i = 0; i < COUNT(not_stiffly_accurate); i++)
        refused(&q, not_stiffly_accurate[i], 1, COSTATE_ERR_MASS, "it is not stiffly accurate");
    for (int k = 0; k < 2; k++) {
        const char *method = k ? "rodas4" : "auto";
        q.rhs = index2;
        refused(&q, method, 0, COSTATE_ERR_CONSISTENT, "the algebraic equation of y[1] contains no algebraic state");
        q.rhs = rootless;
        refused(&q, method, 0, COSTATE_ERR_CONSISTENT, "method does not converge at t = 0: the algebraic equation of y[1]");
        q.rhs = flat;
        refused(&q, method, 0, COSTATE_ERR_CONSISTENT, "or the guess is one where it has no slope");
        q.rhs = same, q.mass = none;
        refused(&q, method, 0, COSTATE_ERR_CONSISTENT,
                "left open by the algebraic equation of y[0], the algebraic equation of y[1]: y[0], y[1];");
        q.rhs = nothing, q.mass = mass;
        refused(&q, method, 0, COSTATE_ERR_NOT_FINITE, "the algebraic equation of y[1] is nan");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),   cmocka_unit_test(test_identity), cmocka_unit_test(test_linear_solvers),
        cmocka_unit_test(test_bits),    cmocka_unit_test(test_start),    cmocka_unit_test(test_jump),
        cmocka_unit_test(test_regular), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
