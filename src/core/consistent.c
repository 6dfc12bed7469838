/* consistent.c - see consistent.h */
#include "core/consistent.h"

#include "base/kernels.h"
#include "base/sparsity.h"
#include "core/determined.h"
#include "core/driver.h"
#include "core/hidden.h"
#include "core/left_open.h"
#include "core/rank.h"
#include "method/implicit.h"
#include "method/mass.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { ROUNDS = 50, HALVINGS = 30, TOLD = 3, SLOT = 0 };
static const double round_off = 100 * DBL_EPSILON; /* a correction that is none, against the values themselves */

/* M where the run begins: more of it may be zero there, see choose. */
const double *cst__start_mass(const costate_solver *s)
{
    return s->start_mass ? s->start_mass : s->prob.mass;
}

int cst__start_any(const costate_solver *s)
{
    const double *mass = cst__start_mass(s);
    for (int i = 0; mass && i < s->prob.n; i++)
        if (mass[i] == 0) return 1;
    return 0;
}

static int algebraic(const costate_solver *s, int i)
{
    return cst__start_mass(s)[i] == 0;
}

/* t0, or the time of an event. */
static double place(const costate_solver *s)
{
    return s->anew_at ? *s->anew_at : s->t0;
}

double cst__start_time(const costate_solver *s)
{
    return cst__beside(place(s), s->t1);
}

/* K at (t0, y). */
int cst__start_matrix(costate_solver *s, const double *y)
{
    if (s->ev && !s->anew_at) cst__events_mode(s, s->ev->first_mode, s->ev->first_held);
    TRY(cst__implicit_prepare(s));
    return cst__implicit_algebraic(s, s->im, SLOT, cst__start_time(s), y, cst__start_mass(s), s->constraint);
}

/* The family's own factors are gone. */
void cst__start_done(costate_solver *s)
{
    s->im->key = -1;
    if (s->fam->start) s->fam->start(s, 0);
}

/* ---- which states are given -------------------------------------------------------------------------------------------- */

static size_t nonzeros(const costate_solver *s)
{
    const pattern_column last = pattern_entries(&s->im->pattern, s->prob.n, s->prob.n - 1);
    return last.at + (size_t)last.count;
}

/* (y, v) with other slopes, for a rank may be lost where they are zero: v^2 = y. */
static void elsewhere(const costate_solver *s, const double *x, double *to)
{
    const int states = s->prob.n - s->prob.slopes;
    const double span = fabs(s->t1 - s->t0);
    memcpy(to, x, (size_t)s->prob.n * sizeof *to);
    for (int k = 0; k < s->prob.slopes; k++)
        to[states + k] += (1 + 0.5 * sin(1.7 * k + 1)) * (fabs(x[states + k]) + (fabs(x[k]) + s->atol[k]) / span);
}

/* A steady start: no equation has a mass. */
static int all_algebraic(costate_solver *s)
{
    const size_t n = (size_t)s->prob.n;
    double *mass = cst__scratch(s, &s->of_start, n);
    if (!mass) return s->status;
    memset(mass, 0, n * sizeof *mass);
    s->start_mass = mass;
    return 0;
}

/* y_k is given, and v_k follows, where the residual depends on v_k. Where it depends on combinations of slopes only, fewer states
 * can be given than it has slopes: as many as its matrix F_v has rank, those of independent columns; for the others 0 = v_k. */
static int choose(costate_solver *s, const double *y)
{
    const size_t n = (size_t)s->prob.n;
    s->start_mass = NULL;
    if (s->prob.steady) return all_algebraic(s);
    if (!s->prob.slopes) return 0;
    double *mass = cst__scratch(s, &s->of_start, 2 * n);
    if (!mass) return s->status;
    memcpy(mass, s->prob.mass, n * sizeof *mass);
    TRY(cst__implicit_prepare(s));
    if (!s->im->values) return 0;
    elsewhere(s, y, mass + n);
    if (cst__implicit_jacobian(s, s->im, -1, cst__start_time(s), mass + n) || !cst__all_finite(nonzeros(s), s->im->values))
        return 0;
    TRY(cst__rank_slopes(s, mass));
    s->start_mass = mass;
    return 0;
}

/* ---- Newton's method --------------------------------------------------------------------------------------------------- */

/* The algebraic part of f at y, constraints differentiated by time, zero elsewhere, into r. Slopes of a residual are
 * given, if the start is a steady one. */
static int remainder_at(costate_solver *s, const double *given, const double *y, double *r)
{
    TRY(deriv_rhs(&s->d, cst__start_time(s), y, s->p, r));
    if (s->constraint) TRY(cst__hidden_remainder(s, y, r));
    for (size_t i = 0; s->prob.steady && i < (size_t)s->prob.slopes; i++)
        if (start_has_slope(s, i)) r[i] -= given[start_given(s) + i];
    for (int i = 0; i < s->prob.n; i++)
        if (!algebraic(s, i)) r[i] = 0;
    return 0;
}

/* |x_i| / (|y_i| + |x_i| + atol_i), the largest: how much a correction changes. What is below normal numbers has no digits of its
 * own, and is nothing. */
static double change(const costate_solver *s, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < s->prob.n; i++) {
        const double size = fabs(y[i]) + fabs(x[i]) + s->atol[i];
        if (!isfinite(x[i])) return INFINITY;
        if (fabs(x[i]) >= DBL_MIN) most = fmax(most, fabs(x[i]) / size);
    }
    return most;
}

/* Of corrections: in units of the values that were given, so that it is the same on the way. */
static double length(const costate_solver *s, const double *x, const double *given)
{
    const double floor = s->opt.rtol > 0 ? 1 / s->opt.rtol : 1;
    double sum = 0;
    for (int i = 0; i < s->prob.n; i++) {
        const double unit = fabs(given[i]) + floor * s->atol[i];
        if (x[i] != 0) sum += unit > 0 ? x[i] / unit * x[i] / unit : x[i] * x[i];
    }
    return sqrt(sum);
}

/* free: names of states that can move together, or "". */
static int blame_rank(costate_solver *s, const double *y, const char *free)
{
    char one[64], words[240], together[480];
    const implicit *m = s->im;
    if (free[0]) snprintf(together, sizeof together, "; %s can change without breaking an equation", free);
    else cst__left_open(s, together, sizeof together);
    if (s->prob.steady)
        return cst__fail(s, COSTATE_ERR_CONSISTENT,
                         "the steady start is not determined at t = %.10g: the Jacobian is singular, as it is where something is "
                         "conserved, which one of the equations should say then, or the guess is a bad one%s",
                         place(s), together);
    if (s->constraint) {
        words[0] = 0;
        if (!free[0]) cst__hidden_blame(s, y, words, sizeof words);
        return cst__fail(
            s, COSTATE_ERR_CONSISTENT,
            "the algebraic equations and the constraints' derivatives by time do not determine the algebraic states at "
            "t = %.10g: the index is above 2, or not in Hessenberg's form%s%s",
            place(s), words, words[0] ? "" : together);
    }
    for (int i = 0; m->values && !s->prob.slopes && i < s->prob.n; i++) { /* of K's rows those that have nothing left */
        double most = 0;
        int here = 0; /* in the pattern, though its value is zero */
        if (!algebraic(s, i)) continue;
        for (int j = 0; j < s->prob.n; j++) {
            const pattern_column c = pattern_entries(&m->pattern, s->prob.n, j);
            for (int k = 0; k < c.count && algebraic(s, j); k++)
                if (pattern_row(&c, k) == i) most = fmax(most, fabs(m->values[c.at + (size_t)k])), here = 1;
        }
        if (most == 0)
            return cst__fail(s, COSTATE_ERR_CONSISTENT,
                             "%s contains no algebraic state at t = %.10g: the index is above 1; if it is 2, name the variables "
                             "that it is to determine by .index%s",
                             cst__equation(s, i, one), place(s), here ? "; or the guess is one where it has no slope" : "");
    }
    if (s->prob.slopes)
        return cst__fail(
            s, COSTATE_ERR_CONSISTENT,
            "the residual does not determine slopes and algebraic states at t = %.10g: its Jacobian by them is "
            "singular, so that the index is above 1 (if it is 2, name the variables by .index), or the guess of the slopes, "
            ".yp0, is a bad one%s",
            place(s), together);
    return cst__fail(s, COSTATE_ERR_CONSISTENT,
                     "the algebraic equations do not determine the algebraic states at t = %.10g: their Jacobian is singular%s",
                     place(s), together);
}

int cst__start_failed(costate_solver *s, int rc, const char *which, const double *y)
{
    char words[160];
    int row;
    if (rc < 0 && rc == s->status) return rc; /* it has its message */
    if (rc != STEP_MATRIX) return cst__callback_failed(s, rc, which, place(s), 0, 0);
    int status = cst__implicit_blame(s, words, sizeof words, &row);
    return status == COSTATE_ERR_SINGULAR ? blame_rank(s, y, "") : cst__fail(s, status, "%s at t = %.10g", words, place(s));
}

/* K at hand is singular up to round-off: a status with its message. */
static int undetermined(costate_solver *s, const double *y)
{
    char free[200];
    const int rc = cst__undetermined(s, y, free, sizeof free);
    return rc ? cst__start_failed(s, rc, "jvp", y) : free[0] ? blame_rank(s, y, free) : 0;
}

/* The correction from y with K there, in x. */
static int correction(costate_solver *s, const double *given, const double *y, double *x)
{
    TRY(remainder_at(s, given, y, x));
    if (!cst__all_finite((size_t)s->prob.n, x)) return 1;
    TRY(cst__implicit_solve(s, s->im, SLOT, 0, 1, x));
    for (int i = 0; s->constraint && i < s->prob.n; i++)
        if (!algebraic(s, i)) x[i] = 0; /* by which M^-1 f changes */
    return 0;
}

/* y + x, shortened until the next simplified correction is smaller; 0 if none is. */
static int search(costate_solver *s, const double *given, double *y, const double *x, double *trial, double *next)
{
    const size_t n = (size_t)s->prob.n;
    const double size = length(s, x, given);
    double part = 1;
    for (int k = 0; k < HALVINGS; k++, part /= 2) {
        cst__combine(n, y, 1, &part, &x, trial);
        if (correction(s, given, trial, next) == 0 && length(s, next, given) < size * (1 - part / 4)) {
            memcpy(y, trial, n * sizeof *y);
            return 1;
        }
    }
    return 0;
}

static int newton(costate_solver *s, const double *given, double *y, double *work)
{
    const size_t n = (size_t)s->prob.n;
    double *x = work, *trial = x + n, *next = trial + n, before = INFINITY;
    char one[64];
    if (s->ev && !s->anew_at) cst__events_mode(s, s->ev->first_mode, s->ev->first_held);
    int singular = 0, rc = remainder_at(s, given, y, x);
    if (rc) return cst__start_failed(s, rc, "rhs", y);
    for (int i = 0; i < s->prob.n; i++)
        if (!isfinite(x[i]))
            return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, place(s), 0, 0, -1, i, "%s is %g at t = %.10g",
                                cst__equation(s, i, one), x[i], place(s));
    for (int k = 0; k < ROUNDS; k++) {
        rc = cst__start_matrix(s, y);
        singular = k > 0 && rc == STEP_MATRIX && s->im->trouble == LINSOL_SINGULAR; /* where the iteration led */
        if (singular) break;
        if (rc) return cst__start_failed(s, rc, "jac", y);
        rc = correction(s, given, y, x);
        if (rc) return cst__start_failed(s, rc, "rhs", y);
        const double size = change(s, x, y);
        if (size <= round_off || (size <= 1e-10 && size > before / 2)) return 0; /* or round-off of f keeps it there */
        if (size <= 1e-6)
            for (size_t i = 0; i < n; i++) y[i] += x[i];
        else if (!search(s, given, y, x, trial, next)) break;
        before = size;
    }
    if (!singular) TRY(undetermined(s, y));
    int worst = 0;
    if (remainder_at(s, given, y, x)) memset(x, 0, n * sizeof *x);
    for (int i = 1; i < s->prob.n; i++)
        if (fabs(x[i]) > fabs(x[worst])) worst = i;
    return cst__fail(s, COSTATE_ERR_CONSISTENT, "Newton's method does not converge at t = %.10g: %s is off by %g%s", place(s),
                     cst__equation(s, worst, one), x[worst], singular ? " where the Jacobian is singular" : "");
}

/* ---- what was changed -------------------------------------------------------------------------------------------------- */

/* Tolerances by which a value moved; slopes are guessed, not given. */
static double moved(const costate_solver *s, int i, const double *from, const double *to)
{
    if (i >= s->prob.n - s->prob.slopes) return 0;
    const double unit = s->atol[i] + s->opt.rtol * fmax(fabs(from[i]), fabs(to[i])), by = fabs(to[i] - from[i]);
    return by == 0 ? 0 : by / unit;
}

static void tell(costate_solver *s, const double *from, const double *to)
{
    int told[TOLD], count = 0, all = 0;
    char one[32];
    for (int i = 0; i < s->prob.n; i++) all += moved(s, i, from, to) > 1;
    for (; count < all && count < TOLD; count++) {
        int best = -1;
        for (int i = 0; i < s->prob.n; i++) {
            int before = 0;
            for (int k = 0; k < count; k++) before |= told[k] == i;
            if (!before && (best < 0 || moved(s, i, from, to) > moved(s, best, from, to))) best = i;
        }
        told[count] = best;
        const size_t at = strlen(s->start);
        snprintf(s->start + at, sizeof s->start - at, "%s%s from %.6g to %.6g", count ? ", " : "", cst__state_name(s, best, one),
                 from[best], to[best]);
    }
    const size_t at = strlen(s->start);
    if (all > count) snprintf(s->start + at, sizeof s->start - at, ", and %d more", all - count);
}

int cst__consistent_begin(costate_solver *s, double *y)
{
    TRY(choose(s, y));
    TRY(cst__hidden_find(s, y));
    s->start_stays = 0;
    const int first = !s->start[0];
    return cst__consistent(s, y, first);
}

int cst__consistent(costate_solver *s, double *y, int report)
{
    if (report) s->start[0] = 0;
    if (!cst__start_any(s)) return 0;
    const size_t n = (size_t)s->prob.n;
    double *work = cst__alloc(&s->alloc, 4 * n, sizeof *work);
    if (!work) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    memcpy(work, y, n * sizeof *y);
    int status = newton(s, work, y, work + n);
    if (!status && report) status = undetermined(s, y);
    if (!status && report && s->constraint) {
        const int rc = cst__hidden_holds(s, y);
        if (rc) status = cst__start_failed(s, rc, "rhs", y);
    }
    if (!status && report) tell(s, work, y);
    cst__release(&s->alloc, work);
    cst__start_done(s);
    return status;
}

const char *cst__consistent_lacks(const costate_solver *s)
{
    const int lacks = cst__index2(s) && !s->prob.vjp_dot2;
    return lacks ? "vjp_dot2, the third derivatives of the right-hand side, for its constraints where the run begins" : NULL;
}
