/* event_back.c - see event_back.h */
#include "sens/event_back.h"

#include "base/kernels.h"
#include "core/consistent.h"

#include <math.h>

/* Directions at an event: of its time, and ydot-. First order: NULL. */
static const double *taudot_of(const costate_solver *s, const happened *e, const ablock *b)
{
    return b->lambda_dot ? cst__event_kept(s, e, b->w) : NULL;
}

static double lane_dot(size_t n, size_t w, size_t l, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i * w + l] * b[i];
    return sum;
}

static double lanes_dot(size_t n, size_t w, size_t l, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i * w + l] * b[i * w + l];
    return sum;
}

/* ---- behind the event ---------------------------------------------------------------------------------------------------- */

static int on_event(costate_solver *s, const happened *e, ablock *b)
{
    const deriv_function *g = &s->d.on_event;
    const double *y = event_before(s, e), *tdot = taudot_of(s, e, b), *ydot = tdot ? tdot + b->w : NULL;
    const int k = cst__event_on(s, e);
    if (!g->fn.eval || !b->omega) return 0;
    TRY(cst__event_owes(s, g, s->prob.jvp2_of.on_event, k, e->t, y, tdot, ydot, b));
    if (!tdot) return g->fn.vjp(k, e->t, y, s->p, b->w, b->omega, b->lambda, b->mu, g->data);
    return g->fn.vjp_dot(k, e->t, y, s->p, b->w, tdot, ydot, b->pdot, b->omega, NULL, b->lambda, b->lambda_dot, b->mu, b->mu_dot,
                         g->data);
}

static int reset(costate_solver *s, const happened *e, ablock *b)
{
    const deriv_function *r = &s->d.reset;
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w, nw = n * w;
    const double *y = event_before(s, e), *tdot = taudot_of(s, e, b), *ydot = tdot ? tdot + b->w : NULL, one = 1;
    double *at = cst__scratch(s, &s->ev->room, n + 3 * nw + (n + 1) * w);
    if (!at) return s->status;
    double *rt = at, *seed = at + n, *seed_dot = seed + nw, *second = seed_dot + nw, *work = second + nw;
    TRY(r->fn.jvp(e->k, e->t, y, s->p, 1, &one, NULL, NULL, rt, r->data));
    for (size_t l = 0; l < w; l++) b->nu[l] += lane_dot(n, w, l, b->lambda, rt);
    memcpy(seed, b->lambda, nw * sizeof *seed);
    memset(b->lambda, 0, nw * sizeof *seed);
    if (!tdot) return r->fn.vjp(e->k, e->t, y, s->p, b->w, seed, b->lambda, b->mu, r->data);
    memcpy(seed_dot, b->lambda_dot, nw * sizeof *seed);
    memset(b->lambda_dot, 0, nw * sizeof *seed);
    TRY(second_by_time(r, s->prob.jvp2_of.reset, fabs(s->t1 - s->t0), e->k, e->t, y, s->p, b->w, tdot, ydot, b->pdot, second,
                       work));
    for (size_t l = 0; l < w; l++)
        b->nu_dot[l] += lane_dot(n, w, l, seed_dot, rt) + lanes_dot(n, w, l, seed, second);
    return r->fn.vjp_dot(e->k, e->t, y, s->p, b->w, tdot, ydot, b->pdot, seed, seed_dot, b->lambda, b->lambda_dot, b->mu,
                         b->mu_dot, r->data);
}

int cst__event_back(costate_solver *s, const happened *e, const double *after, const double *ydot_after, ablock *b)
{
    const double *tdot = taudot_of(s, e, b);
    if (cst__event_corrects(s, e)) {
        if (e->after != COSTATE_STOP) cst__events_mode(s, e->after, e->held_after);
        TRY(cst__consistent_behind_adjoint(s, e->t, after, tdot, ydot_after, b));
        cst__events_mode(s, e->mode, e->held);
    }
    if (event_held(s->ev, e->k)) return 0;
    if (s->d.reset.fn.eval) TRY(reset(s, e, b));
    return on_event(s, e, b);
}

/* ---- the guard ----------------------------------------------------------------------------------------------------------- */

typedef struct guard {
    double e_t, d;      /* e_t and D */
    double *b, *q, *ey, *ep; /* Phi_h, that of integrals; the row of e */
    double kappa[LANES_MOST], e_tdot[LANES_MOST];
} guard;

static int row_of(costate_solver *s, const happened *e, const double *y, guard *g, double *seed)
{
    const deriv_function *f = &s->d.event;
    memset(seed, 0, (size_t)s->ev->guards * sizeof *seed);
    memset(g->ey, 0, (size_t)s->prob.n * sizeof *g->ey);
    memset(g->ep, 0, (size_t)s->prob.np * sizeof *g->ep);
    seed[e->k] = 1;
    return cst__of(s, "event's vjp", f->fn.vjp(0, e->t, y, s->p, 1, seed, g->ey, g->ep, f->data));
}

/* (E3): kappa, and what it adds; in second order without kappadot. */
static int meet(costate_solver *s, const step *st, ablock *b, guard *g, double *at)
{
    const happened *e = st->ends;
    const deriv_function *f = &s->d.event;
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w, guards = (size_t)s->ev->guards;
    const double *y = event_before(s, e), one = 1, *tdot = taudot_of(s, e, b), *ydot = tdot ? tdot + w : NULL;
    double *seed = at, *second = at + cst__pad(guards * w), *work = second + cst__pad(guards * w);
    TRY(row_of(s, e, y, g, seed));
    TRY(cst__of(s, "event's jvp", f->fn.jvp(0, e->t, y, s->p, 1, &one, NULL, NULL, seed, f->data)));
    g->e_t = g->d = seed[e->k];
    for (size_t i = 0; i < n; i++) g->d += g->ey[i] * g->b[i];
    for (size_t l = 0; l < w; l++) {
        const double integrals = b->omega ? lane_dot((size_t)s->nobj, w, l, b->omega, g->q) : 0;
        g->kappa[l] = -(b->nu[l] + lane_dot(n, w, l, b->lambda, g->b) + integrals) / g->d;
    }
    memset(seed, 0, guards * w * sizeof *seed);
    for (size_t l = 0; l < w; l++) seed[(size_t)e->k * w + l] = g->kappa[l];
    if (!tdot) return cst__of(s, "event's vjp", f->fn.vjp(0, e->t, y, s->p, b->w, seed, b->lambda, b->mu, f->data));
    TRY(cst__of(s, "event's vjp_dot", f->fn.vjp_dot(0, e->t, y, s->p, b->w, tdot, ydot, b->pdot, seed, NULL, b->lambda,
                                                    b->lambda_dot, b->mu, b->mu_dot, f->data)));
    TRY(second_by_time(f, s->prob.jvp2_of.event, fabs(s->t1 - s->t0), 0, e->t, y, s->p, b->w, tdot, ydot, b->pdot, second, work));
    for (size_t l = 0; l < w; l++) g->e_tdot[l] = second[(size_t)e->k * w + l];
    return 0;
}

/* ---- the step ------------------------------------------------------------------------------------------------------------ */

typedef struct owed { /* to where the step begins, and to its size */
    double t[LANES_MOST], h[LANES_MOST], t_dot[LANES_MOST], h_dot[LANES_MOST];
} owed;

typedef struct motion { /* along a direction, second order */
    double z[LANES_MOST], shift[LANES_MOST]; /* tdot at its beginning, and hdot */
} motion;

static void add_to(size_t count, const double *x, double *to)
{
    for (size_t i = 0; to && i < count; i++) to[i] += x[i];
}

static int family_step(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b, const motion *m,
                       owed *o)
{
    const size_t w = (size_t)b->w, np = (size_t)s->prob.np * w, all = np + 2 * w;
    const double tol = s->opt.sweep_tol;
    double sdot[LANES_MOST], *mext = s->ev->mext, *mext_dot = s->ev->mext_dot;
    ablock moved = *b;
    moved.capacity = 0;
    moved.mu = memset(mext, 0, all * sizeof *mext);
    if (b->lambda_dot) {
        for (size_t l = 0; l < w; l++) sdot[l] = m->shift[l] / st->h;
        cst__event_load(s, b->pdot, b->w, m->z, sdot);
        moved.pdot = s->ev->pext;
        moved.mu_dot = memset(mext_dot, 0, all * sizeof *mext_dot);
    }
    s->opt.sweep_tol = 1e-15;
    cst__event_move(s, st);
    int rc = b->lambda_dot ? s->fam->second(s, st, ydot, dstages, &moved) : s->fam->adjoint(s, st, &moved);
    cst__event_rest(s);
    s->opt.sweep_tol = tol;
    add_to(np, mext, b->mu);
    for (size_t l = 0; l < w; l++) {
        o->t[l] = mext[np + l];
        o->h[l] = mext[np + w + l] / st->h;
    }
    if (!b->lambda_dot) return rc;
    add_to(np, mext_dot, b->mu_dot);
    for (size_t l = 0; l < w; l++) {
        o->t_dot[l] = mext_dot[np + l];
        o->h_dot[l] = mext_dot[np + w + l] / st->h;
    }
    return rc;
}

/* One function of a step of no length, y+_h = f or its part of the objectives: u what is owed to it. */
static int still_part(costate_solver *s, const step *st, const deriv_function *g, int rows, const double *u, const double *udot,
                      const double *f, const double *ydot, ablock *b, const motion *m, owed *o, double *at)
{
    const size_t n = (size_t)rows, w = (size_t)b->w, states = (size_t)s->prob.n * w;
    const double one = 1;
    double *value = at, *ft = value + n, *along = ft + n, *hdot_u = along + n * w, *reach = hdot_u + n * w;
    TRY(g ? g->fn.eval(0, st->t, st->y, s->p, value, g->data) : deriv_rhs(&s->d, st->t, st->y, s->p, value));
    for (size_t l = 0; l < w; l++) o->h[l] += lane_dot(n, w, l, u, value);
    if (!b->lambda_dot) return 0;
    TRY(g ? g->fn.jvp(0, st->t, st->y, s->p, 1, &one, NULL, NULL, ft, g->data)
          : deriv_jvp(&s->d, st->t, st->y, s->p, 1, &one, NULL, NULL, ft));
    /* along (tdot, ydot, pdot) and hdot (1, f, 0) */
    double time[LANES_MOST];
    for (size_t l = 0; l < w; l++) time[l] = m->z[l] + m->shift[l];
    for (size_t i = 0; i < states; i++) reach[i] = ydot[i] + m->shift[i % w] * f[i / w];
    TRY(g ? g->fn.jvp(0, st->t, st->y, s->p, b->w, time, reach, b->pdot, along, g->data)
          : deriv_jvp(&s->d, st->t, st->y, s->p, b->w, time, reach, b->pdot, along));
    for (size_t l = 0; l < w; l++) {
        o->h_dot[l] += (udot ? lane_dot(n, w, l, udot, value) : 0) + lanes_dot(n, w, l, u, along);
        o->t_dot[l] += m->shift[l] * lane_dot(n, w, l, u, ft);
    }
    for (size_t i = 0; i < n * w; i++) hdot_u[i] = m->shift[i % w] * u[i];
    memset(reach, 0, states * sizeof *reach); /* it has been seen, and becomes what is owed to y */
    return g ? g->fn.vjp(0, st->t, st->y, s->p, b->w, hdot_u, reach, b->mu_dot, g->data)
             : deriv_vjp(&s->d, st->t, st->y, s->p, b->w, hdot_u, reach, b->mu_dot);
}

/* Algebraic states at its end are functions of the others and of the time there. at: 3 n w and n. */
static int still_consistent(costate_solver *s, const step *st, const double *ydot, ablock *b, const motion *m, owed *o,
                            double *at)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w, nw = n * w;
    double end[LANES_MOST], *ydot_end = at, *f = at + 2 * nw;
    ablock here = *b;
    dblock d = {.w = b->w, .pdot = b->pdot, .fdot = at + nw};
    memset(here.nu, 0, sizeof here.nu);
    memset(here.nu_dot, 0, sizeof here.nu_dot);
    if (b->lambda_dot) {
        for (size_t l = 0; l < w; l++) end[l] = m->z[l] + m->shift[l];
        memcpy(ydot_end, ydot, nw * sizeof *ydot);
        TRY(cst__event_still(s, st, b->w, m->shift, ydot_end, f));
        TRY(cst__consistent_behind_tangent(s, st->to, st->y, end, &d, ydot_end));
    }
    TRY(cst__consistent_behind_adjoint(s, st->to, st->y, end, ydot_end, &here));
    for (size_t l = 0; l < w; l++) {
        o->t[l] += here.nu[l], o->h[l] += here.nu[l];
        o->t_dot[l] += here.nu_dot[l], o->h_dot[l] += here.nu_dot[l];
    }
    return 0;
}

/* M^+ lambda */
static const double *by_mass(const costate_solver *s, size_t w, const double *lambda, double *to)
{
    const double *mass = s->prob.mass;
    for (size_t i = 0; i < (size_t)s->prob.n * w; i++)
        to[i] = !mass ? lambda[i] : mass[i / w] != 0 ? lambda[i] / mass[i / w] : 0;
    return to;
}

/* As still_part; what is added to lambda_dot must not be seen by the other part: it is put off. */
static int still_step(costate_solver *s, const step *st, const double *ydot, ablock *b, const motion *m, owed *o)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w, nw = n * w;
    const size_t most = n > (size_t)s->nobj ? n : (size_t)s->nobj;
    const int running = b->omega && s->d.running.fn.eval;
    double *at = cst__scratch(s, &s->ev->room, n + 3 * nw + 2 * most + 2 * most * w + nw + n);
    if (!at) return s->status;
    double *f = at, *later = at + n, *u = later + nw, *udot = u + nw, *rest = udot + nw;
    if (s->prob.mass) TRY(still_consistent(s, st, ydot, b, m, o, rest));
    memset(later, 0, nw * sizeof *later);
    TRY(cst__consistent_slopes(s, st->t, st->y, f));
    by_mass(s, w, b->lambda, u);
    if (b->lambda_dot) by_mass(s, w, b->lambda_dot, udot);
    for (int part = 0; part <= running; part++) {
        const int rows = part ? s->nobj : s->prob.n;
        TRY(still_part(s, st, part ? &s->d.running : NULL, rows, part ? b->omega : u, part ? NULL : udot, f, ydot, b, m, o,
                       rest));
        if (b->lambda_dot) add_to(nw, rest + 2 * (size_t)rows + 2 * (size_t)rows * w, later);
    }
    if (b->lambda_dot) add_to(nw, later, b->lambda_dot);
    return 0;
}

/* The step's adjoint of the one seed e_y^T: owed by y, p, t, h for a unit of kappa. */
static int unit_step(costate_solver *s, const step *st, const guard *g, double *q, double *qp, double *qt, double *qh)
{
    const size_t np = (size_t)s->prob.np, n = (size_t)s->prob.n;
    ablock one = {.w = 1, .lambda = q, .mu = np ? qp : NULL};
    owed o = {0};
    memcpy(q, g->ey, n * sizeof *q);
    memset(q + n, 0, (s->live - n) * sizeof *q);
    memset(qp, 0, np * sizeof *qp);
    if (st->h == 0) TRY(still_step(s, st, NULL, &one, NULL, &o));
    else {
        one.work = cst__scratch(s, &s->ev->room, (s->fam->single_doubles ? s->fam->single_doubles : s->fam->adjoint_doubles)(s));
        if (!one.work) return s->status;
        TRY(family_step(s, st, NULL, NULL, &one, NULL, &o));
    }
    *qt = o.t[0];
    *qh = o.h[0];
    return 0;
}

/* What kappadot adds. */
static int late(costate_solver *s, const step *st, ablock *b, const guard *g, owed *o, double *q)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w, np = (size_t)s->prob.np;
    double *qp = q + s->live, qt = 0, qh = 0;
    TRY(unit_step(s, st, g, q, qp, &qt, &qh));
    for (size_t l = 0; l < w; l++) {
        const double kappa_dot = -(b->nu_dot[l] + g->kappa[l] * g->e_tdot[l] + o->h_dot[l]) / g->d;
        for (size_t i = 0; i < n; i++) b->lambda_dot[i * w + l] += kappa_dot * q[i];
        for (size_t i = 0; b->mu_dot && i < np; i++) b->mu_dot[i * w + l] += kappa_dot * (qp[i] + g->ep[i]);
        o->t_dot[l] += kappa_dot * qt;
        o->h_dot[l] += kappa_dot * qh;
    }
    return 0;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------------- */

static int by_times(costate_solver *s, const step *st, ablock *b, const owed *o)
{
    const deriv_function *g = &s->d.event_times;
    const size_t w = (size_t)b->w, timed = (size_t)s->ev->timed, j = (size_t)(st->ends->k - s->ev->guards);
    double *u = cst__scratch(s, &s->ev->room, 2 * timed * w), *udot = u + timed * w;
    if (!u) return s->status;
    memset(u, 0, 2 * timed * w * sizeof *u);
    for (size_t l = 0; l < w; l++) {
        u[j * w + l] = b->nu[l] + o->h[l];
        udot[j * w + l] = b->nu_dot[l] + o->h_dot[l];
    }
    if (!b->lambda_dot && !b->mu) return 0;
    if (!b->lambda_dot) return g->fn.vjp(0, s->t0, NULL, s->p, b->w, u, NULL, b->mu, g->data);
    if (!b->mu_dot) return 0;
    return g->fn.vjp_dot(0, s->t0, NULL, s->p, b->w, NULL, NULL, b->pdot, u, udot, NULL, NULL, b->mu, b->mu_dot, g->data);
}

/* An identity to check: nu + kappa e_t + h_bar = 0. */
static void identity(costate_solver *s, const ablock *b, const guard *g, const owed *o)
{
    for (int l = 0; l < b->w; l++) {
        const double a = g->kappa[l] * g->e_t, size = fabs(b->nu[l]) + fabs(a) + fabs(o->h[l]);
        if (size > 0) s->ev->identity = fmax(s->ev->identity, fabs(b->nu[l] + a + o->h[l]) / size);
    }
}

int cst__event_adjoint(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w, np = (size_t)s->prob.np, guards = (size_t)s->ev->guards;
    const int begins = st->begins && st->begins->moves, ends = st->ends && st->ends->moves;
    const int guarded = ends && st->ends->k < s->ev->guards;
    const size_t vectors = 2 * n + 2 * np + s->live + (size_t)s->nobj;
    double *at = cst__scratch(s, &s->ev->back, vectors + 2 * cst__pad(guards * w) + (guards + 1) * w);
    if (!at) return s->status;
    guard g = {.b = at, .ey = at + n, .ep = at + 2 * n};
    double *q = at + 2 * n + np, *rest = q + s->live + np;
    g.q = rest + 2 * cst__pad(guards * w) + (guards + 1) * w;
    motion m = {0};
    owed o = {0};
    if (b->lambda_dot && begins) memcpy(m.z, cst__event_kept(s, st->begins, b->w), w * sizeof *m.z);
    if (b->lambda_dot && ends) memcpy(m.shift, cst__event_kept(s, st->ends, b->w), w * sizeof *m.z);
    for (size_t l = 0; l < w; l++) m.shift[l] -= m.z[l];
    if (guarded) {
        TRY(cst__event_by_size(s, st, g.b, g.q));
        TRY(meet(s, st, b, &g, rest));
    }
    TRY(st->h == 0 ? still_step(s, st, ydot, b, &m, &o) : family_step(s, st, ydot, dstages, b, &m, &o));
    if (guarded) identity(s, b, &g, &o);
    if (guarded && b->lambda_dot) TRY(late(s, st, b, &g, &o, q));
    if (ends && !guarded) TRY(by_times(s, st, b, &o));
    for (size_t l = 0; l < w; l++) {
        b->nu[l] = begins ? o.t[l] - o.h[l] : 0;
        b->nu_dot[l] = begins ? o.t_dot[l] - o.h_dot[l] : 0;
    }
    return 0;
}
