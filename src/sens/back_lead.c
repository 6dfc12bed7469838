/* back_lead.c - what leads the steps of the adjoint equations.
 *
 *     norm     |e| = rms(e_i s_i) / (rtol R),  R = max(rms(lambda_i s_i), a thousandth of its largest so far),
 *              s_i = atol_i + rtol |y_i(t)|: what an error of one tolerance in y_i does to psi, relative to what it is. It knows
 *              no absolute size of lambda; every lane has its own R. That of lambdadot is at least rtol rms(lambda_i ydot_i).
 *     reach    at most PATH_REACH steps of the run at once, so that nothing is stepped over
 *     mu       by the method's own formula at the points of accepted steps, with seeds weight times lambda straight into mu
 *     probe    q' = lambda^T f_p v + r_p v, v_i = about +-|p_i|: what mu is an integral of, along one irregular direction; its
 *              error by the method's estimate, in tolerances of the integral of |q'|
 *
 * docs/theory.md (102) - (104) */
#include "sens/back.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

static const double faint = 1e-3;   /* of the largest lambda: what is below needs no digits of its own */
static const double cancels = 1e-3; /* of the terms of q', where they do: no more digits of it are asked for */
enum { SAMPLES = 4 };

/* ---- blocks ------------------------------------------------------------------------------------------------------------ */

static size_t offset_of(const backward *b, int q) /* lanes before block q */
{
    return (size_t)(q * b->cut.lanes);
}

/* ---- the norm ---------------------------------------------------------------------------------------------------------- */

static double unit_of(const costate_solver *s, const double *y, size_t i)
{
    return s->atol[i] + s->opt.rtol * fabs(y[i]);
}

static double size_of(const backward *b, const double *y, const double *x, size_t w, size_t lane)
{
    const size_t judged = cst__judged(b->s);
    double sum = 0;
    for (size_t i = 0; i < judged; i++) {
        if (mass_algebraic(b->s, (int)i)) continue;
        const double term = x[i * w + lane] * unit_of(b->s, y, i);
        sum += term * term;
    }
    return sqrt(sum / (double)judged);
}

/* What lambdadot is in that norm when nothing cancels: lambda times what lane l of ydot is relative to y. */
static double natural(const backward *b, const path_point *at, const double *lambda, size_t w, size_t l)
{
    const size_t judged = cst__judged(b->s);
    double sum = 0;
    for (size_t i = 0; i < judged; i++) {
        if (mass_algebraic(b->s, (int)i)) continue;
        const double term = lambda[i] * at->ydot[i * w + l];
        sum += term * term;
    }
    return b->rtol * sqrt(sum / (double)judged);
}

/* The scale of a lane that is zero yet: what the next steps may make of it. */
static int ahead(backward *b, double t, const double *lambda, dblock *d, double *scale)
{
    costate_solver *in = b->in;
    const double dir = in->t1 > in->t0 ? 1 : -1, reach = fmin(cst__back_reach(b, t), fabs(in->t1 - t));
    const size_t lanes = d ? (size_t)d->w : 1;
    for (int k = 0; k < SAMPLES; k++) {
        const double at = cst__beside(k ? t + dir * reach * k / SAMPLES : t, in->t1);
        double *slope = d ? d->dense : b->v;
        memset(b->u, 0, (size_t)b->s->prob.n * sizeof *b->u);
        if (d) TRY(deriv_jvp(&in->d, at, lambda, in->p, d->w, NULL, NULL, d->pdot, slope));
        else TRY(deriv_rhs(&in->d, at, b->u, in->p, slope));
        const path_point *x = path_at(&b->path, at);
        if (!x) return -1;
        for (size_t l = 0; l < lanes; l++) scale[l] = fmax(scale[l], reach * size_of(b, x->y, slope, lanes, l));
    }
    return 0;
}

/* Tolerances of the first lane, and units of the others, for lambda at t. */
static int scale(backward *b, double t, const double *lambda, tangent *tg, int end)
{
    costate_solver *s = b->s, *in = b->in;
    const path_point *at = path_at(&b->path, t);
    double first = at ? size_of(b, at->y, lambda, 1, 0) : 0, size[64], fresh[64];
    if (!at) return -1;
    b->most[0] = fmax(b->most[0], first);
    first = fmax(first, faint * b->most[0]);
    if (first == 0) TRY(ahead(b, t, lambda, NULL, &first));
    for (int q = 0; tg && q < tg->cut.blocks; q++) {
        dblock *d = &tg->block[q];
        const size_t w = (size_t)d->w;
        const double *x = end ? d->ydotnew : d->ydot;
        double *most = b->most + 1 + offset_of(b, q), *unit = b->unit + offset_of(b, q);
        int zero = 0;
        for (size_t l = 0; l < w; l++) {
            at = path_at(&b->path, t);
            size[l] = size_of(b, at->y, x, w, l);
            most[l] = fmax(most[l], size[l]);
            size[l] = fmax(size[l], faint * most[l]);
            if (b->second) size[l] = fmax(size[l], natural(b, at, lambda, w, l));
            fresh[l] = 0;
            zero |= size[l] == 0;
        }
        if (zero) TRY(ahead(b, t, lambda, d, fresh));
        for (size_t l = 0; l < w; l++) {
            if (size[l] == 0) size[l] = fresh[l];
            if (first == 0) first = size[l];
            unit[l] = size[l] > 0 ? 1 / size[l] : 0;
        }
        d->unit = unit;
    }
    for (int q = 0; tg && q < tg->cut.blocks; q++)
        for (int l = 0; l < tg->block[q].w; l++) b->unit[offset_of(b, q) + (size_t)l] *= first;
    if (first == 0) first = 1; /* there is nothing to be wrong about */
    at = path_at(&b->path, t);
    for (int i = 0; i < s->prob.n; i++) {
        const double unit = mass_algebraic(s, i) ? 0 : unit_of(s, at->y, (size_t)i); /* their equations hold exactly */
        in->atol[i] = unit > 0 ? fmin(b->rtol * first / unit, 1e300) : 1e300;
    }
    return 0;
}

int cst__back_scale(backward *b, double t)
{
    const path_point *at = path_at(&b->path, t);
    const double least = 1e-200;
    if (!at) return -1;
    const double size = fmax(size_of(b, at->y, b->y, 1, 0), least);
    for (int i = 0; i < b->s->prob.n; i++) {
        const double unit = unit_of(b->s, at->y, (size_t)i);
        b->in->atol[i] = unit > 0 ? fmin(faint * b->rtol * size / unit, 1e300) : 1e300;
    }
    return 0;
}

/* ---- the first size ---------------------------------------------------------------------------------------------------- */

double cst__back_reach(void *ctx, double t)
{
    backward *b = ctx;
    const step_log *l = &b->s->log;
    const int64_t m = path_find(&b->path, t), behind = m - PATH_REACH + (l->t[m] != t);
    const double reach = fabs(t - l->t[behind > 0 ? behind : 0]);
    return reach > 0 ? reach : fabs(l->t[1] - l->t[0]);
}

/* As core/start.c has it, in this norm; slopes of all lanes count. */
static int first_size(backward *b, tangent *tg, double *h)
{
    costate_solver *in = b->in;
    const size_t n = (size_t)b->s->prob.n, judged = cst__judged(in);
    const double dir = in->t1 > in->t0 ? 1 : -1, t = cst__beside(in->t0, in->t1), one = 1;
    const double most = fmin(cst__back_reach(b, in->t0), fabs(in->t1 - in->t0));
    const int order = in->fam->id == COSTATE_BDF ? 1 : in->table->order;
    double d0 = cst__norm(judged, in->y0, in->y0, 0, in->atol), d1, d2, size = most;
    TRY(deriv_rhs(&in->d, t, in->y0, in->p, in->f));
    mass_divide(in, in->f);
    d1 = cst__norm(judged, in->f, in->y0, 0, in->atol);
    if (d0 > 0 && d1 > 0) size = fmin(size, 0.01 * d0 / d1);
    for (int q = 0; tg && q < tg->cut.blocks; q++) {
        dblock *d = &tg->block[q];
        const double *x = d->ydot, *f = d->fdot;
        TRY(deriv_jvp(&in->d, t, in->y0, in->p, d->w, NULL, d->ydot, d->pdot, d->fdot));
        for (size_t i = 0; in->prob.mass && i < n * (size_t)d->w; i++)
            d->fdot[i] = in->prob.mass[i / (size_t)d->w] == 0 ? 0 : d->fdot[i] / in->prob.mass[i / (size_t)d->w];
        d0 = judge_lanes(in, 1, d, 1, &one, &x, d->ydot);
        const double slope = judge_lanes(in, 1, d, 1, &one, &f, d->ydot);
        if (d0 > 0 && slope > 0) size = fmin(size, 0.01 * d0 / slope);
        d1 = fmax(d1, slope);
    }
    for (size_t i = 0; i < n; i++) in->ynew[i] = in->y0[i] + dir * size * in->f[i];
    const double later = size < fabs(in->t1 - in->t0) ? in->t0 + dir * size : cst__beside(in->t1, in->t0);
    TRY(deriv_rhs(&in->d, later, in->ynew, in->p, in->fnew));
    mass_divide(in, in->fnew);
    for (size_t i = 0; i < n; i++) in->fnew[i] -= in->f[i];
    d2 = cst__norm(judged, in->fnew, in->y0, 0, in->atol) / size;
    for (int q = 0; tg && !b->second && q < tg->cut.blocks; q++) {
        dblock *d = &tg->block[q];
        const double *diff = d->fdotnew;
        for (size_t i = 0; i < n * (size_t)d->w; i++) d->dense[i] = d->ydot[i] + dir * size * d->fdot[i];
        TRY(deriv_jvp(&in->d, later, in->ynew, in->p, d->w, NULL, d->dense, d->pdot, d->fdotnew));
        for (size_t i = 0; i < n * (size_t)d->w; i++) {
            const double mass = in->prob.mass ? in->prob.mass[i / (size_t)d->w] : 1;
            d->fdotnew[i] = mass == 0 ? 0 : d->fdotnew[i] / mass - d->fdot[i];
        }
        d2 = fmax(d2, judge_lanes(in, 1, d, 1, &one, &diff, d->ydot) / size);
    }
    const double steep = fmax(d1, d2);
    double next = steep > 0 && isfinite(steep) ? pow(0.01 / steep, 1.0 / (order + 1)) : most;
    next = fmin(fmin(next, 100 * size), most);
    *h = dir * fmax(next, in->opt.hmin);
    return 0;
}

static void push_node(backward *b, double t, const double *lambda, tangent *tg, int end);

int cst__back_first(void *ctx, tangent *tg, double *h)
{
    backward *b = ctx;
    costate_solver *in = b->in;
    const double dir = in->t1 > in->t0 ? 1 : -1;
    int rc = scale(b, cst__beside(in->t0, in->t1), in->y0, tg, 0);
    if (b->resume > 0) *h = dir * fmin(b->resume, fmin(cst__back_reach(b, in->t0), fabs(in->t1 - in->t0)));
    else if (!rc && in->opt.step == 0) rc = first_size(b, tg, h);
    if (rc) return cst__callback_failed(in, rc, "rhs", in->t0, 0, 0);
    if (in->opt.step > 0) *h = dir * in->opt.step;
    for (int q = 0; tg && q < tg->cut.blocks; q++) tg->block[q].fdot_valid = tg->block[q].fdotnew_valid = 0;
    b->nodes = 0;
    if (b->want_mu && in->fam->shares) push_node(b, cst__beside(in->t0, in->t1), in->y0, tg, 0);
    return 0;
}

/* ---- mu ---------------------------------------------------------------------------------------------------------------- */

static void times(size_t count, double c, const double *x, double *to)
{
    for (size_t i = 0; i < count; i++) to[i] = c * x[i];
}

/* mu += weight (f_p^T lambda + r_p^T omega) at t, of a block of w lanes */
static int add_lanes(backward *b, const path_point *at, double weight, int w, const double *lambda, const double *omega,
                     double *mu)
{
    costate_solver *s = b->s;
    const deriv_function *r = &s->d.running;
    const size_t lanes = (size_t)w;
    times((size_t)s->prob.n * lanes, weight, lambda, b->v);
    TRY(deriv_vjp(&s->d, at->t, at->y, s->p, w, b->v, NULL, mu));
    if (!r->fn.eval || !omega) return 0;
    times((size_t)s->nobj * lanes, weight, omega, b->seed);
    return cst__of(s, "running's vjp", r->fn.vjp(0, at->t, at->y, s->p, w, b->seed, NULL, mu, r->data));
}

/* mudot += weight (f_p^T lambdadot + (f_py ydot + f_pp pdot)^T lambda + (r_py ydot + r_pp pdot)^T omega) */
static int add_second(backward *b, const path_point *at, double weight, int w, const double *lambda, const double *lambdadot,
                      double *mudot)
{
    costate_solver *s = b->s;
    const deriv_function *r = &s->d.running;
    const size_t n = (size_t)s->prob.n, lanes = (size_t)w;
    times(n * lanes, weight, lambdadot, b->v);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < lanes; l++) b->u[i * lanes + l] = weight * lambda[i];
    TRY(deriv_vjp_dot(&s->d, at->t, at->y, s->p, w, NULL, at->ydot, b->pdot, b->u, b->v, NULL, NULL, NULL, mudot));
    if (!r->fn.eval) return 0;
    for (int o = 0; o < s->nobj; o++)
        for (size_t l = 0; l < lanes; l++) b->seed[(size_t)o * lanes + l] = weight * b->par[o];
    return cst__of(
        s, "running's vjp_dot",
        r->fn.vjp_dot(0, at->t, at->y, s->p, w, NULL, at->ydot, b->pdot, b->seed, NULL, NULL, NULL, NULL, mudot, r->data));
}

/* Over all lanes: others(q) is block q there. */
static int add_point(backward *b, double t, double weight, const double *lambda, const double *const *others, const tangent *tg)
{
    const size_t np = (size_t)b->s->prob.np;
    const path_point *at = path_at(&b->path, t);
    if (!at) return -1;
    if (!b->second) TRY(add_lanes(b, at, weight, 1, lambda, b->par, b->mu));
    double *mu = b->mu + np;
    for (int q = 0; tg && q < tg->cut.blocks; q++) {
        const dblock *d = &tg->block[q];
        if (b->second) TRY(add_second(b, at, weight, d->w, lambda, others[q], mu));
        else TRY(add_lanes(b, at, weight, d->w, others[q], d->pdot, mu));
        mu += np * (size_t)d->w;
    }
    return 0;
}

enum { BLOCKS = 64 };

static void push_node(backward *b, double t, const double *lambda, tangent *tg, int end)
{
    const size_t n = (size_t)b->s->prob.n;
    const back_node last = b->node[BACK_NODES - 1];
    memmove(b->node + 1, b->node, (BACK_NODES - 1) * sizeof *b->node);
    b->node[0] = (back_node){t, 0, last.lambda};
    double *to = last.lambda;
    memcpy(to, lambda, n * sizeof *to);
    to += n;
    for (int q = 0; tg && q < tg->cut.blocks; q++) {
        const dblock *d = &tg->block[q];
        memcpy(to, end ? d->ydotnew : d->ydot, n * (size_t)d->w * sizeof *to);
        to += n * (size_t)d->w;
    }
    b->tg = tg;
    b->nodes++;
}

int cst__back_flush(backward *b, int keep)
{
    const size_t n = (size_t)b->s->prob.n;
    const double *others[BLOCKS];
    for (; b->nodes > keep; b->nodes--) {
        const back_node *k = &b->node[b->nodes - 1];
        const double *at = k->lambda + n;
        for (int q = 0; b->tg && q < b->tg->cut.blocks; q++) {
            others[q] = at;
            at += n * (size_t)b->tg->block[q].w;
        }
        if (k->weight != 0) TRY(add_point(b, k->t, k->weight, k->lambda, others, b->tg));
    }
    return 0;
}

static int integrate(backward *b, const step *st, tangent *tg)
{
    costate_solver *in = b->in;
    quadrature q, lanes[BLOCKS];
    const double *others[BLOCKS];
    in->fam->quadrature(in, st, NULL, &q);
    if (q.shared) {
        TRY(cst__back_flush(b, BACK_NODES - 1));
        push_node(b, st->tn, st->ynew, tg, 1);
        for (int i = 0; i < q.count && i < b->nodes; i++) b->node[i].weight -= q.weight[i];
        return 0;
    }
    for (int k = 0; tg && k < tg->cut.blocks; k++) in->fam->quadrature(in, st, &tg->block[k], &lanes[k]);
    for (int i = 0; i < q.count; i++) {
        if (q.weight[i] == 0) continue;
        for (int k = 0; tg && k < tg->cut.blocks; k++) others[k] = lanes[k].y[i];
        TRY(add_point(b, q.t[i], -q.weight[i], q.y[i], others, tg));
    }
    return 0;
}

int cst__back_accepted(void *ctx, const step *st, tangent *tg)
{
    backward *b = ctx;
    if (b->want_mu) TRY(integrate(b, st, tg));
    if (b->want_off) TRY(cst__back_defect(b, st, tg));
    if (st->to == b->in->t1) TRY(cst__back_flush(b, 0)); /* while there still are directions */
    for (int l = 0; l < 1 + b->lanes; l++) b->total[l] += b->part[l];
    b->deaf -= b->deaf > 0;
    if (st->to != b->in->t1 || fabs(st->h) > b->stride) b->stride = fabs(st->h); /* the last one may be shorter than it could */
    return st->to == b->in->t1 ? 0 : scale(b, st->to, st->ynew, tg, 1);
}

/* ---- the probe --------------------------------------------------------------------------------------------------------- */

/* Lane l of w: the integral of |q'|, and the estimate of q's error. */
static int probe(backward *b, const quadrature *q, size_t w, size_t l, const double *omega, double *size, double *error)
{
    const size_t n = (size_t)b->s->prob.n;
    *size = *error = 0;
    for (int i = 0; i < q->count; i++) {
        const double t = q->shared && i ? b->node[i - 1].t : q->t[i]; /* the same bits, so that it is looked up */
        const path_point *at = path_probe(&b->path, t, b->probe);
        double slope = 0, terms = 0;
        if (!at) return -1;
        for (size_t k = 0; k < n; k++) {
            const double term = q->y[i][k * w + l] * at->f[k];
            slope += term;
            terms += fabs(term);
        }
        for (int o = 0; b->s->d.running.fn.eval && o < b->s->nobj; o++) {
            const double term = omega[(size_t)o * w + l] * at->r[o];
            slope += term;
            terms += fabs(term);
        }
        *size += fabs(q->weight[i]) * fmax(fabs(slope), cancels * terms);
        *error += q->estimate[i] * slope;
    }
    return 0;
}

/* What an attempt says of the error of q, in tolerances: of its integral so far, and over this step alone. */
typedef struct verdict_of_probe {
    double worst, own;
} verdict_of_probe;

static void look(const backward *b, size_t lane, double error, verdict_of_probe *v)
{
    if (error == 0) return;
    v->worst = fmax(v->worst, fabs(error) / (b->rtol * (b->total[lane] + b->part[lane])));
    v->own = fmax(v->own, fabs(error) / (b->rtol * b->part[lane]));
}

/* P is known to the tolerance only, and so is q'. An error that is small for the step itself and does not fall with h comes from
 * that; then such errors are borne for a while. */
static const double borne = 100, falls = 0.5;
enum { WHILE = 8 };

static void heed(backward *b, const step *st, const verdict_of_probe *v, double *err)
{
    if (b->doubt > 0 && b->doubt_at == st->from && v->own < borne && v->worst > falls * b->doubt) b->deaf = WHILE;
    b->doubt = 0;
    if (b->deaf && v->own < borne) return;
    *err = fmax(*err, v->worst);
    if (v->worst <= 1) return;
    b->doubt = v->worst;
    b->doubt_at = st->from;
}

int cst__back_judge(void *ctx, const step *st, tangent *tg, double *err)
{
    backward *b = ctx;
    costate_solver *in = b->in;
    quadrature q;
    double error;
    verdict_of_probe v = {0};
    if (!b->want_mu) return 0;
    in->fam->quadrature(in, st, NULL, &q);
    TRY(probe(b, &q, 1, 0, b->par, &b->part[0], &error));
    look(b, 0, error, &v);
    for (int k = 0; tg && !b->second && k < tg->cut.blocks; k++) {
        dblock *d = &tg->block[k];
        in->fam->quadrature(in, st, d, &q);
        for (int l = 0; l < cut_used(b->cut, k); l++) {
            const size_t lane = 1 + offset_of(b, k) + (size_t)l;
            TRY(probe(b, &q, (size_t)d->w, (size_t)l, d->pdot, &b->part[lane], &error));
            look(b, lane, error, &v);
        }
    }
    heed(b, st, &v, err);
    return 0;
}
