/* stiff_costate.c - stiff problems with Costate, from their model files; see stiff_bench.h. The options are the library's own, by
 * name: linsol=klu control=gustafsson ... The solver is made once; what is timed is what a caller in a loop pays. */
#include "generated.h"
#include "own.h"
#include "stiff_bench.h"

static void solve(costate_solver *s, stiff_case *c, const costate_model_info *q)
{
    size_t n = (size_t)c->q->prob.n;
    memcpy(c->y, q->y0, n * sizeof *c->y);
    if (c->task == TANGENT) {
        memset(c->dy, 0, n * sizeof *c->dy);
        c->dy[0] = 1;
        must(s, costate_tangent(s, q->t0, q->t1, q->p, c->y, 1, c->dy, NULL));
        return;
    }
    must(s, costate_solve(s, q->t0, q->t1, q->p, c->y));
    if (c->task == GRADIENT && c->q->prob.objectives) must(s, costate_gradient(s, 1, NULL, c->dy, c->dp));
    else if (c->task != FORWARD) {
        memset(c->dy, 0, n * sizeof *c->dy);
        c->dy[0] = 1;
        must(s, costate_adjoint(s, 1, c->dy, c->task == GRADIENT ? c->dp : NULL));
    }
}

int main(int argc, char **argv)
{
    stiff_case c = stiff_open(argc, argv);
    costate_options options = costate_defaults(c.method);
    options.rtol = c.rtol;
    options.atols = c.atols;
    options.record = c.task == GRADIENT || c.task == ADJOINT;
    const costate_table *method = costate_method_find(c.method);
    /* its steps contain the Jacobian, their derivatives second ones */
    const int rosenbrock = method && method->family == COSTATE_ROS;
    costate_model *model = generated_open(c.q->name, c.size, rosenbrock && c.task != FORWARD ? 2 : 1, NULL);
    costate_model_info about = costate_model_about(model);
    costate_solver *s = NULL;
    must(s, costate_create(&s, costate_model_problem(model), &options));
    const char *linsol = "auto";
    for (char **text = c.options; *text; text++) {
        const char *chosen = own_option(s, *text, "linsol");
        if (chosen) linsol = chosen;
    }
    for (int rep = c.reps > 1 ? -1 : 0; rep == 0 || rep < c.reps; rep++) {
        double began = bench_now();
        solve(s, &c, &about);
        stiff_time(&c, rep, bench_now() - began);
    }
    costate_stats stats;
    must(s, costate_get_stats(s, &stats));
    stiff_counts counts = {.peer = "costate",
                           .linsol = linsol,
                           .steps = stats.steps,
                           .rejected = stats.rejected,
                           .rhs = stats.rhs,
                           .jac = stats.jac,
                           .factor = stats.factor,
                           .solve = stats.solve};
    stiff_report(&c, &counts);
    costate_free(s);
    costate_model_close(model);
    stiff_close(&c);
    return 0;
}
