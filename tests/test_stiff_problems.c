/* test_stiff_problems.c - the stiff problems: every product, as products.h checks it; the patterns of the Jacobians; whether
 * time plays a role; and whether the published answers belong to these right-hand sides. */
#include "generated.h"
#include "products.h"
#include "torrents.h"

#include "massaction.h"

#include <stdlib.h>

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

/* The sizes of y and p are those at the start, or what absolute tolerances are made from; of f, its largest values at random
 * points nearby. */
static point sizes(const problem *q)
{
    const costate_problem *c = &q->prob;
    point size = {.t = (q->t1 - q->t0) / 1000}, x = {.t = q->t0};
    double y0[N], f[N];
    if (q->y0) memcpy(y0, q->y0, sizeof(double) * (size_t)c->n);
    else c->init.eval(0, q->t0, NULL, q->p, y0, c->data);
    for (int i = 0; i < c->n; i++) size.y[i] = fmax(fabs(y0[i]), q->scale ? q->scale[i] : 1);
    for (int i = 0; i < c->np; i++) size.p[i] = q->p[i] != 0 ? fabs(q->p[i]) : 1;
    for (int trial = 0; trial < 8; trial++) {
        for (int i = 0; i < c->n; i++) x.y[i] = y0[i] + 0.5 * size.y[i] * uniform();
        assert_int_equal(c->rhs(x.t, x.y, q->p, f, c->data), 0);
        for (int i = 0; i < c->n; i++) size.u[i] = fmax(size.u[i], fabs(f[i]));
    }
    for (int i = 0; i < c->n; i++) size.u[i] = size.u[i] > 0 ? 1 / size.u[i] : 1;
    return size;
}

/* ---- products ----------------------------------------------------------------------------------------------------------- */

static void products(void **state)
{
    const problem *q = *state;
    point size = sizes(q);
    check_products(q, &size);
}

static void products_upstream(void **state)
{
    (void)state;
    problem *q = shallow_water(5), z = *q;
    double y0[N];
    z.y0 = y0;
    torrents(q, uniform, y0);
    point size = sizes(&z);
    check_products(&z, &size);
    problem_free(q);
}

/* Reactions of all orders, with one rate for two of them and a time factor */
static void wave(double t, double phi[3])
{
    phi[0] = 2 + sin(t), phi[1] = cos(t), phi[2] = -sin(t);
}

static void products_of_three(void **state)
{
    static const char *const species[] = {"A", "B", "C"};
    static const reaction table[] = {{"A + B + C = 2 A", 1.5, 0, TIMED}, {"3 B = 0.5 C", 1, 1, UNTIMED},
                                     {"2 A + C = B", 2, 0, TIMED},       {"A + B = C", 0.7, 2, TIMED},
                                     {"= A", 3, 2, TIMED},               {"C =", 1, NO_RATE, TIMED},
                                     {"= B", 2, NO_RATE, UNTIMED},       {"A = B + C", 1, 1, UNTIMED}};
    static const double y0[] = {1, 2, 0.5}, p[] = {1, 0.3, 2};
    static massaction m;
    (void)state;
    for (int csc = 0; csc < 2; csc++) {
        assert_int_equal(massaction_compile(&m, csc ? COSTATE_CSC : COSTATE_DENSE, 3, species, 3, 8, table, wave), 0);
        problem q = {.name = "three reactants", .prob = massaction_problem(&m, species, NULL), .y0 = y0, .p = p, .t1 = 1};
        point size = sizes(&q);
        size.t = 1;
        check_products(&q, &size);
    }
}

/* ---- patterns ----------------------------------------------------------------------------------------------------------- */

/* Rows rise within a column. Every entry is somewhere not zero; that no entry is missing is checked with the products. */
static void patterns(void **state)
{
    const problem *q = *state;
    const costate_problem *c = &q->prob;
    const costate_pattern *pattern = &c->pattern;
    double values[N * N], y[N];
    int used[N * N] = {0};
    point size = sizes(q);
    if (pattern->format != COSTATE_CSC) return;
    assert_int_equal(pattern->colptr[0], 0);
    for (int j = 0; j < c->n; j++)
        for (int e = pattern->colptr[j]; e < pattern->colptr[j + 1]; e++) {
            assert_true(pattern->rowind[e] >= 0 && pattern->rowind[e] < c->n);
            assert_true(e == pattern->colptr[j] || pattern->rowind[e] > pattern->rowind[e - 1]);
        }
    for (int trial = 0; trial < 30; trial++) {
        for (int i = 0; i < c->n; i++) y[i] = size.y[i] * (1 + 0.5 * uniform());
        if (!strcmp(q->name, "shallow_water")) torrents(q, uniform, y);
        double t = q->t0 + (q->t1 - q->t0) * (trial + 0.5) / 30;
        assert_int_equal(c->jac(t, y, q->p, values, c->data), 0);
        for (int e = 0; e < jac_values(c); e++) used[e] |= values[e] != 0;
    }
    for (int e = 0; e < jac_values(c); e++)
        if (!used[e]) fail_msg("%s: entry %d of %d is never used", q->name, e, jac_values(c));
}

/* ---- time --------------------------------------------------------------------------------------------------------------- */

static void autonomy(void **state)
{
    const problem *q = *state;
    const costate_problem *c = &q->prob;
    point size = sizes(q);
    double y[N], f[N], g[N], along[N], one = 1;
    int moves = 0;
    for (int i = 0; i < c->n; i++) y[i] = size.y[i] * (1 + 0.1 * uniform());
    c->rhs(q->t0, y, q->p, f, c->data);
    for (int k = 1; k < 10; k++) {
        double t = q->t0 + (q->t1 - q->t0) * k / 10.3;
        assert_int_equal(c->rhs(t, y, q->p, g, c->data), 0);
        assert_int_equal(c->jvp(t, y, q->p, 1, &one, NULL, NULL, along, c->data), 0);
        for (int i = 0; i < c->n; i++) moves |= g[i] != f[i] || along[i] != 0;
    }
    assert_int_equal(moves, !c->autonomous);
}

/* ---- answers that belong to the right-hand sides ------------------------------------------------------------------------ */

/* f_i, and the size of the terms it is the sum of, where it is linear in p */
static double rate_of(const problem *q, int i, double *size)
{
    double f[N], u[N] = {0}, pb[NP] = {0};
    u[i] = 1;
    q->prob.rhs(q->t1, q->state, q->p, f, q->prob.data);
    q->prob.vjp(q->t1, q->state, q->p, 1, u, NULL, pb, q->prob.data);
    *size = fabs(f[i]);
    for (int k = 0; k < q->prob.np; k++) *size += fabs(q->p[k] * pb[k]);
    return f[i];
}

/* Where f does not depend on t, moving along the trajectory and starting later are the same: dy(t1)/dy(t0) f(y0) = f(y(t1)). */
static void later_start(void **state)
{
    int checked = 0;
    (void)state;
    for (int i = 0; i < stiff_count(); i++) {
        const problem *q = stiff_get(i);
        double f0[N], size, rate, sum = 0, terms = 0;
        if (!q->prob.autonomous || q->prob.objectives || !q->dy0) continue;
        q->prob.rhs(q->t0, q->y0, q->p, f0, q->prob.data);
        rate = rate_of(q, 0, &size);
        for (int k = 0; k < q->prob.n; k++) sum += q->dy0[k] * f0[k], terms += fabs(q->dy0[k] * f0[k]);
        if (!(fabs(sum - rate) <= 2 * q->rtol_ref * terms + 1e-15 * size)) fail_msg("%s: %.17g and %.17g", q->name, sum, rate);
        checked++;
    }
    assert_int_equal(checked, 7); /* robertson, hires, pollu and four of Van der Pol */
}

/* Where f is p times something, all rates faster and a longer time are the same: sum of p_k dy_i(t1)/dp_k = t1 f_i(y(t1)). */
static void faster_rates(void **state)
{
    static const char *const names[] = {"robertson", "hires", "pollu"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const problem *q = stiff_find(names[i]);
        double sum[N] = {0}, terms[N] = {0};
        int seen[N] = {0};
        for (int k = 0; k < q->prob.np && q->dp; k++) {
            sum[0] += q->p[k] * q->dp[k];
            terms[0] += fabs(q->p[k] * q->dp[k]);
            seen[0]++;
        }
        for (int k = 0; k < q->sensitivities; k++) {
            const sensitivity *d = &q->dstate[k];
            if (q->dp && d->state == 0) continue;
            sum[d->state] += q->p[d->param] * d->value;
            terms[d->state] += fabs(q->p[d->param] * d->value);
            seen[d->state]++;
        }
        for (int k = 0; k < q->prob.n; k++) {
            double size, rate = rate_of(q, k, &size) * q->t1;
            if (!seen[k]) continue;
            assert_int_equal(seen[k], q->prob.np);
            if (!(fabs(sum[k] - rate) <= 2 * q->rtol_ref * terms[k] + 1e-15 * q->t1 * size))
                fail_msg("%s, %d: %.17g and %.17g", q->name, k, sum[k], rate);
        }
    }
}

static int state_index(const problem *q, const char *name)
{
    for (int i = 0; i < q->prob.n; i++)
        if (!strcmp(q->prob.state_names[i], name)) return i;
    fail_msg("%s has no %s", q->name, name);
    return -1;
}

/* sum of weights times states: at the end minus at the start */
typedef struct law {
    const char *problem;
    struct {
        double weight;
        const char *state;
    } terms[12];
} law;

static double gained(const law *x, double *size)
{
    const problem *q = stiff_find(x->problem);
    double gain = 0;
    *size = 0;
    for (int k = 0; k < 12 && x->terms[k].state; k++) {
        int i = state_index(q, x->terms[k].state);
        gain += x->terms[k].weight * (q->state[i] - q->y0[i]);
        *size += fabs(x->terms[k].weight * q->state[i]);
    }
    return gain;
}

static void conserved(void **state)
{
    static const law laws[] = {{"robertson", {{1, "A"}, {1, "B"}, {1, "C"}}},
                               {"hires", {{1, "y7"}, {1, "y8"}}},
                               {"pollu", {{1, "NO2"}, {1, "NO"}, {1, "PAN"}, {1, "HNO3"}, {1, "NO3"}, {2, "N2O5"}}},
                               {"pollu", {{1, "SO2"}, {1, "SO4"}}},
                               {"e5", {{1, "y2"}, {-1, "y3"}, {-1, "y4"}}}};
    double size;
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double gain = gained(&laws[i], &size);
        if (!(fabs(gain) <= 1e-15 * size)) fail_msg("%s gains %g of %g", laws[i].problem, gain, size);
    }
    const problem *q = stiff_robertson(); /* dstate is by rows: the sum of a column is zero */
    for (int k = 0; k < 3; k++) {
        const sensitivity *d = q->dstate + k;
        assert_true(fabs(d[0].value + d[3].value + d[6].value) <= 1e-15 * fabs(d[0].value));
    }
}

/* CBM-IV gains the nitrogen that is emitted, but for a few thousandths of a percent that reactions 55, 64, 68, 78 and 81 lose. */
static void nitrogen(void **state)
{
    static const law atoms = {
        .terms = {{1, "NO"}, {1, "NO2"}, {1, "NO3"}, {2, "N2O5"}, {1, "HONO"}, {1, "PNA"}, {1, "HNO3"}, {1, "PAN"}}};
    static const char *const names[] = {"cbm4", "cbm4_rates"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        law x = atoms;
        x.problem = names[i];
        double size, emitted = 2 * 2e3 * stiff_find(names[i])->t1, gain = gained(&x, &size);
        if (!(gain <= emitted && gain >= (1 - 5e-5) * emitted)) fail_msg("%s: %g gained, %g emitted", names[i], gain, emitted);
    }
}

/* Van der Pol ends on the slow manifold, (1 - x^2) v = x but for v'/k. */
static void slow_manifold(void **state)
{
    static const char *const names[] = {"van_der_pol_mu", "van_der_pol_3", "van_der_pol_4", "van_der_pol_5", "van_der_pol_6"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        const problem *q = stiff_find(names[i]);
        double x = q->state[0], v = q->state[1], vdot = q->p[0] * ((1 - x * x) * v - x);
        assert_true(vdot < 0 && vdot > -3);
    }
}

/* ---- answers that an explicit method can afford to find, on the model files ---------------------------------------------- */

static const double found = 1e-8; /* with a relative tolerance of 1e-11, relative to the largest number of a kind */

static costate_solver *solve(const problem *q, double *y)
{
    costate_options o = costate_defaults("dopri853");
    costate_solver *s = NULL;
    o.rtol = 1e-11, o.atol = 1e-13;
    assert_int_equal(costate_create(&s, &q->prob, &o), 0);
    for (int i = 0; i < q->prob.n; i++) y[i] = q->y0 ? q->y0[i] : 0;
    int status = costate_solve(s, q->t0, q->t1, q->p, y);
    if (status) fail_msg("%s: %s", q->name, costate_message(s));
    return s;
}

static void near(const problem *q, const char *what, const double *a, const double *b, int count)
{
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(b[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= found * size)) fail_msg("%s, %s %d: %.17g and %.17g", q->name, what, i, a[i], b[i]);
}

/* The final state, and its derivatives */
static void final_state(const problem *q)
{
    int n = q->prob.n, np = q->prob.np;
    double y[N], lambda[N * N] = {0}, mu[NP * N];
    costate_solver *s = solve(q, y);
    near(q, "state", y, q->state, n);
    for (int i = 0; i < n; i++) lambda[i * n + i] = 1;
    assert_int_equal(costate_adjoint(s, n, lambda, mu), 0);
    for (int k = 0; k < n; k++) y[k] = lambda[k * n];
    if (q->dy0) near(q, "dy0", y, q->dy0, n);
    for (int k = 0; k < np; k++) y[k] = mu[k * n];
    if (q->dp) near(q, "dp", y, q->dp, np);
    for (int k = 0; k < q->sensitivities; k++) {
        const sensitivity *d = &q->dstate[k];
        double scale = fmax(fabs(d->value), 1e-6), got = mu[d->param * n + d->state];
        if (!(fabs(got - d->value) <= found * scale)) fail_msg("%s, dstate %d: %.17g and %.17g", q->name, k, got, d->value);
    }
    costate_free(s);
}

static void explicitly(void **state)
{
    problem *heat[] = {heat_diffusivity(8), heat_two_modes(7)};
    generated all[] = {generate(stiff_hires(), NULL), generate(stiff_van_der_pol_mu(), NULL), generate(heat[0], "M=8"),
                       generate(heat[1], "M=7")};
    (void)state;
    for (int i = 0; i < 4; i++) {
        final_state(&all[i].q);
        costate_model_close(all[i].model);
    }
    problem_free(heat[0]), problem_free(heat[1]);
}

/* Both objectives of the heat equation with many parameters, with gradients and Hessians */
static void many_parameters(void **state)
{
    problem *hand = heat_many_parameters(6);
    generated heat = generate(hand, "M=6");
    const problem *q = &heat.q;
    int n = q->prob.n, np = q->prob.np;
    double y[N], psi[2], dy0[2 * N], dp[2 * NP], hy0[N], hp[NP], sum[NP];
    (void)state;
    assert_true(n <= N && np <= NP);
    costate_solver *s = solve(q, y);
    assert_int_equal(costate_objectives(s, psi), 0);
    near(q, "psi", psi, q->psi, 2);
    assert_int_equal(costate_gradient(s, 2, NULL, dy0, dp), 0);
    near(q, "dps", dp, q->dps, 2 * np);
    assert_int_equal(costate_hessian(s, 1, NULL, NULL, q->direction, hy0, hp), 0);
    for (int i = 0; i < np; i++) sum[i] = q->hps[2 * i] + q->hps[2 * i + 1];
    near(q, "hps", hp, sum, np);
    assert_int_equal(costate_hessian(s, 1, (double[]){1, 0}, NULL, q->direction, hy0, hp), 0);
    near(q, "hp", hp, q->hp, np);
    costate_free(s);
    costate_model_close(heat.model);
    problem_free(hand);
}

/* Where only some components of a long state are known, and their derivatives with respect to parameters */
static void sampled(problem *hand, const char *size, const char *method)
{
    generated g = generate(hand, size);
    const problem *q = &g.q;
    int np = q->prob.np;
    size_t n = (size_t)q->prob.n;
    double *y = malloc(n * (size_t)(1 + np) * sizeof *y), *ydot = y + n, pdot[16] = {0}, got[64], known[64];
    costate_options o = costate_defaults(method);
    costate_solver *s = NULL;
    assert_true(np <= 4 && q->samples > 0 && q->samples <= 64 && q->sensitivities == np * q->samples && q->sensitivities <= 64);
    o.rtol = 1e-11, o.atol = 1e-13, o.record = 0;
    assert_int_equal(costate_create(&s, &q->prob, &o), 0);
    memcpy(y, q->y0, n * sizeof *y);
    memset(ydot, 0, n * (size_t)np * sizeof *ydot);
    for (int k = 0; k < np; k++) pdot[k * np + k] = 1;
    int status = costate_tangent(s, q->t0, q->t1, q->p, y, np, ydot, pdot);
    if (status) fail_msg("%s: %s", q->name, costate_message(s));
    for (int i = 0; i < q->samples; i++) got[i] = y[q->sampled[i]];
    near(q, "sample", got, q->sample, q->samples);
    for (int i = 0; i < q->sensitivities; i++) {
        got[i] = ydot[q->dstate[i].state * np + q->dstate[i].param];
        known[i] = q->dstate[i].value;
    }
    near(q, "dstate", got, known, q->sensitivities);
    costate_free(s);
    free(y);
    costate_model_close(g.model);
    problem_free(hand);
}

static void samples(void **state)
{
    (void)state;
    sampled(shallow_water(40), "M=40", "dopri853");
    sampled(brusselator_1d(500), "N=500", "radau2a");
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static void tables_with_mistakes(void **state)
{
    static const char *const species[] = {"A", "B"};
    static const reaction wrong_ones[] = {REACTION("A = C", 0),     REACTION("A B", 0),       REACTION("A = B = A", 0),
                                          REACTION("4 A = B", 0),   REACTION("0.5 A = B", 0), REACTION("A - B = A", 0),
                                          REACTION("A = B", 1),     {"A = B", 1, 0, TIMED}};
    static const reaction right = {"2 A + B = 0.5 B - 3 A", 1, 0, UNTIMED};
    static massaction m;
    (void)state;
    for (size_t i = 0; i < sizeof wrong_ones / sizeof *wrong_ones; i++)
        assert_int_equal(massaction_compile(&m, COSTATE_CSC, 2, species, 1, 1, &wrong_ones[i], NULL), -1);
    assert_int_equal(massaction_compile(&m, COSTATE_CSC, 2, species, 1, 1, &right, NULL), 0);
    costate_problem c = massaction_problem(&m, species, NULL);
    double y[] = {2, 3}, p[] = {7}, f[2], rate = 7 * 2 * 2 * 3;
    assert_int_equal(c.rhs(0, y, p, f, c.data), 0);
    assert_true(f[0] == -5 * rate && f[1] == -0.5 * rate);
}

/* Outside the domain: a smaller step is asked for. */
static void left_the_domain(void **state)
{
    (void)state;
    problem *water = shallow_water(5);
    const problem *ring = stiff_ring_modulator();
    double y[N], f[N];
    memcpy(y, water->y0, sizeof(double) * (size_t)water->prob.n);
    y[3 * 7] = -1;
    assert_int_equal(water->prob.rhs(0, y, water->p, f, water->prob.data), 1);
    problem_free(water);
    memset(y, 0, sizeof y);
    y[6] = 100;
    assert_int_equal(ring->prob.rhs(0, y, ring->p, f, NULL), 1);
}

static void found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < stiff_count(); i++) assert_ptr_equal(stiff_find(stiff_get(i)->name), stiff_get(i));
    assert_null(stiff_get(-1));
    assert_null(stiff_get(stiff_count()));
    assert_null(stiff_find("no such problem"));
    assert_null(brusselator_1d(1));
    assert_null(brusselator_2d(2));
    assert_null(heat_diffusivity(2));
    assert_null(heat_two_modes(2));
    assert_null(heat_many_parameters(0));
    assert_null(shallow_water(4));
    problem_free(NULL);
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

int main(void)
{
    problem *sized[] = {brusselator_1d(5),  brusselator_2d(4),        heat_diffusivity(6),
                        heat_two_modes(5), heat_many_parameters(4), shallow_water(5)};
    int fixed = stiff_count(), made = sizeof sized / sizeof *sized, count = 0;
    struct CMUnitTest tests[3 * (fixed + made) + 20];
    static char names[3][64][48];
    static const struct {
        const char *what;
        CMUnitTestFunction run;
    } each[] = {{"products", products}, {"pattern", patterns}, {"autonomy", autonomy}};
    for (int i = 0; i < fixed + made; i++) {
        const problem *q = i < fixed ? stiff_get(i) : sized[i - fixed];
        for (int k = 0; k < 3; k++) {
            snprintf(names[k][i], sizeof names[k][i], "%s, %s", q->name, each[k].what);
            tests[count++] = (struct CMUnitTest){names[k][i], each[k].run, NULL, NULL, (void *)q};
        }
    }
    const struct CMUnitTest others[] = {
        cmocka_unit_test(products_upstream), cmocka_unit_test(products_of_three), cmocka_unit_test(later_start),
        cmocka_unit_test(faster_rates),      cmocka_unit_test(conserved),         cmocka_unit_test(nitrogen),
        cmocka_unit_test(slow_manifold),     cmocka_unit_test(explicitly),        cmocka_unit_test(many_parameters),
        cmocka_unit_test(samples),           cmocka_unit_test(tables_with_mistakes), cmocka_unit_test(left_the_domain),
        cmocka_unit_test(found_by_name),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) tests[count++] = others[i];
    int failed = _cmocka_run_group_tests("stiff problems", tests, (size_t)count, NULL, NULL);
    for (int i = 0; i < made; i++) problem_free(sized[i]);
    return failed;
}
