/* hidden.c - see hidden.h */
#include "core/hidden.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "core/driver.h"
#include "method/implicit.h"

#include <math.h>
#include <stdio.h>

enum { SIGNS = 4, NAMED = 3, TRIED = 4096 };
static const double nothing = 1e-10; /* of the largest answer to a constraint: round-off */
static const double leaves = 1e-6;   /* of the terms of a derivative, their sum where it is not zero */

static int is_constraint(const costate_solver *s, size_t i)
{
    return s->constraint[i];
}

static int differential(const costate_solver *s, size_t i)
{
    return cst__start_mass(s)[i] != 0;
}

/* ---- which equations -------------------------------------------------------------------------------------------------- */

/* Rows that do not move with algebraic states, at y: only those are left in `rows`. */
static int find_at(costate_solver *s, const double *y, double *work, signed char *rows)
{
    const size_t n = (size_t)s->prob.n;
    double *u = work, *out = u + n;
    for (size_t i = 0; i < n; i++)
        u[i] = differential(s, i) ? 0 : (i & 1 ? -1 : 1) * cst__irregular(i) * (fabs(y[i]) > 0 ? fabs(y[i]) : 1);
    const int rc = deriv_jvp(&s->d, cst__start_time(s), y, s->p, 1, NULL, u, NULL, out);
    for (size_t i = 0; !rc && i < n; i++) rows[i] = rows[i] && (out[i] == 0 || isnan(out[i]));
    return rc;
}

/* The names of what has a flag: equations, or states. */
static void list(const costate_solver *s, const signed char *flags, int equations, char *text, size_t size)
{
    name_list names = cst__names(text, size, equations);
    for (int i = 0; i < s->prob.n; i++)
        if (flags[i]) cst__names_add(s, &names, i);
    cst__names_end(&names);
}

static int named_2(const costate_solver *s, size_t i)
{
    return i < cst__judged(s) && s->prob.index[i] == 2;
}

/* A point beside y, where what is zero at y by chance is not. */
static void beside(size_t n, const double *y, double *to)
{
    for (size_t i = 0; i < n; i++) to[i] = y[i] * (1 + 1e-3 * cst__irregular(i)) + 1e-3 * cst__irregular(i + 1) * (y[i] == 0);
}

int cst__hidden_find(costate_solver *s, const double *y)
{
    const size_t n = (size_t)s->prob.n;
    char names[320];
    int count = 0;
    s->constraint = NULL;
    if (!cst__index2(s)) return 0;
    double *work = cst__scratch(s, &s->of_constraint, 3 * n + (n + sizeof *work - 1) / sizeof *work), *near = work + 2 * n;
    if (!work) return s->status;
    signed char *rows = (signed char *)(work + 3 * n);
    for (size_t i = 0; i < n; i++) rows[i] = !differential(s, i);
    int rc = find_at(s, y, work, rows);
    beside(n, y, near);
    if (!rc && find_at(s, near, work, rows) < 0) rc = -1; /* > 0: it is no place to look at */
    if (rc) return cst__callback_failed(s, rc, "jvp", s->t0, 0, 0);
    for (size_t i = 0; i < n; i++) count += rows[i];
    s->constraint = rows;
    if (count && count <= cst__index2(s)) return 0;
    for (size_t i = 0; i < n; i++) rows[i] = count ? rows[i] : (signed char)named_2(s, i);
    list(s, rows, count > 0, names, sizeof names);
    s->constraint = NULL;
    if (!count)
        return cst__fail(s, COSTATE_ERR_INDEX,
                         "%s cannot be of index 2: there is no algebraic equation without algebraic states for it to satisfy",
                         names);
    return cst__fail(s, COSTATE_ERR_INDEX,
                     "%d equations contain no algebraic state (%s), but only %d variable%s said to be of index 2", count, names,
                     cst__index2(s), cst__index2(s) == 1 ? " is" : "s are");
}

/* ---- which variables --------------------------------------------------------------------------------------------------- */

/* Those that answer to the constraints, K x = [0; 0; 1], their entries in `rows`, K at hand: an error of h' is one of h over the
 * size of the step. */
static int answer(costate_solver *s, const double *y, double *x, signed char *answers)
{
    const size_t n = (size_t)s->prob.n;
    double most = 0;
    for (size_t i = 0; i < n; i++) x[i] = is_constraint(s, i) ? cst__irregular(i) : 0;
    TRY(cst__implicit_solve(s, s->im, 0, 0, 1, x));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < cst__judged(s); i++) {
            const double size = differential(s, i) ? 0 : fabs(x[i]) / (y[i] != 0 ? fabs(y[i]) : 1);
            if (!pass) most = fmax(most, size);
            else answers[i] |= size > nothing * most;
        }
    return 0;
}

/* .index must name them all, and no others. */
static int check_names(costate_solver *s, const double *y, double *work, signed char *answers)
{
    const size_t n = (size_t)s->prob.n;
    char names[200];
    int missed = 0, extra = 0;
    memset(answers, 0, n);
    TRY(answer(s, y, work, answers));
    for (size_t i = 0; i < n; i++) extra += named_2(s, i) && !answers[i];
    if (extra) {
        beside(n, y, work + n);
        if (cst__start_matrix(s, work + n) == 0) TRY(answer(s, y, work, answers));
        TRY(cst__start_matrix(s, y));
    }
    for (size_t i = 0; i < n; i++) missed += answers[i] && !named_2(s, i);
    for (size_t i = 0; i < n; i++) answers[i] = missed ? answers[i] && !named_2(s, i) : named_2(s, i) && !answers[i];
    list(s, answers, 0, names, sizeof names);
    if (missed)
        return cst__fail(s, COSTATE_ERR_INDEX, "of index 2 %s also %s, through the equations that they share",
                         missed > 1 ? "are" : "is", names);
    if (!names[0]) return 0;
    return cst__fail(s, COSTATE_ERR_INDEX, "no constraint determines %s, which cannot be of index 2", names);
}

/* ---- h' --------------------------------------------------------------------------------------------------------------- */

/* v = M^-1 f, zero for algebraic states. */
static int slopes(costate_solver *s, const double *y, double *v)
{
    TRY(cst__of(s, "rhs", deriv_rhs(&s->d, cst__start_time(s), y, s->p, v)));
    for (size_t i = 0; i < (size_t)s->prob.n; i++) v[i] = differential(s, i) ? v[i] / cst__start_mass(s)[i] : 0;
    return 0;
}

int cst__hidden_remainder(costate_solver *s, const double *y, double *r)
{
    const size_t n = (size_t)s->prob.n;
    const double one = 1;
    double *v = cst__alloc(&s->alloc, 2 * n, sizeof *v);
    if (!v) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    for (size_t i = 0; i < n; i++) v[i] = differential(s, i) ? r[i] / cst__start_mass(s)[i] : 0;
    const int rc = deriv_jvp(&s->d, cst__start_time(s), y, s->p, 1, &one, v, NULL, v + n);
    for (size_t i = 0; !rc && i < n; i++)
        if (is_constraint(s, i)) r[i] = v[n + i];
    cst__release(&s->alloc, v);
    return rc;
}

/* ---- is d on the constraints? ------------------------------------------------------------------------------------------ */

/* How far, in tolerances, the nearest point along what u drives is: K delta = [0; 0; h]. */
int cst__hidden_holds(costate_solver *s, const double *y)
{
    const size_t n = (size_t)s->prob.n;
    double *delta = cst__alloc(&s->alloc, 2 * n + (n + sizeof *delta - 1) / sizeof *delta, sizeof *delta), *h = delta + n,
           worst = 0;
    char one[64], other[64], better[320] = "";
    if (!delta) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    int rc = check_names(s, y, delta, (signed char *)(delta + 2 * n)), row = -1, told = 0;
    if (!rc) rc = cst__of(s, "rhs", deriv_rhs(&s->d, cst__start_time(s), y, s->p, h));
    if (rc) {
        cst__release(&s->alloc, delta);
        return rc;
    }
    for (size_t i = 0; i < n; i++) delta[i] = is_constraint(s, i) ? h[i] : 0;
    rc = cst__implicit_solve(s, s->im, 0, 0, 1, delta);
    for (size_t i = 0; !rc && i < cst__judged(s); i++) {
        const double unit = s->atol[i] + s->opt.rtol * fabs(y[i]);
        if (differential(s, i) && delta[i] != 0) worst = fmax(worst, unit > 0 ? fabs(delta[i]) / unit : INFINITY);
    }
    for (size_t i = 0; i < n; i++)
        if (is_constraint(s, i) && (row < 0 || fabs(h[i]) > fabs(h[row]))) row = (int)i;
    for (size_t i = 0; !rc && worst > 1 && i < cst__judged(s) && told < NAMED; i++) {
        const size_t at = strlen(better);
        if (!differential(s, i) || !(fabs(delta[i]) > s->atol[i] + s->opt.rtol * fabs(y[i]))) continue;
        snprintf(better + at, sizeof better - at, "%s%s = %.10g", told++ ? ", " : ": nearer to it are ",
                 cst__state_name(s, (int)i, one), y[i] + delta[i]);
    }
    const double off = h[row];
    cst__release(&s->alloc, delta);
    if (rc || !(worst > 1)) return rc;
    return cst__fail(s, COSTATE_ERR_CONSISTENT, "the initial values are not on a constraint at t = %.10g: %s is off by %.3g%s",
                     s->t0, cst__equation(s, row, other), off, better);
}

/* The derivative of the constraints along (init's ydot, pdot), against those with other signs of its terms. */
static int leaving(costate_solver *s, const double *pdot, double *work, int *row)
{
    const size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np;
    const deriv_function *init = &s->d.init;
    double *ydot = work, *out = ydot + n, *flipped = out + n, *yflip = flipped + np, *along = yflip + n, *scale = along + n;
    *row = -1;
    memset(ydot, 0, n * sizeof *ydot);
    if (init->fn.eval) TRY(cst__of(s, "init's jvp", init->fn.jvp(0, s->t0, NULL, s->p, 1, NULL, NULL, pdot, ydot, init->data)));
    for (size_t i = 0; i < n; i++)
        if (!differential(s, i)) ydot[i] = 0;
    const double t = cst__start_time(s);
    TRY(cst__of(s, "jvp", deriv_jvp(&s->d, t, s->y0, s->p, 1, NULL, ydot, pdot, out)));
    memset(scale, 0, n * sizeof *scale);
    for (size_t k = 0; k < SIGNS; k++) {
        for (size_t i = 0; i < n; i++) yflip[i] = cst__irregular(7 * i + 3 * k) > 1 ? ydot[i] : -ydot[i];
        for (size_t i = 0; i < np; i++) flipped[i] = cst__irregular(5 * i + 11 * k + 1) > 1 ? pdot[i] : -pdot[i];
        TRY(cst__of(s, "jvp", deriv_jvp(&s->d, t, s->y0, s->p, 1, NULL, yflip, flipped, along)));
        for (size_t i = 0; i < n; i++) scale[i] = fmax(scale[i], fabs(along[i]));
    }
    for (size_t i = 0; i < n; i++) yflip[i] = differential(s, i) ? s->atol[i] : 0;
    TRY(cst__of(s, "jvp", deriv_jvp(&s->d, t, s->y0, s->p, 1, NULL, yflip, NULL, along)));
    for (size_t i = 0; i < n && *row < 0; i++) { /* and what absolute tolerances make of it: p sin t, just after t = 0 */
        const double most = fmax(leaves * fmax(scale[i], fabs(out[i])), fabs(along[i]));
        if (is_constraint(s, i) && fabs(out[i]) > most) *row = (int)i;
    }
    return 0;
}

int cst__hidden_stays(costate_solver *s, const dblock *d)
{
    const size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np;
    double *pdot = cst__alloc(&s->alloc, 2 * np + 5 * n, sizeof *pdot);
    char one[64], other[32];
    int row = -1, which = -1, rc = 0, lanes = d ? d->w : 1, most = np < TRIED ? (int)np : TRIED;
    if (!pdot) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    for (int l = 0; l < lanes && row < 0 && !rc; l++) {
        for (size_t i = 0; i < np; i++)
            pdot[i] = d ? d->pdot[i * (size_t)lanes + (size_t)l]
                        : (i & 1 ? -1 : 1) * cst__irregular(i) * (s->p[i] != 0 ? fabs(s->p[i]) : 1);
        rc = leaving(s, pdot, pdot + np, &row);
    }
    if (row >= 0) memset(pdot, 0, np * sizeof *pdot);
    for (int i = 0, at = row; row >= 0 && !rc && which < 0 && i < most; i++) { /* the first that does it alone */
        pdot[i] = 1;
        rc = leaving(s, pdot, pdot + np, &at);
        if (at >= 0) which = i, row = at;
        pdot[i] = 0;
    }
    cst__release(&s->alloc, pdot);
    if (rc) return cst__callback_failed(s, rc, "jvp", s->t0, 0, 0);
    if (row < 0) return 0;
    return cst__fail(
        s, COSTATE_ERR_CONSISTENT,
        "the initial values leave a constraint, %s, when %s changes: derivatives would be those of a jump back to it; "
        "let init compute them from the parameters",
        cst__equation(s, row, one), which < 0 ? "p" : cst__param_name(s, which, other));
}

/* ---- derivatives ------------------------------------------------------------------------------------------------------- */

/* A vector in every lane, or 1. */
static void spread(size_t n, size_t w, const double *v, double *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < w; l++) to[i * w + l] = v ? v[i] : 1;
}

int cst__hidden_tangent(costate_solver *s, dblock *d)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)d->w, nw = n * w;
    const double t = cst__start_time(s);
    double *v = cst__alloc(&s->alloc, n + w + 4 * nw, sizeof *v), *one = v + n, *along = one + w, *given = along + nw;
    double *x = given + nw, *second = x + nw;
    if (!v) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    int rc = slopes(s, s->y0, v);
    spread(1, w, NULL, one);
    spread(n, w, v, along);
    for (size_t i = 0; i < nw; i++) given[i] = differential(s, i / w) ? d->ydot[i] : 0;
    if (!rc) rc = cst__of(s, "jvp", deriv_jvp(&s->d, t, s->y0, s->p, d->w, NULL, given, d->pdot, x));
    if (!rc) rc = cst__of(s, "jvp2", deriv_jvp2(&s->d, t, s->y0, s->p, d->w, one, along, NULL, NULL, given, d->pdot, second));
    for (size_t i = 0; i < nw; i++)
        if (is_constraint(s, i / w)) x[i] = second[i];
    if (!rc) rc = cst__implicit_solve(s, s->im, 0, 0, d->w, x);
    for (size_t i = 0; i < nw; i++)
        if (!differential(s, i / w)) d->ydot[i] = x[i];
    cst__release(&s->alloc, v);
    return rc;
}

/* The seeds of constraints, and the others. */
static void part(const costate_solver *s, size_t w, const double *chi, double *of_h, double *of_fg)
{
    for (size_t i = 0; i < (size_t)s->prob.n * w; i++) {
        of_h[i] = is_constraint(s, i / w) ? chi[i] : 0;
        of_fg[i] = is_constraint(s, i / w) ? 0 : chi[i];
    }
}

typedef struct hidden_adjoint {
    int w;
    double *one, *v, *vdot;        /* w; n x w: the direction (1, v, 0), and v' */
    double *chi, *h, *fg;          /* and its parts */
    double *chidot, *hdot, *fgdot; /* right-hand side, solution and its parts */
    double *c;                     /* a sum of derivatives */
} hidden_adjoint;

/* lambda_d += (f, g)_d^T fg + h''(1, v, 0)_d^T h, and mu. */
static int add(costate_solver *s, const hidden_adjoint *a, const double *h, const double *fg, double *lambda, double *mu)
{
    const size_t nw = (size_t)s->prob.n * (size_t)a->w;
    memset(a->c, 0, nw * sizeof *a->c);
    TRY(cst__of(s, "vjp_dot",
                deriv_vjp_dot(&s->d, cst__start_time(s), s->y0, s->p, a->w, a->one, a->v, NULL, h, fg, NULL, a->c, NULL, mu)));
    for (size_t i = 0; i < nw; i++)
        if (differential(s, i / (size_t)a->w)) lambda[i] += a->c[i];
    return 0;
}

static int second(costate_solver *s, const hidden_adjoint *a, const double *ydot, ablock *b)
{
    const double t = cst__start_time(s);
    const size_t w = (size_t)a->w, nw = (size_t)s->prob.n * w;
    TRY(cst__of(s, "jvp", deriv_jvp(&s->d, t, s->y0, s->p, a->w, NULL, ydot, b->pdot, a->vdot)));
    for (size_t i = 0; i < nw; i++) a->vdot[i] = differential(s, i / w) ? a->vdot[i] / cst__start_mass(s)[i / w] : 0;
    memset(a->c, 0, nw * sizeof *a->c);
    memset(a->chidot, 0, nw * sizeof *a->c);
    TRY(cst__of(s, "vjp_dot",
                deriv_vjp_dot(&s->d, t, s->y0, s->p, a->w, NULL, ydot, b->pdot, a->h, NULL, NULL, a->chidot, NULL, NULL)));
    TRY(cst__of(s, "vjp_dot",
                deriv_vjp_dot(&s->d, t, s->y0, s->p, a->w, NULL, ydot, b->pdot, a->fg, NULL, NULL, a->c, NULL, b->mu_dot)));
    for (size_t i = 0; i < nw; i++) {
        if (differential(s, i / w)) {
            b->lambda_dot[i] += a->c[i];
            continue;
        }
        a->chidot[i] = b->lambda_dot[i] + a->c[i];
        b->lambda_dot[i] = 0;
    }
    TRY(cst__implicit_solve(s, s->im, 0, 1, a->w, a->chidot));
    part(s, w, a->chidot, a->hdot, a->fgdot);
    TRY(add(s, a, a->hdot, a->fgdot, b->lambda_dot, b->mu_dot));
    memset(a->c, 0, nw * sizeof *a->c);
    TRY(cst__of(s, "vjp_dot",
                deriv_vjp_dot(&s->d, t, s->y0, s->p, a->w, NULL, a->vdot, NULL, a->h, NULL, NULL, a->c, NULL, b->mu_dot)));
    TRY(cst__of(
        s, "vjp_dot2",
        s->prob.vjp_dot2(t, s->y0, s->p, a->w, a->one, a->v, NULL, NULL, ydot, b->pdot, a->h, a->c, b->mu_dot, s->prob.data)));
    for (size_t i = 0; i < nw; i++)
        if (differential(s, i / w)) b->lambda_dot[i] += a->c[i];
    return 0;
}

int cst__hidden_adjoint(costate_solver *s, const double *ydot, ablock *b)
{
    const size_t n = (size_t)s->prob.n, w = (size_t)b->w, nw = n * w;
    double *at = cst__alloc(&s->alloc, n + w + 9 * nw, sizeof *at), *v = at;
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    hidden_adjoint a = {.w = b->w, .one = at + n, .v = at + n + w};
    double **vectors[] = {&a.vdot, &a.chi, &a.h, &a.fg, &a.chidot, &a.hdot, &a.fgdot, &a.c};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = a.v + (i + 1) * nw;
    int rc = slopes(s, s->y0, v);
    spread(1, w, NULL, a.one);
    spread(n, w, v, a.v);
    for (size_t i = 0; i < nw; i++) {
        a.chi[i] = differential(s, i / w) ? 0 : b->lambda[i];
        if (!differential(s, i / w)) b->lambda[i] = 0;
    }
    if (!rc) rc = cst__implicit_solve(s, s->im, 0, 1, b->w, a.chi);
    part(s, w, a.chi, a.h, a.fg);
    if (!rc) rc = add(s, &a, a.h, a.fg, b->lambda, b->mu);
    if (!rc && b->lambda_dot) rc = second(s, &a, ydot, b);
    cst__release(&s->alloc, at);
    return rc;
}

/* ---- what is wrong ------------------------------------------------------------------------------------------------------ */

/* A constraint whose derivative by time does not contain u either. */
void cst__hidden_blame(costate_solver *s, const double *y, char *words, size_t size)
{
    const size_t n = (size_t)s->prob.n;
    double *u = cst__alloc(&s->alloc, 2 * n, sizeof *u), *out = u + n;
    char one[64];
    words[0] = 0;
    if (!u) return;
    for (size_t i = 0; i < n; i++) u[i] = differential(s, i) ? 0 : cst__irregular(i);
    int rc = deriv_jvp(&s->d, cst__start_time(s), y, s->p, 1, NULL, u, NULL, out);
    for (size_t i = 0; i < n; i++) u[i] = differential(s, i) ? out[i] / cst__start_mass(s)[i] : 0;
    if (!rc) rc = deriv_jvp(&s->d, cst__start_time(s), y, s->p, 1, NULL, u, NULL, out);
    for (size_t i = 0; !rc && i < n && !words[0]; i++)
        if (is_constraint(s, i) && out[i] == 0)
            snprintf(words, size,
                     ": the derivative by time of %s contains no algebraic state either; differentiate it once by hand",
                     cst__equation(s, (int)i, one));
    cst__release(&s->alloc, u);
}
