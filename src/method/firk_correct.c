/* firk_correct.c - systems ((1/h) A^-1 (x) I - I (x) J) d = F - (1/h) A^-1 x, and transposed ones, as a real and a complex
 * system of n equations. The state's Newton iteration and the iterated systems of tangents and adjoints all go through here. */
#include "method/firk.h"

/* q = base + f F + (1/h) x x: q_1, and pairs (q_2, q_3) */
static void split(size_t count, const firk_map *map, const firk_system *s, double *restrict q1, double *restrict q23)
{
    firk_matrix f, x;
    for (int i = 0; i < FIRK_STAGES; i++)
        for (int j = 0; j < FIRK_STAGES; j++) {
            f[i][j] = map->f[i][j];
            x[i][j] = map->x[i][j] / s->h;
        }
    const double *f1 = s->f[0], *f2 = s->f[1], *f3 = s->f[2], *x1 = s->x[0], *x2 = s->x[1], *x3 = s->x[2];
#define ROW(i) (f[i][0] * f1[e] + f[i][1] * f2[e] + f[i][2] * f3[e] + (x[i][0] * x1[e] + x[i][1] * x2[e] + x[i][2] * x3[e]))
    if (s->base[0]) {
        const double *b1 = s->base[0], *b2 = s->base[1], *b3 = s->base[2];
#pragma omp simd
        for (size_t e = 0; e < count; e++) {
            q1[e] = b1[e] + ROW(0);
            q23[2 * e] = b2[e] + ROW(1);
            q23[2 * e + 1] = b3[e] + ROW(2);
        }
    } else {
#pragma omp simd
        for (size_t e = 0; e < count; e++) {
            q1[e] = ROW(0);
            q23[2 * e] = ROW(1);
            q23[2 * e + 1] = ROW(2);
        }
    }
#undef ROW
}

static void take_base(size_t count, const firk_system *s, double *restrict q1, double *restrict q23)
{
    const double *b1 = s->base[0], *b2 = s->base[1], *b3 = s->base[2];
    memcpy(q1, b1, count * sizeof *q1);
#pragma omp simd
    for (size_t e = 0; e < count; e++) {
        q23[2 * e] = b2[e];
        q23[2 * e + 1] = b3[e];
    }
}

/* d = back q, x += d, y = from + x */
static void join(size_t count, const firk_map *map, const firk_system *s, const double *restrict q1, const double *restrict q23)
{
    for (int i = 0; i < FIRK_STAGES; i++) {
        double a = map->back[i][0], b = map->back[i][1], c = map->back[i][2];
        double *restrict d = s->f[i], *restrict x = s->x[i];
#pragma omp simd
        for (size_t e = 0; e < count; e++) {
            d[e] = a * q1[e] + b * q23[2 * e] + c * q23[2 * e + 1];
            x[e] += d[e];
        }
        if (!s->from) continue;
        const double *from = s->from;
        double *restrict y = s->y[i];
#pragma omp simd
        for (size_t e = 0; e < count; e++) y[e] = from[e] + x[e];
    }
}

int cst__firk_correct(costate_solver *s, const firk_system *q, int only_base)
{
    firk *m = s->method;
    size_t count = (size_t)s->prob.n * (size_t)q->w;
    const firk_map *map = q->transposed ? &m->transposed : &m->plain;
    double *q1 = q->q, *q23 = q1 + count;
    if (only_base) take_base(count, q, q1, q23);
    else split(count, map, q, q1, q23);
    TRY(cst__implicit_solve(s, &m->im, 0, q->transposed, q->w, q1));
    TRY(cst__implicit_solve(s, &m->im, 1, q->transposed, q->w, q23));
    join(count, map, q, q1, q23);
    return 0;
}

/* The largest over the lanes of |d| / |x|, with the weights of the state for directions and their inverses for adjoints: units
 * do not matter. */
static double relative(const costate_solver *s, const firk_system *q, const double *at)
{
    double above[64] = {0}, below[64] = {0}, worst = 0;
    double *const *x = q->from ? q->y : q->x;
    size_t w = (size_t)q->w;
    for (size_t i = 0; i < (size_t)s->prob.n; i++) {
        double scale = s->atol[i] + s->opt.rtol * fabs(at[i]), weight = q->transposed ? scale : scale > 0 ? 1 / scale : 0;
        for (int k = 0; k < FIRK_STAGES; k++)
            for (size_t l = 0; l < w; l++) {
                double d = weight * q->f[k][i * w + l], size = weight * x[k][i * w + l];
                above[l] += d * d;
                below[l] += size * size;
            }
    }
    for (size_t l = 0; l < w; l++) {
        double ratio = above[l] == 0 ? 0 : above[l] / below[l];
        if (!isfinite(ratio)) return NAN;
        if (ratio > worst) worst = ratio;
    }
    return sqrt(worst);
}

newton_verdict cst__firk_judge(const costate_solver *s, const firk_system *q, const double *at, newton *c)
{
    double size = relative(s, q, at);
    if (isnan(size)) return NEWTON_FAILS;
    if (size <= c->kappa) return NEWTON_DONE;
    if (c->k++ > 0) {
        c->theta = size / c->norm;
        if (c->theta >= 0.99 || size * pow(c->theta, c->most - c->k) > c->kappa) return NEWTON_FAILS;
    }
    c->norm = size;
    return c->k < c->most ? NEWTON_AGAIN : NEWTON_FAILS;
}
