/* lane_rows.h - a row of w lanes, real ones (z = 0) or pairs (z = 1), and an entry of a matrix. Inlined with z and, for the usual
 * ones, the number of lanes known. */
#ifndef COSTATE_LINSOL_LANE_ROWS_H
#define COSTATE_LINSOL_LANE_ROWS_H

#include "linsol/chunk.h"

/* y -= a x; not the same rows */
CHUNK_INLINE void row_subtract(int z, int w, const double *a, const double *x, double *y)
{
    if (!z)
        for (int l = 0; l < w; l++) y[l] -= a[0] * x[l];
    else
        for (int l = 0; l < 2 * w; l += 2) {
            y[l] -= a[0] * x[l] - a[1] * x[l + 1];
            y[l + 1] -= a[0] * x[l + 1] + a[1] * x[l];
        }
}

/* x *= a */
CHUNK_INLINE void row_scale(int z, int w, const double *a, double *x)
{
    if (!z)
        for (int l = 0; l < w; l++) x[l] *= a[0];
    else
        for (int l = 0; l < 2 * w; l += 2) {
            double re = a[0] * x[l] - a[1] * x[l + 1];
            x[l + 1] = a[0] * x[l + 1] + a[1] * x[l];
            x[l] = re;
        }
}

/* y += |a| |x|, parts of pairs being lanes of their own */
CHUNK_INLINE void row_enlarge(int z, int w, const double *a, const double *x, double *y)
{
    const double large = z ? fabs(a[0]) + fabs(a[1]) : fabs(a[0]);
    for (int l = 0; l < w << z; l++) y[l] += large * fabs(x[l]);
}

#define LANES(F, z, w, ...)                                                                                                      \
    ((z) ? ((w) == 1 ? F(1, 1, __VA_ARGS__) : F(1, w, __VA_ARGS__))                                                              \
     : (w) == 1 ? F(0, 1, __VA_ARGS__)                                                                                           \
     : (w) == 2 ? F(0, 2, __VA_ARGS__)                                                                                           \
     : (w) == 4 ? F(0, 4, __VA_ARGS__)                                                                                           \
     : (w) == 8 ? F(0, 8, __VA_ARGS__)                                                                                           \
                : F(0, w, __VA_ARGS__))

enum { LANES_SUMMED = 8 }; /* doubles of a row that are summed in registers */

#endif
