/* lu.c - P A = L U with pivots on the diagonal where they are not too small, else with the largest of the column.
 *
 * The diagonal is preferred for the sake of small components: in A = shift I - J of a kinetic system every column is nearly
 * dominated by its diagonal, and elimination along it gives each component its own relative accuracy. Pivots off the diagonal mix
 * rows, and with them the round-off of components of 1e12 into those of 1e-30. In CBM-IV at sunrise that is an error of 1e31
 * tolerances, against 3e-12 along the diagonal, and many a step that is rejected for nothing. LAPACK knows no such preference.
 *
 * Up to LU_OWN rows by our own code: panels of four columns, then every column to the right is updated by the four in one pass.
 * Above, by LAPACK. Microseconds, own / OpenBLAS 0.3.21, one thread of a Zen 4, gcc 12:
 *     n                 8            32           64           128
 *     factor, real      0.09 / 0.31  2.1 / 4.7    12 / 20      97 / 92
 *     factor, complex   0.17 / 0.46  6.4 / 7.1    40 / 34      340 / 200
 * Solves are our own for every n, as LAPACK's want the lanes apart, and BLAS's triangular solves from the right (lanes
 * innermost) are no faster:
 *     n                 32           150          1000
 *     w = 1             0.43 / 1.3   3.4 / 20     143 / 720
 *     w = 1, transposed 0.70 / 1.3   5.2 / 20     154 / 720
 *     w = 8             1.2 / 2.2    18 / 24      860 / 907
 *     w = 8, complex    2.1 / 3.7    40 / 50      1800 / 2900
 * Few rows are unrolled, one for every n: for w = 1 and n = 3, 8, 12 a solution takes 0.013, 0.030 and 0.045, where loops take
 * 0.028, 0.090 and 0.14, transposed 0.036, 0.13 and 0.22. */
#include "linsol/lu.h"

#include "linsol/blas.h"
#include "linsol/chunk.h"
#include "linsol/lapack.h"
#include "linsol/linsol.h"

#include <math.h>

enum { PANEL = 4, FEW_MOST = 12 }; /* columns of a panel; rows up to which real solutions are unrolled */

/* Cases of a switch over n that return F(n, ...), F being inlined with n as a constant: what it works on stays in registers. */
#define FEW(F, ...)                                                                                                              \
    case 1: return F(1, __VA_ARGS__);                                                                                            \
    case 2: return F(2, __VA_ARGS__);                                                                                            \
    case 3: return F(3, __VA_ARGS__);                                                                                            \
    case 4: return F(4, __VA_ARGS__);                                                                                            \
    case 5: return F(5, __VA_ARGS__);                                                                                            \
    case 6: return F(6, __VA_ARGS__);                                                                                            \
    case 7: return F(7, __VA_ARGS__);                                                                                            \
    case 8: return F(8, __VA_ARGS__);
#define FEW_MORE(F, ...)                                                                                                         \
    FEW(F, __VA_ARGS__)                                                                                                          \
    case 9: return F(9, __VA_ARGS__);                                                                                            \
    case 10: return F(10, __VA_ARGS__);                                                                                          \
    case 11: return F(11, __VA_ARGS__);                                                                                          \
    case 12: return F(12, __VA_ARGS__);

#define LARGE_U 100 /* times the largest entry of A, as in klu.c */

CHUNK_INLINE int pivot_row(int z, int n, int k, const double *re, const double *im, double keep, int *relaxed)
{
    int p = k;
    double most = 0;
    for (int i = k; i < n; i++) {
        double v = fabs(re[i]) + (z ? fabs(im[i]) : 0);
        if (v > most) {
            most = v;
            p = i;
        }
    }
    if (p == k || fabs(re[k]) + (z ? fabs(im[k]) : 0) < keep * most) return most > 0 ? p : -1;
    *relaxed = 1;
    return k;
}

CHUNK_INLINE void swap_rows(int n, int i, int k, double *a)
{
    for (int j = 0; j < n; j++) {
        double t = a[i + n * j];
        a[i + n * j] = a[k + n * j];
        a[k + n * j] = t;
    }
}

/* Columns k0 .. end-1, one by one, all that is to the left of them being done. */
CHUNK_INLINE int factor_panel(int z, int n, int k0, int end, double *restrict a, double *restrict b, int *order, double keep,
                              int *relaxed)
{
    for (int k = k0; k < end; k++) {
        double *lr = a + n * k, *li = b + n * k;
        int p = pivot_row(z, n, k, lr, li, keep, relaxed);
        if (p < 0) return LINSOL_SINGULAR;
        if (p != k) {
            swap_rows(n, p, k, a);
            if (z) swap_rows(n, p, k, b);
            int t = order[p];
            order[p] = order[k];
            order[k] = t;
        }
        chunk_reciprocal(z, lr + k, li + k);
        double rr = lr[k], ri = z ? li[k] : 0;
#pragma omp simd
        for (int i = k + 1; i < n; i++) {
            double re = lr[i], im = z ? li[i] : 0;
            lr[i] = z ? re * rr - im * ri : re * rr;
            if (z) li[i] = re * ri + im * rr;
        }
        for (int j = k + 1; j < end; j++) {
            double *cr = a + n * j, *ci = b + n * j, ur = cr[k], ui = z ? ci[k] : 0;
#pragma omp simd
            for (int i = k + 1; i < n; i++) {
                cr[i] -= z ? ur * lr[i] - ui * li[i] : ur * lr[i];
                if (z) ci[i] -= ur * li[i] + ui * lr[i];
            }
        }
    }
    return 0;
}

/* Column c -= the panel's four columns of L times the four entries of U that it gets from them. */
CHUNK_INLINE void update_column(int z, int n, int k0, const double *restrict a, const double *restrict b, double *restrict cr,
                                double *restrict ci)
{
    const double *a0 = a + n * k0, *a1 = a0 + n, *a2 = a1 + n, *a3 = a2 + n;
    const double *b0 = b + n * k0, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
    double u[PANEL], v[PANEL] = {0};
    for (int q = 0; q < PANEL; q++) {
        double s = cr[k0 + q], t = z ? ci[k0 + q] : 0;
        for (int o = 0; o < q; o++) {
            double re = a0[n * o + k0 + q], im = z ? b0[n * o + k0 + q] : 0;
            s -= z ? re * u[o] - im * v[o] : re * u[o];
            if (z) t -= re * v[o] + im * u[o];
        }
        cr[k0 + q] = u[q] = s;
        if (z) ci[k0 + q] = v[q] = t;
    }
#pragma omp simd
    for (int i = k0 + PANEL; i < n; i++) {
        double s = u[0] * a0[i] + u[1] * a1[i] + u[2] * a2[i] + u[3] * a3[i];
        if (z) {
            s -= v[0] * b0[i] + v[1] * b1[i] + v[2] * b2[i] + v[3] * b3[i];
            ci[i] -= u[0] * b0[i] + u[1] * b1[i] + u[2] * b2[i] + u[3] * b3[i] + v[0] * a0[i] + v[1] * a1[i] + v[2] * a2[i] +
                     v[3] * a3[i];
        }
        cr[i] -= s;
    }
}

CHUNK_INLINE int factor(int z, int n, double *restrict a, double *restrict b, int *order, double keep, int *relaxed)
{
    for (int i = 0; i < n; i++) order[i] = i;
    for (int k = 0; k < n; k += PANEL) {
        int end = k + PANEL < n ? k + PANEL : n, st = factor_panel(z, n, k, end, a, b, order, keep, relaxed);
        if (st) return st;
        for (int j = end; j < n; j++) update_column(z, n, k, a, b, a + n * j, b + n * j);
    }
    return 0;
}

CHUNK_INLINE int factor_few(int n, int z, double *a, int *order, double keep, int *relaxed)
{
    for (int i = 0; i < n; i++) order[i] = i;
    return factor_panel(z, n, 0, n, a, a + n * n, order, keep, relaxed);
}

static int factor_own(int cplx, int n, double *a, int *order, double keep, int *relaxed)
{
    double *b = a + n * n;
    if (cplx) switch (n) { FEW(factor_few, 1, a, order, keep, relaxed) }
    else switch (n) { FEW(factor_few, 0, a, order, keep, relaxed) }
    return cplx ? factor(1, n, a, b, order, keep, relaxed) : factor(0, n, a, b, order, keep, relaxed);
}

/* LAPACK's factors as ours: row exchanges as an order, reciprocals on the diagonal. */
static void finish(int cplx, int n, double *lu, const int *swaps, int *order)
{
    size_t step = (size_t)n + 1;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = 0; i < n; i++) {
        int k = swaps[i] - 1, t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (size_t i = 0; i < (size_t)n; i++) chunk_reciprocal(cplx, lu + i * step, lu + (size_t)n * (size_t)n + i * step);
}

/* Has U entries much larger than A's? Its diagonal is there as reciprocals. */
static int grown(int cplx, int n, const double *lu, double largest)
{
    const double most = LARGE_U * largest;
    size_t plane = (size_t)n * (size_t)n;
    for (size_t j = 0; j < (size_t)n; j++) {
        const double *re = lu + j * (size_t)n, *im = re + plane;
        if ((fabs(re[j]) + (cplx ? fabs(im[j]) : 0)) * most < 1) return 1;
        if (chunk_largest(j, re) > most || (cplx && chunk_largest(j, im) > most)) return 1;
    }
    return 0;
}

int lu_factor(int cplx, int n, double *a, double *pairs, int *swaps, int *order, double keep)
{
    size_t size = (size_t)n * (size_t)n;
    if (n <= LU_OWN) {
        int relaxed = 0;
        double largest = keep < 1 ? chunk_largest(cplx ? 2 * size : size, a) : 0;
        int st = factor_own(cplx, n, a, order, keep, &relaxed);
        return st ? st : relaxed && grown(cplx, n, a, largest) ? LU_GROWN : 0;
    }
    int info;
    const int number = blas_calm();
    if (cplx) zgetrf_(&n, &n, pairs, &n, swaps, &info);
    else dgetrf_(&n, &n, a, &n, swaps, &info);
    blas_as_before(number);
    if (info > 0) return LINSOL_SINGULAR;
    for (size_t k = 0; cplx && k < size; k++) {
        a[k] = pairs[2 * k];
        a[k + size] = pairs[2 * k + 1];
    }
    finish(cplx, n, a, swaps, order);
    return 0;
}

CHUNK_INLINE void solve_chunk(int z, int W, int n, const double *a, const int *order, int transposed, int w, int first,
                              double *block, double *x)
{
    const size_t ld = (size_t)n, im = chunk_plane(W, n);
    const double *b = a + ld * ld;
    chunk_load(z, W, n, transposed ? NULL : order, w, first, block, x, x + im);
    if (transposed) { /* U^T, then L^T */
        for (int j = 0; j < n; j++) {
            const double *ar = a + ld * (size_t)j, *ai = b + ld * (size_t)j;
            double *y = x + j * W;
            chunk_column_dot(z, W, j, ar, ai, x, 0, y, im);
            chunk_scale(z, W, ar[j], z ? ai[j] : 0, y, im);
        }
        for (int j = n - 1; j >= 0; j--) {
            const double *ar = a + ld * (size_t)j, *ai = b + ld * (size_t)j;
            chunk_column_dot(z, W, n - 1 - j, ar + j + 1, ai + j + 1, x + (j + 1) * W, 1, x + j * W, im);
        }
    } else { /* L, then U */
        for (int j = 0; j < n; j++) {
            const double *ar = a + ld * (size_t)j, *ai = b + ld * (size_t)j;
            chunk_column_sub(z, W, n - 1 - j, ar + j + 1, ai + j + 1, x + j * W, x + (j + 1) * W, im);
        }
        for (int j = n - 1; j >= 0; j--) {
            const double *ar = a + ld * (size_t)j, *ai = b + ld * (size_t)j;
            chunk_scale(z, W, ar[j], z ? ai[j] : 0, x + j * W, im);
            chunk_column_sub(z, W, j, ar, ai, x + j * W, x, im);
        }
    }
    chunk_store(z, W, n, transposed ? order : NULL, w, first, block, x, x + im);
}

typedef struct number { /* im only where entries are complex */
    double re, im;
} number;

/* s - a y and a s; the imaginary part of a is `plane` doubles behind its real one. */
CHUNK_INLINE number less(int z, number s, const double *a, int plane, number y)
{
    if (!z) return (number){s.re - *a * y.re, 0};
    return (number){s.re - (*a * y.re - a[plane] * y.im), s.im - (*a * y.im + a[plane] * y.re)};
}

CHUNK_INLINE number times(int z, const double *a, int plane, number s)
{
    if (!z) return (number){*a * s.re, 0};
    return (number){*a * s.re - a[plane] * s.im, *a * s.im + a[plane] * s.re};
}

/* One lane of few rows, each solved for when those before it are. Rows of the factors are columns of their transposes. */
CHUNK_INLINE int solve_few(int n, int z, int transposed, const double *a, const int *order, double *x)
{
    const int row = transposed ? n : 1, column = transposed ? 1 : n, size = n * n;
    number y[FEW_MOST];
#pragma GCC unroll 12
    for (int i = 0; i < n; i++) {
        const double *from = x + (z + 1) * (transposed ? i : order[i]);
        number s = {from[0], z ? from[1] : 0};
#pragma GCC unroll 12
        for (int j = 0; j < i; j++) s = less(z, s, a + row * i + column * j, size, y[j]);
        y[i] = transposed ? times(z, a + (n + 1) * i, size, s) : s;
    }
#pragma GCC unroll 12
    for (int i = n - 1; i >= 0; i--) {
        double *to = x + (z + 1) * (transposed ? order[i] : i);
        number s = y[i];
#pragma GCC unroll 12
        for (int j = n - 1; j > i; j--) s = less(z, s, a + row * i + column * j, size, y[j]);
        y[i] = transposed ? s : times(z, a + (n + 1) * i, size, s);
        to[0] = y[i].re;
        if (z) to[1] = y[i].im;
    }
    return 1;
}

/* 0: too many rows, nothing is done. By themselves, as their registers are not those of solve_chunks. */
static int solve_real(int n, const double *lu, const int *order, int transposed, double *x)
{
    if (transposed) switch (n) { FEW_MORE(solve_few, 0, 1, lu, order, x) }
    else switch (n) { FEW_MORE(solve_few, 0, 0, lu, order, x) }
    return 0;
}

static int solve_complex(int n, const double *lu, const int *order, int transposed, double *x)
{
    if (transposed) switch (n) { FEW(solve_few, 1, 1, lu, order, x) }
    else switch (n) { FEW(solve_few, 1, 0, lu, order, x) }
    return 0;
}

static void solve_chunks(int cplx, int n, const double *lu, const int *order, int transposed, int w, double *block, double *work)
{
    for (int first = 0, W; first < w; first += W) {
        W = chunk_width(w - first);
        CHUNK_CALL(solve_chunk, cplx, W, n, lu, order, transposed, w, first, block, work);
    }
}

void lu_solve(int cplx, int n, const double *lu, const int *order, int transposed, int w, double *block, double *work)
{
    int done = w > 1 ? 0 : cplx ? solve_complex(n, lu, order, transposed, block) : solve_real(n, lu, order, transposed, block);
    if (!done) solve_chunks(cplx, n, lu, order, transposed, w, block, work);
}
