/* implicit.c - see implicit.h */
#include "method/implicit.h"

#include "core/lanes.h"

#include <math.h>

/* ---- J as an operator, for matrix-free solvers ------------------------------------------------------------------------ */

typedef struct operator_context {
    costate_solver *s;
    implicit *m;
    double scratch[]; /* two blocks */
} operator_context;

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
        TRY(transposed ? deriv_vjp(&s->d, c->m->t, c->m->y, s->p, width, direct ? x : in, result, NULL)
                       : deriv_jvp(&s->d, c->m->t, c->m->y, s->p, width, NULL, direct ? x : in, NULL, result));
        if (!direct) cst__block_store(cut, b, n, to, out);
    }
    return 0;
}

enum { DENSE_UP_TO = 64 }; /* states up to which no pattern is looked for */

static int open_now(costate_solver *s, implicit *m)
{
    char why[256] = "";
    int matrix_free = !strcmp(s->opt.linsol, "gmres");
    size_t n = cst__pad((size_t)s->prob.n), blocks = matrix_free ? 2 * (size_t)s->prob.n * (size_t)s->opt.lanes : 0;
    operator_context *ctx = m->context = cst__alloc(&s->alloc, sizeof *ctx + blocks * sizeof(double), 1);
    if (!ctx) return cst__fail(s, COSTATE_ERR_MEMORY, "the linear solver");
    ctx->s = s;
    ctx->m = m;
    linsol_config config = {.n = s->prob.n,
                            .pattern = m->pattern,
                            .slots = m->slots,
                            .alloc = s->alloc,
                            .op = {.apply = apply, .ctx = ctx},
                            .tol = s->opt.gmres_tol,
                            .restart = (int)s->opt.gmres_basis,
                            .most = (int)s->opt.gmres_most};
    int status = linsol_open(&m->ls, s->opt.linsol, &config, why, sizeof why);
    if (!status && !matrix_free) status = jacobian_open(&m->jac, &s->d, &m->pattern, (int)s->opt.lanes, &s->alloc, why, sizeof why);
    if (status) return cst__fail(s, status, "%s", why[0] ? why : "the Jacobian");
    m->y = cst__alloc(&s->alloc, n + m->jac.nnz, sizeof *m->y);
    if (!m->y) return cst__fail(s, COSTATE_ERR_MEMORY, "a Jacobian of %zu entries", m->jac.nnz);
    m->values = m->jac.nnz ? m->y + n : NULL;
    s->stats.linsol = m->ls.ops->name;
    s->stats.jac_nnz = (int64_t)m->jac.nnz;
    s->stats.colours = m->jac.colours;
    return 0;
}

int cst__implicit_open(costate_solver *s, implicit *m, int slots)
{
    memset(m, 0, sizeof *m);
    m->key = -1;
    m->slots = slots;
    m->pattern = s->prob.pattern;
    s->im = m;
    m->waiting = !s->prob.jac && s->prob.pattern.format == COSTATE_DENSE && s->prob.n > DENSE_UP_TO && strcmp(s->opt.linsol, "dense") &&
                 strcmp(s->opt.linsol, "gmres");
    return m->waiting ? 0 : open_now(s, m);
}

int cst__implicit_prepare(costate_solver *s)
{
    implicit *m = s->im;
    if (!m->waiting) return 0;
    int status = jacobian_detect(&s->d, s->t0, s->y0, s->p, (int)s->opt.lanes, &s->alloc, &m->colptr, &m->rowind);
    if (status == COSTATE_ERR_MEMORY) return cst__fail(s, status, "the Jacobian's pattern");
    if (status) return cst__fail(s, COSTATE_ERR_CALLBACK, "a callback returned %d while the Jacobian's pattern was looked for near t = %.17g", status, s->t0);
    if ((double)m->colptr[s->prob.n] < 0.3 * (double)s->prob.n * (double)s->prob.n)
        m->pattern = (costate_pattern){.format = COSTATE_CSC, .colptr = m->colptr, .rowind = m->rowind};
    m->waiting = 0;
    return open_now(s, m);
}

void cst__implicit_close(costate_solver *s, implicit *m)
{
    s->im = NULL;
    linsol_close(&m->ls);
    jacobian_close(&m->jac);
    cst__release(&s->alloc, m->context);
    cst__release(&s->alloc, m->colptr);
    cst__release(&s->alloc, m->rowind);
    cst__release(&s->alloc, m->y);
    m->y = NULL;
}

int cst__implicit_jacobian(costate_solver *s, implicit *m, int64_t key, double t, const double *y)
{
    m->key = -1;
    m->t = t;
    memcpy(m->y, y, (size_t)s->prob.n * sizeof *y);
    if (m->values) TRY(jacobian_eval(&m->jac, t, y, s->p, m->values));
    m->key = key;
    return 0;
}

int cst__implicit_factor(costate_solver *s, implicit *m, int slot, int complex, double re, double im)
{
    s->stats.factor++;
    int rc = m->ls.ops->factor(m->ls.self, slot, complex, re, im, m->values);
    if (rc < 0) return cst__fail(s, rc, "factors of a system of %d equations", s->prob.n);
    return rc ? STEP_MATRIX : 0;
}

int cst__implicit_solve(costate_solver *s, implicit *m, int slot, int transposed, int w, double *x)
{
    s->stats.solve++;
    int rc = m->ls.ops->solve(m->ls.self, slot, transposed, w, x);
    if (rc < 0) return cst__fail(s, rc, "solving a system of %d equations", s->prob.n);
    return rc ? STEP_MATRIX : 0;
}
