/* tangent.c - forward sensitivities: a run that carries w directions. */
#include "sens/drift.h"
#include "sens/fast.h"
#include "sens/given.h"
#include "sens/over.h"

#include "base/kernels.h"

/* Memory for all blocks, and the directions at t0 in them. */
static int load(costate_solver *s, tangent *tg)
{
    const double *ydot = tg->given_ydot, *pdot = tg->given_pdot;
    lane_cut c = tg->cut;
    size_t need = 0, n = (size_t)s->prob.n, np = (size_t)s->prob.np;
    for (int b = 0; b < c.blocks; b++) need += cst__dblock_doubles(s, cut_width(c, b));
    double *at = cst__scratch(s, &s->sweep, need);
    if (!at) return s->status;
    for (int b = 0; b < c.blocks; b++) {
        dblock *d = &tg->block[b];
        int w = cut_width(c, b);
        cst__dblock_carve(s, d, w, at);
        at += cst__dblock_doubles(s, w);
        cst__block_load(c, b, n, ydot, d->ydot);
        cst__block_load(c, b, np, pdot, d->own_pdot);
        if (!pdot || !np) d->pdot = NULL;
        memset(d->qdot, 0, (size_t)s->nobj * (size_t)w * sizeof *d->qdot);
        int rc = cst__dblock_init(s, d);
        if (rc) return cst__callback_failed(s, rc, "jvp", s->t0, 0, 0);
    }
    return 0;
}

/* At the end, if the run was at the limit there. */
static int judge(costate_solver *s, const tangent *tg)
{
    s->fast_part = 0;
    for (int b = 0; s->fast_step >= 0 && s->fast_end > 0 && b < tg->cut.blocks; b++) {
        const dblock *d = &tg->block[b];
        TRY(cst__fast_measure(s, 0, s->fast_end, s->t1, s->yend, d->w, d->ydot));
    }
    for (int b = 0; s->fast_part == 0 && b < tg->cut.blocks; b++) {
        const dblock *d = &tg->block[b];
        TRY(cst__fast_explodes(s, 0, s->t1, s->yend, d->w, d->ydot, NULL));
    }
    cst__fast_judge(s);
    return 0;
}

/* The blocks of w directions, and room for those of the objectives. */
static int prepare(costate_solver *s, int w, const double *ydot, const double *pdot, tangent *tg)
{
    *tg = (tangent){.cut = cut_lanes(s, w), .control = s->opt.tangent_control[0] == 'a', .load = load};
    tg->given_ydot = ydot;
    tg->given_pdot = pdot;
    if (!cst__scratch(s, &s->psidot, (size_t)s->nobj * (size_t)w)) return s->status;
    tg->block = cst__alloc(&s->alloc, (size_t)tg->cut.blocks, sizeof *tg->block);
    return tg->block ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "%d blocks of directions", tg->cut.blocks);
}

/* What has become of them. */
static void hand_over(costate_solver *s, const tangent *tg, double *ydot)
{
    for (int b = 0; b < tg->cut.blocks; b++) {
        cst__block_store(tg->cut, b, (size_t)s->prob.n, tg->block[b].ydot, ydot);
        cst__block_store(tg->cut, b, (size_t)s->nobj, tg->block[b].qdot, s->psidot.at);
    }
    s->w_tangent = tg->cut.w;
}

int cst__tangent_over(costate_solver *s, int w, double *ydot, const double *pdot)
{
    tangent tg;
    TRY(prepare(s, w, ydot, pdot, &tg));
    int status = tg.load(s, &tg);
    if (!status) status = cst__repeat(s, s->y0, &tg, -1, s->yend, s->psi);
    if (!status) hand_over(s, &tg, ydot);
    s->have_tangent = !status;
    cst__release(&s->alloc, tg.block);
    return status;
}

/* Until f, which is a direction that the solution itself carries, is where it should be. It costs as much as a few directions;
 * with a named method, whose steps stay, only a word comes of it, and that can be had from the first run. */
static int settle(costate_solver *s, tangent *tg)
{
    int again = cst__drift_doubted(s);
    while (again == 1) {
        s->looked = 1;
        s->drift = 0;
        TRY(cst__drift_carry(s));
        again = cst__drift_settle(s, tg, 1);
        if (again == 1) TRY(judge(s, tg));
    }
    return again;
}

static int carry(costate_solver *s, double t0, double t1, const double *p, const double *y, int w, double *ydot,
                 const double *pdot)
{
    if (w < 1) return cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", w);
    if (!ydot) return cst__fail(s, COSTATE_ERR_NULL, "ydot");
    if (!cst__all_finite((size_t)s->prob.n * (size_t)w, ydot) || (pdot && !cst__all_finite((size_t)s->prob.np * (size_t)w, pdot)))
        return cst__fail(s, COSTATE_ERR_INPUT, "a direction");
    TRY(cst__start(s, t0, t1, p, y));
    tangent tg;
    TRY(prepare(s, w, ydot, pdot, &tg));
    int status = cst__run(s, &tg);
    if (!status) status = cst__given_test(s);
    if (!status) status = judge(s, &tg);
    if (!status) status = settle(s, &tg);
    if (!status) hand_over(s, &tg, ydot);
    s->have_tangent = !status;
    cst__release(&s->alloc, tg.block);
    return status;
}

int costate_tangent(costate_solver *s, double t0, double t1, const double *p, double *y, int w, double *ydot, const double *pdot)
{
    int status = cst__begin(s);
    if (!status) status = carry(s, t0, t1, p, y, w, ydot, pdot);
    if (!status) {
        memcpy(y, s->yend, (size_t)s->prob.n * sizeof *y);
        return 0;
    }
    cst__run_failed(s, y);
    const size_t lanes = w > 0 ? (size_t)w : 0;
    cst__no_numbers(s, lanes, ydot, NULL);
    if (s) {
        s->have_run = s->have_tangent = 0;
        cst__no_numbers(s, (size_t)s->out.count * lanes, s->out.ydot, NULL);
    }
    return status;
}

int costate_objectives_dot(costate_solver *s, double *psidot)
{
    TRY(cst__begin(s));
    if (!psidot) return cst__fail(s, COSTATE_ERR_NULL, "psidot");
    if (!s->have_tangent) return cst__fail(s, COSTATE_ERR_NO_TANGENT, "costate_objectives_dot");
    memcpy(psidot, s->psidot.at, (size_t)s->nobj * (size_t)s->w_tangent * sizeof *psidot);
    return 0;
}
