/* newton.h - when a simplified Newton iteration has converged, and when it will not. Hairer, Wanner: Solving ODEs II, IV.8.
 *
 * With theta = |d_k| / |d_(k-1)| the error after iteration k is about theta/(1-theta) |d_k|, in tolerances. Two bounds:
 *
 *     share   what the solution can bear. A first attempt is given up if theta >= 1, or if theta^(most-k)/(1-theta) |d_k|, what
 *             would be left at the end, is above it: a smaller step will do better.
 *     kappa   what derivatives can bear. They are those of stages that are solved exactly, so the iteration goes on to here.
 *             Where it comes to a halt between the two, at round-off of f or because it is slow, it is done.
 *
 * A correction that is small by chance, where the error passes 0 in what the matrix damps least, makes the rate of a moment
 * small, too. Its derivative is not: so an iteration is done for derivatives' sake by the larger of the last two rates.
 *
 * A recorded step that is taken again, or one of a given size, has no smaller one to turn to: it goes on for as long as it
 * gets anywhere. With the same input a recorded step does what it did, since this is asked only where it would have failed. */
#ifndef COSTATE_METHOD_NEWTON_H
#define COSTATE_METHOD_NEWTON_H

#include "method/method.h"

#include <float.h>
#include <math.h>

typedef struct newton {
    int k, most;
    int firm;  /* no smaller step is to be had, */
    int sized; /* for all steps have a given size */
    int stuck; /* corrections that were not smaller than those before, since the last one that was much smaller than all */
    double least; /* the smallest of those */
    double share, kappa;
    double noise; /* corrections that round-off of y alone explains */
    double rate;  /* theta/(1-theta), of this iteration or, before its second correction, of the one before */
    double expected; /* the rate before that, 0 if nothing is known: one correction may be small by chance */
    double theta; /* of the last two corrections; 0 before there are two */
    double most_theta; /* of all: of a matrix that is not normal the last says nothing of the first */
    int near;     /* algebraic equations: a first correction was small, or one much smaller than that before */
    double norm;  /* of the last correction */
} newton;

/* Round-off of algebraic equations is as large as their matrix makes it, and no smaller with h. An iteration that has been near
 * its end, or went there fast, and halts at so few tolerances has met it. */
static const double little = 0.01, fast = 0.1;

typedef enum newton_verdict { NEWTON_AGAIN, NEWTON_DONE, NEWTON_FAILS } newton_verdict;

/* What an iteration may leave for the solution's sake, in tolerances. It has the same sign step after step and adds up over as
 * many steps as a run takes, so that it shrinks with the tolerance (HW IV.8), down to round-off. */
static inline double newton_share(const costate_solver *s)
{
    return s->opt.step > 0 || s->opt.rtol == 0 ? 0.01 : fmin(0.01, fmax(sqrt(s->opt.rtol), 10 * DBL_EPSILON / s->opt.rtol));
}

/* And for the sake of derivatives, which see the error of the stages as it is. A thirtieth costs an iteration at most, a tenth
 * of a gradient's time. Steps of a given size are solved to round-off. */
static inline double newton_tolerance(const costate_solver *s)
{
    if (s->opt.newton_tol > 0) return s->opt.newton_tol;
    return s->opt.step > 0 ? 0 : newton_share(s) / 30;
}

/* size: that of y, in tolerances. rate: of the iteration before (part of what a step carries), 0 at the start of a run. It is a
 * guess, good for a share of the tolerance and not for stage systems that are to be solved to round-off: after linear steps it
 * would end the iteration of the first that is not too early. So it is believed up to a point only. */
static inline newton newton_start(const costate_solver *s, const step *st, double size, double rate)
{
    const double kappa = newton_tolerance(s), least = 1e-6, believed = 1e-5;
    const int known = rate > 0 && kappa > least;
    double guess = known ? powf((float)fmax(rate, DBL_EPSILON), 0.8f) : 1; /* single precision will do */
    if (guess < believed) guess = believed;
    return (newton){.most = (int)s->opt.newton_most,
                    .firm = step_is_given(s, st),
                    .sized = s->opt.step > 0,
                    .share = fmax(newton_share(s), kappa),
                    .kappa = kappa,
                    .noise = 1000 * DBL_EPSILON * size,
                    .near = s->prob.mass ? 0 : -1,
                    .rate = guess,
                    .expected = known ? guess : 0};
}

/* An iteration that would not converge in time, or halts. One that is slow goes on, where steps have a given size. */
static inline newton_verdict newton_late(newton *c, double norm, int halts)
{
    const int halted = c->sized ? halts && c->stuck > 2 : 1; /* it may go on growing smaller after it grew */
    if (norm <= c->noise || (c->near > 0 && norm <= little && halted)) return NEWTON_DONE;
    if (c->firm && c->stuck < 4 && c->k < 10 * c->most) return NEWTON_AGAIN;
    return c->firm && norm * fmax(1, c->rate) <= 1 ? NEWTON_DONE : NEWTON_FAILS; /* round-off of f, then */
}

/* norm: of the correction just applied, weighted like errors. */
static inline newton_verdict newton_judge(newton *c, double norm)
{
    const double slow = 0.8, hopeless = 0.99;
    if (!isfinite(norm)) return NEWTON_FAILS;
    double theta = c->k > 0 ? norm / c->norm : 0, before = c->norm;
    c->k++;
    c->norm = norm;
    if (c->k == 1 || norm < c->least / 2) { /* it gets somewhere, though not at once where eigenvalues are complex */
        c->least = norm;
        c->stuck = 0;
    }
    if (c->near >= 0 && (c->k == 1 ? norm <= little : theta < fast)) c->near = 1;
    if (theta >= slow) { /* once it may be that the error turns, as it does with complex eigenvalues */
        double left = theta < hopeless ? norm * theta / (1 - theta) : norm; /* of noise, as much as it is */
        c->stuck++;
        if (left <= c->share) return c->stuck > 1 || norm <= c->noise ? NEWTON_DONE : NEWTON_AGAIN;
        if (theta >= hopeless) return newton_late(c, norm, 1);
    }
    if (theta > 0) {
        c->theta = theta;
        c->most_theta = fmax(c->most_theta, theta);
        if (c->k > 2) c->expected = c->rate;
        c->rate = norm / (before - norm);
    }
    double error = c->rate * norm;
    if (fmax(c->expected, c->rate) * norm <= c->kappa || norm == 0) return NEWTON_DONE;
    int left = c->most - c->k;
    if (error <= c->share) return left > -(c->sized ? 9 : 1) * c->most ? NEWTON_AGAIN : NEWTON_DONE;
    int late = left <= 0 || (c->k > 1 && error * __builtin_powi(c->theta, left - 1) > c->share);
    return late ? newton_late(c, norm, 0) : NEWTON_AGAIN;
}

/* The rate that the next iteration begins with: the largest, for it is the first correction that it may be content with. */
static inline double newton_carried(const newton *c)
{
    return c->most_theta > 0 ? c->most_theta / (1 - c->most_theta) : c->rate;
}

#endif
