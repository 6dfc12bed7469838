/* dae.h - differential-algebraic problems of problems/: opened and run, and the orders in which what is computed of them by steps
 * of equal sizes converges. */
#ifndef DAE_H
#define DAE_H

#include "generated.h"
#include "support.h"

#include <math.h>

enum { MOST = 16, NP = 4 };

typedef struct subject {
    costate_model *model;
    const costate_problem *prob;
    costate_model_info about;
} subject;

static inline subject subject_open(const char *name, const char *define)
{
    subject q = {.model = generated_model(name, define)};
    q.prob = costate_model_problem(q.model);
    q.about = costate_model_about(q.model);
    return q;
}

static inline costate_options options_of(const char *method, double rtol, double atol)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = atol;
    o.max_steps = 1000000;
    return o;
}

static inline void solve(costate_solver *s, const subject *q, double *y)
{
    memcpy(y, q->about.y0, (size_t)q->prob->n * sizeof *y);
    assert_ok(s, costate_solve(s, q->about.t0, q->about.t1, q->about.p, y));
}

/* ---- orders ------------------------------------------------------------------------------------------------------------ */

enum { VALUE, GRADIENT, TANGENT, PRODUCT, KINDS };

static const double along[NP] = {0.6, -0.8, 0.3, 0.1};

/* Of up to two objectives: values, derivatives by the parameters and along a direction, a Hessian times it. steps 0: by rtol. */
static inline void results(const subject *q, const char *method, int steps, double rtol, double r[2][KINDS][NP])
{
    costate_options o = options_of(method, rtol, rtol);
    o.step = steps ? q->about.t1 / steps : 0;
    o.tangent_solve = o.adjoint_solve = "direct";
    costate_solver *s = make_solver(q->prob, &o);
    const int np = q->prob->np, m = q->prob->objectives;
    double y[MOST], psi[2], dp[2 * NP], psidot[2], dy0[2 * MOST], ydot[MOST] = {0};
    memset(r, 0, 2 * sizeof *r);
    memcpy(y, q->about.y0, (size_t)q->prob->n * sizeof *y);
    assert_ok(s, costate_tangent(s, q->about.t0, q->about.t1, q->about.p, y, 1, ydot, along));
    assert_ok(s, costate_objectives_dot(s, psidot));
    assert_ok(s, costate_objectives(s, psi));
    assert_ok(s, costate_gradient(s, m, NULL, dy0, dp));
    for (int k = 0; k < m; k++) {
        const double weights[2] = {!k, k};
        r[k][VALUE][0] = psi[k];
        r[k][TANGENT][0] = psidot[k];
        for (int i = 0; i < np; i++) r[k][GRADIENT][i] = dp[m * i + k];
        assert_ok(s, costate_hessian(s, 1, weights, NULL, along, dy0, r[k][PRODUCT]));
    }
    costate_free(s);
}

static inline double off_by(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < NP; i++) sum = hypot(sum, a[i] - b[i]);
    return sum;
}

/* a and b by sizes of this ratio; without: a kind that is not there, or -1. */
static inline void compare_orders(const char *who, double a[2][KINDS][NP], double b[2][KINDS][NP], double exact[2][KINDS][NP],
                                  int objectives, int without, const double *order, double ratio)
{
    static const char *const kinds[] = {"value", "gradient", "tangent", "Hessian product"};
    for (int k = 0; k < objectives; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (kind == without) continue;
            const double coarse = off_by(a[k][kind], exact[k][kind]), fine = off_by(b[k][kind], exact[k][kind]);
            const double found = log(coarse / fine) / log(ratio);
            if (!(fabs(found - order[k]) <= 0.25))
                fail_msg("%s, objective %d, %s: order %.2f instead of %g (%g, %g)", who, k, kinds[kind], found, order[k], coarse,
                         fine);
        }
}

/* By `steps` steps, and by twice as many. */
static inline void orders_of(const subject *q, const char *method, int steps, const double *order, double exact[2][KINDS][NP])
{
    double coarse[2][KINDS][NP], fine[2][KINDS][NP];
    results(q, method, steps, 1e-6, coarse);
    results(q, method, 2 * steps, 1e-6, fine);
    compare_orders(method, coarse, fine, exact, q->prob->objectives, -1, order, 2);
}

#endif
