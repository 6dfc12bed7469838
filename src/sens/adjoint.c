/* adjoint.c - gradients: the public calls, with everything around the sweep. */
#include "sens/drift.h"
#include "sens/given.h"
#include "sens/transpose.h"

#include "base/kernels.h"
#include "platform/machine.h"
#include "sens/back.h"
#include "sens/fast.h"

/* One sweep. */
static int sweep_once(costate_solver *s, int w, int objectives, const double *weights, double *lambda, double *mu)
{
    if (!s->recorded[PRIMAL]) { /* given up for a second-order sweep: the run is repeated */
        TRY(cst__traj_prepare(s, PRIMAL, 0));
        TRY(cst__repeat(s, s->y0, NULL, PRIMAL, NULL, NULL));
    }
    const int64_t before = cst__record_recomputed(s, PRIMAL);
    s->fast_part = s->drift = 0;
    transpose discrete = {.objectives = objectives, .weights = weights, .lambda = lambda, .mu = mu};
    int status = s->opt.adjoint[0] == 'c' ? cst__back_gradient(s, w, objectives, weights, lambda, mu)
                                          : cst__transpose(s, w, &discrete);
    if (status) { /* what was computed again on the way may be at fault: the next sweep repeats the run */
        s->recorded[PRIMAL] = 0;
        return status;
    }
    s->stats.recomputed_steps = cst__record_recomputed(s, PRIMAL) - before;
    cst__fast_judge(s);
    return 0;
}

/* The common part of both. Seeds are gone after one sweep, and belong to the run that the caller knows. */
static int adjoint(costate_solver *s, int w, int objectives, const double *weights, double *lambda, double *mu)
{
    const size_t lanes = (size_t)w;
    const double began = platform_now();
    int again = 1;
    TRY(cst__sweep_ready(s));
    TRY(cst__given_test(s));
    if (!objectives && !cst__all_finite((size_t)s->prob.n * lanes, lambda))
        return cst__fail(s, COSTATE_ERR_INPUT, "a seed in lambda");
    if (weights && !cst__all_finite((size_t)s->nobj * lanes, weights))
        return cst__fail(s, COSTATE_ERR_INPUT, "a weight of the objectives");
    while (again == 1) {
        TRY(sweep_once(s, w, objectives, weights, lambda, mu));
        again = cst__drift_settle(s, NULL, objectives);
    }
    s->stats.adjoint_s = platform_now() - began;
    return again;
}

int costate_adjoint(costate_solver *s, int w, double *lambda, double *mu)
{
    int status = cst__begin(s);
    if (!status && w < 1) status = cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", w);
    if (!status && !lambda) status = cst__fail(s, COSTATE_ERR_NULL, "lambda");
    if (!status) status = adjoint(s, w, 0, NULL, lambda, mu);
    if (status) cst__no_numbers(s, w > 0 ? (size_t)w : 0, lambda, mu);
    return status;
}

int costate_gradient(costate_solver *s, int w, const double *weights, double *dy0, double *dp)
{
    int status = cst__begin(s);
    if (!status && w < 1) status = cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", w);
    if (!status && !dy0 && !dp) status = cst__fail(s, COSTATE_ERR_NULL, "dy0 and dp");
    if (!status && !cst__lanes_of(s, w, weights))
        status = cst__fail(s, COSTATE_ERR_WIDTH, "w = %d without weights, but there are %d objectives", w, s->nobj);
    if (!status) status = adjoint(s, w, 1, weights, dy0, dp);
    if (status) cst__no_numbers(s, cst__lanes_of(s, w, weights), dy0, dp);
    return status;
}
