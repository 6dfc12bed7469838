/* sparsity_apply.c - a matrix of a given pattern times a block of lanes. */
#include "base/sparsity.h"

#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

typedef double eight __attribute__((vector_size(64), aligned(8), may_alias)); /* anywhere among doubles */

/* y += a x */
INLINE void add(int n, double a, const double *restrict x, double *restrict y)
{
    if (n == 8) *(eight *)y += a * *(const eight *)x;
    else
        for (ptrdiff_t l = 0; l < n; l++) y[l] += a * x[l];
}

static double dot(int n, const double *x, const double *y)
{
    eight sum = {0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8) sum += *(const eight *)(x + i) * *(const eight *)(y + i);
    for (ptrdiff_t l = 0; i < n; i++, l++) sum[l] += x[i] * y[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* out += column times x, for w lanes; v are the column's values */
INLINE void add_column(pattern_column c, const double *v, int w, const double *x, double *out)
{
    if (c.rows)
        for (ptrdiff_t k = 0; k < c.count; k++) add(w, v[k], x, out + (ptrdiff_t)c.rows[k] * w);
    else if (w == 1) add(c.count, *x, v, out + c.first);
    else
        for (ptrdiff_t k = 0; k < c.count; k++) add(w, v[k], x, out + (c.first + k) * w);
}

/* out += column^T x */
INLINE void dot_column(pattern_column c, const double *v, int w, const double *x, double *out)
{
    if (c.rows)
        for (ptrdiff_t k = 0; k < c.count; k++) add(w, v[k], x + (ptrdiff_t)c.rows[k] * w, out);
    else if (w == 1) *out += dot(c.count, v, x + c.first);
    else
        for (ptrdiff_t k = 0; k < c.count; k++) add(w, v[k], x + (c.first + k) * w, out);
}

INLINE void apply(const costate_pattern *q, int n, const double *values, int transposed, int w, const double *x, double *out)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        pattern_column c = pattern_entries(q, n, (int)i);
        if (transposed) dot_column(c, values + c.at, w, x, out + i * w);
        else add_column(c, values + c.at, w, x + i * w, out);
    }
}

/* The usual numbers of lanes are known to the compiler. */
void pattern_apply(const costate_pattern *q, int n, const double *values, int transposed, int w, const double *x, double *out)
{
    if (w == 1) apply(q, n, values, transposed, 1, x, out);
    else if (w == 8) apply(q, n, values, transposed, 8, x, out);
    else apply(q, n, values, transposed, w, x, out);
}
