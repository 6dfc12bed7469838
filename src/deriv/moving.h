/* moving.h - derivatives by where a step begins and by its size, as those by two more parameters z and s of the right-hand side:
 *
 *     F(T, y, (p, z, s)) = (1+s) f(T + z + (T - t) s, y, p),   z = s = 0        zdot = tdot,   sdot = hdot/h
 *
 * A one-step method sees its size h and f as h f alone, so that its step from t + z of size h (1+s) with f is that from t of
 * size h with F; and so it is with the integrands of the objectives. With c = T - t and V = (tdot + zdot + c sdot, ydot, pdot)
 *
 *     jvp       f'(V) + sdot f
 *     vjp       yb, pb as of f;   zb = u.f_t;   sb = u.f + c zb
 *     jvp2      f''(V1, V2) + (t1 s2 + t2 s1) f_t + s1 f'(V2) + s2 f'(V1)
 *     vjp_dot   ybdot, pbdot: of f along V with seeds u, udot + sdot u;   zbdot = (udot + sdot u).f_t + u.f''(e_t, V);
 *               sbdot = udot.f + u.f'(V) + tdot u.f_t + c zbdot
 *     vjp_dot2  at c = 0, d2 without s: [f'''(V1, V2, .) + s1 f''(V2, .) + t2 s1 f''(e_t, .)]^T u, its part of e_t for z;
 *               sb = u.(f''(V1, V2) + t2 f''(e_t, V1) + 2 t2 s1 f_t)
 *
 * Parts pdot and pb have np + 2 rows then, the last two those of z and s; where they are NULL, so are these. docs/theory.md,
 * "Events" */
#ifndef COSTATE_DERIV_MOVING_H
#define COSTATE_DERIV_MOVING_H

#include "deriv/deriv.h"

typedef struct moving {
    costate_modal at; /* the first member: what callbacks get as data is the address of all this */
    deriv *d;
    costate_problem *prob; /* its vjp_dot2 are called there */
    costate_function_jvp2 *running_jvp2;
    double t, h, span; /* where the step begins, its size; a scale of time */
    const double *node; /* where the method evaluates, in parts of h: T is rounded, and c must not be, for sdot may be huge */
    int nodes;
    double *work;
    int lanes, rows; /* at most; of f or of the integrands, the more */
    deriv own;       /* while they are moved: as they were */
    costate_vjp_dot2_fn *own_dot2;
    int (*own_running_dot2)(int k, double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                            const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, const double *u,
                            double *yb, double *pb, void *data);
} moving;

size_t moving_doubles(const costate_problem *prob, int lanes); /* of work */
void moving_begin(moving *m, double t, double h, double span); /* products of m->d are those of F, */
void moving_end(moving *m);                                    /* and those of f again */

/* gdd (rows x w) = g''(e_t, V) of a function with these products: by jvp2, or if it is NULL by differences of jvp along t, with
 * `span` the scale of time. work: (rows + 1) w doubles. */
int second_by_time(const deriv_function *g, costate_function_jvp2 *jvp2, double span, int k, double t, const double *y,
                   const double *p, int w, const double *tdot, const double *ydot, const double *pdot, double *gdd, double *work);

#endif
