/* check_products.h - a function of the problem with its products, at a place, as the certificate looks at it.
 *
 * z = (y, p, t), of init p and t; directions are blocks of as many rows, but for the last where f_t is never asked for; reverse
 * products have no row for t. */
#ifndef COSTATE_SENS_CHECK_PRODUCTS_H
#define COSTATE_SENS_CHECK_PRODUCTS_H

#include "sens/check.h"

#include <float.h>
#include <math.h>

typedef struct subject {
    check *c;
    const char *name;            /* "rhs", "terminal", ... */
    const deriv_function *fn;    /* NULL: the right-hand side */
    const costate_function *own; /* the user's; NULL: the right-hand side */
    size_t rows, ny, np;
    int k;             /* observation */
    size_t timed;      /* 1: directions have a row for t */
    unsigned absent;   /* parts of a first direction, and results of reverse products, that are NULL */
    int adds;          /* 1: reverse products add to what is there */
    double *z, *scale; /* ny + np + 1: the place, and the sizes of its components */
} subject;

static inline size_t subject_count(const subject *b) /* rows of reverse products */
{
    return b->ny + b->np;
}

static inline size_t subject_rows(const subject *b) /* rows of directions */
{
    return b->ny + b->np + b->timed;
}

/* Whether component i of z is looked at: states always, for every derivative goes through them; parameters, if judged. */
static inline int subject_wants(const subject *b, size_t i)
{
    return i < b->ny || i >= subject_count(b) || b->c->wanted[b->c->n + i - b->ny];
}

/* How far two numbers are apart; where they are so small that digits are lost, not at all. */
static inline double subject_off(double x, double y)
{
    double off = fabs(x - y);
    return off < DBL_MIN / DBL_EPSILON ? 0 : off;
}

/* In subject.absent: of a direction, and of what reverse products give, with derivatives by y and p apart. */
enum { NO_Y = 1, NO_P = 2, NO_T = 4, NO_YB = 8, NO_PB = 16, NO_YB_DOT = 32, NO_PB_DOT = 64 };

/* Products that the user gave; what is built from others, or from differences, has no mistakes of its own. */
typedef enum product { JVP = 1, VJP = 2, JVP2 = 4, VJP_DOT = 8, VJP_DOT2 = 16 } product;
unsigned cst__subject_given(const subject *b);

/* At z. */
int cst__subject_value(const subject *b, const double *z, double *out);
int cst__subject_jvp(const subject *b, const double *z, int w, const double *dir, double *out);
int cst__subject_jvp2(const subject *b, const double *z, int w, const double *one, const double *other, double *out);
/* These write, unless b->adds, though the products add. */
int cst__subject_vjp(const subject *b, const double *z, int w, const double *u, double *out);
int cst__subject_vjp_dot(const subject *b, const double *z, int w, const double *dir, const double *u, const double *udot,
                         double *out, double *dot);
int cst__subject_vjp_dot2(const subject *b, const double *z, int w, const double *one, const double *other, const double *u,
                          double *out);

/* check_lanes.c: all widths that are used against one lane. */
int cst__subject_lanes(const subject *b);

#endif
