/* source.h - inside src/deriv: a function of (t, y, p) of which products are wanted, and the links that give them.
 *
 * The right-hand side, init, terminal, running and observe are all the same here: a source, `rows` values that depend on t, ny
 * states and np parameters. A link says where one product of it comes from. deriv.c chooses the links, products.c follows them,
 * differ.c is the last resort. */
#ifndef COSTATE_DERIV_SOURCE_H
#define COSTATE_DERIV_SOURCE_H

#include "deriv/deriv.h"

#include <string.h>

typedef enum deriv_link { LINK_USER, LINK_JAC, LINK_JVP, LINK_VJP, LINK_DIFFER } deriv_link; /* from best to last resort */

typedef struct deriv_place { /* where a source is evaluated */
    int k;                   /* observation, else 0 */
    double t;
    const double *y, *p;
} deriv_place;

typedef struct deriv_dirs { /* a block of directions; a part that is NULL is zero */
    const double *t, *y, *p;
} deriv_dirs;

typedef struct deriv_scratch {
    int lanes;           /* width of unit and cols */
    double *y[2], *p[2]; /* shifted points: 0 of the difference nearest to eval, 1 of the one around it */
    double *hi, *lo;     /* values on both sides, rows each */
    double *u, *yb, *pb; /* one lane of a block, contiguous: rows, n, np */
    double *jac;         /* values of the Jacobian on its pattern */
    double *unit, *cols; /* unit seeds or directions, and the products they give */
} deriv_scratch;

typedef struct deriv_source {
    deriv *d;
    deriv_scratch *ws;
    const costate_function *fn; /* the user's, in d->prob; NULL: the right-hand side */
    int rows, ny, np;           /* ny = 0 for init and event_times, which know no t either */
    int changes;                /* reset: it finds y where it writes */
    deriv_link jvp;             /* USER, JAC (f_y only), VJP (rows of g_y, g_p) or DIFFER */
    deriv_link vjp_y, vjp_p;    /* both USER, or each by itself JAC, JVP or DIFFER */
    deriv_link jvp2, vjp_dot;   /* USER or DIFFER */
} deriv_source;

/* ---- calls of the user's functions, counted ---- */

static inline int source_eval(const deriv_source *s, deriv_place x, double *g)
{
    if (s->changes) memcpy(g, x.y, (size_t)s->ny * sizeof *g);
    if (s->fn) return s->fn->eval(x.k, x.t, x.y, x.p, g, s->d->prob.data);
    return deriv_rhs(s->d, x.t, x.y, x.p, g);
}

static inline int source_user_jvp(const deriv_source *s, deriv_place x, int w, deriv_dirs v, double *gdot)
{
    const costate_problem *prob = &s->d->prob;
    if (s->fn) return s->fn->jvp(x.k, x.t, x.y, x.p, w, v.t, v.y, v.p, gdot, prob->data);
    s->d->count->jvp++;
    return prob->jvp(x.t, x.y, x.p, w, v.t, v.y, v.p, gdot, prob->data);
}

static inline int source_user_vjp(const deriv_source *s, deriv_place x, int w, const double *u, double *yb, double *pb)
{
    const costate_problem *prob = &s->d->prob;
    if (s->fn) return s->fn->vjp(x.k, x.t, x.y, x.p, w, u, yb, pb, prob->data);
    s->d->count->vjp++;
    return prob->vjp(x.t, x.y, x.p, w, u, yb, pb, prob->data);
}

/* ---- differ.c ---- */

/* `order` is 1 for a difference of what is exact, 2 for both of two nested differences. */

/* g' v ~ sum of weight g(x + by at v) / by, along lane l of v; count 0: that direction is zero. */
typedef struct differ_stencil {
    int count;
    double by, at[3], weight[3];
} differ_stencil;
differ_stencil differ_choose(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int l, int order);

/* The eps of a central difference along lane l of v; infinite when that direction is zero. */
double differ_eps(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int l, int order);

/* The step of a difference along a state y, where `most` is the largest of all |y_i|. */
double differ_step(double y, double most);
double differ_largest(int n, const double *y);

/* x + a v, lane l of v, in the shifted point `level` of the scratch. */
deriv_place differ_shift(const deriv_source *s, int level, deriv_place x, double a, int w, deriv_dirs v, int l);

/* gdot += g_t tdot + g_y ydot + g_p pdot */
int differ_along(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int order, double *gdot);

/* yb += g_y^T u and pb += g_p^T u; either may be NULL. */
int differ_columns(const deriv_source *s, deriv_place x, int w, const double *u, double *yb, double *pb, int order);

/* Column times seeds: out[l] += sum over i of column[i * stride] u[i*w + l]. */
void source_add_column(int rows, const double *column, int stride, int w, const double *u, double *out);

/* ---- products.c: as the products of costate.h, by the source's links; `order` is for what is differences ---- */

int source_jvp(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int order, double *gdot);
int source_vjp(const deriv_source *s, deriv_place x, int w, const double *u, double *yb, double *pb, int order);

/* These two are always differences of the two above; jvp2 is only asked of the right-hand side. */
int source_jvp2(const deriv_source *s, deriv_place x, int w, deriv_dirs v1, deriv_dirs v2, double *gdd);
int source_vjp_dot(const deriv_source *s, deriv_place x, int w, deriv_dirs v, const double *u, const double *udot, double *yb,
                   double *ybdot, double *pb, double *pbdot);

#endif
