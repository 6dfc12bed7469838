/* glv.c - generalized Lotka-Volterra and its derivative products. With s = r + A y, b = y.u (componentwise) and
 * sdot = rdot + Adot y + A ydot:
 *
 *     rhs      f = y.s
 *     jvp      fdot = ydot.s + y.sdot
 *     vjp      yb += s.u + A^T b,   rb += b,   Ab_ij += b_i y_j
 *     jvp2     fdd = ydot1.sdot2 + ydot2.sdot1 + y.(Adot1 ydot2 + Adot2 ydot1)
 *     vjp_dot  vjp along udot, and with z = ydot.u:
 *              ybdot += sdot.u + A^T z + Adot^T b,   rbdot += z,   Abdot_ij += z_i y_j + b_i ydot_j
 *
 * Nearly all of the time goes to three kernels: A x for one lane, the fused vjp for one lane, and `accumulate`, a small
 * matrix product that serves everything else. Lanes are taken in groups of at most 8, padded with zeros to 4 or 8. */
#include "glv.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef double v4 __attribute__((vector_size(32), may_alias));              /* in registers and scratch */
typedef double v4u __attribute__((vector_size(32), aligned(8), may_alias)); /* anywhere in memory */
typedef int64_t mask4 __attribute__((vector_size(32)));
typedef int64_t mask4u __attribute__((vector_size(32), aligned(8)));
#define AT(x) (*(const v4u *)(x))

enum {
    LANES = 8,   /* most lanes of a group */
    POINTS = 48, /* most points of a group in vjp_points: what the innermost cache holds for some 100 species */
#ifdef __AVX512VL__ /* 32 vector registers, or 16: a tile of 8 lanes holds half of them */
    TILE = 8
#else
    TILE = 4
#endif
};

/* ---- nominal values ----------------------------------------------------------------------------------------------- */

static double uniform(uint64_t *state) /* in (0, 1), splitmix64 */
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

void glv_defaults(int n, double *p, double *y0)
{
    uint64_t state = 42;
    double sigma = 0.5 / sqrt((double)n), *a = p + n;
    for (int i = 0; i < n; i++) p[i] = y0[i] = 0.1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) { /* Box-Muller */
            double u1 = uniform(&state), u2 = uniform(&state);
            double normal = sqrt(-2.0 * log(u1)) * cos(2.0 * M_PI * u2);
            *a++ = i == j ? -1.0 : sigma * normal;
        }
}

/* ---- one lane: groups of rows, vectors along the rows, n >= 4 -------------------------------------------------------- */

/* Where n = 4k + m with m > 0, the last vector of a row overlaps the one before; of x there only the last m entries count. */
INLINE void tail(size_t n, const double *x, v4 *t)
{
    static const int64_t keep[8] = {0, 0, 0, 0, -1, -1, -1, -1};
    *t = (v4)((mask4)AT(x + n - 4) & *(const mask4u *)(keep + n % 4));
}

/* The sums of the entries of c[0] .. c[3] */
INLINE void sum4(const v4 *c, v4 *sum)
{
    v4 a = __builtin_shufflevector(c[0], c[1], 0, 4, 2, 6) + __builtin_shufflevector(c[0], c[1], 1, 5, 3, 7);
    v4 b = __builtin_shufflevector(c[2], c[3], 0, 4, 2, 6) + __builtin_shufflevector(c[2], c[3], 1, 5, 3, 7);
    *sum = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/* out = A x for 4 or 8 rows; xt is the tail of x */
INLINE void dots(const size_t rows, size_t n, const double *A, const double *x, const v4 *xt, double *out)
{
    v4 c[8] = {0}, sum;
    size_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (size_t q = 0; q < rows; q++) c[q] += AT(A + q * n + j) * AT(x + j);
    if (j < n)
        for (size_t q = 0; q < rows; q++) c[q] += AT(A + q * n + n - 4) * *xt;
    for (size_t q = 0; q < rows; q += 4) {
        sum4(c + q, &sum);
        *(v4u *)(out + q) = sum;
    }
}

/* out = A x; the last group of rows overlaps the one before */
static void times(size_t n, const double *restrict A, const double *restrict x, double *restrict out)
{
    if (n < 4) {
        for (size_t i = 0; i < n; i++) {
            out[i] = 0;
            for (size_t j = 0; j < n; j++) out[i] += A[i * n + j] * x[j];
        }
        return;
    }
    v4 xt;
    tail(n, x, &xt);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) dots(8, n, A + i * n, x, &xt, out + i);
    for (; i < n; i += 4) {
        if (i + 4 > n) i = n - 4;
        dots(4, n, A + i * n, x, &xt, out + i);
    }
}

static void growth(size_t n, const double *restrict p, const double *restrict y, double *restrict s)
{
    times(n, p + n, y, s);
    for (size_t i = 0; i < n; i++) s[i] += p[i];
}

void glv_growth(int n, const double *p, const double *y, double *s)
{
    growth((size_t)n, p, y, s);
}

/* Four rows of A, read once for two purposes: sum = A y and t += A^T b. t has one vector for every vector of a row.
 * Volatile, because gcc would otherwise load twice what both need rather than spend a register on it. */
INLINE void fused4(size_t n, const double *A, const double *y, const v4 *yt, const v4 *b, v4 *restrict t, v4 *sum)
{
    v4 c[4] = {0}, a;
    size_t k = 0;
    double b4[4] = {(*b)[0], (*b)[1], (*b)[2], (*b)[3]};
    for (; k < n / 4; k++)
        for (size_t q = 0; q < 4; q++) {
            a = *(const volatile v4u *)(A + q * n + 4 * k);
            c[q] += a * AT(y + 4 * k);
            t[k] += a * b4[q];
        }
    if (n % 4)
        for (size_t q = 0; q < 4; q++) {
            a = *(const volatile v4u *)(A + q * n + n - 4);
            c[q] += a * *yt;
            t[k] += a * b4[q];
        }
    sum4(c, sum);
}

/* yb += s.u + A^T b, one lane. The last vectors of t and d overlap those before, as in the rows. */
static void vjp_one(size_t n, const double *p, const double *y, const double *u, double *restrict yb)
{
    const double *A = p + n;
    size_t full = n / 4, i;
    v4 t[full + 1], d[full + 1], yt, b, sum; /* t = A^T b, d = s.u */
    memset(t, 0, sizeof t);
    tail(n, y, &yt);
    for (size_t k = 0; k < full; k++) {
        i = 4 * k;
        b = AT(y + i) * AT(u + i);
        fused4(n, A + i * n, y, &yt, &b, t, &sum);
        d[k] = (AT(p + i) + sum) * AT(u + i);
    }
    if (n % 4) {
        i = n - 4;
        b = yt * AT(u + i); /* zero where the row was taken before */
        fused4(n, A + i * n, y, &yt, &b, t, &sum);
        d[full] = (AT(p + i) + sum) * AT(u + i) + t[full];
    }
    for (size_t k = 0; k < full; k++) *(v4u *)(yb + 4 * k) += t[k] + d[k];
    for (size_t l = 4 - n % 4; l < 4; l++) yb[n - 4 + l] += d[full][l];
}

/* ---- lanes --------------------------------------------------------------------------------------------------------- */

/* Lanes of the group that begins at lane l */
INLINE size_t group(size_t w, size_t l)
{
    return w - l < LANES ? w - l : LANES;
}

INLINE size_t vectors(size_t lanes)
{
    return (lanes + 3) / 4;
}

/* x = c u[0 .. lanes), padded with zeros to whole vectors; put together in registers, for scalar stores would have to drain
 * before a vector can be loaded from where they went */
INLINE void scale_lanes(size_t lanes, double c, const double *u, v4 *x)
{
    for (; lanes >= 4; lanes -= 4, u += 4) *x++ = c * AT(u);
    if (lanes) *x = c * (v4){u[0], lanes > 1 ? u[1] : 0, lanes > 2 ? u[2] : 0, 0};
}

INLINE void add_lanes(size_t lanes, const v4 *x, double *out)
{
    for (; lanes >= 4; lanes -= 4, out += 4) *(v4u *)out += *x++;
    for (size_t l = 0; l < lanes; l++) out[l] += (*x)[l];
}

/* out_j += sum_i M_ij X_i for the columns j = skip .. tile-1; rows of out are w apart */
INLINE void accumulate_tile(const size_t tile, const size_t nv, size_t rows, const double *restrict M, size_t along,
                            size_t across, const v4 *restrict X, size_t skip, double *restrict out, size_t w, size_t lanes)
{
    v4 c[2 * TILE] = {0};
    for (size_t i = 0; i < rows; i++)
        for (size_t q = 0; q < tile; q++) {
            double m = M[i * along + q * across];
            for (size_t h = 0; h < nv; h++) c[q * nv + h] += m * X[i * nv + h];
        }
    if (lanes == 4 * nv && !skip)
        for (size_t q = 0; q < tile; q++) add_lanes(4 * nv, c + q * nv, out + q * w);
    else
        for (size_t q = skip; q < tile; q++) add_lanes(lanes, c + q * nv, out + q * w);
}

/* out_j += sum_i M_ij X_i for all columns j, where M_ij = M[i*along + j*across]. Columns in tiles whose sums stay in
 * registers; the last tile overlaps the one before and adds only what is new. */
INLINE void accumulate_lanes(const size_t nv, size_t rows, size_t cols, const double *M, size_t along, size_t across, const v4 *X,
                             double *out, size_t w, size_t lanes)
{
    size_t j = 0;
    while (j < cols) {
        size_t tile = cols >= TILE && cols - j > 4 ? TILE : cols >= 4 ? 4 : 1;
        size_t at = j + tile > cols ? cols - tile : j, skip = j - at;
        const double *m = M + at * across;
        double *o = out + at * w;
        if (tile == TILE) accumulate_tile(TILE, nv, rows, m, along, across, X, skip, o, w, lanes);
        else if (tile == 4) accumulate_tile(4, nv, rows, m, along, across, X, skip, o, w, lanes);
        else accumulate_tile(1, nv, rows, m, along, across, X, skip, o, w, lanes);
        j = at + tile;
    }
}

static void accumulate(size_t nv, size_t rows, size_t cols, const double *M, size_t along, size_t across, const v4 *X,
                       double *out, size_t w, size_t lanes)
{
    if (nv == 2) accumulate_lanes(2, rows, cols, M, along, across, X, out, w, lanes);
    else accumulate_lanes(1, rows, cols, M, along, across, X, out, w, lanes);
}

/* ---- parameter part of vjp ------------------------------------------------------------------------------------------- */

/* rb += sum_k b_k, Ab_ij += sum_k (b_k)_i (y_k)_j, one lane: the columns j are the lanes of a matrix product. */
static void points_one(size_t points, size_t n, const double *const *y, const double *const *u, double *pb)
{
    size_t ld = n + 8; /* not a power of two */
    double b[points * ld];
    v4 Y[2 * POINTS];
    for (size_t k = 0; k < points; k++)
        for (size_t i = 0; i < n; i++) {
            b[k * ld + i] = y[k][i] * u[k][i];
            pb[i] += b[k * ld + i];
        }
    for (size_t j = 0, lanes; j < n; j += lanes) {
        lanes = n - j < LANES ? n - j : LANES;
        for (size_t k = 0; k < points; k++) scale_lanes(lanes, 1, y[k] + j, Y + k * vectors(lanes));
        accumulate(vectors(lanes), points, n, b, ld, 1, Y, pb + n + j, n, lanes);
    }
}

/* The same for a group of lanes at l, row by row; Y has the y_k as its rows, ld apart. */
INLINE void points_rows(const size_t lanes, size_t points, size_t n, const double *Y, size_t ld, size_t w, size_t l,
                        const double *const *u, double *pb)
{
    const size_t nv = vectors(lanes);
    v4 b[2 * POINTS];
    for (size_t i = 0; i < n; i++) {
        v4 sum[2] = {0};
        for (size_t k = 0; k < points; k++) {
            scale_lanes(lanes, Y[k * ld + i], u[k] + i * w + l, b + k * nv);
            for (size_t h = 0; h < nv; h++) sum[h] += b[k * nv + h];
        }
        add_lanes(lanes, sum, pb + i * w + l);
        accumulate(nv, points, n, Y, ld, 1, b, pb + (n + i * n) * w + l, w, lanes);
    }
}

static void points_lanes(size_t points, size_t n, const double *const *y, size_t w, const double *const *u, double *pb)
{
    size_t ld = n + 8;
    double Y[points * ld];
    for (size_t k = 0; k < points; k++) memcpy(Y + k * ld, y[k], n * sizeof *Y);
    for (size_t l = 0; l < w; l += LANES) {
        size_t lanes = group(w, l);
        if (lanes == 8) points_rows(8, points, n, Y, ld, w, l, u, pb);
        else if (lanes == 4) points_rows(4, points, n, Y, ld, w, l, u, pb);
        else if (lanes == 2) points_rows(2, points, n, Y, ld, w, l, u, pb);
        else points_rows(lanes, points, n, Y, ld, w, l, u, pb);
    }
}

/* ---- derivative products ---------------------------------------------------------------------------------------------- */

static size_t size(const void *data)
{
    return (size_t)((const glv *)data)->n;
}

static const double *from(const double *block, size_t l)
{
    return block ? block + l : NULL;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t;
    size_t n = size(data);
    times(n, p + n, y, f);
    for (size_t i = 0; i < n; i++) f[i] = y[i] * (p[i] + f[i]);
    return 0;
}

static int vjp_points(int points, const double *t, const double *const *y, const double *p, int w, const double *const *u,
                      double *pb, void *data)
{
    (void)t, (void)p;
    size_t n = size(data), W = (size_t)w, all = (size_t)points;
    size_t few = all / (all / POINTS + 1) + 1; /* groups of like size */
    for (size_t k = 0; k < all; k += few) {
        few = all - k < few ? all - k : few;
        if (W == 1) points_one(few, n, y + k, u + k, pb);
        else points_lanes(few, n, y + k, W, u + k, pb);
    }
    return 0;
}

/* yb += s.u + A^T b for a group of lanes */
INLINE void vjp_lanes(const size_t lanes, size_t n, const double *A, const double *y, const double *s, const double *u, size_t w,
                      double *yb)
{
    v4 b[2 * n], d[2];
    for (size_t i = 0; i < n; i++) {
        scale_lanes(lanes, y[i], u + i * w, b + i * vectors(lanes));
        scale_lanes(lanes, s[i], u + i * w, d);
        add_lanes(lanes, d, yb + i * w);
    }
    accumulate(vectors(lanes), n, n, A, n, 1, b, yb, w, lanes);
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    size_t n = size(data), W = (size_t)w;
    if (pb) vjp_points(1, &t, &y, p, w, &u, pb, data);
    if (!yb) return 0;
    if (W == 1 && n >= 4) {
        vjp_one(n, p, y, u, yb);
        return 0;
    }
    double s[n];
    growth(n, p, y, s);
    for (size_t l = 0, lanes; l < W; l += lanes) {
        lanes = group(W, l);
        if (lanes == 8) vjp_lanes(8, n, p + n, y, s, u + l, W, yb + l);
        else if (lanes == 4) vjp_lanes(4, n, p + n, y, s, u + l, W, yb + l);
        else if (lanes == 2) vjp_lanes(2, n, p + n, y, s, u + l, W, yb + l);
        else vjp_lanes(lanes, n, p + n, y, s, u + l, W, yb + l);
    }
    return 0;
}

/* S_i += sum_j Adot_ij x_j lane by lane; lane l of x_j is x[j*along + l*across], rows of S are `lanes` apart */
static void add_adot_times(size_t n, size_t w, size_t lanes, const double *adot, const double *x, size_t along, size_t across,
                           double *S)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l < lanes; l++) S[i * lanes + l] += adot[(i * n + j) * w + l] * x[j * along + l * across];
}

/* S = sdot = rdot + Adot y + A ydot for a group of lanes; rows of S are `lanes` apart */
static void sdot(size_t n, const double *p, const double *y, size_t w, size_t lanes, const double *ydot, const double *pdot,
                 double *S)
{
    memset(S, 0, n * lanes * sizeof *S);
    if (ydot && w == 1) times(n, p + n, ydot, S);
    else if (ydot) {
        v4 X[2 * n];
        for (size_t j = 0; j < n; j++) scale_lanes(lanes, 1, ydot + j * w, X + j * vectors(lanes));
        accumulate(vectors(lanes), n, n, p + n, 1, n, X, S, lanes, lanes);
    }
    if (!pdot) return;
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < lanes; l++) S[i * lanes + l] += pdot[i * w + l];
    add_adot_times(n, w, lanes, pdot + n * w, y, 1, 0, S);
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    (void)t, (void)tdot;
    size_t n = size(data), W = (size_t)w;
    double s[n], S[n * LANES];
    growth(n, p, y, s);
    for (size_t l = 0, lanes; l < W; l += lanes) {
        lanes = group(W, l);
        sdot(n, p, y, W, lanes, from(ydot, l), from(pdot, l), S);
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < lanes; q++)
                fdot[i * W + l + q] = (ydot ? ydot[i * W + l + q] * s[i] : 0) + y[i] * S[i * lanes + q];
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    (void)t, (void)tdot1, (void)tdot2;
    size_t n = size(data), W = (size_t)w;
    double S1[n * LANES], S2[n * LANES], Sdd[n * LANES];
    for (size_t l = 0, lanes; l < W; l += lanes) {
        lanes = group(W, l);
        sdot(n, p, y, W, lanes, from(ydot1, l), from(pdot1, l), S1);
        sdot(n, p, y, W, lanes, from(ydot2, l), from(pdot2, l), S2);
        memset(Sdd, 0, sizeof Sdd);
        if (pdot1 && ydot2) add_adot_times(n, W, lanes, pdot1 + n * W + l, ydot2 + l, W, 1, Sdd);
        if (pdot2 && ydot1) add_adot_times(n, W, lanes, pdot2 + n * W + l, ydot1 + l, W, 1, Sdd);
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < lanes; q++) {
                size_t at = i * W + l + q, in = i * lanes + q;
                fdd[at] = (ydot1 ? ydot1[at] * S2[in] : 0) + (ydot2 ? ydot2[at] * S1[in] : 0) + y[i] * Sdd[in];
            }
    }
    return 0;
}

/* The part of ybdot that does not come from udot, for the lane group at l: sdot.u + A^T z + Adot^T b */
static void ybdot_lanes(size_t n, const double *y, const double *p, size_t w, size_t lanes, const double *ydot,
                        const double *pdot, const double *u, double *ybdot)
{
    double S[n * LANES];
    sdot(n, p, y, w, lanes, ydot, pdot, S);
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < lanes; q++) ybdot[i * w + q] += S[i * lanes + q] * u[i * w + q];
    if (ydot) {
        v4 Z[2 * n];
        size_t nv = vectors(lanes);
        memset(Z, 0, sizeof Z);
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < lanes; q++) ((double *)(Z + i * nv))[q] = ydot[i * w + q] * u[i * w + q];
        accumulate(nv, n, n, p + n, n, 1, Z, ybdot, w, lanes);
    }
    if (!pdot) return;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t q = 0; q < lanes; q++)
                ybdot[j * w + q] += pdot[(n + i * n + j) * w + q] * (y[i] * u[i * w + q]);
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                   const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                   double *pbdot, void *data)
{
    (void)tdot;
    size_t n = size(data), W = (size_t)w;
    vjp(t, y, p, w, u, yb, pb, data);
    if (udot) vjp(t, y, p, w, udot, ybdot, pbdot, data);
    for (size_t l = 0; ybdot && l < W; l += LANES)
        ybdot_lanes(n, y, p, W, group(W, l), from(ydot, l), from(pdot, l), u + l, ybdot + l);
    if (!pbdot || !ydot) return 0;
    for (size_t i = 0; i < n; i++) {
        const double *ui = u + i * W, *zi = ydot + i * W;
        for (size_t l = 0; l < W; l++) pbdot[i * W + l] += zi[l] * ui[l];
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l < W; l++)
                pbdot[(n + i * n + j) * W + l] += ui[l] * (zi[l] * y[j] + y[i] * ydot[j * W + l]);
    }
    return 0;
}

costate_problem glv_problem(glv *model)
{
    return (costate_problem){.n = model->n,
                             .np = model->n * (model->n + 1),
                             .data = model,
                             .rhs = rhs,
                             .jvp = jvp,
                             .vjp = vjp,
                             .vjp_points = vjp_points,
                             .jvp2 = jvp2,
                             .vjp_dot = vjp_dot};
}
