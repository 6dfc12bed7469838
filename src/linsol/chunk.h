/* chunk.h - triangular solves take the lanes of a block in chunks of W = 8, 4 or 1, copied to planes: plane[i*W + l] is row i
 * of lane l, and the imaginary parts of a complex chunk are a second plane behind the first. Rows are permuted on the way in
 * and out, where a back end pivots or orders.
 *
 * Kernels are written once, for entries that are real (z = 0) or complex (z = 1), and inlined with z and W constant: a row of
 * lanes is then one vector register. Lanes that only fill up a chunk are zero. */
#ifndef COSTATE_LINSOL_CHUNK_H
#define COSTATE_LINSOL_CHUNK_H

#include "base/alloc.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define CHUNK_INLINE static inline __attribute__((always_inline))

enum { CHUNK_MOST = 8 };

typedef double chunk_row8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef double chunk_row4 __attribute__((vector_size(32), aligned(8), may_alias));

/* F(z, W, ...) with z and W as constants. */
#define CHUNK_CALL_REAL(F, z, W, ...) ((W) == 8 ? F(z, 8, __VA_ARGS__) : (W) == 4 ? F(z, 4, __VA_ARGS__) : F(z, 1, __VA_ARGS__))
#define CHUNK_CALL(F, z, W, ...) ((z) ? CHUNK_CALL_REAL(F, 1, W, __VA_ARGS__) : CHUNK_CALL_REAL(F, 0, W, __VA_ARGS__))

/* Doubles between the planes of a chunk of W lanes, and doubles for any chunk. Not a power of two apart: that would set re and
 * im against each other in the cache. */
static inline size_t chunk_plane(int W, int n)
{
    return cst__pad((size_t)n) * (size_t)W + 8;
}

static inline size_t chunk_doubles(int n)
{
    return 2 * chunk_plane(CHUNK_MOST, n);
}

static inline int chunk_width(int lanes_left)
{
    return lanes_left > 4 ? 8 : lanes_left > 1 ? 4 : 1;
}

/* Plane row i = row order[i] (NULL: i) of lanes first, first + 1, ... of the block x of w lanes; im: the second plane. */
CHUNK_INLINE void chunk_load(int z, int W, int n, const int *order, int w, int first, const double *x, double *re, double *im)
{
    int lanes = w - first < W ? w - first : W, s = z + 1;
    for (int i = 0; i < n; i++) {
        const double *from = x + (size_t)s * ((size_t)(order ? order[i] : i) * (size_t)w + (size_t)first);
        double *r = re + (size_t)i * (size_t)W, *m = im + (size_t)i * (size_t)W;
        for (int l = 0; l < W; l++) {
            r[l] = l < lanes ? from[s * l] : 0;
            if (z) m[l] = l < lanes ? from[2 * l + 1] : 0;
        }
    }
}

/* The way back: row order[i] of the block = plane row i. */
CHUNK_INLINE void chunk_store(int z, int W, int n, const int *order, int w, int first, double *x, const double *re,
                              const double *im)
{
    int lanes = w - first < W ? w - first : W, s = z + 1;
    for (int i = 0; i < n; i++) {
        double *to = x + (size_t)s * ((size_t)(order ? order[i] : i) * (size_t)w + (size_t)first);
        const double *r = re + (size_t)i * (size_t)W, *m = im + (size_t)i * (size_t)W;
        for (int l = 0; l < lanes; l++) {
            to[s * l] = r[l];
            if (z) to[2 * l + 1] = m[l];
        }
    }
}

/* Row y -= (ar + i ai) row x; imaginary parts are `im` doubles behind the real ones, in x and in y. */
CHUNK_INLINE void chunk_sub(int z, int W, double ar, double ai, const double *x, size_t xim, double *y, size_t yim)
{
    if (W == 8) {
        chunk_row8 xr = *(const chunk_row8 *)x;
        if (z) {
            chunk_row8 xi = *(const chunk_row8 *)(x + xim);
            *(chunk_row8 *)y -= ar * xr - ai * xi;
            *(chunk_row8 *)(y + yim) -= ar * xi + ai * xr;
        } else *(chunk_row8 *)y -= ar * xr;
    } else if (W == 4) {
        chunk_row4 xr = *(const chunk_row4 *)x;
        if (z) {
            chunk_row4 xi = *(const chunk_row4 *)(x + xim);
            *(chunk_row4 *)y -= ar * xr - ai * xi;
            *(chunk_row4 *)(y + yim) -= ar * xi + ai * xr;
        } else *(chunk_row4 *)y -= ar * xr;
    } else {
        double xr = x[0], xi = z ? x[xim] : 0;
        if (z) {
            y[0] -= ar * xr - ai * xi;
            y[yim] -= ar * xi + ai * xr;
        } else y[0] -= ar * xr;
    }
}

/* Row y *= ar + i ai. */
CHUNK_INLINE void chunk_scale(int z, int W, double ar, double ai, double *y, size_t yim)
{
    for (int l = 0; l < W; l++) {
        double re = y[l], im = z ? y[yim + (size_t)l] : 0;
        y[l] = z ? ar * re - ai * im : ar * re;
        if (z) y[yim + (size_t)l] = ar * im + ai * re;
    }
}

CHUNK_INLINE void chunk_copy(int z, int W, const double *x, size_t xim, double *y, size_t yim)
{
    for (int l = 0; l < W; l++) {
        y[l] = x[l];
        if (z) y[yim + (size_t)l] = x[xim + (size_t)l];
    }
}

/* Sum over i < n of a[i] x[i]. Written out: what compilers make of the loop is two to three times slower. */
CHUNK_INLINE double chunk_dot(int n, const double *a, const double *x)
{
    chunk_row8 wide = {0};
    chunk_row4 sum = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) wide += *(const chunk_row8 *)(a + i) * *(const chunk_row8 *)(x + i);
    if (i + 4 <= n) {
        sum = *(const chunk_row4 *)(a + i) * *(const chunk_row4 *)(x + i);
        i += 4;
    }
    sum += *(const chunk_row4 *)&wide + *((const chunk_row4 *)&wide + 1);
    double s = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    for (; i < n; i++) s += a[i] * x[i];
    return s;
}

/* Rows 0 .. m-1 of y -= column (ar, ai) of m entries times row x. */
CHUNK_INLINE void chunk_column_sub(int z, int W, int m, const double *ar, const double *ai, const double *x, double *restrict y,
                                   size_t im)
{
    if (W == 1) {
        double xr = x[0], xi = z ? x[im] : 0;
#pragma omp simd
        for (int i = 0; i < m; i++) {
            y[i] -= z ? ar[i] * xr - ai[i] * xi : ar[i] * xr;
            if (z) y[im + (size_t)i] -= ar[i] * xi + ai[i] * xr;
        }
    } else
        for (int i = 0; i < m; i++) chunk_sub(z, W, ar[i], z ? ai[i] : 0, x, im, y + i * W, im);
}

/* Its transpose: row y -= column (ar, ai) of m entries times rows 0 .. m-1 of x, which are before y or `behind` it. The row next
 * to y was solved for last and so comes last: the others do not wait for it. */
CHUNK_INLINE void chunk_column_dot(int z, int W, int m, const double *ar, const double *ai, const double *x, int behind,
                                   double *restrict y, size_t im)
{
    if (W == 1) {
        y[0] -= z ? chunk_dot(m, ar, x) - chunk_dot(m, ai, x + im) : chunk_dot(m, ar, x);
        if (z) y[im] -= chunk_dot(m, ar, x + im) + chunk_dot(m, ai, x);
    } else {
        double acc[2 * CHUNK_MOST];
        chunk_copy(z, W, y, im, acc, CHUNK_MOST);
        for (int k = 0; k < m; k++) {
            int i = behind ? m - 1 - k : k;
            chunk_sub(z, W, ar[i], z ? ai[i] : 0, x + i * W, im, acc, CHUNK_MOST);
        }
        chunk_copy(z, W, acc, CHUNK_MOST, y, im);
    }
}

/* The same for a sparse column, entries first .. end-1 of (ar, ai) in rows row[]. None of them is the row that is read and kept
 * in registers, which compilers cannot know. */
CHUNK_INLINE void chunk_scatter(int z, int W, int first, int end, const int *row, const double *ar, const double *ai,
                                const double *x, double *y, size_t im)
{
    double kept[2 * CHUNK_MOST];
    chunk_copy(z, W, x, im, kept, CHUNK_MOST);
    for (int i = first; i < end; i++) chunk_sub(z, W, ar[i], z ? ai[i] : 0, kept, CHUNK_MOST, y + row[i] * W, im);
}

CHUNK_INLINE void chunk_gather(int z, int W, int first, int end, const int *row, const double *ar, const double *ai,
                               const double *x, double *y, size_t im)
{
    double acc[2 * CHUNK_MOST];
    chunk_copy(z, W, y, im, acc, CHUNK_MOST);
    for (int i = first; i < end; i++) chunk_sub(z, W, ar[i], z ? ai[i] : 0, x + row[i] * W, im, acc, CHUNK_MOST);
    chunk_copy(z, W, acc, CHUNK_MOST, y, im);
}

/* The largest of |a[i]|; NaN or infinity if there is one. Compared as whole numbers, by which NaN is largest, and which compilers
 * make vectors of. */
static inline double chunk_largest(size_t count, const double *a)
{
    int64_t most = 0, bits;
    for (size_t i = 0; i < count; i++) {
        memcpy(&bits, a + i, sizeof bits);
        bits &= INT64_MAX; /* the sign bit */
        most = bits > most ? bits : most;
    }
    double value;
    memcpy(&value, &most, sizeof value);
    return value;
}

/* 1 / (re + i im), scaled against overflow */
CHUNK_INLINE void chunk_reciprocal(int z, double *re, double *im)
{
    if (!z) *re = 1 / *re;
    else if (fabs(*re) >= fabs(*im)) {
        double q = *im / *re, d = *re + *im * q;
        *re = 1 / d;
        *im = -q / d;
    } else {
        double q = *re / *im, d = *re * q + *im;
        *re = q / d;
        *im = -1 / d;
    }
}

#endif
