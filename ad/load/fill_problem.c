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

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* A list of the descriptor that is given must have the right length. */
static int length(costate_model *m, const char *name, const char *what, int have, const char *of, int want)
{
    return have == want ? 0 : wrong(m, ".%s has %d %s%s, but .%s is %d", name, have, what, plural(have), of, want);
}

static int check_lists(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    const costate_generated *g = &m->functions;
    int status = 0;
    if (d->y0.item) status = length(m, "y0", "value", d->y0.count, "states", g->states);
    if (!status && d->p.item) status = length(m, "p", "value", d->p.count, "params", g->params);
    if (!status && d->observe_at.item)
        status = length(m, "observe_at", "time", d->observe_at.count, "observations", g->observations);
    if (!status && d->state_names.item) status = length(m, "state_names", "name", d->state_names.count, "states", g->states);
    if (!status && d->param_names.item) status = length(m, "param_names", "name", d->param_names.count, "params", g->params);
    if (!status && d->objective_names.item)
        status = length(m, "objective_names", "name", d->objective_names.count, "objectives", g->objectives);
    return status;
}

static int check(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    const costate_generated *g = &m->functions;
    if (d->states != g->states || d->params != g->params || d->observations != g->observations)
        return ad_model_fail(m, COSTATE_MODEL_BUG,
                             "%s: error: costate diff reads %d states, %d parameters and %d observations, the compiler %d, "
                             "%d and %d; this is a mistake of costate, please report it with the model\n",
                             m->file, g->states, g->params, g->observations, d->states, d->params, d->observations);
    const int status = check_lists(m);
    if (status) return status;
    if (!d->y0.item && !d->init)
        return wrong(m, "the initial state is missing: give .y0 = COSTATE_VALUES(...), or a function .init");
    if (d->y0.item && d->init) return wrong(m, "the initial state is given twice, by .y0 and by .init");
    if (g->params && !d->p.item && !d->defaults)
        return wrong(m, "the nominal parameters are missing: give .p = COSTATE_VALUES(...), or a function .defaults");
    if (d->p.item && d->defaults) return wrong(m, "the nominal parameters are given twice, by .p and by .defaults");
    if (d->observe && !d->observe_at.item) return wrong(m, "the times of the observations are missing: give .observe_at");
    if (!isfinite(d->t0) || !isfinite(d->t1)) return wrong(m, "t0 and t1 must be finite numbers");
    return 0;
}

/* The products of a function that the model has. */
static void fill_problem(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    const costate_generated *g = &m->functions;
    const costate_pattern pattern = m->problem.pattern; /* survives */
    m->problem = (costate_problem){
        .n = g->states, .np = g->params, .autonomous = g->autonomous, .rhs = g->rhs, .jvp = g->jvp, .vjp = g->vjp,
        .vjp_points = g->vjp_points, .jvp2 = g->jvp2, .vjp_dot = g->vjp_dot, .vjp_dot2 = g->vjp_dot2, .jac = g->jac,
        .pattern = g->jac ? g->jac_pattern : pattern, .init = g->init, .objectives = g->objectives, .terminal = g->terminal,
        .running = g->running, .running_vjp_dot2 = g->running_vjp_dot2, .observe = g->observe, .observations = g->observations,
        .observe_at = d->observe_at.item, .state_names = d->state_names.item, .param_names = d->param_names.item};
}

static int fill_nominal(costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    const size_t n = (size_t)m->problem.n, np = (size_t)m->problem.np;
    m->y0 = ad_take(m->arena, n * sizeof *m->y0);
    m->p = ad_take(m->arena, (np + 1) * sizeof *m->p);
    if (d->defaults) d->defaults(m->p);
    else if (np) memcpy(m->p, d->p.item, np * sizeof *m->p);
    if (!d->init) {
        memcpy(m->y0, d->y0.item, n * sizeof *m->y0);
        return 0;
    }
    const int status = m->problem.init.eval(0, d->t0, NULL, m->p, m->y0, NULL);
    return status ? wrong(m, "init returns %d for the nominal parameters", status) : 0;
}

int ad_model_fill(costate_model *m)
{
    const int first = !m->y0;
    int status = first ? check(m) : 0;
    if (status) return status;
    fill_problem(m);
    if (!first) return 0;
    status = fill_nominal(m);
    if (status || m->functions.jac || !m->functions.pattern) return status;
    status = ad_compress_pattern(m, 0);
    if (!status) ad_model_choose_format(m);
    return status;
}
