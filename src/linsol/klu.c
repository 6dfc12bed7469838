/* klu.c - linear solver "klu": sparse LU with the pivot order of the first matrix since `restart`, for matrices that stay
 * sparse when factored (circuits, kinetics).
 *
 * Analysis once: block triangular form, then minimum degree (AMD) of A + A^T in each block. The diagonal carries the shift, but
 * for zeros of M, so it is preferred as pivot: a pivot is taken off it only if it is below PIVOT times the largest entry of its
 * column. The first matrix is factored with pivoting; later ones by klu_refactor with the same order. Where that lets the entries
 * of L or U grow too large, the matrix alone is factored afresh, if need be with stricter and stricter pivoting. All slots share
 * the order of the first matrix of their kind (real or complex), whose values are kept for those who follow.
 *
 * Factors are taken out of KLU (klu_extract) and solved with by our own code, all lanes of a chunk in one pass:
 * R A = P^T (L U + F) Q^T, F being the entries outside of the diagonal blocks. R is one without a mass matrix: the columns of
 * kinetic Jacobians are balanced as they are, by conservation. Algebraic equations have units of their own, so that next to them
 * diagonals would not be taken as pivots, however good: with a mass matrix R makes the largest entry of every row about one, by
 * powers of two, which round nothing.
 *
 * KLU allocates through SuiteSparse's own functions (malloc): the factors that it keeps itself are not seen by the user's
 * allocator. */
#include "linsol/linsol.h"

#ifdef COSTATE_HAVE_KLU

#include "linsol/chunk.h"
#include "linsol/pencil.h"
#include "linsol/room.h"

#include <klu.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* With 0.1, pivots leave the diagonal of a shallow water grid at large steps: 15 times the work, and no smaller residual. */
#define PIVOT 0.01
#define LARGE_L 100 /* as pivoting with PIVOT would allow */
#define LARGE_U 100

typedef struct slot {
    int cplx;
    room ints, doubles;               /* of what follows */
    int *lp, *li, *up, *ui, *fp, *fi; /* columns of L (unit diagonal first), U (diagonal last, as reciprocals) and F */
    int *p;                           /* pivot rows */
    double *l, *u, *f;                /* values; those of a complex matrix have a second plane behind the first */
    double *row;                      /* R; NULL: it is one */
    size_t lnz, unz, fnz;
} slot;

typedef struct order {   /* of real matrices, or of complex ones */
    klu_numeric *pivots; /* of the first matrix, */
    room first;          /* its values */
    int64_t got, run;    /* and the runs that these are of and the pivots; 0: none */
    double *row;         /* n: R; NULL: it is one */
} order;

typedef struct sparse {
    costate_allocator alloc;
    pencil map;
    klu_common common;
    klu_symbolic *symbolic;
    double *values; /* of the matrix to be factored, pairs if it is complex */
    double *rows;   /* slots x n: R; NULL: it is one */
    int alone;      /* as in linsol_config */
    int64_t run;    /* from 1 */
    order order[2]; /* real, complex */
    double *work;   /* of a solve */
    int slots;
    slot slot[];
} sparse;

static void klu_close(void *self)
{
    sparse *k = self;
    costate_allocator alloc = k->alloc;
    for (int i = 0; i < k->slots; i++) {
        room_release(&k->slot[i].ints, &alloc);
        room_release(&k->slot[i].doubles, &alloc);
    }
    for (int i = 0; i < 2; i++) {
        klu_free_numeric(&k->order[i].pivots, &k->common);
        room_release(&k->order[i].first, &alloc);
    }
    klu_free_symbolic(&k->symbolic, &k->common);
    cst__release(&alloc, k->work);
    cst__release(&alloc, k->values);
    cst__release(&alloc, k->rows);
    pencil_close(&k->map, &alloc);
    cst__release(&alloc, k);
}

static int klu_open(void **self, const linsol_config *c)
{
    sparse *k = cst__alloc(&c->alloc, 1, sizeof *k + (size_t)c->slots * sizeof(slot));
    if (!k) return COSTATE_ERR_MEMORY;
    *k = (sparse){.alloc = c->alloc, .slots = c->slots, .alone = c->alone, .run = 1};
    memset(k->slot, 0, (size_t)c->slots * sizeof(slot));
    klu_defaults(&k->common);
    k->common.scale = -1;
    if (!pencil_sparse(&k->map, c)) {
        k->work = cst__alloc(&c->alloc, chunk_doubles(c->n), sizeof(double));
        k->values = cst__alloc(&c->alloc, 2 * k->map.size, sizeof(double));
        if (c->mass) k->rows = cst__alloc(&c->alloc, (size_t)c->slots * (size_t)c->n, sizeof(double));
    }
    if (k->work && k->values && (k->rows || !c->mass)) k->symbolic = klu_analyze(c->n, k->map.colptr, k->map.rowind, &k->common);
    if (!k->symbolic) {
        klu_close(k);
        return COSTATE_ERR_MEMORY;
    }
    for (int i = 0; k->rows && i < c->slots; i++) k->slot[i].row = k->rows + i * c->n;
    *self = k;
    return 0;
}

void linsol_klu_cost(const void *self, double *operations, double *entries)
{
    const klu_symbolic *s = ((const sparse *)self)->symbolic;
    *operations = s->est_flops;
    *entries = s->lnz + s->unz;
}

static void klu_restart(void *self)
{
    ((sparse *)self)->run++;
}

/* The first matrix of the other's run, of a kind; NULL: there was none. */
static const double *first_of(const sparse *k, int cplx)
{
    return k->order[cplx].got == k->run ? k->order[cplx].first.at : NULL;
}

static int klu_follow(void *self, const void *other)
{
    sparse *k = self;
    const sparse *o = other;
    int same = 1;
    for (int cplx = 0; cplx < 2; cplx++) {
        const double *mine = first_of(k, cplx), *theirs = first_of(o, cplx);
        same &= !mine == !theirs && (!mine || !memcmp(mine, theirs, k->map.size * (cplx ? 2 : 1) * sizeof *mine));
    }
    if (same) return 0;
    klu_restart(k);
    for (int cplx = 0; cplx < 2; cplx++) {
        const double *theirs = first_of(o, cplx);
        size_t count = k->map.size * (cplx ? 2 : 1);
        int st = theirs ? room_for(&k->order[cplx].first, &k->alloc, count, sizeof *theirs) : 0;
        if (st) return st;
        if (!theirs) continue;
        memcpy(k->order[cplx].first.at, theirs, count * sizeof *theirs);
        k->order[cplx].got = k->run;
    }
    return 0;
}

static int status(const sparse *k)
{
    return k->common.status == KLU_SINGULAR ? LINSOL_SINGULAR : COSTATE_ERR_MEMORY;
}

static klu_numeric *factor(sparse *k, int cplx, double *values, double tolerance)
{
    const pencil *m = &k->map;
    k->common.tol = tolerance;
    return cplx ? klu_z_factor(m->colptr, m->rowind, values, k->symbolic, &k->common)
                : klu_factor(m->colptr, m->rowind, values, k->symbolic, &k->common);
}

static int refactor(sparse *k, int cplx)
{
    const pencil *m = &k->map;
    return cplx ? klu_z_refactor(m->colptr, m->rowind, k->values, k->symbolic, k->order[cplx].pivots, &k->common)
                : klu_refactor(m->colptr, m->rowind, k->values, k->symbolic, k->order[cplx].pivots, &k->common);
}

/* Copies the factors out of num. */
static int extract(sparse *k, slot *s, klu_numeric *num)
{
    size_t n = (size_t)k->map.n, planes = s->cplx ? 2 : 1;
    s->lnz = (size_t)num->lnz;
    s->unz = (size_t)num->unz;
    s->fnz = (size_t)num->nzoff;
    int st = room_for(&s->ints, &k->alloc, 4 * n + 3 + s->lnz + s->unz + s->fnz, sizeof(int));
    if (!st) st = room_for(&s->doubles, &k->alloc, planes * (s->lnz + s->unz + s->fnz), sizeof(double));
    if (st) return st;
    s->p = s->ints.at;
    s->lp = s->p + n;
    s->up = s->lp + n + 1;
    s->fp = s->up + n + 1;
    s->li = s->fp + n + 1;
    s->ui = s->li + s->lnz;
    s->fi = s->ui + s->unz;
    s->l = s->doubles.at;
    s->u = s->l + planes * s->lnz;
    s->f = s->u + planes * s->unz;
    if (s->cplx)
        klu_z_extract(num, k->symbolic, s->lp, s->li, s->l, s->l + s->lnz, s->up, s->ui, s->u, s->u + s->unz, s->fp, s->fi, s->f,
                      s->f + s->fnz, s->p, NULL, NULL, NULL, &k->common);
    else
        klu_extract(num, k->symbolic, s->lp, s->li, s->l, s->up, s->ui, s->u, s->fp, s->fi, s->f, s->p, NULL, NULL, NULL,
                    &k->common);
    return 0;
}

/* Are the entries of the factors of moderate size? Those of U against those of the matrix. */
static int stable(const sparse *k, const slot *s)
{
    size_t parts = s->cplx ? 2 : 1;
    return chunk_largest(parts * s->lnz, s->l) <= LARGE_L &&
           chunk_largest(parts * s->unz, s->u) <= LARGE_U * chunk_largest(parts * k->map.size, k->values);
}

/* A power of two, the inverse of x but for its fraction; of zero and of what is out of range, one. */
static double inverse_power(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t exponent = bits >> 52, most = 2046; /* of 2^1023, whose inverse is still normal: 2046 less it */
    if (exponent == 0 || exponent >= most) return 1;
    bits = (most - exponent) << 52;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* R, and the matrix multiplied by it. */
static void scale_rows(sparse *k, const slot *s)
{
    const size_t parts = s->cplx ? 2 : 1;
    const int *rowind = k->map.rowind;
    double *row = s->row;
    for (int i = 0; i < k->map.n; i++) row[i] = 0;
    for (size_t e = 0; e < k->map.size; e++)
        for (size_t part = 0; part < parts; part++) {
            const double value = fabs(k->values[e * parts + part]);
            if (value > row[rowind[e]]) row[rowind[e]] = value;
        }
    for (int i = 0; i < k->map.n; i++) row[i] = inverse_power(row[i]);
    for (size_t e = 0; e < k->map.size; e++)
        for (size_t part = 0; part < parts; part++) k->values[e * parts + part] *= row[rowind[e]];
}

/* The pivots of this run's first matrix, which this one becomes if there is none. */
static int adopt_order(sparse *k, int cplx)
{
    order *o = &k->order[cplx];
    if (o->run == k->run) return 0;
    size_t count = k->map.size * (cplx ? 2 : 1);
    int found = o->got == k->run, st = room_for(&o->first, &k->alloc, count, sizeof(double));
    if (st) return st;
    if (!found) memcpy(o->first.at, k->values, count * sizeof(double));
    klu_numeric *num = factor(k, cplx, o->first.at, PIVOT);
    if (!num) return status(k);
    o->got = k->run;
    klu_free_numeric(&o->pivots, &k->common);
    o->pivots = num;
    o->run = k->run;
    return 0;
}

/* With the run's pivots, or with its own if those do not suit it, or are not asked for. */
static int factor_stably(sparse *k, slot *s)
{
    /* Also the first matrix goes through refactor, so that it gives the same bits when it comes again. */
    if (!k->alone && refactor(k, s->cplx)) {
        int st = extract(k, s, k->order[s->cplx].pivots);
        if (st || stable(k, s)) return st;
    } else if (!k->alone && k->common.status != KLU_SINGULAR) return COSTATE_ERR_MEMORY;
    for (double tolerance = PIVOT;; tolerance *= 10) {
        klu_numeric *fresh = factor(k, s->cplx, k->values, tolerance < 1 ? tolerance : 1);
        int st = fresh ? extract(k, s, fresh) : status(k);
        klu_free_numeric(&fresh, &k->common);
        if (st || tolerance >= 1 || stable(k, s)) return st;
    }
}

static int klu_slot_factor(void *self, int i, int cplx, double re, double im, const double *jac)
{
    sparse *k = self;
    slot *s = &k->slot[i];
    s->cplx = cplx != 0;
    int st = pencil_form(&k->map, cplx ? 2 : 1, cplx ? 1 : 0, re, im, jac, k->values);
    if (!st && s->row) scale_rows(k, s);
    if (!st && !k->alone) st = adopt_order(k, s->cplx);
    if (!st) st = factor_stably(k, s);
    for (int j = 0; j < k->map.n && !st; j++) {
        double *d = s->u + s->up[j + 1] - 1;
        chunk_reciprocal(s->cplx, d, d + s->unz);
    }
    return st;
}

CHUNK_INLINE void solve_chunk(int z, int W, const sparse *k, const slot *s, int transposed, int w, int first, double *block)
{
    const klu_symbolic *sym = k->symbolic;
    const int n = k->map.n;
    const size_t im = chunk_plane(W, n);
    const double *row = s->row;
    double *x = k->work;
    chunk_load(z, W, n, transposed ? sym->Q : s->p, w, first, block, x, x + im);
    for (int j = 0; row && !transposed && j < n; j++) chunk_scale(z, W, row[s->p[j]], 0, x + j * W, im);
    for (int b = 0; transposed && b < sym->nblocks; b++) {
        for (int j = sym->R[b]; j < sym->R[b + 1]; j++) {
            int d = s->up[j + 1] - 1;
            chunk_gather(z, W, s->fp[j], s->fp[j + 1], s->fi, s->f, s->f + s->fnz, x, x + j * W, im);
            chunk_gather(z, W, s->up[j], d, s->ui, s->u, s->u + s->unz, x, x + j * W, im);
            chunk_scale(z, W, s->u[d], z ? s->u[s->unz + (size_t)d] : 0, x + j * W, im);
        }
        for (int j = sym->R[b + 1] - 1; j >= sym->R[b]; j--)
            chunk_gather(z, W, s->lp[j] + 1, s->lp[j + 1], s->li, s->l, s->l + s->lnz, x, x + j * W, im);
    }
    for (int b = sym->nblocks - 1; !transposed && b >= 0; b--) {
        for (int j = sym->R[b]; j < sym->R[b + 1]; j++)
            chunk_scatter(z, W, s->lp[j] + 1, s->lp[j + 1], s->li, s->l, s->l + s->lnz, x + j * W, x, im);
        for (int j = sym->R[b + 1] - 1; j >= sym->R[b]; j--) {
            int d = s->up[j + 1] - 1;
            chunk_scale(z, W, s->u[d], z ? s->u[s->unz + (size_t)d] : 0, x + j * W, im);
            chunk_scatter(z, W, s->up[j], d, s->ui, s->u, s->u + s->unz, x + j * W, x, im);
            chunk_scatter(z, W, s->fp[j], s->fp[j + 1], s->fi, s->f, s->f + s->fnz, x + j * W, x, im);
        }
    }
    for (int j = 0; row && transposed && j < n; j++) chunk_scale(z, W, row[s->p[j]], 0, x + j * W, im);
    chunk_store(z, W, n, transposed ? s->p : sym->Q, w, first, block, x, x + im);
}

static int klu_slot_solve(void *self, int i, int transposed, int w, double *x)
{
    const sparse *k = self;
    const slot *s = &k->slot[i];
    for (int first = 0, W; first < w; first += W) {
        W = chunk_width(w - first);
        CHUNK_CALL(solve_chunk, s->cplx, W, k, s, transposed, w, first, x);
    }
    return 0;
}

#else

void linsol_klu_cost(const void *self, double *operations, double *entries)
{
    (void)self;
    *operations = *entries = 0;
}

#endif

const linsol_ops linsol_klu = {
    .name = "klu",
    .package = "libsuitesparse-dev",
    .formats = 1 << COSTATE_BANDED | 1 << COSTATE_CSC,
#ifdef COSTATE_HAVE_KLU
    .open = klu_open,
    .close = klu_close,
    .restart = klu_restart,
    .follow = klu_follow,
    .factor = klu_slot_factor,
    .solve = klu_slot_solve,
#endif
};
