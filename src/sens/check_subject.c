/* check_subject.c - see check_products.h */
#include "sens/check_products.h"

unsigned cst__subject_given(const subject *b)
{
    const costate_problem *q = &b->c->s->prob;
    const costate_function *f = b->own;
    if (!f)
        return (q->jvp ? JVP : 0u) | (q->vjp ? VJP : 0u) | (q->jvp2 ? JVP2 : 0u) | (q->vjp_dot ? VJP_DOT : 0u) |
               (q->vjp_dot2 ? VJP_DOT2 : 0u);
    return (f->jvp ? JVP : 0u) | (f->vjp ? VJP : 0u) | (f->vjp_dot ? VJP_DOT : 0u) |
           (f->vjp_dot2 && !strcmp(b->name, "running") ? VJP_DOT2 : 0u);
}

/* The parts of a place, and of a block of directions. */
#define PLACE(b, z) (z)[subject_count(b)], (b)->ny ? (z) : NULL, (b)->np ? (z) + (b)->ny : NULL
#define T_PART(b, w, dir, without) ((b)->timed && !((without)&NO_T) ? (dir) + subject_count(b) * (size_t)(w) : NULL)
#define Y_PART(b, w, dir, without) ((b)->ny && !((without)&NO_Y) ? (dir) : NULL)
#define P_PART(b, w, dir, without) ((b)->np && !((without)&NO_P) ? (dir) + (b)->ny * (size_t)(w) : NULL)
#define ALONG(b, w, dir, without) T_PART(b, w, dir, without), Y_PART(b, w, dir, without), P_PART(b, w, dir, without)

/* And of what reverse products give. */
static double *back(const subject *b, int w, double *out, size_t has, unsigned absent)
{
    return has && !(b->absent & absent) ? out + (absent & (NO_PB | NO_PB_DOT) ? b->ny * (size_t)w : 0) : NULL;
}
#define BACK(b, w, out) back(b, w, out, (b)->ny, NO_YB), back(b, w, out, (b)->np, NO_PB)

static void clear(const subject *b, int w, double *out)
{
    if (!b->adds) memset(out, 0, subject_count(b) * (size_t)w * sizeof *out);
}

int cst__subject_value(const subject *b, const double *z, double *out)
{
    if (!b->fn) return deriv_rhs(&b->c->s->d, PLACE(b, z), out);
    return b->fn->fn.eval(b->k, PLACE(b, z), out, b->fn->data);
}

int cst__subject_jvp(const subject *b, const double *z, int w, const double *dir, double *out)
{
    if (!b->fn) return deriv_jvp(&b->c->s->d, PLACE(b, z), w, ALONG(b, w, dir, b->absent), out);
    return b->fn->fn.jvp(b->k, PLACE(b, z), w, ALONG(b, w, dir, b->absent), out, b->fn->data);
}

int cst__subject_jvp2(const subject *b, const double *z, int w, const double *one, const double *other, double *out)
{
    return deriv_jvp2(&b->c->s->d, PLACE(b, z), w, ALONG(b, w, one, b->absent), ALONG(b, w, other, 0), out);
}

int cst__subject_vjp(const subject *b, const double *z, int w, const double *u, double *out)
{
    clear(b, w, out);
    if (!b->fn) return deriv_vjp(&b->c->s->d, PLACE(b, z), w, u, BACK(b, w, out));
    return b->fn->fn.vjp(b->k, PLACE(b, z), w, u, BACK(b, w, out), b->fn->data);
}

int cst__subject_vjp_dot(const subject *b, const double *z, int w, const double *dir, const double *u, const double *udot,
                         double *out, double *dot)
{
    double *yb = back(b, w, out, b->ny, NO_YB), *pb = back(b, w, out, b->np, NO_PB);
    double *ybd = back(b, w, dot, b->ny, NO_YB_DOT), *pbd = back(b, w, dot, b->np, NO_PB_DOT);
    clear(b, w, out);
    clear(b, w, dot);
    if (!b->fn) return deriv_vjp_dot(&b->c->s->d, PLACE(b, z), w, ALONG(b, w, dir, b->absent), u, udot, yb, ybd, pb, pbd);
    return b->fn->fn.vjp_dot(b->k, PLACE(b, z), w, ALONG(b, w, dir, b->absent), u, udot, yb, ybd, pb, pbd, b->fn->data);
}

int cst__subject_vjp_dot2(const subject *b, const double *z, int w, const double *one, const double *other, const double *u,
                          double *out)
{
    const costate_problem *q = &b->c->s->prob;
    clear(b, w, out);
    if (!b->fn)
        return q->vjp_dot2(PLACE(b, z), w, ALONG(b, w, one, b->absent), ALONG(b, w, other, 0), u, BACK(b, w, out), q->data);
    return b->own->vjp_dot2(b->k, PLACE(b, z), w, ALONG(b, w, one, b->absent), ALONG(b, w, other, 0), u, BACK(b, w, out),
                            q->data);
}
