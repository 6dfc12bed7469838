/* bars.c - error bars: what was computed, computed once more over halved steps (core/halved.h).
 *
 *     bar_i = 2 max(|d_i|, |x_i| r / 20),  r = max_j u_j |d_j| / max_j u_j |x_j|,  d = x - x over the halves;  0 where d_i is 0
 *
 * docs/theory.md, "Error bars". The maximum is over all of a lane. u_i makes its components comparable: the value of variable i
 * for derivatives by it, one over the tolerance of a state. Where that is 0 or not known, as of objectives, which have units of
 * their own, or of initial values that init computes, which are no variables, a component stands for itself.
 *
 * Objectives whose adjoint equations were integrated have 2 |lambda against the defect| instead (back_defect.c), which is of
 * first order in the error: where derivatives differ so much over the halves that lambda is in doubt, the larger of both. */
#include "sens/over.h"

#include "base/kernels.h"
#include "base/sized.h"
#include "core/halved.h"
#include "core/watch.h"
#include "sens/back.h"

#include <math.h>
#include <stdio.h>

static const double twice = 2, least = 1.0 / 20; /* of a difference; of what a lane is off by, relative */
static const double far = 4; /* tolerances: halves that are off by so much found what the steps have stepped over */
static const double doubtful = 0.1;              /* by which lanes are off that say nothing about lambda */

typedef struct part { /* rows x w values, what they are over the halves, and bars; */
    size_t rows;
    const double *value;
    double *again, *bar;
    const double *unit; /* of rows, or NULL; */
    const int *row;     /* which of them; NULL: in order */
} part;

/* ---- from differences to bars ---------------------------------------------------------------------------------------- */

static double unit_of(const part *x, size_t i)
{
    return x->unit ? x->unit[x->row ? (size_t)x->row[i] : i] : 0;
}

/* Lane l of one or two parts that are compared with each other. */
static void lane(const part *x, int parts, size_t w, size_t l)
{
    double most = 0, size = 0;
    for (int q = 0; q < parts; q++)
        for (size_t i = 0; i < x[q].rows; i++) {
            const double value = x[q].value[i * w + l], d = fabs(value - x[q].again[i * w + l]), unit = unit_of(&x[q], i);
            x[q].bar[i * w + l] = d;
            most = fmax(most, d * unit);
            size = fmax(size, fabs(value) * unit);
        }
    for (int q = 0; q < parts; q++)
        for (size_t i = 0; i < x[q].rows; i++) {
            double *bar = &x[q].bar[i * w + l], floor = size > 0 ? least * most / size * fabs(x[q].value[i * w + l]) : 0;
            *bar = twice * (*bar == 0 || unit_of(&x[q], i) == 0 ? *bar : fmax(*bar, floor));
        }
}

static int known(costate_solver *s, const part *x, int parts, size_t w)
{
    for (int q = 0; q < parts; q++)
        for (size_t i = 0; i < x[q].rows * w; i++)
            if (!isfinite(x[q].bar[i])) return cst__fail(s, COSTATE_ERR_HALVED, "a difference is not finite");
    return 0;
}

static int finish(costate_solver *s, const part *x, int parts, size_t w)
{
    for (size_t l = 0; l < w; l++) lane(x, parts, w, l);
    return known(s, x, parts, w);
}

/* ---- what is computed again --------------------------------------------------------------------------------------------- */

typedef struct bars {
    const costate_error_bars *of;
    size_t w, n, np, nobj, rows, rows_kept;
    part part[2];
    int *by_defect; /* nobj: the lane of d_psi, + 1; 0: it is by halves */
    double *off;
    double *work, *variables, *tolerances, *row, *rowdot; /* n + np; n */
} bars;

static int is_by(const costate_error_bars *b, int of)
{
    return b->of == of;
}

/* Rows of the two arrays of what was computed. */
static void sizes(bars *x, const costate_solver *s)
{
    const costate_error_bars *b = x->of;
    const int matrix = is_by(b, COSTATE_BARS_SENSITIVITIES) || is_by(b, COSTATE_BARS_HESSIAN_FULL);
    const size_t all = (size_t)s->prob.n + (size_t)s->prob.np, count = b->variable ? (size_t)b->count : all;
    *x = (bars){.of = b, .n = (size_t)s->prob.n, .np = (size_t)s->prob.np, .nobj = (size_t)s->nobj, .w = (size_t)b->w};
    x->rows = (size_t)s->out.count;
    if (is_by(b, COSTATE_BARS_RUN)) x->w = 0;
    if (is_by(b, COSTATE_BARS_HESSIAN_FULL)) x->w = count;
    if (x->w == 0) return;
    x->part[0].rows = matrix ? count : x->n;
    x->part[1].rows = matrix ? 0 : is_by(b, COSTATE_BARS_TANGENT) ? x->nobj : x->np;
    for (int q = 0; q < 2; q++)
        if (!b->value[q] || !b->bar[q]) x->part[q].rows = 0;
}

static int take(costate_solver *s, bars *x)
{
    const costate_error_bars *b = x->of;
    const size_t seeds = (x->n + x->np + x->nobj) * x->w;
    const size_t rows = x->rows * x->n, rowdots = b->rowdot ? rows * x->w : 0, square = x->part[0].rows * x->w;
    double *at = x->work = cst__alloc(&s->alloc, 2 * x->n + x->np + seeds + square + rows + rowdots, sizeof *at);
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "error bars");
    x->variables = at;
    x->tolerances = at += x->n + x->np;
    x->part[0].again = at += x->n;
    x->part[1].again = at += x->n * x->w > square ? x->n * x->w : square;
    at += (x->np > x->nobj ? x->np : x->nobj) * x->w;
    x->row = rows ? at : NULL;
    x->rowdot = rowdots ? at + rows : NULL;
    for (int q = 0; q < 2; q++) x->part[q].value = b->value[q], x->part[q].bar = b->bar[q];
    for (size_t i = 0; i < x->n; i++) x->variables[i] = s->d.init.fn.eval ? 0 : fabs(s->y0[i]);
    for (size_t i = 0; i < x->np; i++) x->variables[x->n + i] = fabs(s->p[i]);
    return 0;
}

/* One over the tolerance, where there is one. */
static const double *tolerances(const costate_solver *s, bars *x, const double *y)
{
    for (size_t i = 0; i < x->n; i++) {
        const double tolerance = s->atol[i] + s->opt.rtol * fabs(y[i]);
        x->tolerances[i] = tolerance > 0 ? 1 / tolerance : 0;
    }
    return x->tolerances;
}

int cst__solve_over(costate_solver *s)
{
    if (s->opt.record) TRY(cst__traj_prepare(s, PRIMAL, 0));
    return cst__repeat(s, s->y0, NULL, s->opt.record ? PRIMAL : -1, s->yend, s->psi);
}

static int again(costate_solver *s, bars *x)
{
    const costate_error_bars *b = x->of;
    costate_solver *h = s->halved;
    double *one = x->part[0].again, *two = x->part[1].again;
    const int forward = s->stats.sensitivities && s->stats.sensitivities[0] == 't';
    h->out.y = x->row;
    h->out.ydot = x->rowdot;
    h->have_run = 1;
    if (is_by(b, COSTATE_BARS_SENSITIVITIES))
        return cst__sensitivities_over(h, forward, b->count, b->variable, b->w, b->weights, one);
    if (is_by(b, COSTATE_BARS_TANGENT)) {
        if (b->ydot) memcpy(one, b->ydot, x->n * x->w * sizeof *one);
        else memset(one, 0, x->n * x->w * sizeof *one);
        TRY(cst__tangent_over(h, b->w, one, b->pdot));
        memcpy(two, h->psidot.at, x->nobj * x->w * sizeof *two);
        return 0;
    }
    TRY(cst__solve_over(h));
    if (!x->part[0].rows) one = NULL;
    else if (!x->part[1].rows) two = NULL;
    switch (b->of) {
    case COSTATE_BARS_GRADIENT: return costate_gradient(h, b->w, b->weights, one, two);
    case COSTATE_BARS_HESSIAN: return costate_hessian(h, b->w, b->weights, b->ydot, b->pdot, one, two);
    case COSTATE_BARS_HESSIAN_FULL: return costate_hessian_full(h, b->weights, b->count, b->variable, one);
    default: return 0;
    }
}

/* ---- by the adjoint equations ------------------------------------------------------------------------------------------ */

static int by_equations(const costate_solver *s, const costate_error_bars *b)
{
    if (!b->psi || strcmp(s->opt.adjoint, "continuous")) return 0;
    if (is_by(b, COSTATE_BARS_SENSITIVITIES)) return s->stats.sensitivities[0] == 'a';
    return is_by(b, COSTATE_BARS_GRADIENT) || is_by(b, COSTATE_BARS_HESSIAN) || is_by(b, COSTATE_BARS_HESSIAN_FULL);
}

/* Of the objectives that are in one of the lanes. */
static int defects(costate_solver *s, bars *x)
{
    const double *weights = x->of->weights;
    const size_t lanes = is_by(x->of, COSTATE_BARS_HESSIAN_FULL) ? 1 : (size_t)x->of->w;
    int w = 0;
    if (!by_equations(s, x->of)) return 0;
    x->by_defect = cst__alloc(&s->alloc, x->nobj, sizeof *x->by_defect);
    if (!x->by_defect) return cst__fail(s, COSTATE_ERR_MEMORY, "error bars");
    for (size_t o = 0; o < x->nobj; o++) {
        int wanted = !weights;
        for (size_t l = 0; weights && l < lanes; l++) wanted |= weights[o * lanes + l] != 0;
        x->by_defect[o] = wanted ? ++w : 0;
    }
    if (!w) return 0;
    double *one = cst__alloc(&s->alloc, (x->nobj + 1) * (size_t)w, sizeof *one);
    if (!one) return cst__fail(s, COSTATE_ERR_MEMORY, "error bars");
    memset(one, 0, (x->nobj + 1) * (size_t)w * sizeof *one);
    for (size_t o = 0; o < x->nobj; o++)
        if (x->by_defect[o]) one[o * (size_t)w + (size_t)x->by_defect[o] - 1] = 1;
    x->off = one + x->nobj * (size_t)w;
    const int status = cst__back_off(s, w, one, x->off);
    memmove(one, x->off, (size_t)w * sizeof *one);
    x->off = one;
    return status;
}

/* Lane l differs much over the halves. */
static int in_doubt(const bars *x, size_t l)
{
    double most = 0, size = 0;
    for (int q = 0; q < 2; q++)
        for (size_t i = 0; i < x->part[q].rows; i++) {
            const size_t at = i * x->w + l;
            const double unit = unit_of(&x->part[q], i), value = x->part[q].value[at];
            most = fmax(most, unit * fabs(value - x->part[q].again[at]));
            size = fmax(size, unit * fabs(value));
        }
    return !(most <= doubtful * size) || size == 0;
}

static void take_defects(const bars *x)
{
    const double *weights = x->of->weights;
    const int matrix = is_by(x->of, COSTATE_BARS_HESSIAN_FULL) || (!weights && is_by(x->of, COSTATE_BARS_HESSIAN));
    for (size_t o = 0; o < x->nobj && x->by_defect; o++) {
        const double bar = x->by_defect[o] ? twice * fabs(x->off[x->by_defect[o] - 1]) : 0;
        int doubt = !x->by_defect[o];
        for (size_t l = 0; l < x->w && !doubt; l++)
            if (matrix || (weights ? weights[o * x->w + l] != 0 : l == o)) doubt = in_doubt(x, l);
        x->of->psi[o] = doubt ? fmax(bar, x->of->psi[o]) : bar;
    }
}

/* ---- bars of all that is wanted -------------------------------------------------------------------------------------- */

static int of_states(costate_solver *s, bars *x, const double *y, const double *value, double *other, double *bar, size_t w)
{
    const part states = {.rows = x->n, .value = value, .again = other, .bar = bar, .unit = tolerances(s, x, y)};
    return finish(s, &states, 1, w);
}

static int of_run(costate_solver *s, bars *x)
{
    const costate_error_bars *b = x->of;
    if (b->y) TRY(of_states(s, x, s->yend, s->yend, s->halved->yend, b->y, 1));
    part goals = {.rows = x->nobj, .value = s->psi, .again = s->halved->psi, .bar = b->psi};
    if (!s->has_objective) goals.unit = tolerances(s, x, s->yend); /* they are the states */
    if (b->psi) TRY(finish(s, &goals, 1, 1));
    for (size_t r = 0, at = 0; r < x->rows; r++, at += x->n) {
        const double *y = s->out.y + at;
        if (b->row) TRY(of_states(s, x, y, y, x->row + at, b->row + at, 1));
        if (b->rowdot) TRY(of_states(s, x, y, s->out.ydot + at * x->w, x->rowdot + at * x->w, b->rowdot + at * x->w, x->w));
    }
    return 0;
}

/* Where f jumps as the text says (core/watch.h) and no step ends, derivatives by what moves that time lack something. Those over
 * the halves lack it as well, and how much is not known. */
static int jumps(const bars *x, const finding *f)
{
    const int second = is_by(x->of, COSTATE_BARS_HESSIAN) || is_by(x->of, COSTATE_BARS_HESSIAN_FULL);
    return f->effect == COSTATE_SWITCH_JUMP || (second && f->effect == COSTATE_SWITCH_KINK);
}

/* Row i of part q, lane l: a derivative by one variable, along one direction, or of second order, in which everything is. */
static int lacks(const costate_solver *s, const bars *x, const finding *f, int q, size_t i, size_t l)
{
    const costate_error_bars *b = x->of;
    const int *row = x->part[q].row, variable = row ? row[i] : (int)(i + (q ? x->n : 0));
    if (is_by(b, COSTATE_BARS_HESSIAN) || is_by(b, COSTATE_BARS_HESSIAN_FULL) || f->params < 0) return 1;
    for (int k = 0; k < f->params; k++) {
        if (!is_by(b, COSTATE_BARS_TANGENT) && variable == s->prob.n + f->param[k]) return 1;
        if (is_by(b, COSTATE_BARS_TANGENT) && b->pdot && b->pdot[(size_t)f->param[k] * x->w + l] != 0) return 1;
    }
    return 0;
}

static void unknown(const costate_solver *s, const bars *x)
{
    const part row = {.rows = x->of->rowdot ? x->rows * x->n : 0, .bar = x->of->rowdot};
    const part all[] = {x->part[0], x->part[1], row};
    for (int k = 0; s->watch && s->watch->on && k < s->watch->count; k++) {
        const finding *f = &s->watch->at[k].found;
        if (!jumps(x, f)) continue;
        for (int q = 0; q < 3; q++)
            for (size_t i = 0; i < all[q].rows; i++)
                for (size_t l = 0; l < x->w; l++)
                    if (lacks(s, x, f, q < 2 ? q : 0, q < 2 ? i : 0, l)) all[q].bar[i * x->w + l] = INFINITY;
    }
}

static int of_derivatives(costate_solver *s, bars *x)
{
    if (is_by(x->of, COSTATE_BARS_TANGENT)) {
        x->part[0].unit = tolerances(s, x, s->yend);
        x->part[1].unit = s->has_objective ? NULL : x->tolerances;
        TRY(finish(s, &x->part[0], 1, x->w));
        TRY(finish(s, &x->part[1], 1, x->w));
        unknown(s, x);
        return 0;
    }
    const int matrix = is_by(x->of, COSTATE_BARS_SENSITIVITIES) || is_by(x->of, COSTATE_BARS_HESSIAN_FULL);
    x->part[0].unit = x->variables;
    x->part[0].row = matrix ? x->of->variable : NULL;
    x->part[1].unit = x->variables + x->n;
    TRY(finish(s, x->part, 2, x->w));
    unknown(s, x);
    return 0;
}

/* Where halves find what the steps have stepped over, nothing that the run gave is known. */
static void stepped_over(costate_solver *s, const bars *x)
{
    const costate_error_bars *b = x->of;
    s->missed = s->halved->missed > far ? s->halved->missed : 0;
    if (s->missed == 0) return;
    const part all[] = {x->part[0], x->part[1], {.rows = x->n, .bar = b->y}, {.rows = x->nobj, .bar = b->psi},
                        {.rows = x->rows * x->n, .bar = b->row}, {.rows = x->rows * x->n, .bar = b->rowdot}};
    for (size_t q = 0; q < sizeof all / sizeof *all; q++)
        for (size_t i = 0; all[q].bar && i < all[q].rows * (q < 2 || q == 5 ? x->w : 1); i++) all[q].bar[i] = INFINITY;
    if (!s->warning[0])
        snprintf(s->warning, sizeof s->warning,
                 "halves of the steps are off by %.2g tolerances at t = %.6g: the steps have stepped over something there; lower "
                 "rtol, or set hmax",
                 s->missed, s->halved->missed_at);
}

/* ---- the call -------------------------------------------------------------------------------------------------------- */

static int check(costate_solver *s, const costate_error_bars *b)
{
    const int lanes = b->of != COSTATE_BARS_RUN && b->of != COSTATE_BARS_HESSIAN_FULL;
    const int all = s->prob.n + s->prob.np;
    if (b->of < COSTATE_BARS_RUN || b->of > COSTATE_BARS_HESSIAN_FULL)
        return cst__fail(s, COSTATE_ERR_VALUE, "of = %d is no costate_barred", b->of);
    if (lanes && b->w < 1) return cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", b->w);
    if (!s->have_run) return cst__fail(s, COSTATE_ERR_NO_RUN, "costate_bars");
    for (int q = 0; q < 2; q++)
        if (!b->value[q] != !b->bar[q]) return cst__fail(s, COSTATE_ERR_NULL, "%s[%d]", b->value[q] ? "bar" : "value", q);
    if (b->of != COSTATE_BARS_RUN && !b->bar[0] && !b->bar[1]) return cst__fail(s, COSTATE_ERR_NULL, "bar[0] and bar[1]");
    if (b->of == COSTATE_BARS_TANGENT && (!s->have_tangent || b->w != s->w_tangent))
        return cst__fail(s, COSTATE_ERR_NO_TANGENT, "w = %d, and the last run carried %d", b->w,
                         s->have_tangent ? s->w_tangent : 0);
    if (b->of == COSTATE_BARS_SENSITIVITIES && (!s->stats.sensitivities || !*s->stats.sensitivities))
        return cst__fail(s, COSTATE_ERR_NO_RUN, "costate_bars, of costate_sensitivities");
    if (b->variable ? b->count < 1 : b->count != 0 && b->count != all)
        return cst__fail(s, COSTATE_ERR_WIDTH, "%d variables %s a list", b->count, b->variable ? "in" : "without");
    for (int k = 0; b->variable && k < b->count; k++)
        if (b->variable[k] < 0 || b->variable[k] >= all)
            return cst__fail(s, COSTATE_ERR_WIDTH, "variable %d is number %d of %d", k, b->variable[k], all);
    if ((b->of == COSTATE_BARS_GRADIENT || b->of == COSTATE_BARS_SENSITIVITIES) && !cst__lanes_of(s, b->w, b->weights))
        return cst__fail(s, COSTATE_ERR_WIDTH, "w = %d without weights, but there are %d objectives", b->w, s->nobj);
    if ((b->row || b->rowdot) && !s->out.count) return cst__fail(s, COSTATE_ERR_NULL, "rows of output, which there are none of");
    if (b->rowdot && (!s->out.ydot || b->of != COSTATE_BARS_TANGENT))
        return cst__fail(s, COSTATE_ERR_NO_TANGENT, "rows of directions, which there are none of");
    return 0;
}

/* A value that is not finite was not computed. */
static int finite_values(costate_solver *s, const bars *x)
{
    for (int q = 0; q < 2; q++)
        if (!cst__all_finite(x->part[q].rows * x->w, x->part[q].rows ? x->of->value[q] : NULL))
            return cst__fail(s, COSTATE_ERR_INPUT, "a number in value[%d]", q);
    return 0;
}

static int measure(costate_solver *s, bars *x)
{
    const int sweeps = x->of->of != COSTATE_BARS_RUN && x->of->of != COSTATE_BARS_TANGENT;
    TRY(finite_values(s, x));
    TRY(take(s, x));
    TRY(defects(s, x));
    TRY(cst__halved_open(s, sweeps));
    if (!x->of->row && !x->of->rowdot) s->halved->out.count = 0;
    const int status = again(s, x);
    if (status) return cst__halved_failed(s, s->halved, status);
    TRY(of_run(s, x));
    TRY(x->w ? of_derivatives(s, x) : 0);
    take_defects(x);
    stepped_over(s, x);
    return 0;
}

/* As far as the arrays are known. */
static void no_bars(const costate_solver *s, const costate_error_bars *b)
{
    bars x = {.of = b};
    if (!s || b->of < COSTATE_BARS_RUN || b->of > COSTATE_BARS_HESSIAN_FULL || b->w < 0 || b->count < 0) return;
    sizes(&x, s);
    for (int q = 0; q < 2; q++) cst__fill_nan(b->bar[q], x.part[q].rows * x.w);
    cst__fill_nan(b->y, b->y ? x.n : 0);
    cst__fill_nan(b->psi, b->psi ? x.nobj : 0);
    cst__fill_nan(b->row, b->row ? x.rows * x.n : 0);
    cst__fill_nan(b->rowdot, b->rowdot ? x.rows * x.n * x.w : 0);
}

int costate_bars_sized(costate_solver *s, const costate_error_bars *given, size_t size)
{
    costate_error_bars own = {0};
    bars x = {.of = &own};
    int status = cst__begin(s), newest = !given || sized_take(&own, sizeof own, given, size);
    if (!status && !given) status = cst__fail(s, COSTATE_ERR_NULL, "the bars");
    if (!status && !newest) status = cst__fail(s, COSTATE_ERR_HEADER, "costate_error_bars has %zu bytes", size);
    if (!status) status = check(s, &own);
    if (!status) {
        sizes(&x, s);
        status = measure(s, &x);
        cst__halved_rest(s);
        cst__release(&s->alloc, x.by_defect);
        cst__release(&s->alloc, x.off);
        cst__release(&s->alloc, x.work);
    }
    if (status && given) no_bars(s, &own);
    return status;
}
