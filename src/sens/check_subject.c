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
static const double *y_of(const subject *b, const double *block)
{
    return b->ny ? block : NULL;
}

static const double *p_of(const subject *b, const double *block, int w)
{
    return b->np ? block + b->ny * (size_t)w : NULL;
}

static const double *t_of(const subject *b, const double *block, int w)
{
    return b->timed ? block + subject_count(b) * (size_t)w : NULL;
}

#define PLACE(b, z) (z)[subject_count(b)], y_of(b, z), p_of(b, z, 1)
#define ALONG(b, w, dir) t_of(b, dir, w), y_of(b, dir), p_of(b, dir, w)
#define BACK(b, w, out) (b->ny ? (out) : NULL), (b->np ? (out) + b->ny * (size_t)(w) : NULL)

static void clear(const subject *b, int w, double *out)
{
    memset(out, 0, subject_count(b) * (size_t)w * sizeof *out);
}

int cst__subject_value(const subject *b, const double *z, double *out)
{
    if (!b->fn) return deriv_rhs(&b->c->s->d, PLACE(b, z), out);
    return b->fn->fn.eval(b->k, PLACE(b, z), out, b->fn->data);
}

int cst__subject_jvp(const subject *b, const double *z, int w, const double *dir, double *out)
{
    if (!b->fn) return deriv_jvp(&b->c->s->d, PLACE(b, z), w, ALONG(b, w, dir), out);
    return b->fn->fn.jvp(b->k, PLACE(b, z), w, ALONG(b, w, dir), out, b->fn->data);
}

int cst__subject_jvp2(const subject *b, const double *z, int w, const double *one, const double *other, double *out)
{
    return deriv_jvp2(&b->c->s->d, PLACE(b, z), w, ALONG(b, w, one), ALONG(b, w, other), out);
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
    size_t at = b->ny * (size_t)w;
    double *yb = b->ny ? out : NULL, *pb = b->np ? out + at : NULL, *ybd = b->ny ? dot : NULL, *pbd = b->np ? dot + at : NULL;
    clear(b, w, out);
    clear(b, w, dot);
    if (!b->fn) return deriv_vjp_dot(&b->c->s->d, PLACE(b, z), w, ALONG(b, w, dir), u, udot, yb, ybd, pb, pbd);
    return b->fn->fn.vjp_dot(b->k, PLACE(b, z), w, ALONG(b, w, dir), u, udot, yb, ybd, pb, pbd, b->fn->data);
}

int cst__subject_vjp_dot2(const subject *b, const double *z, int w, const double *one, const double *other, const double *u,
                          double *out)
{
    const costate_problem *q = &b->c->s->prob;
    clear(b, w, out);
    if (!b->fn) return q->vjp_dot2(PLACE(b, z), w, ALONG(b, w, one), ALONG(b, w, other), u, BACK(b, w, out), q->data);
    return b->own->vjp_dot2(b->k, PLACE(b, z), w, ALONG(b, w, one), ALONG(b, w, other), u, BACK(b, w, out), q->data);
}
