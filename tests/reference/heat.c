/* heat.c - the heat equation on the unit square, zero on the rim: its products, and two problems with one diffusivity, p =
 * alpha, whose solution is a sum of modes sin(k pi x) sin(l pi y) that decay like exp(-alpha (lambda_k + lambda_l) t).
 *
 *     heat_diffusivity   one mode, t in [0, 0.01], on a grid whose rim counts as states. R. Martins and E. Lakshtanov, 4.1.
 *     heat_two_modes     two modes, t in [0, 0.1], inner points only */
#include "heat.h"
#include "lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An entry's factor per kind, from p1 and p2 or from directions of them; w lanes apart */
static void factors(const heat *h, const double *p, int w, double *k)
{
    for (int l = 0; l < w; l++) {
        double p1 = lane(p, 0, w, l), p2 = h->separate ? lane(p, 1, w, l) : p1;
        k[ALONG_X * w + l] = h->c * p1;
        k[ALONG_Y * w + l] = h->c * p2;
        k[CENTRE * w + l] = -2 * h->c * (p1 + p2);
    }
}

/* What the factors pass on to p */
static void pull_factors(const heat *h, int w, const double *kb, double *pb)
{
    for (int l = 0; l < w; l++) {
        double centre = 2 * kb[CENTRE * w + l];
        pb[l] += h->c * (kb[ALONG_X * w + l] - centre);
        pb[h->separate * w + l] += h->c * (kb[ALONG_Y * w + l] - centre);
    }
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const heat *h = data;
    double k[KINDS];
    factors(h, p, 1, k);
    memset(f, 0, sizeof(double) * (size_t)h->q.prob.n);
    for (int j = 0; j < h->q.prob.n; j++)
        for (int e = h->colptr[j]; e < h->colptr[j + 1]; e++) f[h->rowind[e]] += k[h->kind[e]] * y[j];
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    const heat *h = data;
    double k[KINDS], kd[KINDS * w];
    factors(h, p, 1, k);
    factors(h, pdot, w, kd);
    memset(fdot, 0, sizeof(double) * (size_t)(h->q.prob.n * w));
    for (int j = 0; j < h->q.prob.n; j++) {
        for (int e = h->colptr[j]; e < h->colptr[j + 1]; e++) {
            double *out = fdot + h->rowind[e] * w, *moved = kd + h->kind[e] * w;
            for (int l = 0; l < w; l++) out[l] += k[h->kind[e]] * lane(ydot, j, w, l) + moved[l] * y[j];
        }
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const heat *h = data;
    double k[KINDS], kb[KINDS * w];
    factors(h, p, 1, k);
    memset(kb, 0, sizeof kb);
    for (int j = 0; j < h->q.prob.n; j++) {
        for (int e = h->colptr[j]; e < h->colptr[j + 1]; e++) {
            const double *seed = u + h->rowind[e] * w;
            for (int l = 0; l < w && yb; l++) yb[j * w + l] += k[h->kind[e]] * seed[l];
            for (int l = 0; l < w && pb; l++) kb[h->kind[e] * w + l] += y[j] * seed[l];
        }
    }
    if (pb) pull_factors(h, w, kb, pb);
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    const heat *h = data;
    double k1[KINDS * w], k2[KINDS * w];
    factors(h, pdot1, w, k1);
    factors(h, pdot2, w, k2);
    memset(fdd, 0, sizeof(double) * (size_t)(h->q.prob.n * w));
    for (int j = 0; j < h->q.prob.n; j++) {
        for (int e = h->colptr[j]; e < h->colptr[j + 1]; e++) {
            double *out = fdd + h->rowind[e] * w, *a = k1 + h->kind[e] * w, *b = k2 + h->kind[e] * w;
            for (int l = 0; l < w; l++) out[l] += a[l] * lane(ydot2, j, w, l) + b[l] * lane(ydot1, j, w, l);
        }
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    const heat *h = data;
    double kd[KINDS * w], kbd[KINDS * w];
    factors(h, pdot, w, kd);
    memset(kbd, 0, sizeof kbd);
    for (int j = 0; j < h->q.prob.n; j++) {
        for (int e = h->colptr[j]; e < h->colptr[j + 1]; e++) {
            const double *seed = u + h->rowind[e] * w, *moved = kd + h->kind[e] * w;
            for (int l = 0; l < w && ybdot && pdot; l++) ybdot[j * w + l] += moved[l] * seed[l];
            for (int l = 0; l < w && pbdot && ydot; l++) kbd[h->kind[e] * w + l] += ydot[j * w + l] * seed[l];
        }
    }
    if (pbdot) pull_factors(h, w, kbd, pbdot);
    if (udot) vjp(t, y, p, w, udot, ybdot, pbdot, data);
    return vjp(t, y, p, w, u, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    const heat *h = data;
    double k[KINDS];
    factors(h, p, 1, k);
    for (int e = 0; e < h->colptr[h->q.prob.n]; e++) j[e] = k[h->kind[e]];
    return 0;
}

/* ---- making them ----------------------------------------------------------------------------------------------------------- */

int heat_at(const heat *h, int i, int j)
{
    return h->rim ? j * (h->m + 2) + i : (j - 1) * h->m + i - 1;
}

double heat_eigenvalue(const heat *h, int k)
{
    double s = sin(acos(-1) * k / (2 * (h->m + 1)));
    return 4 * h->c * s * s;
}

/* Adds the entry of the column of which point (i, j) is a row, if that is an inner point. */
static void entry(heat *h, int i, int j, int kind, int *nnz)
{
    if (i < 1 || j < 1 || i > h->m || j > h->m) return;
    h->kind[*nnz] = (unsigned char)kind;
    h->rowind[(*nnz)++] = heat_at(h, i, j);
}

heat *heat_make(int m, int rim, int separate, int np, size_t extra)
{
    size_t n = (size_t)(m + 2 * rim) * (size_t)(m + 2 * rim), most = 5 * n;
    heat *h = calloc(1, sizeof *h + extra * sizeof(double) + (n + 1 + most) * sizeof(int) + most);
    if (!h) return NULL;
    h->m = m, h->rim = rim, h->separate = separate, h->c = (m + 1.0) * (m + 1.0);
    h->extra = (double *)(h + 1);
    h->colptr = (int *)(h->extra + extra);
    h->rowind = h->colptr + n + 1;
    h->kind = (unsigned char *)(h->rowind + most);
    int nnz = 0, column = 0;
    for (int j = 1 - rim; j <= m + rim; j++)
        for (int i = 1 - rim; i <= m + rim; i++) {
            entry(h, i, j - 1, ALONG_Y, &nnz);
            entry(h, i - 1, j, ALONG_X, &nnz);
            entry(h, i, j, CENTRE, &nnz);
            entry(h, i + 1, j, ALONG_X, &nnz);
            entry(h, i, j + 1, ALONG_Y, &nnz);
            h->colptr[++column] = nnz;
        }
    h->q.prob = (costate_problem){.n = (int)n, .np = np, .data = h, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2,
                                  .vjp_dot = vjp_dot, .jac = jac, .autonomous = 1,
                                  .pattern = {.format = COSTATE_CSC, .colptr = h->colptr, .rowind = h->rowind}};
    return h;
}

/* ---- a sum of modes -------------------------------------------------------------------------------------------------------- */

typedef struct mode {
    int k, l;
    double amplitude;
} mode;

static problem *decay(int m, int rim, int modes, const mode *list, double t1)
{
    const double pi = acos(-1), alpha = 1;
    size_t n = (size_t)(m + 2 * rim) * (size_t)(m + 2 * rim);
    heat *h = heat_make(m, rim, 0, 1, 1 + 2 * n + n * sizeof(sensitivity) / sizeof(double));
    if (!h) return NULL;
    double *p = h->extra, *y0 = p + 1, *state = y0 + n;
    sensitivity *dstate = (sensitivity *)(state + n);
    p[0] = alpha;
    for (int i = 0; i < (int)n; i++) dstate[i].state = i;
    for (int j = 1; j <= m; j++)
        for (int i = 1; i <= m; i++)
            for (int q = 0; q < modes; q++) {
                int at = heat_at(h, i, j);
                double shape = list[q].amplitude * sin(pi * list[q].k * i / (m + 1)) * sin(pi * list[q].l * j / (m + 1));
                double lambda = heat_eigenvalue(h, list[q].k) + heat_eigenvalue(h, list[q].l), left = exp(-alpha * lambda * t1);
                y0[at] += shape;
                state[at] += shape * left;
                dstate[at].value -= shape * left * lambda * t1;
            }
    h->q.y0 = y0, h->q.p = p, h->q.t1 = t1;
    h->q.state = state, h->q.sensitivities = (int)n, h->q.dstate = dstate;
    h->q.source = "exact solution of the semi-discrete system", h->q.rtol_ref = 1e-12;
    return &h->q;
}

problem *heat_diffusivity(int m)
{
    static const mode one[] = {{1, 1, 1}};
    problem *q = m < 3 ? NULL : decay(m - 2, 1, 1, one, 0.01);
    if (q) q->name = "heat_diffusivity";
    return q;
}

problem *heat_two_modes(int m)
{
    static const mode two[] = {{1, 1, 1}, {3, 2, 0.5}};
    problem *q = m < 3 ? NULL : decay(m, 0, 2, two, 0.1);
    if (q) q->name = "heat_two_modes";
    return q;
}
