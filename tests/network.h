/* network.h - stiff networks of reactions by the law of mass action, of any size, drawn at random:
 *
 *     A_r + B_r -> C_r + D_r,   y' = sum_r (e_C + e_D - e_A - e_B) rho_r,   rho_r = p_r y_A y_B,   or p_r y_A for A_r -> C_r
 *
 * Mass is kept. A third of the reactions undo another third, so that fast ones come to an equilibrium in which large terms
 * cancel. Rates are spread over so many decades, log-uniformly; every species is made by a slow reaction from the one before
 * it, so that none is left out. Species react with and become near ones, so that factors stay sparse. Every product by hand;
 * the Jacobian is sparse (CSC). */
#ifndef TESTS_NETWORK_H
#define TESTS_NETWORK_H

#include <costate/costate.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct network {
    int n, reactions;
    int (*part)[4]; /* A, B, C, D; -1: none */
    double *p, *y0;
    int *colptr, *rowind;
    costate_problem prob;
} network;

static inline double network_draw(uint64_t *state) /* in [0, 1) */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static const int network_sign[4] = {-1, -1, 1, 1};

static inline double network_rho(const network *q, int r, const double *y, const double *p)
{
    const int *i = q->part[r];
    return p[r] * y[i[0]] * (i[1] < 0 ? 1 : y[i[1]]);
}

static inline int network_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const network *q = data;
    (void)t;
    memset(f, 0, (size_t)q->n * sizeof *f);
    for (int r = 0; r < q->reactions; r++)
        for (int k = 0; k < 4; k++)
            if (q->part[r][k] >= 0) f[q->part[r][k]] += network_sign[k] * network_rho(q, r, y, p);
    return 0;
}

/* rho's derivative along (ydot, pdot) of one lane */
static inline double network_along(const network *q, int r, const double *y, const double *p, int w, int l, const double *ydot,
                                   const double *pdot)
{
    const int *i = q->part[r];
    double a = y[i[0]], b = i[1] < 0 ? 1 : y[i[1]], ad = ydot ? ydot[i[0] * w + l] : 0,
           bd = ydot && i[1] >= 0 ? ydot[i[1] * w + l] : 0;
    return p[r] * (ad * b + a * bd) + (pdot ? pdot[r * w + l] * a * b : 0);
}

static inline int network_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                              const double *pdot, double *fdot, void *data)
{
    const network *q = data;
    (void)t, (void)tdot;
    memset(fdot, 0, (size_t)q->n * (size_t)w * sizeof *fdot);
    for (int r = 0; r < q->reactions; r++)
        for (int l = 0; l < w; l++) {
            double rho = network_along(q, r, y, p, w, l, ydot, pdot);
            for (int k = 0; k < 4; k++)
                if (q->part[r][k] >= 0) fdot[q->part[r][k] * w + l] += network_sign[k] * rho;
        }
    return 0;
}

static inline double network_seed(const network *q, int r, int w, int l, const double *u)
{
    double sum = 0;
    for (int k = 0; k < 4; k++)
        if (q->part[r][k] >= 0) sum += network_sign[k] * u[q->part[r][k] * w + l];
    return sum;
}

static inline int network_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                              void *data)
{
    const network *q = data;
    (void)t;
    for (int r = 0; r < q->reactions; r++)
        for (int l = 0; l < w; l++) {
            const int *i = q->part[r];
            double s = network_seed(q, r, w, l, u), a = y[i[0]], b = i[1] < 0 ? 1 : y[i[1]];
            if (yb) yb[i[0] * w + l] += s * p[r] * b;
            if (yb && i[1] >= 0) yb[i[1] * w + l] += s * p[r] * a;
            if (pb) pb[r * w + l] += s * a * b;
        }
    return 0;
}

static inline int network_vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                                  const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                                  double *pbdot, void *data)
{
    const network *q = data;
    (void)tdot;
    if (yb || pb) network_vjp(t, y, p, w, u, yb, pb, data);
    for (int r = 0; r < q->reactions; r++)
        for (int l = 0; l < w; l++) {
            const int *i = q->part[r];
            double s = network_seed(q, r, w, l, u), sd = udot ? network_seed(q, r, w, l, udot) : 0;
            double a = y[i[0]], b = i[1] < 0 ? 1 : y[i[1]], ad = ydot ? ydot[i[0] * w + l] : 0,
                   bd = ydot && i[1] >= 0 ? ydot[i[1] * w + l] : 0, k = p[r], kd = pdot ? pdot[r * w + l] : 0;
            if (ybdot) ybdot[i[0] * w + l] += sd * k * b + s * (kd * b + k * bd);
            if (ybdot && i[1] >= 0) ybdot[i[1] * w + l] += sd * k * a + s * (kd * a + k * ad);
            if (pbdot) pbdot[r * w + l] += sd * a * b + s * (ad * b + a * bd);
        }
    return 0;
}

static inline int network_jac(double t, const double *y, const double *p, double *jac, void *data)
{
    const network *q = data;
    (void)t;
    memset(jac, 0, (size_t)q->colptr[q->n] * sizeof *jac);
    for (int r = 0; r < q->reactions; r++)
        for (int c = 0; c < 2; c++) {
            const int *i = q->part[r];
            if (i[c] < 0) continue;
            double slope = c ? p[r] * y[i[0]] : p[r] * (i[1] < 0 ? 1 : y[i[1]]);
            for (int k = 0; k < 4; k++)
                for (int e = q->colptr[i[c]]; i[k] >= 0 && e < q->colptr[i[c] + 1]; e++)
                    if (q->rowind[e] == i[k]) jac[e] += network_sign[k] * slope;
        }
    return 0;
}

/* The pattern: every part of a reaction depends on its reactants. */
static inline void network_pattern(network *q)
{
    size_t n = (size_t)q->n;
    char *mark = calloc(n * n, 1);
    for (int r = 0; r < q->reactions; r++)
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 4; k++)
                if (q->part[r][c] >= 0 && q->part[r][k] >= 0) mark[(size_t)q->part[r][c] * n + (size_t)q->part[r][k]] = 1;
    int entries = 0;
    for (size_t c = 0; c < n; c++) {
        q->colptr[c] = entries;
        for (size_t i = 0; i < n; i++)
            if (mark[c * n + i]) q->rowind[entries++] = (int)i;
    }
    q->colptr[n] = entries;
    free(mark);
}

static inline network *network_make(int n, double decades, uint64_t seed)
{
    network *q = calloc(1, sizeof *q);
    q->n = n;
    q->reactions = 3 * n;
    q->part = calloc((size_t)q->reactions, sizeof *q->part);
    q->p = calloc((size_t)q->reactions, sizeof *q->p);
    q->y0 = calloc((size_t)n, sizeof *q->y0);
    q->colptr = calloc((size_t)n + 1, sizeof *q->colptr);
    q->rowind = calloc(8 * (size_t)q->reactions, sizeof *q->rowind);
    for (int i = 0; i < n; i++) q->y0[i] = network_draw(&seed) < 0.3 ? 1 + network_draw(&seed) : 1e-3 * network_draw(&seed);
    for (int r = 0; r < q->reactions; r++) {
        int slow = r < n;
        q->part[r][0] = r % n;
        for (int k = 1; k < 4; k++) q->part[r][k] = (r + 1 + (int)(network_draw(&seed) * 12)) % n;
        if (slow) q->part[r][2] = (r + 1) % n;
        if (slow || network_draw(&seed) < 0.4) q->part[r][1] = q->part[r][3] = -1;
        if (r >= 2 * n) /* back */
            for (int k = 0; k < 4; k++) q->part[r][k] = q->part[r - n][(k + 2) % 4];
        if (r >= 2 * n) q->p[r] = q->p[r - n] * (0.1 + network_draw(&seed));
        else q->p[r] = slow ? 1e-2 * (1 + network_draw(&seed)) : pow(10, -2 + decades * network_draw(&seed));
    }
    network_pattern(q);
    q->prob = (costate_problem){.n = n,
                                .np = q->reactions,
                                .data = q,
                                .rhs = network_rhs,
                                .jvp = network_jvp,
                                .vjp = network_vjp,
                                .vjp_dot = network_vjp_dot,
                                .jac = network_jac,
                                .pattern = {.format = COSTATE_CSC, .colptr = q->colptr, .rowind = q->rowind},
                                .autonomous = 1};
    return q;
}

static inline void network_free(network *q)
{
    free(q->part), free(q->p), free(q->y0), free(q->colptr), free(q->rowind), free(q);
}

#endif
