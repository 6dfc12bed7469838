/* test_dae_proof.c - every differential-algebraic problem by every method that suits it: gradients and tangents are transposes of
 * one another, Hessians symmetric, both to round-off; and the certificate holds. Who suits whom is what methods' tables say, and
 * the others refuse with their names. */
#include "dae.h"

enum { INDEX0, INDEX1, INDEX2, LARGE = 4 }; /* LARGE: without a certificate, which takes many runs */

static const struct proven {
    const char *name, *define;
    int kind;
    double t1, rtol, atol;
} problems[] = {
    {"heat_dae", NULL, INDEX1 | LARGE, 0.16, 1e-3, 1e-3},
    {"heat_dae", "RESIDUAL=1", INDEX0 | LARGE, 0.02, 1e-3, 1e-3},
    {"rotation", NULL, INDEX0, 1.57, 1e-5, 1e-5},
    {"state_mass", NULL, INDEX1, 1, 1e-5, 1e-5},
    {"coupled_slopes", NULL, INDEX1, 1, 1e-5, 1e-5},
    {"food_web", "START=1e5", INDEX1 | LARGE, 5e-3, 1e-3, 1e-2},
    {"food_web", "START=100", INDEX1 | LARGE, 5e-3, 1e-3, 1e-2},
    {"fekete", NULL, INDEX2 | LARGE, 0.5, 1e-2, 1e-2},
    {"robertson_dae", NULL, INDEX1, 40, 1e-4, 1e-8},
    {"robertson_dae", "RESIDUAL=1", INDEX1, 40, 1e-4, 1e-8},
    {"transistor", NULL, INDEX1, 0.012, 1e-4, 1e-4},
    {"pendulum", NULL, INDEX1, 2, 1e-4, 1e-4},
    {"pendulum", "RESIDUAL=1", INDEX1, 2, 1e-4, 1e-4},
    {"linear_index1", NULL, INDEX1, 2, 1e-4, 1e-4},
    {"linear_index1", "RESIDUAL=1", INDEX1, 2, 1e-4, 1e-4},
    {"steady_start", "RESIDUAL=1", INDEX1, 1, 1e-4, 1e-4},
    {"linear_index2", NULL, INDEX2, 1, 1e-4, 1e-4},
    {"linear_index2", "RESIDUAL=1", INDEX2, 1, 1e-4, 1e-4},
    {"exponential_index2", NULL, INDEX2, 1, 1e-4, 1e-4},
    {"exponential_index2", "RESIDUAL=1", INDEX2, 1, 1e-4, 1e-4},
    {"mixed_index2", NULL, INDEX2, 1, 1e-4, 1e-4},
    {"mixed_index2", "RESIDUAL=1", INDEX2, 1, 1e-4, 1e-4},
};

/* A method whose last stage is the end of the step; for constraints not a Rosenbrock method. */
static int suits(const char *method, int kind)
{
    static const char *const all[] = {"radau2a", "lobatto3c", "bdf",     "sdirk2a", "sdirk2b",
                                      "sdirk3a", "sdirk4a",   "sdirk4b", "rodas3",  "rodas4"};
    const size_t count = kind & INDEX2 ? COUNT(all) - 2 : COUNT(all);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i], method)) return 1;
    return 0;
}

/* What a direction is: fractions of the sizes of parameters, and of initial values where these are given. */
static void directions(const subject *q, int w, double *ydot, double *pdot)
{
    const int given = !q->prob->init.eval;
    for (int i = 0; i < q->prob->n * w; i++) ydot[i] = given ? sin(1 + i) * (fabs(q->about.y0[i / w]) + 0.1) : 0;
    for (int i = 0; i < q->prob->np * w; i++) pdot[i] = cos(2 * i) * q->about.p[i / w];
}

static double product(size_t count, int w, int a, int b, const double *x, const double *xdot, double *size)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double term = x[i * (size_t)w + (size_t)a] * xdot[i * (size_t)w + (size_t)b];
        sum += term, *size += fabs(term);
    }
    return sum;
}

/* Of second order by the size of first order, where the solution is linear in what moves and there is none. */
static void prove(costate_solver *s, const subject *q, const char *who)
{
    enum { W = 2 };
    const size_t n = (size_t)q->prob->n, np = (size_t)q->prob->np, m = (size_t)q->prob->objectives;
    double *y = calloc(n + (n + np) * (2 * W + m) + n * W + m * W, sizeof *y), *ydot = y + n, *pdot = ydot + n * W;
    double *hy0 = pdot + np * W, *hp = hy0 + n * W, *dy0 = hp + np * W, *dp = dy0 + n * m, *moved = dp + np * m;
    double *psidot = moved + n * W;
    assert_non_null(y);
    memcpy(y, q->about.y0, n * sizeof *y);
    directions(q, W, ydot, pdot);
    memcpy(moved, ydot, n * W * sizeof *ydot);
    assert_ok(s, costate_tangent(s, q->about.t0, q->about.t1, q->about.p, y, W, moved, pdot));
    assert_ok(s, costate_objectives_dot(s, psidot));
    assert_ok(s, costate_gradient(s, (int)m, NULL, dy0, dp));
    double change = 0;
    for (size_t k = 0; k < m; k++)
        for (size_t l = 0; l < W; l++) {
            double size = fabs(psidot[k * W + l]), sum = psidot[k * W + l];
            change += size;
            for (size_t i = 0; i < n; i++)
                sum -= dy0[i * m + k] * ydot[i * W + l], size += fabs(dy0[i * m + k] * ydot[i * W + l]);
            for (size_t i = 0; i < np; i++) sum -= dp[i * m + k] * pdot[i * W + l], size += fabs(dp[i * m + k] * pdot[i * W + l]);
            if (!(fabs(sum) <= 1e-12 * size)) fail_msg("%s: identity %.2g, objective %zu", who, fabs(sum) / size, k);
        }
    assert_ok(s, costate_hessian(s, W, NULL, ydot, pdot, hy0, hp));
    double size = 1e-2 * change, one = product(n, W, 0, 1, hy0, ydot, &size) + product(np, W, 0, 1, hp, pdot, &size);
    const double other = product(n, W, 1, 0, hy0, ydot, &size) + product(np, W, 1, 0, hp, pdot, &size);
    if (!(fabs(one - other) <= 1e-11 * size)) fail_msg("%s: symmetry %.2g", who, fabs(one - other) / size);
    free(y);
}

static void certify(costate_solver *s, const subject *q, const char *who)
{
    costate_certificate c;
    const double *y = q->prob->init.eval ? NULL : q->about.y0;
    if (costate_check(s, q->about.t0, q->about.t1, q->about.p, y, &c)) fail_msg("%s: %s\n%s", who, costate_message(s), c.text);
    if (!c.holds || !(c.identity <= 1e-12) || !(c.symmetry <= 1e-11)) fail_msg("%s:\n%s", who, c.text);
}

static void test_proof(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < COUNT(problems); k++) {
        subject q = subject_open(problems[k].name, problems[k].define);
        q.about.t1 = problems[k].t1;
        for (int i = 0; i < costate_method_count(); i++) {
            const char *method = costate_method(i)->name;
            costate_options o = options_of(method, problems[k].rtol, problems[k].atol);
            costate_solver *s = NULL;
            char who[120];
            o.tangent_solve = o.adjoint_solve = "direct";
            /* An index-2 state is a difference quotient, with round-off of y over the size of a step: SDIRK methods, of order 1
             * in it, take small ones to a tolerance. */
            if (problems[k].kind & INDEX2 && !strncmp(method, "sdirk", 5)) o.step = problems[k].t1 / 20;
            snprintf(who, sizeof who, "%s %s by %s", problems[k].name, problems[k].define ? problems[k].define : "", method);
            const int status = costate_create(&s, q.prob, &o), fits = suits(method, problems[k].kind);
            if (status != (fits ? 0 : COSTATE_ERR_MASS)) fail_msg("%s: %s", who, costate_message(s));
            if (fits) prove(s, &q, who);
            if (fits && !(problems[k].kind & LARGE)) certify(s, &q, who);
            if (!fits) assert_non_null(strstr(costate_message(s), "those that do are auto, "));
            costate_free(s);
        }
        costate_model_close(q.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_proof)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
