/* deriv.h - where derivative products come from. Every product is found by a chain, resolved once:
 *
 *     the user's  ->  built from what is there (jvp and vjp from jac, vjp from jvp)  ->  central differences
 *
 * After deriv_open every product of the right-hand side and of each function that has an eval can be called; a caller does
 * not see where it comes from. A resolved product is a function with its own data pointer: the user's function with the
 * user's data, or one of ours with the deriv itself. The inline functions below call and count it; built products call the
 * user's functions through the same counters, so that differences show up as calls of rhs. */
#ifndef COSTATE_DERIV_H
#define COSTATE_DERIV_H

#include <costate/costate.h>

typedef struct deriv_function { /* a costate_function whose products are all there, or all NULL if it has no eval */
    costate_function fn;
    void *data;
    int rows; /* length of its value */
} deriv_function;

typedef struct deriv {
    costate_problem prob;
    costate_allocator alloc;
    costate_stats *count; /* counters to raise */
    costate_jvp_fn *jvp;  void *jvp_data;
    costate_vjp_fn *vjp;  void *vjp_data;
    costate_jvp2_fn *jvp2; void *jvp2_data;
    costate_vjp_dot_fn *vjp_dot; void *vjp_dot_data;
    deriv_function init, terminal, running, observe, event, reset, on_event, event_times;
    int exact;      /* 1: jvp, vjp (and those of the functions) involve no differences */
    int exact2;     /* 1: vjp_dot (and those of the functions) neither */
    char text[256]; /* "jvp user, vjp jac, jvp2 differences, vjp_dot differences; objectives user" */
    /* What products cost, in evaluations of f: so much a call, and so much a lane. */
    struct {
        double call, lane;
    } jvp_cost, vjp_cost;
    double t0;      /* where the run began: differences along t are by the time since then */
    double from, to; /* a step: differences along t from a place within it stay within, for f may jump beyond; equal: none */
    double *work;   /* scratch of the built products */
} deriv;

/* prob is copied. lanes: the most w any product will be called with. 0 or COSTATE_ERR_MEMORY, then nothing is left behind. */
int deriv_open(deriv *d, const costate_problem *prob, int lanes, const costate_allocator *alloc, costate_stats *count);
void deriv_close(deriv *d); /* a zeroed deriv is fine */

static inline int deriv_rhs(deriv *d, double t, const double *y, const double *p, double *f)
{
    d->count->rhs++;
    return d->prob.rhs(t, y, p, f, d->prob.data);
}

static inline int deriv_jvp(deriv *d, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                            const double *pdot, double *fdot)
{
    d->count->jvp++;
    return d->jvp(t, y, p, w, tdot, ydot, pdot, fdot, d->jvp_data);
}

static inline int deriv_vjp(deriv *d, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb)
{
    d->count->vjp++;
    return d->vjp(t, y, p, w, u, yb, pb, d->vjp_data);
}

static inline int deriv_jvp2(deriv *d, double t, const double *y, const double *p, int w, const double *tdot1,
                             const double *ydot1, const double *pdot1, const double *tdot2, const double *ydot2,
                             const double *pdot2, double *fdd)
{
    d->count->jvp2++;
    return d->jvp2(t, y, p, w, tdot1, ydot1, pdot1, tdot2, ydot2, pdot2, fdd, d->jvp2_data);
}

static inline int deriv_vjp_dot(deriv *d, double t, const double *y, const double *p, int w, const double *tdot,
                                const double *ydot, const double *pdot, const double *u, const double *udot, double *yb,
                                double *ybdot, double *pb, double *pbdot)
{
    d->count->vjp_dot++;
    return d->vjp_dot(t, y, p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, d->vjp_dot_data);
}

#endif
