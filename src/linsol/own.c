/* own.c - a user's linear solver (costate_linear_solver) as a back end: a handle for every slot, opened when it is first needed.
 *
 * A user's solver knows matrices re I - J. With a mass matrix M it is given 0 I - B, B = J - re M, on the pattern that J and M
 * have together; without, B = J and the shift is re. A solver that takes no complex matrices, and with M any solver, is given the
 * real system of 2n equations instead of a complex one, unknowns Re x_0, Im x_0, Re x_1, ...:
 *
 *     ((re + i im) M - J) x = b   <=>   -K (Re x, Im x) = (Re b, Im b),   K = B (x) I_2 + M (x) (0 im; -im 0)
 *
 * without M: (re I - K), M the identity in K. Its transpose belongs to the conjugate of A^T, so b is conjugated before and x
 * after a transposed solve. docs/theory.md (37) */
#include "base/sparsity.h"
#include "linsol/chunk.h"
#include "linsol/linsol.h"
#include "linsol/pencil.h"
#include "linsol/room.h"

#include <limits.h>

typedef struct twofold { /* K */
    costate_pattern pattern;
    size_t values;
    int *to;   /* value k of B goes to to[2k] and to[2k + 1]; -1: it is no entry */
    int *turn; /* value k of M goes, times -im (column 2j) and im (column 2j + 1), to turn[2k] and turn[2k + 1]; -1 as above */
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
    costate_pattern pattern, turned; /* of B and of M; a band without diagonals beside the main one is the identity's, too */
    const linsol_mass *mass;         /* NULL: the identity */
    pencil map;                      /* with M: its places are B's */
    double *b;                       /* with M: values of B */
    linsol_said *said;
    int n, slots;
    size_t values, turns; /* of B and of M */
    twofold two;
    room block; /* of a twofold solve */
    slot slot[];
} own;

/* ---- B ------------------------------------------------------------------------------------------------------------------- */

static int open_pencil(own *o, const linsol_config *c)
{
    pencil *map = &o->map;
    o->pattern = pencil_pattern(c);
    o->turned = c->mass->pattern;
    int dense = o->pattern.format == COSTATE_DENSE, banded = o->pattern.format == COSTATE_BANDED;
    int st = dense ? pencil_dense(map, c) : banded ? pencil_band(map, c, 0) : pencil_sparse(map, c);
    if (st) return st;
    o->pattern.colptr = map->colptr;
    o->pattern.rowind = map->rowind;
    o->b = cst__alloc(&c->alloc, map->size, sizeof *o->b);
    return o->b ? 0 : COSTATE_ERR_MEMORY;
}

/* *b = B: J itself, or J - re M. 0 or LINSOL_NOT_FINITE. */
static int form(own *o, double re, const double *jac, const double **b)
{
    *b = o->mass ? o->b : jac;
    if (!o->mass) return linsol_finite(&o->pattern, o->n, jac) ? 0 : LINSOL_NOT_FINITE;
    int st = pencil_form(&o->map, 1, 0, re, 0, jac, o->b);
    for (size_t k = 0; k < o->values; k++) o->b[k] = -o->b[k];
    return st;
}

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

/* Row by row: entry (i, j) of B is one in row 2i + part of column 2j + part, that of M one in the other row of the pair. */
static void map_entries(own *o)
{
    twofold *t = &o->two;
    int next = 0;
    for (size_t k = 0; k < 2 * (o->values + o->turns); k++) t->to[k] = -1; /* and turn, which follows */
    for (int column = 0; column < 2 * o->n; column++) {
        int j = column / 2, part = column % 2;
        pattern_column b = pattern_entries(&o->pattern, o->n, j), m = pattern_entries(&o->turned, o->n, j);
        if (t->colptr) t->colptr[column] = next;
        for (int k = 0, l = 0; k < b.count || l < m.count;) {
            int straight = k < b.count ? 2 * pattern_row(&b, k) + part : INT_MAX;
            int across = l < m.count ? 2 * pattern_row(&m, l) + 1 - part : INT_MAX;
            int *place = straight < across ? &t->to[2 * (b.at + (size_t)k++)] : &t->turn[2 * (m.at + (size_t)l++)];
            place[part] = put(t, 2 * o->n, straight < across ? straight : across, column, &next);
        }
    }
    if (t->colptr) t->colptr[2 * o->n] = next;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int twofold_open(own *o)
{
    twofold *t = &o->two;
    size_t n2 = 2 * (size_t)o->n, ints = 2 * (o->values + o->turns);
    if (t->k) return 0;
    t->pattern = o->pattern;
    t->values = t->pattern.format == COSTATE_DENSE ? n2 * n2 : ints;
    if (t->pattern.format == COSTATE_BANDED) {
        t->pattern.lower = larger(2 * o->pattern.lower, 2 * o->turned.lower + 1);
        t->pattern.upper = larger(2 * o->pattern.upper, 2 * o->turned.upper + 1);
        t->values = n2 * (size_t)(t->pattern.lower + t->pattern.upper + 1);
    } else if (t->pattern.format == COSTATE_CSC) ints += n2 + 1 + t->values;
    if (t->values > INT_MAX) return COSTATE_ERR_MEMORY;
    t->k = cst__alloc(&o->alloc, t->values * sizeof(double) + ints * sizeof(int), 1);
    if (!t->k) return COSTATE_ERR_MEMORY;
    t->to = (int *)(t->k + t->values);
    t->turn = t->to + 2 * o->values;
    if (t->pattern.format == COSTATE_CSC) {
        t->pattern.colptr = t->colptr = t->turn + 2 * o->turns;
        t->pattern.rowind = t->rowind = t->colptr + n2 + 1;
    }
    map_entries(o);
    return 0;
}

static void twofold_fill(own *o, double im, const double *b)
{
    twofold *t = &o->two;
    memset(t->k, 0, t->values * sizeof *t->k);
    for (size_t k = 0; k < 2 * o->values; k++)
        if (t->to[k] >= 0) t->k[t->to[k]] = b[k / 2];
    for (size_t k = 0; k < o->turns; k++) {
        if (t->turn[2 * k] < 0) continue;
        double turned = o->mass ? im * o->mass->values[k] : im;
        t->k[t->turn[2 * k]] = -turned;
        t->k[t->turn[2 * k + 1]] = turned;
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

static int complex_mode(const own *o)
{
    return o->user->takes_complex && !o->mass ? NATIVE : TWICE;
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
    cst__release(&alloc, o->b);
    pencil_close(&o->map, &alloc);
    cst__release(&alloc, o);
}

/* What will be asked for is opened now, so that a refusal comes early. */
static int own_open(void **self, const linsol_config *c)
{
    own *o = cst__alloc(&c->alloc, 1, sizeof *o + (size_t)c->slots * sizeof(slot));
    if (!o) return COSTATE_ERR_MEMORY;
    *o = (own){.user = c->own, .alloc = c->alloc, .mass = c->mass, .said = c->said, .n = c->n, .slots = c->slots};
    memset(o->slot, 0, (size_t)c->slots * sizeof(slot));
    o->pattern = c->pattern;
    o->turned = (costate_pattern){.format = COSTATE_BANDED};
    int st = c->n > INT_MAX / 2 ? COSTATE_ERR_MEMORY : c->mass ? open_pencil(o, c) : 0;
    if (!st) {
        o->values = pattern_values(&o->pattern, c->n);
        o->turns = pattern_values(&o->turned, c->n);
        st = open_handle(o, 0, PLAIN);
    }
    if (!st && c->cplx) st = open_handle(o, c->slots - 1, complex_mode(o));
    if (st) own_close(o);
    else *self = o;
    return st;
}

static int own_factor(void *self, int at, int cplx, double re, double im, const double *jac)
{
    own *o = self;
    slot *s = &o->slot[at];
    int mode = !cplx ? PLAIN : im == 0 ? LANES : complex_mode(o), handle = mode == LANES ? PLAIN : mode;
    const double *b;
    if (!isfinite(re) || !isfinite(im)) return LINSOL_NOT_FINITE;
    int st = form(o, re, jac, &b);
    if (!st) st = open_handle(o, at, handle);
    if (st) return st;
    if (mode == TWICE) twofold_fill(o, im, b);
    s->mode = mode;
    return fails(o, "the linear solver's factor",
                 o->user->factor(s->handle[handle], o->mass ? 0 : re, mode == NATIVE ? im : 0, mode == TWICE ? o->two.k : b));
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
