/* bdf_witness.c - jumps of the right-hand side, which the estimate of a step understates.
 *
 * Let f jump by J within the step to t_n. Then e = y_n - P_k(t_n) is h J / S_k, wherever in the step that is, and y_n is wrong by
 * up to h J. Of that the estimate is alpha_k / S_k: 1/14 in steps of one size with k = 5, and less where the step is shorter than
 * those before it, as it is after failures, that is at jumps. For smooth solutions it is right: e is the product of all distances
 * t_n - t_(n-1-j) with a derivative.
 *
 * So, where S_k e is more than a few tolerances, it is held against what the steps before lead one to expect, by that product. If
 * it stands out, as a whole or in a part, a smaller step tells: e falls with h where there is a jump, with h^2 or faster where
 * there is none. The step over it is to be so small that S_k e is a few tolerances, and order 1 follows, which knows nothing of
 * what was before. What is fast follows a jump at once, and its e says nothing of y_n: it is damped by the matrix of the step.
 * Algebraic states do jump and are left out, and so are systems of index 2.
 *
 * Nothing of this is seen by repeated steps. docs/theory.md (70a) */
#include "method/bdf.h"

#include "method/judge.h"
#include "method/mass.h"

#include <float.h>
#include <math.h>

static const double gap_most = 5, gap_least = 2; /* of S_k e: tolerances that may pass; that count where an attempt failed */
static const double rise_most = 4, part_rise_most = 30; /* of e over what is expected, where the solution is smooth */
static const double forgets = 0.7;                      /* a step, of how large it has been */
static const double apart = 0.75;                       /* sizes of which one tells something about the other */
static const double half = 0.5, at_least = 0.1;         /* of a step: to see more by; and where there is a jump */
static const double grains = 1e4;                       /* of t: in steps of fewer f jumps with t itself */
enum { COUNT_MOST = 8 };                                /* attempts at a step that it speaks against */

static int sights(const costate_solver *s)
{
    const size_t n = cst__judged(s);
    return 1 + (n < KERNEL_PARTS ? (int)n : KERNEL_PARTS);
}

/* Terms of y less the polynomial of order q through the past from row `from` on, at x, where y is. */
static int terms(const costate_solver *s, const step *st, const bdf_formula *f, int from, int q, double x, const double *y,
                 double *c, const double **v)
{
    c[0] = 1;
    v[0] = y;
    for (int j = 0; j <= q; j++) {
        c[j + 1] = -1;
        for (int i = 0; i <= q; i++)
            if (i != j) c[j + 1] *= (x - f->x[from + i]) / (f->x[from + j] - f->x[from + i]);
        v[j + 1] = bdf_past(s, st->y, from + j, 1);
    }
    return q + 2;
}

static void see(costate_solver *s, const step *st, const bdf_formula *f, int from, int q, double x, const double *y, bdf_sight *a)
{
    bdf *m = s->method;
    const double *v[BDF_PAST + 1];
    double c[BDF_PAST + 1];
    int count = terms(s, st, f, from, q, x, y, c, v);
    a->q = q;
    for (int j = 0; j <= q; j++) a->x[j] = x - f->x[from + j];
    if (s->prob.mass) {
        cst__combine((size_t)s->prob.n, NULL, count, c, v, m->r);
        mass_keep_differential(s, m->r);
        count = 1;
        v[0] = m->r;
    }
    cst__error_parts(cst__judged(s), count, c, v, st->y, y, s->opt.rtol, s->atol, NULL, a->w, a->w + 1);
}

/* What is wrong of y_n, rather than late: what is fast has followed the jump by then, c (c M - f_y)^-1 M e. */
static int damped(costate_solver *s, const step *st, const bdf_formula *f, const double *y, double *w)
{
    bdf *m = s->method;
    const size_t n = (size_t)s->prob.n;
    const double *v[BDF_PAST + 1], *e = m->r, one = 1;
    double c[BDF_PAST + 1];
    const int count = terms(s, st, f, 0, f->k, 0, y, c, v);
    for (int i = 0; i < count; i++) c[i] *= m->held[m->at].shift;
    cst__combine(n, NULL, count, c, v, m->r);
    mass_apply(s, 1, m->r);
    TRY(cst__implicit_solve(s, &m->im, m->at, 0, 1, m->r));
    mass_keep_differential(s, m->r);
    cst__error_parts(cst__judged(s), 1, &one, &e, st->y, y, s->opt.rtol, s->atol, NULL, w, w + 1);
    return 0;
}

/* By how much e is to change with the product of all distances. */
static double product(const bdf_sight *a, const bdf_sight *b)
{
    double ratio = 1;
    for (int j = 0; j <= a->q; j++) ratio *= a->x[j] / b->x[j];
    return ratio;
}

static int past(const costate_solver *s, const step *st)
{
    const double *ages = bdf_copied(s, st) + CARRY_AGES;
    int k = 1;
    while (k < BDF_PAST && ages[k - 1] != 0) k++;
    return k;
}

typedef enum finding { NOTHING, OPEN, JUMP } finding;

/* Part i, which stands out: did it fall since the last attempt as a jump does? */
static finding fallen(const bdf_witness *a, const bdf_sight *now, double h, int i)
{
    const double r = h / a->h;
    if (now->q == 0 || r > apart) return OPEN;
    return now->w[i] > a->doubt.w[i] * r * sqrt(r) ? JUMP : NOTHING;
}

/* What the parts that stand out say, and by how much y_n may be wrong there. */
static int find(costate_solver *s, const step *st, const bdf_formula *f, const double *y, finding *found, double *gap)
{
    bdf *m = s->method;
    bdf_witness *a = &m->witness;
    bdf_sight again = {0};
    const double S = f->c * f->h, usual = a->usual.q == a->seen.q ? product(&a->seen, &a->usual) : 0;
    const double least = (a->doubt.q ? gap_least : gap_most) / S;
    double late[1 + KERNEL_PARTS];
    int known = 0;
    for (int i = 0; i < sights(s); i++) {
        const double w = a->seen.w[i];
        if (!(w > least) || w <= (i ? part_rise_most : rise_most) * usual * a->usual.w[i]) continue;
        if (!known) {
            TRY(damped(s, st, f, y, late));
            if (a->doubt.q && a->doubt.q < past(s, st)) see(s, st, f, 0, a->doubt.q, 0, y, &again);
            known = 1;
        }
        if (!(late[i] > least)) continue;
        const finding it = fallen(a, &again, st->h, i);
        if (it > *found) *found = it;
        *gap = fmax(*gap, S * late[i]);
    }
    return 0;
}

int cst__bdf_witness(costate_solver *s, const step *st, const bdf_formula *f, const double *y, double *err)
{
    bdf *m = s->method;
    bdf_witness *a = &m->witness;
    finding found = NOTHING;
    double gap = 0;
    a->over = 0;
    if (cst__index2(s) || !isfinite(*err) || fabs(st->h) < grains * DBL_EPSILON * fabs(st->tn)) return 0;
    see(s, st, f, 0, f->k, 0, y, &a->seen);
    if (a->count < COUNT_MOST) TRY(find(s, st, f, y, &found, &gap));
    a->over = found == JUMP && gap <= gap_most && f->k > 2;
    if (found == NOTHING || (found == OPEN && *err > 1) || (gap <= gap_most && *err <= 1)) return 0;
    a->order = f->k;
    a->ask = found == JUMP ? fmin(half, fmax(at_least, 0.8 * gap_most / gap)) : half;
    if (*err <= 1) a->count++;
    *err = fmax(*err, 2);
    return 0;
}

void cst__bdf_refused(costate_solver *s, const step *st)
{
    bdf *m = s->method;
    bdf_witness *a = &m->witness;
    bdf_formula f;
    a->ask = 0;
    if (a->seen.q) {
        a->doubt = a->seen;
        a->h = st->h;
        a->until = st->to;
    }
    a->seen.q = 0; /* of the next attempt there may be none: Newton's method fails */
    if (a->usual.q == 0 || a->usual.q == m->k || past(s, st) < m->k + 2) return;
    cst__bdf_formula(s, st, m->k, &f);
    see(s, st, &f, 1, m->k, f.x[0], bdf_past(s, st->y, 0, 1), &a->usual);
}

int cst__bdf_accepted(costate_solver *s, const step *st)
{
    bdf *m = s->method;
    bdf_witness *a = &m->witness;
    bdf_formula f;
    a->count = 0;
    if (a->over) {
        m->k = 1;
        m->raised = m->same = a->usual.q = a->doubt.q = 0;
        return 1;
    }
    if ((a->until - st->to) * st->h <= 0) a->doubt.q = 0;
    if (a->seen.q == m->k) {
        const double old = a->usual.q == m->k ? forgets * product(&a->seen, &a->usual) : 0;
        for (int i = 0; old > 0 && i < sights(s); i++) a->seen.w[i] = fmax(a->seen.w[i], old * a->usual.w[i]);
        a->usual = a->seen;
    } else if (a->seen.q && m->k < past(s, st)) {
        cst__bdf_formula(s, st, m->k, &f);
        see(s, st, &f, 0, m->k, 0, st->stages, &a->usual);
    } else a->usual.q = 0;
    return 0;
}
