/* guide.h - a run that is led by another one: the continuous adjoint walks back along what a forward run left behind, and must
 * not go further at once than that is known for; its norms move with it, and what is summed up on the way has errors of its own.
 * A run without a guide does not know of this. */
#ifndef COSTATE_CORE_GUIDE_H
#define COSTATE_CORE_GUIDE_H

#include "core/directions.h"

struct guide {
    void *ctx;
    int (*first)(void *ctx, tangent *tg, double *h); /* before the first attempt: its size, signed. A status with its message */
    double (*reach)(void *ctx, double t);            /* the most that an attempt from t may be long */
    /* After an attempt that the estimates let pass, with error control: *err may grow. Returns what callbacks do. */
    int (*judge)(void *ctx, const step *st, tangent *tg, double *err);
    int (*accepted)(void *ctx, const step *st, tangent *tg); /* returns what callbacks do */
};

#endif
