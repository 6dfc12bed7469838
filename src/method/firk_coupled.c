/* firk_coupled.c - the stages' exact linear system of 3n equations, with the Jacobian J_i at every stage:
 *
 *     B = I - (h a_ij J_i),   tangent: B k = rhs,   adjoint: B^T w = g,   with a mass matrix M for the identity
 *
 * Component r of stage i is row 3r + i: the blocks of 3 x 3 follow the pattern of J, and a band stays a band. Nothing is
 * scaled: the linear solvers keep their pivots on the diagonal, along which small components keep their digits
 * (linsol/lu.c), and in units of the tolerances they would not. */
#include "method/firk.h"

enum { S = FIRK_STAGES };

/* ---- the pattern --------------------------------------------------------------------------------------------------------- */

/* Column starts and rows of the CSC pattern whose entries are blocks. */
static int grow_pattern(costate_solver *s, firk_coupled *c, costate_pattern *p)
{
    int n = s->prob.n;
    size_t columns = (size_t)S * (size_t)n + 1, nnz = (size_t)p->colptr[n] * S * S;
    int *colptr = c->colptr = cst__alloc(&s->alloc, columns + nnz, sizeof *colptr), *rowind = colptr + columns;
    if (!colptr || nnz > INT32_MAX)
        return cst__fail(s, COSTATE_ERR_MEMORY, "the pattern of %d coupled stages of %d equations", S, n);
    for (int col = 0; col < n; col++)
        for (int j = 0; j < S; j++) {
            int len = p->colptr[col + 1] - p->colptr[col], at = S * S * p->colptr[col] + S * j * len;
            colptr[S * col + j] = at;
            for (int k = p->colptr[col]; k < p->colptr[col + 1]; k++)
                for (int i = 0; i < S; i++) rowind[at++] = S * p->rowind[k] + i;
        }
    colptr[S * n] = (int)nnz;
    p->colptr = colptr;
    p->rowind = rowind;
    return 0;
}

static int open_coupled(costate_solver *s)
{
    firk *m = s->method;
    firk_coupled *c = &m->coupled;
    char why[256] = "";
    costate_pattern p = m->im.pattern;
    if (s->prob.n > INT32_MAX / S) return cst__fail(s, COSTATE_ERR_MEMORY, "%d coupled stages of %d equations", S, s->prob.n);
    size_t rows = (size_t)S * (size_t)s->prob.n, nnz = S * S * m->im.jac.nnz;
    if (p.format == COSTATE_CSC) TRY(grow_pattern(s, c, &p));
    if (p.format == COSTATE_BANDED) {
        p.lower = S * p.lower + S - 1;
        p.upper = S * p.upper + S - 1;
        nnz = rows * (size_t)(p.lower + p.upper + 1);
    }
    size_t masses = s->prob.mass ? cst__pad(rows) : 0;
    c->jac = cst__alloc(&s->alloc, cst__pad(m->im.jac.nnz) + nnz + masses, sizeof *c->jac);
    if (!c->jac) return cst__fail(s, COSTATE_ERR_MEMORY, "%d coupled stages of %d equations", S, s->prob.n);
    c->values = c->jac + cst__pad(m->im.jac.nnz);
    memset(c->values, 0, nnz * sizeof *c->values); /* entries of the band that belong to no block stay so */
    c->mass = (linsol_mass){.pattern = {.format = COSTATE_BANDED}, .values = c->values + nnz};
    for (size_t r = 0; s->prob.mass && r < rows; r++) c->values[nnz + r] = s->prob.mass[r / S];
    linsol_config config = {.n = (int)rows,
                            .pattern = p,
                            .slots = 1,
                            .alloc = s->alloc,
                            .own = s->opt.linear_solver,
                            .said = &m->im.said,
                            .alone = 1};
    if (s->prob.mass) config.mass = &c->mass;
    /* Where klu suits a step it suits its stages together: it is twice as fast as superlu on grids, and hundreds of times on
     * residuals, whose pivots off the diagonal cost superlu all sparsity. */
    const char *name = m->im.ls.ops == &linsol_klu ? m->im.ls.ops->name : s->opt.linsol;
    int status = linsol_open(&c->ls, name, &config, why, sizeof why);
    if (!status) return 0;
    memset(&c->ls, 0, sizeof c->ls);
    return cst__fail(
        s, status,
        "%s, for the coupled stages of tangents and adjoints, which options tangent_solve and adjoint_solve = iterated avoid",
        why);
}

static void close_coupled(costate_solver *s, firk_coupled *c)
{
    if (c->ls.ops) linsol_close(&c->ls);
    cst__release(&s->alloc, c->colptr);
    cst__release(&s->alloc, c->jac);
    *c = (firk_coupled){0};
}

void cst__firk_coupled_close(costate_solver *s)
{
    close_coupled(s, &((firk *)s->method)->coupled);
}

/* ---- the matrix ---------------------------------------------------------------------------------------------------------- */

/* A column of J: its entries, one after the other, and where they go in the three columns of M that it becomes, three apart. */
typedef struct column {
    size_t count, from, to[S];
} column;

static column find_column(const costate_pattern *p, size_t n, size_t col)
{
    size_t lower = (size_t)p->lower, upper = (size_t)p->upper;
    column c = {.count = n, .from = n * col};
    for (size_t j = 0; j < S; j++) c.to[j] = S * n * (S * col + j);
    if (p->format == COSTATE_BANDED) {
        size_t last = col + lower < n ? col + lower : n - 1, ld = S * (lower + upper) + 2 * S - 1;
        size_t first = col > upper ? col - upper : 0;
        c.count = last - first + 1;
        c.from = (lower + upper + 1) * col + (upper + first - col);
        for (size_t j = 0; j < S; j++) c.to[j] = ld * (S * col + j) + (S * upper + S - 1 + S * first - S * col - j);
    }
    if (p->format == COSTATE_CSC) {
        c.from = (size_t)p->colptr[col];
        c.count = (size_t)p->colptr[col + 1] - c.from;
        for (size_t j = 0; j < S; j++) c.to[j] = S * S * c.from + S * j * c.count;
    }
    return c;
}

/* Row i of blocks: h a_ij J_i. */
static void put_stage(costate_solver *s, int i, double h)
{
    firk *m = s->method;
    firk_coupled *c = &m->coupled;
    for (size_t col = 0; col < (size_t)s->prob.n; col++) {
        column p = find_column(&m->im.pattern, (size_t)s->prob.n, col);
        for (int j = 0; j < S; j++) {
            double *to = c->values + p.to[j] + i, ha = h * m->a[i][j];
            for (size_t k = 0; k < p.count; k++) to[S * k] = ha * c->jac[p.from + k];
        }
    }
}

static int factor(costate_solver *s, const step *st)
{
    firk *m = s->method;
    firk_coupled *c = &m->coupled;
    double *y[S];
    firk_cut(st->stages, (size_t)s->prob.n, y);
    if (c->key == st->n && c->h == st->h) return 0;
    c->h = 0;
    if (!c->ls.ops) {
        int status = open_coupled(s);
        if (status) close_coupled(s, c);
        if (status) return status;
    }
    for (int i = 0; i < S; i++) {
        TRY(cst__of(s, "jac", jacobian_eval(&m->im.jac, firk_time(m, st, i), y[i], s->p, c->jac)));
        put_stage(s, i, st->h);
    }
    if (c->ls.ops->restart) c->ls.ops->restart(c->ls.self); /* own pivots: which blocks come here first must not matter */
    s->stats.factor++;
    TRY(cst__implicit_outcome(s, &m->im, &c->ls, c->ls.ops->factor(c->ls.self, 0, 0, 1, 0, c->values), "factoring"));
    c->key = st->n;
    c->h = st->h;
    return 0;
}

int cst__firk_coupled_solve(costate_solver *s, const step *st, int transposed, int w, double *const rhs[S], double *x,
                            double *const k[S])
{
    firk *m = s->method;
    firk_coupled *c = &m->coupled;
    size_t n = (size_t)s->prob.n, lanes = (size_t)w;
    TRY(factor(s, st));
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < S; i++)
            for (size_t l = 0; l < lanes; l++) x[(S * r + i) * lanes + l] = rhs[i][r * lanes + l];
    s->stats.solve++;
    TRY(cst__implicit_outcome(s, &m->im, &c->ls, c->ls.ops->solve(c->ls.self, 0, transposed, w, x), "solving"));
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < S; i++)
            for (size_t l = 0; l < lanes; l++) k[i][r * lanes + l] = x[(S * r + i) * lanes + l];
    return 0;
}
