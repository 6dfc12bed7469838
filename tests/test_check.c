/* test_check.c - the certificate: it holds for right products, wherever they come from; it does not hold when one of them is
 * wrong, and then says what; and it leaves everything as it was. */
#include "generated.h"
#include "glv.h"
#include "known.h"

/* ---- products that are right ------------------------------------------------------------------------------------------- */

static costate_solver *default_solver(const costate_problem *q)
{
    costate_options o = costate_defaults(NULL);
    return solver(q, &o);
}

/* Those that are generated, and parts of those by hand */
static void test_right(void **unused)
{
    static const unsigned sets[] = {ALL, 0, JAC, JVP, VJP};
    static const char *const names[] = {"all", "rhs only", "jac only", "jvp only", "vjp only"};
    (void)unused;
    print_message("%-22s %-9s identity symmetry slopes      worst\n", "problem", "given");
    for (int i = 0; i < problem_count(); i++) {
        generated made = generate(problem_get(i), NULL);
        for (int k = 0; k < 5; k++) {
            const problem *q = k ? problem_get(i) : &made.q;
            costate_problem some = given(q->prob, sets[k]);
            costate_solver *s = default_solver(&some);
            costate_certificate c;
            double y[STATES];
            start(q, y);
            int status = costate_check(s, q->t0, q->t1, q->p, y, &c);
            print_message("%-22s %-9s %8.1e %8.1e %.2f %.2f %8.1e\n", q->name, names[k], c.identity, c.symmetry, c.slope_gradient,
                          c.slope_hessian, c.worst);
            if (status || !c.holds) fail_msg("%s", c.text);
            assert_string_equal(costate_message(s), "");
            assert_true(strlen(c.text) > 0 && strlen(c.worst_name) > 0);
            assert_int_equal(c.components, q->prob.np + (q->prob.init.eval ? 0 : q->prob.n));
            if (sets[k] == ALL) assert_true(c.identity < 1e-13 && c.symmetry < 1e-12 && c.worst < 1e-9);
            costate_free(s);
        }
        costate_model_close(made.model);
    }
}

/* Of many components a sample is compared. */
static void test_sample(void **unused)
{
    enum { N = 10 };
    (void)unused;
    glv model = {N};
    double y[N], p[N + N * N];
    costate_certificate c;
    costate_problem q = glv_problem(&model);
    costate_solver *s = default_solver(&q);
    glv_defaults(N, p, y);
    GOOD(s, costate_check(s, 0, GLV_T1, p, y, &c));
    assert_true(c.holds && c.components > 0 && c.components < N + N + N * N);
    costate_free(s);
}

/* ---- components that begin at zero ------------------------------------------------------------------------------------- */

/* The concentrations of E5 begin at zero and come to 1e-10: perturbed by 1 there would be nothing left to compare. Later than
 * this, the derivatives are below the round-off of what they are sums of. */
static void test_begins_at_zero(void **unused)
{
    static const char *const methods[] = {"rodas4", "sdirk4b", "radau2a"};
    const problem *q = stiff_e5();
    (void)unused;
    for (int m = 0; m < 3; m++)
        for (double t1 = 1; t1 <= 100; t1 *= 10) {
            costate_options o = costate_defaults(methods[m]);
            double atols[STATES];
            for (int i = 0; i < q->prob.n; i++) atols[i] = o.rtol * q->scale[i];
            o.atols = atols;
            costate_solver *s = solver(&q->prob, &o);
            costate_certificate c;
            GOOD(s, costate_check(s, q->t0, t1, q->p, q->y0, &c));
            assert_true(c.identity < 1e-11 && fabs(c.slope_gradient - 2) < 0.05);
            assert_true(isnan(c.slope_hessian) || (m > 0 && fabs(c.slope_hessian - 3) < 0.05));
            costate_free(s);
        }
}

/* y' = -y exp(1e9 z), z' = 0: z(0) = 0 stays, and only its tolerance tells that 1e-9 is a size for it and 1 is not. */
static int steep(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -y[0] * exp(1e9 * y[1]);
    f[1] = 0;
    return 0;
}

static int steep_jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)p, (void)data;
    j[0] = -exp(1e9 * y[1]), j[2] = 1e9 * y[0] * j[0];
    j[1] = j[3] = 0;
    return 0;
}

static void test_stays_at_zero(void **unused)
{
    const double y[] = {1, 0}, atols[] = {1e-6, 1e-15};
    costate_problem q = {.n = 2, .rhs = steep, .jac = steep_jac, .autonomous = 1};
    costate_options o = costate_defaults(NULL);
    costate_certificate c;
    (void)unused;
    o.atols = atols;
    costate_solver *s = solver(&q, &o);
    GOOD(s, costate_check(s, 0, 1, NULL, y, &c));
    assert_true(fabs(c.slope_gradient - 2) < 0.05);
    costate_free(s);
}

/* ---- products that are wrong: the forced oscillator's, each spoilt in one way ------------------------------------------ */

enum { X, V };
enum { DELTA, ALPHA, BETA, GAMMA, OMEGA, A, PHI, KAPPA, RHO };

static const costate_problem *const good = &problem_duffing.prob;

static int jvp_alpha(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                     const double *pdot, double *fdot, void *data)
{
    int rc = good->jvp(t, y, p, w, tdot, ydot, pdot, fdot, data);
    for (int l = 0; pdot && l < w; l++) fdot[V * w + l] += 1e-6 * pdot[ALPHA * w + l];
    return rc;
}

static int vjp_gamma(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (int l = 0; pb && l < w; l++) pb[GAMMA * w + l] += 1e-6 * u[V * w + l];
    return good->vjp(t, y, p, w, u, yb, pb, data);
}

/* Both without the damping: they fit together, but not to the right-hand side. */
static int jvp_undamped(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, double *fdot, void *data)
{
    int rc = good->jvp(t, y, p, w, tdot, ydot, pdot, fdot, data);
    for (int l = 0; ydot && l < w; l++) fdot[V * w + l] += p[DELTA] * ydot[V * w + l];
    return rc;
}

static int vjp_undamped(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (int l = 0; yb && l < w; l++) yb[V * w + l] += p[DELTA] * u[V * w + l];
    return good->vjp(t, y, p, w, u, yb, pb, data);
}

/* An f_vx that f_xv knows nothing of. */
static int vjp_dot_skew(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    for (int l = 0; ybdot && ydot && l < w; l++) ybdot[X * w + l] += 1e-6 * ydot[V * w + l] * u[V * w + l];
    return good->vjp_dot(t, y, p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, data);
}

/* A wrong f_xx, which is symmetric. */
static int vjp_dot_even(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    for (int l = 0; ybdot && ydot && l < w; l++) ybdot[X * w + l] += 0.1 * ydot[X * w + l] * u[V * w + l];
    return good->vjp_dot(t, y, p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, data);
}

static int init_without_phi(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                            void *data)
{
    double keep[LANES];
    if (pb) memcpy(keep, pb + PHI * w, (size_t)w * sizeof *pb);
    int rc = good->init.vjp(k, t, y, p, w, u, yb, pb, data);
    if (pb) memcpy(pb + PHI * w, keep, (size_t)w * sizeof *pb);
    return rc;
}

static int init_forgotten(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                          void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)w, (void)u, (void)yb, (void)pb, (void)data;
    return 0;
}

static int running_without_p(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                             void *data)
{
    (void)pb;
    return good->running.vjp(k, t, y, p, w, u, yb, NULL, data);
}

static int terminal_without_p(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                              void *data)
{
    (void)pb;
    return good->terminal.vjp(k, t, y, p, w, u, yb, NULL, data);
}

static int observe_without_p(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                             void *data)
{
    (void)pb;
    return good->observe.vjp(k, t, y, p, w, u, yb, NULL, data);
}

enum { IDENTITY = 1, SYMMETRY = 2, SLOPE_GRADIENT = 4, SLOPE_HESSIAN = 8, WORST = 16 }; /* what a certificate may fail by */

/* The problem with some products replaced; what must show; the components one of which must be named, if it is known. */
typedef struct mistake {
    const char *what;
    costate_problem replace; /* what is not NULL takes the place of the right one */
    unsigned shows, hides;   /* what must be seen, and what cannot be */
    const char *named;
} mistake;

static const mistake mistakes[] = {
    {"jvp, alpha", {.jvp = jvp_alpha}, IDENTITY | WORST, 0, " alpha "},
    {"vjp, gamma", {.vjp = vjp_gamma}, IDENTITY | WORST, 0, " gamma "},
    {"jvp and vjp, damping", {.jvp = jvp_undamped, .vjp = vjp_undamped}, SLOPE_GRADIENT, IDENTITY | WORST, NULL},
    {"vjp_dot, skew", {.vjp_dot = vjp_dot_skew}, SYMMETRY, IDENTITY | SLOPE_GRADIENT | WORST, NULL},
    {"vjp_dot, even", {.vjp_dot = vjp_dot_even}, SLOPE_HESSIAN, IDENTITY | SYMMETRY | SLOPE_GRADIENT | WORST, NULL},
    {"init, phi", {.init = {.vjp = init_without_phi}}, IDENTITY | WORST | SLOPE_GRADIENT, 0, " phi "},
    {"init", {.init = {.vjp = init_forgotten}}, IDENTITY | WORST | SLOPE_GRADIENT, 0, " A phi "},
    {"running", {.running = {.vjp = running_without_p}}, IDENTITY | WORST | SLOPE_GRADIENT, 0, " delta gamma omega "},
    {"terminal", {.terminal = {.vjp = terminal_without_p}}, IDENTITY | WORST | SLOPE_GRADIENT, 0, " alpha beta "},
    {"observe", {.observe = {.vjp = observe_without_p}}, IDENTITY | WORST | SLOPE_GRADIENT, 0, " kappa rho "},
};

static costate_problem spoil(const costate_problem *r)
{
    costate_problem q = *good;
    if (r->jvp) q.jvp = r->jvp;
    if (r->vjp) q.vjp = r->vjp;
    if (r->vjp_dot) q.vjp_dot = r->vjp_dot;
    if (r->init.vjp) q.init.vjp = r->init.vjp;
    if (r->running.vjp) q.running.vjp = r->running.vjp;
    if (r->terminal.vjp) q.terminal.vjp = r->terminal.vjp;
    if (r->observe.vjp) q.observe.vjp = r->observe.vjp;
    return q;
}

static unsigned seen(const costate_certificate *c)
{
    unsigned bits = 0;
    if (c->identity > c->tolerance) bits |= IDENTITY;
    if (c->symmetry > 1e-9) bits |= SYMMETRY;
    if (c->slope_gradient < 1.8) bits |= SLOPE_GRADIENT;
    if (c->slope_hessian < 2.8) bits |= SLOPE_HESSIAN;
    if (c->worst > 100 * c->tolerance) bits |= WORST;
    return bits;
}

static void test_wrong(void **unused)
{
    (void)unused;
    const problem *q = &problem_duffing;
    print_message("%-22s identity symmetry slopes      worst\n", "wrong");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        costate_problem bad = spoil(&m->replace);
        costate_solver *s = default_solver(&bad);
        costate_certificate c;
        char name[80];
        double y[STATES] = {0};
        int status = costate_check(s, q->t0, q->t1, q->p, y, &c);
        print_message("%-22s %8.1e %8.1e %.2f %.2f %8.1e %s\n", m->what, c.identity, c.symmetry, c.slope_gradient,
                      c.slope_hessian, c.worst, c.worst_name);
        assert_int_equal(status, COSTATE_CHECK_FAILED);
        assert_int_equal(c.holds, 0);
        assert_int_equal(seen(&c) & (m->shows | m->hides), m->shows);
        snprintf(name, sizeof name, " %s ", c.worst_name);
        if (m->named) assert_non_null(strstr(m->named, name));
        assert_non_null(strstr(c.text, "DOES NOT HOLD"));
        assert_non_null(strstr(c.text, c.worst_name));
        assert_true(strlen(costate_message(s)) > 0);
        costate_free(s);
    }
}

/* ---- what it leaves behind --------------------------------------------------------------------------------------------- */

typedef struct answer {
    double y[STATES], psi[GOALS], dy0[STATES * GOALS], dp[PARAMS * GOALS];
} answer;

/* Objectives and gradients of the last run, which a first one may come before. */
static answer ask(costate_solver *s, const problem *q, int solve)
{
    answer a;
    memset(&a, 0, sizeof a);
    start(q, a.y);
    if (solve) GOOD(s, costate_solve(s, q->t0, q->t1, q->p, a.y));
    GOOD(s, costate_objectives(s, a.psi));
    GOOD(s, costate_gradient(s, goals(&q->prob), NULL, a.dy0, a.dp));
    return a;
}

static void test_leaves(void **unused)
{
    (void)unused;
    for (int i = 0; i < problem_count(); i++) {
        const problem *q = problem_get(i);
        costate_solver *s = default_solver(&q->prob);
        costate_certificate c, again;
        double y[STATES], y_before[STATES], p[PARAMS] = {0};
        answer before = ask(s, q, 1);
        start(q, y);
        memcpy(y_before, y, sizeof y);
        if (q->prob.np) memcpy(p, q->p, (size_t)q->prob.np * sizeof *p);
        GOOD(s, costate_check(s, q->t0, q->t1, p, y, &c));
        assert_memory_equal(y, y_before, (size_t)q->prob.n * sizeof *y);
        if (q->prob.np) assert_memory_equal(p, q->p, (size_t)q->prob.np * sizeof *p);
        answer own = ask(s, q, 0), after = ask(s, q, 1); /* the check's own run is the last one */
        assert_memory_equal(before.psi, own.psi, sizeof own.psi);
        assert_memory_equal(before.dy0, own.dy0, sizeof own.dy0);
        assert_memory_equal(before.dp, own.dp, sizeof own.dp);
        assert_memory_equal(&before, &after, sizeof after);
        GOOD(s, costate_check(s, q->t0, q->t1, p, y, &again)); /* the same as ever */
        assert_string_equal(again.text, c.text);
        costate_free(s);
    }
}

/* ---- when it cannot be made -------------------------------------------------------------------------------------------- */

static int rhs_stops(double t, const double *y, const double *p, double *f, void *data)
{
    return t > 1 ? -1 : good->rhs(t, y, p, f, data);
}

static void test_refused(void **unused)
{
    (void)unused;
    const problem *q = &problem_lotka_volterra, *with_init = &problem_duffing;
    costate_certificate c;
    costate_solver *s = default_solver(&q->prob);
    assert_int_equal(costate_check(s, q->t0, q->t1, q->p, q->y0, NULL), COSTATE_ERR_NULL);
    assert_int_equal(costate_check(s, q->t0, q->t1, q->p, NULL, &c), COSTATE_ERR_NULL);
    assert_int_equal(costate_check(s, q->t0, q->t1, NULL, q->y0, &c), COSTATE_ERR_NULL);
    GOOD(s, costate_set(s, "record", "0"));
    assert_int_equal(costate_check(s, q->t0, q->t1, q->p, q->y0, &c), COSTATE_ERR_NO_RECORD);
    assert_int_equal(c.holds, 0);
    costate_free(s);

    s = default_solver(&with_init->prob); /* which needs no y */
    GOOD(s, costate_check(s, with_init->t0, with_init->t1, with_init->p, NULL, &c));
    costate_free(s);

    costate_problem stops = *good;
    stops.rhs = rhs_stops;
    s = default_solver(&stops);
    assert_int_equal(costate_check(s, with_init->t0, with_init->t1, with_init->p, NULL, &c), COSTATE_ERR_CALLBACK);
    assert_int_equal(c.holds, 0);
    assert_true(isnan(c.identity) && isnan(c.symmetry) && isnan(c.slope_gradient) && isnan(c.slope_hessian) && isnan(c.worst));
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),          cmocka_unit_test(test_sample), cmocka_unit_test(test_begins_at_zero),
        cmocka_unit_test(test_stays_at_zero),  cmocka_unit_test(test_wrong),  cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
