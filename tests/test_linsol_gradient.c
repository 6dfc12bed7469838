/* test_linsol_gradient.c - the same gradient from every linear solver, and from each the tangent's transpose, for a Rosenbrock,
 * an SDIRK and a fully implicit method.
 *
 * Steps are fixed and Newton's iteration goes down to round-off, so that the solvers compute the same discrete map: what is left
 * is round-off, magnified by the conditioning of the systems. GMRES stops at gmres_tol. */
#include "linsol/linsol.h"
#include "own_solver.h"
#include "problems.h"
#include "support.h"

enum { METHODS = 3, MOST = 48, PARAMS = 32, W = 3 };
static const char *const methods[METHODS] = {"rodas4", "sdirk4a", "radau2a"};

enum { BUILT_IN, OWN, OWN_COMPLEX };

typedef struct solver_case {
    const char *name;
    int own;
    costate_format format; /* of the pattern it is given */
} solver_case;

static const solver_case cases[] = {
    {"dense", BUILT_IN, COSTATE_DENSE}, {"dense", BUILT_IN, COSTATE_CSC},  {"band", BUILT_IN, COSTATE_BANDED},
    {"klu", BUILT_IN, COSTATE_CSC},     {"klu", BUILT_IN, COSTATE_BANDED}, {"superlu", BUILT_IN, COSTATE_CSC},
    {"umfpack", BUILT_IN, COSTATE_CSC}, {"gmres", BUILT_IN, COSTATE_CSC},  {"gauss", OWN, COSTATE_CSC},
    {"gauss", OWN, COSTATE_BANDED},     {"gauss", OWN, COSTATE_DENSE},     {"gauss", OWN_COMPLEX, COSTATE_CSC},
    {"ilu", BUILT_IN, COSTATE_CSC},     {"ilu", BUILT_IN, COSTATE_BANDED},
};

/* ---- patterns ------------------------------------------------------------------------------------------------------------ */

typedef struct patterns {
    costate_pattern of[3]; /* by format; a format that is not there is dense */
    int have[3];
    int colptr[MOST + 1], rowind[MOST * MOST];
} patterns;

static void patterns_of(const costate_problem *q, patterns *p)
{
    memset(p, 0, sizeof *p);
    const costate_pattern *given = &q->pattern;
    p->have[COSTATE_DENSE] = p->have[COSTATE_CSC] = 1;
    p->have[COSTATE_BANDED] = given->format == COSTATE_BANDED;
    p->of[COSTATE_BANDED] = *given;
    p->of[COSTATE_CSC] = (costate_pattern){.format = COSTATE_CSC, .colptr = p->colptr, .rowind = p->rowind};
    if (given->format == COSTATE_CSC) p->of[COSTATE_CSC] = *given;
    else
        for (int j = 0, k = 0; j < q->n; j++) {
            for (int i = 0; i < q->n; i++)
                if (given->format == COSTATE_DENSE || (i - j <= given->lower && j - i <= given->upper)) p->rowind[k++] = i;
            p->colptr[j + 1] = k;
        }
}

/* ---- one run ------------------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    double gradient[(MOST + PARAMS) * W]; /* of three weighted sums of the final states */
    double identity;                      /* worst defect of tangent against adjoint, relative to its terms */
} outcome;

static void first_state(const problem *q, double *y)
{
    for (int i = 0; i < q->prob.n; i++) y[i] = q->y0 ? q->y0[i] : 0;
}

/* Components count in units of their own. */
static double unit(const problem *q, int i)
{
    return q->scale ? q->scale[i] : 1;
}

static void compute(costate_solver *s, const problem *q, outcome *r)
{
    int n = q->prob.n, np = q->prob.np;
    double y[MOST], ydot[MOST * W], pdot[PARAMS * W], seed[MOST * W], start[MOST * W];
    double *lambda = r->gradient, *mu = lambda + n * W;
    memset(r, 0, sizeof *r);
    for (int i = 0; i < n * W; i++) {
        start[i] = ydot[i] = q->prob.init.eval ? 0 : unit(q, i / W) * cos(3 * i);
        seed[i] = lambda[i] = sin(2 * i + 1) / unit(q, i / W);
    }
    for (int i = 0; i < np * W; i++) pdot[i] = q->p[i / W] * cos(i);
    first_state(q, y);
    assert_ok(s, costate_tangent(s, q->t0, q->t1, q->p, y, W, ydot, pdot));
    assert_ok(s, costate_adjoint(s, W, lambda, mu));
    for (int a = 0; a < W; a++)
        for (int b = 0; b < W; b++) {
            double left = 0, right = 0, size = 0;
            for (int i = 0; i < n; i++) {
                left += seed[i * W + a] * ydot[i * W + b];
                right += lambda[i * W + a] * start[i * W + b];
                size += fabs(seed[i * W + a] * ydot[i * W + b]) + fabs(lambda[i * W + a] * start[i * W + b]);
            }
            for (int i = 0; i < np; i++) {
                right += mu[i * W + a] * pdot[i * W + b];
                size += fabs(mu[i * W + a] * pdot[i * W + b]);
            }
            r->identity = fmax(r->identity, fabs(left - right) / size);
        }
}

static int run(const problem *q, const patterns *p, const char *method, int steps, const solver_case *c, outcome *r)
{
    own_data d = {0};
    costate_linear_solver own = own_solver(&d, c->own == OWN_COMPLEX);
    costate_problem prob = q->prob;
    costate_options o = costate_defaults(method);
    double atols[MOST];
    if (!p->have[c->format] || (c->own == BUILT_IN && !linsol_find(c->name))) return 0;
    prob.pattern = p->of[c->format];
    prob.jac = NULL; /* compressed from jvp, whatever the pattern */
    for (int i = 0; i < prob.n; i++) atols[i] = 1e-8 * unit(q, i);
    o.rtol = 1e-8, o.atols = atols;
    o.step = (q->t1 - q->t0) / steps;
    o.newton_tol = 1e-8, o.newton_most = 50;
    o.gmres_tol = 1e-14, o.gmres_basis = 60, o.sweep_tol = 1e-14;
    if (c->own) o.linear_solver = &own;
    else o.linsol = c->name;
    costate_solver *s = make_solver(&prob, &o);
    compute(s, q, r);
    assert_string_equal(stats_of(s).linsol, c->name);
    costate_free(s);
    assert_int_equal(d.handles, 0);
    return 1;
}

/* Largest difference of a gradient component, relative to the largest of its kind (state, parameter i's unit, lane). */
static double apart(const problem *q, const outcome *a, const outcome *b)
{
    int n = q->prob.n, np = q->prob.np;
    double worst = 0;
    for (int l = 0; l < W; l++) {
        double difference = 0, size = 0;
        for (int i = 0; i < n + np; i++) {
            double u = i < n ? unit(q, i) : q->p[i - n];
            difference = fmax(difference, fabs(u * (a->gradient[i * W + l] - b->gradient[i * W + l])));
            size = fmax(size, fabs(u * b->gradient[i * W + l]));
        }
        worst = fmax(worst, difference / size);
    }
    return worst;
}

static void same_gradient(const problem *q, int steps, int with_gmres)
{
    static patterns p;
    static outcome reference, r;
    patterns_of(&q->prob, &p);
    assert_true(q->prob.n <= MOST && q->prob.np <= PARAMS);
    for (int m = 0; m < METHODS; m++)
        for (size_t c = 0; c < COUNT(cases); c++) {
            int gmres = !strcmp(cases[c].name, "gmres");
            if (gmres && !with_gmres) continue;
            if (!run(q, &p, methods[m], steps, &cases[c], c ? &r : &reference)) continue;
            double far = c ? apart(q, &r, &reference) : 0, identity = c ? r.identity : reference.identity;
            print_message("%-14s %-8s %-8s format %d: gradient %.1e, identity %.1e\n", q->name, methods[m], cases[c].name,
                          (int)cases[c].format, far, identity);
            if (!(far <= 1e-9)) fail_msg("%s: %s differs from dense by %.2e", methods[m], cases[c].name, far);
            if (!(identity <= (gmres ? 1e-9 : 1e-12))) fail_msg("%s: %s has identity %.2e", methods[m], cases[c].name, identity);
        }
}

static void test_banded(void **state)
{
    (void)state;
    problem *q = brusselator_1d(10);
    assert_non_null(q);
    q->t1 = 4;
    same_gradient(q, 100, 1);
    problem_free(q);
}

static void test_sparse(void **state)
{
    (void)state;
    problem q = *stiff_pollu();
    q.y0 = q.scale = q.state; /* behind the transient, every component in units of its own size */
    q.t1 = 0.5;
    same_gradient(&q, 100, 0); /* its rates span 15 orders of magnitude: without a preconditioner GMRES is of no use */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_banded), cmocka_unit_test(test_sparse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
