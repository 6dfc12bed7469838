/* dense.c - linear solver "dense": any pattern, kept as a full matrix. */
#include "linsol/chunk.h"
#include "linsol/lu.h"
#include "linsol/room.h"
#include "linsol/pencil.h"

#define KEEP 0.1 /* see lu.h */

typedef struct slot {
    int cplx;
    room lu;
    int *order;
} slot;

typedef struct dense {
    costate_allocator alloc;
    pencil map;
    double *work; /* of a solve */
    int *swaps;   /* n, and behind them the slots' orders */
    room pairs;   /* of a complex matrix that LAPACK factors */
    int slots;
    slot slot[];
} dense;

static void dense_close(void *self)
{
    dense *d = self;
    costate_allocator alloc = d->alloc;
    for (int i = 0; i < d->slots; i++) room_release(&d->slot[i].lu, &alloc);
    room_release(&d->pairs, &alloc);
    cst__release(&alloc, d->swaps);
    cst__release(&alloc, d->work);
    pencil_close(&d->map, &alloc);
    cst__release(&alloc, d);
}

static int dense_open(void **self, const linsol_config *c)
{
    size_t n = (size_t)c->n, slots = (size_t)c->slots;
    dense *d = cst__alloc(&c->alloc, 1, sizeof *d + slots * sizeof(slot));
    if (!d) return COSTATE_ERR_MEMORY;
    *d = (dense){.alloc = c->alloc, .slots = c->slots};
    for (size_t i = 0; i < slots; i++) d->slot[i] = (slot){0};
    int st = pencil_dense(&d->map, c);
    if (!st) {
        d->work = cst__alloc(&c->alloc, chunk_doubles(c->n), sizeof(double));
        d->swaps = cst__alloc(&c->alloc, n * (slots + 1), sizeof(int));
    }
    if (!d->work || !d->swaps) {
        dense_close(d);
        return COSTATE_ERR_MEMORY;
    }
    for (size_t i = 0; i < slots; i++) d->slot[i].order = d->swaps + n * (i + 1);
    *self = d;
    return 0;
}

static int dense_factor(void *self, int s, int cplx, double re, double im, const double *jac)
{
    dense *d = self;
    slot *at = &d->slot[s];
    int lapack = cplx && d->map.n > LU_OWN;
    size_t size = d->map.size, step = lapack ? 2 : 1, imag = lapack ? 1 : cplx ? size : 0;
    int st = room_for(&at->lu, &d->alloc, size * (cplx ? 2 : 1), sizeof(double));
    if (!st && lapack) st = room_for(&d->pairs, &d->alloc, 2 * size, sizeof(double));
    if (st) return st;
    at->cplx = cplx;
    for (double keep = KEEP;; keep = 1) {
        st = pencil_form(&d->map, step, imag, re, im, jac, lapack ? d->pairs.at : at->lu.at);
        if (!st) st = lu_factor(cplx, d->map.n, at->lu.at, d->pairs.at, d->swaps, at->order, keep);
        if (st != LU_GROWN) return st;
    }
}

static int dense_solve(void *self, int s, int transposed, int w, double *x)
{
    dense *d = self;
    const slot *at = &d->slot[s];
    lu_solve(at->cplx, d->map.n, at->lu.at, at->order, transposed, w, x, d->work);
    return 0;
}

const linsol_ops linsol_dense = {
    .name = "dense",
    .formats = 1 << COSTATE_DENSE | 1 << COSTATE_BANDED | 1 << COSTATE_CSC,
    .open = dense_open,
    .close = dense_close,
    .factor = dense_factor,
    .solve = dense_solve,
};
