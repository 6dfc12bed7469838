/* umfpack.c - linear solver "umfpack": sparse LU by dense fronts, for matrices that fill up when they are factored.
 *
 * UMFPACK is under the GPL. This file is therefore no part of the library: it is built into libcostate_umfpack.so, a shared
 * object of its own, that plugin.c loads when a user asks for "umfpack" by name. Pivots are chosen afresh for every matrix, so
 * the factors depend on the matrix alone.
 *
 * UMFPACK allocates through SuiteSparse's own functions (malloc), unseen by the user's allocator. Its fronts are worked on by
 * BLAS. */
#ifdef COSTATE_UMFPACK_PLUGIN

#include "linsol/blas.h"
#include "linsol/pencil.h"
#include "linsol/plugin.h"

#include <string.h>
#include <umfpack.h>

#define PIVOT 0.1 /* the diagonal is taken as pivot unless it is below PIVOT times the largest entry of its column */

typedef struct slot {
    int cplx;
    void *numeric;
} slot;

typedef struct frontal {
    costate_allocator alloc;
    pencil map;
    double control[UMFPACK_CONTROL];
    void *symbolic[2]; /* real and complex */
    double *values;    /* of the matrix to be factored, pairs if it is complex; behind them b, x and work of a solve */
    int *index;        /* work of a solve */
    int slots;
    slot slot[];
} frontal;

static void forget(slot *s)
{
    if (s->cplx) umfpack_zi_free_numeric(&s->numeric);
    else umfpack_di_free_numeric(&s->numeric);
}

static void frontal_close(void *self)
{
    frontal *f = self;
    costate_allocator alloc = f->alloc;
    for (int i = 0; i < f->slots; i++) forget(&f->slot[i]);
    umfpack_di_free_symbolic(&f->symbolic[0]);
    umfpack_zi_free_symbolic(&f->symbolic[1]);
    cst__release(&alloc, f->values);
    cst__release(&alloc, f->index);
    pencil_close(&f->map, &alloc);
    cst__release(&alloc, f);
}

static int status(int umfpack)
{
    return umfpack == UMFPACK_OK ? 0 : umfpack == UMFPACK_WARNING_singular_matrix ? LINSOL_SINGULAR : COSTATE_ERR_MEMORY;
}

/* The order of the columns, from the pattern alone. */
static int analyze(frontal *f, int cplx)
{
    const pencil *m = &f->map;
    if (f->symbolic[cplx]) return 0;
    if (cplx) return status(umfpack_zi_symbolic(m->n, m->n, m->colptr, m->rowind, NULL, NULL, &f->symbolic[1], f->control, NULL));
    return status(umfpack_di_symbolic(m->n, m->n, m->colptr, m->rowind, NULL, &f->symbolic[0], f->control, NULL));
}

static int frontal_open(void **self, const linsol_config *c)
{
    frontal *f = cst__alloc(&c->alloc, 1, sizeof *f + (size_t)c->slots * sizeof(slot));
    if (!f) return COSTATE_ERR_MEMORY;
    *f = (frontal){.alloc = c->alloc, .slots = c->slots};
    for (int i = 0; i < c->slots; i++) f->slot[i] = (slot){0};
    umfpack_di_defaults(f->control);
    f->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC; /* the diagonal carries the shift, but for zeros of M */
    f->control[UMFPACK_SYM_PIVOT_TOLERANCE] = PIVOT;
    f->control[UMFPACK_SCALE] = UMFPACK_SCALE_NONE; /* scaled rows would lead pivots off the diagonal: see lu.c */
    f->control[UMFPACK_IRSTEP] = 0;
    if (!pencil_sparse(&f->map, c)) {
        f->values = cst__alloc(&c->alloc, 2 * f->map.size + 8 * (size_t)c->n, sizeof(double));
        f->index = cst__alloc(&c->alloc, (size_t)c->n, sizeof(int));
    }
    int st = f->values && f->index ? analyze(f, 0) : COSTATE_ERR_MEMORY;
    if (st) frontal_close(f);
    else *self = f;
    return st;
}

static int frontal_factor(void *self, int i, int cplx, double re, double im, const double *jac)
{
    frontal *f = self;
    slot *s = &f->slot[i];
    const pencil *m = &f->map;
    forget(s);
    s->cplx = cplx = cplx != 0;
    int st = pencil_form(m, cplx ? 2 : 1, cplx ? 1 : 0, re, im, jac, f->values);
    if (!st) st = analyze(f, cplx);
    if (st) return st;
    const int number = blas_calm();
    if (cplx) st = umfpack_zi_numeric(m->colptr, m->rowind, f->values, NULL, f->symbolic[1], &s->numeric, f->control, NULL);
    else st = umfpack_di_numeric(m->colptr, m->rowind, f->values, f->symbolic[0], &s->numeric, f->control, NULL);
    blas_as_before(number);
    return status(st);
}

/* Lane by lane: UMFPACK solves with one right-hand side at a time. */
static int frontal_solve(void *self, int i, int transposed, int w, double *x)
{
    frontal *f = self;
    slot *s = &f->slot[i];
    size_t n = (size_t)f->map.n, parts = s->cplx ? 2 : 1;
    double *b = f->values + 2 * f->map.size, *y = b + 2 * n, *work = y + 2 * n;
    int system = transposed ? UMFPACK_Aat : UMFPACK_A, st = 0;
    const int number = blas_calm();
    for (size_t l = 0; l < (size_t)w && !st; l++) {
        for (size_t k = 0; k < n; k++) memcpy(b + parts * k, x + parts * (k * (size_t)w + l), parts * sizeof *x);
        if (s->cplx)
            st = umfpack_zi_wsolve(system, NULL, NULL, NULL, NULL, y, NULL, b, NULL, s->numeric, f->control, NULL, f->index,
                                   work);
        else st = umfpack_di_wsolve(system, NULL, NULL, NULL, y, b, s->numeric, f->control, NULL, f->index, work);
        for (size_t k = 0; k < n; k++) memcpy(x + parts * (k * (size_t)w + l), y + parts * k, parts * sizeof *x);
    }
    blas_as_before(number);
    return status(st);
}

static const linsol_ops umfpack = {
    .name = "umfpack",
    .package = "libsuitesparse-dev",
    .formats = 1 << COSTATE_BANDED | 1 << COSTATE_CSC,
    .open = frontal_open,
    .close = frontal_close,
    .factor = frontal_factor,
    .solve = frontal_solve,
};

/* NULL: not made for this library. */
COSTATE_API const linsol_ops *costate_umfpack_solver(const char *version, size_t size);

const linsol_ops *costate_umfpack_solver(const char *version, size_t size)
{
    return strcmp(version, COSTATE_VERSION) || size != LINSOL_LAYOUT ? NULL : &umfpack;
}

#endif
