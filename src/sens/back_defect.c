/* back_defect.c - by how much objectives are off: what the defect of the run's dense output P does to them. docs/theory.md (108)
 *
 *     psi(P) - psi = integral of lambda^T (M P' - f(P)) dt + (q - integral of r(P)^T omega dt)
 *
 * q being what the run has for that integral. By Gauss's formula of five points between neighbouring nodes of either run, for
 * there lambda and P are smooth: along an accepted step of the way back, between the nodes of the run that are in it. */
#include "sens/back.h"

#include <math.h>

enum { GAUSS = 5 };
static const double node[GAUSS] = {-0.906179845938663993, -0.538469310105683091, 0, 0.538469310105683091, 0.906179845938663993};
static const double share[GAUSS] = {0.118463442528094544, 0.239314335249683234, 0.284444444444444444, 0.239314335249683234,
                                    0.118463442528094544};

/* M P' - f(P), and r(P). */
static int defect(backward *b, double t)
{
    costate_solver *s = b->s;
    const deriv_function *r = &s->d.running;
    const path_point *at = path_at(&b->path, t);
    if (!at) return -1;
    TRY(path_slope(&b->path, t, b->slope));
    TRY(deriv_rhs(&s->d, t, at->y, s->p, b->rate));
    for (int i = 0; i < s->prob.n; i++) b->slope[i] = (s->prob.mass ? s->prob.mass[i] : 1) * b->slope[i] - b->rate[i];
    return r->fn.eval ? cst__of(s, "running", r->fn.eval(0, t, at->y, s->p, b->term, r->data)) : 0;
}

/* Of lane l of w. */
static double owes(const backward *b, size_t w, size_t l, const double *lambda, const double *omega)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)b->s->prob.n; i++) sum += lambda[i * w + l] * b->slope[i];
    for (size_t o = 0; b->s->d.running.fn.eval && o < (size_t)b->s->nobj; o++) sum -= omega[o * w + l] * b->term[o];
    return sum;
}

static int add(backward *b, const step *st, tangent *tg, double t, double weight, int first)
{
    costate_solver *in = b->in;
    const double theta = (t - st->from - st->lag) / st->h;
    double *off = b->off;
    TRY(defect(b, t));
    TRY(in->fam->dense(in, st, theta, b->lambda, NULL, NULL, first));
    *off++ += weight * owes(b, 1, 0, b->lambda, b->par);
    for (int q = 0; tg && q < tg->cut.blocks; q++) {
        dblock *d = &tg->block[q];
        TRY(in->fam->dense(in, st, theta, NULL, d, d->dense, first));
        for (int l = 0; l < cut_used(b->cut, q); l++)
            *off++ += weight * owes(b, (size_t)d->w, (size_t)l, d->dense, d->pdot);
    }
    return 0;
}

int cst__back_defect(backward *b, const step *st, tangent *tg)
{
    const step_log *l = &b->s->log;
    const double dir = b->s->t1 > b->s->t0 ? 1 : -1;
    int first = 1;
    for (double t = st->from; t != st->to;) {
        int64_t m = path_find(&b->path, t);
        if (dir * (t - l->t[m]) <= 0 && m > b->path.lo) m--; /* t is a node: the step behind it */
        const double to = dir * (l->t[m] - st->to) > 0 ? l->t[m] : st->to, half = (t - to) / 2;
        for (int g = 0; g < GAUSS; g++, first = 0) {
            const double at = to + half * (1 + node[g]);
            if ((at - t) * (at - to) < 0) TRY(add(b, st, tg, at, 2 * half * share[g], first));
        }
        t = to;
    }
    return 0;
}

/* Objectives at events, from the states before them. */
static int at_events(costate_solver *s, double *y, double *q)
{
    for (int64_t i = s->ev ? s->ev->count - 1 : -1; i >= 0; i--) {
        const happened *e = &s->ev->list[i];
        memcpy(y, event_before(s, e), (size_t)s->prob.n * sizeof *y);
        cst__events_mode(s, e->mode, e->held);
        TRY(cst__event_happen(s, e, y, q));
    }
    return 0;
}

/* What the run has for its integrals. y: n */
static int integrals(costate_solver *s, path *k, double *y, double *q)
{
    memset(q, 0, (size_t)s->nobj * sizeof *q);
    if (s->ev) cst__events_end(s);
    int rc = cst__terminal(s, s->yend, q);
    for (int i = s->prob.observations - 1; i >= 0 && !rc; i--) {
        if (s->ev && s->obs_step[i] > s->log.count) continue; /* an event ended the run before */
        if (s->ev) path_around(k, s->obs_step[i]);
        const path_point *at = path_at(k, s->prob.observe_at[i]);
        if (!at) return s->status;
        rc = cst__observe(s, i, at->y, q);
    }
    if (rc) return cst__callback_failed(s, rc, "terminal or observe", s->t1, 0, s->log.count);
    TRY(at_events(s, y, q));
    for (int o = 0; o < s->nobj; o++) q[o] = s->psi[o] - q[o];
    return 0;
}

int cst__back_defect_end(backward *b, const double *omega, size_t w)
{
    costate_solver *s = b->s;
    if (!s->d.running.fn.eval) return 0;
    TRY(integrals(s, &b->path, b->lambda, b->term));
    for (size_t l = 0; l < w; l++)
        for (size_t o = 0; o < (size_t)s->nobj; o++) b->off[l] += omega[o * w + l] * b->term[o];
    return 0;
}
