/* faulty.h - a problem in the shell of another, whose callbacks count their calls and fail on demand: at any place, from
 * any call on, by a return code or by a value in what they give. */
#ifndef TESTS_FAULTY_H
#define TESTS_FAULTY_H

#include "support.h"

enum { EVAL, F_JVP, F_VJP, F_VJP_DOT, PRODUCTS };

typedef enum place {
    NOWHERE,
    RHS,
    JVP,
    VJP,
    VJP_POINTS,
    VJP_DOT,
    INIT, /* a function's place plus EVAL, F_JVP, F_VJP or F_VJP_DOT */
    TERMINAL = INIT + PRODUCTS,
    RUNNING = TERMINAL + PRODUCTS,
    OBSERVE = RUNNING + PRODUCTS,
    PLACES = OBSERVE + PRODUCTS
} place;

typedef struct faulty {
    const costate_problem *base;
    int where;            /* the place that fails */
    int64_t after;        /* calls that are still fine there */
    int code;             /* what it returns; 0: it puts `value` into the first entry of what it gives */
    double value;
    int64_t calls[PLACES];
} faulty;

static inline int faulty_strike(faulty *f, int where, double *a, double *b, double *c, double *d)
{
    int64_t call = f->calls[where]++;
    if (f->where != where || call < f->after) return 0;
    if (!f->code) *(a ? a : b ? b : c ? c : d) = f->value;
    return f->code;
}

static inline void faulty_arm(faulty *f, int where, int64_t after, int code, double value)
{
    memset(f->calls, 0, sizeof f->calls);
    f->where = where;
    f->after = after;
    f->code = code;
    f->value = value;
}

/* ---- the right-hand side and its products ------------------------------------------------------------------------ */

static int faulty_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    faulty *m = data;
    int rc = m->base->rhs(t, y, p, f, m->base->data);
    return rc ? rc : faulty_strike(m, RHS, f, NULL, NULL, NULL);
}

static int faulty_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *fdot, void *data)
{
    faulty *m = data;
    int rc = m->base->jvp(t, y, p, w, tdot, ydot, pdot, fdot, m->base->data);
    return rc ? rc : faulty_strike(m, JVP, fdot, NULL, NULL, NULL);
}

static int faulty_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    faulty *m = data;
    int rc = m->base->vjp(t, y, p, w, u, yb, pb, m->base->data);
    return rc ? rc : faulty_strike(m, VJP, yb, pb, NULL, NULL);
}

static int faulty_vjp_points(int points, const double *t, const double *const *y, const double *p, int w, const double *const *u,
                             double *pb, void *data)
{
    faulty *m = data;
    for (int k = 0; k < points; k++) {
        int rc = m->base->vjp(t[k], y[k], p, w, u[k], NULL, pb, m->base->data);
        if (rc) return rc;
    }
    return faulty_strike(m, VJP_POINTS, pb, NULL, NULL, NULL);
}

static int faulty_vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    faulty *m = data;
    int rc = m->base->vjp_dot(t, y, p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, m->base->data);
    return rc ? rc : faulty_strike(m, VJP_DOT, ybdot, pbdot, yb, pb);
}

/* ---- init, terminal, running, observe: four functions of one shape ----------------------------------------------- */

#define FAULTY_FUNCTION(name, PLACE)                                                                                             \
    static int faulty_##name(int k, double t, const double *y, const double *p, double *g, void *data)                           \
    {                                                                                                                            \
        faulty *m = data;                                                                                                        \
        int rc = m->base->name.eval(k, t, y, p, g, m->base->data);                                                               \
        return rc ? rc : faulty_strike(m, PLACE + EVAL, g, NULL, NULL, NULL);                                                    \
    }                                                                                                                            \
    static int faulty_##name##_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot,                 \
                                   const double *ydot, const double *pdot, double *gdot, void *data)                             \
    {                                                                                                                            \
        faulty *m = data;                                                                                                        \
        int rc = m->base->name.jvp(k, t, y, p, w, tdot, ydot, pdot, gdot, m->base->data);                                        \
        return rc ? rc : faulty_strike(m, PLACE + F_JVP, gdot, NULL, NULL, NULL);                                                \
    }                                                                                                                            \
    static int faulty_##name##_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb,        \
                                   double *pb, void *data)                                                                       \
    {                                                                                                                            \
        faulty *m = data;                                                                                                        \
        int rc = m->base->name.vjp(k, t, y, p, w, u, yb, pb, m->base->data);                                                     \
        return rc ? rc : faulty_strike(m, PLACE + F_VJP, yb, pb, NULL, NULL);                                                    \
    }                                                                                                                            \
    static int faulty_##name##_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot,             \
                                       const double *ydot, const double *pdot, const double *u, const double *udot, double *yb,  \
                                       double *ybdot, double *pb, double *pbdot, void *data)                                     \
    {                                                                                                                            \
        faulty *m = data;                                                                                                        \
        int rc = m->base->name.vjp_dot(k, t, y, p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, m->base->data);           \
        return rc ? rc : faulty_strike(m, PLACE + F_VJP_DOT, ybdot, pbdot, yb, pb);                                              \
    }
FAULTY_FUNCTION(init, INIT)
FAULTY_FUNCTION(terminal, TERMINAL)
FAULTY_FUNCTION(running, RUNNING)
FAULTY_FUNCTION(observe, OBSERVE)
#undef FAULTY_FUNCTION

/* The base has every product and all four functions. */
static inline costate_problem faulty_problem(faulty *f, const costate_problem *base)
{
    *f = (faulty){.base = base};
    costate_problem prob = *base;
    prob.data = f;
    prob.rhs = faulty_rhs;
    prob.jvp = faulty_jvp;
    prob.vjp = faulty_vjp;
    prob.vjp_points = faulty_vjp_points;
    prob.vjp_dot = faulty_vjp_dot;
    prob.jvp2 = NULL;
    prob.jac = NULL;
    prob.init =
        (costate_function){.eval = faulty_init, .jvp = faulty_init_jvp, .vjp = faulty_init_vjp, .vjp_dot = faulty_init_vjp_dot};
    prob.terminal = (costate_function){
        .eval = faulty_terminal, .jvp = faulty_terminal_jvp, .vjp = faulty_terminal_vjp, .vjp_dot = faulty_terminal_vjp_dot};
    prob.running = (costate_function){
        .eval = faulty_running, .jvp = faulty_running_jvp, .vjp = faulty_running_vjp, .vjp_dot = faulty_running_vjp_dot};
    prob.observe = (costate_function){
        .eval = faulty_observe, .jvp = faulty_observe_jvp, .vjp = faulty_observe_vjp, .vjp_dot = faulty_observe_vjp_dot};
    return prob;
}

#endif
