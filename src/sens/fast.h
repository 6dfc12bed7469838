/* fast.h - are the derivatives of an explicit run those of its problem? Along the solution what is fast has died out, of the
 * state as of its derivatives, up to the tolerance. A method at the limit of its stability does not damp it, or lets it grow, in
 * derivatives without anybody noticing. */
#ifndef COSTATE_SENS_FAST_H
#define COSTATE_SENS_FAST_H

#include "core/driver.h"

/* The part that modes as fast as |lambda| = speed have in the n x w block x at (t, y): directions, or (transposed) adjoints. It
 * is added to solver.fast_part, the largest of all lanes. 0, or COSTATE_ERR_MEMORY. */
int cst__fast_measure(costate_solver *s, int transposed, double speed, double t, const double *y, int w, const double *x);
/* At the end of a sweep or a tangent run of an explicit method, where nothing was seen on the way: modes that are at rest in the
 * solution show in no step, but in what becomes of derivatives. Block x that is enormous beside `size`, one number a lane (NULL:
 * not known), is measured at the speed that the longest step bears. */
int cst__fast_explodes(costate_solver *s, int transposed, double t, const double *y, int w, const double *x, const double *size);
void cst__fast_judge(costate_solver *s); /* at the end of a call: costate_stats.warning by what was measured */

#endif
