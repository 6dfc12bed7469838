/* newton.h - when a simplified Newton iteration has converged, and when it will not. Hairer, Wanner: Solving ODEs II, IV.8.
 *
 * With theta = |d_k| / |d_(k-1)| the error after iteration k is about theta/(1-theta) |d_k|, in tolerances. It is accepted
 * below kappa; the iteration is given up if theta >= 1, or if theta^(most-k)/(1-theta) |d_k|, what would be left at the end,
 * is above kappa. */
#ifndef COSTATE_METHOD_NEWTON_H
#define COSTATE_METHOD_NEWTON_H

#include "method/method.h"

#include <float.h>
#include <math.h>

typedef struct newton {
    int k, most;
    double kappa;
    double rate;  /* theta/(1-theta), of this iteration or, before its second correction, of the one before */
    double theta; /* of the last two corrections; 0 before there are two */
    double norm;  /* of the last correction */
} newton;

typedef enum newton_verdict { NEWTON_AGAIN, NEWTON_DONE, NEWTON_FAILS } newton_verdict;

/* What an iteration may leave, in tolerances. It has the same sign step after step and adds up over as many steps as a run
 * takes, so that the share shrinks with the tolerance (HW IV.8), down to round-off. */
static inline double newton_tolerance(const costate_solver *s)
{
    if (s->opt.newton_tol > 0) return s->opt.newton_tol;
    return s->opt.step > 0 || s->opt.rtol == 0 ? 0.01 : fmin(0.01, fmax(sqrt(s->opt.rtol), 10 * DBL_EPSILON / s->opt.rtol));
}

/* rate: of the iteration before (part of what a step carries), 0 at the start of a run. It is a guess, good for a share of the
 * tolerance and not for stage systems that are to be solved to round-off: after linear steps it would end the iteration of the
 * first that is not too early. */
static inline newton newton_start(const costate_solver *s, double rate)
{
    const double kappa = newton_tolerance(s), share = 1e-6;
    double guess = rate > 0 && kappa > share ? powf((float)fmax(rate, DBL_EPSILON), 0.8f) : 1; /* single precision will do */
    return (newton){.most = (int)s->opt.newton_most, .kappa = kappa, .rate = guess};
}

/* norm: of the correction just applied, weighted like errors. */
static inline newton_verdict newton_judge(newton *c, double norm)
{
    if (!isfinite(norm)) return NEWTON_FAILS;
    if (c->k++ > 0) {
        c->theta = norm / c->norm;
        if (c->theta >= 0.99) return NEWTON_FAILS;
        c->rate = norm / (c->norm - norm);
    }
    c->norm = norm;
    if (c->rate * norm <= c->kappa || norm == 0) return NEWTON_DONE;
    int left = c->most - c->k;
    if (left == 0 || (c->k > 1 && c->rate * norm * __builtin_powi(c->theta, left - 1) > c->kappa)) return NEWTON_FAILS;
    return NEWTON_AGAIN;
}

#endif
