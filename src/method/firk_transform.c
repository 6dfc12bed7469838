/* firk_transform.c - what follows from the table of a fully implicit method of three stages.
 *
 *     A^-1 T = T Lambda,   Lambda = diag(gamma, [alpha -beta; beta alpha]),   T = [v, Re u, -Im u]
 *
 * with A^-1 v = gamma v and A^-1 u = (alpha + i beta) u. So ((1/h) A^-1 (x) I - I (x) J) d = r becomes, with q = T^-1 d, a real
 * system for q_1 and a complex one for q_2 + i q_3; the transposed one, with q = T^T d, likewise for q_1 and q_2 - i q_3.
 * docs/theory.md (48), (49), (51); Hairer, Wanner: Solving ODEs II, IV.8.
 *
 * Estimates compare with weights that integrate polynomials of degree 2: classical, on the stages and one node more, of given
 * weight; sdirk, with a stage at tn of diagonal 1/gamma besides, one Newton step from y+. There must be four different nodes,
 * or the estimate does not see errors of y' = g(t). So the node is at t only if no stage is. A classical one is at tn if no
 * stage is: stiff components of y+ are off by then, which is this step's error; at t it would be that of the step before. If
 * stages are at both ends, it is in between. Everything is computed in long double, so that the rounded numbers are right. */
#include "method/firk.h"

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef long double real;
typedef long double complex pair;
typedef real square[FIRK_STAGES][FIRK_STAGES];

enum { S = FIRK_STAGES };

typedef struct reason {
    char *why;
    size_t size;
} reason;

__attribute__((format(printf, 2, 3))) static int reject(const reason *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, r->size, format, args);
    va_end(args);
    return COSTATE_ERR_TABLE;
}

/* Round-off of a number that is meant to be 0 or 1. */
static double snap(real x)
{
    return fabsl(x) < 1e-14L ? 0 : fabsl(x - 1) < 1e-14L ? 1 : (double)x;
}

/* ---- 3 x 3 --------------------------------------------------------------------------------------------------------------- */

static real minor(square a, int i, int j) /* the cofactor of a_ij */
{
    int r = (i + 1) % S, q = (i + 2) % S, c = (j + 1) % S, e = (j + 2) % S;
    return a[r][c] * a[q][e] - a[r][e] * a[q][c];
}

static real determinant(square a)
{
    return a[0][0] * minor(a, 0, 0) + a[0][1] * minor(a, 0, 1) + a[0][2] * minor(a, 0, 2);
}

static int invert(square a, square inverse) /* -1: singular, up to round-off */
{
    real det = determinant(a), size = 0;
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) size = fmaxl(size, fabsl(a[i][j]));
    if (!(fabsl(det) > 1e-12L * size * size * size)) return -1;
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) inverse[j][i] = minor(a, i, j) / det;
    return 0;
}

static void multiply(square a, square b, square out)
{
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            out[i][j] = 0;
            for (int k = 0; k < S; k++) out[i][j] += a[i][k] * b[k][j];
        }
}

/* ---- eigenvalues and eigenvectors ---------------------------------------------------------------------------------------- */

/* The characteristic polynomial x^3 - c2 x^2 + c1 x - c0. Newton's method from far outside, on the side of the inflection where
 * a root is, comes down on it monotonically. */
static real real_root(real c2, real c1, real c0)
{
    real inflection = c2 / 3, there = ((inflection - c2) * inflection + c1) * inflection - c0;
    real x = inflection + copysignl(1 + fabsl(c2) + fabsl(c1) + fabsl(c0), -there);
    for (int k = 0; k < 200; k++) {
        real next = x - (((x - c2) * x + c1) * x - c0) / ((3 * x - 2 * c2) * x + c1);
        if (next == x || !isfinite(next)) break;
        x = next;
    }
    return x;
}

/* gamma and alpha + i beta, the latter by deflation and a polish on the polynomial itself. */
static int eigenvalues(square ainv, const reason *why, real *gamma, pair *z)
{
    real c2 = ainv[0][0] + ainv[1][1] + ainv[2][2], c1 = minor(ainv, 0, 0) + minor(ainv, 1, 1) + minor(ainv, 2, 2),
         c0 = determinant(ainv);
    *gamma = real_root(c2, c1, c0);
    real alpha = (c2 - *gamma) / 2, product = c0 / *gamma, square_of_beta = product - alpha * alpha;
    if (!(square_of_beta > 1e-10L * fabsl(product)))
        return reject(why, "the inverse of A has three real eigenvalues; one and a complex pair are wanted");
    if (!(*gamma > 0)) return reject(why, "the real eigenvalue of the inverse of A is %Lg, not positive", *gamma);
    *z = alpha + sqrtl(square_of_beta) * I;
    *z -= (((*z - c2) * *z + c1) * *z - c0) / ((3 * *z - 2 * c2) * *z + c1);
    return 0;
}

/* A vector that B - z I maps to zero: the largest cross product of two of its rows, scaled so that its largest entry is 1. */
static void eigenvector(square b, pair z, pair v[S])
{
    pair rows[S][S], best[S] = {0};
    real most = 0;
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) rows[i][j] = b[i][j] - (i == j ? z : 0);
    for (int k = 0; k < S; k++) {
        const pair *p = rows[(k + 1) % S], *q = rows[(k + 2) % S];
        pair cross[S] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        real size = cabsl(cross[0]) + cabsl(cross[1]) + cabsl(cross[2]);
        if (size > most) {
            most = size;
            memcpy(best, cross, sizeof best);
        }
    }
    int largest = 0;
    for (int i = 1; i < S; i++)
        if (cabsl(best[i]) > cabsl(best[largest])) largest = i;
    for (int i = 0; i < S; i++) v[i] = best[i] / best[largest];
}

static void maps(firk *m, square ainv, square t, square tinv)
{
    square x, xt;
    multiply(tinv, ainv, x);
    multiply(ainv, t, xt); /* transposed: T^T A^-T */
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            real flip_i = i == 2 ? -1 : 1, flip_j = j == 2 ? -1 : 1; /* q_2 - i q_3 */
            m->plain.f[i][j] = (double)tinv[i][j];
            m->plain.x[i][j] = (double)-x[i][j];
            m->plain.back[i][j] = (double)t[i][j];
            m->transposed.f[i][j] = (double)(flip_i * t[j][i]);
            m->transposed.x[i][j] = (double)(-flip_i * xt[j][i]);
            m->transposed.back[i][j] = (double)(flip_j * tinv[j][i]);
        }
}

static int transform(firk *m, square ainv, const reason *why)
{
    real gamma = 0;
    pair z = 0, v[S], u[S];
    square t, tinv;
    int status = eigenvalues(ainv, why, &gamma, &z);
    if (status) return status;
    eigenvector(ainv, gamma, v);
    eigenvector(ainv, z, u);
    for (int i = 0; i < S; i++) {
        t[i][0] = creall(v[i]);
        t[i][1] = creall(u[i]);
        t[i][2] = -cimagl(u[i]);
    }
    if (invert(t, tinv)) return reject(why, "the eigenvectors of the inverse of A do not span the space");
    m->gamma = (double)gamma;
    m->alpha = (double)creall(z);
    m->beta = (double)cimagl(z);
    maps(m, ainv, t, tinv);
    return 0;
}

/* ---- estimates ----------------------------------------------------------------------------------------------------------- */

/* Weights at the nodes c: sum_i x_i c_i^k = 1/(k+1) - first node^k - end, k = 0..2. */
static int quadrature_weights(const real c[S], real first, real node, real end, real x[S])
{
    square v, inverse;
    real moment[S] = {1 - end - first, 0.5L - end - first * node, 1.0L / 3 - end - first * node * node};
    for (int i = 0; i < S; i++) {
        v[0][i] = 1;
        v[1][i] = c[i];
        v[2][i] = c[i] * c[i];
    }
    if (invert(v, inverse)) return -1;
    for (int i = 0; i < S; i++) x[i] = inverse[i][0] * moment[0] + inverse[i][1] * moment[1] + inverse[i][2] * moment[2];
    return 0;
}

/* Where the node of the estimate goes, and the polynomial through y and the stages there. With a stage at the start and none
 * at the end (Radau IA) the polynomial through the stages ends in y+, so that f(t + h, y+) alone says nothing of linear
 * problems; y, from which it departs with a jump, does. */
static void place_node(firk *m, int sdirk)
{
    int start = firk_among(m, 0), end = firk_among(m, 1);
    m->node = !end ? !start && !sdirk : !start ? 0 : firk_among(m, 0.25) ? 0.75 : 0.25;
    m->mid[0] = 1;
    for (int i = 0; i < S; i++) {
        m->mid[0] *= m->c[i] != 0 ? (m->node - m->c[i]) / -m->c[i] : 1;
        m->mid[1 + i] = m->c[i] != 0 ? m->node / m->c[i] : 0;
        for (int j = 0; j < S; j++)
            if (j != i && m->c[j] != 0) m->mid[1 + i] *= (m->node - m->c[j]) / (m->c[i] - m->c[j]);
    }
}

static void peaks(firk *m)
{
    for (int i = 0; i < S; i++) {
        real product = firk_among(m, 0) ? 1 : m->c[i];
        for (int j = 0; j < S; j++)
            if (j != i) product *= (real)m->c[i] - m->c[j];
        m->peak[i] = (double)(1 / product);
    }
}

static int estimates(firk *m, const costate_table *tb, int sdirk, square ainv, const real c[S], const reason *why)
{
    place_node(m, sdirk);
    int both = firk_among(m, 0) && !firk_among(m, 1);
    real x[S], first = tb->e ? tb->e[sdirk] : 0, end = sdirk ? 1 / (real)m->gamma : both ? first : 0;
    m->distinct = !quadrature_weights(c, first, m->node, end, x);
    if (m->distinct) peaks(m);
    if (!tb->e) return 0;
    if (!m->distinct) return reject(why, "two nodes coincide, so that there is no estimate; e must be NULL");
    m->e0 = m->node == 1 ? 0 : (double)first;
    m->e1 = (double)(m->node == 1 ? end + first : end);
    for (int j = 0; j < S; j++) {
        real sum = 0; /* the weights less those of y+, on f at the stages, which is A^-1 z / h */
        for (int i = 0; i < S; i++) sum += (x[i] - tb->b[i]) * ainv[i][j];
        m->e[j] = (double)sum;
    }
    return 0;
}

/* Slopes at the ends are there where an estimate has them: one that has f(t, y), or else f(tn, y+), which the next step begins
 * with. */
static void witness_of(firk *m, const costate_table *tb, square ainv)
{
    witness_slopes q = {0};
    double d[WITNESS_MOST];
    if (!tb->e) return;
    for (int i = 0; i < S; i++) {
        double ac = 0, e = 0;
        for (int j = 0; j < S; j++) {
            ac += m->a[i][j] * m->c[j];
            e += m->e[j] * m->a[j][i];
        }
        witness_add(&q, m->c[i], ac, m->b[i], e);
    }
    witness_add(&q, 0, 0, 0, m->node == 0 ? m->e0 : 0);
    witness_add(&q, 1, 0.5, 0, m->e1);
    q.idle[S + 1] = m->e1 == 0;
    if (m->node > 0 && m->node < 1) {
        witness_add(&q, m->node, m->node * m->node / 2, 0, m->e0);
        q.idle[S + 2] = 1;
    }
    int k = 1 + (tb->order < tb->embedded_order ? tb->order : tb->embedded_order);
    m->witness = cst__witness(&q, k, d);
    m->watch0 = d[S];
    m->watch1 = d[S + 1];
    for (int j = 0; j < S; j++) {
        real sum = 0;
        for (int i = 0; i < S; i++) sum += d[i] * ainv[i][j];
        m->watch[j] = (double)sum;
    }
}

int cst__firk_derive(firk *m, const costate_table *tb, int sdirk, char *why, size_t size)
{
    reason r = {why, size};
    square a, ainv;
    real c[S];
    if (tb->stages != S) return reject(&r, "a fully implicit method has %d stages, not %d", S, tb->stages);
    for (int i = 0; i < S; i++) {
        c[i] = 0;
        for (int j = 0; j < S; j++) {
            m->a[i][j] = tb->a[i * S + j];
            a[i][j] = tb->a[i * S + j];
            c[i] += a[i][j];
        }
        m->b[i] = tb->b[i];
        m->c[i] = snap(c[i]);
    }
    if (invert(a, ainv)) return reject(&r, "A is singular");
    for (int j = 0; j < S; j++) {
        real d = 0;
        for (int i = 0; i < S; i++) d += tb->b[i] * ainv[i][j];
        m->d[j] = snap(d);
    }
    int status = transform(m, ainv, &r);
    if (!status) status = estimates(m, tb, sdirk, ainv, c, &r);
    if (!status) witness_of(m, tb, ainv);
    extend_facts f;
    cst__extend_stages(S, tb->a, m->c, &f);
    cst__extend(S, &f, m->d, m->dense);
    return status;
}
