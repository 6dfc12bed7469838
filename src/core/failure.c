/* failure.c - what a step that failed is about, in words. */
#include "core/run.h"

#include "method/implicit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

int cst__callback_failed(costate_solver *s, int rc, const char *which, double t, double h, int64_t n)
{
    if (rc < 0 && s->status == rc) return rc; /* not the callback: what failed has said so */
    if (s->calling) which = s->calling;
    return cst__fail_at(s, COSTATE_ERR_CALLBACK, t, h, n, -1, -1, "%s returned %d at t = %.10g (step %lld, h = %g)", which, rc, t,
                        (long long)n, h);
}

int cst__step_words(costate_solver *s, int rc, const char *which, char *words, size_t size, int *component)
{
    *component = -1;
    if (rc == STEP_MATRIX) return cst__implicit_blame(s, words, size, component);
    if (rc == STEP_NEWTON) snprintf(words, size, "the stage equations");
    else snprintf(words, size, "%s returned %d", s->calling ? s->calling : which, rc);
    return rc == STEP_NEWTON ? COSTATE_ERR_NEWTON : rc < 0 ? COSTATE_ERR_CALLBACK : COSTATE_ERR_RETRY;
}

/* The first component whose error has no scale, because value and absolute tolerance are zero; n: none. */
static int weightless(const costate_solver *s, const double *y)
{
    int i = 0;
    while (i < s->prob.n && (y[i] != 0 || s->atol[i] > 0)) i++;
    return i;
}

int cst__unresolved(costate_solver *s, const step *st)
{
    return cst__fail_at(s, COSTATE_ERR_RESOLUTION, st->from, st->h, st->n, -1, -1,
                        "h = %g at t = %.17g (step %lld), where numbers are %g apart", st->h, st->from, (long long)st->n,
                        nextafter(fabs(st->from), HUGE_VAL) - fabs(st->from));
}

/* Nothing but the distance of t from zero stands in the way of a smaller step. */
static int unresolved(const costate_solver *s, const run *r, const step *st, verdict v)
{
    double t = fabs(st->from);
    return t > fabs(s->t1 - s->t0) && fabs(st->h) <= 2 * DBL_EPSILON * t && (v == TOO_INACCURATE || r->reason == STEP_NEWTON);
}

int cst__attempt_failed(costate_solver *s, const run *r, const step *st, verdict v, double err)
{
    static const double beyond = 1 / (DBL_EPSILON * DBL_EPSILON); /* no error that has a scale is so large */
    char buffer[32], words[160];
    int stage = -1, component = weightless(s, st->y);
    if (component < s->prob.n && ((v == REFUSED && r->reason == STEP_NEWTON) || (v == TOO_INACCURATE && err > beyond)))
        return cst__fail_at(s, COSTATE_ERR_WEIGHT, st->from, st->h, st->n, -1, component, "%s is 0 at t = %.10g (step %lld)",
                            cst__state_name(s, component, buffer), st->from, (long long)st->n);
    component = -1;
    if (unresolved(s, r, st, v)) return cst__unresolved(s, st);
    if (v == TOO_INACCURATE)
        return cst__fail_at(s, COSTATE_ERR_STEP, st->from, st->h, st->n, -1, -1,
                            "h = %g at t = %.10g (step %lld), error %g times the tolerance", st->h, st->from,
                            (long long)st->n, err);
    if (v == REFUSED) {
        int code = cst__step_words(s, r->reason, r->which, words, sizeof words, &component);
        return cst__fail_at(s, code, st->from, st->h, st->n, -1, component, "%s at t = %.10g with h = %g (step %lld)", words,
                            st->from, st->h, (long long)st->n);
    }
    if (v == DIRECTION_NOT_FINITE || s->fam->culprit(s, st, &stage, &component))
        return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, st->from, st->h, st->n, -1, -1,
                            "a direction of the tangent at t = %.10g with h = %g (step %lld)", st->from, st->h, (long long)st->n);
    const int states = s->prob.n - s->prob.slopes;
    if (component < states)
        snprintf(words, sizeof words, "component %d (%s) of the right-hand side", component,
                 cst__state_name(s, component, buffer));
    else snprintf(words, sizeof words, "residual[%d]", component - states);
    return cst__fail_at(s, COSTATE_ERR_NOT_FINITE, st->from, st->h, st->n, stage, component,
                        "%s in stage %d, at t = %.10g with h = %g (step %lld)", words, stage + 1, st->from, st->h,
                        (long long)st->n);
}
