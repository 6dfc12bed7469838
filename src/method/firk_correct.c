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

/* The same with M x. */
static void split_mass(const costate_solver *c, const firk_map *map, const firk_system *s, double *q1, double *q23)
{
    const size_t w = (size_t)s->w;
    for (size_t r = 0; r < (size_t)c->prob.n; r++) {
        const double scale = c->prob.mass[r] / s->h;
        for (size_t e = r * w; e < (r + 1) * w; e++) {
            double q[FIRK_STAGES];
            for (int i = 0; i < FIRK_STAGES; i++) {
                q[i] = s->base[0] ? s->base[i][e] : 0;
                for (int j = 0; j < FIRK_STAGES; j++) q[i] += map->f[i][j] * s->f[j][e] + map->x[i][j] * scale * s->x[j][e];
            }
            q1[e] = q[0];
            q23[2 * e] = q[1];
            q23[2 * e + 1] = q[2];
        }
    }
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
    else if (s->prob.mass) split_mass(s, map, q, q1, q23);
    else split(count, map, q, q1, q23);
    TRY(cst__implicit_solve(s, &m->im, 0, q->transposed, q->w, q1));
    TRY(cst__implicit_solve(s, &m->im, 1, q->transposed, q->w, q23));
    join(count, map, q, q1, q23);
    return 0;
}

static double unit(const costate_solver *s, const firk_system *q, const double *at, size_t i)
{
    double scale = s->atol[i] + s->opt.rtol * fabs(at[i]);
    return q->transposed ? scale : scale > 0 ? 1 / scale : 0;
}

/* The largest over lanes and components of |d_i| / |x_i|, with the weights of the state for directions and their inverses for
 * adjoints: units do not matter. Components below FAINT of the lane's |x| are held against that: a derivative may be small beside
 * others and asked for all the same. */
#define FAINT 1e-9
static double relative(const costate_solver *s, const firk_system *q, const double *at)
{
    double least[64] = {0}, worst = 0;
    double *const *x = q->from ? q->y : q->x;
    const size_t w = (size_t)q->w, n = (size_t)s->prob.n;
    for (size_t i = 0; i < n; i++) {
        const double weight = unit(s, q, at, i);
        for (int k = 0; k < FIRK_STAGES; k++)
            for (size_t l = 0; l < w; l++) {
                const double size = weight * x[k][i * w + l];
                least[l] += size * size;
            }
    }
    for (size_t l = 0; l < w; l++) least[l] = FAINT * sqrt(least[l]);
    for (size_t i = 0; i < n; i++) {
        const double weight = unit(s, q, at, i);
        for (int k = 0; k < FIRK_STAGES; k++)
            for (size_t l = 0; l < w; l++) {
                const double d = weight * fabs(q->f[k][i * w + l]), ratio = d / (weight * fabs(x[k][i * w + l]) + least[l]);
                if (d > 0 && !(ratio <= worst)) worst = ratio;
                if (!isfinite(d)) return NAN;
            }
    }
    return isfinite(worst) ? worst : NAN;
}

/* What is left after a correction is theta/(1 - theta) of it, as in sdirk_linear.c; theta is believed only once corrections are
 * small. Those that have become small and then do not shrink any more are round-off, of which factors of its own would leave as
 * much. */
newton_verdict cst__firk_judge(const costate_solver *s, const firk_system *q, const double *at, newton *c)
{
    double size = relative(s, q, at), theta = c->k > 0 ? size / c->norm : 1;
    if (isnan(size)) return NEWTON_FAILS;
    if (size == 0) return NEWTON_DONE;
    c->norm = size;
    if (c->k++ == 0) return NEWTON_AGAIN;
    int small = size <= fmin(1e3 * c->kappa, 1e-9);
    if (theta >= 0.99) return small ? NEWTON_DONE : NEWTON_FAILS;
    if (size <= 10 * c->kappa && theta / (1 - theta) * size <= IN_HAND * c->kappa) return NEWTON_DONE;
    if (c->k == c->most || (!small && size * pow(theta, c->most - c->k) > c->kappa)) return NEWTON_FAILS;
    return NEWTON_AGAIN;
}
