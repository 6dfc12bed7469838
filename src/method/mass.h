/* mass.h - M y' = f with a diagonal M, costate_problem.mass; without one M is the identity, and nothing here costs anything.
 * Where M is zero f = 0 is an algebraic equation, and its state has no slope of its own: the slopes that step control goes by are
 * those of the differential states, M^+ f, and zero. */
#ifndef COSTATE_METHOD_MASS_H
#define COSTATE_METHOD_MASS_H

#include "solver/solver.h"

static inline int mass_algebraic(const costate_solver *s, int i)
{
    return s->prob.mass && s->prob.mass[i] == 0;
}

/* x = M x on a block of w lanes. */
static inline void mass_apply(const costate_solver *s, int w, double *x)
{
    const double *mass = s->prob.mass;
    for (size_t i = 0; mass && i < (size_t)s->prob.n; i++)
        for (size_t l = i * (size_t)w; l < (i + 1) * (size_t)w; l++) x[l] *= mass[i];
}

/* x = M^+ x */
static inline void mass_divide(const costate_solver *s, double *x)
{
    const double *mass = s->prob.mass;
    for (int i = 0; mass && i < s->prob.n; i++) x[i] = mass[i] == 0 ? 0 : x[i] / mass[i];
}

/* Zeros for the algebraic equations of a vector. */
static inline void mass_keep_differential(const costate_solver *s, double *x)
{
    for (int i = 0; s->prob.mass && i < s->prob.n; i++)
        if (s->prob.mass[i] == 0) x[i] = 0;
}

#endif
