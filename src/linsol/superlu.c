/* superlu.c - linear solver "superlu": sparse LU by dense blocks (supernodes), for matrices that fill up when they are factored
 * (grids).
 *
 * Analysis once: minimum degree of A + A^T. Pivots are chosen afresh for every matrix, from the diagonal unless that is below
 * PIVOT times the largest entry of its column, so the factors depend on the matrix alone. Where the entries of U grow too large
 * against those of A, it is factored again with stricter pivoting. P_r A P_c^T = L U. A supernode of L
 * is a set of columns with the same rows below their dense triangle; that triangle's upper half belongs to U, whose other
 * columns are sparse.
 *
 * SuperLU allocates with malloc, unseen by the user's allocator, and where it finds no memory for one of its small work arrays
 * it ends the program. */
#include "linsol/linsol.h"

#ifdef COSTATE_HAVE_SUPERLU

#include "linsol/blas.h"
#include "linsol/chunk.h"
#include "linsol/room.h"
#include "linsol/pencil.h"

#include <slu_ddefs.h>
#include <slu_zdefs.h>

/* With 0.1, pivots leave the diagonal of a shallow water grid at large steps: 40 times the work, and no smaller residual. */
#define PIVOT 0.01
#define LARGE_U 100

/* Columns at the leaves of the elimination tree that become one supernode whatever their rows, and columns worked on at a time.
 * The library's own values, 10 and 20, fill up more: 1.08 against 0.95 million entries, 208 against 159 ms for the 4800
 * unknowns of a shallow water grid. */
enum { LEAVES = 4, AT_A_TIME = 8 };

typedef struct slot {
    int cplx, made; /* made: l and u are there */
    SuperMatrix l, u;
    double *lr, *li, *ur, *ui; /* values: SuperLU's, or planes if they are complex; reciprocals on U's diagonal */
    room planes;
    int *row; /* row[k]: the k-th pivot row */
} slot;

typedef struct super {
    costate_allocator alloc;
    pencil map;
    superlu_options_t options;
    SuperLUStat_t stat;
    SuperMatrix a; /* the columns of `values` in their order */
    double *values, *work;
    int *perm_c, *column, *etree, *perm_r; /* column: the inverse of perm_c. Behind them the slots' rows */
    int prepared, slots;
    slot slot[];
} super;

static void forget(slot *s)
{
    if (s->made) {
        Destroy_SuperNode_Matrix(&s->l);
        Destroy_CompCol_Matrix(&s->u);
    }
    s->made = 0;
}

static void super_close(void *self)
{
    super *p = self;
    costate_allocator alloc = p->alloc;
    for (int i = 0; i < p->slots; i++) {
        forget(&p->slot[i]);
        room_release(&p->slot[i].planes, &alloc);
    }
    if (p->prepared) {
        Destroy_CompCol_Permuted(&p->a);
        StatFree(&p->stat);
    }
    cst__release(&alloc, p->perm_c);
    cst__release(&alloc, p->values);
    cst__release(&alloc, p->work);
    pencil_close(&p->map, &alloc);
    cst__release(&alloc, p);
}

/* The order of the columns, and a view of the matrix in that order. */
static void prepare(super *p)
{
    int n = p->map.n;
    NCformat columns = {(int)p->map.size, p->values, p->map.rowind, p->map.colptr};
    SuperMatrix a = {SLU_NC, SLU_D, SLU_GE, n, n, &columns};
    set_default_options(&p->options);
    p->options.ColPerm = MMD_AT_PLUS_A;
    StatInit(&p->stat);
    get_perm_c(MMD_AT_PLUS_A, &a, p->perm_c);
    sp_preorder(&p->options, &a, p->perm_c, p->etree, &p->a);
    for (int i = 0; i < n; i++) p->column[p->perm_c[i]] = i;
    p->prepared = 1;
}

static int super_open(void **self, const linsol_config *c)
{
    size_t n = (size_t)c->n, slots = (size_t)c->slots;
    super *p = cst__alloc(&c->alloc, 1, sizeof *p + slots * sizeof(slot));
    if (!p) return COSTATE_ERR_MEMORY;
    *p = (super){.alloc = c->alloc, .slots = c->slots};
    for (size_t i = 0; i < slots; i++) p->slot[i] = (slot){0};
    if (!pencil_sparse(&p->map, c)) {
        p->work = cst__alloc(&c->alloc, chunk_doubles(c->n), sizeof(double));
        p->values = cst__alloc(&c->alloc, 2 * p->map.size, sizeof(double));
        p->perm_c = cst__alloc(&c->alloc, n * (4 + slots), sizeof(int));
    }
    if (!p->work || !p->values || !p->perm_c) {
        super_close(p);
        return COSTATE_ERR_MEMORY;
    }
    p->column = p->perm_c + n;
    p->etree = p->column + n;
    p->perm_r = p->etree + n;
    for (size_t i = 0; i < slots; i++) p->slot[i].row = p->perm_r + n * (i + 1);
    prepare(p);
    *self = p;
    return 0;
}

static void split(size_t count, const double *pairs, double *planes)
{
    for (size_t i = 0; i < count; i++) {
        planes[i] = pairs[2 * i];
        planes[i + count] = pairs[2 * i + 1];
    }
}

/* Planes instead of pairs. */
static int unpack(super *p, slot *s)
{
    const SCformat *l = s->l.Store;
    const NCformat *u = s->u.Store;
    size_t lnz = (size_t)l->nzval_colptr[p->map.n], unz = (size_t)u->colptr[p->map.n];
    s->lr = s->li = l->nzval;
    s->ur = s->ui = u->nzval;
    if (!s->cplx) return 0;
    int st = room_for(&s->planes, &p->alloc, 2 * (lnz + unz), sizeof(double));
    if (st) return st;
    s->lr = s->planes.at;
    s->li = s->lr + lnz;
    s->ur = s->li + lnz;
    s->ui = s->ur + unz;
    split(lnz, l->nzval, s->lr);
    split(unz, u->nzval, s->ur);
    return 0;
}

/* The largest part of an entry of U. */
static double largest(const super *p, const slot *s)
{
    const SCformat *l = s->l.Store;
    const NCformat *u = s->u.Store;
    size_t parts = s->cplx ? 2 : 1;
    double most = chunk_largest(parts * (size_t)u->colptr[p->map.n], s->ur);
    for (int j = 0; j < p->map.n; j++) {
        int at = l->nzval_colptr[j], count = j + 1 - l->sup_to_col[l->col_to_sup[j]];
        double re = chunk_largest((size_t)count, s->lr + at), im = s->cplx ? chunk_largest((size_t)count, s->li + at) : 0;
        if (!(re <= most)) most = re;
        if (!(im <= most)) most = im;
    }
    return most;
}

static int factor(super *p, slot *s, double tolerance)
{
    GlobalLU_t glu;
    int info = 0;
    forget(s);
    p->options.DiagPivotThresh = tolerance;
    p->a.Dtype = s->cplx ? SLU_Z : SLU_D;
    const int number = blas_calm();
    (s->cplx ? zgstrf : dgstrf)(&p->options, &p->a, LEAVES, AT_A_TIME, p->etree, NULL, 0, p->perm_c, p->perm_r, &s->l, &s->u,
                                &glu, &p->stat, &info);
    blas_as_before(number);
    s->made = info <= p->map.n;
    if (info) return s->made ? LINSOL_SINGULAR : COSTATE_ERR_MEMORY;
    return unpack(p, s);
}

static int super_factor(void *self, int i, int cplx, double re, double im, const double *jac)
{
    super *p = self;
    slot *s = &p->slot[i];
    s->cplx = cplx != 0;
    int st = pencil_form(&p->map, cplx ? 2 : 1, cplx ? 1 : 0, re, im, jac, p->values);
    double matrix = chunk_largest(p->map.size * (cplx ? 2 : 1), p->values);
    for (double tolerance = PIVOT; !st; tolerance *= 10) {
        st = factor(p, s, tolerance < 1 ? tolerance : 1);
        if (st || tolerance >= 1 || largest(p, s) <= LARGE_U * matrix) break;
    }
    const SCformat *l = s->l.Store;
    for (int j = 0; j < p->map.n && !st; j++) {
        int at = l->nzval_colptr[j] + j - l->sup_to_col[l->col_to_sup[j]];
        chunk_reciprocal(s->cplx, s->lr + at, s->li + at);
        s->row[p->perm_r[j]] = j;
    }
    return st;
}

/* L x for one supernode: its dense triangle, then the rows below. */
CHUNK_INLINE void lower(int z, int W, const slot *s, const SCformat *l, int first, int end, double *x, size_t im)
{
    int ld = l->rowind_colptr[first + 1] - l->rowind_colptr[first], m = end - first;
    const int *row = l->rowind + l->rowind_colptr[first];
    const double *ar = s->lr + l->nzval_colptr[first], *ai = s->li + l->nzval_colptr[first];
    for (int c = 0; c < m; c++) {
        int d = c + ld * c;
        double *xc = x + (first + c) * W;
        chunk_column_sub(z, W, m - 1 - c, ar + d + 1, ai + d + 1, xc, xc + W, im);
        chunk_scatter(z, W, m, ld, row, ar + ld * c, ai + ld * c, xc, x, im);
    }
}

CHUNK_INLINE void lower_transposed(int z, int W, const slot *s, const SCformat *l, int first, int end, double *x, size_t im)
{
    int ld = l->rowind_colptr[first + 1] - l->rowind_colptr[first], m = end - first;
    const int *row = l->rowind + l->rowind_colptr[first];
    const double *ar = s->lr + l->nzval_colptr[first], *ai = s->li + l->nzval_colptr[first];
    for (int c = m - 1; c >= 0; c--) {
        int d = c + ld * c;
        double *xc = x + (first + c) * W;
        chunk_gather(z, W, m, ld, row, ar + ld * c, ai + ld * c, x, xc, im);
        chunk_column_dot(z, W, m - 1 - c, ar + d + 1, ai + d + 1, xc + W, 1, xc, im);
    }
}

CHUNK_INLINE void upper(int z, int W, const slot *s, const SCformat *l, const NCformat *u, int first, int end, double *x,
                        size_t im)
{
    for (int j = end - 1; j >= first; j--) {
        const double *ar = s->lr + l->nzval_colptr[j], *ai = s->li + l->nzval_colptr[j];
        int c = j - first;
        double *xj = x + j * W;
        chunk_scale(z, W, ar[c], z ? ai[c] : 0, xj, im);
        chunk_column_sub(z, W, c, ar, ai, xj, x + first * W, im);
        chunk_scatter(z, W, u->colptr[j], u->colptr[j + 1], u->rowind, s->ur, s->ui, xj, x, im);
    }
}

CHUNK_INLINE void upper_transposed(int z, int W, const slot *s, const SCformat *l, const NCformat *u, int first, int end,
                                   double *x, size_t im)
{
    for (int j = first; j < end; j++) {
        const double *ar = s->lr + l->nzval_colptr[j], *ai = s->li + l->nzval_colptr[j];
        int c = j - first;
        double *xj = x + j * W;
        chunk_gather(z, W, u->colptr[j], u->colptr[j + 1], u->rowind, s->ur, s->ui, x, xj, im);
        chunk_column_dot(z, W, c, ar, ai, x + first * W, 0, xj, im);
        chunk_scale(z, W, ar[c], z ? ai[c] : 0, xj, im);
    }
}

CHUNK_INLINE void solve_chunk(int z, int W, const super *p, const slot *s, int transposed, int w, int first, double *block)
{
    const SCformat *l = s->l.Store;
    const NCformat *u = s->u.Store;
    const int *sup = l->sup_to_col, n = p->map.n;
    const size_t im = chunk_plane(W, n);
    double *x = p->work;
    chunk_load(z, W, n, transposed ? p->column : s->row, w, first, block, x, x + im);
    if (transposed) {
        for (int k = 0; k <= l->nsuper; k++) upper_transposed(z, W, s, l, u, sup[k], sup[k + 1], x, im);
        for (int k = l->nsuper; k >= 0; k--) lower_transposed(z, W, s, l, sup[k], sup[k + 1], x, im);
    } else {
        for (int k = 0; k <= l->nsuper; k++) lower(z, W, s, l, sup[k], sup[k + 1], x, im);
        for (int k = l->nsuper; k >= 0; k--) upper(z, W, s, l, u, sup[k], sup[k + 1], x, im);
    }
    chunk_store(z, W, n, transposed ? s->row : p->column, w, first, block, x, x + im);
}

static int super_solve(void *self, int i, int transposed, int w, double *x)
{
    const super *p = self;
    const slot *s = &p->slot[i];
    for (int first = 0, W; first < w; first += W) {
        W = chunk_width(w - first);
        CHUNK_CALL(solve_chunk, s->cplx, W, p, s, transposed, w, first, x);
    }
    return 0;
}

#endif

const linsol_ops linsol_superlu = {
    .name = "superlu",
    .package = "libsuperlu-dev",
    .formats = 1 << COSTATE_BANDED | 1 << COSTATE_CSC,
#ifdef COSTATE_HAVE_SUPERLU
    .open = super_open,
    .close = super_close,
    .factor = super_factor,
    .solve = super_solve,
#endif
};
