/* threads_bench.c - what threads gain, by the clock: task b of GLV(200), whose objectives they share, and an ensemble of
 * gradients of Robertson's problem, whose members they share. The digest is of all bits of the result, which do not depend on the
 * threads.
 *
 *     threads_bench glv|robertson size threads reps      size: N of GLV, members of the ensemble */
#include "generated.h"
#include "own.h"

#include <math.h>
#include <stdint.h>

typedef struct setting {
    costate_solver *s;
    costate_model_info about;
    size_t n, np, size, count; /* count: of the result */
    double *y, *result, *p;
    costate_member *member;
} setting;

/* d y_k(t1) / d (y0, p), for all k */
static void matrix(const setting *x)
{
    memset(x->result, 0, x->n * x->n * sizeof *x->result);
    for (size_t i = 0; i < x->n; i++) x->result[i * x->n + i] = 1;
    must(x->s, costate_solve(x->s, x->about.t0, x->about.t1, x->about.p, x->y));
    must(x->s, costate_adjoint(x->s, (int)x->n, x->result, x->result + x->n * x->n));
}

static void ensemble(const setting *x)
{
    static const double first[] = {1, 0, 0};
    for (size_t k = 0; k < x->size; k++) memcpy(x->y + k * x->n, x->about.y0, x->n * sizeof *x->y);
    const costate_members m = {.count = (int)x->size,
                               .t0 = x->about.t0,
                               .t1 = x->about.t1,
                               .p = x->p,
                               .y = x->y,
                               .w = 1,
                               .weights = first,
                               .dy0 = x->result,
                               .dp = x->result + x->size * x->n,
                               .member = x->member};
    must(x->s, costate_ensemble(x->s, &m));
}

/* Every member has rates of its own, within 10 percent. */
static void open_arrays(setting *x, int one)
{
    size_t rows = one ? 1 : x->size;
    x->count = one ? x->n * (x->n + x->np) : rows * (x->n + x->np);
    x->y = bench_alloc(rows * x->n, sizeof *x->y);
    x->result = bench_alloc(x->count, sizeof *x->result);
    x->p = bench_alloc(rows * x->np, sizeof *x->p);
    x->member = bench_alloc(rows, sizeof *x->member);
    for (size_t i = 0; i < rows * x->np; i++) x->p[i] = x->about.p[i % x->np] * (1 + 0.1 * sin(0.7 * (double)i));
}

static uint64_t digest(const setting *x) /* FNV-1a */
{
    uint64_t h = 14695981039346656037u;
    const unsigned char *byte = (const unsigned char *)x->result;
    for (size_t i = 0; i < x->count * sizeof *x->result; i++) h = (h ^ byte[i]) * 1099511628211u;
    return h;
}

int main(int argc, char **argv)
{
    if (argc != 5) bench_give_up("usage: threads_bench", "glv|robertson size threads reps");
    int one = !strcmp(argv[1], "glv");
    char define[32];
    snprintf(define, sizeof define, "N=%s", argv[2]);
    costate_model *model = generated_open(argv[1], one ? define : NULL, 1, NULL);
    const costate_problem *q = costate_model_problem(model);
    setting x = {.about = costate_model_about(model), .n = (size_t)q->n, .np = (size_t)q->np, .size = (size_t)atoi(argv[2])};
    costate_options o = costate_defaults(one ? "dopri5" : "radau2a");
    o.rtol = o.atol = 1e-6;
    must(x.s, costate_create(&x.s, q, &o));
    must(x.s, costate_set(x.s, "threads", argv[3]));
    open_arrays(&x, one);
    double best = HUGE_VAL;
    for (int rep = -1; rep < atoi(argv[4]); rep++) {
        double began = bench_clock();
        (one ? matrix : ensemble)(&x);
        if (rep >= 0) best = fmin(best, bench_clock() - began);
    }
    printf("case=%s size=%s threads=%s ms=%.3f digest=%016llx\n", argv[1], argv[2], argv[3], 1e3 * best,
           (unsigned long long)digest(&x));
    costate_free(x.s);
    costate_model_close(model);
    free(x.y), free(x.result), free(x.p), free(x.member);
    return 0;
}
