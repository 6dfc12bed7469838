/* consistent_along.c - derivatives of consistent values, at t0 and behind events. See consistent.h */
#include "core/consistent.h"

#include "core/driver.h"
#include "core/hidden.h"
#include "method/implicit.h"
#include "method/mass.h"

enum { SLOT = 0 };

static int algebraic(const costate_solver *s, int i)
{
    return cst__start_mass(s)[i] == 0;
}

/* Directions at y, in ydot; the time moves by tdot, or NULL: not. */
static int along(costate_solver *s, const double *y, const double *tdot, dblock *d, double *ydot)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)d->w;
    const int moves = d->pdot || tdot;
    int rc = cst__start_matrix(s, y);
    if (!rc && moves) rc = cst__of(s, "jvp", deriv_jvp(&s->d, cst__start_time(s), y, s->p, d->w, tdot, NULL, d->pdot, d->fdot));
    for (size_t i = 0, ahead = start_given(s) * w; !rc && i < n * w; i++) /* slopes come last: they are read before they go */
        if (s->prob.steady) ydot[i] = (moves ? d->fdot[i] : 0) - (start_has_slope(s, i / w) ? ydot[ahead + i] : 0);
    for (size_t i = 0; !rc && !s->prob.steady && i < n; i++)
        for (size_t l = i * w; l < (i + 1) * w; l++)
            ydot[l] = !algebraic(s, (int)i) ? cst__start_mass(s)[i] * ydot[l] : moves ? d->fdot[l] : 0;
    if (!rc) rc = cst__implicit_solve(s, s->im, SLOT, 0, d->w, ydot);
    cst__start_done(s);
    return rc ? cst__start_failed(s, rc, "jvp", y) : 0;
}

int cst__consistent_tangent(costate_solver *s, dblock *d)
{
    if (!cst__start_any(s)) return 0;
    if (!s->constraint) return along(s, s->y0, NULL, d, d->ydot);
    if (d->pdot) TRY(cst__hidden_stays(s, d));
    int rc = cst__start_matrix(s, s->y0);
    if (!rc) rc = cst__hidden_tangent(s, d);
    cst__start_done(s);
    return rc ? cst__start_failed(s, rc, "jvp", s->y0) : 0;
}

/* x without the differential equations; their parts are those of M chi, in lambda. After a steady start all that is left is that
 * of the slopes given. */
static void split(const costate_solver *s, size_t w, double *chi, double *lambda)
{
    for (size_t i = 0; i < (size_t)s->prob.n; i++)
        for (size_t l = i * w; l < (i + 1) * w; l++) {
            const double mass = cst__start_mass(s)[i];
            lambda[l] = mass * chi[l];
            if (mass != 0) chi[l] = 0;
        }
    for (size_t i = 0, ahead = start_given(s) * w; s->prob.steady && i < (size_t)s->prob.n * w; i++)
        if (start_has_slope(s, i / w)) lambda[ahead + i] = -chi[i];
}

/* What chi owes to the time, and its derivative along (tdot, ydot, pdot). work: n (1 + 2 w). */
static int owe(costate_solver *s, const double *y, const double *tdot, const double *ydot, const double *chi,
               const double *chidot, ablock *b, double *work)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w;
    const double t = cst__start_time(s);
    double *ft = work, *second = ft + n, one[LANES_MOST];
    for (size_t l = 0; l < w; l++) one[l] = 1;
    TRY(cst__of(s, "jvp", deriv_jvp(&s->d, t, y, s->p, 1, one, NULL, NULL, ft)));
    if (b->lambda_dot)
        TRY(cst__of(s, "jvp2", deriv_jvp2(&s->d, t, y, s->p, b->w, one, NULL, NULL, tdot, ydot, b->pdot, second)));
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < w; l++) {
            b->nu[l] += chi[i * w + l] * ft[i];
            if (b->lambda_dot) b->nu_dot[l] += chidot[i * w + l] * ft[i] + chi[i * w + l] * second[i * w + l];
        }
    return 0;
}

/* What is owed to the values at y; tdot, ydot: second order. timed: what is owed to the time too. */
static int back(costate_solver *s, const double *y, const double *tdot, const double *ydot, ablock *b, int timed)
{
    const size_t n = (size_t)s->prob.n, nw = n * (size_t)b->w;
    double *chi = cst__alloc(&s->alloc, 4 * nw + n, sizeof *chi), *chidot = chi + nw, t = cst__start_time(s);
    if (!chi) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent values of %d states", s->prob.n);
    memcpy(chi, b->lambda, nw * sizeof *chi);
    int rc = cst__start_matrix(s, y);
    if (!rc) rc = cst__implicit_solve(s, s->im, SLOT, 1, b->w, chi);
    split(s, (size_t)b->w, chi, b->lambda);
    if (!rc && !b->lambda_dot && b->mu) rc = cst__of(s, "vjp", deriv_vjp(&s->d, t, y, s->p, b->w, chi, NULL, b->mu));
    if (!rc && b->lambda_dot) {
        memcpy(chidot, b->lambda_dot, nw * sizeof *chidot);
        rc = cst__of(s, "vjp_dot",
                     deriv_vjp_dot(&s->d, t, y, s->p, b->w, tdot, ydot, b->pdot, chi, NULL, NULL, chidot, b->mu, b->mu_dot));
        if (!rc) rc = cst__implicit_solve(s, s->im, SLOT, 1, b->w, chidot);
        split(s, (size_t)b->w, chidot, b->lambda_dot);
        if (!rc && b->mu_dot) rc = cst__of(s, "vjp", deriv_vjp(&s->d, t, y, s->p, b->w, chidot, NULL, b->mu_dot));
    }
    if (!rc && timed && !s->prob.autonomous) rc = owe(s, y, tdot, ydot, chi, chidot, b, chi + 2 * nw);
    cst__release(&s->alloc, chi);
    cst__start_done(s);
    return rc ? cst__start_failed(s, rc, "vjp", y) : 0;
}

int cst__consistent_adjoint(costate_solver *s, const double *ydot, ablock *b)
{
    if (!cst__start_any(s)) return 0;
    if (!s->constraint) return back(s, s->y0, NULL, ydot, b, 0);
    if ((b->mu || b->mu_dot) && !s->start_stays) TRY(cst__hidden_stays(s, NULL));
    s->start_stays = 1;
    int rc = cst__start_matrix(s, s->y0);
    if (!rc) rc = cst__hidden_adjoint(s, ydot, b);
    cst__start_done(s);
    return rc ? cst__start_failed(s, rc, "vjp", s->y0) : 0;
}

/* ---- behind an event --------------------------------------------------------------------------------------------------- */

int cst__consistent_behind(costate_solver *s, double t, double *y)
{
    s->anew_at = &t;
    const int status = cst__consistent(s, y, 0);
    s->anew_at = NULL;
    return status;
}

int cst__consistent_behind_tangent(costate_solver *s, double t, const double *y, const double *tdot, dblock *d, double *ydot)
{
    if (!cst__start_any(s)) return 0;
    s->anew_at = &t;
    const int status = along(s, y, s->prob.autonomous ? NULL : tdot, d, ydot);
    s->anew_at = NULL;
    return status;
}

int cst__consistent_behind_adjoint(costate_solver *s, double t, const double *y, const double *tdot, const double *ydot,
                                   ablock *b)
{
    if (!cst__start_any(s)) return 0;
    s->anew_at = &t;
    const int status = back(s, y, tdot, ydot, b, 1);
    s->anew_at = NULL;
    return status;
}

int cst__consistent_slopes(costate_solver *s, double t, const double *y, double *slope)
{
    const size_t n = (size_t)s->prob.n;
    const double one = 1, at = cst__beside(t, s->t1);
    if (!cst__start_any(s)) {
        TRY(deriv_rhs(&s->d, at, y, s->p, slope));
        mass_divide(s, slope);
        return 0;
    }
    double *f = cst__alloc(&s->alloc, n, sizeof *f);
    if (!f) return cst__fail(s, COSTATE_ERR_MEMORY, "slopes of %d states", s->prob.n);
    s->anew_at = &t;
    int rc = cst__start_matrix(s, y);
    if (!rc) rc = deriv_rhs(&s->d, at, y, s->p, f);
    if (!rc && !s->prob.autonomous) rc = cst__of(s, "jvp", deriv_jvp(&s->d, at, y, s->p, 1, &one, NULL, NULL, slope));
    for (size_t i = 0; !rc && i < n; i++) slope[i] = !algebraic(s, (int)i) ? f[i] : s->prob.autonomous ? 0 : slope[i];
    if (!rc) rc = cst__implicit_solve(s, s->im, SLOT, 0, 1, slope);
    cst__release(&s->alloc, f);
    cst__start_done(s);
    rc = rc ? cst__start_failed(s, rc, "rhs", y) : 0;
    s->anew_at = NULL;
    return rc;
}
