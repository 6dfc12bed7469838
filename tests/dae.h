/* dae.h - differential-algebraic problems of problems/: opened and run. */
#ifndef DAE_H
#define DAE_H

#include "generated.h"
#include "support.h"

#include <math.h>

enum { MOST = 16, NP = 4 };

typedef struct subject {
    costate_model *model;
    const costate_problem *prob;
    costate_model_info about;
} subject;

static inline subject subject_open(const char *name, const char *define)
{
    subject q = {.model = generated_model(name, define)};
    q.prob = costate_model_problem(q.model);
    q.about = costate_model_about(q.model);
    return q;
}

static inline costate_options options_of(const char *method, double rtol, double atol)
{
    costate_options o = costate_defaults(method);
    o.rtol = rtol;
    o.atol = atol;
    o.max_steps = 1000000;
    return o;
}

static inline void solve(costate_solver *s, const subject *q, double *y)
{
    memcpy(y, q->about.y0, (size_t)q->prob->n * sizeof *y);
    assert_ok(s, costate_solve(s, q->about.t0, q->about.t1, q->about.p, y));
}

#endif
