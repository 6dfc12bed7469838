/* adams.h - a family made up for the tests: Adams-Bashforth with variable steps, of order 1 or 2, chosen with the step size.
 *
 *     state   [ y | g, q | h' ]     g, q: f and the running integrands at the step before (history: live); h': its size (frozen)
 *
 *     y+ = y + h (a f + b g),   g+ = f,   q+ = r,   h'+ = h,   psi += h (a r + b q)       f, r at (t, y)
 *
 * with b = 0 in order 1 and b = -h/(2 h') in order 2, a = 1 - b. At t0 there is no step before: g = f(t0, y0), q = r(t0, y0), and
 * b = -1/2. The first step is taken with order 2 all the same, so that the history's derivatives at t0 count. The order of a step
 * is its note.
 *
 * Transposed, for lambda = (ly, lg, lq):   u = h a ly + lg,   v = h a omega + lq,
 *     ly <- ly + f_y^T u + r_y^T v,   lg <- h b ly,   lq <- h b omega,   mu += f_p^T u + r_p^T v */
#ifndef COSTATE_TESTS_ADAMS_H
#define COSTATE_TESTS_ADAMS_H

#include "base/kernels.h"
#include "method/method.h"

#include <math.h>

typedef struct adams {
    int order;     /* of the next attempt */
    double err[3]; /* of the last one, for both orders */
} adams;

typedef struct adams_weights {
    double a, b; /* times h */
} adams_weights;

static inline size_t adams_goals(const costate_solver *s)
{
    return s->d.running.fn.eval ? (size_t)s->nobj : 0;
}

static inline adams_weights adams_weigh(const costate_solver *s, const step *st, int order)
{
    double before = st->y[s->live], b = order == 1 ? 0 : before == 0 ? -0.5 : -0.5 * st->h / before;
    return (adams_weights){.a = st->h * (1 - b), .b = st->h * b};
}

/* ---- sizes ------------------------------------------------------------------------------------------------------------- */

static int adams_open(costate_solver *s)
{
    s->method = cst__alloc(&s->alloc, 1, sizeof(adams));
    return s->method ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "adams");
}

static void adams_close(costate_solver *s)
{
    cst__release(&s->alloc, s->method);
    s->method = NULL;
}

static size_t adams_history_doubles(const costate_solver *s)
{
    return (size_t)s->prob.n + adams_goals(s);
}

static size_t adams_one(const costate_solver *s)
{
    (void)s;
    return 1;
}

/* Seeds u, v and their derivatives. */
static size_t adams_work(const costate_solver *s)
{
    return 2 * adams_history_doubles(s);
}

static int adams_points(const costate_solver *s)
{
    (void)s;
    return 1;
}

static void adams_start(costate_solver *s, int fresh)
{
    adams *m = s->method;
    (void)fresh;
    m->order = 2;
}

/* ---- f and r at a point: [ f | r ], along directions, transposed ------------------------------------------------------- */

static int adams_slopes(costate_solver *s, double t, const double *y, double *out)
{
    const deriv_function *r = &s->d.running;
    TRY(deriv_rhs(&s->d, t, y, s->p, out));
    return adams_goals(s) ? cst__of(s, "running", r->fn.eval(0, t, y, s->p, out + s->prob.n, r->data)) : 0;
}

static int adams_slopes_along(costate_solver *s, double t, const double *y, int w, const double *ydot, const double *pdot,
                              double *out)
{
    const deriv_function *r = &s->d.running;
    TRY(deriv_jvp(&s->d, t, y, s->p, w, NULL, ydot, pdot, out));
    if (!adams_goals(s)) return 0;
    return cst__of(s, "running's jvp", r->fn.jvp(0, t, y, s->p, w, NULL, ydot, pdot, out + s->prob.n * w, r->data));
}

/* ly += f_y^T u + r_y^T v with uv = [ u | v ], and mu; second order along (ydot, pdot), with uv_dot. */
static int adams_transposed(costate_solver *s, double t, const double *y, const double *ydot, const double *uv,
                            const double *uv_dot, ablock *b)
{
    const deriv_function *r = &s->d.running;
    const double *v = uv + s->prob.n * b->w;
    if (!b->lambda_dot) {
        TRY(deriv_vjp(&s->d, t, y, s->p, b->w, uv, b->lambda, b->mu));
        return adams_goals(s) ? r->fn.vjp(0, t, y, s->p, b->w, v, b->lambda, b->mu, r->data) : 0;
    }
    TRY(deriv_vjp_dot(&s->d, t, y, s->p, b->w, NULL, ydot, b->pdot, uv, uv_dot, b->lambda, b->lambda_dot, b->mu, b->mu_dot));
    if (!adams_goals(s)) return 0;
    return r->fn.vjp_dot(0, t, y, s->p, b->w, NULL, ydot, b->pdot, v, uv_dot + s->prob.n * b->w, b->lambda, b->lambda_dot, b->mu,
                         b->mu_dot, r->data);
}

/* ---- the history at t0: slopes there ----------------------------------------------------------------------------------- */

static int adams_history(costate_solver *s, double *y)
{
    return adams_slopes(s, s->t0, y, y + s->prob.n);
}

static int adams_history_tangent(costate_solver *s, const double *y, dblock *d)
{
    return adams_slopes_along(s, s->t0, y, d->w, d->ydot, d->pdot, d->ydot + s->prob.n * d->w);
}

static int adams_history_adjoint(costate_solver *s, const double *y, const double *ydot, ablock *b)
{
    size_t at = (size_t)(s->prob.n * b->w);
    return adams_transposed(s, s->t0, y, ydot, b->lambda + at, b->lambda_dot ? b->lambda_dot + at : NULL, b);
}

/* ---- the step ---------------------------------------------------------------------------------------------------------- */

/* out = [ y | ] + a f + b g for the rows of y; the rest of the live part of out = slopes. */
static void adams_advance(size_t n, size_t history, adams_weights c, const double *live, const double *slopes, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = live[i] + c.a * slopes[i] + c.b * live[n + i];
    memcpy(out + n, slopes, history * sizeof *out);
}

/* Order k against the trapezoidal rule: e = y_k - y - h/2 (f + f+). */
static double adams_error(const costate_solver *s, const step *st, int order, const double *y)
{
    size_t n = (size_t)s->prob.n;
    adams_weights c = adams_weigh(s, st, order);
    const double *v[] = {st->stages, st->y + n, s->fnew}, weight[] = {c.a - st->h / 2, c.b, -st->h / 2};
    return cst__error_norm(n, 3, weight, v, st->y, y, s->opt.rtol, s->atol, NULL);
}

static int adams_step(costate_solver *s, const step *st, double *err)
{
    adams *m = s->method;
    int order = st->note < 0 ? m->order : st->note;
    TRY(adams_slopes(s, st->t, st->y, st->stages));
    s->note = order;
    if (!st->ynew) return 0;
    adams_advance((size_t)s->prob.n, s->live - (size_t)s->prob.n, adams_weigh(s, st, order), st->y, st->stages, st->ynew);
    st->ynew[s->live] = st->h;
    if (!err) return 0;
    TRY(deriv_rhs(&s->d, st->tn, st->ynew, s->p, s->fnew));
    for (int k = 1; k <= 2; k++) m->err[k] = adams_error(s, st, k, st->ynew);
    *err = m->err[order];
    return 0;
}

/* The order that allows the larger step; order 1 after two failures. */
static double adams_settle(costate_solver *s, const step *st, const outcome *o, control *c)
{
    adams *m = s->method;
    outcome chosen = *o;
    if (!isnan(o->err)) {
        m->order = o->failures < 2 && pow(m->err[2], 1.0 / 3) < pow(m->err[1], 1.0 / 2) ? 2 : 1;
        if (m->err[s->note] == o->err) chosen.err = m->err[m->order]; /* else the directions' error rules */
        if (!o->accepted && chosen.err < 1) chosen.err = 1;
    }
    c->k = m->order + 1;
    return cst__control_size(c, st->h, &chosen);
}

static int adams_culprit(costate_solver *s, const step *st, int *stage, int *component)
{
    *stage = 0;
    return cst__first_not_finite((size_t)s->prob.n, st->stages, component);
}

static int adams_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    size_t w = (size_t)d->w, nw = (size_t)s->prob.n * w;
    TRY(adams_slopes_along(s, st->t, st->y, d->w, d->ydot, d->pdot, d->stages));
    if (d->ydotnew) adams_advance(nw, s->live * w - nw, adams_weigh(s, st, st->note), d->ydot, d->stages, d->ydotnew);
    if (err) *err = 0;
    return 0;
}

static int adams_running(costate_solver *s, const step *st, double *psi)
{
    adams_weights c = adams_weigh(s, st, st->note);
    const double *r = st->stages + s->prob.n, *q = st->y + 2 * s->prob.n;
    for (int o = 0; o < s->nobj; o++) psi[o] += c.a * r[o] + c.b * q[o];
    return 0;
}

static int adams_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    adams_weights c = adams_weigh(s, st, st->note);
    const double *r = d->stages + s->prob.n * d->w, *q = d->ydot + 2 * s->prob.n * d->w;
    for (int o = 0; o < s->nobj * d->w; o++) d->qdot[o] += c.a * r[o] + c.b * q[o];
    return 0;
}

/* y(t + theta h) = y + theta h f + b theta^2 h (g - f), b as in the step: it ends at ynew. */
static int adams_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    double b = adams_weigh(s, st, st->note).b * theta * theta, a = st->h * theta - b;
    size_t count = (size_t)(s->prob.n * (d ? d->w : 1));
    const double *live = d ? d->ydot : st->y, *slope = d ? d->stages : st->stages;
    double *out = d ? ydot : y;
    (void)first;
    for (size_t i = 0; i < count; i++) out[i] = live[i] + a * slope[i] + b * live[count + i];
    return 0;
}

/* ---- transposed -------------------------------------------------------------------------------------------------------- */

/* uv = [ a ly + lg | a omega + lq ], and then the history's part of lambda = [ b ly | b omega ]; omega NULL: zero. */
static void adams_seeds(const costate_solver *s, adams_weights c, int w, double *lambda, const double *omega, double *uv)
{
    size_t nw = (size_t)(s->prob.n * w), qw = adams_goals(s) * (size_t)w;
    for (size_t i = 0; i < nw + qw; i++) {
        double l = i < nw ? lambda[i] : omega ? omega[i - nw] : 0;
        uv[i] = c.a * l + lambda[nw + i];
        lambda[nw + i] = c.b * l;
    }
}

static int adams_back(costate_solver *s, const step *st, const double *ydot, ablock *b)
{
    adams_weights c = adams_weigh(s, st, st->note);
    double *uv = b->work, *uv_dot = uv + adams_history_doubles(s) * (size_t)b->w;
    adams_seeds(s, c, b->w, b->lambda, b->omega, uv);
    if (b->lambda_dot) adams_seeds(s, c, b->w, b->lambda_dot, NULL, uv_dot);
    return adams_transposed(s, st->t, st->y, ydot, uv, uv_dot, b);
}

static int adams_adjoint(costate_solver *s, const step *st, ablock *b)
{
    return adams_back(s, st, NULL, b);
}

static int adams_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    (void)dstages;
    return adams_back(s, st, ydot, b);
}

static const family adams_family = {
    .id = COSTATE_ERK,
    .open = adams_open,
    .close = adams_close,
    .history_doubles = adams_history_doubles,
    .carry_doubles = adams_one,
    .stage_doubles = adams_history_doubles,
    .tangent_doubles = adams_one,
    .adjoint_doubles = adams_work,
    .points = adams_points,
    .history = adams_history,
    .history_tangent = adams_history_tangent,
    .history_adjoint = adams_history_adjoint,
    .start = adams_start,
    .step = adams_step,
    .settle = adams_settle,
    .culprit = adams_culprit,
    .running = adams_running,
    .dense = adams_dense,
    .tangent = adams_tangent,
    .running_tangent = adams_running_tangent,
    .adjoint = adams_adjoint,
    .second = adams_second,
};

#endif
