/* matrix.c - whole matrices: of sensitivities, by tangents or by the adjoint, whichever is cheaper, and of second derivatives. */
#include "base/kernels.h"
#include "core/driver.h"
#include "core/workers.h"
#include "sens/over.h"

/* Variables: the initial values, then the parameters, or those listed. */
typedef struct choice {
    int count;
    const int *list; /* NULL: all */
} choice;

/* count 0 without a list: all. Another count than theirs is the caller's mistake, and nothing is written then: there is no
 * telling how long the array is. */
static choice choose(const costate_solver *s, int count, const int *list)
{
    const int all = s ? s->prob.n + s->prob.np : 0;
    return (choice){list ? count : count == 0 || count == all ? all : -1, list};
}

static int check(costate_solver *s, const choice *c, int count)
{
    if (!c->list && c->count < 0)
        return cst__fail(s, COSTATE_ERR_WIDTH, "%d variables without a list, which means all %d states and %d parameters", count,
                         s->prob.n, s->prob.np);
    if (c->count < 1) return cst__fail(s, COSTATE_ERR_WIDTH, "%d variables", c->count);
    for (int k = 0; c->list && k < c->count; k++)
        if (c->list[k] < 0 || c->list[k] >= s->prob.n + s->prob.np)
            return cst__fail(s, COSTATE_ERR_WIDTH, "variable %d is number %d of %d states and %d parameters", k, c->list[k],
                             s->prob.n, s->prob.np);
    return 0;
}

/* Nothing was computed: NaN into rows x columns, as far as these are known. */
static void no_matrix(double *x, int rows, size_t columns)
{
    if (rows > 0) cst__fill_nan(x, (size_t)rows * columns);
}

static int variable(const choice *c, int k)
{
    return c->list ? c->list[k] : k;
}

/* Row i of a block that has the rows of the states first and then those of the parameters. */
static double *row(const costate_solver *s, double *of_y, double *of_p, int i, size_t w)
{
    return i < s->prob.n ? of_y + (size_t)i * w : of_p + (size_t)(i - s->prob.n) * w;
}

/* Unit directions first .. first + w - 1. */
static void units(const costate_solver *s, const choice *c, int first, int w, double *ydot, double *pdot)
{
    size_t lanes = (size_t)w;
    memset(ydot, 0, (size_t)s->prob.n * lanes * sizeof *ydot);
    memset(pdot, 0, (size_t)s->prob.np * lanes * sizeof *pdot);
    for (int l = 0; l < w; l++) row(s, ydot, pdot, variable(c, first + l), lanes)[l] = 1;
}

/* ---- sensitivities --------------------------------------------------------------------------------------------------- */

typedef struct matrix {
    double t0, t1;
    const double *p;
    double *y;
    choice c;
    int w;
    const double *weights;
    double *d;
} matrix;

static double cost(const costate_solver *s, int w, double call, double lane)
{
    lane_cut c = cut_lanes(s, w);
    double sum = 0;
    for (int b = 0; b < c.blocks; b++) sum += call + lane * cut_width(c, b);
    return sum;
}

static int by_tangents(const costate_solver *s, const matrix *m)
{
    const deriv *d = &s->d;
    if (s->opt.sensitivities[0] != 'a' || s->opt.sensitivities[1] == 'd') return s->opt.sensitivities[0] == 't';
    if (!s->opt.record) return 1;
    if (s->opt.adjoint[0] == 'c') return 0; /* it was asked for */
    return cost(s, m->c.count, d->jvp_cost.call, d->jvp_cost.lane) <= cost(s, m->w, d->vjp_cost.call, d->vjp_cost.lane) + 1;
}

/* d = (weights^T psidot)^T */
static void combine(const costate_solver *s, const matrix *m)
{
    size_t w = (size_t)m->w, count = (size_t)m->c.count;
    const double *psidot = s->psidot.at;
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l < w; l++) {
            double sum = m->weights ? 0 : psidot[l * count + k];
            for (size_t j = 0; m->weights && j < (size_t)s->nobj; j++) sum += m->weights[j * w + l] * psidot[j * count + k];
            m->d[k * w + l] = sum;
        }
}

/* Nothing is recorded: a sweep that is wanted later repeats the run. */
static int tangents(costate_solver *s, const matrix *m, double *ydot, double *pdot)
{
    const output out = s->out;
    const int64_t record = s->opt.record;
    units(s, &m->c, 0, m->c.count, ydot, pdot);
    s->out.ydot = NULL; /* that of other directions */
    s->opt.record = 0;
    int status = costate_tangent(s, m->t0, m->t1, m->p, m->y, m->c.count, ydot, s->prob.np ? pdot : NULL);
    s->opt.record = record;
    s->out = out;
    if (!status) combine(s, m);
    return status;
}

static int tangents_over(costate_solver *s, const matrix *m, double *ydot, double *pdot)
{
    units(s, &m->c, 0, m->c.count, ydot, pdot);
    s->out.ydot = NULL;
    TRY(cst__tangent_over(s, m->c.count, ydot, s->prob.np ? pdot : NULL));
    combine(s, m);
    return 0;
}

static int params_only(const costate_solver *s, const choice *c)
{
    int k = 0;
    while (k < c->count && variable(c, k) >= s->prob.n) k++;
    return k == c->count;
}

static int gradients(costate_solver *s, const matrix *m, double *dy0, double *dp)
{
    size_t w = (size_t)m->w;
    TRY(costate_gradient(s, m->w, m->weights, params_only(s, &m->c) ? NULL : dy0, dp));
    for (int k = 0; k < m->c.count; k++) memcpy(m->d + (size_t)k * w, row(s, dy0, dp, variable(&m->c, k), w), w * sizeof *dy0);
    return 0;
}

static int adjoints(costate_solver *s, const matrix *m, double *dy0, double *dp)
{
    TRY(costate_solve(s, m->t0, m->t1, m->p, m->y));
    TRY(gradients(s, m, dy0, dp));
    memcpy(m->y, s->yend, (size_t)s->prob.n * sizeof *m->y); /* the run may have been made again */
    return 0;
}

static int adjoints_over(costate_solver *s, const matrix *m, double *dy0, double *dp)
{
    TRY(cst__solve_over(s));
    return gradients(s, m, dy0, dp);
}

typedef int matrix_maker(costate_solver *s, const matrix *m, double *ydot, double *pdot);

/* With room for the lanes of directions or of adjoints. */
static int with_room(costate_solver *s, const matrix *m, int forward, matrix_maker *make)
{
    size_t lanes = (size_t)(forward ? m->c.count : m->w);
    size_t n = cst__pad((size_t)s->prob.n * lanes), np = (size_t)s->prob.np * lanes;
    double *work = cst__alloc(&s->alloc, n + np, sizeof *work);
    if (!work) return cst__fail(s, COSTATE_ERR_MEMORY, "%zu lanes of sensitivities", lanes);
    int status = make(s, m, work, work + n);
    cst__release(&s->alloc, work);
    return status;
}

int cst__sensitivities_over(costate_solver *s, int forward, int count, const int *list, int w, const double *weights, double *d)
{
    const matrix m = {.c = choose(s, count, list), .w = w, .weights = weights, .d = d};
    return with_room(s, &m, forward, forward ? tangents_over : adjoints_over);
}

static int sensitivities(costate_solver *s, const matrix *m)
{
    if (!m->y || !m->d) return cst__fail(s, COSTATE_ERR_NULL, "%s", m->y ? "d" : "y");
    if (!cst__lanes_of(s, m->w, m->weights))
        return cst__fail(s, COSTATE_ERR_WIDTH, "w = %d %s weights, and there are %d objectives", m->w,
                         m->weights ? "with" : "without", s->nobj);
    if (m->weights && !cst__all_finite((size_t)s->nobj * (size_t)m->w, m->weights))
        return cst__fail(s, COSTATE_ERR_INPUT, "a weight of the objectives");
    int forward = by_tangents(s, m);
    s->stats.sensitivities = forward ? "tangent" : "adjoint";
    return with_room(s, m, forward, forward ? tangents : adjoints);
}

int costate_sensitivities(costate_solver *s, double t0, double t1, const double *p, double *y, int count, const int *list, int w,
                          const double *weights, double *d)
{
    matrix m = {.t0 = t0, .t1 = t1, .p = p, .y = y, .c = choose(s, count, list), .w = w, .weights = weights, .d = d};
    int status = cst__begin(s);
    if (!status) status = check(s, &m.c, count);
    if (!status) status = sensitivities(s, &m);
    if (!status) return 0;
    cst__no_numbers(s, 1, y, NULL);
    no_matrix(d, m.c.count, cst__lanes_of(s, w, weights));
    return status;
}

/* ---- the Hessian ------------------------------------------------------------------------------------------------------ */

/* Columns first .. first + w - 1. */
static int columns(costate_solver *s, const double *weights, const choice *c, int first, int w, double *work, double *h)
{
    size_t n = (size_t)s->prob.n, np = (size_t)s->prob.np, lanes = (size_t)w, all = (size_t)c->count;
    double *ydot = work, *pdot = ydot + n * lanes, *hy0 = pdot + np * lanes, *hp = hy0 + n * lanes, *each = hp + np * lanes;
    units(s, c, first, w, ydot, pdot);
    for (size_t j = 0; j < (size_t)s->nobj; j++)
        for (size_t l = 0; l < lanes; l++) each[j * lanes + l] = weights ? weights[j] : 1;
    TRY(costate_hessian(s, w, each, ydot, np ? pdot : NULL, params_only(s, c) ? NULL : hy0, hp));
    for (int k = 0; k < c->count; k++)
        memcpy(h + (size_t)k * all + (size_t)first, row(s, hy0, hp, variable(c, k), lanes), lanes * sizeof *h);
    return 0;
}

static int hessian_full(costate_solver *s, const double *weights, const choice *c, double *h)
{
    if (!h) return cst__fail(s, COSTATE_ERR_NULL, "h");
    int threads = cst__workers_threads(s), width = (int)s->opt.lanes * (threads < 8 ? 8 : threads);
    if (width > c->count) width = c->count;
    size_t rows = 2 * ((size_t)s->prob.n + (size_t)s->prob.np) + (size_t)s->nobj;
    double *work = cst__alloc(&s->alloc, rows * (size_t)width, sizeof *work);
    if (!work) return cst__fail(s, COSTATE_ERR_MEMORY, "%d columns of a Hessian", width);
    int status = 0;
    for (int first = 0; first < c->count && !status; first += width)
        status = columns(s, weights, c, first, c->count - first < width ? c->count - first : width, work, h);
    cst__release(&s->alloc, work);
    return status;
}

int costate_hessian_full(costate_solver *s, const double *weights, int count, const int *list, double *h)
{
    choice c = choose(s, count, list);
    int status = cst__begin(s);
    if (!status) status = check(s, &c, count);
    if (!status) status = hessian_full(s, weights, &c, h);
    if (status) no_matrix(h, c.count, c.count > 0 ? (size_t)c.count : 0);
    return status;
}
