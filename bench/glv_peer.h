/* glv_peer.h - GLV products in the shape that other libraries ask for: Jacobians that are evaluated at a state and then applied
 * to one vector at a time. As fast as that allows: the growth s = r + A y is kept from the evaluation, A is read eight rows at
 * a time. */
#ifndef BENCH_GLV_PEER_H
#define BENCH_GLV_PEER_H

#include <stddef.h>

/* out += A^T b */
static inline void peer_add_transposed(size_t n, const double *restrict A, const double *restrict b, double *restrict out)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const double *restrict a = A + i * n, *restrict w = b + i;
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            out[j] += ((w[0] * a[j] + w[1] * a[j + n]) + (w[2] * a[j + 2 * n] + w[3] * a[j + 3 * n])) +
                      ((w[4] * a[j + 4 * n] + w[5] * a[j + 5 * n]) + (w[6] * a[j + 6 * n] + w[7] * a[j + 7 * n]));
    }
    for (; i < n; i++)
#pragma omp simd
        for (size_t j = 0; j < n; j++) out[j] += b[i] * A[i * n + j];
}

/* out = c f_y^T u, with b as scratch */
static inline void peer_jacobian_transposed(size_t n, const double *restrict p, const double *restrict y,
                                            const double *restrict s, const double *restrict u, double c, double *restrict b,
                                            double *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        b[i] = c * y[i] * u[i];
        out[i] = c * s[i] * u[i];
    }
    peer_add_transposed(n, p + n, b, out);
}

/* out = c f_p^T u */
static inline void peer_parameters_transposed(size_t n, const double *restrict y, const double *restrict u, double c,
                                              double *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        double b = c * y[i] * u[i], *restrict row = out + n + i * n;
        out[i] = b;
#pragma omp simd
        for (size_t j = 0; j < n; j++) row[j] = b * y[j];
    }
}

#endif
