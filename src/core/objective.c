/* objective.c - see objective.h */
#include "core/objective.h"

#include "core/events.h"

static int value(costate_solver *s, const deriv_function *g, int k, double t, const double *y, double *psi)
{
    TRY(g->fn.eval(k, t, y, s->p, s->psi_row, g->data));
    for (int o = 0; o < s->nobj; o++) psi[o] += s->psi_row[o];
    return 0;
}

static int slope(costate_solver *s, const deriv_function *g, int k, double t, const double *y, dblock *d,
                 const double *tdot, const double *ydot)
{
    TRY(g->fn.jvp(k, t, y, s->p, d->w, tdot, ydot, d->pdot, d->qrow, g->data));
    for (int o = 0; o < s->nobj * d->w; o++) d->qdot[o] += d->qrow[o];
    return 0;
}

static int seed(costate_solver *s, const deriv_function *g, int k, double t, const double *y,
                const double *tdot, const double *ydot, ablock *b)
{
    if (!b->lambda_dot) return g->fn.vjp(k, t, y, s->p, b->w, b->omega, b->lambda, b->mu, g->data);
    return g->fn.vjp_dot(k, t, y, s->p, b->w, tdot, ydot, b->pdot, b->omega, NULL, b->lambda, b->lambda_dot, b->mu, b->mu_dot,
                         g->data);
}

/* Where the run ended, and, if it was at an event, how that moves. */
static double end(const costate_solver *s)
{
    return s->ev ? s->ev->t_end : s->t1;
}

static int end_moves(const costate_solver *s)
{
    return s->ev && s->ev->stopped;
}

int cst__terminal(costate_solver *s, const double *y, double *psi)
{
    if (!s->has_objective) memcpy(psi, y, (size_t)s->nobj * sizeof *psi);
    return s->d.terminal.fn.eval ? value(s, &s->d.terminal, 0, end(s), y, psi) : 0;
}

int cst__terminal_tangent(costate_solver *s, const double *y, dblock *d, const double *ydot)
{
    if (!s->has_objective) memcpy(d->qdot, ydot, (size_t)s->nobj * (size_t)d->w * sizeof *ydot);
    const double *tdot = end_moves(s) ? d->tdot : NULL;
    return s->d.terminal.fn.eval ? slope(s, &s->d.terminal, 0, end(s), y, d, tdot, ydot) : 0;
}

int cst__observe(costate_solver *s, int k, const double *y, double *psi)
{
    return value(s, &s->d.observe, k, s->prob.observe_at[k], y, psi);
}

int cst__observe_tangent(costate_solver *s, int k, const double *y, dblock *d, const double *ydot)
{
    return slope(s, &s->d.observe, k, s->prob.observe_at[k], y, d, NULL, ydot);
}

/* At an event, whose time moves: nu += g_t.omega. */
static int terminal_stopped(costate_solver *s, const double *y, const double *ydot, ablock *b)
{
    const deriv_function *g = &s->d.terminal;
    const double t = s->ev->t_end;
    if (!g->fn.eval) return 0;
    const double *tdot = b->lambda_dot ? cst__event_kept(s, &s->ev->list[s->ev->count - 1], b->w) : NULL;
    TRY(cst__event_owes(s, g, s->prob.jvp2_of.terminal, 0, t, y, tdot, ydot, b));
    return seed(s, g, 0, t, y, tdot, ydot, b);
}

int cst__terminal_adjoint(costate_solver *s, const double *y, const double *ydot, ablock *b)
{
    if (!s->has_objective)
        for (size_t i = 0; i < (size_t)s->nobj * (size_t)b->w; i++) b->lambda[i] += b->omega[i];
    if (end_moves(s)) return terminal_stopped(s, y, ydot, b);
    return s->d.terminal.fn.eval ? seed(s, &s->d.terminal, 0, end(s), y, NULL, ydot, b) : 0;
}

int cst__observe_adjoint(costate_solver *s, int k, const double *y, const double *ydot, ablock *b)
{
    return seed(s, &s->d.observe, k, s->prob.observe_at[k], y, NULL, ydot, b);
}

int cst__init_adjoint(costate_solver *s, ablock *b)
{
    const deriv_function *g = &s->d.init;
    if (!g->fn.eval || (!b->mu && !b->mu_dot)) return 0;
    if (!b->lambda_dot) return g->fn.vjp(0, s->t0, NULL, s->p, b->w, b->lambda, NULL, b->mu, g->data);
    return g->fn.vjp_dot(0, s->t0, NULL, s->p, b->w, NULL, NULL, b->pdot, b->lambda, b->lambda_dot, NULL, NULL, b->mu, b->mu_dot,
                         g->data);
}
