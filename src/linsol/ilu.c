/* ilu.c - linear solver "ilu": GMRES on the matrix A = (re + i im) M - J itself, preconditioned by its incomplete factors, for
 * large grids, whose complete factors fill up.
 *
 *     S^-1 A S is what is solved with, S = diag(scale): unknowns in units of their tolerances, so that small components count as
 *     much as large ones, forward and transposed alike
 *     B = (S^-1 A S)^T ~ L U, both with the pattern of B, L with a unit diagonal: ILU(0). Columns of A are rows of B, so that
 *     rows are what is stored;  A x = b: U^T v = b, L^T x = v;   A^T x = b: L v = b, U x = v
 *
 * Unknowns are numbered by levels, so that rows of the triangles and of A can be worked on several at once (runs.h); the factors
 * are the same as without.
 *
 * Small steps would do without L and U, but no faster: on Gray and Scott's reaction, 1800 unknowns, rodas4 takes 31 ms with the
 * diagonal alone and 20 with both, for twice the iterations have four times the vectors to be made orthogonal.
 *
 * How many iterations it takes depends on the matrix: few for small steps, as many as the grid has points across for large ones.
 * A matrix gets complete factors instead (superlu) if a probe, one right-hand side that is always the same, does not lose
 * PROBE_DIGITS of its DIGITS digits within that share of the iterations that are worth it, or if a pivot of the incomplete
 * factors is lost; and for a right-hand side with which GMRES fails all the same. So a solution depends on the matrix and the
 * right-hand side alone: a step that is computed again finds the same bits. */
#include "linsol/linsol.h"

#include "linsol/lane_rows.h"
#include "linsol/runs.h"
#include "linsol/room.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 60 };                     /* iterations, without a restart, where the configuration has no smaller number */
enum { DIGITS = 12, PROBE_DIGITS = 3 }; /* of the residual: derivatives transposed to each other agree to about the first */
static const double lost = DBL_EPSILON; /* a pivot below that much of its row */

typedef struct slot {
    int z; /* 1: complex, all values in pairs */
    double re, im;
    double *a[2], *triangle[2][2]; /* values of the solver's products and triangles */
    double *pivots;                /* reciprocals of U's diagonal */
    double *jac, *s;               /* J as it came; the scale */
    room memory;
    int iterates; /* with L and U; else complete factors are needed */
    int complete; /* which are there */
} slot;

typedef struct ilu {
    costate_allocator alloc;
    linsol_config config;
    pencil map;
    size_t jac;                   /* values of J */
    int *order;                   /* unknown k of what is solved is unknown order[k] */
    int *where;                   /* place of a column in the row at hand; -1: it has none */
    runs product[2];              /* with A^T, with A */
    runs triangle[2][2];          /* of L U, of (L U)^T: the lower, which comes first, and the upper one */
    room scaled, matrix;          /* a block of right-hand sides; A, and then L and U */
    linsol krylov, probe, direct; /* direct: opened when it is first needed */
    int at;                       /* slot that is being solved with */
    slot slot[];
} ilu;

/* ---- the operators of GMRES ---------------------------------------------------------------------------------------------- */

/* out = -A x, or -A^T x, which GMRES takes for J, with a shift of zero. A complex slot's blocks have their real and imaginary
 * parts as lanes beside each other. */
static int apply(void *ctx, int transposed, int lanes, const double *x, double *out)
{
    const ilu *q = ctx;
    const slot *s = &q->slot[q->at];
    memset(out, 0, (size_t)q->map.n * (size_t)lanes * sizeof *out);
    runs_subtract(&q->product[!transposed], s->z, lanes >> s->z, s->a[!transposed], x, out);
    return 0;
}

static int precondition(void *ctx, int at, int transposed, int lanes, double *x)
{
    const ilu *q = ctx;
    const slot *s = &q->slot[at];
    for (int upper = 0; upper < 2; upper++) /* (L U)^T has U's diagonal in its lower triangle */
        runs_solve(&q->triangle[!transposed][upper], upper, s->z, lanes >> s->z, s->triangle[!transposed][upper],
                   upper == transposed ? s->pivots : NULL, x);
    return 0;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------------- */

static void ilu_close(void *self)
{
    ilu *q = self;
    costate_allocator alloc = q->alloc;
    for (int i = 0; i < q->config.slots; i++) room_release(&q->slot[i].memory, &alloc);
    room_release(&q->scaled, &alloc);
    room_release(&q->matrix, &alloc);
    linsol_close(&q->krylov);
    linsol_close(&q->probe);
    linsol_close(&q->direct);
    for (int i = 0; i < 2; i++) {
        runs_close(&q->product[i], &alloc);
        for (int part = 0; part < 2; part++) runs_close(&q->triangle[i][part], &alloc);
    }
    pencil_close(&q->map, &alloc);
    cst__release(&alloc, q->order);
    cst__release(&alloc, q);
}

/* Numbers the unknowns by levels; at: room for *rows, which are those of the new numbering then, as is level[]. */
static int renumber(ilu *q, lists *rows, int *at, int *level)
{
    const lists columns = lists_columns(&q->map);
    *rows = lists_rows(&q->map, at);
    int st = levels_find(&columns, rows, q->order, level, &q->alloc);
    if (!st) st = pencil_reorder(&q->map, q->order, rows->begin, rows->index, rows->place, &q->alloc);
    if (!st) *rows = lists_rows(&q->map, at);
    return st;
}

static int open_lists(ilu *q)
{
    const size_t n = (size_t)q->map.n, listed = 2 * q->map.size + 2 * n + 1;
    int *at = cst__alloc(&q->alloc, listed + n, sizeof *at), *level = at + listed;
    lists by[2] = {{0}};
    q->order = cst__alloc(&q->alloc, 2 * n, sizeof *q->order);
    int st = at && q->order ? renumber(q, &by[1], at, level) : COSTATE_ERR_MEMORY;
    by[0] = lists_columns(&q->map);
    for (int i = 0; !st && i < 2; i++) {
        st = runs_open(&q->product[i], &by[i], RUNS_ALL, NULL, &q->alloc);
        if (!st) st = runs_open(&q->triangle[i][0], &by[i], RUNS_LOWER, level, &q->alloc);
        if (!st) st = runs_open(&q->triangle[i][1], &by[i], RUNS_UPPER, level, &q->alloc);
    }
    q->where = q->order + n;
    for (size_t i = 0; !st && i < n; i++) q->where[i] = -1;
    cst__release(&q->alloc, at);
    return st;
}

static int open_krylov(ilu *q, linsol *l, int most, int digits)
{
    linsol_config c = {.n = q->config.n, .slots = q->config.slots, .alloc = q->alloc, .op = {apply, precondition, NULL, q}};
    c.tol = pow(10, -digits);
    c.restart = c.most = most;
    return linsol_open(l, "gmres", &c, NULL, 0);
}

static int ilu_open(void **self, const linsol_config *c)
{
    size_t slots = (size_t)c->slots;
    ilu *q = cst__alloc(&c->alloc, 1, sizeof *q + slots * sizeof(slot));
    if (!q) return COSTATE_ERR_MEMORY;
    *q = (ilu){.alloc = c->alloc, .config = *c};
    memset(q->slot, 0, slots * sizeof(slot));
    int st = pencil_sparse(&q->map, c), most = c->most > 0 && c->most < MOST ? c->most : MOST;
    if (!st) st = open_krylov(q, &q->krylov, most, DIGITS);
    if (!st) st = open_krylov(q, &q->probe, most * PROBE_DIGITS / DIGITS + 1, PROBE_DIGITS);
    if (!st) st = open_lists(q);
    if (st) {
        ilu_close(q);
        return st;
    }
    for (int k = 0; k < q->map.jac.entries; k++)
        if ((size_t)q->map.jac.from[k] >= q->jac) q->jac = (size_t)q->map.jac.from[k] + 1;
    *self = q;
    return 0;
}

/* ---- factors ----------------------------------------------------------------------------------------------------------- */

static double size_of(int z, const double *v)
{
    return z ? hypot(v[0], v[1]) : fabs(v[0]);
}

/* Row i of L U, those above being done. 0: its pivot is lost. */
CHUNK_INLINE int eliminate(int z, const pencil *p, int *where, double *lu, int i)
{
    const int first = p->colptr[i], end = p->colptr[i + 1];
    double most = 0, *pivot = lu + ((size_t)p->diag[i] << z);
    for (int k = first; k < end; k++) {
        where[p->rowind[k]] = k;
        most = fmax(most, size_of(z, lu + ((size_t)k << z)));
    }
    for (int k = first; k < p->diag[i]; k++) {
        int above = p->rowind[k];
        double *l = lu + ((size_t)k << z);
        row_scale(z, 1, lu + ((size_t)p->diag[above] << z), l);
        for (int m = p->diag[above] + 1; m < p->colptr[above + 1]; m++) {
            int to = where[p->rowind[m]];
            if (to >= 0) row_subtract(z, 1, l, lu + ((size_t)m << z), lu + ((size_t)to << z));
        }
    }
    for (int k = first; k < end; k++) where[p->rowind[k]] = -1;
    if (!(size_of(z, pivot) > lost * most)) return 0;
    chunk_reciprocal(z, pivot, pivot + 1);
    return 1;
}

static int all_rows(int z, const pencil *p, int *where, double *lu)
{
    for (int i = 0; i < p->n; i++)
        if (!(z ? eliminate(1, p, where, lu, i) : eliminate(0, p, where, lu, i))) return 0;
    return 1;
}

static void scale_matrix(const pencil *p, const slot *s, double *a)
{
    for (int j = 0; j < p->n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            for (int part = 0; part <= s->z; part++) a[((size_t)k << s->z) + (size_t)part] *= s->s[j] / s->s[p->rowind[k]];
}

static int slot_open(ilu *q, slot *s)
{
    const size_t n = (size_t)q->map.n;
    size_t values = n;
    for (int i = 0; i < 2; i++) values += q->product[i].values + q->triangle[i][0].values + q->triangle[i][1].values;
    int st = room_for(&s->memory, &q->alloc, (values << s->z) + q->jac + n, sizeof(double));
    if (!st) st = room_for(&q->matrix, &q->alloc, q->map.size << s->z, sizeof(double));
    double *at = s->pivots = s->memory.at;
    at += n << s->z;
    for (int i = 0; !st && i < 2; i++) {
        s->a[i] = at;
        s->triangle[i][0] = s->a[i] + (q->product[i].values << s->z);
        s->triangle[i][1] = s->triangle[i][0] + (q->triangle[i][0].values << s->z);
        at = s->triangle[i][1] + (q->triangle[i][1].values << s->z);
    }
    s->jac = at;
    s->s = at + q->jac;
    return st;
}

/* L and U, and the reciprocals of U's diagonal, for solutions. */
static void take_factors(const ilu *q, slot *s, const double *lu)
{
    const size_t part = (size_t)s->z + 1;
    for (int i = 0; i < 2; i++)
        for (int upper = 0; upper < 2; upper++) runs_take(&q->triangle[i][upper], s->z, lu, s->triangle[i][upper]);
    for (size_t i = 0; i < (size_t)q->map.n; i++)
        memcpy(s->pivots + part * i, lu + part * (size_t)q->map.diag[i], part * sizeof *lu);
}

static int complete(ilu *q, int at)
{
    slot *s = &q->slot[at];
    int st = q->direct.ops ? 0 : linsol_open_complete(&q->direct, &q->config);
    if (st || s->complete) return st;
    if (q->direct.ops->restart) q->direct.ops->restart(q->direct.self);
    st = q->direct.ops->factor(q->direct.self, at, s->z, s->re, s->im, s->jac);
    s->complete = !st;
    return st;
}

/* As smooth as it is irregular: incomplete factors deal with what is irregular, and leave what is smooth to the iteration. */
static int probe(ilu *q, int at)
{
    const slot *s = &q->slot[at];
    const size_t n = (size_t)q->map.n;
    uint32_t state = 1;
    int st = room_for(&q->scaled, &q->alloc, n << s->z, sizeof(double));
    double *x = q->scaled.at;
    for (size_t i = 0; !st && i < n << s->z; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = state >> 31 ? 2 : 0;
    }
    q->at = at;
    if (!st) st = q->probe.ops->factor(q->probe.self, at, s->z, 0, 0, NULL);
    return st ? st : q->probe.ops->solve(q->probe.self, at, 0, 1, x);
}

static int ilu_factor(void *self, int at, int cplx, double re, double im, const double *jac)
{
    ilu *q = self;
    slot *s = &q->slot[at];
    s->z = cplx != 0;
    s->re = re, s->im = im;
    s->iterates = s->complete = 0;
    int st = slot_open(q, s);
    double *a = q->matrix.at;
    if (!st) st = pencil_form(&q->map, cplx ? 2 : 1, cplx ? 1 : 0, re, im, jac, a);
    if (st) return st;
    memcpy(s->jac, jac, q->jac * sizeof *jac);
    for (int k = 0; k < q->map.n; k++) {
        const double size = q->config.scale ? q->config.scale[q->order[k]] : 0;
        s->s[k] = size > 0 ? size : 1;
    }
    scale_matrix(&q->map, s, a);
    for (int i = 0; i < 2; i++) runs_take(&q->product[i], s->z, a, s->a[i]);
    if (!all_rows(s->z, &q->map, q->where, a)) return complete(q, at);
    take_factors(q, s, a);
    st = probe(q, at);
    if (st == LINSOL_NOT_CONVERGED || st == LINSOL_NOT_FINITE) return complete(q, at);
    s->iterates = !st;
    return st ? st : q->krylov.ops->factor(q->krylov.self, at, s->z, 0, 0, NULL);
}

/* ---- solutions --------------------------------------------------------------------------------------------------------- */

static int by_complete_factors(ilu *q, int at, int transposed, int w, double *x)
{
    int st = complete(q, at);
    return st ? st : q->direct.ops->solve(q->direct.self, at, transposed, w, x);
}

/* out = S x or S^-1 x in the solver's numbering, and back to that of x. */
static void into_units(const ilu *q, const slot *s, int divided, int w, const double *x, double *out)
{
    const size_t width = (size_t)w << s->z;
    for (size_t k = 0; k < (size_t)q->map.n; k++) {
        const double f = divided ? 1 / s->s[k] : s->s[k], *from = x + (size_t)q->order[k] * width;
        for (size_t l = 0; l < width; l++) out[k * width + l] = f * from[l];
    }
}

static void out_of_units(const ilu *q, const slot *s, int divided, int w, const double *x, double *out)
{
    const size_t width = (size_t)w << s->z;
    for (size_t k = 0; k < (size_t)q->map.n; k++) {
        const double f = divided ? 1 / s->s[k] : s->s[k];
        double *to = out + (size_t)q->order[k] * width;
        for (size_t l = 0; l < width; l++) to[l] = f * x[k * width + l];
    }
}

/* r = b - A x and in `size` |b| + |A| |x|, row by row of lanes. */
static void remainder_of(const runs *p, int z, int w, const double *a, const double *b, const double *x, double *r, double *size)
{
    const size_t all = ((size_t)p->n * (size_t)w) << z;
    memcpy(r, b, all * sizeof *r);
    runs_subtract(p, z, w, a, x, r);
    for (size_t i = 0; i < all; i++) size[i] = fabs(b[i]);
    runs_enlarge(p, z, w, a, x, size);
}

/* The worst remainder of a row, over what it may be: `small` of its own terms, or of `faint` of its lane's largest.
 * NaN sticks. */
static double worst_of(size_t n, size_t width, const double *r, const double *size)
{
    const double faint = 1e-9, small = 1e-11;
    double worst = 0;
    for (size_t l = 0; l < width; l++) {
        double most = 0;
        for (size_t i = l; i < n * width; i += width) most = size[i] > most ? size[i] : most;
        const double least = faint * most;
        for (size_t i = l; i < n * width; i += width) {
            const double part = r[i] == 0 ? 0 : fabs(r[i]) / (small * (size[i] > least ? size[i] : least));
            if (isnan(part)) return part;
            if (part > worst) worst = part;
        }
    }
    return worst;
}

/* The scaled system, with what is left solved for again, as exactly as is still missing, until small components are as good as
 * large ones. */
static int refine(ilu *q, int at, int transposed, int w, const double *b, double *x, double *r, double *size)
{
    enum { ROUNDS = 8 };
    const slot *s = &q->slot[at];
    const size_t width = (size_t)w << s->z, all = (size_t)q->map.n * width;
    double tol = pow(10, -DIGITS);
    memcpy(r, b, all * sizeof *r);
    memset(x, 0, all * sizeof *x);
    for (int round = 0; round < ROUNDS; round++) {
        linsol_gmres_once(q->krylov.self, tol);
        int st = q->krylov.ops->solve(q->krylov.self, at, transposed, w, r);
        if (st) return st;
        for (size_t i = 0; i < all; i++) x[i] += r[i];
        remainder_of(&q->product[!transposed], s->z, w, s->a[!transposed], b, x, r, size);
        const double worst = worst_of((size_t)q->map.n, width, r, size);
        if (worst <= 1) return 0;
        tol = fmin(fmax(0.5 / worst, pow(10, -DIGITS)), 0.1);
    }
    return LINSOL_NOT_CONVERGED;
}

/* S^-1 A S (S^-1 x) = S^-1 b;  (S^-1 A S)^T (S x) = S b. */
static int ilu_solve(void *self, int at, int transposed, int w, double *x)
{
    ilu *q = self;
    slot *s = &q->slot[at];
    if (!s->iterates) return by_complete_factors(q, at, transposed, w, x);
    const size_t all = ((size_t)q->map.n * (size_t)w) << s->z;
    int st = room_for(&q->scaled, &q->alloc, 4 * all, sizeof(double));
    if (st) return st;
    double *b = q->scaled.at;
    q->at = at;
    into_units(q, s, !transposed, w, x, b);
    st = refine(q, at, transposed, w, b, b + all, b + 2 * all, b + 3 * all);
    if (st == LINSOL_NOT_CONVERGED || st == LINSOL_NOT_FINITE) return by_complete_factors(q, at, transposed, w, x);
    if (!st) out_of_units(q, s, transposed, w, b + all, x);
    return st;
}

static int ilu_correct(void *self, int at, double *x)
{
    ilu *q = self;
    slot *s = &q->slot[at];
    if (!s->iterates) return by_complete_factors(q, at, 0, 1, x);
    const size_t all = (size_t)q->map.n << s->z;
    int st = room_for(&q->scaled, &q->alloc, all, sizeof(double));
    if (st) return st;
    double *b = q->scaled.at;
    q->at = at;
    into_units(q, s, 1, 1, x, b);
    linsol_gmres_once(q->krylov.self, pow(10, -PROBE_DIGITS));
    st = q->krylov.ops->solve(q->krylov.self, at, 0, 1, b);
    if (st == LINSOL_NOT_CONVERGED || st == LINSOL_NOT_FINITE) return by_complete_factors(q, at, 0, 1, x);
    if (!st) out_of_units(q, s, 0, 1, b, x);
    return st;
}

static int ilu_light(const void *self, int at)
{
    return ((const ilu *)self)->slot[at].iterates;
}

const linsol_ops linsol_ilu = {
    .name = "ilu",
    .formats = 1 << COSTATE_BANDED | 1 << COSTATE_CSC,
    .open = ilu_open,
    .close = ilu_close,
    .factor = ilu_factor,
    .solve = ilu_solve,
    .correct = ilu_correct,
    .light = ilu_light,
};
