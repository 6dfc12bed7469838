/* gmres.c - linear solver "gmres": restarted GMRES on the operator A = (re + i im) M - J, J given only by its products,
 * preconditioned from the right:
 *
 *     A P^-1 u = b, x = P^-1 u;   transposed: A^T P^-T u = b, x = P^-T u
 *
 * Every lane has a Krylov space of its own, V_0 .. V_k, but the lanes that have not converged go through the operator and the
 * preconditioner as one block. A complex block of w lanes is a real one of 2w lanes to J, M and P, which are real. Arnoldi is
 * modified Gram-Schmidt, once: the vectors lose orthogonality as the residual becomes small, and no sooner (Paige, Rozloznik,
 * Strakos 2006). Givens rotations keep the least squares problem triangular and give the residual's norm; where that says that a
 * lane has converged, the residual is computed, for with an ill-conditioned matrix the two are far apart. */
#include "linsol/chunk.h"
#include "linsol/linsol.h"
#include "linsol/room.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef double _Complex number; /* the small problems are complex throughout */

typedef struct lane {
    double target;       /* residual to reach */
    double norm, before; /* of the vector being made; before it was orthogonalized */
    double start;        /* residual at the beginning of the cycle */
    int open, running;   /* not converged yet; still growing its space in this cycle */
    int full;            /* there is no further direction: its space holds the solution, or A is singular */
    int length;          /* of its space in this cycle */
    number *h;           /* columns of the triangular factor, basis + 1 apart */
    number *s, *g, *y;   /* sines of the rotations; right-hand side; solution */
    double *c;           /* cosines */
} lane;

typedef struct shift {
    int z; /* 1: complex */
    double re, im;
} shift;

typedef struct gmres {
    costate_allocator alloc;
    linsol_operator op;
    const linsol_mass *mass; /* NULL: the identity */
    int n, basis, most;
    double tol;
    int once; /* linsol_gmres_once */
    room blocks, lanes, small;
    int slots;
    shift shift[];
} gmres;

/* What one solve works on. Blocks are n x width, width = w or, complex, 2w. */
typedef struct task {
    gmres *g;
    int slot, transposed, z, w;
    size_t width, size; /* size = n * width */
    lane *lane;
    double *v, *b, *in, *out; /* basis + 1 blocks, then one each; mx one more, if M is not the identity */
    double *mx;
    double *dots; /* 2w */
} task;

static void gmres_close(void *self)
{
    gmres *g = self;
    costate_allocator alloc = g->alloc;
    room_release(&g->blocks, &alloc);
    room_release(&g->lanes, &alloc);
    room_release(&g->small, &alloc);
    cst__release(&alloc, g);
}

static int gmres_open(void **self, const linsol_config *c)
{
    gmres *g = cst__alloc(&c->alloc, 1, sizeof *g + (size_t)c->slots * sizeof(shift));
    if (!g) return COSTATE_ERR_MEMORY;
    *g = (gmres){.alloc = c->alloc, .op = c->op, .mass = c->mass, .n = c->n, .most = c->most, .tol = c->tol, .slots = c->slots};
    g->basis = c->restart < 1 ? 1 : c->restart < c->n ? c->restart : c->n;
    memset(g->shift, 0, (size_t)c->slots * sizeof(shift));
    *self = g;
    return 0;
}

static int gmres_factor(void *self, int slot, int cplx, double re, double im, const double *jac)
{
    (void)jac;
    gmres *g = self;
    if (!isfinite(re) || !isfinite(im)) return LINSOL_NOT_FINITE;
    if (g->mass && !linsol_finite(&g->mass->pattern, g->n, g->mass->values)) return LINSOL_NOT_FINITE;
    g->shift[slot] = (shift){cplx != 0, re, im};
    return g->op.prepare ? g->op.prepare(g->op.ctx, slot, re, im) : 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------ */

/* F(z, w, ...) with z and the usual numbers of lanes as constants. */
#define LANES(F, t, ...)                                                                                                         \
    ((t)->z        ? ((t)->w == 1 ? F(1, 1, __VA_ARGS__) : F(1, (size_t)(t)->w, __VA_ARGS__))                                    \
     : (t)->w == 2 ? F(0, 2, __VA_ARGS__)                                                                                        \
     : (t)->w == 4 ? F(0, 4, __VA_ARGS__)                                                                                        \
     : (t)->w == 8 ? F(0, 8, __VA_ARGS__)                                                                                        \
                   : F(0, (size_t)(t)->w, __VA_ARGS__))

CHUNK_INLINE void dot_lanes(int z, size_t w, size_t size, const double *a, const double *b, double *dots)
{
    if (z)
        for (size_t i = 0; i < size; i += 2 * w)
            for (size_t l = 0; l < 2 * w; l += 2) {
                dots[l] += a[i + l] * b[i + l] + a[i + l + 1] * b[i + l + 1];
                dots[l + 1] += a[i + l] * b[i + l + 1] - a[i + l + 1] * b[i + l];
            }
    else {
        double sum[8] = {0};
        if (w <= 8) /* known to the compiler: in registers */
            for (size_t i = 0; i < size; i += w)
                for (size_t l = 0; l < w; l++) sum[l] += a[i + l] * b[i + l];
        else
            for (size_t i = 0; i < size; i += w)
                for (size_t l = 0; l < w; l++) dots[2 * l] += a[i + l] * b[i + l];
        for (size_t l = 0; w <= 8 && l < w; l++) dots[2 * l] = sum[l];
    }
}

/* dots[2l], dots[2l + 1] = <a_l, b_l>, the conjugate of a. */
static void dot(const task *t, const double *a, const double *b, double *dots)
{
    memset(dots, 0, 2 * (size_t)t->w * sizeof *dots);
    if (t->width == 1) dots[0] = chunk_dot(t->g->n, a, b);
    else LANES(dot_lanes, t, t->size, a, b, dots);
}

static void norms(const task *t, const double *a)
{
    dot(t, a, a, t->dots);
    for (int l = 0; l < t->w; l++) t->lane[l].norm = sqrt(t->dots[2 * l]);
}

CHUNK_INLINE void add_lanes(int z, size_t w, size_t size, const double *dots, const double *restrict a, double *restrict b)
{
    if (z)
        for (size_t i = 0; i < size; i += 2 * w)
            for (size_t l = 0; l < 2 * w; l += 2) {
                b[i + l] += dots[l] * a[i + l] - dots[l + 1] * a[i + l + 1];
                b[i + l + 1] += dots[l] * a[i + l + 1] + dots[l + 1] * a[i + l];
            }
    else {
        double c[8] = {0};
        for (size_t l = 0; w <= 8 && l < w; l++) c[l] = dots[2 * l];
        for (size_t i = 0; i < size; i += w)
            for (size_t l = 0; l < w; l++) b[i + l] += (w <= 8 ? c[l] : dots[2 * l]) * a[i + l];
    }
}

/* b_l += dots_l a_l */
static void add(const task *t, const double *dots, const double *a, double *b)
{
    if (t->width == 1) add_lanes(0, 1, t->size, dots, a, b);
    else LANES(add_lanes, t, t->size, dots, a, b);
}

/* Lanes that run become unit vectors, the others zero. */
static void normalize(const task *t, double *a)
{
    size_t part = (size_t)t->z + 1;
    for (int l = 0; l < t->w; l++) t->dots[l] = t->lane[l].running && t->lane[l].norm > 0 ? 1 / t->lane[l].norm : 0;
    const double one = t->dots[0];
    for (size_t i = 0; t->width == 1 && i < t->size; i++) a[i] *= one;
    if (t->width == 1) return;
    for (size_t i = 0; i < t->size; i += t->width)
        for (size_t l = 0; l < t->width; l++) a[i + l] *= t->dots[l / part];
}

/* Copies the running lanes between a block and a narrow one that holds only them. */
static void pack(const task *t, int back, double *block, double *narrow)
{
    size_t part = (size_t)t->z + 1;
    for (size_t i = 0; i < t->size; i += t->width)
        for (size_t l = 0; l < (size_t)t->w; l++) {
            if (!t->lane[l].running) continue;
            memmove(back ? block + i + part * l : narrow, back ? narrow : block + i + part * l, part * sizeof *block);
            narrow += part;
        }
}

/* out = A P^-1 in for the running lanes; the others become zero. in is lost. */
static int apply(const task *t, double *in, double *out, int precondition)
{
    const linsol_operator *op = &t->g->op;
    const shift *s = &t->g->shift[t->slot];
    int running = 0;
    for (int l = 0; l < t->w; l++) running += t->lane[l].running;
    int lanes = running * (t->z + 1);
    size_t size = (size_t)t->g->n * (size_t)lanes;
    double *product = running < t->w ? t->out : out;
    if (running < t->w) pack(t, 0, in, in); /* lanes only move forward, so in place */
    int st = precondition && op->precondition ? op->precondition(op->ctx, t->slot, t->transposed, lanes, in) : 0;
    if (!st) st = op->apply(op->ctx, t->transposed, lanes, in, product);
    if (st) return st;
    const double *mx = t->mx ? t->mx : in;
    if (t->mx) linsol_mass_apply(t->g->mass, t->g->n, t->transposed, lanes, in, t->mx);
    for (size_t i = 0; i < size; i += (size_t)t->z + 1) {
        if (t->z) {
            product[i] = s->re * mx[i] - s->im * mx[i + 1] - product[i];
            product[i + 1] = s->re * mx[i + 1] + s->im * mx[i] - product[i + 1];
        } else product[i] = s->re * mx[i] - product[i];
    }
    if (running < t->w) {
        memset(out, 0, t->size * sizeof *out);
        pack(t, 1, out, product);
    }
    return 0;
}

/* ---- one cycle ----------------------------------------------------------------------------------------------------------- */

/* Orthogonalizes v = V_(k+1) against the others and makes it a unit vector. 0 or LINSOL_NOT_FINITE. */
static int arnoldi(const task *t, int k, double *v)
{
    norms(t, v);
    for (int l = 0; l < t->w; l++) t->lane[l].before = t->lane[l].norm;
    for (int j = 0; j <= k; j++) {
        const double *vj = t->v + (size_t)j * t->size;
        dot(t, vj, v, t->dots);
        for (int l = 0; l < t->w; l++) {
            lane *a = &t->lane[l];
            if (!a->running) t->dots[2 * l] = t->dots[2 * l + 1] = 0;
            a->h[(size_t)k * (size_t)(t->g->basis + 1) + (size_t)j] = t->dots[2 * l] + t->dots[2 * l + 1] * I;
            t->dots[2 * l] = -t->dots[2 * l];
            t->dots[2 * l + 1] = -t->dots[2 * l + 1];
        }
        add(t, t->dots, vj, v);
    }
    norms(t, v);
    for (int l = 0; l < t->w; l++) {
        lane *a = &t->lane[l];
        if (!isfinite(a->norm)) return LINSOL_NOT_FINITE;
        if (a->norm <= 4 * DBL_EPSILON * a->before) a->norm = 0; /* round-off is no direction */
    }
    normalize(t, v);
    return 0;
}

/* Rotates column k into triangular form; the lane stops when its residual is small, or when there is no next direction. */
static void rotate(const task *t, lane *a, int k)
{
    number *h = a->h + (size_t)k * (size_t)(t->g->basis + 1);
    for (int j = 0; j < k; j++) {
        number top = a->c[j] * h[j] + a->s[j] * h[j + 1];
        h[j + 1] = a->c[j] * h[j + 1] - conj(a->s[j]) * h[j];
        h[j] = top;
    }
    double below = a->norm, diag = cabs(h[k]), length = hypot(diag, below);
    number phase = diag > 0 ? h[k] / diag : 1;
    a->c[k] = length > 0 ? diag / length : 0;
    a->s[k] = length > 0 ? phase * (below / length) : 1;
    h[k] = phase * length;
    a->g[k + 1] = -conj(a->s[k]) * a->g[k];
    a->g[k] *= a->c[k];
    a->length = k + 1;
    a->full = !(below > 0);
    a->running = !a->full && cabs(a->g[k + 1]) > a->target;
}

/* x += P^-1 sum_j V_j y_j with R y = g, lane by lane. */
static int update(const task *t, double *x)
{
    const linsol_operator *op = &t->g->op;
    int most = 0;
    for (int l = 0; l < t->w; l++) {
        lane *a = &t->lane[l];
        for (int j = a->length - 1; j >= 0; j--) {
            number s = a->g[j], d = a->h[(size_t)j * (size_t)(t->g->basis + 1) + (size_t)j];
            for (int i = j + 1; i < a->length; i++) s -= a->h[(size_t)i * (size_t)(t->g->basis + 1) + (size_t)j] * a->y[i];
            a->y[j] = d == 0 ? 0 : s / d;
        }
        if (a->length > most) most = a->length;
    }
    memset(t->in, 0, t->size * sizeof *t->in);
    for (int j = 0; j < most; j++) {
        for (int l = 0; l < t->w; l++) {
            number y = j < t->lane[l].length ? t->lane[l].y[j] : 0;
            t->dots[2 * l] = creal(y);
            t->dots[2 * l + 1] = cimag(y);
        }
        add(t, t->dots, t->v + (size_t)j * t->size, t->in);
    }
    int st = op->precondition ? op->precondition(op->ctx, t->slot, t->transposed, (int)t->width, t->in) : 0;
    for (size_t i = 0; i < t->size; i++) x[i] += t->in[i];
    return st;
}

/* From the residuals in V_0: grows the spaces of the lanes that are open, and improves x. */
static int cycle(task *t, int *iterations, double *x)
{
    int running = 0;
    for (int l = 0; l < t->w; l++) {
        lane *a = &t->lane[l];
        running += a->running = a->open;
        a->length = a->full = 0;
        a->g[0] = a->start = a->norm;
    }
    normalize(t, t->v);
    for (int k = 0; k < t->g->basis && running && *iterations < t->g->most; k++, ++*iterations) {
        double *next = t->v + (size_t)(k + 1) * t->size;
        memcpy(t->in, next - t->size, t->size * sizeof *next);
        int st = apply(t, t->in, next, 1);
        if (!st) st = arnoldi(t, k, next);
        if (st) return st;
        running = 0;
        for (int l = 0; l < t->w; l++) {
            if (!t->lane[l].running) continue;
            rotate(t, &t->lane[l], k);
            running += t->lane[l].running;
        }
    }
    return update(t, x);
}

/* V_0 = b - A x for the open lanes. */
static int residual(task *t, const double *x)
{
    for (int l = 0; l < t->w; l++) t->lane[l].running = t->lane[l].open;
    memcpy(t->in, x, t->size * sizeof *x);
    int st = apply(t, t->in, t->v, 0);
    for (size_t i = 0; i < t->size && !st; i++) t->v[i] = t->b[i] - t->v[i];
    norms(t, t->v);
    return st;
}

/* ---- a solve ----------------------------------------------------------------------------------------------------------- */

static int task_open(task *t, gmres *g, int slot, int transposed, int w)
{
    *t = (task){.g = g, .slot = slot, .transposed = transposed, .z = g->shift[slot].z, .w = w};
    size_t m = (size_t)g->basis, lanes = (size_t)w, numbers = (m + 1) * m + m + (m + 1) + m;
    t->width = lanes * (t->z ? 2 : 1);
    t->size = t->width * (size_t)g->n;
    int st = room_for(&g->blocks, &g->alloc, (m + (g->mass ? 5 : 4)) * t->size + 2 * lanes, sizeof(double));
    if (!st) st = room_for(&g->lanes, &g->alloc, lanes, sizeof(lane));
    if (!st) st = room_for(&g->small, &g->alloc, lanes * (2 * numbers + m), sizeof(double));
    if (st) return st;
    t->lane = g->lanes.at;
    t->v = g->blocks.at;
    t->b = t->v + (m + 1) * t->size;
    t->in = t->b + t->size;
    t->out = t->in + t->size;
    t->mx = g->mass ? t->out + t->size : NULL;
    t->dots = (g->mass ? t->mx : t->out) + t->size;
    number *at = g->small.at;
    for (size_t l = 0; l < lanes; l++) {
        lane *a = &t->lane[l];
        *a = (lane){.h = at};
        a->s = a->h + (m + 1) * m;
        a->g = a->s + m;
        a->y = a->g + m + 1;
        at = a->y + m;
    }
    double *c = (double *)at;
    for (size_t l = 0; l < lanes; l++) t->lane[l].c = c + l * m;
    return 0;
}

/* A right-hand side that is not finite is not the matrix's fault: as with factors, the solution is not finite either. */
static int not_a_number(const task *t, double *x)
{
    for (size_t i = 0; i < t->size; i++) x[i] = NAN;
    return 0;
}

void linsol_gmres_once(void *self, double tol)
{
    gmres *g = self;
    g->tol = tol;
    g->once = 1;
}

static int gmres_solve(void *self, int slot, int transposed, int w, double *x)
{
    task t;
    int st = task_open(&t, self, slot, transposed, w), iterations = 0, open = 0;
    if (st) return st;
    memcpy(t.b, x, t.size * sizeof *x);
    memcpy(t.v, x, t.size * sizeof *x);
    memset(x, 0, t.size * sizeof *x);
    norms(&t, t.b);
    for (int l = 0; l < w; l++) {
        lane *a = &t.lane[l];
        if (!isfinite(a->norm)) return not_a_number(&t, x);
        a->target = t.g->tol * a->norm;
        open += a->open = a->norm > a->target;
    }
    while (open) {
        st = cycle(&t, &iterations, x);
        for (int l = 0; !st && t.g->once && l < w; l++)
            if (t.lane[l].running) st = LINSOL_NOT_CONVERGED;
        if (st || t.g->once) return st;
        st = residual(&t, x);
        if (st) return st;
        open = 0;
        for (int l = 0; l < w; l++) {
            lane *a = &t.lane[l];
            if (!isfinite(a->norm)) return LINSOL_NOT_FINITE;
            open += a->open = a->open && a->norm > a->target;
            if (a->open && (iterations >= t.g->most || (a->full && a->norm > 0.5 * a->start))) return LINSOL_NOT_CONVERGED;
        }
    }
    return 0;
}

const linsol_ops linsol_gmres = {
    .name = "gmres",
    .matrix_free = 1,
    .formats = 1 << COSTATE_DENSE | 1 << COSTATE_BANDED | 1 << COSTATE_CSC,
    .open = gmres_open,
    .close = gmres_close,
    .factor = gmres_factor,
    .solve = gmres_solve,
};
