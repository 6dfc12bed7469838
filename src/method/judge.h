/* judge.h - how large an error is, in tolerances.
 *
 * Slopes of a residual are not looked at, for they follow from the states. Of an index-2 variable the local error and the
 * round-off of Newton's iteration are O(1/h) larger than those of what it drives, and do it no harm: its errors are multiplied
 * by h, in every norm of a step (Hairer, Wanner II, VII.7). */
#ifndef COSTATE_METHOD_JUDGE_H
#define COSTATE_METHOD_JUDGE_H

#include "base/kernels.h"
#include "method/method.h"

#include <math.h>

/* The units of errors in a step of size h: NULL, unless there are index-2 variables. */
static inline const double *judge_unit(costate_solver *s, double h)
{
    const double *index = s->prob.index;
    if (!s->unit) return NULL;
    for (size_t i = 0, n = cst__judged(s); s->unit_h != h && i < n; i++) s->unit[i] = index[i] == 2 ? fabs(h) : 1;
    s->unit_h = h;
    return s->unit;
}

static inline double judge(costate_solver *s, double h, int m, const double *c, const double *const *v, const double *y,
                           const double *ynew)
{
    return cst__error_norm(cst__judged(s), m, c, v, y, ynew, s->opt.rtol, s->atol, judge_unit(s, h));
}

/* And of its parts, w[1], w[2], ...; the whole is w[0]. */
static inline void judge_parts(costate_solver *s, double h, int m, const double *c, const double *const *v, const step *st,
                               double *w)
{
    cst__error_parts(cst__judged(s), m, c, v, st->y, st->ynew, s->opt.rtol, s->atol, judge_unit(s, h), w, w + 1);
}

/* Of a block of directions that goes from y to ynew; each lane by itself, in its own unit if it has one. */
static inline double judge_lanes(costate_solver *s, double h, const dblock *d, int m, const double *c, const double *const *v,
                                 const double *ynew)
{
    return cst__error_norm_lanes(cst__judged(s), d->w, m, c, v, d->ydot, ynew, s->opt.rtol, s->atol, judge_unit(s, h), d->unit);
}

#endif
