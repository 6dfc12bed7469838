/* bdf_tangent.c - tangent of a BDF step on a block of directions, its past included; and dense output, of the state and of
 * directions alike.
 *
 *     (c M - f_y) ydot_n = f_p pdot - M sum_j b_j ydot_(n-1-j)      f_y, f_p at (t_n, y_n)
 *     qdot_n = (r_y ydot_n + r_p pdot - sum_j b_j qdot_(n-1-j))/c
 *
 * docs/theory.md (71). The stage data begin with ydot_n. Where the system is iterated it begins at what the past predicts. */
#include "method/bdf.h"

#include "base/kernels.h"
#include "method/judge.h"
#include "method/mass.h"

static int goals(costate_solver *s, const step *st, const bdf_formula *f, dblock *d)
{
    const deriv_function *r = &s->d.running;
    const size_t gw = bdf_goals(s) * (size_t)d->w;
    double *q = bdf_goal(s, d->ydotnew, 0, d->w);
    if (!gw) return 0;
    TRY(cst__of(s, "running's jvp", r->fn.jvp(0, st->tn, st->stages, s->p, d->w, NULL, d->stages, d->pdot, q, r->data)));
    for (size_t i = 0; i < gw; i++) {
        for (int j = 0; j <= f->k; j++) q[i] -= f->b[j] * bdf_goal(s, d->ydot, j, d->w)[i];
        q[i] /= f->c;
    }
    return 0;
}

/* The error of the directions, by the state's estimate: ydot_n less what the past predicts. */
static int tangent_error(costate_solver *s, const step *st, const bdf_formula *f, int first, dblock *d, double *err)
{
    const size_t n = (size_t)s->prob.n, nw = n * (size_t)d->w;
    const double c[3] = {f->weight, -f->weight, -f->weight * f->h}, *const v[3] = {d->stages, d->ydot, d->fdot};
    if (!first) {
        cst__bdf_estimate_tangent(s, st, f, d, err);
        return 0;
    }
    TRY(deriv_jvp(&s->d, st->t, st->y, s->p, d->w, NULL, d->ydot, d->pdot, d->fdot)); /* ydot + h (y'). */
    for (size_t i = 0; s->prob.mass && i < nw; i++) {
        const double mass = s->prob.mass[i / (size_t)d->w];
        d->fdot[i] = mass == 0 ? 0 : d->fdot[i] / mass;
    }
    *err = judge_lanes(s, st->h, d, 3, c, v, d->stages);
    return 0;
}

int cst__bdf_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    const size_t nw = (size_t)s->prob.n * (size_t)d->w;
    double *x = d->stages, *past = d->kdot, *predicted = d->kdot + ITERATE_WORK * nw;
    bdf_formula f;
    const int first = cst__bdf_formula(s, st, cst__bdf_order(st), &f);
    d->fdotnew_valid = 0;
    cst__bdf_combine(s, &f, f.b, d->ydot, d->w, past);
    mass_apply(s, d->w, past);
    if (d->pdot) TRY(deriv_jvp(&s->d, st->tn, st->stages, s->p, d->w, NULL, NULL, d->pdot, x));
    else memset(x, 0, nw * sizeof *x);
    for (size_t i = 0; i < nw; i++) x[i] -= past[i];
    cst__bdf_combine(s, &f, f.l, d->ydot, d->w, predicted);
    TRY(cst__bdf_linear(s, st, &f, 0, d->w, predicted, x, d->kdot));
    if (d->ydotnew) {
        memcpy(d->ydotnew, x, nw * sizeof *x);
        cst__bdf_shift(s, d->ydot, d->w, d->ydotnew);
        TRY(goals(s, st, &f, d));
    }
    return err ? tangent_error(s, st, &f, first, d, err) : 0;
}

int cst__bdf_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    const double *q = bdf_goal(s, d->ydotnew, 0, d->w), *before = bdf_goal(s, d->ydot, 0, d->w);
    (void)st;
    for (int i = 0; i < s->nobj * d->w; i++) d->qdot[i] += q[i] - before[i];
    return 0;
}

/* The weights of y_n .. y_(n-k) in the polynomial through them, at t + theta h; in the first step it is the line through y_1 and
 * y_0. Returns k. */
static int weights(const costate_solver *s, const step *st, double theta, double *c)
{
    double at[BDF_PAST + 1] = {0}, x = (theta - 1) * st->h;
    bdf_formula f;
    cst__bdf_formula(s, st, cst__bdf_order(st), &f);
    for (int j = 0; j < f.k; j++) at[j + 1] = f.x[j];
    for (int j = 0; j <= f.k; j++) {
        c[j] = 1;
        for (int i = 0; i <= f.k; i++)
            if (i != j) c[j] *= (x - at[i]) / (at[j] - at[i]);
    }
    return f.k;
}

int cst__bdf_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first)
{
    double c[BDF_PAST + 1];
    const double *v[BDF_PAST + 1] = {d ? d->stages : st->stages};
    const int k = weights(s, st, theta, c);
    (void)first;
    for (int j = 0; j < k; j++) v[j + 1] = bdf_before(s, st, d, j);
    cst__combine((size_t)s->prob.n * (size_t)(d ? d->w : 1), NULL, k + 1, c, v, d ? ydot : y);
    return 0;
}

/* lambda_j += c_j from: rows of what is owed to the end of the step are y_n .. y_(n-5). */
void cst__bdf_dense_adjoint(costate_solver *s, const step *st, double theta, int w, const double *from, double *lambda)
{
    double c[BDF_PAST + 1];
    const int k = weights(s, st, theta, c);
    for (int j = 0; j <= k; j++) {
        double *to = bdf_past(s, lambda, j, w);
        cst__combine((size_t)s->prob.n * (size_t)w, to, 1, &c[j], &from, to);
    }
}

/* Lagrange's polynomials on x_0 .. x_k, integrated from -h to 0 by Gauss's formula, which is exact for them. */
static void integrals(int k, const double *x, double h, double *c)
{
    enum { POINTS = 4 };
    const double far = 0.430568155797026287612, near = 0.169990521792428132401, outer = 0.173927422568726928687;
    const double node[POINTS] = {0.5 - far, 0.5 - near, 0.5 + near, 0.5 + far};
    const double weight[POINTS] = {outer, 0.5 - outer, 0.5 - outer, outer};
    for (int j = 0; j <= k; j++) {
        c[j] = 0;
        for (int g = 0; g < POINTS; g++) {
            double value = h * weight[g];
            for (int i = 0; i <= k; i++)
                if (i != j) value *= (-h * node[g] - x[i]) / (x[j] - x[i]);
            c[j] += value;
        }
    }
}

/* The polynomial through y_n .. y_(n-k-1), as far as there are so many, integrated; its error is less than what the one of a
 * degree less differs by. Of the first step, with the line through both its ends, nothing is known. */
void cst__bdf_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q)
{
    const double *ages = bdf_copied(s, st) + CARRY_AGES;
    bdf_formula f;
    double x[BDF_PAST + 1] = {0}, whole[BDF_PAST + 1], less[BDF_PAST + 1] = {0};
    const int first = cst__bdf_formula(s, st, cst__bdf_order(&(step){.note = s->note}), &f);
    const int degree = !first && f.k < BDF_MOST && ages[f.k - 1] != 0 ? f.k + 1 : f.k;
    for (int j = 0; j < degree; j++) x[j + 1] = f.x[j];
    integrals(degree, x, st->h, whole);
    integrals(degree - 1, x, st->h, less);
    q->count = 0;
    q->shared = 1;
    for (int j = 0; j <= degree; j++)
        quadrature_add(q, j ? st->tn + f.x[j - 1] : st->tn, whole[j], first ? 0 : whole[j] - less[j],
                       j ? bdf_past(s, d ? d->ydot : st->y, j - 1, d ? d->w : 1) : d ? d->stages : st->stages);
}
