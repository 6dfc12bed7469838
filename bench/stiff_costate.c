/* stiff_costate.c - stiff problems with Costate; see stiff_bench.h. The options are the library's own, by name: linsol=klu control=gustafsson ... The
 * solver is made once; what is timed is what a caller in a loop pays. */
#include "stiff_bench.h"

#include "glv_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(costate_solver *s, int status)
{
    if (status == COSTATE_OK) return;
    fprintf(stderr, "%s\n", costate_message(s));
    exit(1);
}

/* Sets option=value, and returns the value if the option is `wanted`. */
static const char *set_option(costate_solver *s, const char *text, const char *wanted)
{
    char name[64];
    const char *value = strchr(text, '=');
    if (!value || (size_t)(value - text) >= sizeof name) {
        fprintf(stderr, "not option=value: %s\n", text);
        exit(1);
    }
    memcpy(name, text, (size_t)(value - text));
    name[value - text] = 0;
    must(s, costate_set(s, name, value + 1));
    return strcmp(name, wanted) ? NULL : value + 1;
}

static void solve(costate_solver *s, stiff_case *c)
{
    const problem *q = c->q;
    size_t n = (size_t)q->prob.n;
    memcpy(c->y, q->y0, n * sizeof *c->y);
    if (c->task == TANGENT) {
        memset(c->dy, 0, n * sizeof *c->dy);
        c->dy[0] = 1;
        must(s, costate_tangent(s, q->t0, q->t1, q->p, c->y, 1, c->dy, NULL));
        return;
    }
    must(s, costate_solve(s, q->t0, q->t1, q->p, c->y));
    if (c->task == GRADIENT) must(s, costate_gradient(s, 1, NULL, c->dy, c->dp));
    if (c->task == ADJOINT) {
        memset(c->dy, 0, n * sizeof *c->dy);
        c->dy[0] = 1;
        must(s, costate_adjoint(s, 1, c->dy, NULL));
    }
}

int main(int argc, char **argv)
{
    stiff_case c = stiff_open(argc, argv);
    costate_options options = costate_defaults(c.method);
    options.rtol = c.rtol;
    options.atols = c.atols;
    options.record = c.task == GRADIENT || c.task == ADJOINT;
    costate_solver *s = NULL;
    must(s, costate_create(&s, &c.q->prob, &options));
    const char *linsol = "auto";
    for (char **text = c.options; *text; text++) {
        const char *chosen = set_option(s, *text, "linsol");
        if (chosen) linsol = chosen;
    }
    for (int rep = c.reps > 1 ? -1 : 0; rep == 0 || rep < c.reps; rep++) {
        double began = bench_now();
        solve(s, &c);
        stiff_time(&c, rep, bench_now() - began);
    }
    costate_stats stats;
    must(s, costate_get_stats(s, &stats));
    stiff_counts counts = {.peer = "costate", .linsol = linsol, .steps = stats.steps, .rejected = stats.rejected, .rhs = stats.rhs,
                           .jac = stats.jac, .factor = stats.factor, .solve = stats.solve};
    stiff_report(&c, &counts);
    costate_free(s);
    stiff_close(&c);
    return 0;
}
