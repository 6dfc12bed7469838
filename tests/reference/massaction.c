/* massaction.c - the products of kinetics by mass action. With P the product of a reaction's reactants, g_q = dP/dy_q, h_qs =
 * d2P/dy_q dy_s, the rate is rho = k P, and along directions 1 and 2 (a dot is a derivative along one of them):
 *
 *     rhs      f = S rho
 *     jvp      fdot = S (kdot P + k Pdot),   Pdot = sum_q g_q ydot_q
 *     jvp2     fdd = S (kdd P + kdot1 Pdot2 + kdot2 Pdot1 + k Pdd),   Pdd = sum_(q<s) h_qs (ydot1_q ydot2_s + ydot1_s ydot2_q)
 *     vjp      z = S^T u:   yb_q += g_q k z,   pb += k_p P z
 *     vjp_dot  zdot = S^T udot:   ybdot_q += g_q (kdot z + k zdot) + gdot_q k z,   gdot_q = sum_(s != q) h_qs ydot_s,
 *                                 pbdot += k_p (Pdot z + P zdot) + kdot_p P z
 *
 * where k = c p phi(t). Every product is one pass over the reactions, in groups of equal order, and one over the terms of S.
 * Lanes are taken eight, four or one at a time, so that the loops over them have a fixed length. */
#include "lanes.h"
#include "massaction.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef struct direction {
    const double *t, *y, *p;
} direction;

/* What a product is asked for, at a group of lanes; w is the distance of rows. */
typedef struct request {
    const massaction *m;
    int w;
    double phi[3];
    const double *y, *p;
    direction d1, d2;
    const double *u, *udot;
    double *out, *yb, *ybdot, *pb, *pbdot;
} request;

static request ask(const massaction *m, double t, const double *y, const double *p, int w)
{
    request c = {.m = m, .w = w, .phi = {1, 0, 0}, .y = y, .p = p};
    if (m->phi) m->phi(t, c.phi);
    return c;
}

static int group(int lanes)
{
    return lanes >= 8 ? 8 : lanes >= 4 ? 4 : 1;
}

/* c further by some lanes */
static request from(request c, int l)
{
    const double **in[] = {&c.d1.t, &c.d1.y, &c.d1.p, &c.d2.t, &c.d2.y, &c.d2.p, &c.u, &c.udot};
    double **out[] = {&c.out, &c.yb, &c.ybdot, &c.pb, &c.pbdot};
    for (int i = 0; i < 8; i++)
        if (*in[i]) *in[i] += l;
    for (int i = 0; i < 5; i++)
        if (*out[i]) *out[i] += l;
    return c;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------------- */

/* out = S x, or S^T x, for a group of lanes; rows of x and out are xw and ow apart */
INLINE void times(const stoichiometry *s, const int lanes, const double *restrict x, int xw, double *restrict out, int ow)
{
    for (int i = 0; i < s->rows; i++) {
        double sum[8] = {0};
        for (int e = s->start[i]; e < s->start[i + 1]; e++)
            for (int l = 0; l < lanes; l++) sum[l] += s->value[e] * x[s->index[e] * xw + l];
        for (int l = 0; l < lanes; l++) out[i * ow + l] = sum[l];
    }
}

/* A reaction at a point: its rate coefficient k = kp * p, and P with its derivatives. */
typedef struct local {
    double kp, k, P, g[MA_REACTANTS], h[MA_REACTANTS][MA_REACTANTS];
} local;

INLINE void look(const request *c, const int order, int r, local *x)
{
    const massaction *m = c->m;
    double y[MA_REACTANTS] = {1, 1, 1};
    for (int q = 0; q < order; q++) y[q] = c->y[m->in[r][q]];
    x->kp = m->factor[r] * (m->timed[r] ? c->phi[0] : 1);
    x->k = m->rate[r] < 0 ? x->kp : x->kp * c->p[m->rate[r]];
    x->P = y[0] * y[1] * y[2];
    x->g[0] = y[1] * y[2], x->g[1] = y[0] * y[2], x->g[2] = y[0] * y[1];
    x->h[0][1] = x->h[1][0] = y[2], x->h[0][2] = x->h[2][0] = y[1], x->h[1][2] = x->h[2][1] = y[0];
}

/* kdot, and dk_p = d(k_p)/dt tdot */
INLINE void coefficient_dot(const request *c, const int lanes, int r, const local *x, const direction *d, double *kdot,
                            double *dkp)
{
    const massaction *m = c->m;
    int rate = m->rate[r], timed = m->timed[r];
    double p = rate < 0 ? 1 : c->p[rate];
    for (int l = 0; l < lanes; l++) {
        dkp[l] = d->t && timed ? m->factor[r] * c->phi[1] * d->t[l] : 0;
        kdot[l] = p * dkp[l] + (d->p && rate >= 0 ? x->kp * d->p[rate * c->w + l] : 0);
    }
}

INLINE void product_dot(const request *c, const int order, const int lanes, int r, const double *g, const double *ydot,
                        double *Pdot)
{
    for (int l = 0; l < lanes; l++) Pdot[l] = 0;
    for (int q = 0; ydot && q < order; q++)
        for (int l = 0; l < lanes; l++) Pdot[l] += g[q] * ydot[c->m->in[r][q] * c->w + l];
}

/* ---- right-hand side and Jacobian ----------------------------------------------------------------------------------------- */

INLINE void rates(const request *c, const int order, double *rho)
{
    for (int r = c->m->first[order]; r < c->m->first[order + 1]; r++) {
        local x;
        look(c, order, r, &x);
        rho[r] = x.k * x.P;
    }
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const massaction *m = data;
    request c = ask(m, t, y, p, 1);
    double rho[MA_REACTIONS];
    rates(&c, 0, rho), rates(&c, 1, rho), rates(&c, 2, rho), rates(&c, 3, rho);
    times(&m->by_species, 1, rho, 1, f, 1);
    return 0;
}

INLINE const short *jac_order(const request *c, const int order, const short *place, double *jac)
{
    const stoichiometry *s = &c->m->by_reaction;
    for (int r = c->m->first[order]; r < c->m->first[order + 1]; r++) {
        local x;
        look(c, order, r, &x);
        for (int q = 0; q < order; q++)
            for (int e = s->start[r]; e < s->start[r + 1]; e++) jac[*place++] += s->value[e] * (x.k * x.g[q]);
    }
    return place;
}

static int jac(double t, const double *y, const double *p, double *values, void *data)
{
    const massaction *m = data;
    request c = ask(m, t, y, p, 1);
    int count = m->format == COSTATE_DENSE ? m->n * m->n : m->colptr[m->n];
    memset(values, 0, sizeof(double) * (size_t)count);
    jac_order(&c, 3, jac_order(&c, 2, jac_order(&c, 1, m->place, values), values), values);
    return 0;
}

/* ---- jvp ------------------------------------------------------------------------------------------------------------------ */

INLINE void jvp_order(const request *c, const int order, const int lanes, double *rho)
{
    for (int r = c->m->first[order]; r < c->m->first[order + 1]; r++) {
        local x;
        double kdot[8], dkp[8], Pdot[8];
        look(c, order, r, &x);
        coefficient_dot(c, lanes, r, &x, &c->d1, kdot, dkp);
        product_dot(c, order, lanes, r, x.g, c->d1.y, Pdot);
        for (int l = 0; l < lanes; l++) rho[r * lanes + l] = kdot[l] * x.P + x.k * Pdot[l];
    }
}

INLINE void jvp_lanes(const request *c, const int lanes)
{
    double rho[MA_REACTIONS * lanes];
    jvp_order(c, 0, lanes, rho), jvp_order(c, 1, lanes, rho), jvp_order(c, 2, lanes, rho), jvp_order(c, 3, lanes, rho);
    times(&c->m->by_species, lanes, rho, lanes, c->out, c->w);
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    request all = ask(data, t, y, p, w);
    all.d1 = (direction){tdot, ydot, pdot}, all.out = fdot;
    for (int l = 0, lanes; l < w; l += lanes) {
        request c = from(all, l);
        lanes = group(w - l);
        if (lanes == 8) jvp_lanes(&c, 8);
        else if (lanes == 4) jvp_lanes(&c, 4);
        else jvp_lanes(&c, 1);
    }
    return 0;
}

/* ---- jvp2 ----------------------------------------------------------------------------------------------------------------- */

INLINE void product_dd(const request *c, const int order, const int lanes, int r, const local *x, double *Pdd)
{
    const double *y1 = c->d1.y, *y2 = c->d2.y;
    const short *in = c->m->in[r];
    for (int l = 0; l < lanes; l++) Pdd[l] = 0;
    if (!y1 || !y2) return;
    for (int q = 0; q < order; q++)
        for (int s = 0; s < order; s++)
            for (int l = 0; l < lanes && s != q; l++) Pdd[l] += x->h[q][s] * (y1[in[q] * c->w + l] * y2[in[s] * c->w + l]);
}

INLINE void jvp2_order(const request *c, const int order, const int lanes, double *rho)
{
    const massaction *m = c->m;
    const double *t1 = c->d1.t, *t2 = c->d2.t, *p1 = c->d1.p, *p2 = c->d2.p;
    for (int r = m->first[order]; r < m->first[order + 1]; r++) {
        local x;
        int rate = m->rate[r], timed = m->timed[r], w = c->w;
        double k1[8], k2[8], dkp1[8], dkp2[8], P1[8], P2[8], Pdd[8], p = rate < 0 ? 1 : c->p[rate];
        look(c, order, r, &x);
        coefficient_dot(c, lanes, r, &x, &c->d1, k1, dkp1);
        coefficient_dot(c, lanes, r, &x, &c->d2, k2, dkp2);
        product_dot(c, order, lanes, r, x.g, c->d1.y, P1);
        product_dot(c, order, lanes, r, x.g, c->d2.y, P2);
        product_dd(c, order, lanes, r, &x, Pdd);
        for (int l = 0; l < lanes; l++) {
            double kdd = timed && t1 && t2 ? m->factor[r] * p * c->phi[2] * t1[l] * t2[l] : 0;
            if (rate >= 0) kdd += (p1 ? p1[rate * w + l] * dkp2[l] : 0) + (p2 ? p2[rate * w + l] * dkp1[l] : 0);
            rho[r * lanes + l] = kdd * x.P + k1[l] * P2[l] + k2[l] * P1[l] + x.k * Pdd[l];
        }
    }
}

INLINE void jvp2_lanes(const request *c, const int lanes)
{
    double rho[MA_REACTIONS * lanes];
    jvp2_order(c, 0, lanes, rho), jvp2_order(c, 1, lanes, rho), jvp2_order(c, 2, lanes, rho), jvp2_order(c, 3, lanes, rho);
    times(&c->m->by_species, lanes, rho, lanes, c->out, c->w);
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    request all = ask(data, t, y, p, w);
    all.d1 = (direction){tdot1, ydot1, pdot1}, all.d2 = (direction){tdot2, ydot2, pdot2}, all.out = fdd;
    for (int l = 0, lanes; l < w; l += lanes) {
        request c = from(all, l);
        lanes = group(w - l);
        if (lanes == 8) jvp2_lanes(&c, 8);
        else if (lanes == 4) jvp2_lanes(&c, 4);
        else jvp2_lanes(&c, 1);
    }
    return 0;
}

/* ---- vjp ------------------------------------------------------------------------------------------------------------------ */

INLINE void vjp_order(const request *c, const int order, const int lanes, const double *z)
{
    const massaction *m = c->m;
    for (int r = m->first[order]; r < m->first[order + 1]; r++) {
        local x;
        look(c, order, r, &x);
        if (c->pb && m->rate[r] >= 0)
            for (int l = 0; l < lanes; l++) c->pb[m->rate[r] * c->w + l] += x.kp * x.P * z[r * lanes + l];
        for (int q = 0; c->yb && q < order; q++)
            for (int l = 0; l < lanes; l++) c->yb[m->in[r][q] * c->w + l] += x.k * x.g[q] * z[r * lanes + l];
    }
}

INLINE void vjp_lanes(const request *c, const int lanes)
{
    double z[MA_REACTIONS * lanes];
    times(&c->m->by_reaction, lanes, c->u, c->w, z, lanes);
    vjp_order(c, 0, lanes, z), vjp_order(c, 1, lanes, z), vjp_order(c, 2, lanes, z), vjp_order(c, 3, lanes, z);
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    request all = ask(data, t, y, p, w);
    all.u = u, all.yb = yb, all.pb = pb;
    for (int l = 0, lanes; l < w; l += lanes) {
        request c = from(all, l);
        lanes = group(w - l);
        if (lanes == 8) vjp_lanes(&c, 8);
        else if (lanes == 4) vjp_lanes(&c, 4);
        else vjp_lanes(&c, 1);
    }
    return 0;
}

/* ---- vjp_dot -------------------------------------------------------------------------------------------------------------- */

INLINE void vjp_dot_order(const request *c, const int order, const int lanes, const double *z, const double *zdot)
{
    const massaction *m = c->m;
    const double *ydot = c->d1.y;
    int w = c->w;
    for (int r = m->first[order]; r < m->first[order + 1]; r++, z += lanes, zdot += lanes) {
        local x;
        double kdot[8], dkp[8], Pdot[8], rhob[8];
        const short *in = m->in[r];
        look(c, order, r, &x);
        coefficient_dot(c, lanes, r, &x, &c->d1, kdot, dkp);
        product_dot(c, order, lanes, r, x.g, ydot, Pdot);
        if (c->pbdot && m->rate[r] >= 0)
            for (int l = 0; l < lanes; l++)
                c->pbdot[m->rate[r] * w + l] += x.kp * (Pdot[l] * z[l] + x.P * zdot[l]) + dkp[l] * x.P * z[l];
        if (!c->ybdot) continue;
        for (int l = 0; l < lanes; l++) rhob[l] = kdot[l] * z[l] + x.k * zdot[l];
        for (int q = 0; q < order; q++) {
            for (int l = 0; l < lanes; l++) c->ybdot[in[q] * w + l] += x.g[q] * rhob[l];
            for (int s = 0; ydot && s < order; s++)
                for (int l = 0; l < lanes && s != q; l++)
                    c->ybdot[in[q] * w + l] += x.h[q][s] * ydot[in[s] * w + l] * (x.k * z[l]);
        }
    }
}

INLINE void vjp_dot_lanes(const request *c, const int lanes)
{
    double z[MA_REACTIONS * lanes], zdot[MA_REACTIONS * lanes];
    const short *first = c->m->first;
    times(&c->m->by_reaction, lanes, c->u, c->w, z, lanes);
    if (c->udot) times(&c->m->by_reaction, lanes, c->udot, c->w, zdot, lanes);
    else memset(zdot, 0, sizeof zdot);
    vjp_dot_order(c, 0, lanes, z + first[0] * lanes, zdot + first[0] * lanes);
    vjp_dot_order(c, 1, lanes, z + first[1] * lanes, zdot + first[1] * lanes);
    vjp_dot_order(c, 2, lanes, z + first[2] * lanes, zdot + first[2] * lanes);
    vjp_dot_order(c, 3, lanes, z + first[3] * lanes, zdot + first[3] * lanes);
    if (!c->yb && !c->pb) return;
    vjp_order(c, 0, lanes, z), vjp_order(c, 1, lanes, z), vjp_order(c, 2, lanes, z), vjp_order(c, 3, lanes, z);
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    request all = ask(data, t, y, p, w);
    all.d1 = (direction){tdot, ydot, pdot}, all.u = u, all.udot = udot;
    all.yb = yb, all.ybdot = ybdot, all.pb = pb, all.pbdot = pbdot;
    for (int l = 0, lanes; l < w; l += lanes) {
        request c = from(all, l);
        lanes = group(w - l);
        if (lanes == 8) vjp_dot_lanes(&c, 8);
        else if (lanes == 4) vjp_dot_lanes(&c, 4);
        else vjp_dot_lanes(&c, 1);
    }
    return 0;
}

costate_problem massaction_problem(massaction *m, const char *const *species, const char *const *params)
{
    costate_problem q = {.n = m->n, .np = m->np, .data = m, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot,
                         .jac = jac, .pattern = {.format = m->format}, .autonomous = 1, .state_names = species,
                         .param_names = params};
    if (m->format == COSTATE_CSC) q.pattern.colptr = m->colptr, q.pattern.rowind = m->rowind;
    for (int r = 0; r < m->reactions; r++)
        if (m->timed[r]) q.autonomous = 0;
    return q;
}
