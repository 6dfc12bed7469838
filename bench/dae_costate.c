/* dae_costate.c - differential-algebraic problems with Costate, from their model files; see dae_bench.h. The options are the
 * library's own, by name. The solvers are made once; what is timed is what a caller in a loop pays. */
#include "dae_bench.h"
#include "own.h"

#include <math.h>

static void forward(costate_solver *s, const dae_case *c)
{
    memcpy(c->y, c->about.y0, (size_t)c->n * sizeof *c->y);
    must(s, costate_solve(s, c->about.t0, c->of->t1, c->about.p, c->y));
}

static costate_solver *make(const dae_case *c, int record, const char **linsol)
{
    costate_options o = costate_defaults(c->method);
    costate_solver *s = NULL;
    o.rtol = c->rtol;
    o.atols = c->atols;
    o.record = record;
    must(s, costate_create(&s, c->q, &o));
    for (char **text = c->options; *text; text++) {
        const char *chosen = own_option(s, *text, "linsol");
        if (chosen) *linsol = chosen;
    }
    return s;
}

int main(int argc, char **argv)
{
    const costate_table *method = argc > 2 ? costate_method_find(argv[2]) : NULL;
    dae_case c = dae_open(argc, argv, method && method->family == COSTATE_ROS ? 2 : 1); /* its steps contain the Jacobian */
    dae_counts k = {.peer = "costate", .linsol = "auto"};
    costate_solver *plain = make(&c, 0, &k.linsol), *recording = make(&c, 1, &k.linsol);
    for (int rep = 0; rep < c.reps; rep++) {
        double began = bench_now();
        forward(plain, &c);
        c.forward = fmin(c.forward, bench_now() - began - bench_clock_cost());
        began = bench_now();
        forward(recording, &c);
        must(recording, costate_gradient(recording, c.goals, NULL, c.dy, c.dp));
        c.gradient = fmin(c.gradient, bench_now() - began - bench_clock_cost());
    }
    costate_stats stats;
    must(recording, costate_get_stats(recording, &stats));
    k.steps = stats.steps;
    dae_report(&c, &k);
    costate_free(plain), costate_free(recording);
    dae_close(&c);
    return 0;
}
