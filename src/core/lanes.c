/* lanes.c - see lanes.h */
#include "core/lanes.h"

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

/* Rows of one line each into a matrix that no cache holds: written past the caches, which need not read the lines first. 0: not done. */
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

/* In the order of cst__dblock_carve. */
size_t cst__dblock_doubles(const costate_solver *s, int w)
{
    size_t lanes = (size_t)w, nw = cst__pad((size_t)s->prob.n * lanes);
    return 5 * nw + cst__pad((size_t)s->prob.np * lanes) + cst__pad(s->fam->stage_doubles(s) * lanes) +
           2 * cst__pad((size_t)s->nobj * lanes) + cst__pad(s->fam->tangent_doubles(s) * lanes);
}

void cst__dblock_carve(const costate_solver *s, dblock *d, int w, double *at)
{
    size_t lanes = (size_t)w, nw = cst__pad((size_t)s->prob.n * lanes), qw = cst__pad((size_t)s->nobj * lanes);
    *d = (dblock){.w = w, .ydot = at, .ydotnew = at + nw, .fdot = at + 2 * nw, .fdotnew = at + 3 * nw, .dense = at + 4 * nw};
    d->pdot = d->own_pdot = at += 5 * nw;
    d->stages = at += cst__pad((size_t)s->prob.np * lanes);
    d->qdot = at += cst__pad(s->fam->stage_doubles(s) * lanes);
    d->qrow = at += qw;
    d->kdot = at + qw;
}

int cst__dblock_init(costate_solver *s, dblock *d)
{
    if (!s->d.init.fn.eval || !d->pdot) return 0;
    size_t nw = (size_t)s->prob.n * (size_t)d->w;
    TRY(s->d.init.fn.jvp(0, s->t0, NULL, s->p, d->w, NULL, NULL, d->pdot, d->fdot, s->d.init.data));
    for (size_t i = 0; i < nw; i++) d->ydot[i] += d->fdot[i];
    return 0;
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

void cst__dblock_accept(dblock *d)
{
    swap(&d->ydot, &d->ydotnew);
    swap(&d->fdot, &d->fdotnew);
    d->fdot_valid = d->fdotnew_valid;
    d->fdotnew_valid = 0;
}
