/* lanes.h - w lanes cut into blocks of at most option `lanes`, and the blocks of directions that a run carries along.
 *
 * All blocks have `lanes` lanes but the last, which is padded with lanes of zeros if more than half of it is used, and else is exact. */
#ifndef COSTATE_CORE_LANES_H
#define COSTATE_CORE_LANES_H

#include "core/solver.h"

typedef struct lane_cut {
    int blocks, lanes, w;
} lane_cut;

static inline lane_cut cut_lanes(const costate_solver *s, int w)
{
    int lanes = (int)s->opt.lanes;
    return (lane_cut){(w + lanes - 1) / lanes, lanes, w};
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

/* Directions carried along a run, block by block. */
typedef struct tangent {
    lane_cut cut;
    dblock *block;
    int control;      /* their errors steer the steps too */
    double *joint[2]; /* second order: state and the directions of the only block, in one piece; this step's and the next one's */
} tangent;

size_t cst__dblock_doubles(const costate_solver *s, int w); /* memory of one block */
void cst__dblock_carve(const costate_solver *s, dblock *d, int w, double *at);
int cst__dblock_init(costate_solver *s, dblock *d); /* ydot += y0_p pdot, when the problem has init */
void cst__dblock_accept(dblock *d);                 /* the step was accepted: what was new is now */

/* The joint state is [y | ydot], its stage data [stages | stages of the directions]; both parts begin on a line of their own. Directions that are recorded apart
 * from the states are all there is. */
static inline size_t joint_at(const costate_solver *s)
{
    return s->apart ? 0 : cst__pad(s->state);
}

static inline size_t joint_stages_at(const costate_solver *s)
{
    return s->apart ? 0 : cst__pad(s->fam->stage_doubles(s));
}

#endif
