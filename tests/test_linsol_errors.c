/* test_linsol_errors.c - what can go wrong around linear systems, as the user sees it: a code of its own, what, where, and what
 * to try; and no numbers. */
#define _GNU_SOURCE /* setenv */
#include "linsol/linsol.h"
#include "own_solver.h"
#include "support.h"

#include <limits.h>
#include <stdio.h>

enum { ROS, SDIRK, FIRK, METHODS, N = 3 };
static const char *const methods[METHODS] = {"rodas4", "sdirk4a", "radau2a"};

/* y_i' = -rate (y_i - y_(i+1)), in a ring; the Jacobian is what `scale` makes of it, or all `entry`, and callbacks return
 * codes. */
typedef struct ring {
    double rate, scale, entry; /* entry: not used if 0 */
    int place;                 /* of the one value that is `entry`; -1: all */
    int rhs, jac, jvp, calls;  /* return values; rhs from its `calls`-th call on */
    int lost;                  /* 1: f is not a number after t = 0 */
} ring;

static int ring_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    ring *r = data;
    (void)p;
    for (int i = 0; i < N; i++) f[i] = r->lost && t > 0 ? NAN : -r->rate * (y[i] - y[(i + 1) % N]);
    return r->calls-- <= 0 ? r->rhs : 0;
}

static int ring_jac(double t, const double *y, const double *p, double *j, void *data)
{
    ring *r = data;
    (void)t, (void)y, (void)p;
    for (int k = 0; k < N * N; k++) {
        int row = k % N, column = k / N;
        j[k] = r->scale * r->rate * (row == column ? -1 : column == (row + 1) % N);
        if (r->entry != 0 && (r->place < 0 || r->place == k)) j[k] = r->entry;
    }
    return r->jac;
}

static int ring_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                    double *fdot, void *data)
{
    const ring *r = data;
    (void)t, (void)y, (void)p, (void)tdot, (void)pdot;
    for (int k = 0; k < N * w; k++) fdot[k] = ydot ? -r->rate * (ydot[k] - ydot[(k + w) % (N * w)]) : 0;
    if (r->entry != 0) fdot[0] = r->entry;
    return r->jvp;
}

static const int colptr[] = {0, 3, 6, 9}, rowind[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
static const char *const names[N] = {"alpha", "beta", "gamma"};

static costate_problem ring_problem(ring *r, int sparse)
{
    costate_problem q = {.n = N, .data = r, .rhs = ring_rhs, .jac = ring_jac, .autonomous = 1, .state_names = names};
    if (sparse) q.pattern = (costate_pattern){.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
    return q;
}

/* Runs from (1, 0, 0) and expects to be refused so. */
static void fails(const costate_problem *q, const costate_options *o, int code, const char *words)
{
    double y[N] = {1};
    costate_solver *s = make_solver(q, o);
    assert_refused(s, costate_solve(s, 0, 1, NULL, y), code, words);
    assert_nan(y, N);
    assert_true(stats_of(s).fail_t == 0);
    costate_free(s);
}

/* ---- matrices ------------------------------------------------------------------------------------------------------------ */

static const char *const solvers[] = {"dense", "klu", "superlu", "gauss"};

/* Entries beside which the shift is nothing are singular; one that is no number is named. */
static void test_matrices(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(solvers); k++)
        for (int m = 0; m < METHODS; m++)
            for (int fixed = 0; fixed < 2; fixed++) {
                char named[64];
                own_data d = {0};
                costate_linear_solver own = own_solver(&d, 0);
                ring r = {.rate = 1, .scale = 1, .entry = 1e300, .place = -1};
                costate_problem q = ring_problem(&r, 1);
                costate_options o = costate_defaults(methods[m]);
                o.step = fixed ? 0.1 : 0;
                if (!strcmp(solvers[k], "gauss")) o.linear_solver = &own;
                else o.linsol = solvers[k];
                if (!o.linear_solver && !linsol_find(solvers[k])) continue;
                snprintf(named, sizeof named, "linear solver \"%s\", 3 equations, at t = 0 with h = ", solvers[k]);
                fails(&q, &o, COSTATE_ERR_SINGULAR, named);
                r.entry = -INFINITY, r.place = 7;
                fails(&q, &o, COSTATE_ERR_JACOBIAN, "d beta' / d gamma is -inf at t = 0 with h = ");
                r.entry = NAN;
                fails(&q, &o, COSTATE_ERR_JACOBIAN, "d beta' / d gamma is nan at t = 0 with h = ");
            }
}

/* Without a matrix: products that are no numbers, and iterations that do not suffice. A right-hand side that is not finite is not
 * the Jacobian's fault. */
static void test_gmres(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        ring r = {.rate = 30, .entry = NAN};
        costate_problem q = ring_problem(&r, 0);
        costate_options o = costate_defaults(methods[m]);
        q.jac = NULL;
        q.jvp = ring_jvp;
        o.linsol = "gmres";
        o.h0 = 0.1;
        fails(&q, &o, COSTATE_ERR_JACOBIAN, "a product with the Jacobian");
        r.entry = 0;
        o.h0 = 0, o.step = 0.1;
        o.gmres_basis = o.gmres_most = 1;
        fails(&q, &o, COSTATE_ERR_GMRES, "gmres_tol = 1e-10 is not reached within gmres_most = 1 iterations");
        o.gmres_most = 300;
        r.lost = 1;
        fails(&q, &o, COSTATE_ERR_NOT_FINITE, "component 0 (alpha) of the right-hand side in stage");
    }
}

/* A Jacobian of the wrong sign, and steps that are not to shrink. */
static void test_newton(void **state)
{
    (void)state;
    for (int m = SDIRK; m < METHODS; m++) {
        ring r = {.rate = 1e4, .scale = -1};
        costate_problem q = ring_problem(&r, 0);
        costate_options o = costate_defaults(methods[m]);
        o.step = 0.1;
        fails(&q, &o, COSTATE_ERR_NEWTON, "the stage equations at t = 0 with h = 0.1 (step 0)");
        o.step = 0, o.h0 = 0.1, o.hmin = 0.01;
        fails(&q, &o, COSTATE_ERR_NEWTON, "the stage equations at t = 0 with h = 0.0");
    }
}

/* A state that begins at zero without an absolute tolerance: no iterate is near enough, and it is not Newton's fault. */
static void test_weights(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        ring r = {.rate = 3.7, .scale = 0.9}; /* a little off, so that one iteration is not enough */
        costate_problem q = ring_problem(&r, 0);
        costate_options o = costate_defaults(methods[FIRK]);
        double each[N] = {0, 1e-9, 0};
        if (fixed) o.step = 0.1;
        o.atol = 0;
        fails(&q, &o, COSTATE_ERR_WEIGHT, "beta is 0 at t = 0");
        o.atols = each;
        fails(&q, &o, COSTATE_ERR_WEIGHT, "gamma is 0 at t = 0");
        r.scale = -1, r.rate = 1e4, each[2] = 1; /* what is not zero needs none */
        if (!fixed) o.hmin = 0.01, o.h0 = 0.1;
        fails(&q, &o, COSTATE_ERR_NEWTON, "the stage equations");
    }
}

/* ---- callbacks ----------------------------------------------------------------------------------------------------------- */

/* jac is named when it fails, and no longer once it works. */
static void test_named(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        ring r = {.rate = 1, .scale = 1, .jac = -6};
        costate_problem q = ring_problem(&r, 0);
        costate_options o = costate_defaults(methods[m]);
        fails(&q, &o, COSTATE_ERR_CALLBACK, "jac returned -6 at t = 0");
        r.jac = 6;
        fails(&q, &o, COSTATE_ERR_RETRY, "jac returned 6 at t = 0");
        r.jac = 0, r.rhs = -2, r.calls = 0;
        fails(&q, &o, COSTATE_ERR_CALLBACK, "rhs returned -2 at t = 0");
        r.rhs = 2, r.calls = 2; /* those that choose the first step work */
        fails(&q, &o, COSTATE_ERR_RETRY, "rhs returned 2 at t = 0");
    }
}

/* ---- refusals at create -------------------------------------------------------------------------------------------------- */

static void refused(const costate_problem *q, const costate_options *o, int code, const char *words)
{
    costate_solver *s = NULL;
    int status = costate_create(&s, q, o);
    assert_refused(s, status, code, words);
    costate_free(s);
}

static void test_patterns(void **state)
{
    (void)state;
    static const int falling[] = {0, 3, 2, 9}, late[] = {1, 3, 6, 9}, twice[] = {0, 1, 1, 0, 1, 2, 0, 1, 2},
                     outside[] = {0, 1, 3, 0, 1, 2, 0, 1, 2}, unsorted[] = {0, 1, 2, 2, 1, 0, 0, 1, 2};
    const struct {
        costate_pattern q;
        const char *words;
    } list[] = {
        {{.format = COSTATE_CSC}, "NULL"},
        {{.format = COSTATE_CSC, .colptr = falling, .rowind = rowind}, "column 1"},
        {{.format = COSTATE_CSC, .colptr = late, .rowind = rowind}, "colptr[0]"},
        {{.format = COSTATE_CSC, .colptr = colptr, .rowind = twice}, "column 0"},
        {{.format = COSTATE_CSC, .colptr = colptr, .rowind = outside}, "column 0"},
        {{.format = COSTATE_CSC, .colptr = colptr, .rowind = unsorted}, "column 1"},
        {{.format = COSTATE_BANDED, .lower = -1, .upper = 1}, "-1"},
        {{.format = COSTATE_BANDED, .lower = 1, .upper = N}, "3"},
        {{.format = (costate_format)7}, "7"},
    };
    for (size_t k = 0; k < COUNT(list); k++) {
        ring r = {.rate = 1, .scale = 1};
        costate_problem q = ring_problem(&r, 0);
        costate_options o = costate_defaults("sdirk4a");
        q.pattern = list[k].q;
        refused(&q, &o, COSTATE_ERR_PATTERN, list[k].words);
    }
}

static void test_solvers(void **state)
{
    (void)state;
    ring r = {.rate = 1, .scale = 1};
    costate_problem dense = ring_problem(&r, 0), sparse = ring_problem(&r, 1);
    costate_options o = costate_defaults("sdirk4a");
    o.linsol = "band";
    refused(&dense, &o, COSTATE_ERR_LINSOL, "\"band\" takes no dense pattern");
    refused(&sparse, &o, COSTATE_ERR_LINSOL, "\"band\" takes no sparse pattern");
    unsetenv("COSTATE_PLUGIN_DIR"); /* what is not installed is named with its package */
    static const char *const packaged[] = {"klu", "superlu", "umfpack"};
    for (int k = 0; k < 3; k++) {
        o.linsol = packaged[k];
        if (!linsol_find(packaged[k])) refused(&sparse, &o, COSTATE_ERR_LINSOL, k == 1 ? "libsuperlu-dev" : "libsuitesparse-dev");
    }
}

/* More equations than places in their arrays can be counted by an int; nothing is allocated for them. */
static void test_too_many(void **state)
{
    (void)state;
    static const char *const counting[] = {"auto", "band", "dense"};
    linsol l;
    char why[256];
    const linsol_config c = {.n = INT_MAX / 16 + 1, .pattern = {.format = COSTATE_BANDED}, .slots = 1};
    for (size_t i = 0; i < COUNT(counting); i++) {
        assert_int_equal(linsol_open(&l, counting[i], &c, why, sizeof why), COSTATE_ERR_LINSOL);
        assert_non_null(strstr(why, "134217728 equations"));
    }
    assert_int_equal(linsol_open(&l, "gmres", &c, why, sizeof why), 0);
    linsol_close(&l);
}

/* ---- later refusals ------------------------------------------------------------------------------------------------------- */

enum { LONG = 100 };

static int long_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    for (int i = 0; i < LONG; i++) f[i] = y[(i + 1) % LONG] - y[i];
    return 0;
}

/* Where the pattern is looked for in the first run, its refusal comes then, as often as one tries; and so does a lack of memory,
 * after which all is well. */
static void test_found_pattern(void **state)
{
    (void)state;
    const costate_problem q = {.n = LONG, .rhs = long_rhs, .autonomous = 1};
    for (int m = 0; m < METHODS; m++) {
        costate_options o = costate_defaults(methods[m]);
        double y[LONG];
        o.linsol = "band";
        costate_solver *s = make_solver(&q, &o);
        for (int again = 0; again < 2; again++) {
            fill(y, LONG, 1);
            assert_refused(s, costate_solve(s, 0, 1, NULL, y), COSTATE_ERR_LINSOL, "\"band\" takes no sparse pattern");
            assert_nan(y, LONG);
        }
        costate_free(s);
        o.linsol = "auto";
        for (int64_t k = 1, enough = 0; !enough; k++) {
            heap h = {0};
            o.allocator = heap_allocator(&h);
            s = make_solver(&q, &o);
            h.requests = 0, h.fail_at = k;
            fill(y, LONG, 1);
            int status = costate_solve(s, 0, 1, NULL, y);
            enough = h.requests < k;
            assert_int_equal(status, enough ? 0 : COSTATE_ERR_MEMORY);
            fill(y, LONG, 1);
            h.fail_at = 0;
            assert_ok(s, costate_solve(s, 0, 1, NULL, y));
            costate_free(s);
            assert_int_equal(h.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices), cmocka_unit_test(test_gmres),    cmocka_unit_test(test_newton),
        cmocka_unit_test(test_named),    cmocka_unit_test(test_patterns), cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_found_pattern), cmocka_unit_test(test_too_many), cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
