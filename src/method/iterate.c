/* iterate.c - the linear systems of tangents and adjoints, A x = b with A = shift M - f_y(t, y), or transposed.
 *
 *     direct     by factors of A itself
 *     iterated   by M, the factors of the step: generalized conjugate residuals on M^-1 A x = M^-1 b, which take one product
 *                with f_y and one solution with M an iteration, from x = 0 or a guess on:
 *
 *     z = M^-1 (b - A x);   p = z - sum beta_j p_j,  q = M^-1 A z - sum beta_j q_j with q orthogonal to those before;
 *     x += omega p,  z -= omega q,  omega = <z, q> / <q, q>
 *
 * docs/theory.md (57), (58). M differs from A by its shift, above all: then M^-1 A is near a multiple of the identity on
 * what is smooth and near the identity on what is stiff, which few iterations tell apart where a stationary one would take
 * many. z is about the error of x. The iteration has converged when z, or what is left of it after x += omega_0 z, is within
 * sweep_tol of |x|. What is left is theta/(1 - theta) |z| with theta = |z - omega_0 M^-1 A z| / |z|, the slowest that was
 * seen. Where it does not converge, or M is so poor that z says little about the error, the system is solved directly. Every
 * lane has coefficients of its own and every system is solved from its own data alone, a guess being made of the step's, so that
 * a step or a block gives the same bits whatever came before. */
#include "method/iterate.h"

#include "base/kernels.h"

#include <math.h>

enum { ITERATIONS = 40, LANES = 64 };
#define POOR 0.95

typedef struct lin {
    costate_solver *s;
    const iterated_system *q;
    int transposed, slot, w;
    double shift;
    const double *b, *square;                           /* square: n weights of <u, v> */
    double *x, *z, *p[ITERATE_KEPT], *q_[ITERATE_KEPT]; /* p_j, q_j */
    double zz[LANES], kept[ITERATE_KEPT][LANES];        /* <z, z>, <q_j, q_j> */
} lin;

/* Components count in units of what the tolerances allow them, those of adjoints in its inverse. */
static const double *squares(const costate_solver *s, const double *y, int transposed)
{
    double *square = s->im->square;
    for (int i = 0; i < s->prob.n; i++) {
        const double u = s->atol[i] + s->opt.rtol * fabs(y[i]);
        square[i] = !(u > 0) ? 1 : transposed ? u * u : 1 / (u * u);
    }
    return square;
}

/* Sums of a few lanes stay in registers; that of a single one has eight parts. */
static inline __attribute__((always_inline)) void sums(size_t w, size_t n, const double *square, const double *u, const double *v,
                                                       double *uv)
{
    enum { PARTS = 8 };
    double sum[PARTS] = {0};
    size_t i = 0;
    if (w == 1) {
        for (; i + PARTS <= n; i += PARTS)
#pragma omp simd
            for (size_t l = 0; l < PARTS; l++) sum[l] += square[i + l] * u[i + l] * v[i + l];
        *uv = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
        for (; i < n; i++) *uv += square[i] * u[i] * v[i];
        return;
    }
    double *to = w <= PARTS ? sum : uv;
    for (size_t l = 0; l < w; l++) to[l] = 0;
    for (; i < n; i++)
        for (size_t l = 0; l < w; l++) to[l] += square[i] * u[i * w + l] * v[i * w + l];
    for (size_t l = 0; l < w; l++) uv[l] = to[l];
}

/* <u, v> of every lane */
static void dot(const lin *c, const double *u, const double *v, double *uv)
{
    const size_t n = (size_t)c->s->prob.n, w = (size_t)c->w;
    if (w == 1) sums(1, n, c->square, u, v, uv);
    else if (w == 2) sums(2, n, c->square, u, v, uv);
    else if (w == 8) sums(8, n, c->square, u, v, uv);
    else sums(w, n, c->square, u, v, uv);
}

/* x += factor y, lane by lane */
static void add(const lin *c, const double *factor, const double *y, double *x)
{
    const size_t n = (size_t)c->s->prob.n, w = (size_t)c->w;
    const double one = factor[0];
    for (size_t i = 0; w == 1 && i < n; i++) x[i] += one * y[i];
    for (size_t i = 0; w > 1 && i < n; i++)
        for (size_t l = 0; l < w; l++) x[i * w + l] += factor[l] * y[i * w + l];
}

/* |z| / |x| in the worst lane, 1 if x = 0; NaN sticks */
static double relative(lin *c)
{
    double xx[LANES], worst = 0;
    dot(c, c->x, c->x, xx);
    dot(c, c->z, c->z, c->zz);
    for (int l = 0; l < c->w; l++) {
        double ratio = c->zz[l] == 0 ? 0 : xx[l] == 0 ? 1 : sqrt(c->zz[l] / xx[l]);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

/* out = f_y v */
static int product(const lin *c, const double *v, double *out)
{
    costate_solver *s = c->s;
    const double t = c->q->t, *y = c->q->y;
    if (!c->transposed) return deriv_jvp(&s->d, t, y, s->p, c->w, NULL, v, NULL, out);
    memset(out, 0, (size_t)s->prob.n * (size_t)c->w * sizeof *out);
    return deriv_vjp(&s->d, t, y, s->p, c->w, v, out, NULL);
}

static int precondition(const lin *c, double *v)
{
    return cst__implicit_solve(c->s, c->s->im, c->slot, c->transposed, c->w, v);
}


/* |z - omega q| / |z| in the worst lane: what a last correction leaves, for q = M^-1 A z */
static double contraction(const lin *c, const double *omega, const double *q)
{
    double zq[LANES], qq[LANES], worst = 0;
    dot(c, c->z, q, zq);
    dot(c, q, q, qq);
    for (int l = 0; l < c->w; l++) {
        double left = c->zz[l] > 0 ? sqrt(fmax(0, 1 - omega[l] * (2 * zq[l] - omega[l] * qq[l]) / c->zz[l])) : 0;
        if (!(left <= worst)) worst = left;
    }
    return worst;
}

/* q = shift M p - q */
static void subtract_from_mass(const lin *c, const double *p, double *q)
{
    const size_t w = (size_t)c->w, nw = (size_t)c->s->prob.n * w;
    const double both[2] = {c->shift, -1}, *v[2] = {p, q};
    if (!c->s->prob.mass) cst__combine(nw, NULL, 2, both, v, q);
    for (size_t i = 0; c->s->prob.mass && i < (size_t)c->s->prob.n; i++) {
        const double scale = c->shift * c->s->prob.mass[i];
        for (size_t l = i * w; l < (i + 1) * w; l++) q[l] = scale * p[l] - q[l];
    }
}

/* x = 0 or the guess, z = M^-1 (b - A x) */
static int begin(const lin *c)
{
    const size_t nw = (size_t)c->s->prob.n * (size_t)c->w;
    const double both[2] = {-1, 1}, *const v[2] = {c->z, c->b};
    if (c->q->guess) {
        memcpy(c->x, c->q->guess, nw * sizeof *c->x);
        TRY(product(c, c->x, c->z));
        subtract_from_mass(c, c->x, c->z);
        cst__combine(nw, NULL, 2, both, v, c->z);
    } else {
        memset(c->x, 0, nw * sizeof *c->x);
        memcpy(c->z, c->b, nw * sizeof *c->z);
    }
    return precondition(c, c->z);
}

/* One iteration, the k-th. first: omega_0 of each lane; theta: the slowest contraction by it. */
static int advance(lin *c, int k, double *first, double *theta)
{
    size_t nw = (size_t)c->s->prob.n * (size_t)c->w;
    double *p = c->p[k % ITERATE_KEPT], *q = c->q_[k % ITERATE_KEPT], *qq = c->kept[k % ITERATE_KEPT], uv[LANES], omega[LANES];
    memcpy(p, c->z, nw * sizeof *p);
    TRY(product(c, p, q));
    subtract_from_mass(c, p, q);
    TRY(precondition(c, q));
    if (k > 0) *theta = fmax(*theta, contraction(c, first, q));
    for (int j = k < ITERATE_KEPT ? 0 : k - ITERATE_KEPT + 1; j < k; j++) {
        const double *vv = c->kept[j % ITERATE_KEPT];
        dot(c, q, c->q_[j % ITERATE_KEPT], uv);
        for (int l = 0; l < c->w; l++) uv[l] = vv[l] > 0 ? -uv[l] / vv[l] : 0;
        add(c, uv, c->p[j % ITERATE_KEPT], p);
        add(c, uv, c->q_[j % ITERATE_KEPT], q);
    }
    dot(c, c->z, q, uv);
    dot(c, q, q, qq);
    for (int l = 0; l < c->w; l++) omega[l] = qq[l] > 0 ? uv[l] / qq[l] : 0;
    if (k == 0) memcpy(first, omega, sizeof omega);
    add(c, omega, p, c->x);
    for (int l = 0; l < c->w; l++) uv[l] = -omega[l];
    add(c, uv, q, c->z);
    return 0;
}

static int iterate(lin *c, int *converged)
{
    double omega[LANES], slowest = 0, tol = IN_HAND * cst__sweep_tol(c->s);
    for (int l = 0; l < c->w; l++) omega[l] = 1;
    TRY(begin(c));
    double now = relative(c);
    for (int k = 0; !(*converged = (k > 1 ? slowest / (1 - slowest) : 1) * now <= tol); k++) {
        double before = now;
        if (k == ITERATIONS) return 0;
        TRY(advance(c, k, omega, &slowest));
        now = relative(c);
        double theta = now / before;
        if (k == 0) slowest = theta;
        if (!(theta < 1) || !(slowest < POOR) || now * pow(theta, ITERATIONS - k - 1) > tol) return 0;
    }
    add(c, omega, c->z, c->x);
    return 0;
}

int cst__iterate(costate_solver *s, const iterated_system *q, int slot, int transposed, int w, double *x, double *work,
                 int *converged)
{
    const size_t nw = (size_t)s->prob.n * (size_t)w;
    lin c = {s, q, transposed, slot, w, q->shift, .b = work, .x = x, .z = work + nw, .square = squares(s, q->unit, transposed)};
    memcpy(work, x, nw * sizeof *x);
    for (size_t j = 0; j < ITERATE_KEPT; j++) {
        c.p[j] = work + (2 + 2 * j) * nw;
        c.q_[j] = c.p[j] + nw;
    }
    *converged = 0;
    TRY(iterate(&c, converged));
    if (*converged) return 0;
    memcpy(x, work, nw * sizeof *x);
    s->stats.fallbacks++;
    return 0;
}
