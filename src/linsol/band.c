/* band.c - linear solver "band": LU with partial pivoting within a band. Pivoting widens U to lower + upper diagonals; column j
 * of the factors holds U above and the multipliers of L below place lower + upper, and rows are exchanged as the elimination
 * goes along, as in LAPACK.
 *
 * Narrow bands are factored by our own code, where LAPACK would call BLAS for a handful of entries. Microseconds, n = 2000, own
 * / OpenBLAS 0.3.21:
 *     lower = upper     1         4          20         80           142
 *                       22 / 56   36 / 107   265 / 496  3110 / 3090  24500 / 18900
 * Solves are our own. */
#include "linsol/blas.h"
#include "linsol/chunk.h"
#include "linsol/lapack.h"
#include "linsol/room.h"
#include "linsol/pencil.h"

enum { WIDE = 64 }; /* diagonals below the main one from which on LAPACK is called */

typedef struct slot {
    int cplx;
    room lu;    /* rows x n, the imaginary parts in a second plane; reciprocals on the diagonal */
    int *pivot; /* row j was exchanged with row pivot[j] */
} slot;

typedef struct band {
    costate_allocator alloc;
    pencil map;
    int lower, upper, rows; /* rows = 2 lower + upper + 1 */
    double *work;           /* of a solve */
    int *pivots;            /* of all slots */
    room pairs;             /* of a complex matrix that LAPACK factors */
    int slots;
    slot slot[];
} band;

static void band_close(void *self)
{
    band *b = self;
    costate_allocator alloc = b->alloc;
    for (int i = 0; i < b->slots; i++) room_release(&b->slot[i].lu, &alloc);
    room_release(&b->pairs, &alloc);
    cst__release(&alloc, b->pivots);
    cst__release(&alloc, b->work);
    pencil_close(&b->map, &alloc);
    cst__release(&alloc, b);
}

static int band_open(void **self, const linsol_config *c)
{
    size_t n = (size_t)c->n, slots = (size_t)c->slots;
    band *b = cst__alloc(&c->alloc, 1, sizeof *b + slots * sizeof(slot));
    if (!b) return COSTATE_ERR_MEMORY;
    costate_pattern q = pencil_pattern(c);
    *b = (band){.alloc = c->alloc, .slots = c->slots, .lower = q.lower, .upper = q.upper};
    b->rows = 2 * b->lower + b->upper + 1;
    for (size_t i = 0; i < slots; i++) b->slot[i] = (slot){0};
    if (!pencil_band(&b->map, c, b->lower)) {
        b->work = cst__alloc(&c->alloc, chunk_doubles(c->n), sizeof(double));
        b->pivots = cst__alloc(&c->alloc, n * slots, sizeof(int));
    }
    if (!b->work || !b->pivots) {
        band_close(b);
        return COSTATE_ERR_MEMORY;
    }
    for (size_t i = 0; i < slots; i++) b->slot[i].pivot = b->pivots + n * i;
    *self = b;
    return 0;
}

CHUNK_INLINE void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

/* Column by column; `last` is the last column that a pivot row reaches so far. */
CHUNK_INLINE int factor(int z, const band *b, double *restrict a, double *restrict ai, int *pivot)
{
    const int n = b->map.n, diag = b->lower + b->upper;
    int last = 0;
    for (int j = 0; j < n; j++) {
        size_t at = (size_t)diag + (size_t)b->rows * (size_t)j, next = (size_t)b->rows - 1; /* to the same row, one column on */
        double *lr = a + at, *li = ai + at, most = 0;
        int m = n - 1 - j < b->lower ? n - 1 - j : b->lower, p = 0;
        for (int i = 0; i <= m; i++) {
            double v = fabs(lr[i]) + (z ? fabs(li[i]) : 0);
            if (v > most) {
                most = v;
                p = i;
            }
        }
        if (!(most > 0)) return LINSOL_SINGULAR;
        pivot[j] = j + p;
        if (last < j + b->upper + p) last = j + b->upper + p < n ? j + b->upper + p : n - 1;
        for (size_t c = 0; p && c <= (size_t)(last - j); c++) {
            swap(lr + c * next, lr + c * next + p);
            if (z) swap(li + c * next, li + c * next + p);
        }
        chunk_reciprocal(z, lr, li);
        double rr = lr[0], ri = z ? li[0] : 0;
        for (int i = 1; i <= m; i++) {
            double re = lr[i], im = z ? li[i] : 0;
            lr[i] = z ? re * rr - im * ri : re * rr;
            if (z) li[i] = re * ri + im * rr;
        }
        for (size_t c = 1; c <= (size_t)(last - j); c++) {
            double *cr = lr + c * next, *ci = li + c * next, ur = cr[0], ui = z ? ci[0] : 0;
#pragma omp simd
            for (int i = 1; i <= m; i++) {
                cr[i] -= z ? ur * lr[i] - ui * li[i] : ur * lr[i];
                if (z) ci[i] -= ur * li[i] + ui * lr[i];
            }
        }
    }
    return 0;
}

static int factor_wide(band *b, slot *s)
{
    const int n = b->map.n;
    const size_t size = b->map.size;
    double *a = s->lu.at, *pairs = b->pairs.at;
    int info;
    const int number = blas_calm();
    if (s->cplx) zgbtrf_(&n, &n, &b->lower, &b->upper, pairs, &b->rows, s->pivot, &info);
    else dgbtrf_(&n, &n, &b->lower, &b->upper, a, &b->rows, s->pivot, &info);
    blas_as_before(number);
    if (info > 0) return LINSOL_SINGULAR;
    for (size_t k = 0; s->cplx && k < size; k++) {
        a[k] = pairs[2 * k];
        a[k + size] = pairs[2 * k + 1];
    }
    for (int j = 0; j < n; j++) {
        double *d = a + (b->lower + b->upper) + (size_t)b->rows * (size_t)j;
        chunk_reciprocal(s->cplx, d, d + size);
        s->pivot[j]--; /* Fortran counts from 1 */
    }
    return 0;
}

static int band_factor(void *self, int i, int cplx, double re, double im, const double *jac)
{
    band *b = self;
    slot *s = &b->slot[i];
    int wide = b->lower >= WIDE, pairs = wide && cplx;
    size_t size = b->map.size;
    int st = room_for(&s->lu, &b->alloc, size * (cplx ? 2 : 1), sizeof(double));
    if (!st && pairs) st = room_for(&b->pairs, &b->alloc, 2 * size, sizeof(double));
    if (st) return st;
    s->cplx = cplx;
    st = pencil_form(&b->map, pairs ? 2 : 1, pairs ? 1 : cplx ? size : 0, re, im, jac, pairs ? b->pairs.at : s->lu.at);
    if (st) return st;
    if (wide) return factor_wide(b, s);
    double *a = s->lu.at;
    return cplx ? factor(1, b, a, a + size, s->pivot) : factor(0, b, a, a + size, s->pivot);
}

CHUNK_INLINE void exchange(int z, int W, int i, int k, double *x, size_t im)
{
    for (int l = 0; i != k && l < W; l++) {
        swap(x + i * W + l, x + k * W + l);
        if (z) swap(x + im + i * W + l, x + im + k * W + l);
    }
}

CHUNK_INLINE void solve_chunk(int z, int W, const band *b, const slot *s, int transposed, int w, int first, double *block)
{
    const int n = b->map.n, reach = b->lower + b->upper;
    const size_t im = chunk_plane(W, n);
    const double *a = (const double *)s->lu.at + reach; /* the diagonal of column 0 */
    double *x = b->work;
    chunk_load(z, W, n, NULL, w, first, block, x, x + im);
    for (int k = 0; k < 2 * n; k++) { /* all columns forward, then all of them backward: L, U or U^T, L^T */
        int back = k >= n, j = back ? 2 * n - 1 - k : k, upper = back != transposed;
        const double *ar = a + (size_t)b->rows * (size_t)j, *ai = ar + b->map.size;
        double *xj = x + j * W;
        if (upper) {
            int m = j < reach ? j : reach;
            if (transposed) chunk_column_dot(z, W, m, ar - m, ai - m, xj - m * W, 0, xj, im);
            chunk_scale(z, W, ar[0], z ? ai[0] : 0, xj, im);
            if (!transposed) chunk_column_sub(z, W, m, ar - m, ai - m, xj, xj - m * W, im);
        } else {
            int m = n - 1 - j < b->lower ? n - 1 - j : b->lower;
            if (transposed) chunk_column_dot(z, W, m, ar + 1, ai + 1, xj + W, 1, xj, im);
            exchange(z, W, j, s->pivot[j], x, im);
            if (!transposed) chunk_column_sub(z, W, m, ar + 1, ai + 1, xj, xj + W, im);
        }
    }
    chunk_store(z, W, n, NULL, w, first, block, x, x + im);
}

static int band_solve(void *self, int i, int transposed, int w, double *x)
{
    const band *b = self;
    const slot *s = &b->slot[i];
    for (int first = 0, W; first < w; first += W) {
        W = chunk_width(w - first);
        CHUNK_CALL(solve_chunk, s->cplx, W, b, s, transposed, w, first, x);
    }
    return 0;
}

const linsol_ops linsol_band = {
    .name = "band",
    .formats = 1 << COSTATE_BANDED,
    .open = band_open,
    .close = band_close,
    .factor = band_factor,
    .solve = band_solve,
};
