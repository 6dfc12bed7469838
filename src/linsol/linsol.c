/* linsol.c - the table of linear solvers, and the choice among them. */
#include "linsol/linsol.h"

#include "base/sized.h"
#include "base/sparsity.h"
#include "linsol/chunk.h"
#include "linsol/pencil.h"
#include "linsol/plugin.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The choice of "auto", by the pattern that J and M have together. Dense: dense. A band: band, unless it is WIDE. Sparse, by
 * klu's analysis: dense if it is FILLED, ilu if complete factors cost as much as many iterations, superlu if its dense blocks
 * make up for what it takes to find them, else klu. umfpack is never chosen, for its licence, nor gmres, which wants a
 * preconditioner.
 *
 * Where the limits are was measured (Zen 4, gcc 12, OpenBLAS 0.3.21): klu against dense for n = 8 .. 200 with 3 .. 20 entries per
 * column; klu, superlu and ilu for grids in two and three dimensions of 400 .. 20,000 unknowns. What comes of it, in milliseconds
 * of a run of rodas4 with its gradient (bench/run linsol makes such a table; * the choice):
 *     POLLU, n = 20            dense 0.08  klu 0.08*  superlu 0.19  umfpack 0.22  ilu 1.3
 *     food web, n = 800        klu 10*     superlu 44    umfpack 72    ilu 11     gmres 630
 *     Brusselator, n = 1000    klu 10      superlu 18    umfpack 31    ilu 25     band 10*
 *     Brusselator, n = 800     klu 137     superlu 147   umfpack 176   ilu 104*   gmres 85
 *     Brusselator, n = 3200                superlu 1040  umfpack 1330  ilu 670*   gmres 660
 *     heat, n = 10,000         klu 190     superlu 200                 ilu 340    (* 215: ilu's probe, then superlu)
 *     Gray-Scott, n = 450      klu 14      superlu 18    umfpack 36    ilu 8.8*   gmres 3.3
 *     Gray-Scott, n = 1800     klu 220     superlu 145   umfpack 240   ilu 38*    gmres 16
 *     cube, n = 1000           klu 18      superlu 30    umfpack 24    ilu 6.8*   gmres 3.4
 *     cube, n = 4096                       superlu 285   umfpack 210   ilu 34*    gmres 20
 *     circuit, n = 4001        klu 40*                                            gmres 360
 *     arrow, n = 2001          klu 6*                                             gmres 10
 * GMRES on products alone is less exact, 1e-10 in one norm, and fails where steps are large. */
#define FILLED 0.15 /* klu's operations, as a fraction of n^3, from which on a dense matrix is faster */
/* In klu's operations of a factorization: superlu's, and one of ilu's iterations for an entry of the matrix; and an entry of
 * complete factors in a solution. */
#define DENSE_BLOCKS 0.1
#define FIND_BLOCKS 83.0 /* for an entry of the factors */
#define ITERATION 4.5
#define SOLVE 4.0
#define SOLUTIONS 6.0 /* with a matrix, where nobody knows better */
/* ilu is chosen where complete factors cost as much as so many iterations a solution. It may take so many of them, and has
 * complete factors for matrices with which that does not do. */
#define WORTH_TRYING 14.0
#define USUAL 15.0 /* iterations that it takes */
#define WORTH 0.8
#define WIDE 0.17 /* lower (lower + upper), as a fraction of n^2, from which on a dense matrix is faster than a band */

/* Known by name only: it is a shared object of its own, for its licence. */
static const linsol_ops umfpack = {.name = "umfpack", .package = "libsuitesparse-dev"};

static const linsol_ops *const known[] = {&linsol_dense,   &linsol_band,  &linsol_klu, &umfpack,
                                          &linsol_superlu, &linsol_gmres, &linsol_ilu};
enum { KNOWN = sizeof known / sizeof known[0] };

const char *linsol_names(void)
{
    return "auto, dense, band, klu, umfpack, superlu, gmres, ilu";
}

static const linsol_ops *find_known(const char *name)
{
    for (int i = 0; i < KNOWN; i++)
        if (!strcmp(known[i]->name, name)) return known[i];
    return NULL;
}

const linsol_ops *linsol_find(const char *name)
{
    const linsol_ops *ops = find_known(name);
    if (ops == &umfpack) return plugin_load(name);
    return ops && ops->open ? ops : NULL;
}

static const char *format_name(int format)
{
    return format == COSTATE_DENSE ? "dense" : format == COSTATE_BANDED ? "banded" : "sparse";
}

static int refuse(char *why, size_t size, const char *name, const linsol_ops *ops, const linsol_config *c)
{
    if (!find_known(name)) snprintf(why, size, "there is no linear solver \"%s\", but %s", name, linsol_names());
    else if (!ops)
        snprintf(why, size, "linear solver \"%s\" is not installed: it needs the Debian package %s when Costate is built", name,
                 find_known(name)->package);
    else
        snprintf(why, size, "linear solver \"%s\" takes no %s pattern%s; set costate_problem.pattern, or use \"auto\"", name,
                 format_name((int)pencil_pattern(c).format), c->mass ? ", which Jacobian and mass matrix have together" : "");
    return COSTATE_ERR_LINSOL;
}

/* Rows are numbered by ints, and places in planes of CHUNK_MOST lanes of real and imaginary parts. */
static int too_many(const linsol *l, const linsol_ops *ops, char *why, size_t size)
{
    enum { MOST = INT_MAX / (2 * CHUNK_MOST) };
    if (ops->matrix_free || l->config.n <= MOST) return 0;
    snprintf(why, size, "%d equations, and linear solver \"%s\" counts up to %d", l->config.n, ops->name, MOST);
    return 1;
}

static int open_with(linsol *l, const linsol_ops *ops, char *why, size_t size)
{
    if (ops != &linsol_own && too_many(l, ops, why, size)) return COSTATE_ERR_LINSOL;
    l->ops = ops;
    l->name = ops->name;
    int st = ops->open(&l->self, &l->config);
    if (st) l->ops = NULL;
    return st;
}

static int open_own(linsol *l, char *why, size_t size)
{
    const costate_linear_solver *own = l->config.own;
    const char *name = own->name ? own->name : "own", *lacks = !own->open     ? "open"
                                                               : !own->factor ? "factor"
                                                               : !own->solve  ? "solve"
                                                                              : NULL;
    if (lacks) {
        snprintf(why, size, "linear solver \"%s\" has no %s", name, lacks);
        return COSTATE_ERR_LINSOL;
    }
    int st = open_with(l, &linsol_own, why, size);
    l->name = name;
    if (st == COSTATE_ERR_LINSOL) {
        const linsol_said *said = l->config.said;
        snprintf(why, size, "open of linear solver \"%s\" returned %d for a %s pattern of %d equations%s%s%s", name, said->code,
                 format_name((int)pencil_pattern(&l->config).format), said->n,
                 said->n == l->config.n ? "" : ", which stand for complex ones: ",
                 said->n == l->config.n || l->config.mass ? "" : "take complex matrices, or ",
                 said->n == l->config.n ? "" : "use a Rosenbrock or SDIRK method");
    }
    return st;
}

/* By what klu's analysis of the pattern says a factorization costs. */
static int open_sparse(linsol *l, char *why, size_t size)
{
    double n = l->config.n, operations, entries;
    if (!linsol_klu.open) return open_with(l, linsol_superlu.open ? &linsol_superlu : &linsol_dense, why, size);
    int st = open_with(l, &linsol_klu, why, size);
    if (st) return st;
    linsol_klu_cost(l->self, &operations, &entries);
    double values = (double)pattern_values(&l->config.pattern, l->config.n), blocks = INFINITY;
    if (l->config.mass) values += (double)pattern_values(&l->config.mass->pattern, l->config.n);
    if (linsol_superlu.open) blocks = DENSE_BLOCKS * operations + FIND_BLOCKS * entries;
    const double solutions = l->config.solutions > 0 ? l->config.solutions : SOLUTIONS;
    const double worth = (fmin(operations, blocks) / solutions + SOLVE * entries) / (ITERATION * values);
    l->operations = operations;
    l->entries = entries;
    const linsol_ops *better = NULL;
    if (operations > FILLED * n * n * n) better = &linsol_dense;
    else if (worth >= WORTH_TRYING) better = &linsol_ilu;
    else if (blocks < operations) better = &linsol_superlu;
    if (better == &linsol_superlu) l->operations = blocks;
    if (better == &linsol_ilu) {
        l->config.most = (int)fmin(WORTH * worth, 1000);
        l->operations = fmin(fmin(operations, blocks), USUAL * ITERATION * values * solutions); /* with those solutions */
    }
    if (!better) return 0;
    l->ops->close(l->self);
    return open_with(l, better, why, size);
}

int linsol_open_complete(linsol *l, const linsol_config *c)
{
    *l = (linsol){.config = *c};
    return open_with(l, linsol_superlu.open ? &linsol_superlu : linsol_klu.open ? &linsol_klu : &linsol_dense, NULL, 0);
}

static int open_best(linsol *l, char *why, size_t size)
{
    costate_pattern p = pencil_pattern(&l->config);
    double n = l->config.n;
    if (p.format == COSTATE_CSC) return open_sparse(l, why, size);
    int band = p.format == COSTATE_BANDED && p.lower * ((double)p.lower + p.upper) <= WIDE * n * n;
    return open_with(l, band ? &linsol_band : &linsol_dense, why, size);
}

static int check_mass(const linsol_config *c, char *why, size_t size)
{
    char reason[128];
    int st = pattern_check(&c->mass->pattern, c->n, reason, sizeof reason);
    if (st) snprintf(why, size, "mass matrix of %d equations: %s", c->n, reason);
    return st;
}

static int open_named(linsol *l, const char *name, const linsol_config *c, char *why, size_t size)
{
    if (c->own) return open_own(l, why, size);
    if (!strcmp(name, "auto")) return open_best(l, why, size);
    const linsol_ops *ops = linsol_find(name);
    if (!ops || !(ops->formats >> pencil_pattern(c).format & 1)) return refuse(why, size, name, ops, c);
    return open_with(l, ops, why, size);
}

/* Of a sparse matrix klu's analysis has said it, or else nobody knows. */
static void estimate(linsol *l)
{
    const costate_pattern p = pencil_pattern(&l->config);
    const double n = l->config.n, width = (double)p.lower + p.upper;
    if (l->ops == &linsol_dense) l->operations = 2.0 / 3 * n * n * n, l->entries = n * n;
    else if (l->ops == &linsol_band) l->operations = 2 * n * p.lower * width, l->entries = n * (width + p.lower + 1);
    else if (l->ops == &linsol_klu) linsol_klu_cost(l->self, &l->operations, &l->entries);
}

int linsol_open(linsol *l, const char *name, const linsol_config *c, char *why, size_t size)
{
    *l = (linsol){.config = *c};
    if (size) *why = 0;
    int st = c->mass ? check_mass(c, why, size) : 0;
    if (!st) st = open_named(l, name, c, why, size);
    if (!st) estimate(l);
    return st;
}

void linsol_close(linsol *l)
{
    if (l->ops) l->ops->close(l->self);
    *l = (linsol){0};
}

int linsol_finite(const costate_pattern *q, int n, const double *values)
{
    for (int j = 0; j < n; j++) {
        pattern_column c = pattern_entries(q, n, j);
        if (!isfinite(chunk_largest((size_t)c.count, values + c.at))) return 0;
    }
    return 1;
}

void linsol_mass_apply(const linsol_mass *m, int n, int transposed, int w, const double *x, double *out)
{
    size_t bytes = (size_t)n * (size_t)w * sizeof *out;
    if (!m) memcpy(out, x, bytes);
    else pattern_apply(&m->pattern, n, m->values, transposed, w, x, memset(out, 0, bytes));
}

/* ---- the listing ----------------------------------------------------------------------------------------------------- */

static const char *const what[KNOWN] = {
    "LAPACK, general matrices",         "LAPACK, band matrices",   "KLU, sparse matrices",     "UMFPACK, sparse, by dense blocks",
    "SuperLU, sparse, by dense blocks", "GMRES, without a matrix", "GMRES, incomplete factors"};

int costate_linsol_sized(int i, costate_linsol_info *info, size_t size)
{
    enum { ANY = 1 << COSTATE_DENSE | 1 << COSTATE_BANDED | 1 << COSTATE_CSC };
    if (i < 0 || i > KNOWN || !info) return -1;
    costate_linsol_info own = {"auto", "the best of the others, by the pattern", ANY, ""};
    if (i > 0) {
        const linsol_ops *named = known[i - 1], *ops = linsol_find(named->name);
        own = (costate_linsol_info){named->name, what[i - 1], ops ? (int)ops->formats : 0, named->package ? named->package : ""};
    }
    sized_give(info, size, &own, sizeof own);
    return 0;
}
