/* event_back.h - events on the way back: (E2) - (E4) of core/events.h, and their derivatives along a direction.
 *
 * kappa is needed before the step, and its derivative only after it:
 *
 *     kappadot = -(nudot + kappa e_tdot + h_bardot)/D,    all that the step gave += kappadot (q_y, q_p + e_p^T, q_t, q_h),
 *
 * q being the step's adjoint of the seed e_y^T. */
#ifndef COSTATE_SENS_EVENT_BACK_H
#define COSTATE_SENS_EVENT_BACK_H

#include "core/driver.h"

/* Behind the event: from what is owed to y+ = after and, b->nu, to its time, to what is owed before it. */
int cst__event_back(costate_solver *s, const happened *e, const double *after, const double *ydot_after, ablock *b);
/* The step that begins or ends at events, second order too; its guard, its time. */
int cst__event_adjoint(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);

#endif
