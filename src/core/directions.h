/* directions.h - the blocks of directions that a run carries along. */
#ifndef COSTATE_CORE_DIRECTIONS_H
#define COSTATE_CORE_DIRECTIONS_H

#include "method/method.h"
#include "solver/lanes.h"

/* Directions carried along a run, block by block. */
typedef struct tangent tangent;
struct tangent {
    lane_cut cut;
    dblock *block;
    int (*load)(costate_solver *s, tangent *tg); /* a run begins: the directions at t0 into the blocks, from ydot and pdot */
    const double *given_ydot, *given_pdot;
    int control;      /* their errors steer the steps too */
    double *joint[2]; /* second order: state and the directions of the only block, in one piece; this step's and the next one's */
};

size_t cst__dblock_doubles(const costate_solver *s, int w); /* memory of one block */
void cst__dblock_carve(const costate_solver *s, dblock *d, int w, double *at);
/* Directions at t0, given those of y0: ydot += y0_p pdot, when the problem has init; then those of the history. */
int cst__dblock_init(costate_solver *s, dblock *d);
void cst__dblock_accept(dblock *d, int anew); /* the step was accepted: what was new is now; slopes are, unless anew */

/* The joint state is [state | ydot], its stage data [stages | stages of the directions]; both parts begin on a line of their own.
 * Directions that are recorded apart from the states are all there is. */
static inline size_t joint_at(const costate_solver *s)
{
    return s->apart ? 0 : cst__pad(s->state);
}

static inline size_t joint_stages_at(const costate_solver *s)
{
    return s->apart ? 0 : cst__pad(s->fam->stage_doubles(s));
}

#endif
