/* moving.c - see moving.h */
#include "deriv/moving.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What is moved: the right-hand side (fn NULL) or the integrands. */
typedef struct target {
    moving *m;
    const deriv_function *fn;
    int rows;
} target;

static target of_rhs(void *data)
{
    moving *m = data;
    return (target){m, NULL, m->own.prob.n};
}

static target of_running(void *data)
{
    moving *m = data;
    return (target){m, &m->own.running, m->own.running.rows};
}

typedef struct place {
    double t;
    const double *y, *p;
} place;

static int still(const target *g) /* it does not depend on t */
{
    return !g->fn && g->m->own.prob.autonomous;
}

static int value(const target *g, place x, double *f)
{
    return g->fn ? g->fn->fn.eval(0, x.t, x.y, x.p, f, g->fn->data) : deriv_rhs(&g->m->own, x.t, x.y, x.p, f);
}

static int slope(const target *g, place x, int w, const double *tdot, const double *ydot, const double *pdot, double *fdot)
{
    if (g->fn) return g->fn->fn.jvp(0, x.t, x.y, x.p, w, tdot, ydot, pdot, fdot, g->fn->data);
    return deriv_jvp(&g->m->own, x.t, x.y, x.p, w, tdot, ydot, pdot, fdot);
}

static int transposed(const target *g, place x, int w, const double *u, double *yb, double *pb)
{
    if (g->fn) return g->fn->fn.vjp(0, x.t, x.y, x.p, w, u, yb, pb, g->fn->data);
    return deriv_vjp(&g->m->own, x.t, x.y, x.p, w, u, yb, pb);
}

static int transposed_dot(const target *g, place x, int w, const double *tdot, const double *ydot, const double *pdot,
                          const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot)
{
    if (g->fn)
        return g->fn->fn.vjp_dot(0, x.t, x.y, x.p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, g->fn->data);
    return deriv_vjp_dot(&g->m->own, x.t, x.y, x.p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

typedef struct room {
    double *t, *f, *ft, *along, *second, *u, *work; /* w; rows; rows; rows x w; rows x w; rows x w; (rows + 1) w */
} room;

static room cut(const moving *m)
{
    const size_t w = (size_t)m->lanes, rows = cst__pad((size_t)m->rows), block = cst__pad((size_t)m->rows * w);
    room r = {.t = m->work};
    r.f = r.t + cst__pad(w);
    r.ft = r.f + rows;
    r.along = r.ft + rows;
    r.second = r.along + block;
    r.u = r.second + block;
    r.work = r.u + block;
    return r;
}

size_t moving_doubles(const costate_problem *prob, int lanes)
{
    const size_t w = (size_t)lanes, most = (size_t)(prob->n > prob->objectives ? prob->n : prob->objectives);
    return cst__pad(w) + 2 * cst__pad(most) + 3 * cst__pad(most * w) + cst__pad((most + 1) * w);
}

/* ---- the pieces --------------------------------------------------------------------------------------------------------- */

/* Rows z and s of a block of parameters. */
static const double *row_z(const moving *m, const double *block, int w)
{
    return block ? block + (ptrdiff_t)m->own.prob.np * w : NULL;
}

/* c = T - t. */
static double elapsed(const moving *m, double t)
{
    double c = t - m->t, least = 8 * DBL_EPSILON * fmax(fabs(t), fabs(m->t));
    for (int i = 0; i < m->nodes; i++) {
        const double at = m->h * m->node[i], off = fabs(t - m->t - at);
        if (off > least) continue;
        least = off;
        c = at;
    }
    return c;
}

/* V's part by time, in r->t. */
static const double *time_part(const moving *m, const room *r, double t, int w, const double *tdot, const double *pdot)
{
    const double *z = row_z(m, pdot, w), c = elapsed(m, t);
    if (!z) return tdot;
    for (int l = 0; l < w; l++) r->t[l] = (tdot ? tdot[l] : 0) + z[l] + c * z[w + l];
    return r->t;
}

static double dot(int rows, int w, int l, const double *a, const double *b, int stride, int at)
{
    double sum = 0;
    for (ptrdiff_t i = 0; a && i < rows; i++) sum += a[i * w + l] * b[i * stride + at];
    return sum;
}

/* f_t into r->ft. */
static int by_time(const target *g, const room *r, place x)
{
    const double one = 1;
    if (!still(g)) return slope(g, x, 1, &one, NULL, NULL, r->ft);
    memset(r->ft, 0, (size_t)g->rows * sizeof *r->ft);
    return 0;
}

static int second_in_time(const target *g, const room *r, place x, int w, const double *tdot, const double *ydot,
                          const double *pdot, double *fdd)
{
    const moving *m = g->m;
    if (still(g)) {
        memset(fdd, 0, (size_t)g->rows * (size_t)w * sizeof *fdd);
        return 0;
    }
    if (g->fn) return second_by_time(g->fn, m->running_jvp2, m->span, 0, x.t, x.y, x.p, w, tdot, ydot, pdot, fdd, r->work);
    for (int l = 0; l < w; l++) r->work[l] = 1;
    return deriv_jvp2((deriv *)(uintptr_t)&m->own, x.t, x.y, x.p, w, r->work, NULL, NULL, tdot, ydot, pdot, fdd);
}

int second_by_time(const deriv_function *g, costate_function_jvp2 *jvp2, double span, int k, double t, const double *y,
                   const double *p, int w, const double *tdot, const double *ydot, const double *pdot, double *gdd, double *work)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double step = 0x1p-10 * span;
    const size_t count = (size_t)g->rows * (size_t)w;
    if (jvp2) {
        for (int l = 0; l < w; l++) work[l] = 1;
        return jvp2(k, t, y, p, w, work, NULL, NULL, tdot, ydot, pdot, gdd, g->data);
    }
    memset(gdd, 0, count * sizeof *gdd);
    for (int q = 0; q < 4; q++) {
        const double there = t + at[q] * step;
        int rc = g->fn.jvp(k, there, y, p, w, tdot, ydot, pdot, work, g->data);
        if (rc) return rc;
        for (size_t i = 0; i < count; i++) gdd[i] += weight[q] / step * work[i];
    }
    return 0;
}

/* ---- the products ------------------------------------------------------------------------------------------------------- */

static int moved_jvp(target g, place x, int w, const double *tdot, const double *ydot, const double *pdot, double *fdot)
{
    const room r = cut(g.m);
    const double *z = row_z(g.m, pdot, w);
    int rc = slope(&g, x, w, time_part(g.m, &r, x.t, w, tdot, pdot), ydot, pdot, fdot);
    if (!rc && z) rc = value(&g, x, r.f);
    if (rc || !z) return rc;
    for (ptrdiff_t i = 0; i < g.rows; i++)
        for (int l = 0; l < w; l++) fdot[i * w + l] += z[w + l] * r.f[i];
    return 0;
}

/* zb and sb of vjp; f and f_t stay in r. */
static int add_rows(const target *g, const room *r, place x, int w, const double *u, double *pb)
{
    double *z = pb + (ptrdiff_t)g->m->own.prob.np * w;
    const double c = elapsed(g->m, x.t);
    for (int l = 0; l < w; l++) {
        const double zb = dot(g->rows, w, l, u, r->ft, 1, 0);
        z[l] += zb;
        z[w + l] += dot(g->rows, w, l, u, r->f, 1, 0) + c * zb;
    }
    return 0;
}

static int moved_vjp(target g, place x, int w, const double *u, double *yb, double *pb)
{
    const room r = cut(g.m);
    int rc = transposed(&g, x, w, u, yb, pb);
    if (rc || !pb) return rc;
    rc = value(&g, x, r.f);
    if (!rc) rc = by_time(&g, &r, x);
    return rc ? rc : add_rows(&g, &r, x, w, u, pb);
}

/* zbdot and sbdot. r->u holds udot + sdot u. */
static int add_rows_dot(const target *g, const room *r, place x, int w, const double *tdot, const double *along_t,
                        const double *ydot, const double *pdot, const double *u, const double *udot, double *pbdot)
{
    double *z = pbdot + (ptrdiff_t)g->m->own.prob.np * w;
    const double c = elapsed(g->m, x.t);
    int rc = slope(g, x, w, along_t, ydot, pdot, r->along);
    if (!rc) rc = second_in_time(g, r, x, w, along_t, ydot, pdot, r->second);
    if (rc) return rc;
    for (int l = 0; l < w; l++) {
        const double zb = dot(g->rows, w, l, r->u, r->ft, 1, 0) + dot(g->rows, w, l, u, r->second, w, l);
        z[l] += zb;
        z[w + l] += dot(g->rows, w, l, udot, r->f, 1, 0) + dot(g->rows, w, l, u, r->along, w, l) + c * zb;
        if (tdot) z[w + l] += tdot[l] * dot(g->rows, w, l, u, r->ft, 1, 0);
    }
    return 0;
}

static int moved_vjp_dot(target g, place x, int w, const double *tdot, const double *ydot, const double *pdot, const double *u,
                         const double *udot, double *yb, double *ybdot, double *pb, double *pbdot)
{
    const room r = cut(g.m);
    const double *z = row_z(g.m, pdot, w), *along_t = time_part(g.m, &r, x.t, w, tdot, pdot);
    for (ptrdiff_t i = 0; i < g.rows; i++)
        for (int l = 0; l < w; l++) r.u[i * w + l] = (udot ? udot[i * w + l] : 0) + (z ? z[w + l] * u[i * w + l] : 0);
    int rc = transposed_dot(&g, x, w, along_t, ydot, pdot, u, udot || z ? r.u : NULL, yb, ybdot, pb, pbdot);
    if (rc || (!pb && !pbdot)) return rc;
    rc = value(&g, x, r.f);
    if (!rc) rc = by_time(&g, &r, x);
    if (!rc && pb) rc = add_rows(&g, &r, x, w, u, pb);
    return rc || !pbdot ? rc : add_rows_dot(&g, &r, x, w, tdot, along_t, ydot, pdot, u, udot, pbdot);
}

static int rhs_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   double *fdot, void *data)
{
    return moved_jvp(of_rhs(data), (place){t, y, p}, w, tdot, ydot, pdot, fdot);
}

static int rhs_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    return moved_vjp(of_rhs(data), (place){t, y, p}, w, u, yb, pb);
}

static int rhs_vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                       const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                       double *pbdot, void *data)
{
    return moved_vjp_dot(of_rhs(data), (place){t, y, p}, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot);
}

static int running_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                       const double *pdot, double *gdot, void *data)
{
    (void)k;
    return moved_jvp(of_running(data), (place){t, y, p}, w, tdot, ydot, pdot, gdot);
}

static int running_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                       void *data)
{
    (void)k;
    return moved_vjp(of_running(data), (place){t, y, p}, w, u, yb, pb);
}

static int running_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                           const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                           double *pbdot, void *data)
{
    (void)k;
    return moved_vjp_dot(of_running(data), (place){t, y, p}, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot);
}

/* ---- second and third order of Rosenbrock methods -------------------------------------------------------------------- */

static int rhs_jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                    const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    target g = of_rhs(data);
    moving *m = g.m;
    const place x = {t, y, p};
    const double *const pdots[2] = {pdot1, pdot2}, *const ydots[2] = {ydot1, ydot2}, *tdots[2] = {tdot1, tdot2};
    const double *z[2] = {row_z(m, pdot1, w), row_z(m, pdot2, w)};
    const room r = cut(m);
    double *second_t = r.work; /* V2's part by time, V1's being in r.t */
    const double *v1 = time_part(m, &r, t, w, tdot1, pdot1), *v2 = tdot2;
    for (int l = 0; z[1] && l < w; l++) second_t[l] = (tdot2 ? tdot2[l] : 0) + z[1][l] + elapsed(m, t) * z[1][w + l];
    if (z[1]) v2 = second_t;
    int rc = deriv_jvp2(&m->own, t, y, p, w, v1, ydot1, pdot1, v2, ydot2, pdot2, fdd);
    if (!rc && (z[0] || z[1])) rc = by_time(&g, &r, x);
    for (int a = 0; a < 2 && !rc; a++) { /* s of one direction, the rest of the other */
        const int b = 1 - a;
        if (!z[a]) continue;
        rc = slope(&g, x, w, b ? v2 : v1, ydots[b], pdots[b], r.along);
        for (ptrdiff_t i = 0; i < g.rows && !rc; i++)
            for (int l = 0; l < w; l++)
                fdd[i * w + l] += z[a][w + l] * (r.along[i * w + l] + (tdots[b] ? tdots[b][l] * r.ft[i] : 0));
    }
    return rc;
}

typedef struct third { /* of a target, d1 with s, d2 without, at the start of the step */
    const double *t1, *y1, *p1, *s1, *t2, *y2, *p2;
} third;

/* u.f'''(V1, V2, e_t) by differences of f''(V1, V2) along t, which are of second order, r->second keeps that at t. Of the
 * integrands, whose second derivatives come from vjp_dot alone, the same with u fixed. */
static int bend(const target *g, const room *r, place x, int w, const third *d, const double *u, double *out)
{
    moving *m = g->m;
    if (!g->fn) {
        int rc = deriv_jvp2(&m->own, x.t, x.y, x.p, w, d->t1, d->y1, d->p1, d->t2, d->y2, d->p2, r->second);
        for (int l = 0; l < w && !rc; l++) out[l] = dot(g->rows, w, l, u, r->second, w, l);
        return rc;
    }
    const size_t n = (size_t)m->own.prob.n * (size_t)w, np = (size_t)m->own.prob.np * (size_t)w;
    double *yb = cst__alloc(&m->own.alloc, n + np + 1, sizeof *yb), *pb = yb + n;
    if (!yb) return COSTATE_ERR_MEMORY;
    memset(yb, 0, (n + np) * sizeof *yb);
    int rc = transposed_dot(g, x, w, d->t2, d->y2, d->p2, u, NULL, NULL, yb, NULL, pb);
    if (!rc && d->t1) rc = second_in_time(g, r, x, w, d->t2, d->y2, d->p2, r->second);
    for (int l = 0; l < w && !rc; l++) {
        out[l] = d->t1 ? d->t1[l] * dot(g->rows, w, l, u, r->second, w, l) : 0;
        out[l] += dot(m->own.prob.n, w, l, d->y1, yb, w, l) + dot(m->own.prob.np, w, l, d->p1, pb, w, l);
    }
    cst__release(&m->own.alloc, yb);
    return rc;
}

static int add_rows_third(const target *g, const room *r, place x, int w, const third *d, const double *u, double *pb)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    enum { LANES = 64 };
    double here[LANES], there[LANES], zb[LANES] = {0};
    moving *m = g->m;
    double *z = pb + (ptrdiff_t)m->own.prob.np * w;
    const double step = 0x1p-10 * m->span;
    int rc = bend(g, r, x, w, d, u, here);
    for (int q = 0; q < 4 && !rc && !still(g); q++) {
        rc = bend(g, r, (place){x.t + at[q] * step, x.y, x.p}, w, d, u, there);
        for (int l = 0; l < w; l++) zb[l] += weight[q] / step * there[l];
    }
    for (int l = 0; l < w; l++) z[w + l] += here[l];
    if (rc || still(g)) {
        for (int l = 0; l < w; l++) z[l] += zb[l];
        return rc;
    }
    rc = by_time(g, r, x);
    /* z: t2 s1 f_tt + s1 f''(V2, e_t);  s: t2 f''(e_t, V1) + 2 t2 s1 f_t */
    if (!rc) rc = second_in_time(g, r, x, w, d->t2, d->y2, d->p2, r->second);
    for (int l = 0; l < w && !rc; l++) zb[l] += d->s1[l] * dot(g->rows, w, l, u, r->second, w, l);
    for (int l = 0; l < w; l++) r->along[l] = d->t2 ? d->t2[l] * d->s1[l] : 0;
    if (!rc && d->t2) rc = second_in_time(g, r, x, w, r->along, NULL, NULL, r->second);
    for (int l = 0; l < w && !rc && d->t2; l++) zb[l] += dot(g->rows, w, l, u, r->second, w, l);
    if (!rc && d->t2) rc = second_in_time(g, r, x, w, d->t1, d->y1, d->p1, r->second);
    for (int l = 0; l < w && !rc && d->t2; l++)
        z[w + l] += d->t2[l] * (dot(g->rows, w, l, u, r->second, w, l) + 2 * d->s1[l] * dot(g->rows, w, l, u, r->ft, 1, 0));
    for (int l = 0; l < w; l++) z[l] += zb[l];
    return rc;
}

/* yb and pb += s1 f''(V2, .)^T u + t2 s1 f''(e_t, .)^T u: along V2 and time with seeds s1 u. */
static int add_bent(const target *g, const room *r, place x, int w, const third *d, const double *u, double *yb, double *pb)
{
    for (ptrdiff_t i = 0; i < g->rows; i++)
        for (int l = 0; l < w; l++) r->u[i * w + l] = d->s1[l] * u[i * w + l];
    for (int l = 0; l < w; l++) r->work[l] = d->t2 ? 2 * d->t2[l] : 0;
    return transposed_dot(g, x, w, still(g) ? NULL : r->work, d->y2, d->p2, r->u, NULL, NULL, yb, NULL, pb);
}

static int moved_dot2(target g, place x, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                      const double *tdot2, const double *ydot2, const double *pdot2, const double *u, double *yb, double *pb)
{
    moving *m = g.m;
    const room r = cut(m);
    const double *z = row_z(m, pdot1, w);
    const third d = {time_part(m, &r, x.t, w, tdot1, pdot1), ydot1, pdot1, z ? z + w : NULL, tdot2, ydot2, pdot2};
    int rc = g.fn ? m->own_running_dot2(0, x.t, x.y, x.p, w, d.t1, ydot1, pdot1, tdot2, ydot2, pdot2, u, yb, pb, m)
                  : m->own_dot2(x.t, x.y, x.p, w, d.t1, ydot1, pdot1, tdot2, ydot2, pdot2, u, yb, pb, m);
    if (!rc && z) rc = add_bent(&g, &r, x, w, &d, u, yb, pb);
    return rc || !pb || !z ? rc : add_rows_third(&g, &r, x, w, &d, u, pb);
}

static int rhs_dot2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                    const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, const double *u,
                    double *yb, double *pb, void *data)
{
    return moved_dot2(of_rhs(data), (place){t, y, p}, w, tdot1, ydot1, pdot1, tdot2, ydot2, pdot2, u, yb, pb);
}

static int running_dot2(int k, double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                        const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, const double *u,
                        double *yb, double *pb, void *data)
{
    (void)k;
    return moved_dot2(of_running(data), (place){t, y, p}, w, tdot1, ydot1, pdot1, tdot2, ydot2, pdot2, u, yb, pb);
}

/* ---- the exchange ------------------------------------------------------------------------------------------------------- */

void moving_begin(moving *m, double t, double h, double span)
{
    deriv *d = m->d;
    m->own = *d;
    m->t = t;
    m->h = h;
    m->span = span;
    m->own_dot2 = m->prob->vjp_dot2;
    m->own_running_dot2 = m->prob->running.vjp_dot2;
    d->jvp = rhs_jvp, d->vjp = rhs_vjp, d->jvp2 = rhs_jvp2, d->vjp_dot = rhs_vjp_dot;
    d->jvp_data = d->vjp_data = d->jvp2_data = d->vjp_dot_data = m;
    if (m->own_dot2) m->prob->vjp_dot2 = rhs_dot2;
    if (!d->running.fn.eval) return;
    d->running.fn.jvp = running_jvp;
    d->running.fn.vjp = running_vjp;
    d->running.fn.vjp_dot = running_vjp_dot;
    d->running.data = m;
    if (m->own_running_dot2) m->prob->running.vjp_dot2 = running_dot2;
}

void moving_end(moving *m)
{
    *m->d = m->own;
    m->prob->vjp_dot2 = m->own_dot2;
    m->prob->running.vjp_dot2 = m->own_running_dot2;
}
