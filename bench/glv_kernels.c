/* glv_kernels.c - how fast the hand-written products of tests/reference/glv.c are by themselves: nanoseconds per call, and
 * GFlop/s beside what this core can do at most with fused multiply-adds. Best of several rounds. usage: glv_kernels [points] */
#include "glv_bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7, POINTS_MOST = 512 };

typedef double v4 __attribute__((vector_size(32)));

/* Twelve independent chains, enough for two units with four cycles of latency and some to spare */
static double peak(void)
{
    enum { CHAINS = 12, LOOPS = 2000000 };
    volatile double half = 0.5; /* the compiler must not know where the chains lead */
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        v4 s[CHAINS], x = {half, half, half, half}, total = {0};
        for (int q = 0; q < CHAINS; q++) s[q] = (v4){half, half, half, half};
        double began = bench_now();
        for (int k = 0; k < LOOPS; k++)
            for (int q = 0; q < CHAINS; q++) s[q] = s[q] * x + x;
        double rate = 2.0 * 4 * CHAINS * LOOPS / (bench_now() - began);
        for (int q = 0; q < CHAINS; q++) total += s[q];
        if (rate > best && total[0] == CHAINS) best = rate; /* each chain tends to 1 */
    }
    return best;
}

typedef struct setting {
    costate_problem problem;
    double *p, *y, *u, *yb, *pb, t[POINTS_MOST];
    const double *py[POINTS_MOST], *pu[POINTS_MOST];
    int points;
} setting;

static void call_rhs(setting *s, int w)
{
    (void)w;
    s->problem.rhs(0, s->y, s->p, s->yb, s->problem.data);
}

static void call_vjp(setting *s, int w)
{
    s->problem.vjp(0, s->y, s->p, w, s->u, s->yb, NULL, s->problem.data);
}

static void call_points(setting *s, int w)
{
    s->problem.vjp_points(s->points, s->t, s->py, s->p, w, s->pu, s->pb, s->problem.data);
}

static void measure(const char *name, void (*call)(setting *s, int w), setting *s, int w, double flops, double most)
{
    double best = 1e9;
    long loops = 1 + (long)(2e7 / flops);
    for (int round = 0; round < ROUNDS; round++) {
        double began = bench_now();
        for (long k = 0; k < loops; k++) call(s, w);
        double each = (bench_now() - began) / (double)loops;
        if (each < best) best = each;
    }
    printf("N=%-4d %-10s w=%d %12.1f ns %7.1f GFlop/s %4.0f %%\n", s->problem.n, name, w, 1e9 * best, 1e-9 * flops / best,
           100 * flops / best / most);
}

static void run(int n, int points, double most)
{
    glv model = {n};
    size_t N = (size_t)n, np = N + N * N, block = N * 8;
    setting s = {.problem = glv_problem(&model), .points = points};
    s.p = bench_alloc(np, sizeof(double)), s.y = bench_alloc(N, sizeof(double)), s.u = bench_alloc(block, sizeof(double));
    s.yb = bench_alloc(block, sizeof(double)), s.pb = bench_alloc(np * 8, sizeof(double));
    double *states = bench_alloc((size_t)points * N, sizeof(double));
    double *seeds = bench_alloc((size_t)points * block, sizeof(double));
    glv_defaults(n, s.p, s.y);
    for (size_t i = 0; i < block; i++) s.u[i] = 1e-3;
    for (size_t i = 0; i < (size_t)points * N; i++) states[i] = 0.1;
    for (size_t i = 0; i < (size_t)points * block; i++) seeds[i] = 1e-3;
    for (int k = 0; k < points; k++) s.py[k] = states + (size_t)k * N, s.pu[k] = seeds + (size_t)k * block;
    double square = 2.0 * n * n; /* A times a vector */
    measure("rhs", call_rhs, &s, 1, square, most);
    for (int w = 1; w <= 8; w *= 2) measure("vjp", call_vjp, &s, w, (w + 1) * square, most);
    for (int w = 1; w <= 8; w *= 2) measure("vjp_points", call_points, &s, w, w * points * square, most);
    free(s.p), free(s.y), free(s.u), free(s.yb), free(s.pb), free(states), free(seeds);
}

int main(int argc, char **argv)
{
    int points = argc > 1 ? atoi(argv[1]) : 36;
    if (points < 1 || points > POINTS_MOST) return 1;
    double most = peak();
    printf("peak %.1f GFlop/s; vjp_points with %d points\n", 1e-9 * most, points);
    for (int i = 0; i < 4; i++) run((int[]){10, 55, 100, 200}[i], points, most);
    return 0;
}
