/* back_second.c - Hessian times directions by the adjoint equations, differentiated along the tangent of the run (dSOA).
 *
 *     M^T lambdadot' = -f_y^T lambdadot - (f_yy ydot + f_yp pdot)^T lambda - (r_yy ydot + r_yp pdot)^T omega
 *     mudot' = -f_p^T lambdadot - (f_py ydot + f_pp pdot)^T lambda - (r_py ydot + r_pp pdot)^T omega
 *
 * ydot has the run's own steps and is interpolated as y is. Directions that go with the same objective go together: lambda and
 * the factors are theirs in common. docs/theory.md (105), (106) */
#include "sens/back.h"

#include "base/kernels.h"
#include "core/workers.h"

/* Directions are interpolated, which leaves an error of about a tolerance; of that their linear systems may leave so much. */
static const double spared = 0.01;

/* Lanes of a call that a group is made of; behind them it may have lanes of zeros. */
typedef struct lanes {
    int first, count, width;
} lanes;

typedef struct products {
    int w;
    const double *weights, *ydot, *pdot;
    double *hy0, *hp;
    lanes *group;
    int groups;
    costate_stats last; /* of the last group */
} products;

/* Lanes from `first` on that have the objectives of that lane, as many as go together. */
static int alike(const costate_solver *s, const products *a, int first)
{
    int count = 1;
    for (; first + count < a->w && count < s->opt.lanes; count++)
        for (int o = 0; a->weights && o < s->nobj; o++)
            if (a->weights[o * a->w + first + count] != a->weights[o * a->w + first]) return count;
    return count;
}

static void gather(size_t rows, int w, lanes g, const double *from, double *to)
{
    for (size_t i = 0; from && i < rows; i++)
        for (int l = 0; l < g.count; l++) to[i * (size_t)g.width + (size_t)l] = from[i * (size_t)w + (size_t)(g.first + l)];
}

static void scatter(size_t rows, int w, lanes g, const double *from, double *to)
{
    for (size_t i = 0; to && i < rows; i++)
        for (int l = 0; l < g.count; l++) to[i * (size_t)w + (size_t)(g.first + l)] = from[i * (size_t)g.width + (size_t)l];
}

/* The run's steps once more with the directions, which are recorded. */
static int directions(costate_solver *s, tangent *tg)
{
    dblock *d = &tg->block[0];
    const int rc = cst__dblock_init(s, d);
    if (rc) return cst__callback_failed(s, rc, "jvp", s->t0, 0, 0);
    TRY(cst__traj_prepare(s, JOINT, (size_t)d->w));
    if (s->ev && !cst__scratch(s, &s->ev->dots, (size_t)s->ev->count * (1 + (size_t)s->prob.n) * (size_t)d->w)) return s->status;
    TRY(cst__repeat(s, s->y0, tg, JOINT, NULL, NULL));
    if (s->ev) s->ev->kept = 1;
    return 0;
}

/* Of the blocks of the way back into one. */
static void collect(const backward *b, size_t w, double *mudot)
{
    const size_t np = (size_t)b->s->prob.np;
    const double *at = b->mu + np;
    for (int q = 0; q < b->cut.blocks; q++) {
        const size_t width = (size_t)cut_width(b->cut, q);
        for (size_t i = 0; i < np; i++)
            for (size_t l = 0; l < (size_t)cut_used(b->cut, q); l++)
                mudot[i * w + (size_t)(q * b->cut.lanes) + l] += at[i * width + l];
        at += np * width;
    }
}

static int back(costate_solver *s, tangent *tg, ablock *owed)
{
    const int w = owed->w;
    TRY(cst__back_begin(s, w, 1, owed->mu_dot != NULL, tg));
    backward *b = s->back;
    b->objectives = 1;
    b->rows_w = 0;
    b->pdot = owed->pdot;
    for (int o = 0; o < s->nobj; o++) b->par[o] = owed->omega[o * w];
    for (int l = 0; l < w; l++) b->pars[s->nobj * w + l] = 1;
    TRY(cst__back_run(b, owed));
    TRY(cst__back_finish(b, owed));
    if (owed->mu_dot) collect(b, (size_t)w, owed->mu_dot);
    return cst__back_finite(s, owed->lambda_dot, owed->mu_dot, (size_t)w);
}

static size_t joint_doubles(const costate_solver *s, size_t w)
{
    return joint_at(s) + cst__pad(s->live * w);
}

static int group(costate_solver *s, int q, void *ctx)
{
    products *a = ctx;
    const lanes g = a->group[q];
    const int w = g.width;
    const size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np, wide = (size_t)w, nw = cst__pad(n * wide);
    const size_t pw = cst__pad(np * wide), ow = cst__pad((size_t)s->nobj * wide), joint = joint_doubles(s, wide);
    const size_t size = cst__dblock_doubles(s, w) + 2 * joint + 2 * nw + pw + ow;
    double *memory = cst__alloc(&s->alloc, size, sizeof *memory), *at = memory;
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "Hessian products along %d directions", w);
    memset(at, 0, size * sizeof *at);
    dblock d;
    cst__dblock_carve(s, &d, w, at);
    at += cst__dblock_doubles(s, w);
    tangent tg = {.cut = {1, w, w}, .block = &d, .joint = {at, at + joint}};
    at += 2 * joint;
    d.ydot = tg.joint[0] + joint_at(s);
    gather(n, a->w, g, a->ydot, d.ydot);
    if (!a->pdot || !np) d.pdot = NULL;
    else gather(np, a->w, g, a->pdot, d.own_pdot);
    ablock owed = {.w = w, .lambda = at, .lambda_dot = at + nw, .pdot = d.pdot, .omega = at + 2 * nw + pw};
    if (a->hp && np) owed.mu_dot = at + 2 * nw;
    for (size_t o = 0; o < (size_t)s->nobj; o++) /* lambda is the same in all lanes */
        for (size_t l = 0; l < wide; l++)
            owed.omega[o * wide + l] = a->weights ? a->weights[o * (size_t)a->w + (size_t)g.first] : 1;
    const double sweep_tol = s->opt.sweep_tol, rtol = s->opt.rtol;
    if (sweep_tol == 0 && s->opt.step == 0 && rtol > 0) s->opt.sweep_tol = spared * rtol; /* for directions, also if replayed */
    int status = directions(s, &tg);
    if (!status) status = back(s, &tg, &owed);
    s->opt.sweep_tol = sweep_tol;
    cst__back_end(s);
    if (s->ev) s->ev->kept = 0;
    if (!status) scatter(n, a->w, g, owed.lambda_dot, a->hy0);
    if (!status && owed.mu_dot) scatter(np, a->w, g, owed.mu_dot, a->hp);
    cst__release(&s->alloc, memory);
    if (q == a->groups - 1) a->last = s->stats;
    return status;
}

/* All groups, in threads. */
static int groups(costate_solver *s, products *a)
{
    int workers, widest = 1;
    for (int first = 0; first < a->w; first += a->group[a->groups++].count) {
        const int count = alike(s, a, first);
        a->group[a->groups] = (lanes){first, count, cut_width(cut_lanes(s, count), 0)};
        if (a->group[a->groups].width > widest) widest = a->group[a->groups].width;
    }
    TRY(cst__workers_prepare(s, a->groups, &workers));
    cst__joint_share(s, (size_t)widest, &workers); /* it says where directions are */
    TRY(cst__workers_run(s, workers, a->groups, 0, group, a));
    cst__back_report(s, &a->last);
    return 0;
}

int cst__back_hessian(costate_solver *s, int w, const double *weights, const double *ydot, const double *pdot, double *hy0,
                      double *hp)
{
    products a = {w, weights, ydot, pdot, hy0, hp, .last = s->stats};
    a.group = cst__alloc(&s->alloc, (size_t)w, sizeof *a.group);
    if (!a.group) return cst__fail(s, COSTATE_ERR_MEMORY, "%d directions", w);
    const int status = groups(s, &a);
    cst__release(&s->alloc, a.group);
    return status;
}
