/* implicit.c - see implicit.h */
#include "method/implicit.h"

#include "base/sparsity.h"
#include "method/mass.h"
#include "solver/lanes.h"

#include <math.h>
#include <stdio.h>

/* ---- J as an operator, for matrix-free solvers ------------------------------------------------------------------------ */

typedef struct operator_context {
    costate_solver *s;
    implicit *m;
    double scratch[]; /* two blocks, and two more for algebraic equations */
} operator_context;

static int callback(implicit *m, const char *who, int rc)
{
    if (!rc) return 0;
    m->said = (linsol_said){who, rc, m->ls.config.n};
    return LINSOL_CALLBACK;
}

/* The rows and columns of J that its part for the algebraic equations has, in one or two pieces: all rows without a mass; with
 * constraints the columns without a mass in all rows but those, and then these with the columns that have one. */
static int has_row(const implicit *m, size_t i, int piece)
{
    return m->constraint ? m->constraint[i] == piece : m->mass.values[i] == 0;
}

static int has_column(const implicit *m, size_t j, int piece)
{
    return m->constraint ? (m->mass.values[j] != 0) == piece : 1;
}

/* out = that times x, on a block */
static int apply_algebraic(operator_context *c, int transposed, int w, const double *x, double *out)
{
    costate_solver *s = c->s;
    const implicit *m = c->m;
    const size_t lanes = (size_t)w, nw = (size_t)s->prob.n * lanes, pieces = m->constraint ? 2 : 1;
    double *in = c->scratch + 2 * (size_t)s->prob.n * (size_t)s->opt.lanes, *part = in + (size_t)s->prob.n * (size_t)s->opt.lanes;
    for (int piece = 0; piece < (int)pieces; piece++) {
        for (size_t i = 0; i < nw; i++) in[i] = (transposed ? has_row : has_column)(m, i / lanes, piece) ? x[i] : 0;
        memset(part, 0, nw * sizeof *part);
        TRY(transposed ? deriv_vjp(&s->d, m->t, m->y, s->p, w, in, part, NULL)
                       : deriv_jvp(&s->d, m->t, m->y, s->p, w, NULL, in, NULL, part));
        for (size_t i = 0; i < nw; i++) {
            if ((transposed ? has_column : has_row)(m, i / lanes, piece)) out[i] = part[i];
            else if (!piece) out[i] = 0;
        }
    }
    return 0;
}

static int apply(void *ctx, int transposed, int w, const double *x, double *out)
{
    operator_context *c = ctx;
    costate_solver *s = c->s;
    lane_cut cut = cut_lanes(s, w);
    size_t n = (size_t)s->prob.n;
    double *in = c->scratch, *to = in + n * (size_t)cut.lanes;
    for (int b = 0; b < cut.blocks; b++) { /* real and imaginary parts together may be more lanes than a product takes */
        int width = cut_width(cut, b), direct = cut.blocks == 1 && width == w;
        if (!direct) cst__block_load(cut, b, n, x, in);
        double *result = direct ? out : to;
        memset(result, 0, n * (size_t)width * sizeof *out);
        const double *from = direct ? x : in;
        int rc = c->m->algebraic ? apply_algebraic(c, transposed, width, from, result)
                 : transposed    ? deriv_vjp(&s->d, c->m->t, c->m->y, s->p, width, from, result, NULL)
                                 : deriv_jvp(&s->d, c->m->t, c->m->y, s->p, width, NULL, from, NULL, result);
        TRY(callback(c->m, transposed ? "vjp" : "jvp", rc));
        if (!direct) cst__block_store(cut, b, n, to, out);
    }
    return 0;
}

/* ---- the user's preconditioner ----------------------------------------------------------------------------------------- */

typedef struct preconditioner_slot {
    void *handle;
    int open;
} preconditioner_slot;

static int prepare(void *ctx, int slot, double re, double im)
{
    operator_context *c = ctx;
    costate_solver *s = c->s;
    const costate_preconditioner *p = s->opt.preconditioner;
    if (c->m->algebraic) return 0; /* it is for other matrices */
    preconditioner_slot *at = &c->m->handles[slot];
    if (!at->open) {
        at->handle = p->data;
        TRY(callback(c->m, "the preconditioner's open", p->open ? p->open(&at->handle, s->prob.n, p->data) : 0));
        at->open = 1;
    }
    return callback(c->m, "the preconditioner's setup", p->setup ? p->setup(at->handle, c->m->t, c->m->y, s->p, re, im) : 0);
}

static int precondition(void *ctx, int slot, int transposed, int w, double *x)
{
    operator_context *c = ctx;
    const costate_preconditioner *p = c->s->opt.preconditioner;
    if (c->m->algebraic) return 0;
    void *handle = c->m->handles[slot].handle;
    if (transposed) return callback(c->m, "the preconditioner's solve_transposed", p->solve_transposed(handle, w, x));
    return callback(c->m, "the preconditioner's solve", p->solve(handle, w, x));
}

static int open_preconditioner(costate_solver *s, implicit *m)
{
    if (!s->opt.preconditioner->solve) return cst__fail(s, COSTATE_ERR_LINSOL, "the preconditioner has no solve");
    m->handles = cst__alloc(&s->alloc, (size_t)m->slots, sizeof *m->handles);
    if (!m->handles) return cst__fail(s, COSTATE_ERR_MEMORY, "%d preconditioners", m->slots);
    memset(m->handles, 0, (size_t)m->slots * sizeof *m->handles);
    return 0;
}

static void close_preconditioner(costate_solver *s, implicit *m)
{
    for (int i = 0; m->handles && i < m->slots; i++)
        if (m->handles[i].open && s->opt.preconditioner->close) s->opt.preconditioner->close(m->handles[i].handle);
    cst__release(&s->alloc, m->handles);
}

int cst__implicit_transposable(costate_solver *s)
{
    const costate_linear_solver *own = s->opt.linear_solver;
    const costate_preconditioner *p = s->opt.preconditioner;
    if (own && !own->solve_transposed) return cst__fail(s, COSTATE_ERR_TRANSPOSE, "linear solver \"%s\"", s->stats.linsol);
    if (s->im->handles && !p->solve_transposed) return cst__fail(s, COSTATE_ERR_PRECONDITIONER, "linear solver \"gmres\"");
    return 0;
}

/* ---- opening ------------------------------------------------------------------------------------------------------------ */

enum { DENSE_UP_TO = 64 }; /* states up to which no pattern is looked for */

/* Solutions with a matrix: of Rosenbrock methods a stage's each; the others keep theirs, for two dozen of Newton's corrections.
 * In steps of BDF those cost less where they are iterated, and matrices are not kept: it comes to about four. */
static double solutions(const costate_solver *s)
{
    switch (s->table->family) {
    case COSTATE_ROS: return s->table->stages;
    case COSTATE_BDF: return 4;
    default: return 24;
    }
}

static int open_now(costate_solver *s, implicit *m)
{
    char why[256] = "";
    int matrix_free = !s->opt.linear_solver && !strcmp(s->opt.linsol, "gmres"),
        conditioned = matrix_free && s->opt.preconditioner;
    size_t n = cst__pad((size_t)s->prob.n), block = (size_t)s->prob.n * (size_t)s->opt.lanes;
    size_t blocks = matrix_free ? (s->prob.mass || s->prob.steady ? 4 : 2) * block : 0;
    operator_context *ctx = m->context = cst__alloc(&s->alloc, sizeof *ctx + blocks * sizeof(double), 1);
    if (!ctx) return cst__fail(s, COSTATE_ERR_MEMORY, "the linear solver");
    ctx->s = s;
    ctx->m = m;
    m->mass = (linsol_mass){.pattern = {.format = COSTATE_BANDED}, .values = s->prob.mass};
    if (conditioned) TRY(open_preconditioner(s, m));
    m->y = cst__alloc(&s->alloc, 3 * n, sizeof *m->y);
    if (!m->y) return cst__fail(s, COSTATE_ERR_MEMORY, "the linear solver");
    m->scale = m->y + n;
    m->square = m->scale + n;
    linsol_config config = {.n = s->prob.n,
                            .scale = m->scale,
                            .pattern = m->pattern,
                            .mass = s->prob.mass ? &m->mass : NULL,
                            .slots = m->slots,
                            .alloc = s->alloc,
                            .op = {apply, conditioned ? precondition : NULL, conditioned ? prepare : NULL, ctx},
                            .own = s->opt.linear_solver,
                            .cplx = s->table->family == COSTATE_FIRK,
                            .solutions = solutions(s),
                            .said = &m->said,
                            .tol = s->opt.gmres_tol,
                            .restart = (int)s->opt.gmres_basis,
                            .most = (int)s->opt.gmres_most};
    int status = linsol_open(&m->ls, s->opt.linsol, &config, why, sizeof why);
    if (!status && !matrix_free)
        status = jacobian_open(&m->jac, &s->d, &m->pattern, (int)s->opt.lanes, &s->alloc, why, sizeof why);
    if (status) return cst__fail(s, status, "%s", why[0] ? why : "the Jacobian");
    double *values = m->jac.nnz ? cst__alloc(&s->alloc, m->jac.nnz, sizeof *values) : NULL;
    if (m->jac.nnz && !values) return cst__fail(s, COSTATE_ERR_MEMORY, "a Jacobian of %zu entries", m->jac.nnz);
    m->values = values;
    s->stats.linsol = m->ls.name;
    s->stats.jac_nnz = (int64_t)m->jac.nnz;
    s->stats.colours = m->jac.colours;
    return 0;
}

/* As it was before anything was opened. */
static void empty(costate_solver *s, implicit *m)
{
    linsol_close(&m->ls);
    close_preconditioner(s, m);
    jacobian_close(&m->jac);
    cst__release(&s->alloc, m->context);
    cst__release(&s->alloc, m->colptr);
    cst__release(&s->alloc, m->rowind);
    cst__release(&s->alloc, m->y);
    cst__release(&s->alloc, m->values);
    *m = (implicit){.key = -1, .slots = m->slots, .pattern = s->prob.pattern};
}

/* That which the leader's methods know, or will find out the same way. */
static costate_pattern leaders_pattern(const costate_solver *s)
{
    const costate_solver *leader = s->leader;
    const implicit *m = leader->im;
    for (int k = 0; k < METHODS_AUTO && (!m || m->waiting); k++) m = leader->idle[k].im;
    return m && !m->waiting ? m->pattern : s->prob.pattern;
}

int cst__implicit_open(costate_solver *s, implicit *m, int slots)
{
    *m = (implicit){.key = -1, .slots = slots, .pattern = s->leader ? leaders_pattern(s) : s->prob.pattern};
    s->im = m;
    m->waiting = !s->leader && !s->opt.linear_solver && !s->prob.jac && s->prob.pattern.format == COSTATE_DENSE &&
                 s->prob.n > DENSE_UP_TO && strcmp(s->opt.linsol, "dense") && strcmp(s->opt.linsol, "gmres");
    return m->waiting ? 0 : open_now(s, m);
}

int cst__implicit_prepare(costate_solver *s)
{
    implicit *m = s->im;
    if (!m->waiting) return 0;
    int status = jacobian_detect(&s->d, s->t0, s->y0, s->p, (int)s->opt.lanes, &s->alloc, &m->colptr, &m->rowind);
    if (status == COSTATE_ERR_MEMORY) return cst__fail(s, status, "the Jacobian's pattern");
    if (status)
        return cst__fail(s, COSTATE_ERR_CALLBACK,
                         "a callback returned %d while the Jacobian's pattern was looked for near t = %.10g", status, s->t0);
    if ((double)m->colptr[s->prob.n] < 0.3 * (double)s->prob.n * (double)s->prob.n)
        m->pattern = (costate_pattern){.format = COSTATE_CSC, .colptr = m->colptr, .rowind = m->rowind};
    status = open_now(s, m);
    if (status) empty(s, m);
    m->waiting = status != 0; /* the next run tries again */
    return status;
}

void cst__implicit_close(costate_solver *s, implicit *m)
{
    s->im = NULL;
    empty(s, m);
}

int cst__implicit_follow(costate_solver *hand)
{
    const linsol *ls = &hand->im->ls;
    return ls->ops->follow ? ls->ops->follow(ls->self, hand->leader->im->ls.self) : 0;
}

int cst__implicit_jacobian(costate_solver *s, implicit *m, int64_t key, double t, const double *y)
{
    m->key = -1;
    m->algebraic = 0;
    m->mass.values = s->prob.mass;
    m->t = t;
    memcpy(m->y, y, (size_t)s->prob.n * sizeof *y);
    for (int i = 0; i < s->prob.n; i++) m->scale[i] = s->atol[i] + s->opt.rtol * fabs(y[i]);
    if (m->values) TRY(jacobian_eval(&m->jac, t, y, s->p, m->values));
    m->key = key;
    return 0;
}

/* An entry of J that is not in the matrix of the algebraic equations. */
static int left_out(const double *mass, const signed char *constraint, int row, int column)
{
    return constraint ? !constraint[row] && mass[column] != 0 : mass[row] != 0;
}

int cst__implicit_algebraic(costate_solver *s, implicit *m, int slot, double t, const double *y, const double *mass,
                            const signed char *constraint)
{
    TRY(cst__of(s, "jac", cst__implicit_jacobian(s, m, -1, t, y)));
    for (int j = 0; m->values && j < s->prob.n; j++) {
        const pattern_column c = pattern_entries(&m->pattern, s->prob.n, j);
        for (int k = 0; k < c.count; k++)
            if (left_out(mass, constraint, pattern_row(&c, k), j)) m->values[c.at + (size_t)k] = 0;
    }
    m->algebraic = 1;
    m->constraint = constraint;
    m->mass.values = mass;
    return cst__implicit_factor(s, m, slot, 0, s->prob.mass ? 1 : 0, 0); /* without a mass all equations are algebraic */
}

int cst__implicit_factor(costate_solver *s, implicit *m, int slot, int complex, double re, double im)
{
    s->stats.factor++;
    return cst__implicit_outcome(s, m, &m->ls, m->ls.ops->factor(m->ls.self, slot, complex, re, im, m->values), "factoring");
}

int cst__implicit_solve(costate_solver *s, implicit *m, int slot, int transposed, int w, double *x)
{
    s->stats.solve++;
    int rc = m->ls.ops->solve(m->ls.self, slot, transposed, w, x);
    return rc ? cst__implicit_outcome(s, m, &m->ls, rc, "solving") : 0;
}

int cst__implicit_correct(costate_solver *s, implicit *m, int slot, double *x)
{
    if (!m->ls.ops->correct) return cst__implicit_solve(s, m, slot, 0, 1, x);
    s->stats.solve++;
    int rc = m->ls.ops->correct(m->ls.self, slot, x);
    return rc ? cst__implicit_outcome(s, m, &m->ls, rc, "solving") : 0;
}

static int is_at(const held_matrix *a, double t, const double *y, int n)
{
    return a->t == t && !memcmp(a->y, y, (size_t)n * sizeof *y);
}

int cst__implicit_holds(const costate_solver *s, const held_matrix *held, const held_matrix *a)
{
    return held->shift == a->shift && is_at(a, held->t, held->y, s->prob.n);
}

int cst__implicit_hold(costate_solver *s, int slot, held_matrix *held, const held_matrix *a)
{
    implicit *m = s->im;
    int n = s->prob.n, have = cst__implicit_holds(s, held, a);
    if (have && m->values) return 0;
    if (m->key < 0 || !is_at(a, m->t, m->y, n)) TRY(cst__of(s, "jac", cst__implicit_jacobian(s, m, 0, a->t, a->y)));
    if (have) return 0;
    held->shift = 0;
    TRY(cst__implicit_factor(s, m, slot, 0, a->shift, 0));
    memcpy((double *)(uintptr_t)held->y, a->y, (size_t)n * sizeof *held->y);
    held->t = a->t;
    held->shift = a->shift;
    return 0;
}

int cst__implicit_outcome(costate_solver *s, implicit *m, const linsol *ls, int rc, const char *doing)
{
    if (rc == LINSOL_CALLBACK) return cst__of(s, m->said.who, m->said.code);
    if (rc == COSTATE_ERR_LINSOL)
        return cst__fail(s, rc, "open of linear solver \"%s\" returned %d for %d equations", ls->name, m->said.code, m->said.n);
    if (rc < 0) return cst__fail(s, rc, "%s a system of %d equations", doing, ls->config.n);
    m->trouble = rc;
    return rc ? STEP_MATRIX : 0;
}

/* ---- what went wrong --------------------------------------------------------------------------------------------------- */

/* The first value of the Jacobian at hand that is not finite; 0 if there is one. */
static int first_not_finite(const costate_solver *s, const implicit *m, int *row, int *column, double *value)
{
    for (int j = 0; m->values && j < s->prob.n; j++) {
        pattern_column c = pattern_entries(&m->pattern, s->prob.n, j);
        for (int k = 0; k < c.count; k++) {
            *value = m->values[c.at + (size_t)k];
            *row = pattern_row(&c, k);
            *column = j;
            if (!isfinite(*value)) return 0;
        }
    }
    return -1;
}

int cst__implicit_blame(const costate_solver *s, char *words, size_t size, int *row)
{
    const implicit *m = s->im;
    int i, j;
    double value;
    char one[64], other[32];
    *row = -1;
    if (m->trouble == LINSOL_NOT_CONVERGED) {
        snprintf(words, size, "gmres_tol = %g is not reached within gmres_most = %lld iterations, restarted every %lld",
                 s->opt.gmres_tol, (long long)s->opt.gmres_most, (long long)s->opt.gmres_basis);
        return COSTATE_ERR_GMRES;
    }
    if (m->trouble == LINSOL_SINGULAR) {
        snprintf(words, size, "linear solver \"%s\", %d equations,", s->stats.linsol, s->prob.n);
        return COSTATE_ERR_SINGULAR;
    }
    if (first_not_finite(s, m, &i, &j, &value))
        snprintf(words, size, "a product with the Jacobian, or a value of it at a stage,");
    else {
        const int algebraic = s->prob.mass && s->prob.mass[i] == 0;
        const char *by = cst__state_name(s, j, other);
        if (algebraic) snprintf(words, size, "the derivative of %s by %s is %g", cst__equation(s, i, one), by, value);
        else snprintf(words, size, "d %s' / d %s is %g", cst__state_name(s, i, one), by, value);
        *row = i;
    }
    return COSTATE_ERR_JACOBIAN;
}

/* ---- iterated systems -------------------------------------------------------------------------------------------------- */

/* Factors of its own cost a stage system as many solutions as the matrix is wide, give or take, and those of three coupled
 * stages 27 times that; iterations cost a few solutions. Where the times meet was measured on kinetics, one- and
 * two-dimensional grids and shallow water with every linear solver, as n of dense and sparse matrices or the width of a
 * band: 40 to 80, sparse up to 200; and 10 to 15. */
enum { SDIRK_ITERATES_FROM = 80, FIRK_ITERATES_FROM = 12, BDF_ITERATES_FROM = 40 };

int cst__implicit_iterates(const costate_solver *s, int transposed)
{
    const char *how = transposed ? s->opt.adjoint_solve : s->opt.tangent_solve;
    const implicit *m = s->im;
    if (how[0] != 'a') return how[0] == 'i';
    if (!m->values) return 0;
    int size = s->prob.n, width = m->pattern.lower + m->pattern.upper + 1;
    if (m->pattern.format == COSTATE_BANDED && strcmp(m->ls.ops->name, "dense") && width < size) size = width;
    if (s->fam->id == COSTATE_BDF) return size >= BDF_ITERATES_FROM;
    return size >= (s->fam->id == COSTATE_FIRK ? FIRK_ITERATES_FROM : SDIRK_ITERATES_FROM);
}

/* Tangents and adjoints are to agree to 1e-10, however coarse the run, which leaves a step some hundredths of that. Fine runs
 * ask for more: a thousandth of what their discretization leaves. */
double cst__sweep_tol(const costate_solver *s)
{
    if (s->opt.sweep_tol > 0) return s->opt.sweep_tol;
    return s->opt.step > 0 || s->opt.rtol == 0 ? 1e-12 : fmin(fmax(1e-3 * s->opt.rtol, 1e-13), 1e-11);
}
