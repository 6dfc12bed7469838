/* products.c - the four products of a source, built by following its links.
 *
 *     jvp      from jac: J ydot, and the difference along (tdot, pdot); from vjp: the rows of g_y and g_p times (ydot, pdot), and
 *              the difference along tdot
 *     vjp      column by column: each is dotted with all seeds and forgotten, so that never more than a block of columns is held;
 *              columns come from jac, from jvp along unit directions, or from differences
 *     jvp2     (jvp at x + eps v2  -  jvp at x - eps v2) / (2 eps), along v1; with a part by time, one-sided (differ.c)
 *     vjp_dot  ybdot = vjp of udot + (vjp at x + eps v  -  vjp at x - eps v) / (2 eps), of u: vjp is linear in its seed, so only
 *              the motion of the point needs a difference
 *
 * Where jvp or vjp is a difference itself, both differences take the longer step of a second difference. */
#include "base/sparsity.h"
#include "deriv/source.h"

#include <math.h>
#include <string.h>

static void zero(double *x, ptrdiff_t n)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

/* Lane l of an n x w block, times a. NULL stays NULL. */
static double *lane(int n, double a, int w, const double *block, int l, double *out)
{
    if (!block) return NULL;
    for (ptrdiff_t i = 0; i < n; i++) out[i] = a * block[i * w + l];
    return out;
}

static int jacobian(const deriv_source *s, deriv_place x)
{
    s->d->count->jac++;
    return s->d->prob.jac(x.t, x.y, x.p, s->ws->jac, s->d->prob.data);
}

/* ---- jvp ---- */

static int jvp_from_jac(const deriv_source *s, deriv_place x, int w, const double *ydot, double *gdot)
{
    if (!ydot) return 0;
    int rc = jacobian(s, x);
    if (rc) return rc;
    pattern_apply(&s->d->prob.pattern, s->ny, s->ws->jac, 0, w, ydot, gdot);
    return 0;
}

/* gdot += rows times directions, for b rows that lie in the lanes of an n x b block. */
static void add_rows(int n, int b, const double *rows, int w, const double *dot, double *gdot)
{
    for (ptrdiff_t r = 0; dot && r < b; r++) source_add_column(n, rows + r, b, w, dot, gdot + r * w);
}

static int jvp_from_vjp(const deriv_source *s, deriv_place x, int w, deriv_dirs v, double *gdot)
{
    double *seed = s->ws->unit, *yb = v.y ? s->ws->cols : NULL, *pb = v.p ? s->ws->cols + (ptrdiff_t)s->ny * s->ws->lanes : NULL;
    zero(seed, (ptrdiff_t)s->rows * (s->rows < s->ws->lanes ? s->rows : s->ws->lanes));
    for (int first = 0; (yb || pb) && first < s->rows; first += s->ws->lanes) {
        int b = s->rows - first < s->ws->lanes ? s->rows - first : s->ws->lanes;
        if (yb) zero(yb, (ptrdiff_t)s->ny * b);
        if (pb) zero(pb, (ptrdiff_t)s->np * b);
        for (ptrdiff_t r = 0; r < b; r++) seed[(first + r) * b + r] = 1;
        int rc = source_user_vjp(s, x, b, seed, yb, pb);
        for (ptrdiff_t r = 0; r < b; r++) seed[(first + r) * b + r] = 0;
        if (rc) return rc;
        add_rows(s->ny, b, yb, w, v.y, gdot + (ptrdiff_t)first * w);
        add_rows(s->np, b, pb, w, v.p, gdot + (ptrdiff_t)first * w);
    }
    return 0;
}

int source_jvp(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int order, double *gdot)
{
    if (s->jvp == LINK_USER) return source_user_jvp(s, x, w, v, gdot);
    int rc = 0;
    zero(gdot, (ptrdiff_t)s->rows * w);
    if (s->jvp == LINK_JAC) {
        rc = jvp_from_jac(s, x, w, v.y, gdot);
        v.y = NULL;
    } else if (s->jvp == LINK_VJP) {
        rc = jvp_from_vjp(s, x, w, v, gdot);
        v.y = v.p = NULL;
    }
    return rc ? rc : differ_along(s, x, w, v, order, gdot);
}

/* ---- vjp ---- */

static int vjp_from_jac(const deriv_source *s, deriv_place x, int w, const double *u, double *yb)
{
    int rc = jacobian(s, x);
    if (!rc) pattern_apply(&s->d->prob.pattern, s->ny, s->ws->jac, 1, w, u, yb);
    return rc;
}

/* out += columns^T u for the n columns that unit directions of one part give; *part is that part of *v. */
static int columns_from_jvp(const deriv_source *s, deriv_place x, deriv_dirs *v, const double **part, int n, int w,
                            const double *u, double *out)
{
    double *unit = s->ws->unit, *cols = s->ws->cols;
    *part = unit;
    zero(unit, (ptrdiff_t)n * (n < s->ws->lanes ? n : s->ws->lanes));
    for (int first = 0; first < n; first += s->ws->lanes) {
        int b = n - first < s->ws->lanes ? n - first : s->ws->lanes;
        for (ptrdiff_t c = 0; c < b; c++) unit[(first + c) * b + c] = 1;
        int rc = source_user_jvp(s, x, b, *v, cols);
        for (ptrdiff_t c = 0; c < b; c++) unit[(first + c) * b + c] = 0;
        if (rc) return rc;
        for (ptrdiff_t c = 0; c < b; c++) source_add_column(s->rows, cols + c, b, w, u, out + (first + c) * w);
    }
    return 0;
}

int source_vjp(const deriv_source *s, deriv_place x, int w, const double *u, double *yb, double *pb, int order)
{
    if (s->vjp_y == LINK_USER) return source_user_vjp(s, x, w, u, yb, pb);
    deriv_dirs v = {0};
    int rc = 0;
    if (yb && s->vjp_y == LINK_JAC) rc = vjp_from_jac(s, x, w, u, yb);
    if (yb && s->vjp_y == LINK_JVP) rc = columns_from_jvp(s, x, &v, &v.y, s->ny, w, u, yb);
    if (!rc && pb && s->vjp_p == LINK_JVP) {
        v.y = NULL;
        rc = columns_from_jvp(s, x, &v, &v.p, s->np, w, u, pb);
    }
    if (rc) return rc;
    return differ_columns(s, x, w, u, s->vjp_y == LINK_DIFFER ? yb : NULL, s->vjp_p == LINK_DIFFER ? pb : NULL, order);
}

/* ---- second order ---- */

int source_jvp2(const deriv_source *s, deriv_place x, int w, deriv_dirs v1, deriv_dirs v2, double *gdd)
{
    int again = s->jvp == LINK_DIFFER || (s->jvp == LINK_JAC && (v1.t || v1.p)), order = again ? 2 : 1;
    double *side = s->ws->u;
    zero(gdd, (ptrdiff_t)s->rows * w);
    for (int l = 0; l < w; l++) {
        const differ_stencil d = differ_choose(s, x, w, v2, l, order);
        deriv_dirs v = {v1.t ? v1.t + l : NULL, lane(s->ny, 1, w, v1.y, l, s->ws->yb), lane(s->np, 1, w, v1.p, l, s->ws->pb)};
        for (int k = 0; k < d.count; k++) {
            int rc = source_jvp(s, differ_shift(s, 1, x, d.at[k] * d.by, w, v2, l), 1, v, order, side);
            if (rc) return rc;
            for (ptrdiff_t i = 0; i < s->rows; i++) gdd[i * w + l] += d.weight[k] * side[i];
        }
        for (ptrdiff_t i = 0; d.count && i < s->rows; i++) gdd[i * w + l] /= d.by;
    }
    return 0;
}

static void add_lane(int n, const double *x, double by, int w, int l, double *block)
{
    for (ptrdiff_t i = 0; block && i < n; i++) block[i * w + l] += x[i] / by;
}

/* ybdot and pbdot += the derivative of vjp along v, u at rest. vjp adds: seeds u/2 and -u/2 on the two sides leave it. */
static int vjp_along(const deriv_source *s, deriv_place x, int w, deriv_dirs v, const double *u, double *ybdot, double *pbdot)
{
    int again = (ybdot && s->vjp_y == LINK_DIFFER) || (pbdot && s->vjp_p == LINK_DIFFER), order = again ? 2 : 1;
    double *yb = ybdot ? s->ws->yb : NULL, *pb = pbdot ? s->ws->pb : NULL;
    for (int l = 0; l < w; l++) {
        const differ_stencil d = differ_choose(s, x, w, v, l, order);
        if (yb) zero(yb, s->ny);
        if (pb) zero(pb, s->np);
        for (int k = 0; k < d.count; k++) {
            lane(s->rows, d.weight[k], w, u, l, s->ws->u);
            int rc = source_vjp(s, differ_shift(s, 1, x, d.at[k] * d.by, w, v, l), 1, s->ws->u, yb, pb, order);
            if (rc) return rc;
        }
        if (!d.count) continue;
        add_lane(s->ny, yb, d.by, w, l, ybdot);
        add_lane(s->np, pb, d.by, w, l, pbdot);
    }
    return 0;
}

int source_vjp_dot(const deriv_source *s, deriv_place x, int w, deriv_dirs v, const double *u, const double *udot, double *yb,
                   double *ybdot, double *pb, double *pbdot)
{
    int rc = 0;
    if (yb || pb) rc = source_vjp(s, x, w, u, yb, pb, 1);
    if (rc || !(ybdot || pbdot)) return rc;
    if (udot) rc = source_vjp(s, x, w, udot, ybdot, pbdot, 1);
    return rc ? rc : vjp_along(s, x, w, v, u, ybdot, pbdot);
}
