/* second.c - Hessian times directions: the backward sweep differentiated along a tangent run over the same steps.
 *
 * Block by block: a tangent run over the recorded steps; then one sweep back carries (lambda, lambdadot) and mudot. The result
 * is the exact Hessian of the discrete objective. Lane l has its own objective weights and its own direction.
 *
 * The tangent run takes states and stages from the record and keeps its directions beside it. Where the record no longer holds
 * the stages of all steps, the steps themselves are repeated, and state and directions are recorded together. */
#include "sens/drift.h"
#include "sens/given.h"
#include "sens/back.h"
#include "sens/sweep.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "core/workers.h"
#include "platform/machine.h"
#include "sens/fast.h"

typedef struct arrays {
    const double *weights, *ydot, *pdot;
    double *hy0, *hp;
    lane_cut cut;
} arrays;

/* Memory of a block's sweep, behind that of its directions. */
static size_t adjoint_doubles(const costate_solver *s, int w)
{
    size_t lanes = (size_t)w, work = (s->fam->second_doubles ? s->fam->second_doubles : s->fam->adjoint_doubles)(s);
    return 2 * cst__pad(s->live * lanes) + cst__pad((size_t)s->prob.np * lanes) + cst__pad((size_t)s->nobj * lanes) +
           cst__drift_doubles(s, w) + cst__pad(work * lanes);
}

/* 1: one block has all lanes, and the caller's arrays for parameters can be used as they are: what is added to hp does not
 * change pdot. */
static int in_place(const costate_solver *s, const arrays *a)
{
    const size_t count = (size_t)s->prob.np * (size_t)a->cut.w;
    return cut_width(a->cut, 0) == a->cut.w && (!a->hp || !a->pdot || a->hp + count <= a->pdot || a->pdot + count <= a->hp);
}

static void load_adjoint(costate_solver *s, const arrays *a, int q, const dblock *d, ablock *b, double *at)
{
    const lane_cut c = a->cut;
    size_t lanes = (size_t)d->w, lw = cst__pad(s->live * lanes), npw = cst__pad((size_t)s->prob.np * lanes);
    *b = (ablock){.w = d->w, .lambda = at, .lambda_dot = at + lw, .mu_dot = at + 2 * lw, .pdot = d->pdot};
    b->omega = at += 2 * lw + npw;
    at += cst__pad((size_t)s->nobj * lanes);
    b->flow = cst__drift_watched(s) ? at : NULL;
    b->work = at + cst__drift_doubles(s, d->w);
    memset(b->lambda, 0, 2 * lw * sizeof *at);
    if (!s->prob.np || !a->hp) b->mu_dot = NULL;
    else if (in_place(s, a)) b->mu_dot = a->hp;
    if (b->mu_dot) memset(b->mu_dot, 0, (size_t)s->prob.np * lanes * sizeof *b->mu_dot);
    if (a->weights) cst__block_load(c, q, (size_t)s->nobj, a->weights, b->omega);
    else
        for (size_t i = 0; i < (size_t)s->nobj * lanes; i++) b->omega[i] = 1;
}

static int block(costate_solver *s, int q, void *ctx)
{
    const arrays *a = ctx;
    lane_cut c = a->cut;
    int w = cut_width(c, q);
    size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np, joint = joint_at(s) + cst__pad(s->live * (size_t)w);
    size_t tangent_part = cst__dblock_doubles(s, w);
    double *at = cst__scratch(s, &s->sweep, tangent_part + 2 * joint + adjoint_doubles(s, w));
    if (!at) return s->status;
    dblock d;
    tangent tg = {.cut = {1, w, w}, .block = &d, .joint = {at + tangent_part, at + tangent_part + joint}};
    cst__dblock_carve(s, &d, w, at);
    d.ydot = tg.joint[0] + joint_at(s);
    cst__block_load(c, q, n, a->ydot, d.ydot);
    if (!a->pdot || !np) d.pdot = NULL;
    else if (in_place(s, a)) d.pdot = a->pdot;
    else cst__block_load(c, q, np, a->pdot, d.own_pdot);
    int rc = cst__dblock_init(s, &d);
    if (rc) return cst__callback_failed(s, rc, "jvp", s->t0, 0, 0);
    TRY(cst__traj_prepare(s, JOINT, (size_t)w));
    if (s->ev && !cst__scratch(s, &s->ev->dots, (size_t)s->ev->count * (1 + n) * (size_t)w)) return s->status;
    TRY(cst__repeat(s, s->y0, &tg, JOINT, NULL, NULL));
    if (s->ev) s->ev->kept = 1;

    ablock b;
    load_adjoint(s, a, q, &d, &b, at + tangent_part + 2 * joint);
    replay_context context = {s, &tg};
    sweep sw = {.which = JOINT, .replay = cst__replay_joint, .context = &context, .block = &b, .count = 1, .objectives = 1};
    sw.yend = s->yend;
    sw.params_only = !a->hy0;
    sw.ydot_end = d.ydot; /* where the tangent run left off */
    int swept = cst__sweep(s, &sw);
    if (s->ev) s->ev->kept = 0;
    TRY(swept);
    if (a->hy0) cst__block_store(c, q, n, b.lambda_dot, a->hy0);
    if (b.mu_dot && b.mu_dot != a->hp) cst__block_store(c, q, np, b.mu_dot, a->hp);
    s->stats.recomputed_steps += cst__record_recomputed(s, JOINT);
    return 0;
}

const char *cst__second_lacks(const costate_solver *s)
{
    const char *lacks = s->fam->second_lacks ? s->fam->second_lacks(s) : NULL;
    return lacks ? lacks : cst__consistent_lacks(s);
}

static int check(costate_solver *s, int w, const arrays *a)
{
    size_t lanes = (size_t)w;
    TRY(cst__sweep_ready(s));
    TRY(cst__given_test(s));
    const int continuous = s->opt.adjoint[0] == 'c';
    const char *lacks = continuous ? NULL : cst__second_lacks(s);
    if (continuous && s->constraint)
        return cst__fail(s, COSTATE_ERR_CONTINUOUS, "there are variables of index 2, for which it is of first order only");
    if (lacks) return cst__fail(s, COSTATE_ERR_SECOND, "%s needs %s", s->stats.method, lacks);
    if ((a->ydot && !cst__all_finite((size_t)s->prob.n * lanes, a->ydot)) ||
        (a->pdot && !cst__all_finite((size_t)s->prob.np * lanes, a->pdot)))
        return cst__fail(s, COSTATE_ERR_INPUT, "a direction");
    if (a->weights && !cst__all_finite((size_t)s->nobj * lanes, a->weights))
        return cst__fail(s, COSTATE_ERR_INPUT, "a weight of the objectives");
    return 0;
}

static int products(costate_solver *s, int w, arrays *a)
{
    int workers;
    s->stats.recomputed_steps = 0;
    s->fast_part = s->drift = 0;
    if (s->opt.adjoint[0] == 'c') return cst__back_hessian(s, w, a->weights, a->ydot, a->pdot, a->hy0, a->hp);
    a->cut = cut_lanes(s, w);
    TRY(cst__workers_prepare(s, a->cut.blocks, &workers));
    cst__joint_share(s, (size_t)cut_width(a->cut, 0), &workers);
    TRY(cst__workers_run(s, workers, a->cut.blocks, 0, block, a));
    cst__fast_judge(s);
    cst__traj_report(s, JOINT);
    return 0;
}

/* Results may take the place of directions, and then there is no second time. */
static int overlap(const double *a, const double *b, size_t count)
{
    return a && b && a < b + count && b < a + count;
}

static int hessian(costate_solver *s, int w, arrays *a)
{
    const size_t lanes = (size_t)w, nw = (size_t)s->prob.n * lanes, npw = (size_t)s->prob.np * lanes;
    const int in_place = overlap(a->hy0, a->ydot, nw) || overlap(a->hp, a->pdot, npw);
    const double began = platform_now();
    int again = 1;
    TRY(check(s, w, a));
    while (again == 1) {
        TRY(products(s, w, a));
        again = cst__drift_settle(s, NULL, !in_place);
    }
    s->stats.adjoint_s = platform_now() - began;
    return again;
}

int costate_hessian(costate_solver *s, int w, const double *weights, const double *ydot, const double *pdot, double *hy0,
                    double *hp)
{
    int status = cst__begin(s);
    arrays a = {.weights = weights, .ydot = ydot, .pdot = pdot, .hy0 = hy0, .hp = hp};
    if (!status && w < 1) status = cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", w);
    if (!status && !hy0 && !hp) status = cst__fail(s, COSTATE_ERR_NULL, "hy0 and hp");
    if (!status) status = hessian(s, w, &a);
    if (status) cst__no_numbers(s, w > 0 ? (size_t)w : 0, hy0, hp);
    return status;
}
