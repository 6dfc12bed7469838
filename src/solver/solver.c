/* solver.c - how public calls begin and fail, and the memory that is kept between them. */
#include "solver/solver.h"

#include "base/kernels.h"

#include <math.h>

int cst__begin(costate_solver *s)
{
    if (!s) return COSTATE_ERR_NULL;
    if (s->broken) return s->broken;
    s->status = 0;
    s->calling = NULL;
    s->reason[0] = s->message[0] = 0;
    s->stats.fail_t = s->stats.fail_h = NAN;
    s->stats.fail_step = s->stats.fail_stage = s->stats.fail_component = -1;
    return 0;
}

void cst__no_numbers(const costate_solver *s, size_t w, double *y, double *p)
{
    if (!s) return;
    cst__fill_nan(y, (size_t)s->prob.n * w);
    cst__fill_nan(p, (size_t)s->prob.np * w);
}

double *cst__scratch(costate_solver *s, reserve *m, size_t doubles)
{
    if (doubles > m->size || !m->at) {
        cst__release(&s->alloc, m->at);
        m->size = 0;
        m->at = cst__alloc(&s->alloc, doubles ? doubles : 1, sizeof(double));
        if (m->at) m->size = doubles;
        else cst__fail(s, COSTATE_ERR_MEMORY, "%zu bytes for directions or adjoints", doubles * sizeof(double));
    }
    return m->at;
}
