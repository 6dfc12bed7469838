/* step_log.c - the accepted steps: times, sizes and what the family noted. */
#include "solver/solver.h"

int cst__log_grow(costate_solver *s)
{
    step_log *log = &s->log;
    int64_t capacity = log->capacity ? 2 * log->capacity : 256;
    double *t = cst__alloc(&s->alloc, (size_t)capacity + 1, sizeof *t), *h = cst__alloc(&s->alloc, (size_t)capacity, sizeof *h);
    signed char *note = cst__alloc(&s->alloc, (size_t)capacity, 1);
    if (!t || !h || !note) {
        cst__release(&s->alloc, t);
        cst__release(&s->alloc, h);
        cst__release(&s->alloc, note);
        return cst__fail(s, COSTATE_ERR_MEMORY, "the log of %lld steps", (long long)capacity);
    }
    if (log->capacity) {
        memcpy(t, log->t, ((size_t)log->count + 1) * sizeof *t);
        memcpy(h, log->h, (size_t)log->count * sizeof *h);
        memcpy(note, log->note, (size_t)log->count);
    }
    cst__release(&s->alloc, log->t);
    cst__release(&s->alloc, log->h);
    cst__release(&s->alloc, log->note);
    *log = (step_log){log->count, capacity, t, h, note};
    return 0;
}

int cst__log_start(costate_solver *s, double t0)
{
    s->log.count = 0;
    if (!s->log.capacity) TRY(cst__log_grow(s));
    s->log.t[0] = t0;
    return 0;
}

void cst__log_free(costate_solver *s)
{
    cst__release(&s->alloc, s->log.t);
    cst__release(&s->alloc, s->log.h);
    cst__release(&s->alloc, s->log.note);
}
