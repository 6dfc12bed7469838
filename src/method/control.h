/* control.h - from the error of a step to the size of the next. k is the order of the estimate plus one: err ~ h^k.
 *
 *     elementary   h+ = h safety err^(-1/k)
 *     pi           h+ = h safety err^(-1/k + 0.75 beta) err_old^beta,  beta = 0.2/k        Hairer, Norsett, Wanner I, (IV.2.43c)
 *     gustafsson   h+ = min(elementary, h safety (h/h_old) (err_old/err^2)^(1/k))          Gustafsson 1994, after accepted steps
 *
 * within [facmin, facmax], and never growing right after a rejection.
 *
 * auto is pi for explicit methods and gustafsson for implicit ones, whose steps change by powers of ten. Over Robertson,
 * van der Pol, HIRES, POLLU, CBM-IV and (some methods) the ring modulator at rtol 1e-3 .. 1e-7 it takes, by method, 1 to
 * 17 % fewer steps than pi, rejected ones included, and has far fewer rejections on van der Pol. Its steps are larger, and
 * so are the errors, 1.3 times typically: reckoned at the same error most methods gain up to 6 %, sdirk4a and gauss more;
 * ros4, sdirk2a and sdirk4b lose 5 %. */
#ifndef COSTATE_METHOD_CONTROL_H
#define COSTATE_METHOD_CONTROL_H

#include "solver/solver.h"

typedef enum control_kind { ELEMENTARY, PI, GUSTAFSSON } control_kind;

typedef struct control {
    control_kind kind;
    double k, safety, facmin, facmax;
    double h_old, rise_old; /* of the last accepted step: h (0: there is none), and by how much log h might have risen */
    double hmin;            /* option hmin */
    int rejected;           /* the attempt before this one was rejected */
} control;

/* What came of an attempt at a step. */
typedef struct outcome {
    int accepted;
    double err;   /* the largest error, in tolerances; NaN: the attempt gave none */
    int failures; /* attempts at this step that failed, this one included */
} outcome;

void cst__control_start(control *c, const costate_solver *s);
/* The size of the next attempt after one of size h; remembers an accepted step. Once for each attempt. */
double cst__control_size(control *c, double h, const outcome *o);

#endif
