/* glv_floor.c - the GLV tasks as fast as they can be done: Dormand-Prince 5(4) and its discrete adjoint written for this one
 * problem, without a library and without callbacks. What can be had here and not there: A is packed for the kernels, every vector
 * is padded, the growth s = r + A y of the forward run is kept for the adjoint, and the parameter gradients of all stages of all
 * steps are one matrix product that is written once. Method "reference" takes 1000 equal steps and writes the reference. */
#include "glv_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef double v4 __attribute__((vector_size(32), may_alias));
enum {
    STAGES = 6,
    LANES = 8,  /* most objectives of a block */
    PANEL = 16, /* most columns of a panel for one lane */
#ifdef __AVX512VL__ /* columns of a tile: what half of the vector registers hold */
    TILE = 8
#else
    TILE = 4
#endif
};

static const double a[STAGES + 1][STAGES] = {{0},
                                             {1. / 5},
                                             {3. / 40, 9. / 40},
                                             {44. / 45, -56. / 15, 32. / 9},
                                             {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                             {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                             {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
static const double e[STAGES + 1] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
static const double *const b = a[STAGES];

typedef struct floor_run {
    size_t n, m; /* species; the same rounded up to whole vectors */
    double *r;   /* m: growth rates, zero padded, as are all vectors */
    double *columns; /* A in panels of PANEL columns, [panel][row][PANEL]: for A^T b */
    double *rows;    /* A^T likewise: for A y */
    double *tiles;   /* A in panels of TILE columns: for A^T b with lanes */
    size_t steps, capacity;
    double *Y, *G, *H; /* per step: STAGES stage states, the growth there; the step size */
    double *y, *k, *g; /* state; STAGES + 1 derivatives; growth at the new state */
    double *W;         /* adjoint seeds times states: of every stage, m or m x LANES */
    double *work;      /* of the adjoint */
    long rhs;
} floor_run;

/* ---- kernels ------------------------------------------------------------------------------------------------------ */

/* P = M, or its transpose, in panels of `width` columns */
static void pack(size_t n, size_t m, const double *M, size_t along, size_t across, size_t width, double *P)
{
    for (size_t j = 0; j < m; j += width)
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < width && j + q < m; q++) *P++ = j + q < n ? M[i * along + (j + q) * across] : 0;
}

/* out = c.d + M^T x for one panel of 4 nv columns; two sets of sums, so that the additions of one need not wait for each other */
INLINE const double *panel(const size_t nv, size_t n, const double *P, const double *x, const double *c, const double *d,
                           double *out)
{
    v4 s[4], t[4] = {0};
    for (size_t h = 0; h < nv; h++) s[h] = ((const v4 *)c)[h] * ((const v4 *)d)[h];
    size_t i = 0;
    for (; i + 2 <= n; i += 2, P += 8 * nv)
        for (size_t h = 0; h < nv; h++) {
            s[h] += x[i] * ((const v4 *)P)[h];
            t[h] += x[i + 1] * ((const v4 *)P)[nv + h];
        }
    for (; i < n; i++, P += 4 * nv)
        for (size_t h = 0; h < nv; h++) s[h] += x[i] * ((const v4 *)P)[h];
    for (size_t h = 0; h < nv; h++) ((v4 *)out)[h] = s[h] + t[h];
    return P;
}

static void multiply(size_t n, size_t m, const double *P, const double *x, const double *c, const double *d, double *out)
{
    size_t j = 0;
    for (; j + PANEL <= m; j += PANEL) P = panel(4, n, P, x, c + j, d + j, out + j);
    if (m - j == 12) panel(3, n, P, x, c + j, d + j, out + j);
    if (m - j == 8) panel(2, n, P, x, c + j, d + j, out + j);
    if (m - j == 4) panel(1, n, P, x, c + j, d + j, out + j);
}

/* c_q = sum_i M[i*ld + q] X_i for `width` columns q; X_i has 4 nv entries and is xld from the next */
INLINE void tile(const size_t width, const size_t nv, size_t rows, const double *restrict M, size_t ld, const double *restrict X,
                 size_t xld, v4 *restrict c)
{
    v4 s[2 * TILE] = {0};
    for (size_t i = 0; i < rows; i++)
        for (size_t q = 0; q < width; q++)
            for (size_t h = 0; h < nv; h++) s[q * nv + h] += M[i * ld + q] * ((const v4 *)(X + i * xld))[h];
    for (size_t q = 0; q < width * nv; q++) c[q] = s[q];
}

/* The rows x lanes of c that exist, to where rows are ld apart */
INLINE void put(const size_t nv, const v4 *c, size_t rows, size_t lanes, double *out, size_t ld)
{
    if (lanes >= 4 * nv)
        for (size_t q = 0; q < rows; q++) memcpy(out + q * ld, c + q * nv, nv * sizeof *c);
    else
        for (size_t q = 0; q < rows; q++)
            for (size_t l = 0; l < lanes; l++) out[q * ld + l] = ((const double *)(c + q * nv))[l];
}

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* ---- forward ------------------------------------------------------------------------------------------------------ */

static void grow(floor_run *f)
{
    size_t one = STAGES * f->m, capacity = f->capacity ? 2 * f->capacity : 32;
    double *Y = bench_alloc(capacity * one, sizeof *Y), *G = bench_alloc(capacity * one, sizeof *G);
    double *H = bench_alloc(capacity, sizeof *H);
    if (f->capacity) {
        memcpy(Y, f->Y, f->steps * one * sizeof *Y);
        memcpy(G, f->G, f->steps * one * sizeof *G);
        memcpy(H, f->H, f->steps * sizeof *H);
    }
    free(f->Y), free(f->G), free(f->H);
    f->Y = Y, f->G = G, f->H = H, f->capacity = capacity;
}

/* Y = y + h sum_(j<i) a_ij k_j, G = growth there, k_i = Y.G */
INLINE void stage(floor_run *f, const int i, double h, double *restrict Y, double *restrict G, const double *one)
{
    size_t m = f->m;
    const double *restrict y = f->y, *restrict k = f->k;
#pragma omp simd
    for (size_t q = 0; q < m; q++) {
        double sum = 0;
        for (size_t j = 0; j < (size_t)i; j++) sum += a[i][j] * k[j * m + q];
        Y[q] = y[q] + h * sum;
    }
    multiply(f->n, m, f->rows, Y, f->r, one, G);
    double *restrict ki = f->k + (size_t)i * m;
    for (size_t q = 0; q < m; q++) ki[q] = Y[q] * G[q];
}

/* One step of size h from f->y to ynew; the scaled error */
static double step(floor_run *f, double h, double tol, double *Y, double *G, const double *one, double *restrict ynew)
{
    size_t m = f->m;
    memcpy(Y, f->y, m * sizeof *Y);
    memcpy(G, f->g, m * sizeof *G);
    stage(f, 1, h, Y + m, G + m, one);
    stage(f, 2, h, Y + 2 * m, G + 2 * m, one);
    stage(f, 3, h, Y + 3 * m, G + 3 * m, one);
    stage(f, 4, h, Y + 4 * m, G + 4 * m, one);
    stage(f, 5, h, Y + 5 * m, G + 5 * m, one);
    stage(f, 6, h, ynew, f->g, one);
    f->rhs += STAGES;
    double sum = 0;
    const double *restrict k = f->k, *restrict y = f->y;
#pragma omp simd reduction(+ : sum)
    for (size_t q = 0; q < m; q++) {
        double d = 0;
        for (size_t j = 0; j <= STAGES; j++) d += e[j] * k[j * m + q];
        d *= h / (tol + tol * fmax(fabs(y[q]), fabs(ynew[q])));
        sum += d * d;
    }
    return sqrt(sum / (double)f->n);
}

/* From 0 to GLV_T1, everything kept; equal > 0: that many equal steps */
static void forward(floor_run *f, const bench_case *c, size_t equal, const double *one, double *ynew)
{
    size_t m = f->m;
    double t = 0, h = equal ? GLV_T1 / (double)equal : BENCH_H0;
    f->steps = 0;
    f->rhs = 1;
    for (size_t i = 0; i < f->n; i++) f->y[i] = c->y0[i];
    multiply(f->n, m, f->rows, f->y, f->r, one, f->g);
    for (size_t i = 0; i < m; i++) f->k[i] = f->y[i] * f->g[i];
    for (int last = 0; !last;) {
        if (f->steps == f->capacity) grow(f);
        last = equal ? f->steps == equal - 1 : t + 1.0000001 * h >= GLV_T1;
        if (last && !equal) h = GLV_T1 - t;
        double *Y = f->Y + f->steps * STAGES * m, *G = f->G + f->steps * STAGES * m;
        double err = step(f, h, c->tol, Y, G, one, ynew), factor = 0.9 * pow(err, -0.2);
        if (equal || err <= 1) {
            f->H[f->steps++] = h;
            t += h;
            memcpy(f->y, ynew, m * sizeof *ynew);
            memcpy(f->k, f->k + STAGES * m, m * sizeof *ynew);
        } else {
            memcpy(f->g, G, m * sizeof *G); /* the growth at the state that stays */
            last = 0;
        }
        if (!equal) h *= fmin(10, fmax(0.2, factor));
    }
}

/* ---- adjoint, one lane ---------------------------------------------------------------------------------------------- */

/* v = h (b_i lambda + sum_(j>i) a_ji u_j), w = y.v; lanes: entries of v per entry of y */
INLINE void seed(const size_t i, const size_t lanes, size_t m, double h, const double *restrict y, const double *restrict lambda,
                 const double *restrict u, double *restrict v, double *restrict w)
{
    for (size_t q = 0; q < m; q++)
#pragma omp simd
        for (size_t l = q * lanes; l < (q + 1) * lanes; l++) {
            double sum = b[i] * lambda[l];
            for (size_t j = i + 1; j < STAGES; j++) sum += a[j][i] * u[j * m * lanes + l];
            v[l] = h * sum;
            w[l] = y[q] * v[l];
        }
}

INLINE void seeds(size_t i, const size_t lanes, size_t m, double h, const double *y, const double *lambda, const double *u,
                  double *v, double *w)
{
    switch (i) {
    case 5: seed(5, lanes, m, h, y, lambda, u, v, w); break;
    case 4: seed(4, lanes, m, h, y, lambda, u, v, w); break;
    case 3: seed(3, lanes, m, h, y, lambda, u, v, w); break;
    case 2: seed(2, lanes, m, h, y, lambda, u, v, w); break;
    case 1: seed(1, lanes, m, h, y, lambda, u, v, w); break;
    default: seed(0, lanes, m, h, y, lambda, u, v, w);
    }
}

/* lambda += sum_i u_i */
static void collect(size_t count, const double *restrict u, double *restrict lambda)
{
#pragma omp simd
    for (size_t q = 0; q < count; q++)
        lambda[q] += ((u[q] + u[count + q]) + (u[2 * count + q] + u[3 * count + q])) + (u[4 * count + q] + u[5 * count + q]);
}

/* result: y0, r, A */
static void adjoint_one(floor_run *f, double *result)
{
    size_t n = f->n, m = f->m, stages = f->steps * STAGES;
    double *lambda = f->work, *v = lambda + m, *u = v + m, *r = result + n, *A = r + n;
    for (size_t i = 0; i < m; i++) lambda[i] = i < n;
    for (size_t s = stages; s-- > 0;) {
        size_t i = s % STAGES;
        double *w = f->W + s * m;
        seeds(i, 1, m, f->H[s / STAGES], f->Y + s * m, lambda, u, v, w);
        multiply(n, m, f->columns, w, f->G + s * m, v, u + i * m);
        if (i == 0) collect(m, u, lambda);
    }
    memcpy(result, lambda, n * sizeof *result);
    memset(r, 0, n * sizeof *r);
    for (size_t s = 0; s < stages; s++)
        for (size_t i = 0; i < n; i++) r[i] += f->W[s * m + i];
    v4 c[2 * TILE];
    for (size_t i = 0; i < n; i += TILE)
        for (size_t j = 0; j < n; j += 8) { /* eight columns of A are the lanes, or the last four */
            size_t rows = least(TILE, n - i);
            if (m - i >= TILE && m - j >= 8) tile(TILE, 2, stages, f->W + i, m, f->Y + j, m, c);
            else if (m - i >= TILE) tile(TILE, 1, stages, f->W + i, m, f->Y + j, m, c);
            else if (m - j >= 8) tile(4, 2, stages, f->W + i, m, f->Y + j, m, c);
            else tile(4, 1, stages, f->W + i, m, f->Y + j, m, c);
            if (m - j >= 8) put(2, c, rows, n - j, A + i * n + j, n);
            else put(1, c, rows, n - j, A + i * n + j, n);
        }
}

/* ---- adjoint, all final states --------------------------------------------------------------------------------------- */

/* lambda and W of the 4 nv objectives from `first` on */
INLINE void sweep_lanes(const size_t nv, floor_run *f, size_t first, double *lambda)
{
    const size_t lanes = 4 * nv;
    size_t n = f->n, m = f->m, block = m * lanes;
    double *v = lambda + block, *u = v + block;
    memset(lambda, 0, block * sizeof *lambda);
    for (size_t l = 0; l < lanes && first + l < n; l++) lambda[(first + l) * lanes + l] = 1;
    for (size_t s = f->steps * STAGES; s-- > 0;) {
        size_t i = s % STAGES;
        double *w = f->W + s * block;
        const double *g = f->G + s * m;
        seeds(i, lanes, m, f->H[s / STAGES], f->Y + s * m, lambda, u, v, w);
        for (size_t j = 0; j < m; j += TILE) {
            v4 *to = (v4 *)(u + i * block + j * lanes);
            size_t width = least(TILE, m - j);
            if (width == TILE) tile(TILE, nv, n, f->tiles + j * n, TILE, w, lanes, to);
            else tile(4, nv, n, f->tiles + j * n, 4, w, lanes, to);
            for (size_t q = 0; q < width * nv; q++) to[q] += g[j + q / nv] * ((const v4 *)(v + j * lanes))[q];
        }
        if (i == 0) collect(block, u, lambda);
    }
}

/* The columns of the result that belong to those objectives; Yt: the stage states in panels of TILE columns */
INLINE void adjoint_lanes(const size_t nv, floor_run *f, size_t first, const double *Yt, double *result)
{
    const size_t lanes = 4 * nv;
    size_t n = f->n, m = f->m, block = m * lanes, stages = f->steps * STAGES;
    double *lambda = f->work, *row = lambda + (2 + STAGES) * block, *to = result + first; /* row: W of one species */
    v4 c[2 * TILE];
    sweep_lanes(nv, f, first, lambda);
    put(nv, (const v4 *)lambda, n, n - first, to, n);
    for (size_t i = 0; i < n; i++) {
        v4 sum[2] = {0};
        for (size_t s = 0; s < stages; s++)
            for (size_t h = 0; h < nv; h++) {
                v4 w = ((const v4 *)(f->W + s * block + i * lanes))[h];
                ((v4 *)(row + s * lanes))[h] = w;
                sum[h] += w;
            }
        put(nv, sum, 1, n - first, to + (n + i) * n, n);
        for (size_t j = 0; j < n; j += TILE) {
            if (m - j >= TILE) tile(TILE, nv, stages, Yt + j * stages, TILE, row, lanes, c);
            else tile(4, nv, stages, Yt + j * stages, 4, row, lanes, c);
            put(nv, c, least(TILE, n - j), n - first, to + (2 * n + i * n + j) * n, n);
        }
    }
}

/* result: for every input (y0, r, A) the n final states side by side */
static void adjoint_all(floor_run *f, double *Yt, double *result)
{
    size_t n = f->n, m = f->m, stages = f->steps * STAGES;
    for (size_t j = 0; j < m; j += TILE)
        for (size_t s = 0; s < stages; s++) {
            size_t width = least(TILE, m - j);
            memcpy(Yt + j * stages + s * width, f->Y + s * m + j, width * sizeof *Yt);
        }
    for (size_t first = 0; first < n; first += LANES) {
        if (n - first > 4) adjoint_lanes(2, f, first, Yt, result);
        else adjoint_lanes(1, f, first, Yt, result);
    }
}

/* ---- the program ------------------------------------------------------------------------------------------------------- */

static floor_run open_run(const bench_case *c)
{
    size_t n = (size_t)c->n, m = (n + 3) / 4 * 4;
    floor_run f = {.n = n, .m = m};
    f.r = bench_alloc(m, sizeof(double));
    f.columns = bench_alloc(n * m, sizeof(double));
    f.rows = bench_alloc(n * m, sizeof(double));
    f.tiles = bench_alloc(n * m, sizeof(double));
    f.y = bench_alloc(m, sizeof(double));
    f.k = bench_alloc((STAGES + 1) * m, sizeof(double));
    f.g = bench_alloc(m, sizeof(double));
    memcpy(f.r, c->p, n * sizeof(double));
    return f;
}

static void close_run(floor_run *f)
{
    free(f->r), free(f->columns), free(f->rows), free(f->tiles), free(f->y), free(f->k), free(f->g);
    free(f->Y), free(f->G), free(f->H), free(f->W), free(f->work);
}

int main(int argc, char **argv)
{
    bench_case c = bench_open(argc, argv);
    int reference = c.method && !strcmp(c.method, "reference");
    size_t n = (size_t)c.n, room = 0, lanes = c.task == 'a' ? 1 : LANES;
    floor_run f = open_run(&c);
    double *result = bench_alloc(c.inputs * (size_t)c.seeds, sizeof *result);
    double *one = bench_alloc(2 * f.m, sizeof *one), *Yt = NULL; /* one: ones, and room for a new state */
    for (size_t i = 0; i < f.m; i++) one[i] = 1;

    for (int rep = -1; rep < c.reps && !(reference && rep == 0); rep++) {
        double began = bench_now();
        pack(n, f.m, c.p + n, 1, n, PANEL, f.rows);
        if (c.task == 'a') pack(n, f.m, c.p + n, n, 1, PANEL, f.columns);
        else pack(n, f.m, c.p + n, n, 1, TILE, f.tiles);
        forward(&f, &c, reference ? 1000 : 0, one, one + f.m);
        if (f.steps > room) {
            room = f.steps;
            free(f.W), free(f.work), free(Yt);
            f.W = bench_alloc(room * STAGES * f.m * lanes, sizeof *f.W);
            f.work = bench_alloc((2 + STAGES) * f.m * lanes + room * STAGES * lanes, sizeof *f.work);
            Yt = bench_alloc(room * STAGES * f.m, sizeof *Yt);
        }
        if (c.task == 'a') adjoint_one(&f, result);
        else adjoint_all(&f, Yt, result);
        if (rep >= 0) c.times[rep] = bench_now() - began;
    }

    bench_result r = {.peer = "floor", .method = "dopri5", .y = f.y, .result = result, .seed_stride = 1,
                      .input_stride = (size_t)c.seeds, .steps = (long)f.steps, .rhs = f.rhs,
                      .vjp = (long)f.steps * STAGES * ((c.seeds + LANES - 1) / LANES)};
    if (reference) bench_write_reference(&c, &r);
    else bench_report(&c, &r);
    close_run(&f);
    free(result), free(one), free(Yt);
    bench_close(&c);
    return 0;
}
