/* glv_costate.c - the GLV tasks with Costate, from the model file: costate_solve and costate_adjoint. The solver is made once;
 * what is timed is what a caller in a loop pays. The result of task b is np x N, the N objectives innermost. Method "reference"
 * writes the reference. */
#include "generated.h"
#include "glv_bench.h"
#include "own.h"

int main(int argc, char **argv)
{
    bench_case c = bench_open(argc, argv);
    int reference = c.method && !strcmp(c.method, "reference");
    size_t n = (size_t)c.n, w = (size_t)c.seeds;
    char size[32];
    snprintf(size, sizeof size, "N=%d", c.n);
    costate_model *model = generated_open("glv", size, 1, NULL);
    costate_model_info about = costate_model_about(model);
    costate_options options = costate_defaults(reference ? "dopri853" : c.method);
    options.rtol = options.atol = c.tol;
    options.h0 = BENCH_H0;
    costate_solver *s = NULL;
    must(s, costate_create(&s, costate_model_problem(model), &options));
    double *y = bench_alloc(n, sizeof *y), *lambda = bench_alloc(c.inputs * w, sizeof *lambda), *mu = lambda + n * w;

    for (int rep = -1; rep < c.reps; rep++) {
        double began = bench_now();
        must(s, costate_solve(s, about.t0, about.t1, about.p, y));
        memset(lambda, 0, n * w * sizeof *lambda);
        for (size_t i = 0; i < n; i++) lambda[i * w + i % w] = 1; /* w = 1: all ones; w = n: the identity */
        must(s, costate_adjoint(s, c.seeds, lambda, mu));
        if (rep >= 0) c.times[rep] = bench_now() - began;
    }

    costate_stats stats;
    must(s, costate_get_stats(s, &stats));
    bench_result r = {.peer = "costate", .method = stats.method, .y = y, .result = lambda, .seed_stride = 1, .input_stride = w,
                      .steps = (long)stats.steps, .rhs = (long)stats.rhs, .vjp = (long)stats.vjp};
    if (reference) bench_write_reference(&c, &r);
    else bench_report(&c, &r);
    costate_free(s);
    costate_model_close(model);
    free(y), free(lambda);
    bench_close(&c);
    return 0;
}
