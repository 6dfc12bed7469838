/* own.c - a user's linear solver (costate_linear_solver) as a back end: a handle for every slot, opened when it is first needed.
 *
 * A solver that takes no complex matrices is given the real system of 2n equations instead, unknowns Re x_0, Im x_0, Re x_1, ...:
 *
 *     ((re + i im) I - J) x = b   <=>   (re I - K) (Re x, Im x) = (Re b, Im b),   K = J (x) I_2 + I (x) (0 im; -im 0)
 *
 * The transpose of re I - K belongs to the conjugate of M^T, so b is conjugated before and x after a transposed solve. */
#include "base/sparsity.h"
#include "linsol/chunk.h"
#include "linsol/linsol.h"
#include "linsol/room.h"

#include <limits.h>

typedef struct twofold { /* K, for the pattern of J */
    costate_pattern pattern;
    size_t values;
    int *to;   /* value k of J goes to to[2k] and to[2k + 1]; -1: it is no entry */
    int *turn; /* places of -im (column 2j) and im (column 2j + 1) */
    int *colptr, *rowind;
    double *k; /* the values; to .. rowind follow in the same memory */
} twofold;

enum { PLAIN, NATIVE, TWICE, LANES, MODES = LANES }; /* real; complex; complex as twofold; complex, but im = 0: twice the lanes */

typedef struct slot {
    void *handle[MODES];
    unsigned char open[MODES];
    int mode; /* of its factors */
} slot;

typedef struct own {
    const costate_linear_solver *user;
    costate_allocator alloc;
    costate_pattern pattern;
    linsol_said *said;
    int n, slots;
    size_t values; /* of J */
    twofold two;
    room block; /* of a twofold solve */
    slot slot[];
} own;

/* ---- twofold ------------------------------------------------------------------------------------------------------------- */

/* The place of (row, column); in a sparse K entries are put one after the other. */
static int put(twofold *t, int n2, int row, int column, int *next)
{
    const costate_pattern *p = &t->pattern;
    if (p->format == COSTATE_DENSE) return row + n2 * column;
    if (p->format == COSTATE_BANDED) return p->upper + row - column + (p->lower + p->upper + 1) * column;
    t->rowind[*next] = row;
    return (*next)++;
}

static void map_entries(own *o)
{
    twofold *t = &o->two;
    int next = 0;
    for (size_t k = 0; k < 2 * o->values; k++) t->to[k] = -1;
    for (int column = 0; column < 2 * o->n; column++) {
        int j = column / 2, part = column % 2, across = 2 * j + 1 - part, turned = 0;
        pattern_column c = pattern_entries(&o->pattern, o->n, j);
        if (t->colptr) t->colptr[column] = next;
        for (int k = 0; k <= c.count; k++) {
            int row = k < c.count ? 2 * pattern_row(&c, k) + part : INT_MAX;
            if (!turned && row > across) {
                t->turn[column] = put(t, 2 * o->n, across, column, &next);
                turned = 1;
            }
            if (k < c.count) t->to[2 * (c.at + (size_t)k) + (size_t)part] = put(t, 2 * o->n, row, column, &next);
        }
    }
    if (t->colptr) t->colptr[2 * o->n] = next;
}

static int twofold_open(own *o)
{
    twofold *t = &o->two;
    size_t n2 = 2 * (size_t)o->n, ints = 2 * o->values + n2;
    if (t->k) return 0;
    t->pattern = o->pattern;
    t->values = t->pattern.format == COSTATE_DENSE ? n2 * n2 : 2 * o->values + n2;
    if (t->pattern.format == COSTATE_BANDED) {
        t->pattern.lower = o->pattern.lower ? 2 * o->pattern.lower : 1;
        t->pattern.upper = o->pattern.upper ? 2 * o->pattern.upper : 1;
        t->values = n2 * (size_t)(t->pattern.lower + t->pattern.upper + 1);
    } else if (t->pattern.format == COSTATE_CSC) ints += n2 + 1 + t->values;
    if (t->values > INT_MAX) return COSTATE_ERR_MEMORY;
    t->k = cst__alloc(&o->alloc, t->values * sizeof(double) + ints * sizeof(int), 1);
    if (!t->k) return COSTATE_ERR_MEMORY;
    t->to = (int *)(t->k + t->values);
    t->turn = t->to + 2 * o->values;
    if (t->pattern.format == COSTATE_CSC) {
        t->pattern.colptr = t->colptr = t->turn + n2;
        t->pattern.rowind = t->rowind = t->colptr + n2 + 1;
    }
    map_entries(o);
    return 0;
}

static void twofold_fill(own *o, double im, const double *jac)
{
    twofold *t = &o->two;
    memset(t->k, 0, t->values * sizeof *t->k);
    for (size_t k = 0; k < 2 * o->values; k++)
        if (t->to[k] >= 0) t->k[t->to[k]] = jac[k / 2];
    for (int j = 0; j < o->n; j++) {
        t->k[t->turn[2 * j]] = -im;
        t->k[t->turn[2 * j + 1]] = im;
    }
}

/* Between x (n x w pairs) and y (2n x w); sign: of the imaginary parts. */
static void reorder(int n, int w, double sign, double *x, double *y, int back)
{
    size_t lanes = (size_t)w;
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t l = 0; l < lanes; l++) {
            double *pair = x + 2 * (i * lanes + l), *re = y + 2 * i * lanes + l, *im = re + lanes;
            if (back) {
                pair[0] = *re;
                pair[1] = sign * *im;
            } else {
                *re = pair[0];
                *im = sign * pair[1];
            }
        }
}

/* ---- the back end -------------------------------------------------------------------------------------------------------- */

static int fails(own *o, const char *who, int rc)
{
    if (rc >= 0) return rc ? LINSOL_SINGULAR : 0;
    *o->said = (linsol_said){who, rc, o->n};
    return LINSOL_CALLBACK;
}

static int open_handle(own *o, int at, int mode)
{
    slot *s = &o->slot[at];
    if (s->open[mode]) return 0;
    if (mode == TWICE && twofold_open(o)) return COSTATE_ERR_MEMORY;
    int n = mode == TWICE ? 2 * o->n : o->n;
    int rc = o->user->open(&s->handle[mode], n, mode == TWICE ? &o->two.pattern : &o->pattern, o->user->data);
    s->open[mode] = !rc;
    if (rc) *o->said = (linsol_said){"the linear solver's open", rc, n};
    return rc ? COSTATE_ERR_LINSOL : 0;
}

static void own_close(void *self)
{
    own *o = self;
    costate_allocator alloc = o->alloc;
    for (int i = 0; i < o->slots; i++)
        for (int m = 0; m < MODES; m++)
            if (o->slot[i].open[m] && o->user->close) o->user->close(o->slot[i].handle[m]);
    room_release(&o->block, &alloc);
    cst__release(&alloc, o->two.k);
    cst__release(&alloc, o);
}

/* What will be asked for is opened now, so that a refusal comes early. */
static int own_open(void **self, const linsol_config *c)
{
    own *o = cst__alloc(&c->alloc, 1, sizeof *o + (size_t)c->slots * sizeof(slot));
    if (!o) return COSTATE_ERR_MEMORY;
    *o = (own){.user = c->own, .alloc = c->alloc, .pattern = c->pattern, .said = c->said, .n = c->n, .slots = c->slots};
    memset(o->slot, 0, (size_t)c->slots * sizeof(slot));
    o->values = pattern_values(&c->pattern, c->n);
    int st = c->n > INT_MAX / 2 ? COSTATE_ERR_MEMORY : open_handle(o, 0, PLAIN);
    if (!st && c->cplx) st = open_handle(o, c->slots - 1, c->own->takes_complex ? NATIVE : TWICE);
    if (st) own_close(o);
    else *self = o;
    return st;
}

/* The corners of a band belong to no entry. */
static int all_finite(const own *o, const double *jac)
{
    for (int j = 0; j < o->n; j++) {
        pattern_column c = pattern_entries(&o->pattern, o->n, j);
        if (!isfinite(chunk_largest((size_t)c.count, jac + c.at))) return 0;
    }
    return 1;
}

static int own_factor(void *self, int at, int cplx, double re, double im, const double *jac)
{
    own *o = self;
    slot *s = &o->slot[at];
    int mode = !cplx ? PLAIN : im == 0 ? LANES : o->user->takes_complex ? NATIVE : TWICE, handle = mode == LANES ? PLAIN : mode;
    if (!isfinite(re) || !isfinite(im) || !all_finite(o, jac)) return LINSOL_NOT_FINITE;
    int st = open_handle(o, at, handle);
    if (st) return st;
    if (mode == TWICE) twofold_fill(o, im, jac);
    s->mode = mode;
    return fails(o, "the linear solver's factor",
                 o->user->factor(s->handle[handle], re, mode == NATIVE ? im : 0, mode == TWICE ? o->two.k : jac));
}

static int own_solve(void *self, int at, int transposed, int w, double *x)
{
    own *o = self;
    slot *s = &o->slot[at];
    const char *who = transposed ? "the linear solver's solve_transposed" : "the linear solver's solve";
    int (*solve)(void *, int, double *) = transposed ? o->user->solve_transposed : o->user->solve;
    if (s->mode == LANES) return fails(o, who, solve(s->handle[PLAIN], 2 * w, x));
    if (s->mode != TWICE) return fails(o, who, solve(s->handle[s->mode], w, x));
    int st = room_for(&o->block, &o->alloc, 2 * (size_t)o->n * (size_t)w, sizeof(double));
    if (st) return st;
    reorder(o->n, w, transposed ? -1 : 1, x, o->block.at, 0);
    st = fails(o, who, solve(s->handle[TWICE], w, o->block.at));
    reorder(o->n, w, transposed ? -1 : 1, x, o->block.at, 1);
    return st;
}

const linsol_ops linsol_own = {
    .name = "own",
    .formats = 1 << COSTATE_DENSE | 1 << COSTATE_BANDED | 1 << COSTATE_CSC,
    .open = own_open,
    .close = own_close,
    .factor = own_factor,
    .solve = own_solve,
};
