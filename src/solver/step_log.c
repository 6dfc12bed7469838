/* step_log.c - the accepted steps: times, sizes and what the family noted. */
#include "solver/solver.h"

int cst__log_grow(costate_solver *s)
{
    step_log *log = &s->log;
    int64_t capacity = log->capacity ? 2 * log->capacity : 256;
    double *t = cst__alloc(&s->alloc, (size_t)capacity + 1, sizeof *t), *h = cst__alloc(&s->alloc, (size_t)capacity, sizeof *h);
    signed char *note = cst__alloc(&s->alloc, (size_t)capacity, 1), *stop = cst__alloc(&s->alloc, (size_t)capacity + 1, 1);
    if (!t || !h || !note || !stop) {
        cst__release(&s->alloc, t);
        cst__release(&s->alloc, h);
        cst__release(&s->alloc, note);
        cst__release(&s->alloc, stop);
        return cst__fail(s, COSTATE_ERR_MEMORY, "the log of %lld steps", (long long)capacity);
    }
    if (log->capacity) {
        memcpy(t, log->t, ((size_t)log->count + 1) * sizeof *t);
        memcpy(h, log->h, (size_t)log->count * sizeof *h);
        memcpy(note, log->note, (size_t)log->count);
        memcpy(stop, log->stop, (size_t)log->count + 1);
    }
    cst__log_free(s);
    *log = (step_log){log->count, capacity, t, h, note, stop, 0};
    return 0;
}

int cst__log_start(costate_solver *s, double t0)
{
    s->log.count = 0;
    if (!s->log.capacity) TRY(cst__log_grow(s));
    s->log.t[0] = t0;
    s->log.stop[0] = 1;
    return 0;
}

void cst__log_free(costate_solver *s)
{
    cst__release(&s->alloc, s->log.t);
    cst__release(&s->alloc, s->log.h);
    cst__release(&s->alloc, s->log.note);
    cst__release(&s->alloc, s->log.stop);
}
