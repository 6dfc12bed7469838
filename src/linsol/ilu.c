/* ilu.c - linear solver "ilu": GMRES on the matrix A = (re + i im) M - J itself, preconditioned by its incomplete factors, for
 * large grids, whose complete factors fill up.
 *
 *     S^-1 A S is what is solved with, S = diag(scale): unknowns in units of their tolerances, so that small components count as
 *     much as large ones, forward and transposed alike
 *     B = (S^-1 A S)^T ~ L U, both with the pattern of B, L with a unit diagonal: ILU(0). Columns of A are rows of B, so that
 *     rows are what is stored;  A x = b: U^T v = b, L^T x = v;   A^T x = b: L v = b, U x = v
 *
 * How many iterations it takes depends on the matrix: few for small steps, as many as the grid has points across for large ones.
 * A matrix gets complete factors instead (superlu) if a probe, one right-hand side that is always the same, does not lose
 * PROBE_DIGITS of its DIGITS digits within that share of the iterations that are worth it, or if a pivot of the incomplete
 * factors is lost; and for a right-hand side with which GMRES fails all the same. So a solution depends on the matrix and the
 * right-hand side alone: a step that is computed again finds the same bits. */
#include "linsol/linsol.h"

#include "linsol/chunk.h"
#include "linsol/pencil.h"
#include "linsol/room.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 60 };                     /* iterations, without a restart, where the configuration has no smaller number */
enum { FEW = 8 };                       /* lanes that are summed in registers */
enum { DIGITS = 12, PROBE_DIGITS = 3 }; /* of the residual: derivatives transposed to each other agree to about the first */
static const double lost = DBL_EPSILON; /* a pivot below that much of its row */

typedef struct slot {
    int z; /* 1: complex, all values in pairs */
    double re, im;
    /* Scaled A, and L and U with reciprocals on U's diagonal, by columns and by rows of A: sums run along what is stored. */
    double *a[2], *lu[2];
    double *jac, *s; /* J as it came; the scale */
    room memory;
    int iterates; /* with L and U; else complete factors are needed */
    int complete; /* which are there */
} slot;

typedef struct lists { /* of entries, in the order of their index; diag: the place of the one on the diagonal */
    const int *begin, *index, *diag;
} lists;

typedef struct ilu {
    costate_allocator alloc;
    linsol_config config;
    pencil map;
    size_t jac;                   /* values of J */
    lists by[2];                  /* columns of A, with A^T; its rows, with A */
    int *turn;                    /* place by columns of every place by rows */
    int *where;                   /* n: place of a column in the row at hand; -1: it has none */
    room scaled;                  /* a block of right-hand sides */
    linsol krylov, probe, direct; /* direct: opened when it is first needed */
    int at;                       /* slot that is being solved with */
    slot slot[];
} ilu;

/* ---- rows of lanes: real ones (z = 0), or pairs ------------------------------------------------------------------------ */

/* y -= a x; not the same rows */
CHUNK_INLINE void row_subtract(int z, int w, const double *a, const double *x, double *y)
{
    if (!z)
        for (int l = 0; l < w; l++) y[l] -= a[0] * x[l];
    else
        for (int l = 0; l < 2 * w; l += 2) {
            y[l] -= a[0] * x[l] - a[1] * x[l + 1];
            y[l + 1] -= a[0] * x[l + 1] + a[1] * x[l];
        }
}

/* x *= a */
CHUNK_INLINE void row_scale(int z, int w, const double *a, double *x)
{
    if (!z)
        for (int l = 0; l < w; l++) x[l] *= a[0];
    else
        for (int l = 0; l < 2 * w; l += 2) {
            double re = a[0] * x[l] - a[1] * x[l + 1];
            x[l + 1] = a[0] * x[l + 1] + a[1] * x[l];
            x[l] = re;
        }
}

/* Everything below is inlined with z and, for the usual ones, the number of lanes known. */
#define LANES(F, z, w, ...)                                                                                                      \
    ((z) ? F(1, w, __VA_ARGS__) : (w) == 1 ? F(0, 1, __VA_ARGS__) : (w) == 8 ? F(0, 8, __VA_ARGS__) : F(0, w, __VA_ARGS__))

/* y less the sum of a_k x_k, k = from .. end-1 of a list; in registers where the number of lanes is known. */
CHUNK_INLINE void row_less(int z, int w, const lists *p, int from, int end, const double *a, const double *x, double *y)
{
    const size_t width = (size_t)w << z;
    double few[FEW], *sum = width <= FEW ? few : y;
    for (size_t l = 0; sum == few && l < width; l++) sum[l] = y[l];
    for (int k = from; k < end; k++) row_subtract(z, w, a + ((size_t)k << z), x + (size_t)p->index[k] * width, sum);
    for (size_t l = 0; sum == few && l < width; l++) y[l] = sum[l];
}

/* out = -A x, or -A^T x: GMRES takes this for J, with a shift of zero. */
CHUNK_INLINE void multiply(int z, int w, int n, const lists *p, const double *a, const double *x, double *out)
{
    const size_t width = (size_t)w << z;
    for (int i = 0; i < n; i++) row_less(z, w, p, p->begin[i], p->begin[i + 1], a, x, out + (size_t)i * width);
}

/* x = (L U)^-1 x, with A^T, or (L U)^-T x, with A: then the triangle with U's diagonal, which is not one, comes first. */
CHUNK_INLINE void divide(int z, int w, int n, const lists *p, const double *lu, int transposed, double *x)
{
    const size_t width = (size_t)w << z;
    for (int i = 0; i < n; i++) {
        double *xi = x + (size_t)i * width;
        row_less(z, w, p, p->begin[i], p->diag[i], lu, x, xi);
        if (!transposed) row_scale(z, w, lu + ((size_t)p->diag[i] << z), xi);
    }
    for (int i = n - 1; i >= 0; i--) {
        double *xi = x + (size_t)i * width;
        row_less(z, w, p, p->diag[i] + 1, p->begin[i + 1], lu, x, xi);
        if (transposed) row_scale(z, w, lu + ((size_t)p->diag[i] << z), xi);
    }
}

/* A complex slot's blocks have their real and imaginary parts as lanes beside each other. */
static int apply(void *ctx, int transposed, int lanes, const double *x, double *out)
{
    const ilu *q = ctx;
    const slot *s = &q->slot[q->at];
    int w = lanes >> s->z;
    memset(out, 0, (size_t)q->map.n * (size_t)lanes * sizeof *out);
    LANES(multiply, s->z, w, q->map.n, &q->by[!transposed], s->a[!transposed], x, out);
    return 0;
}

static int precondition(void *ctx, int at, int transposed, int lanes, double *x)
{
    const ilu *q = ctx;
    const slot *s = &q->slot[at];
    int w = lanes >> s->z;
    LANES(divide, s->z, w, q->map.n, &q->by[!transposed], s->lu[!transposed], transposed, x);
    return 0;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------------- */

static void ilu_close(void *self)
{
    ilu *q = self;
    costate_allocator alloc = q->alloc;
    for (int i = 0; i < q->config.slots; i++) room_release(&q->slot[i].memory, &alloc);
    room_release(&q->scaled, &alloc);
    linsol_close(&q->krylov);
    linsol_close(&q->probe);
    linsol_close(&q->direct);
    pencil_close(&q->map, &alloc);
    cst__release(&alloc, q->turn);
    cst__release(&alloc, q);
}

/* The rows of A, from its columns. */
static int open_rows(ilu *q)
{
    const pencil *p = &q->map;
    const size_t n = (size_t)p->n, size = p->size;
    int *at = q->turn = cst__alloc(&q->alloc, 2 * size + 3 * n + 1, sizeof *at);
    if (!at) return COSTATE_ERR_MEMORY;
    int *index = at + size, *begin = index + size, *diag = begin + n + 1;
    q->where = diag + n;
    memset(begin, 0, (n + 1) * sizeof *begin);
    for (size_t k = 0; k < size; k++) begin[p->rowind[k] + 1]++;
    for (size_t i = 0; i < n; i++) begin[i + 1] += begin[i];
    memcpy(q->where, begin, n * sizeof *begin);
    for (int j = 0; j < p->n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int to = q->where[p->rowind[k]]++;
            index[to] = j;
            q->turn[to] = k;
            if (p->rowind[k] == j) diag[j] = to;
        }
    for (size_t i = 0; i < n; i++) q->where[i] = -1;
    q->by[0] = (lists){p->colptr, p->rowind, p->diag};
    q->by[1] = (lists){begin, index, diag};
    return 0;
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
    if (!st) st = open_rows(q);
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

static void scale_matrix(const ilu *q, slot *s)
{
    const pencil *p = &q->map;
    for (int j = 0; j < p->n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            for (int part = 0; part <= s->z; part++) s->a[0][((size_t)k << s->z) + (size_t)part] *= s->s[j] / s->s[p->rowind[k]];
}

/* By rows what is there by columns. */
static void turn(const ilu *q, int z, const double *columns, double *rows)
{
    const size_t part = (size_t)z + 1;
    for (size_t k = 0; k < q->map.size; k++) memcpy(rows + part * k, columns + part * (size_t)q->turn[k], part * sizeof *rows);
}

static int slot_open(ilu *q, slot *s)
{
    const size_t n = (size_t)q->map.n, values = q->map.size << s->z;
    int st = room_for(&s->memory, &q->alloc, 4 * values + q->jac + n, sizeof(double));
    s->a[0] = s->memory.at;
    s->a[1] = s->a[0] + values;
    s->lu[0] = s->a[1] + values;
    s->lu[1] = s->lu[0] + values;
    s->jac = s->lu[1] + values;
    s->s = s->jac + q->jac;
    return st;
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
    const int n = q->map.n;
    s->z = cplx != 0;
    s->re = re, s->im = im;
    s->iterates = s->complete = 0;
    int st = slot_open(q, s);
    if (!st) st = pencil_form(&q->map, cplx ? 2 : 1, cplx ? 1 : 0, re, im, jac, s->a[0]);
    if (st) return st;
    memcpy(s->jac, jac, q->jac * sizeof *jac);
    for (int i = 0; i < n; i++) s->s[i] = q->config.scale && q->config.scale[i] > 0 ? q->config.scale[i] : 1;
    scale_matrix(q, s);
    memcpy(s->lu[0], s->a[0], (q->map.size << s->z) * sizeof(double));
    if (!all_rows(s->z, &q->map, q->where, s->lu[0])) return complete(q, at);
    turn(q, s->z, s->a[0], s->a[1]);
    turn(q, s->z, s->lu[0], s->lu[1]);
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

static void into_units(const ilu *q, const slot *s, int divided, int w, const double *x, double *out)
{
    const size_t width = (size_t)w << s->z;
    for (size_t i = 0; i < (size_t)q->map.n; i++) {
        const double f = divided ? 1 / s->s[i] : s->s[i];
        for (size_t l = i * width; l < (i + 1) * width; l++) out[l] = f * x[l];
    }
}

/* r = b - A x and in `size` |b| + |A| |x|, row by row of lanes. */
CHUNK_INLINE void remainder_of(int z, int w, int n, const lists *p, const double *a, const double *b, const double *x, double *r,
                               double *size)
{
    const size_t width = (size_t)w << z, all = (size_t)n * width;
    memcpy(r, b, all * sizeof *r);
    multiply(z, w, n, p, a, x, r);
    for (size_t i = 0; i < all; i++) size[i] = fabs(b[i]);
    for (int i = 0; i < n; i++)
        for (int k = p->begin[i]; k < p->begin[i + 1]; k++) {
            const double large = z ? fabs(a[2 * (size_t)k]) + fabs(a[2 * (size_t)k + 1]) : fabs(a[k]), *from = x;
            from += (size_t)p->index[k] * width;
            for (size_t l = 0; l < width; l++) size[(size_t)i * width + l] += large * fabs(from[l]);
        }
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
        LANES(remainder_of, s->z, w, q->map.n, &q->by[!transposed], s->a[!transposed], b, x, r, size);
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
    if (!st) into_units(q, s, transposed, w, b + all, x);
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
    if (!st) into_units(q, s, 0, 1, b, x);
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
