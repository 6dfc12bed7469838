/* lanes.c - see lanes.h */
#include "solver/lanes.h"

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { LINE = 8, BEYOND_CACHES = 1 << 20 }; /* doubles */

void cst__block_load(lane_cut c, int b, size_t rows, const double *full, double *block)
{
    size_t w = (size_t)c.w, width = (size_t)cut_width(c, b), used = (size_t)cut_used(c, b);
    if (!full) memset(block, 0, rows * width * sizeof *block);
    else if (width == w) memcpy(block, full, rows * width * sizeof *block);
    else
        for (size_t i = 0; i < rows; i++) {
            memcpy(block + i * width, full + i * w + (size_t)(b * c.lanes), used * sizeof *block);
            memset(block + i * width + used, 0, (width - used) * sizeof *block);
        }
}

/* Rows of one line each into a matrix that no cache holds: written past the caches, which need not read the lines first. 0:
 * not done. */
static int store_lines(size_t rows, size_t w, const double *block, double *to)
{
#if defined(__SSE2__)
    if (rows * w < BEYOND_CACHES || w % LINE || (uintptr_t)to % (LINE * sizeof *to)) return 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < LINE; k += 2) _mm_stream_pd(to + i * w + k, _mm_loadu_pd(block + i * LINE + k));
    _mm_sfence();
    return 1;
#else
    (void)rows, (void)w, (void)block, (void)to;
    return 0;
#endif
}

/* Four to eight lanes: two moves of four, which may overlap. */
static inline void store_row(size_t used, const double *from, double *to)
{
    enum { HALF = LINE / 2 };
    if (used < HALF || used > LINE) {
        memcpy(to, from, used * sizeof *to);
        return;
    }
    memcpy(to, from, HALF * sizeof *to);
    memcpy(to + used - HALF, from + used - HALF, HALF * sizeof *to);
}

void cst__block_store(lane_cut c, int b, size_t rows, const double *block, double *full)
{
    size_t w = (size_t)c.w, width = (size_t)cut_width(c, b), used = (size_t)cut_used(c, b);
    double *to = full + (size_t)(b * c.lanes);
    if (width == w) memcpy(full, block, rows * width * sizeof *block);
    else if (used != LINE || width != LINE || !store_lines(rows, w, block, to))
        for (size_t i = 0; i < rows; i++) store_row(used, block + i * width, to + i * w);
}
