/* trial.h - what tests of identities share: everything that goes into and comes out of the modes, w lanes of it, and its defects.
 * States and parameters are one array of n + np rows. */
#ifndef COSTATE_TESTS_TRIAL_H
#define COSTATE_TESTS_TRIAL_H

#include "known.h"

typedef struct trial {
    problem q;
    int n, np, g, w;
    double y[STATES], psi[STATES];
    double dir[2][(STATES + PARAMS) * LANES];              /* two blocks of directions */
    double weights[STATES * LANES], seeds[STATES * LANES]; /* of the objectives; on the final state */
    double ydot[STATES * LANES], psidot[STATES * LANES];   /* final state and objectives along the first block */
    double gradient[(STATES + PARAMS) * LANES];            /* of the weighted objectives */
    double adjoint[(STATES + PARAMS) * LANES];             /* of the seeds */
    double hessian[2][(STATES + PARAMS) * LANES];          /* of the weighted objectives, times both blocks */
} trial;

static inline void size_trial(trial *x, problem q, int w)
{
    x->q = q, x->n = q.prob.n, x->np = q.prob.np, x->g = goals(&q.prob), x->w = w;
}

/* Weights stay away from zero: of a conserved objective alone, the curvature is what is left of large terms within the sweep. */
static inline void fill_weights(trial *x, uint64_t *seed)
{
    fill(x->weights, x->g * x->w, seed);
    for (int i = 0; i < x->g * x->w; i++) x->weights[i] += copysign(0.5, x->weights[i]);
}

/* To be freed. */
static inline trial *prepare(problem q, int w, uint64_t seed)
{
    trial *x = calloc(1, sizeof *x);
    assert_non_null(x);
    size_trial(x, q, w);
    for (int b = 0; b < 2; b++) fill(x->dir[b], (x->n + x->np) * w, &seed);
    fill_weights(x, &seed);
    fill(x->seeds, x->n * w, &seed);
    return x;
}

static inline void run_tangent(costate_solver *s, trial *x)
{
    start(&x->q, x->y);
    memcpy(x->ydot, x->dir[0], (size_t)(x->n * x->w) * sizeof *x->ydot);
    GOOD(s, costate_tangent(s, x->q.t0, x->q.t1, x->q.p, x->y, x->w, x->ydot, x->dir[0] + x->n * x->w));
    GOOD(s, costate_objectives(s, x->psi));
    GOOD(s, costate_objectives_dot(s, x->psidot));
}

static inline void run_first_order(costate_solver *s, trial *x)
{
    int p = x->n * x->w;
    run_tangent(s, x);
    GOOD(s, costate_gradient(s, x->w, x->weights, x->gradient, x->gradient + p));
    memcpy(x->adjoint, x->seeds, (size_t)p * sizeof *x->adjoint);
    GOOD(s, costate_adjoint(s, x->w, x->adjoint, x->adjoint + p));
}

static inline void run_hessian(costate_solver *s, trial *x, int block)
{
    double *d = x->dir[block], *h = x->hessian[block];
    int p = x->n * x->w;
    GOOD(s, costate_hessian(s, x->w, x->weights, d, d + p, h, h + p));
}

static inline void run_trial(costate_solver *s, trial *x)
{
    run_first_order(s, x);
    run_hessian(s, x, 0);
    run_hessian(s, x, 1);
}

/* <gradient, direction> = tangent of the objective, <lambda(t0), ydot(t0)> + <mu, pdot> = <lambda(t1), ydot(t1)>, for every
 * pair of lanes, relative to the sum of the absolute values of all terms. */
static inline double identity(const trial *x)
{
    double worst = 0;
    for (int i = 0; i < x->w; i++)
        for (int j = 0; j < x->w; j++) {
            sum goal = {0}, gradient = {0}, state = {0}, adjoint = {0};
            add_dot(&goal, x->g, x->w, x->weights, i, x->psidot, j);
            add_dot(&gradient, x->n + x->np, x->w, x->gradient, i, x->dir[0], j);
            add_dot(&state, x->n, x->w, x->seeds, i, x->ydot, j);
            add_dot(&adjoint, x->n + x->np, x->w, x->adjoint, i, x->dir[0], j);
            worst = larger(worst, larger(defect(goal, gradient), defect(state, adjoint)));
        }
    return worst;
}

/* <a, H b> = <b, H a> */
static inline double symmetry(const trial *x)
{
    double worst = 0;
    for (int l = 0; l < x->w; l++) {
        sum ab = {0}, ba = {0};
        add_dot(&ab, x->n + x->np, x->w, x->dir[0], l, x->hessian[1], l);
        add_dot(&ba, x->n + x->np, x->w, x->dir[1], l, x->hessian[0], l);
        worst = larger(worst, defect(ab, ba));
    }
    return worst;
}

#endif
