/* torrents.h - states of shallow water in which waves run both ways, some faster than gravity's, so that every branch of the
 * upwind differences is taken: h, hu and hv of each cell. */
#ifndef COSTATE_TESTS_TORRENTS_H
#define COSTATE_TESTS_TORRENTS_H

#include "problems.h"

#include <math.h>

/* draw: random numbers in (-1, 1) */
static inline void torrents(const problem *q, double (*draw)(void), double *y)
{
    for (int i = 0; i < q->prob.n; i += 3) {
        y[i] = 100 + 20 * draw();
        for (int k = 1; k < 3; k++) {
            double velocity = (draw() < 0 ? 0.5 : 1.5) * sqrt(q->p[0] * y[i]);
            y[i + k] = draw() < 0 ? -velocity * y[i] : velocity * y[i];
        }
    }
}

#endif
