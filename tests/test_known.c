/* test_known.c - what the problems say is known about them: references, exact solutions and gradients, conserved objectives and
 * data. The judge is an integration of its own, of order 8 with many fixed steps: of the state, of its derivatives with respect
 * to all initial values and parameters, and of their derivatives along one direction,
 *
 *     y' = f,   S' = f_y S + f_z,   T' = f_y T + f''((s, z'), (S, I)),   s = S z',   z = (y0, p),
 *
 * which uses jvp and jvp2 only, as costate diff makes them of the problems' files. */
#include "generated.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 40, NP = 11, M = N + NP, OBJECTIVES = 3, STEPS = 400 };

/* n x m blocks, m = n + np lanes: those of y0, then those of p. */
typedef struct extended {
    double y[N], S[N * M], s[N], T[N * M];
    double q[OBJECTIVES], Q[OBJECTIVES * M]; /* the objectives so far and their gradients */
} extended;

enum { EXTENDED = sizeof(extended) / sizeof(double) };

typedef struct run {
    const problem *q;
    const double *p, *direction; /* np; direction NULL: first order only */
    int n, np, m, nobj;
    double pdot[NP * M], sdot[NP * M]; /* lanes of p: unit vectors; the direction in every lane */
} run;

/* Adds one function's value and its derivatives along S to the objectives. */
static void add_objective(const run *r, const costate_function *f, int k, double t, const extended *x, extended *to)
{
    double g[OBJECTIVES], gdot[OBJECTIVES * M];
    if (!f->eval) return;
    assert_int_equal(f->eval(k, t, x->y, r->p, g, r->q->prob.data), 0);
    assert_int_equal(f->jvp(k, t, x->y, r->p, r->m, NULL, x->S, r->pdot, gdot, r->q->prob.data), 0);
    for (int j = 0; j < r->nobj; j++) to->q[j] += g[j];
    for (int j = 0; j < r->nobj * r->m; j++) to->Q[j] += gdot[j];
}

static void derivative(const run *r, double t, const extended *x, extended *f)
{
    const costate_problem *c = &r->q->prob;
    int n = r->n, m = r->m;
    memset(f, 0, sizeof *f);
    assert_int_equal(c->rhs(t, x->y, r->p, f->y, c->data), 0);
    assert_int_equal(c->jvp(t, x->y, r->p, m, NULL, x->S, r->pdot, f->S, c->data), 0);
    add_objective(r, &c->running, 0, t, x, f);
    if (!r->direction) return;
    double along[N * M], second[N * M];
    for (int i = 0; i < n * m; i++) along[i] = x->s[i / m];
    assert_int_equal(c->jvp(t, x->y, r->p, 1, NULL, x->s, r->direction, f->s, c->data), 0);
    assert_int_equal(c->jvp(t, x->y, r->p, m, NULL, x->T, NULL, f->T, c->data), 0);
    assert_int_equal(c->jvp2(t, x->y, r->p, m, NULL, along, r->sdot, NULL, x->S, r->pdot, second, c->data), 0);
    for (int i = 0; i < n * m; i++) f->T[i] += second[i];
}

static void axpy(double a, const extended *x, extended *y)
{
    const double *from = (const double *)x;
    double *to = (double *)y;
    for (int i = 0; i < EXTENDED; i++) to[i] += a * from[i];
}

static void step(const run *r, double t, double h, extended *x)
{
    static extended k[12];
    const costate_table *rk = costate_method_find("dopri853");
    int s = rk->stages;
    for (int i = 0; i < s; i++) {
        double c = 0;
        extended z = *x;
        for (int j = 0; j < i; j++) {
            c += rk->a[i * s + j];
            if (rk->a[i * s + j] != 0) axpy(h * rk->a[i * s + j], &k[j], &z);
        }
        derivative(r, t + c * h, &z, &k[i]);
    }
    for (int i = 0; i < s; i++) axpy(h * rk->b[i], &k[i], x);
}

/* From t to `to` in steps that add up to STEPS over the whole interval. */
static void advance(const run *r, double t, double to, extended *x)
{
    int steps = (int)ceil(STEPS * fabs((to - t) / (r->q->t1 - r->q->t0)));
    for (int i = 0; i < steps; i++) step(r, t + i * (to - t) / steps, (to - t) / steps, x);
}

static void start(run *r, const problem *q, const double *p, const double *direction, extended *x)
{
    const costate_problem *c = &q->prob;
    *r = (run){.q = q, .p = p, .direction = direction, .n = c->n, .np = c->np, .m = c->n + c->np, .nobj = c->objectives};
    assert_true(r->n <= N && r->np <= NP && r->nobj <= OBJECTIVES);
    memset(x, 0, sizeof *x);
    for (int i = 0; i < r->np; i++) {
        r->pdot[i * r->m + r->n + i] = 1;
        for (int l = 0; l < r->m; l++) r->sdot[i * r->m + l] = direction ? direction[i] : 0;
    }
    if (c->init.eval) {
        assert_int_equal(c->init.eval(0, q->t0, NULL, p, x->y, c->data), 0);
        assert_int_equal(c->init.jvp(0, q->t0, NULL, p, r->m, NULL, NULL, r->pdot, x->S, c->data), 0);
    } else {
        memcpy(x->y, q->y0, sizeof(double) * (size_t)r->n);
    }
    for (int i = 0; i < r->n; i++) x->S[i * r->m + i] += 1;
}

static void finish(const run *r, extended *x)
{
    const problem *q = r->q;
    const costate_problem *c = &q->prob;
    double t = q->t0;
    for (int k = 0; k < c->observations; k++) {
        advance(r, t, c->observe_at[k], x);
        t = c->observe_at[k];
        add_objective(r, &c->observe, k, t, x, x);
    }
    advance(r, t, q->t1, x);
    add_objective(r, &c->terminal, 0, q->t1, x, x);
}

static void close_to(const char *what, const double *x, int stride, const double *known, int known_stride, int count, double tol)
{
    double scale = 0;
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs(known[i * known_stride]));
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i * stride] - known[i * known_stride]) <= tol * scale))
            fail_msg("%s[%d]: %.17g is known to be %.17g", what, i, x[i * stride], known[i * known_stride]);
}

/* ---- references ---------------------------------------------------------------------------------------------------------- */

static void references(void **state)
{
    const problem *q = *state;
    static run r;
    static extended x, x0;
    start(&r, q, q->p, q->direction, &x);
    x0 = x;
    add_objective(&r, &q->prob.terminal, 0, q->t0, &x0, &x0);
    finish(&r, &x);
    for (int j = 0; j < r.nobj; j++) {
        if (!(q->conserved >> j & 1)) continue;
        close_to("conserved psi", x.q + j, 1, x0.q + j, 1, 1, 1e-12);
        close_to("gradient of what is conserved", x.Q + j * r.m, 1, x0.Q + j * r.m, 1, r.m, 1e-12);
    }
    if (q->state) close_to("state", x.y, 1, q->state, 1, r.n, q->rtol_ref);
    if (q->psi) close_to("psi", x.q, 1, q->psi, 1, r.nobj, q->rtol_ref);
    if (q->dy0) close_to("dy0", x.Q, 1, q->dy0, 1, r.n, q->rtol_ref);
    if (q->dp) close_to("dp", x.Q + r.n, 1, q->dp, 1, r.np, q->rtol_ref);
    if (q->exact) {
        double y[N];
        q->exact(q->t1, q->y0, q->p, y);
        close_to("exact", x.y, 1, y, 1, r.n, 1e-12);
    }
    if (q->exact_gradient) {
        double psi[OBJECTIVES], dy0[N * OBJECTIVES], dp[NP * OBJECTIVES];
        q->exact_gradient(q->y0, q->p, psi, dy0, dp);
        close_to("exact psi", x.q, 1, psi, 1, r.nobj, 1e-12);
        for (int j = 0; j < r.nobj; j++) {
            close_to("exact dy0", x.Q + j * r.m, 1, dy0 + j, r.nobj, r.n, 1e-12);
            close_to("exact dp", x.Q + j * r.m + r.n, 1, dp + j, r.nobj, r.np, 1e-12);
        }
    }
    if (q->hp) {
        /* Their objective is linear in the final state, so that T is all there is to the second derivative. */
        double hessian[OBJECTIVES * M];
        const costate_problem *c = &q->prob;
        assert_int_equal(c->terminal.jvp(0, q->t1, x.y, q->p, r.m, NULL, x.T, NULL, hessian, c->data), 0);
        close_to("hp", hessian + r.n, 1, q->hp, 1, r.np, q->rtol_ref);
    }
}

static void data_have_their_origin(void **state)
{
    const problem *q = *state;
    static run r;
    static extended x;
    start(&r, q, q->best, NULL, &x);
    finish(&r, &x);
    assert_true(x.q[0] <= q->best_psi);
}

/* ---- what is conserved --------------------------------------------------------------------------------------------------- */

static double uniform(void) /* in (-1, 1) */
{
    static uint64_t state = 42;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* d/dt terminal_j(t, y(t), p) + running_j = 0 anywhere, and observations have no part in it. */
static void conserved(void **state)
{
    const problem *q = *state;
    const costate_problem *c = &q->prob;
    for (int trial = 0; trial < 10; trial++) {
        double t = q->t0 + trial * (q->t1 - q->t0) / 10, one = 1, y[N], p[NP], f[N], g[OBJECTIVES], rest[OBJECTIVES] = {0};
        for (int i = 0; i < c->np; i++) p[i] = q->p[i] * (1 + 0.1 * uniform());
        for (int i = 0; i < c->n; i++) y[i] = 1 + 0.5 * uniform();
        assert_int_equal(c->rhs(t, y, p, f, c->data), 0);
        assert_int_equal(c->terminal.jvp(0, t, y, p, 1, &one, f, NULL, g, c->data), 0);
        if (c->running.eval) assert_int_equal(c->running.eval(0, t, y, p, rest, c->data), 0);
        for (int j = 0; j < c->objectives; j++)
            if (q->conserved >> j & 1) assert_true(fabs(g[j] + rest[j]) < 1e-13);
        for (int k = 0; k < c->observations; k++) {
            assert_int_equal(c->observe.eval(k, t, y, p, g, c->data), 0);
            for (int j = 0; j < c->objectives; j++)
                if (q->conserved >> j & 1) assert_true(g[j] == 0);
        }
    }
}

int main(void)
{
    int count = 0;
    generated all[problem_count()];
    struct CMUnitTest tests[3 * problem_count()];
    char names[3 * problem_count()][64];
    for (int i = 0; i < problem_count(); i++) {
        all[i] = generate(problem_get(i), NULL);
        const problem *q = &all[i].q;
        const struct {
            const char *what;
            CMUnitTestFunction test;
            int applies;
        } kinds[] = {{"known", references, 1},
                     {"conserved", conserved, q->conserved != 0},
                     {"data", data_have_their_origin, q->best != NULL}};
        for (int k = 0; k < 3; k++) {
            if (!kinds[k].applies) continue;
            snprintf(names[count], sizeof *names, "%s: %s", q->name, kinds[k].what);
            tests[count] = (struct CMUnitTest){names[count], kinds[k].test, NULL, NULL, (void *)q};
            count++;
        }
    }
    int failed = _cmocka_run_group_tests("known", tests, (size_t)count, NULL, NULL);
    for (int i = 0; i < problem_count(); i++) costate_model_close(all[i].model);
    return failed;
}
