/* halved.c - see halved.h */
#include "core/halved.h"

#include "core/rig.h"
#include "core/workers.h"
#include "method/implicit.h"

/* Step i of the log as two. Where t cannot resolve the middle, the one half or the other is at a time a little off, as times are
 * anyway (driver.c). */
static int append(costate_solver *h, const step_log *log, int64_t i)
{
    const double half = 0.5 * log->h[i], middle = log->t[i] + half;
    const int beyond = (middle - log->t[i + 1]) * half > 0;
    h->note = h->fam->halved ? h->fam->halved(log->note[i]) : -1;
    TRY(cst__log_append(h, half, beyond ? log->t[i + 1] : middle, 0));
    return cst__log_append(h, half, log->t[i + 1], log->stop[i + 1]);
}

/* Where observations are met: at the end of as many pairs of steps, or in one half or the other. */
static void observations(costate_solver *h, const costate_solver *s)
{
    const double *t = h->log.t, *at = s->prob.observe_at, sign = s->t1 > s->t0 ? 1 : -1;
    for (int k = 0; k < s->prob.observations; k++) {
        if (s->obs_step[k] > s->log.count) { /* an event ended the run before */
            h->obs_step[k] = INT64_MAX;
            continue;
        }
        const int64_t end = 2 * s->obs_step[k];
        const int first = !observed_at_end(s, k) && sign * (t[end - 1] - at[k]) >= 0;
        h->obs_step[k] = end - first;
    }
}

static int prescribe(costate_solver *h, const costate_solver *s)
{
    TRY(cst__log_start(h, s->t0));
    for (int64_t i = 0; i < s->log.count; i++) TRY(append(h, &s->log, i));
    h->log.fresh = 1;
    h->out = s->out;
    if (!s->prob.observations) return 0;
    if (!h->obs_step) h->obs_step = cst__alloc(&h->alloc, (size_t)s->prob.observations, sizeof *h->obs_step);
    if (!h->obs_step) return cst__fail(h, COSTATE_ERR_MEMORY, "the list of %d observations", s->prob.observations);
    observations(h, s);
    return 0;
}

/* Parameters, initial state and what was found out about it. */
static void begin(costate_solver *h, const costate_solver *s)
{
    memcpy(h->y0, s->y0, h->state * sizeof *h->y0);
    if (s->prob.np) memcpy(h->p, s->p, (size_t)s->prob.np * sizeof *h->p);
    h->t0 = h->d.t0 = s->t0;
    h->t1 = s->t1;
    h->missed = 0;
    h->have_tangent = h->recorded[PRIMAL] = h->recorded[JOINT] = 0;
    h->start_mass = s->start_mass;
    h->constraint = s->constraint;
    h->start_stays = s->start_stays;
    h->fast_step = -1;
    h->settled = 1; /* no other run is looked for */
    if (h->im && s->im) h->im->tested = s->im->tested;
}

/* The one that was made before serves again, if it is of the method in use. */
static int companion(costate_solver *s)
{
    if (s->halved && s->halved->chosen != s->chosen) cst__halved_close(s);
    const int status = s->halved ? 0 : cst__worker_create(s, &s->halved);
    if (status) cst__halved_close(s);
    else s->halved->leader = NULL;
    return status;
}

/* Options as they are now. */
static void follow(const costate_solver *s, costate_solver *h, int record, int64_t memory)
{
    h->opt = s->opt;
    h->opt.adjoint = "discrete"; /* which judges a continuous one as well (docs/theory.md, "Error bars") */
    h->opt.record = record;
    h->opt.memory = memory;
    h->opt.atols = h->atol;
    memcpy(h->atol, s->atol, (size_t)s->prob.n * sizeof *h->atol);
}

int cst__halved_open(costate_solver *s, int record)
{
    const int64_t memory = cst__traj_spare(s);
    TRY(companion(s));
    costate_solver *h = s->halved;
    cst__begin(h);
    follow(s, h, record, memory);
    begin(h, s);
    int status = prescribe(h, s);
    if (!status && s->ev) status = cst__events_halve(h, s);
    if (!status && h->im) status = cst__implicit_prepare(h);
    return status ? cst__halved_failed(s, h, status) : 0;
}

void cst__halved_rest(costate_solver *s)
{
    if (!s->halved) return;
    if (cst__rig_large(s)) cst__halved_close(s);
    else cst__rigs_close(s->halved, AFFECTS_TRAJECTORY);
}

void cst__halved_close(costate_solver *s)
{
    costate_free(s->halved);
    s->halved = NULL;
}

/* Of the halves themselves, or of what is computed from them: words about a step are kept, those of its kind are others. */
int cst__halved_failed(costate_solver *s, const costate_solver *h, int status)
{
    const char *colon = strstr(h->reason, ": "), *detail = colon ? colon + 2 : h->reason;
    const costate_stats *a = &h->stats;
    switch (status) {
    case COSTATE_ERR_MEMORY:
    case COSTATE_ERR_BUDGET:
    case COSTATE_ERR_DISK_DIR:
    case COSTATE_ERR_DISK_FULL:
    case COSTATE_ERR_DISK:
    case COSTATE_ERR_CALLBACK:
    case COSTATE_ERR_HALVED:
        return cst__fail_at(s, status, a->fail_t, a->fail_h, a->fail_step, a->fail_stage, a->fail_component, "%s", detail);
    default:
        return cst__fail_at(s, COSTATE_ERR_HALVED, a->fail_t, a->fail_h, a->fail_step, a->fail_stage, a->fail_component, "%s: %s",
                            costate_status_text(status), detail);
    }
}
