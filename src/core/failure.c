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
    else if (rc == STEP_NOT_FINITE) snprintf(words, size, "something that is not finite");
    else snprintf(words, size, "%s returned %d", s->calling ? s->calling : which, rc);
    if (rc == STEP_NOT_FINITE) return COSTATE_ERR_NOT_FINITE;
    return rc == STEP_NEWTON ? COSTATE_ERR_NEWTON : rc < 0 ? COSTATE_ERR_CALLBACK : COSTATE_ERR_RETRY;
}

static int weightless(const costate_solver *s, const step *st, int i)
{
    return st->y[i] == 0 && s->atol[i] == 0;
}

static int passes(costate_solver *s, const step *st)
{
    double err = 0;
    return !s->fam->step(s, st, s->opt.step == 0 ? &err : NULL) && err <= 1;
}

/* The first component whose error has no scale, because value and absolute tolerance are zero, where that is why the attempt
 * failed: with such components unjudged it passes. n: it is not. */
static int without_weight(costate_solver *s, const step *st)
{
    int i, first = 0;
    while (first < s->prob.n && !weightless(s, st, first)) first++;
    if (first == s->prob.n || passes(s, st)) return s->prob.n;
    for (i = first; i < s->prob.n; i++)
        if (weightless(s, st, i)) s->atol[i] = HUGE_VAL;
    const int blamed = passes(s, st);
    for (i = first; i < s->prob.n; i++)
        if (s->atol[i] == HUGE_VAL) s->atol[i] = 0;
    return blamed ? first : s->prob.n;
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
    char buffer[32], words[160];
    const int judged = v == TOO_INACCURATE || (v == REFUSED && r->reason == STEP_NEWTON);
    int stage = -1, component = judged ? without_weight(s, st) : s->prob.n;
    if (component < s->prob.n)
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
