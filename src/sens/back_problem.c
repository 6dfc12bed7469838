/* back_problem.c - the adjoint equations as a problem, at (t, P(t)), with lambda for state and (omega, eps) for parameters:
 *
 *     M lambda' = -f_y^T lambda - r_y^T omega
 *     its jvp along (tdot, lambdadot, omegadot, epsdot): -f_y^T lambdadot - r_y^T omegadot
 *         - tdot d/dt (f_y^T lambda + r_y^T omega)                       by vjp_dot along (1, P', 0)
 *         - (f_yy ydot + f_yp pdot)^T lambda - (r_yy ydot + r_yp pdot)^T omega,   if epsdot is there: the second order
 *     its Jacobian: -f_y^T, on the transposed pattern
 *
 * F(t, y, y', p) = 0 comes as a system of twice as many states; its multipliers are F_v^T lambda and -lambda, which is the
 * augmented form. */
#include "sens/back.h"

#include "base/kernels.h"
#include "base/sparsity.h"
#include "core/create.h"
#include "method/implicit.h"

#include <math.h>

/* ---- products ---------------------------------------------------------------------------------------------------------- */

static void negate(size_t count, double *x)
{
    for (size_t i = 0; i < count; i++) x[i] = -x[i];
}

/* out = -f_y^T u - r_y^T omega, w lanes; either NULL: zero */
static int transposed(backward *b, const path_point *at, int w, const double *u, const double *omega, double *out)
{
    costate_solver *s = b->s;
    const deriv_function *r = &s->d.running;
    const size_t nw = (size_t)s->prob.n * (size_t)w;
    memset(out, 0, nw * sizeof *out);
    if (u) TRY(deriv_vjp(&s->d, at->t, at->y, s->p, w, u, out, NULL));
    if (omega && r->fn.eval) TRY(cst__of(s, "running's vjp", r->fn.vjp(0, at->t, at->y, s->p, w, omega, out, NULL, r->data)));
    negate(nw, out);
    return 0;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    backward *b = data;
    const path_point *at = path_at(&b->path, t);
    return at ? transposed(b, at, 1, y, p, f) : -1;
}

static void spread(size_t n, int w, const double *x, double *to) /* to every lane */
{
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < w; l++) to[i * (size_t)w + (size_t)l] = x[i];
}

/* Both derivatives at once: along the directions of the run. */
static int second(backward *b, const path_point *at, int w, const double *lambda, const double *omega, const double *lambdadot,
                  double *out)
{
    costate_solver *s = b->s;
    const deriv_function *r = &s->d.running;
    const size_t n = (size_t)s->prob.n;
    memset(out, 0, n * (size_t)w * sizeof *out);
    spread(n, w, lambda, b->u);
    TRY(deriv_vjp_dot(&s->d, at->t, at->y, s->p, w, NULL, at->ydot, b->pdot, b->u, lambdadot, NULL, out, NULL, NULL));
    if (r->fn.eval) {
        spread((size_t)s->nobj, w, omega, b->seed);
        TRY(cst__of(
            s, "running's vjp_dot",
            r->fn.vjp_dot(0, at->t, at->y, s->p, w, NULL, at->ydot, b->pdot, b->seed, NULL, NULL, out, NULL, NULL, r->data)));
    }
    negate(n * (size_t)w, out);
    return 0;
}

/* out -= tdot d/dt (f_y^T lambda + r_y^T omega) */
static int along_time(backward *b, const path_point *at, int w, const double *tdot, const double *lambda, const double *omega,
                      double *out)
{
    costate_solver *s = b->s;
    const deriv_function *r = &s->d.running;
    const size_t n = (size_t)s->prob.n;
    const double one = 1;
    double *slope = b->sampled, *x = b->sampled + cst__pad(n);
    TRY(path_slope(&b->path, at->t, slope));
    memset(x, 0, n * sizeof *x);
    TRY(deriv_vjp_dot(&s->d, at->t, at->y, s->p, 1, &one, slope, NULL, lambda, NULL, NULL, x, NULL, NULL));
    if (r->fn.eval)
        TRY(cst__of(s, "running's vjp_dot",
                    r->fn.vjp_dot(0, at->t, at->y, s->p, 1, &one, slope, NULL, omega, NULL, NULL, x, NULL, NULL, r->data)));
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < w; l++) out[i * (size_t)w + (size_t)l] -= tdot[l] * x[i];
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    backward *b = data;
    const path_point *at = path_at(&b->path, t);
    if (!at) return -1;
    if (b->second && pdot) TRY(second(b, at, w, y, p, ydot, fdot));
    else TRY(transposed(b, at, w, ydot, pdot, fdot));
    return tdot ? along_time(b, at, w, tdot, y, p, fdot) : 0;
}

/* ---- the Jacobian ------------------------------------------------------------------------------------------------------ */

static int jac(double t, const double *y, const double *p, double *values, void *data)
{
    backward *b = data;
    const costate_pattern *q = &b->jac->pattern;
    const size_t n = (size_t)b->s->prob.n, width = (size_t)(q->lower + q->upper + 1), upper = (size_t)q->upper;
    const path_point *at = path_at(&b->path, t);
    (void)y, (void)p;
    if (!at) return -1;
    TRY(jacobian_eval(b->jac, at->t, at->y, b->s->p, b->values));
    if (q->format == COSTATE_CSC)
        for (size_t k = 0; k < b->jac->nnz; k++) values[k] = -b->values[b->place[k]];
    else if (q->format == COSTATE_DENSE)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) values[i + n * j] = -b->values[j + n * i];
    else {
        memset(values, 0, width * n * sizeof *values);
        for (size_t i = 0; i < n; i++) /* entry (k, i) of f_y is (i, k) here */
            for (size_t d = 0; d < width; d++) {
                const size_t k = i + d;
                if (k < upper || k - upper >= n) continue;
                values[(size_t)q->lower + i - (k - upper) + width * (k - upper)] = -b->values[d + width * i];
            }
    }
    return 0;
}

/* The pattern of f_y transposed, and where its values come from. */
static int transpose_pattern(backward *b, const costate_pattern *q, costate_pattern *to)
{
    costate_solver *s = b->s;
    const int n = s->prob.n;
    *to = (costate_pattern){.format = q->format, .lower = q->upper, .upper = q->lower};
    if (q->format != COSTATE_CSC) return 0;
    const int nnz = q->colptr[n];
    int *next = b->colptr = cst__alloc(&s->alloc, 2 * (size_t)n + 2 + 2 * (size_t)nnz, sizeof *next);
    if (!next) return cst__fail(s, COSTATE_ERR_MEMORY, "a transposed pattern of %d entries", nnz);
    memset(next, 0, (2 * (size_t)n + 2) * sizeof *next);
    b->rowind = b->colptr + 2 * n + 2;
    b->place = b->rowind + nnz;
    next += n + 1;
    for (int k = 0; k < nnz; k++) b->colptr[q->rowind[k] + 1]++;
    for (int j = 0; j < n; j++) b->colptr[j + 1] += b->colptr[j];
    memcpy(next, b->colptr, (size_t)n * sizeof *next);
    for (int j = 0; j < n; j++)
        for (int k = q->colptr[j]; k < q->colptr[j + 1]; k++) {
            const int at = next[q->rowind[k]]++;
            b->rowind[at] = j;
            b->place[at] = k;
        }
    to->colptr = b->colptr;
    to->rowind = b->rowind;
    return 0;
}

static int given(const costate_pattern *q)
{
    return q->format != COSTATE_DENSE;
}

static int find_jacobian(backward *b, costate_problem *prob)
{
    costate_solver *s = b->s;
    const int found = s->im && s->im->values && !s->im->waiting;
    const costate_pattern *q = found ? &s->im->jac.pattern : &s->prob.pattern;
    b->jac = found ? &s->im->jac : NULL;
    if (b->table->family == COSTATE_ERK || (!found && !given(q))) return 0;
    TRY(transpose_pattern(b, q, &prob->pattern));
    if (!found) return 0;
    b->values = cst__alloc(&s->alloc, b->jac->nnz, sizeof *b->values);
    if (!b->values) return cst__fail(s, COSTATE_ERR_MEMORY, "a Jacobian of %zu values", b->jac->nnz);
    prob->jac = jac;
    return 0;
}

/* ---- the preconditioner: A here is -A(-re, -im)^T there ----------------------------------------------------------------- */

typedef struct turned {
    backward *b;
    const costate_preconditioner *of;
    void *handle;
} turned;

static int turned_open(void **handle, int n, void *data)
{
    backward *b = data;
    turned *t = cst__alloc(&b->s->alloc, 1, sizeof *t);
    if (!t) return -1;
    *t = (turned){b, b->s->opt.preconditioner, b->s->opt.preconditioner->data};
    const int rc = t->of->open ? t->of->open(&t->handle, n, t->of->data) : 0;
    if (rc) cst__release(&b->s->alloc, t);
    else *handle = t;
    return rc;
}

static int turned_setup(void *handle, double t, const double *y, const double *p, double re, double im)
{
    const turned *of = handle;
    const path_point *at = path_at(&of->b->path, t);
    (void)y, (void)p;
    return !at ? -1 : of->of->setup ? of->of->setup(of->handle, t, at->y, of->b->s->p, -re, -im) : 0;
}

static int turned_solve(void *handle, int w, double *x)
{
    const turned *of = handle;
    negate((size_t)of->b->s->prob.n * (size_t)w, x);
    return of->of->solve_transposed(of->handle, w, x);
}

static void turned_close(void *handle)
{
    turned *of = handle;
    if (of->of->close && of->of->open) of->of->close(of->handle);
    cst__release(&of->b->s->alloc, of);
}

/* ---- the solver -------------------------------------------------------------------------------------------------------- */

static int choose(costate_solver *s, const costate_table **table)
{
    const char *name = s->opt.adjoint_method;
    *table = s->table;
    if (name[0]) *table = costate_method_find(name);
    else if (s->table->family == COSTATE_ROS) *table = costate_method_find("sdirk4a");
    if (!*table)
        return cst__fail(s, COSTATE_ERR_CONTINUOUS, "adjoint_method \"%s\" is no method: costate methods lists them", name);
    if ((*table)->family == COSTATE_ROS)
        return cst__fail(s, COSTATE_ERR_CONTINUOUS,
                         "adjoint_method %s is a Rosenbrock method, which does not take the adjoint equations; sdirk4a, "
                         "radau2a and bdf do",
                         name);
    return 0;
}

/* Where F_v is of lower rank than it has columns, multipliers at jumps are not those of one state each. */
static int slopes_apart(costate_solver *s)
{
    char name[32];
    for (int i = 0; s->start_mass && !s->prob.steady && i < s->prob.n; i++)
        if (s->start_mass[i] == 0 && s->prob.mass[i] != 0)
            return cst__fail(
                s, COSTATE_ERR_CONTINUOUS,
                "the residual has slopes that depend on each other (that of %s follows from others), for which adjoint "
                "equations are not set up",
                cst__state_name(s, i, name));
    return 0;
}

/* Between steps P must be as good as the gradient is to be. */
static int interpolates(costate_solver *s)
{
    const costate_table *t = s->table;
    if (t->family == COSTATE_ERK && t->dense_rows == 0 && t->order > 4)
        return cst__fail(s, COSTATE_ERR_CONTINUOUS,
                         "%s is of order %d, but between its steps there are cubic polynomials, which leave the gradient at "
                         "order 4; take a method with dense output of its own order",
                         t->name, t->order);
    return 0;
}

/* What is owed over an event is known for one-step methods. */
static int jumps(costate_solver *s)
{
    if (!s->ev || s->ev->count == 0 || !s->fam->history_doubles) return 0;
    return cst__fail(s, COSTATE_ERR_CONTINUOUS, "there are events, over which adjoint equations go in runs by one-step methods");
}

static costate_options options_of(const backward *b)
{
    const costate_solver *s = b->s;
    costate_options o = s->opt;
    o.method = b->table->name;
    o.table = b->table == &s->own.table ? b->table : NULL;
    o.atol = 1; /* the vector is set on the way */
    o.rtol = 0;
    o.atols = NULL;
    o.h0 = 0;
    o.tangent_control = "all";
    o.record = 0;
    o.threads = 1;
    o.disk = 0;
    o.adjoint = "discrete";
    o.allocator = s->alloc;
    if (s->opt.step == 0) {
        const double rtol = s->opt.rtol > 0 ? s->opt.rtol : 1e-6, share = sqrt(rtol) < 0.01 ? sqrt(rtol) : 0.01;
        if (o.newton_tol == 0) o.newton_tol = share;
        if (o.sweep_tol == 0) o.sweep_tol = share * rtol / IN_HAND;
    }
    return o;
}

static void release(backward *b)
{
    costate_allocator alloc = b->s->alloc;
    costate_free(b->in);
    path_close(&b->path);
    cst__release(&alloc, b->memory);
    cst__release(&alloc, b->colptr);
    cst__release(&alloc, b->values);
    cst__release(&alloc, b->index);
    cst__release(&alloc, b);
}

/* Indices of multipliers: those of constraints are of index 2. */
static const double *indices(backward *b)
{
    costate_solver *s = b->s;
    if (!s->constraint) return NULL;
    double *index = b->index = cst__alloc(&s->alloc, (size_t)s->prob.n, sizeof *index);
    for (int i = 0; index && i < s->prob.n; i++) index[i] = s->constraint[i] ? 2 : s->prob.mass[i] == 0;
    return index;
}

static int make(backward *b)
{
    costate_solver *s = b->s;
    const costate_preconditioner *own = s->opt.preconditioner;
    costate_problem prob = {.n = s->prob.n, .np = s->nobj + 1, .data = b, .rhs = rhs, .jvp = jvp, .derived = 1};
    costate_options o = options_of(b);
    prob.state_names = s->prob.state_names;
    prob.mass = s->prob.mass;
    prob.slopes = s->prob.slopes;
    prob.index = indices(b);
    if (s->constraint && !prob.index) return cst__fail(s, COSTATE_ERR_MEMORY, "the adjoint equations");
    TRY(find_jacobian(b, &prob));
    const costate_preconditioner own_turned = {b, turned_open, turned_setup, turned_solve, NULL, turned_close};
    if (own && own->solve_transposed) o.preconditioner = &own_turned;
    else if (own) return cst__fail(s, COSTATE_ERR_PRECONDITIONER, "adjoint equations");
    const int status = cst__create(&b->in, &prob, &o, b->table == b->of ? s->own_fam : NULL);
    if (status)
        return cst__fail(s, b->in ? status : COSTATE_ERR_MEMORY, "the adjoint equations: %s",
                         b->in ? costate_reason(b->in) : "no memory");
    if (!b->in->fam->quadrature)
        return cst__fail(s, COSTATE_ERR_CONTINUOUS, "%s does not take the adjoint equations", b->table->name);
    b->in->witness = 0;
    return 0;
}

int cst__back_open(costate_solver *s)
{
    const costate_table *table;
    TRY(choose(s, &table));
    TRY(interpolates(s));
    TRY(slopes_apart(s));
    TRY(jumps(s));
    if (s->back && s->back->table == table && s->back->of == s->table) return 0;
    if (s->back) s->back_close(s->back);
    backward *b = s->back = cst__alloc(&s->alloc, 1, sizeof *b);
    if (!b) return cst__fail(s, COSTATE_ERR_MEMORY, "the adjoint equations");
    memset(b, 0, sizeof *b);
    *b = (backward){.s = s, .table = table, .of = s->table};
    b->guide = (guide){b, cst__back_first, cst__back_reach, cst__back_judge, cst__back_accepted};
    s->back_close = release;
    int status = make(b);
    if (!status) return 0;
    release(b);
    s->back = NULL;
    return status;
}
