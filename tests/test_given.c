/* test_given.c - a Jacobian or a pattern that is given with a problem and is not that of f: no derivative comes out of it, and
 * the entry is named. A model of four states with a full row, an entry that is zero at y0, and one that is zero at both ends. */
#include "support.h"

#include <stdio.h>

enum { N = 4 };

/* What of the Jacobian is given how. */
typedef struct given {
    int row, column; /* the entry that the pattern lacks; -1: none */
    double wrong;    /* jac's d f_0 / d y_1 is this times too large; 0: it is right */
    long rhs, jvp, jac;
} given;

static void entries(const double *y, const double *p, double j[N][N])
{
    memset(j, 0, N * N * sizeof(double));
    j[0][0] = -p[0], j[0][1] = 0.3, j[0][2] = y[3], j[0][3] = y[2];
    j[1][0] = 0.5, j[1][1] = -2;
    j[2][1] = p[0] * y[3], j[2][2] = -1, j[2][3] = p[0] * y[1];
    j[3][0] = 1, j[3][3] = -50;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t;
    ((given *)data)->rhs++;
    f[0] = -p[0] * y[0] + 0.3 * y[1] + y[2] * y[3];
    f[1] = 0.5 * y[0] - 2 * y[1];
    f[2] = p[0] * y[1] * y[3] - y[2];
    f[3] = y[0] - 50 * y[3];
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    (void)t, (void)tdot;
    double j[N][N];
    ((given *)data)->jvp++;
    entries(y, p, j);
    for (int i = 0; i < N; i++)
        for (int l = 0; l < w; l++) {
            double sum = 0;
            for (int k = 0; ydot && k < N; k++) sum += j[i][k] * ydot[k * w + l];
            if (pdot) sum += (i == 0 ? -y[0] : i == 2 ? y[1] * y[3] : 0) * pdot[l];
            fdot[i * w + l] = sum;
        }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)data;
    double j[N][N];
    entries(y, p, j);
    for (int l = 0; l < w; l++) {
        for (int k = 0; yb && k < N; k++)
            for (int i = 0; i < N; i++) yb[k * w + l] += j[i][k] * u[i * w + l];
        if (pb) pb[l] += -y[0] * u[l] + y[1] * y[3] * u[2 * w + l];
    }
    return 0;
}

/* Values in the order of the columns, without the entry that is lacking. */
static int jac(double t, const double *y, const double *p, double *values, void *data)
{
    (void)t;
    given *g = data;
    double j[N][N];
    g->jac++;
    entries(y, p, j);
    if (g->wrong != 0) j[0][1] *= g->wrong;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            if (i != g->row || k != g->column) *values++ = j[i][k];
    return 0;
}

typedef struct columns {
    int colptr[N + 1], rowind[N * N];
} columns;

static costate_pattern pattern_of(const given *g, columns *c)
{
    int at = 0;
    for (int k = 0; k < N; k++) {
        c->colptr[k] = at;
        for (int i = 0; i < N; i++)
            if (i != g->row || k != g->column) c->rowind[at++] = i;
    }
    c->colptr[N] = at;
    return (costate_pattern){.format = COSTATE_CSC, .colptr = c->colptr, .rowind = c->rowind};
}

enum { ADJOINT, TANGENT, HESSIAN, CALLS };
enum { BY_JAC, BY_JAC_ALONE, BY_JVP, BY_RHS, SOURCES };

static costate_problem problem_of(given *g, columns *c, int source)
{
    costate_problem p = {.n = N, .np = 1, .rhs = rhs, .vjp = vjp, .data = g, .autonomous = 1};
    p.pattern = pattern_of(g, c);
    if (source == BY_JAC || source == BY_JAC_ALONE) p.jac = jac;
    if (source == BY_JAC || source == BY_JVP) p.jvp = jvp;
    return p;
}

/* The status of the call, whose numbers come to out. */
static int call(costate_solver *s, int which, double out[N])
{
    double y[N] = {1, 0.5, 0, 0}, p[1] = {3}, mu[1], unit[N] = {1, 0, 0, 0}, hp[1];
    memcpy(out, unit, sizeof unit);
    if (which == TANGENT) return costate_tangent(s, 0, 1, p, y, 1, out, NULL);
    assert_int_equal(costate_solve(s, 0, 1, p, y), 0); /* Newton's iteration gets there all the same */
    if (which == ADJOINT) return costate_adjoint(s, 1, out, mu);
    return costate_hessian(s, 1, NULL, unit, NULL, out, hp);
}

static int is_rosenbrock(const char *method)
{
    return costate_method_find(method)->family == COSTATE_ROS;
}

static const char *const methods[] = {"radau2a", "sdirk4a", "rodas4"};

/* Every entry that is not zero, left out: refused by name. One that is zero everywhere may be. */
static void lacking(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int e = 0; e < N * N * SOURCES; e++) {
            given g = {.row = e % N, .column = e / N % N};
            columns c;
            const double somewhere[N] = {0.7, 0.4, 0.2, 0.3}, three = 3;
            double j[N][N], out[N];
            char name[64];
            const int source = e / N / N, which = (e + m) % CALLS;
            entries(somewhere, &three, j);
            if (which == HESSIAN && is_rosenbrock(methods[m])) continue; /* it wants vjp_dot2 */
            costate_problem problem = problem_of(&g, &c, source);
            costate_options o = costate_defaults(methods[m]);
            costate_solver *s = NULL;
            o.linsol = "klu";
            assert_int_equal(costate_create(&s, &problem, &o), 0);
            const int status = call(s, which, out), wanted = j[g.row][g.column] != 0 ? COSTATE_ERR_PATTERN : 0;
            if (status != wanted)
                fail_msg("%s, source %d, call %d, entry %d %d: %d %s", methods[m], source, which, g.row, g.column, status,
                         costate_message(s));
            snprintf(name, sizeof name, "d y[%d]' / d y[%d]", g.row, g.column);
            if (wanted) assert_non_null(strstr(costate_message(s), name));
            for (int i = 0; i < N; i++) assert_int_equal(isnan(out[i]) != 0, wanted != 0);
            costate_free(s);
        }
}

/* The certificate still names it. */
static void the_certificate(void **state)
{
    (void)state;
    given g = {.row = 0, .column = 1};
    columns c;
    costate_problem problem = problem_of(&g, &c, BY_JVP);
    costate_options o = costate_defaults("radau2a");
    costate_solver *s = NULL;
    costate_certificate found;
    double y[N] = {1, 0.5, 0, 0}, p[1] = {3}, out[N];
    assert_int_equal(costate_create(&s, &problem, &o), 0);
    assert_int_equal(costate_check(s, 0, 1, p, y, &found), COSTATE_CHECK_FAILED);
    assert_string_equal(found.missing, "d y[0]' / d y[1]");
    assert_int_equal(call(s, ADJOINT, out), COSTATE_ERR_PATTERN);
    costate_free(s);
}

/* A jac that is not f_y is refused; so much off by differences, anything by an exact product. */
static void wrong(void **state)
{
    (void)state;
    static const double by[] = {0, 1, 1.001, 0.5, -1};
    for (int source = BY_JAC; source <= BY_JAC_ALONE; source++)
        for (size_t i = 0; i < COUNT(by); i++) {
            given g = {.row = -1, .column = -1, .wrong = by[i]};
            columns c;
            costate_problem problem = problem_of(&g, &c, source);
            costate_options o = costate_defaults("radau2a");
            costate_solver *s = NULL;
            double out[N];
            const int right = i < 2 || (i == 2 && source == BY_JAC_ALONE);
            assert_int_equal(costate_create(&s, &problem, &o), 0);
            assert_int_equal(call(s, ADJOINT, out), right ? 0 : COSTATE_ERR_JAC);
            if (!right) assert_non_null(strstr(costate_message(s), "row y[0] of jac"));
            costate_free(s);
        }
}

/* Once for a solver, until its matrices are made anew; never for what costate diff made, nor for explicit methods. */
static void once(void **state)
{
    (void)state;
    given g = {.row = -1, .column = -1};
    columns c;
    costate_problem problem = problem_of(&g, &c, BY_JAC);
    costate_options o = costate_defaults("radau2a");
    double out[2][N];
    for (int derived = 0; derived < 2; derived++) {
        costate_solver *s = NULL;
        problem.derived = derived;
        assert_int_equal(costate_create(&s, &problem, &o), 0);
        long calls[3];
        for (int k = 0; k < 3; k++) {
            if (k == 2) assert_int_equal(costate_set(s, "method", "sdirk4a"), 0);
            g.jvp = 0;
            assert_int_equal(call(s, ADJOINT, out[k & 1]), 0);
            calls[k] = g.jvp;
        }
        assert_int_equal(calls[0], derived ? 0 : 3);
        assert_int_equal(calls[1], 0);
        assert_int_equal(calls[2], derived ? 0 : 3);
        costate_free(s);
    }
    given without = {.row = 0, .column = 1};
    costate_problem lacks = problem_of(&without, &c, BY_RHS);
    costate_solver *s = NULL;
    o = costate_defaults("dopri5");
    assert_int_equal(costate_create(&s, &lacks, &o), 0);
    assert_int_equal(call(s, ADJOINT, out[0]), 0); /* it has no use for it */
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lacking),
        cmocka_unit_test(the_certificate),
        cmocka_unit_test(wrong),
        cmocka_unit_test(once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
