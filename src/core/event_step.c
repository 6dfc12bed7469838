/* event_step.c - steps that begin or end at an event, along directions. See events.h (E1).
 *
 * A step that ends at a guard is tangent twice: with its end held, which says how its end moves, and then with it. A step of no
 * length is y+ = y + h f + ..., at h = 0; differential states go by it, and algebraic ones are made consistent again. */
#include "core/driver.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "method/mass.h"

#include <math.h>

/* ---- the step ----------------------------------------------------------------------------------------------------------- */

/* One that ends at an event is solved to round-off, as steps of a given size are: else the guard is noisy in its size. */
int cst__event_take(costate_solver *s, const step *st, double *err)
{
    const double given = s->opt.step, tol = s->opt.newton_tol;
    if (st->h == 0) {
        if (st->ynew) memcpy(st->ynew, st->y, s->state * sizeof *st->y);
        if (err) *err = 0;
        return 0;
    }
    s->opt.step = fabs(st->h);
    s->opt.newton_tol = 0;
    int rc = s->fam->step(s, st, err);
    s->opt.step = given;
    s->opt.newton_tol = tol;
    return rc;
}

/* ---- products of moved steps -------------------------------------------------------------------------------------------- */

void cst__event_load(costate_solver *s, const double *pdot, int w, const double *z, const double *sdot)
{
    const size_t np = (size_t)s->prob.np * (size_t)w;
    double *to = s->ev->pext;
    if (pdot) memcpy(to, pdot, np * sizeof *to);
    else memset(to, 0, np * sizeof *to);
    for (int l = 0; l < w; l++) {
        to[np + (size_t)l] = z ? z[l] : 0;
        to[np + (size_t)(w + l)] = sdot[l];
    }
}

/* Those of the method, and both ends. */
static void load_nodes(const costate_solver *s)
{
    events *v = s->ev;
    v->node[0] = 0, v->node[1] = 1;
    v->mv.node = v->node;
    v->mv.nodes = 2;
    for (int i = 0; i < s->table->stages; i++) v->node[v->mv.nodes++] = tableau_node(s->table, i);
}

void cst__event_move(costate_solver *s, const step *st)
{
    load_nodes(s);
    moving_begin(&s->ev->mv, st->t, st->h, fabs(s->t1 - s->t0));
    s->prob.np += 2;
}

void cst__event_rest(costate_solver *s)
{
    s->prob.np -= 2;
    moving_end(&s->ev->mv);
}

/* The step's tangent with rows z and s, which are in ev->pext; the linear systems of iterated ones to round-off. */
static int moved_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    dblock moved = *d;
    const double tol = s->opt.sweep_tol;
    moved.pdot = s->ev->pext;
    moved.fdot_valid = 0;
    s->opt.sweep_tol = 1e-15;
    cst__event_move(s, st);
    int rc = s->fam->tangent(s, st, &moved, err);
    cst__event_rest(s);
    s->opt.sweep_tol = tol;
    d->fdot_valid = d->fdotnew_valid = 0;
    d->moved = 1;
    return rc;
}

int cst__event_still(costate_solver *s, const step *st, int w, const double *shift, double *ydot, double *f)
{
    TRY(deriv_rhs(&s->d, st->t, st->y, s->p, f));
    mass_divide(s, f);
    for (size_t i = 0; i < (size_t)s->prob.n; i++)
        for (size_t l = 0; l < (size_t)w; l++) ydot[i * (size_t)w + l] += shift[l] * f[i];
    return 0;
}

static int tangent_along(costate_solver *s, const step *st, dblock *d, const double *z, const double *shift, double *err)
{
    double sdot[LANES_MOST];
    const size_t w = (size_t)d->w;
    if (st->h == 0) {
        for (size_t l = 0; l < w; l++) sdot[l] = shift[l] + (z ? z[l] : 0); /* of its end */
        d->moved = 1;
        if (err) *err = 0;
        if (!d->ydotnew) return 0; /* there are no stages to be had */
        memcpy(d->ydotnew, d->ydot, s->live * w * sizeof *d->ydot);
        TRY(cst__event_still(s, st, d->w, shift, d->ydotnew, s->ev->f));
        return cst__consistent_behind_tangent(s, st->to, st->y, sdot, d, d->ydotnew);
    }
    for (size_t l = 0; l < w; l++) sdot[l] = shift[l] / st->h;
    cst__event_load(s, d->pdot, d->w, z, sdot);
    return moved_tangent(s, st, d, err);
}

static const double *end_state(const costate_solver *s, const step *st)
{
    return st->ynew ? st->ynew : event_before(s, st->ends);
}

/* A block of one direction and what an adjoint of one lane needs, in ev->one. */
static int room_for_one(costate_solver *s)
{
    events *v = s->ev;
    v->one = cst__scratch(s, &v->room, cst__dblock_doubles(s, 1));
    return v->one ? 0 : s->status;
}

int cst__event_by_size(costate_solver *s, const step *st, double *b, double *q)
{
    const size_t n = (size_t)s->prob.n;
    const double one = 1;
    dblock d;
    const deriv_function *r = &s->d.running;
    if (q) memset(q, 0, (size_t)s->nobj * sizeof *q);
    if (st->h == 0) {
        TRY(cst__consistent_slopes(s, st->t, st->y, b));
        return q && r->fn.eval ? r->fn.eval(0, st->t, st->y, s->p, q, r->data) : 0;
    }
    TRY(room_for_one(s));
    memset(s->ev->one, 0, cst__dblock_doubles(s, 1) * sizeof(double));
    cst__dblock_carve(s, &d, 1, s->ev->one);
    d.pdot = NULL;
    TRY(tangent_along(s, st, &d, NULL, &one, NULL));
    memcpy(b, d.ydotnew, n * sizeof *b);
    if (!q || !r->fn.eval) return 0;
    d.pdot = s->ev->pext; /* still that of a unit of h */
    cst__event_move(s, st);
    int rc = s->fam->running_tangent(s, st, &d);
    cst__event_rest(s);
    memcpy(q, d.qdot, (size_t)s->nobj * sizeof *q);
    return rc;
}

/* taudot of the step's end. The block's ydotnew holds a. */
static int guard_moves(costate_solver *s, const step *st, dblock *d)
{
    const events *v = s->ev;
    const deriv_function *g = &s->d.event;
    const size_t w = (size_t)d->w;
    const double *y = end_state(s, st), one = 1;
    double along[LANES_MOST];
    const int k = st->ends->k;
    TRY(cst__event_by_size(s, st, v->row, NULL));
    double *values = cst__scratch(s, &s->ev->room, cst__pad((size_t)v->guards * w) + cst__pad((size_t)v->guards));
    if (!values) return s->status;
    TRY(cst__of(s, "event's jvp", g->fn.jvp(0, st->to, y, s->p, d->w, NULL, d->ydotnew, d->pdot, values, g->data)));
    for (size_t l = 0; l < w; l++) along[l] = values[(size_t)k * w + l];
    TRY(cst__of(s, "event's jvp", g->fn.jvp(0, st->to, y, s->p, 1, &one, v->row, NULL, values, g->data)));
    for (size_t l = 0; l < w; l++) d->taudot[l] = -along[l] / values[k];
    return 0;
}

static int time_moves(costate_solver *s, const step *st, dblock *d)
{
    const events *v = s->ev;
    const deriv_function *g = &s->d.event_times;
    const size_t w = (size_t)d->w, j = (size_t)(st->ends->k - v->guards);
    memset(d->taudot, 0, w * sizeof *d->taudot);
    if (!d->pdot) return 0;
    double *values = cst__scratch(s, &s->ev->room, (size_t)v->timed * w);
    if (!values) return s->status;
    TRY(cst__of(s, "event_times' jvp", g->fn.jvp(0, s->t0, NULL, s->p, d->w, NULL, NULL, d->pdot, values, g->data)));
    for (size_t l = 0; l < w; l++) d->taudot[l] = values[j * w + l];
    return 0;
}

int cst__event_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    double shift[LANES_MOST];
    const int begins = st->begins && st->begins->moves, ends = st->ends && st->ends->moves, w = d->w;
    if (s->ev->kept && begins) memcpy(d->tdot, cst__event_kept(s, st->begins, w), (size_t)w * sizeof *d->tdot);
    const double *z = begins ? d->tdot : NULL;
    memset(d->taudot, 0, sizeof d->taudot);
    if (ends && s->ev->kept) memcpy(d->taudot, cst__event_kept(s, st->ends, w), (size_t)w * sizeof *d->taudot);
    else if (ends && st->ends->k >= s->ev->guards) TRY(time_moves(s, st, d));
    else if (ends) {
        double *new = d->ydotnew;
        for (int l = 0; l < w; l++) shift[l] = z ? -z[l] : 0;
        TRY(tangent_along(s, st, d, z, shift, NULL));
        d->ydotnew = new;
        TRY(guard_moves(s, st, d));
    }
    for (int l = 0; l < w; l++) shift[l] = d->taudot[l] - (z ? z[l] : 0);
    return tangent_along(s, st, d, z, shift, err);
}

/* ---- what is owed to a time --------------------------------------------------------------------------------------------- */

int cst__event_owes(costate_solver *s, const deriv_function *g, costate_function_jvp2 *jvp2, int k, double t, const double *y,
                    const double *tdot, const double *ydot, ablock *b)
{
    const size_t w = (size_t)b->w, rows = (size_t)g->rows;
    const double one = 1, span = fabs(s->t1 - s->t0);
    double *at = cst__scratch(s, &s->ev->room, cst__pad(rows) + cst__pad(rows * w) + (rows + 1) * w);
    if (!at) return s->status;
    double *second = at + cst__pad(rows), *work = second + cst__pad(rows * w);
    TRY(g->fn.jvp(k, t, y, s->p, 1, &one, NULL, NULL, at, g->data));
    for (size_t l = 0; l < w; l++)
        for (size_t o = 0; o < rows; o++) b->nu[l] += b->omega[o * w + l] * at[o];
    if (!b->lambda_dot) return 0;
    TRY(second_by_time(g, jvp2, span, k, t, y, s->p, b->w, tdot, ydot, b->pdot, second, work));
    for (size_t l = 0; l < w; l++)
        for (size_t o = 0; o < rows; o++) b->nu_dot[l] += b->omega[o * w + l] * second[o * w + l];
    return 0;
}

/* ---- integrals, dense output ------------------------------------------------------------------------------------------- */

static void load_again(costate_solver *s, const step *st, const dblock *d)
{
    double sdot[LANES_MOST];
    const double *z = st->begins && st->begins->moves ? d->tdot : NULL;
    for (int l = 0; l < d->w; l++) sdot[l] = (d->taudot[l] - (z ? z[l] : 0)) / st->h;
    cst__event_load(s, d->pdot, d->w, z, sdot);
}

int cst__event_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    const deriv_function *r = &s->d.running;
    if (st->h == 0) {
        const int begins = st->begins && st->begins->moves;
        TRY(r->fn.eval(0, st->t, st->y, s->p, s->psi_row, r->data));
        for (int o = 0; o < s->nobj; o++)
            for (int l = 0; l < d->w; l++)
                d->qdot[o * d->w + l] += (d->taudot[l] - (begins ? d->tdot[l] : 0)) * s->psi_row[o];
        return 0;
    }
    dblock moved = *d;
    load_again(s, st, d);
    moved.pdot = s->ev->pext;
    cst__event_move(s, st);
    int rc = s->fam->running_tangent(s, st, &moved);
    cst__event_rest(s);
    return rc;
}

/* The polynomial's slope by theta from its values at nodes; it is of degree NODES - 1 at most. */
enum { NODES = 12 };

static double node(int i)
{
    return 0.5 - 0.5 * cos(3.14159265358979323846 * i / (NODES - 1));
}

static void slope_weights(double x, double weight[NODES])
{
    for (int i = 0; i < NODES; i++) {
        weight[i] = 0;
        for (int j = 0; j < NODES; j++) {
            double product = j == i ? 0 : 1 / (node(i) - node(j));
            for (int m = 0; m < NODES && product != 0; m++)
                if (m != i && m != j) product *= (x - node(m)) / (node(i) - node(m));
            weight[i] += product;
        }
    }
}

/* A row at a fixed time t is at theta = (t - t_n)/h, which moves by -(tdot + theta hdot)/h. */
int cst__event_dense_tangent(costate_solver *s, const step *st, double theta, dblock *d, double *ydot, int first)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)d->w;
    const int begins = st->begins && st->begins->moves;
    double weight[NODES], *slope = s->ev->row;
    dblock moved = *d;
    load_again(s, st, d);
    moved.pdot = s->ev->pext;
    cst__event_move(s, st);
    int rc = s->fam->dense(s, st, theta, NULL, &moved, ydot, first);
    cst__event_rest(s);
    int moves = 0; /* known times may stay where they are */
    for (size_t l = 0; l < w; l++) moves |= (begins && d->tdot[l] != 0) || d->taudot[l] != 0;
    if (!moves) return rc;
    memset(slope, 0, n * sizeof *slope);
    slope_weights(theta, weight);
    for (int i = 0; i < NODES && !rc; i++) {
        rc = s->fam->dense(s, st, node(i), s->ev->point, NULL, NULL, 0);
        for (size_t q = 0; q < n && !rc; q++) slope[q] += weight[i] * s->ev->point[q];
    }
    for (size_t l = 0; l < w && !rc; l++) {
        const double tdot = begins ? d->tdot[l] : 0, by = -(tdot + theta * (d->taudot[l] - tdot)) / st->h;
        for (size_t q = 0; q < n; q++) ydot[q * w + l] += by * slope[q];
    }
    return rc;
}
