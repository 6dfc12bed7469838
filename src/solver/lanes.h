/* lanes.h - w lanes cut into blocks of at most option `lanes`.
 *
 * All blocks have `lanes` lanes but the last, which is padded with lanes of zeros if more than half of it is used, and else
 * is exact. */
#ifndef COSTATE_SOLVER_LANES_H
#define COSTATE_SOLVER_LANES_H

#include "solver/solver.h"

typedef struct lane_cut {
    int blocks, lanes, w;
} lane_cut;

static inline lane_cut cut_lanes(const costate_solver *s, int w)
{
    int lanes = (int)s->opt.lanes;
    return (lane_cut){w / lanes + (w % lanes != 0), lanes, w};
}

static inline int cut_used(lane_cut c, int b) /* lanes of block b that carry something */
{
    return c.w - b * c.lanes < c.lanes ? c.w - b * c.lanes : c.lanes;
}

static inline int cut_width(lane_cut c, int b) /* lanes of block b */
{
    return 2 * cut_used(c, b) > c.lanes ? c.lanes : cut_used(c, b);
}

/* Copies block b out of, or back into, the caller's rows x w array. full NULL: zeros. */
void cst__block_load(lane_cut c, int b, size_t rows, const double *full, double *block);
void cst__block_store(lane_cut c, int b, size_t rows, const double *block, double *full);

#endif
