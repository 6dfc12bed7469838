/* brusselator_grid.c - the Brusselator with diffusion on a grid fine enough to be stiff; component 2i is u, component 2i+1 is v
 * of cell i:
 *
 *     u' = a + u^2 v - (b+1) u + (d/dx^2) L u + s lit,   v' = b u - u^2 v + (d/dx^2) L v,
 *     (L u)_i = sum over the neighbours j of u_j - u_i
 *
 *     brusselator_1d   on a line whose ends stay at u = 1, v = 3: p = (a, b, d), banded
 *     brusselator_2d   periodic in both directions, fed in a disc (lit) from the start: p = (a, b, d, s), CSC
 *
 * E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, IV.10, BRUSS and BRUSS-2D; there the disc is lit from t
 * = 1.1 on. L is symmetric, so the products transposed apply it as it is. */
#include "lanes.h"
#include "problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, DIFFUSION, STRENGTH };

typedef struct grid {
    problem q;     /* first, for problem_free */
    int cells, degree;
    double k;      /* 1/dx^2 */
    double *y0, p[4];
    double *lit;   /* cells: 1 where the disc is */
    int *next;     /* cells x degree: the neighbours; -1: an end of the line */
    int *place;    /* where column c's entries go: rows 2i and 2i+1, then the neighbours'; -1: no such entry */
    int *colptr, *rowind;
    int values;
} grid;

static const double end[2] = {1, 3};

/* L of both species at cell i, 2w numbers; ends of the line count as zero */
static void laplacian(const grid *g, const double *x, int i, int w, double *restrict out)
{
    const double *here = x + 2 * i * w;
    for (int l = 0; l < 2 * w; l++) out[l] = -g->degree * here[l];
    for (int d = 0; d < g->degree; d++) {
        int j = g->next[i * g->degree + d];
        for (int l = 0; l < 2 * w && j >= 0; l++) out[l] += x[2 * j * w + l];
    }
}

/* L of the state itself, where the ends count as they are */
static void laplacian_of_state(const grid *g, const double *y, int i, double out[2])
{
    laplacian(g, y, i, 1, out);
    for (int d = 0; d < g->degree; d++)
        if (g->next[i * g->degree + d] < 0) out[0] += end[0], out[1] += end[1];
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const grid *g = data;
    double k = p[DIFFUSION] * g->k;
    for (int i = 0; i < g->cells; i++) {
        double u = y[2 * i], v = y[2 * i + 1], s = u * u * v - p[B] * u, L[2];
        laplacian_of_state(g, y, i, L);
        f[2 * i] = p[A] + s - u + k * L[0] + (g->lit ? p[STRENGTH] * g->lit[i] : 0);
        f[2 * i + 1] = -s + k * L[1];
    }
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    const grid *g = data;
    double k = p[DIFFUSION] * g->k, Ld[2 * w];
    memset(Ld, 0, sizeof Ld);
    for (int i = 0; i < g->cells; i++) {
        double u = y[2 * i], v = y[2 * i + 1], su = 2 * u * v - p[B], L[2], lit = g->lit ? g->lit[i] : 0;
        laplacian_of_state(g, y, i, L);
        if (ydot) laplacian(g, ydot, i, w, Ld);
        for (int l = 0; l < w; l++) {
            double ud = lane(ydot, 2 * i, w, l), vd = lane(ydot, 2 * i + 1, w, l), kd = lane(pdot, DIFFUSION, w, l) * g->k;
            double sd = su * ud + u * u * vd - lane(pdot, B, w, l) * u, fed = lit > 0 ? lane(pdot, STRENGTH, w, l) : 0;
            fdot[2 * i * w + l] = lane(pdot, A, w, l) + sd - ud + k * Ld[l] + kd * L[0] + fed;
            fdot[(2 * i + 1) * w + l] = -sd + k * Ld[w + l] + kd * L[1];
        }
    }
    return 0;
}

/* yb += f_y^T u, with k the factor of L */
static void pull_state(const grid *g, const double *y, const double *p, double k, int w, const double *seed, double *yb)
{
    double Lu[2 * w];
    for (int i = 0; i < g->cells; i++) {
        double u = y[2 * i], v = y[2 * i + 1], su = 2 * u * v - p[B], uu = u * u;
        laplacian(g, seed, i, w, Lu);
        for (int l = 0; l < w; l++) {
            double a = seed[2 * i * w + l], b = seed[(2 * i + 1) * w + l], sb = a - b;
            yb[2 * i * w + l] += su * sb - a + k * Lu[l];
            yb[(2 * i + 1) * w + l] += uu * sb + k * Lu[w + l];
        }
    }
}

/* pb += f_p^T u; with ydot, instead the derivative of f_p along it, lane by lane */
static void pull_params(const grid *g, const double *y, int w, const double *seed, const double *ydot, double *pb)
{
    double L[2], Ld[2 * w];
    for (int i = 0; i < g->cells; i++) {
        if (ydot) laplacian(g, ydot, i, w, Ld);
        else laplacian_of_state(g, y, i, L);
        for (int l = 0; l < w; l++) {
            double a = seed[2 * i * w + l], b = seed[(2 * i + 1) * w + l], u = ydot ? ydot[2 * i * w + l] : y[2 * i];
            pb[B * w + l] -= u * (a - b);
            pb[DIFFUSION * w + l] += g->k * ((ydot ? Ld[l] : L[0]) * a + (ydot ? Ld[w + l] : L[1]) * b);
            if (ydot) continue;
            pb[A * w + l] += a;
            if (g->lit) pb[STRENGTH * w + l] += g->lit[i] * a;
        }
    }
}

static int vjp(double t, const double *y, const double *p, int w, const double *seed, double *yb, double *pb, void *data)
{
    const grid *g = data;
    if (yb) pull_state(g, y, p, p[DIFFUSION] * g->k, w, seed, yb);
    if (pb) pull_params(g, y, w, seed, NULL, pb);
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    const grid *g = data;
    double L1[2 * w], L2[2 * w];
    memset(L1, 0, sizeof L1);
    memset(L2, 0, sizeof L2);
    for (int i = 0; i < g->cells; i++) {
        double u = y[2 * i], v = y[2 * i + 1];
        if (ydot1) laplacian(g, ydot1, i, w, L1);
        if (ydot2) laplacian(g, ydot2, i, w, L2);
        for (int l = 0; l < w; l++) {
            double u1 = lane(ydot1, 2 * i, w, l), v1 = lane(ydot1, 2 * i + 1, w, l), k1 = lane(pdot1, DIFFUSION, w, l) * g->k;
            double u2 = lane(ydot2, 2 * i, w, l), v2 = lane(ydot2, 2 * i + 1, w, l), k2 = lane(pdot2, DIFFUSION, w, l) * g->k;
            double s = 2 * (v * u1 * u2 + u * (u1 * v2 + u2 * v1)) - lane(pdot1, B, w, l) * u2 - lane(pdot2, B, w, l) * u1;
            fdd[2 * i * w + l] = s + k1 * L2[l] + k2 * L1[l];
            fdd[(2 * i + 1) * w + l] = -s + k1 * L2[w + l] + k2 * L1[w + l];
        }
    }
    return 0;
}

/* ybdot += (d/deps f_y)^T u along (ydot, pdot) */
static void bend_state(const grid *g, const double *y, int w, const double *ydot, const double *pdot, const double *seed,
                       double *ybdot)
{
    double Lu[2 * w];
    for (int i = 0; i < g->cells; i++) {
        double u = y[2 * i], v = y[2 * i + 1];
        laplacian(g, seed, i, w, Lu);
        for (int l = 0; l < w; l++) {
            double ud = lane(ydot, 2 * i, w, l), vd = lane(ydot, 2 * i + 1, w, l), kd = lane(pdot, DIFFUSION, w, l) * g->k;
            double sb = seed[2 * i * w + l] - seed[(2 * i + 1) * w + l];
            ybdot[2 * i * w + l] += (2 * (ud * v + u * vd) - lane(pdot, B, w, l)) * sb + kd * Lu[l];
            ybdot[(2 * i + 1) * w + l] += 2 * u * ud * sb + kd * Lu[w + l];
        }
    }
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *seed, const double *seeddot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    const grid *g = data;
    if (ybdot) bend_state(g, y, w, ydot, pdot, seed, ybdot);
    if (pbdot && ydot) pull_params(g, y, w, seed, ydot, pbdot);
    if (seeddot) vjp(t, y, p, w, seeddot, ybdot, pbdot, data);
    return vjp(t, y, p, w, seed, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    const grid *g = data;
    const int *place = g->place;
    double k = p[DIFFUSION] * g->k;
    memset(j, 0, sizeof(double) * (size_t)g->values);
    for (int i = 0; i < g->cells; i++) {
        double u = y[2 * i], v = y[2 * i + 1], su = 2 * u * v - p[B], diagonal = -g->degree * k;
        double own[2][2] = {{su - 1 + diagonal, -su}, {u * u, -u * u + diagonal}};
        for (int c = 0; c < 2; c++, place += 2 + g->degree) {
            j[place[0]] = own[c][0];
            j[place[1]] = own[c][1];
            for (int d = 0; d < g->degree; d++)
                if (place[2 + d] >= 0) j[place[2 + d]] = k;
        }
    }
    return 0;
}

/* ---- making them ------------------------------------------------------------------------------------------------------- */

/* The rows of column c in the order of `place`; -1: none. */
static void rows_of(const grid *g, int c, int *row)
{
    int i = c / 2;
    row[0] = 2 * i, row[1] = 2 * i + 1;
    for (int d = 0; d < g->degree; d++) {
        int j = g->next[i * g->degree + d];
        row[2 + d] = j < 0 ? -1 : 2 * j + c % 2;
    }
}

static void banded(grid *g)
{
    for (int c = 0; c < 2 * g->cells; c++) {
        int row[6];
        rows_of(g, c, row);
        for (int e = 0; e < 2 + g->degree; e++) g->place[c * (2 + g->degree) + e] = row[e] < 0 ? -1 : 2 + row[e] - c + 5 * c;
    }
    g->values = 5 * 2 * g->cells;
    g->q.prob.pattern = (costate_pattern){.format = COSTATE_BANDED, .lower = 2, .upper = 2};
}

static void csc(grid *g)
{
    int per = 2 + g->degree;
    for (int c = 0; c < 2 * g->cells; c++) {
        int row[6];
        rows_of(g, c, row);
        g->colptr[c] = per * c;
        for (int e = 0; e < per; e++) { /* its place is the number of rows before it */
            int before = 0;
            for (int o = 0; o < per; o++) before += row[o] < row[e];
            g->place[c * per + e] = per * c + before;
            g->rowind[per * c + before] = row[e];
        }
    }
    g->values = g->colptr[2 * g->cells] = per * 2 * g->cells;
    g->q.prob.pattern = (costate_pattern){.format = COSTATE_CSC, .colptr = g->colptr, .rowind = g->rowind};
}

static const char *const params[] = {"a", "b", "d", "s"};

/* One block: the grid, its numbers, its indices. */
static grid *make(int cells, int degree, int np)
{
    size_t n = 2 * (size_t)cells, entries = n * (size_t)(2 + degree), reals = n + (size_t)cells;
    size_t integers = (size_t)(cells * degree) + 2 * entries + n + 1;
    grid *g = calloc(1, sizeof *g + reals * sizeof(double) + integers * sizeof(int));
    if (!g) return NULL;
    g->cells = cells, g->degree = degree;
    g->y0 = (double *)(g + 1);
    g->lit = g->y0 + n;
    g->next = (int *)(g->lit + cells);
    g->place = g->next + cells * degree;
    g->rowind = g->place + entries;
    g->colptr = g->rowind + entries;
    g->q = (problem){.prob = {.n = (int)n, .np = np, .data = g, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2,
                              .vjp_dot = vjp_dot, .jac = jac, .autonomous = 1, .param_names = params},
                     .y0 = g->y0, .p = g->p};
    return g;
}

/* Explicit Runge-Kutta of order 8 with steps that stability limits, of which two tolerances agree to 1e-11, and an implicit
 * method. */
static void sampled(problem *q, int count, const int *at, const double *y, const char *source)
{
    q->samples = count, q->sampled = at, q->sample = y;
    q->source = source, q->rtol_ref = 1e-10;
}

problem *brusselator_1d(int cells)
{
    static const int at[] = {0, 1, 250, 251, 500, 501, 750, 751, 998, 999};
    static const double y[] = {9.9482519789713886e-01, 3.0065248703036072e+00, 5.2596652899857099e-01, 3.5860600452124261e+00,
                               4.2985746249679962e-01, 3.6881773351259475e+00, 5.2861309069654805e-01, 3.5953998066002750e+00,
                               9.9485200853202971e-01, 3.0066503658041199e+00};
#define D(i, da, db, dd) {i, A, da}, {i, B, db}, {i, DIFFUSION, dd}
    static const sensitivity dy[] = {
        D(0, 3.226845473682e-02, -1.379807752049e-02, 1.428104671363e-01),
        D(1, 1.379158087073e-02, 1.746525696671e-02, -2.684711149757e-01),
        D(250, 1.506095796323e+00, -5.008677984083e-01, 7.816121172126e+00),
        D(251, 3.170420549267e+00, 6.786976954873e-01, -1.818503997075e+01),
        D(500, 1.272903059754e+00, -3.830526462629e-01, 5.471014100424e+00),
        D(501, 5.193283258663e+00, 4.494015947622e-01, -1.819711982505e+01),
        D(750, 1.557355387332e+00, -5.121201874508e-01, 7.528643229149e+00),
        D(751, 3.082680585538e+00, 6.964887455730e-01, -2.184814241805e+01),
        D(998, 3.318325717234e-02, -1.398132118445e-02, 1.322098443608e-01),
        D(999, 1.264729651452e-02, 1.774197858870e-02, -3.073142316643e-01)};
#undef D
    grid *g = cells < 2 ? NULL : make(cells, 2, 3);
    if (!g) return NULL;
    g->lit = NULL;
    g->k = (cells + 1.0) * (cells + 1.0);
    memcpy(g->p, (double[]){1, 3, 0.02}, 3 * sizeof(double));
    for (int i = 0; i < cells; i++) {
        g->next[2 * i] = i - 1;
        g->next[2 * i + 1] = i + 1 < cells ? i + 1 : -1;
        g->y0[2 * i] = 1 + sin(2 * acos(-1) * (i + 1) / (cells + 1));
        g->y0[2 * i + 1] = 3;
    }
    banded(g);
    g->q.name = "brusselator_1d";
    g->q.t1 = 10;
    if (cells != 500) return &g->q;
    sampled(&g->q, 10, at, y, "explicit Runge-Kutta of order 8 and Radau IIA, relative tolerance 1e-12; they agree to 1e-11");
    g->q.sensitivities = sizeof dy / sizeof *dy, g->q.dstate = dy;
    return &g->q;
}

problem *brusselator_2d(int m)
{
    static const int at[] = {0, 1, 2520, 2521, 5040, 5041, 7560, 7561, 10080, 10081};
    static const double known[] = {5.4883963363404697e-01, 4.8677855472449245e+00, 5.3124029791528404e-01, 4.8810108122377134e+00,
                                   7.6401837724471622e-01, 4.7320400714017268e+00, 8.7234188774679955e-01, 4.6802610680324808e+00,
                                   5.4838580627875677e-01, 4.8681864581041339e+00};
    grid *g = m < 3 ? NULL : make(m * m, 4, 4);
    if (!g) return NULL;
    g->k = (double)m * m;
    memcpy(g->p, (double[]){1, 3.4, 0.1, 5}, 4 * sizeof(double));
    for (int i = 0; i < m * m; i++) {
        int a = i % m, b = i / m, *next = g->next + 4 * i;
        double x = (double)a / m, y = (double)b / m;
        next[0] = b * m + (a + m - 1) % m, next[1] = b * m + (a + 1) % m;
        next[2] = (b + m - 1) % m * m + a, next[3] = (b + 1) % m * m + a;
        g->y0[2 * i] = 22 * y * pow(1 - y, 1.5);
        g->y0[2 * i + 1] = 27 * x * pow(1 - x, 1.5);
        g->lit[i] = (x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6) <= 0.01;
    }
    csc(g);
    g->q.name = "brusselator_2d";
    g->q.t1 = 11.5;
    if (m == 71) sampled(&g->q, 10, at, known, "explicit Runge-Kutta of order 8, relative tolerance 1e-12; Rodas agrees to 1e-7");
    return &g->q;
}
