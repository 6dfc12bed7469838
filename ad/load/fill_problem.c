/* fill_problem.c - what a loaded model says of itself becomes a problem with nominal values, after it was checked against what
 * costate diff has read. */
#include "load/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int wrong(costate_model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(costate_model *m, const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ad_model_fail(m, COSTATE_MODEL_REFUSED, "%s: error: %s\n", m->file, text);
}

/* A list of the descriptor that is given must have the right length. */
static int length(costate_model *m, const char *name, const char *kind, int have, const char *of, int want)
{
    const int letters = (int)strlen(kind) - (have == 1); /* values, 1 value */
    return have == want ? 0 : wrong(m, ".%s has %d %.*s, but .%s is %d", name, have, letters, kind, of, want);
}

/* A size of the problem as the model says it. */
static int written(const costate_model *m, size_t member)
{
    const costate_problem *q = &m->functions.problem;
    const int more = member == offsetof(costate_problem, n)              ? q->slopes
                     : member == offsetof(costate_problem, events)       ? q->held
                     : member == offsetof(costate_problem, timed_events) ? q->timed_held
                                                                         : 0;
    return *(const int *)((const char *)q + member) - more;
}

static int check_lists(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    int status = 0;
#define COSTATE_SIZE(name, member, meaning) \
    const int wanted_##name = written(m, offsetof(costate_problem, member)); \
    (void)wanted_##name;
#include <costate/model.def>
    const int wanted_all_events = wanted_events + wanted_timed_events;
#define COSTATE_LIST(name, kind, size, meaning) \
    if (!status && d->name.item) status = length(m, #name, #kind, d->name.count, #size, wanted_##size);
#include <costate/model.def>
    return status;
}

static int check_sizes(costate_model *m)
{
#define COSTATE_SIZE(name, member, meaning)                                                                                 \
    if (m->descriptor->name && m->descriptor->name != written(m, offsetof(costate_problem, member)))                       \
        return ad_model_fail(m, COSTATE_MODEL_BUG,                                                                          \
                             "%s: error: .%s is %d for costate diff and %d for the compiler; this is a mistake of costate, " \
                             "please report it with the model\n",                                                           \
                             m->file, #name, written(m, offsetof(costate_problem, member)), m->descriptor->name);
#include <costate/model.def>
    return 0;
}

static int check(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    int status = check_sizes(m);
    if (!status) status = check_lists(m);
    if (status) return status;
    if (!d->y0.item && !d->init)
        return wrong(m, "the initial state is missing: give .y0 = COSTATE_VALUES(...), or a function .init");
    if (d->y0.item && d->init) return wrong(m, "the initial state is given twice, by .y0 and by .init");
    if (d->params && !d->p.item && !d->defaults)
        return wrong(m, "the nominal parameters are missing: give .p = COSTATE_VALUES(...), or a function .defaults");
    if (d->p.item && d->defaults) return wrong(m, "the nominal parameters are given twice, by .p and by .defaults");
    if (d->observe && !d->observe_at.item) return wrong(m, "the times of the observations are missing: give .observe_at");
    if (d->timed_events && !d->event_at.item && !d->event_times)
        return wrong(m, "the times of the events are missing: give .event_at, or a function .event_times");
    if (!isfinite(d->t0) || !isfinite(d->t1)) return wrong(m, "t0 and t1 must be finite numbers");
    return 0;
}

static void fill_problem(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    m->problem = m->functions.problem;
    const costate_problem *made = &m->functions.problem;
#define COSTATE_NOMINAL(...)
#define COSTATE_LIST(name, ...) m->problem.name = d->name.item;
#include <costate/model.def>
    if (made->held || made->timed_held) /* longer than the user's */
        m->problem.direction = made->direction, m->problem.event_at = made->event_at, m->problem.event_names = made->event_names,
        m->problem.event_period = made->event_period;
}

static int fill_nominal(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    const size_t n = (size_t)m->problem.n, np = (size_t)m->problem.np;
    m->y0 = ad_take(m->arena, n * sizeof *m->y0);
    m->p = ad_take(m->arena, (np + 1) * sizeof *m->p);
    for (size_t i = 0; i < np; i++) m->p[i] = NAN; /* what defaults does not write */
    if (d->defaults) d->defaults(m->p);
    else if (np) memcpy(m->p, d->p.item, np * sizeof *m->p);
    for (size_t i = 0; d->defaults && i < np; i++)
        if (isnan(m->p[i])) return wrong(m, "defaults does not set p[%zu]", i);
    if (!d->init) {
        costate_generated_start(&m->problem, d->y0.item, d->yp0.item, m->y0);
        return 0;
    }
    const int status = m->problem.init.eval(0, d->t0, NULL, m->p, m->y0, NULL);
    return status ? wrong(m, "init returns %d for the nominal parameters", status) : 0;
}

/* Which states have slopes, if that is for the pattern to say. */
static int fill_mass(costate_model *m)
{
    costate_columns *c = &m->pattern[0];
    if (!m->problem.slopes) return 0;
    m->problem.mass = c->mass = costate_generated_mass(&m->problem, c);
    return c->mass ? 0 : ad_model_fail(m, COSTATE_MODEL_MEMORY, "%s: error: out of memory for the slopes\n", m->file);
}

int ad_model_fill(costate_model *m)
{
    int status = check(m);
    if (status) return status;
    fill_problem(m);
    status = fill_nominal(m);
    if (status || (m->problem.jac && !m->problem.slopes)) return status;
    status = ad_compress_pattern(m, 0);
    if (!status && !m->problem.jac) m->problem.pattern = costate_columns_pattern(m->problem.n, &m->pattern[0]);
    return status ? status : fill_mass(m);
}
