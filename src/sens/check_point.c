/* check_point.c - where derivatives are judged, along which directions, and of which objectives. See check.h. */
#include "sens/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW = 24, SINGLE = 16, GROUPS = 8 };               /* all components one by one; else so many, and groups of the rest */
enum { LARGE = 1000, SINGLE_LARGE = 4, GROUPS_LARGE = 4 }; /* of more components than that fewer, for the runs are long */

/* ---- the point ------------------------------------------------------------------------------------------------------ */

/* Method "auto" makes gradients with tolerances that suit them, and those stay while they are judged. */
static int settle(check *c)
{
    costate_solver *s = c->s;
    const size_t goals = (size_t)c->goals;
    if (!s->automatic) return 0;
    memset(c->weights, 0, c->nobj * goals * sizeof *c->weights);
    for (size_t j = 0; j < c->nobj; j++) c->weights[j * goals + j % goals] = j < goals ? 1 : cst__irregular(j);
    const int status = costate_gradient(s, c->goals, c->weights, c->grad, c->np ? c->grad + c->n * goals : NULL);
    c->tight = s->tight;
    s->tight = 0;
    if (status == COSTATE_ERR_MEMORY) return status;
    return cst__begin(s); /* what else fails here is for later */
}

/* States at some of the steps, evenly by number: where much happens there are many. */
static int glance(check *c)
{
    costate_solver *s = c->s;
    memcpy(c->shifted, c->x, c->n * sizeof *c->shifted);
    TRY(costate_solve(s, c->t0, c->t1, c->p, c->shifted));
    TRY(settle(c));
    for (int k = 0; k < CHECK_ROWS; k++) c->times[k] = s->log.t[(s->log.count * (k + 1) + CHECK_ROWS - 1) / CHECK_ROWS];
    memcpy(c->shifted, c->x, c->n * sizeof *c->shifted);
    s->out = (output){.count = CHECK_ROWS, .times = c->times, .y = c->rows};
    int status = costate_solve(s, c->t0, c->t1, c->p, c->shifted);
    s->out = (output){0};
    if (status) return status;
    memcpy(c->x, s->y0, c->n * sizeof *c->x);
    memcpy(c->psi, s->psi, c->nobj * sizeof *c->psi);
    return 0;
}

/* The size of a component is its own; where the state begins at zero, what it becomes along the run; where it stays zero, what
 * its tolerances hold for zero; where all that says nothing, 1. */
static void sizes(check *c)
{
    const costate_solver *s = c->s;
    for (size_t i = 0; i < c->m; i++) {
        double *size = &c->scale[i];
        *size = fabs(c->x[i]);
        for (size_t k = 0; i < c->n && c->x[i] == 0 && k < CHECK_ROWS; k++) *size = fmax(*size, fabs(c->rows[k * c->n + i]));
        if (*size == 0 && i < c->n && s->opt.rtol > 0) *size = s->atol[i] / s->opt.rtol;
        if (*size == 0) *size = 1;
    }
}

/* Initial values that init computes are no variables. */
static int choose(check *c, int count, const int *variable)
{
    int first = c->s->d.init.fn.eval ? (int)c->n : 0, all = (int)c->m;
    for (int k = 0; variable && k < count; k++)
        if (variable[k] < first || variable[k] >= all)
            return cst__fail(c->s, COSTATE_ERR_WIDTH, "variable %d is number %d of %d states and %d parameters%s", k, variable[k],
                             (int)c->n, (int)c->np, variable[k] >= 0 && variable[k] < first ? ", and init computes it" : "");
    if (!variable && count && count != all)
        return cst__fail(c->s, COSTATE_ERR_WIDTH, "%d variables without a list, which means all %d", count, all);
    if (variable && count < 1) return cst__fail(c->s, COSTATE_ERR_WIDTH, "%d variables", count);
    for (int i = 0; i < all; i++) c->wanted[i] = !variable && i >= first;
    for (int k = 0; variable && k < count; k++) c->wanted[variable[k]] = 1;
    for (int i = 0; i < all; i++)
        if (c->wanted[i]) c->judged[c->count++] = i;
    return 0;
}

int cst__check_open(check *c, int count, const int *variable)
{
    costate_solver *s = c->s;
    size_t n = c->n = (size_t)s->prob.n, np = c->np = (size_t)s->prob.np, m = c->m = n + np, nobj = c->nobj = (size_t)s->nobj;
    c->goals = s->nobj < CHECK_GOALS ? s->nobj : CHECK_GOALS;
    size_t goals = (size_t)c->goals, matrix = CHECK_WAYS * nobj;
    size_t doubles = 4 * m + 2 * n + np + 3 * nobj + CHECK_ROWS * (n + 1) + 4 * matrix + goals * (2 * m + nobj);
    double *at = c->memory = cst__alloc(&s->alloc, doubles + 2 * m + nobj, sizeof *at); /* whole numbers at the end */
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the check");
    c->x = at, c->scale = at += m, c->d = at += m, c->e = at += m;
    c->shifted = at += m, c->atol = at += n, c->params = at += n, c->psi = at += np, c->noise = at += nobj;
    c->omega = at += nobj, c->rows = at += nobj, c->times = at += CHECK_ROWS * n, c->tangents = at += CHECK_ROWS;
    c->secants = at += matrix;
    c->tangent_noise = at += matrix, c->factor_noise = at += matrix, c->weights = at += matrix, c->grad = at += goals * nobj;
    c->grad_noise = at += goals * m;
    c->judged = (int *)(void *)(at + goals * m), c->part = c->judged + m;
    c->seen = memset(c->part + m, 0, nobj);
    c->wanted = memset(c->seen + nobj, 0, m);
    TRY(choose(c, count, variable));
    for (size_t i = 0; i < m; i++) c->x[i] = i >= n ? c->p[i - n] : s->d.init.fn.eval ? 0 : c->y[i];
    TRY(glance(c));
    sizes(c);
    return 0;
}

void cst__check_close(check *c)
{
    cst__release(&c->s->alloc, c->memory);
}

/* ---- directions ----------------------------------------------------------------------------------------------------- */

static double component(const check *c, size_t i, int which)
{
    uint64_t key = 4 * (uint64_t)i + 2 * (uint64_t)which;
    return (cst__irregular(key) < 1 ? -1 : 1) * cst__irregular(key + 1) * c->scale[i];
}

void cst__check_mixture(const check *c, int which, double *d, size_t stride)
{
    for (size_t i = 0; i < c->m; i++) d[i * stride] = 0;
    for (int k = 0; k < c->count; k++) d[(size_t)c->judged[k] * stride] = component(c, (size_t)c->judged[k], which);
}

void cst__check_way(const check *c, int way, double *d, size_t stride)
{
    if (way == c->ways - 1) {
        cst__check_mixture(c, 0, d, stride);
        return;
    }
    for (size_t i = 0; i < c->m; i++) d[i * stride] = way >= c->units && c->part[i] == way ? component(c, i, 0) : 0;
    if (way < c->units) d[(size_t)c->unit[way] * stride] = c->scale[c->unit[way]];
}

/* Weights: each objective by itself, or a sample and sums of all, to which each adds as much as the others along a mixture. */
static int goals(check *c)
{
    const int sums = 4, mixture = 0;
    size_t w = (size_t)c->goals;
    memset(c->weights, 0, c->nobj * w * sizeof *c->weights);
    if (c->nobj > w) {
        c->ways = 1;
        TRY(cst__check_tangents(c, NULL, 0, 1, &mixture, c->tangents));
    }
    for (size_t l = 0; l < w; l++) {
        c->goal[l] = c->nobj <= w ? (int)l : l + (size_t)sums < w ? (int)((cst__irregular(l) - 0.5) * (double)c->nobj) : -1;
        if (c->goal[l] >= 0) c->weights[(size_t)c->goal[l] * w + l] = 1;
        for (size_t j = 0; c->goal[l] < 0 && j < c->nobj; j++) {
            double size = fmax(fabs(c->tangents[j]), DBL_EPSILON * fabs(c->psi[j]));
            c->weights[j * w + l] = size > 0 ? (cst__irregular(j * w + l) < 1 ? -1 : 1) / size : 0;
        }
    }
    return 0;
}

typedef struct influence {
    double size;
    int variable;
} influence;

static int rising(const void *a, const void *b)
{
    const influence *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size ? 1 : -1) : x->variable - y->variable;
}

/* How much a variable matters to the goal to which it matters most. */
static void influences(const check *c, influence *f)
{
    double most[CHECK_GOALS] = {0};
    size_t w = (size_t)c->goals;
    for (int k = 0; k < c->count; k++)
        for (size_t l = 0, i = (size_t)c->judged[k]; l < w; l++) most[l] = fmax(most[l], fabs(c->grad[i * w + l]) * c->scale[i]);
    for (int k = 0; k < c->count; k++) {
        size_t i = (size_t)c->judged[k];
        f[k] = (influence){0, (int)i};
        for (size_t l = 0; l < w; l++)
            if (most[l] > 0) f[k].size = fmax(f[k].size, fabs(c->grad[i * w + l]) * c->scale[i] / most[l]);
    }
    qsort(f, (size_t)c->count, sizeof *f, rising);
}

/* A sample of all sizes; of the rest those of like size form groups. */
static int group(check *c)
{
    influence *f = cst__alloc(&c->s->alloc, (size_t)c->count, sizeof *f);
    if (!f) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    int single = c->count > LARGE ? SINGLE_LARGE : SINGLE, parts = c->count > LARGE ? GROUPS_LARGE : GROUPS;
    influences(c, f);
    for (int k = 0; k < c->count; k++) c->part[f[k].variable] = single + (int)((int64_t)k * parts / c->count);
    for (int k = 0; k < single; k++) {
        c->unit[k] = f[(int64_t)k * (c->count - 1) / (single - 1)].variable;
        c->part[c->unit[k]] = -1;
    }
    c->units = single;
    c->ways = single + parts + 1;
    cst__release(&c->s->alloc, f);
    return 0;
}

/* Of the goals, and of a multiple of them. */
static int gradients(check *c)
{
    size_t w = (size_t)c->goals, split = c->n * w;
    double *again = c->grad_noise;
    TRY(costate_gradient(c->s, c->goals, c->weights, c->grad, c->np ? c->grad + split : NULL));
    for (size_t i = 0; i < c->nobj * w; i++) c->weights[i] *= CHECK_STRETCH;
    TRY(costate_gradient(c->s, c->goals, c->weights, again, c->np ? again + split : NULL));
    for (size_t i = 0; i < c->nobj * w; i++) c->weights[i] /= CHECK_STRETCH;
    for (size_t i = 0; i < c->m * w; i++) again[i] = fabs(again[i] / CHECK_STRETCH - c->grad[i]);
    return 0;
}

int cst__check_ways(check *c)
{
    TRY(goals(c));
    TRY(gradients(c));
    for (size_t i = 0; i < c->m; i++) c->part[i] = -1;
    if (c->count > FEW) return group(c);
    c->units = c->count;
    c->ways = c->count + 1;
    for (int k = 0; k < c->count; k++) c->unit[k] = c->judged[k];
    return 0;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

const char *cst__check_variable(const check *c, int variable, char buffer[64])
{
    char own[32];
    int n = (int)c->n;
    if (variable < n) snprintf(buffer, 64, "%.58s(t0)", cst__state_name(c->s, variable, own));
    else snprintf(buffer, 64, "%.63s", cst__param_name(c->s, variable - n, own));
    return buffer;
}

const char *cst__check_goal(const check *c, int objective, char buffer[64])
{
    char own[32];
    const char *const *names = c->s->prob.objective_names;
    if (objective < 0) snprintf(buffer, 64, "a sum of objectives");
    else if (!c->s->has_objective) snprintf(buffer, 64, "%.63s", cst__state_name(c->s, objective, own));
    else if (names && names[objective]) snprintf(buffer, 64, "%.63s", names[objective]);
    else snprintf(buffer, 64, "g[%d]", objective);
    return buffer;
}

void cst__check_slope_name(const check *c, int objective, int way, char name[96])
{
    char one[64], other[64];
    const char *along = way < c->ways - 1 ? "a group" : "a mixture";
    if (way < c->units) along = cst__check_variable(c, c->unit[way], other);
    snprintf(name, 96, "d %.40s / d %.40s", cst__check_goal(c, objective, one), along);
}
