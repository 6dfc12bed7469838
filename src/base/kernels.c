/* kernels.c - see kernels.h. A linear combination of up to twelve vectors is one loop whose number of terms the compiler
 * knows. */
#include "base/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 12, CHUNK = 256, LANES = 8, FEW = 15, TINY = 4 }; /* TINY, FEW: elements up to which vectors do not pay */

#define S1 c0 * v0[i]
#define S2 S1 + c1 * v1[i]
#define S3 S2 + c2 * v2[i]
#define S4 S3 + c3 * v3[i]
#define S5 S4 + c4 * v4[i]
#define S6 S5 + c5 * v5[i]
#define S7 S6 + c6 * v6[i]
#define S8 S7 + c7 * v7[i]
#define S9 S8 + c8 * v8[i]
#define S10 S9 + c9 * v9[i]
#define S11 S10 + c10 * v10[i]
#define S12 S11 + c11 * v11[i]
#define V1 const double c0 = c[0], *v0 = v[0];
#define V2 V1 const double c1 = c[1], *v1 = v[1];
#define V3 V2 const double c2 = c[2], *v2 = v[2];
#define V4 V3 const double c3 = c[3], *v3 = v[3];
#define V5 V4 const double c4 = c[4], *v4 = v[4];
#define V6 V5 const double c5 = c[5], *v5 = v[5];
#define V7 V6 const double c6 = c[6], *v6 = v[6];
#define V8 V7 const double c7 = c[7], *v7 = v[7];
#define V9 V8 const double c8 = c[8], *v8 = v[8];
#define V10 V9 const double c9 = c[9], *v9 = v[9];
#define V11 V10 const double c10 = c[10], *v10 = v[10];
#define V12 V11 const double c11 = c[11], *v11 = v[11];

/* Coefficients are locals, so that stores to out cannot be thought to change them. They are read one by one: a processor that
 * is to copy an array whose elements were just written waits until they are in the cache. */
#define CASE(LOOP, M)                                                                                                            \
    case M: {                                                                                                                    \
        V##M if (base)                                                                                                           \
        {                                                                                                                        \
            LOOP(i) out[i] = base[i] + (S##M);                                                                                   \
        }                                                                                                                        \
        else                                                                                                                     \
        {                                                                                                                        \
            LOOP(i) out[i] = S##M;                                                                                               \
        }                                                                                                                        \
        return;                                                                                                                  \
    }
#define CASES(LOOP)                                                                                                              \
    CASE(LOOP, 1) CASE(LOOP, 2) CASE(LOOP, 3) CASE(LOOP, 4) CASE(LOOP, 5) CASE(LOOP, 6)                                          \
    CASE(LOOP, 7) CASE(LOOP, 8) CASE(LOOP, 9) CASE(LOOP, 10) CASE(LOOP, 11) CASE(LOOP, 12)
#define PLAIN(i) for (size_t i = 0; i < n; i++)
#define VECTOR(i) _Pragma("omp simd") PLAIN(i)

__attribute__((noinline)) static void combine_some(size_t n, const double *base, int m, const double *c, const double *const *v,
                                                   double *out)
{
    switch (m) {
    case 0:
        if (!base) memset(out, 0, n * sizeof *out);
        else if (base != out) memcpy(out, base, n * sizeof *out);
        return;
        CASES(VECTOR)
    }
}

/* 1 .. TINY elements: a loop whose end is so near is unrolled and not made into vectors. */
__attribute__((noinline)) static void combine_tiny(size_t n, const double *base, int m, const double *c, const double *const *v,
                                                   double *out)
{
    if (n > TINY) __builtin_unreachable();
    switch (m) {
        CASES(PLAIN)
    }
}

void cst__combine(size_t n, const double *base, int m, const double *c, const double *const *v, double *out)
{
    while (m > MOST) {
        combine_some(n, base, MOST, c, v, out);
        base = out;
        m -= MOST;
        c += MOST;
        v += MOST;
    }
    if (n <= TINY && m > 0) combine_tiny(n, base, m, c, v, out);
    else combine_some(n, base, m, c, v, out);
}

/* In pieces that stay in the nearest cache. */
void cst__combine_and_add(size_t n, int m, const double *c, const double *const *v, double *out, int count,
                          const double *const *u, double *x)
{
    static const double one[MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double *part[MOST + 1];
    if (m > MOST + 1 || count > MOST) { /* more stages than any method of the library has */
        cst__combine(n, NULL, m, c, v, out);
        for (int k = 0; k < count; k++) cst__combine(n, x, 1, one, u + k, x);
        return;
    }
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t len = n - at < CHUNK ? n - at : CHUNK;
        for (int k = 0; k < m; k++) part[k] = v[k] + at;
        cst__combine(len, NULL, m, c, part, out + at);
        for (int k = 0; k < count; k++) part[k] = u[k] + at;
        cst__combine(len, x + at, count, one, part, x + at);
    }
}

/* Sums are kept in LANES partial sums by index, so that the order does not depend on the compiler's choice of vector length. */
static double gather(const double acc[LANES])
{
    return ((acc[0] + acc[4]) + (acc[1] + acc[5])) + ((acc[2] + acc[6]) + (acc[3] + acc[7]));
}

/* DBL_MIN: with atol = 0 a component that is and stays zero has no error. What does not need e is done before it comes, as an
 * iteration waits for its norm. */
static double error_few(size_t n, int m, const double *c, const double *const *v, const double *y, const double *ynew,
                        double rtol, const double *atol, const double *unit)
{
    double e[FEW], sum = 0, mean = 1 / (double)n;
    cst__combine(n, NULL, m, c, v, e);
    for (size_t i = 0; unit && i < n; i++) e[i] *= unit[i];
    for (size_t i = 0; i < n; i++) {
        double a = fabs(y[i]), b = fabs(ynew[i]), q = e[i] * (1 / (atol[i] + rtol * (a > b ? a : b) + DBL_MIN));
        sum += q * q + b * 0.0;
    }
    return isfinite(sum) ? sqrt(sum * mean) : NAN;
}

double cst__error_norm(size_t n, int m, const double *c, const double *const *v, const double *y, const double *ynew, double rtol,
                       const double *atol, const double *unit)
{
    double acc[LANES] = {0}, nan[LANES] = {0}, e[CHUNK];
    const double *part[64];
    if (n <= FEW) return error_few(n, m, c, v, y, ynew, rtol, atol, unit);
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t len = n - at < CHUNK ? n - at : CHUNK, i = 0;
        for (int k = 0; k < m; k++) part[k] = v[k] + at;
        cst__combine(len, NULL, m, c, part, e);
        for (size_t k = 0; unit && k < len; k++) e[k] *= unit[at + k];
        for (; i + LANES <= len; i += LANES)
#pragma omp simd
            for (size_t l = 0; l < LANES; l++) {
                double a = fabs(y[at + i + l]), b = fabs(ynew[at + i + l]);
                double q = e[i + l] / (atol[at + i + l] + rtol * (a > b ? a : b) + DBL_MIN);
                acc[l] += q * q;
                nan[l] += b * 0.0;
            }
        for (size_t l = 0; i < len; i++, l++) {
            double a = fabs(y[at + i]), b = fabs(ynew[at + i]);
            double q = e[i] / (atol[at + i] + rtol * (a > b ? a : b) + DBL_MIN);
            acc[l] += q * q;
            nan[l] += b * 0.0;
        }
    }
    double sum = gather(acc) + gather(nan);
    return isfinite(sum) ? sqrt(sum / (double)n) : NAN;
}

void cst__error_parts(size_t n, int m, const double *c, const double *const *v, const double *y, const double *ynew, double rtol,
                      const double *atol, const double *unit, double *whole, double *part)
{
    const size_t count = n < KERNEL_PARTS ? n : KERNEL_PARTS;
    const double *of[64];
    double sum = 0;
    for (size_t k = 0, at = 0, end; k < count; k++, at = end) {
        end = n * (k + 1) / count;
        for (int i = 0; i < m; i++) of[i] = v[i] + at;
        part[k] = cst__error_norm(end - at, m, c, of, y + at, ynew + at, rtol, atol + at, unit ? unit + at : NULL) *
                  sqrt((double)(end - at) / (double)n);
        sum += part[k] * part[k];
    }
    *whole = sqrt(sum);
}

double cst__error_norm_lanes(size_t n, int w, int m, const double *c, const double *const *v, const double *y, const double *ynew,
                             double rtol, const double *atol, const double *unit, const double *lane)
{
    double worst = 0, e[CHUNK], acc[64] = {0}, nan = 0;
    const double *part[64];
    const size_t lanes = (size_t)w, rows = CHUNK / lanes; /* as many as go at once */
    if (w == 1) return cst__error_norm(n, m, c, v, y, ynew, rtol, atol, unit) * (lane ? lane[0] : 1);
    for (size_t first = 0; first < n; first += rows) {
        const size_t count = n - first < rows ? n - first : rows, at = first * lanes;
        for (int k = 0; k < m; k++) part[k] = v[k] + at;
        cst__combine(count * lanes, NULL, m, c, part, e);
        for (size_t i = 0; i < count; i++)
            for (size_t l = 0; l < lanes; l++) {
                const size_t k = i * lanes + l;
                const double a = fabs(y[at + k]), b = fabs(ynew[at + k]), scale = unit ? unit[first + i] : 1;
                const double q = scale * e[k] / (atol[first + i] + rtol * (a > b ? a : b) + DBL_MIN);
                acc[l] += q * q;
                nan += b * 0.0;
            }
    }
    for (int l = 0; l < w; l++) {
        if (!isfinite(acc[l] + nan)) return NAN;
        const double size = lane ? acc[l] * lane[l] * lane[l] : acc[l];
        if (size > worst) worst = size;
    }
    return sqrt(worst / (double)n);
}

double cst__norm(size_t n, const double *x, const double *y, double rtol, const double *atol)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double q = x[i] / (atol[i] + rtol * fabs(y[i]) + DBL_MIN);
        sum += q * q;
    }
    return sqrt(sum / (double)n);
}

void cst__weights(size_t n, const double *y, double rtol, const double *atol, double *w)
{
    for (size_t i = 0; i < n; i++) w[i] = 1 / (atol[i] + rtol * fabs(y[i]) + DBL_MIN);
}

double cst__weighted_squares(size_t n, const double *w, const double *x)
{
    double acc[LANES] = {0}, rest = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
#pragma omp simd
        for (size_t l = 0; l < LANES; l++) acc[l] += (w[i + l] * x[i + l]) * (w[i + l] * x[i + l]);
    for (; i < n; i++) rest += (w[i] * x[i]) * (w[i] * x[i]);
    return n < LANES ? rest : gather(acc) + rest;
}

/* Sums of zeros, or NaN. Long ones have four times as many partial sums, so that additions need not wait for each other. */
int cst__all_finite(size_t n, const double *x)
{
    enum { MANY = 4 * LANES };
    double acc[LANES] = {0}, rest = 0;
    size_t i = 0;
    if (n >= CHUNK) {
        double many[MANY] = {0};
        for (; i + MANY <= n; i += MANY)
#pragma omp simd
            for (size_t l = 0; l < MANY; l++) many[l] += x[i + l] * 0.0;
        for (size_t l = 0; l < MANY; l++) acc[l % LANES] += many[l];
    }
    for (; i + LANES <= n; i += LANES)
#pragma omp simd
        for (size_t l = 0; l < LANES; l++) acc[l] += x[i + l] * 0.0;
    for (; i < n; i++) rest += x[i] * 0.0;
    return (n < LANES ? rest : gather(acc) + rest) == 0.0;
}

int cst__first_not_finite(size_t n, const double *x, int *i)
{
    for (size_t q = 0; q < n; q++)
        if (!isfinite(x[q])) {
            *i = (int)q;
            return 0;
        }
    return -1;
}

void cst__fill_nan(double *x, size_t count)
{
    for (size_t i = 0; x && i < count; i++) x[i] = NAN;
}

double cst__irregular(uint64_t key)
{
    uint64_t z = (key + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return 0.5 + (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
