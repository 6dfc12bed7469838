/* bdf_adjoint.c - transposed BDF step, on a block of objectives, and its derivative along a block of directions. What is owed to
 * the past comes in as rows of lambda: L_j to y_(n-j), Q_j to q_(n-j), j = 0..5.
 *
 *     W = Q_0/c,   L = L_0 + r_y^T W,   (c M - f_y)^T nu = L,   mu += f_p^T nu + r_p^T W            at (t_n, y_n)
 *     L_j <- L_(j+1) - b_j M^T nu,   Q_j <- Q_(j+1) - b_j W,   and less omega in Q_0 and more in Q_0 before: psi += q_n - q_(n-1)
 *
 * Second order: with (.) for the derivative along (0, ydot_n, pdot),
 *
 *     (c M - f_y)^T nudot = Ldot_0 + (r_y^T W). + (f_y.)^T nu,   mudot += f_p^T nudot + (f_p.)^T nu + (r_p^T W).
 *
 * and rows of lambdadot likewise. docs/theory.md (72). nu is no approximation of lambda(t): where steps vary only sums of it
 * converge. */
#include "method/bdf.h"

#include "base/kernels.h"
#include "method/mass.h"

/* Rows of the past from those of the step, and nu with M^T before it; seed: W, or NULL. */
static void shift_back(const costate_solver *s, const bdf_formula *f, int w, const double *nu, const double *seed,
                       const double *omega, double *lambda)
{
    const size_t lanes = (size_t)w, nw = (size_t)s->prob.n * lanes, gw = bdf_goals(s) * lanes;
    for (int j = 0; j < BDF_PAST; j++) {
        double *to = bdf_past(s, lambda, j, w);
        if (j < BDF_MOST) memcpy(to, to + nw, nw * sizeof *to);
        else memset(to, 0, nw * sizeof *to);
        const double c = -f->b[j];
        if (f->b[j] != 0) cst__combine(nw, to, 1, &c, &nu, to);
    }
    for (int j = 0; gw && j < BDF_PAST; j++) {
        double *to = bdf_goal(s, lambda, j, w);
        for (size_t i = 0; i < gw; i++) {
            to[i] = j < BDF_MOST ? to[i + gw] : 0;
            if (seed) to[i] -= f->b[j] * seed[i];
            if (omega && j == 0) to[i] -= omega[i];
        }
    }
}

/* W, from what is owed to q_n. */
static const double *goal_seed(const costate_solver *s, const bdf_formula *f, const ablock *b, const double *lambda,
                               const double *omega, double *seed)
{
    const size_t gw = bdf_goals(s) * (size_t)b->w;
    const double *q = bdf_goal(s, lambda, 0, b->w);
    if (!gw) return NULL;
    for (size_t i = 0; i < gw; i++) seed[i] = (q[i] + (omega ? omega[i] : 0)) / f->c;
    return seed;
}

int cst__bdf_adjoint(costate_solver *s, const step *st, ablock *b)
{
    const deriv_function *r = &s->d.running;
    const size_t n = (size_t)s->prob.n, nw = n * (size_t)b->w, at = (size_t)b->points;
    double *scratch = b->work, *nu = b->capacity ? b->pu_store + at * nw : scratch + ITERATE_WORK * nw;
    double *mnu = scratch + (ITERATE_WORK + 1) * nw;
    bdf_formula f;
    cst__bdf_formula(s, st, cst__bdf_order(st), &f);
    const double *seed = goal_seed(s, &f, b, b->lambda, b->omega, mnu + 2 * nw);
    if (seed)
        TRY(cst__of(s, "running's vjp", r->fn.vjp(0, st->tn, st->stages, s->p, b->w, seed, b->lambda, b->mu, r->data)));
    memcpy(nu, b->lambda, nw * sizeof *nu);
    TRY(cst__bdf_linear(s, st, &f, 1, b->w, NULL, nu, scratch));
    if (b->capacity) {
        b->pt[at] = st->tn;
        b->pu[at] = nu;
        b->py[at] = b->py_copy ? memcpy(b->py_copy + at * n, st->stages, n * sizeof *nu) : st->stages;
        b->points++;
    } else if (b->mu) TRY(deriv_vjp(&s->d, st->tn, st->stages, s->p, b->w, nu, NULL, b->mu));
    memcpy(mnu, nu, nw * sizeof *nu);
    mass_apply(s, b->w, mnu);
    shift_back(s, &f, b->w, mnu, seed, b->omega, b->lambda);
    return 0;
}

int cst__bdf_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    const deriv_function *r = &s->d.running;
    const size_t nw = (size_t)s->prob.n * (size_t)b->w, gw = bdf_goals(s) * (size_t)b->w;
    double *scratch = b->work, *nu = scratch + ITERATE_WORK * nw, *nudot = nu + nw, *mnu = nudot + nw;
    double *w = mnu + nw, *wdot = w + gw;
    bdf_formula f;
    (void)ydot; /* nothing is evaluated before the end of the step */
    cst__bdf_formula(s, st, cst__bdf_order(st), &f);
    const double *seed = goal_seed(s, &f, b, b->lambda, b->omega, w), *seeddot = goal_seed(s, &f, b, b->lambda_dot, NULL, wdot);
    if (seed)
        TRY(cst__of(s, "running's vjp_dot",
                    r->fn.vjp_dot(0, st->tn, st->stages, s->p, b->w, NULL, dstages, b->pdot, seed, seeddot, b->lambda,
                                  b->lambda_dot, b->mu, b->mu_dot, r->data)));
    memcpy(nu, b->lambda, nw * sizeof *nu);
    memcpy(nudot, b->lambda_dot, nw * sizeof *nu);
    TRY(cst__bdf_linear(s, st, &f, 1, b->w, NULL, nu, scratch));
    TRY(deriv_vjp_dot(&s->d, st->tn, st->stages, s->p, b->w, NULL, dstages, b->pdot, nu, NULL, NULL, nudot, b->mu, b->mu_dot));
    TRY(cst__bdf_linear(s, st, &f, 1, b->w, NULL, nudot, scratch));
    if (b->mu_dot) TRY(deriv_vjp(&s->d, st->tn, st->stages, s->p, b->w, nudot, NULL, b->mu_dot));
    memcpy(mnu, nu, nw * sizeof *nu);
    mass_apply(s, b->w, mnu);
    shift_back(s, &f, b->w, mnu, seed, b->omega, b->lambda);
    mass_apply(s, b->w, nudot);
    shift_back(s, &f, b->w, nudot, seeddot, NULL, b->lambda_dot);
    return 0;
}
