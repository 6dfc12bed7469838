/* accuracy.c - error against tolerance, for every problem with a known end, every method and rtol = 1e-3 .. 1e-10, as Markdown.
 *
 *     accuracy [problem]
 *
 * docs/accuracy_table.md is what it prints; docs/accuracy.md says how to read it. */
#include "accuracy.h"

#include <stdio.h>

enum { LOOSEST = 3, TIGHTEST = 10, MOST = 300000 }; /* powers of ten; attempted steps */

/* Large problems take long: one method of each family will do, and for those that are larger still, fewer tolerances. */
enum { LARGE = 500, LARGER = 2000, TIGHTEST_LARGER = 7 };
static const char *const for_large[] = {"rodas4", "sdirk4b", "radau2a"};

static int wanted(const problem *q, const costate_table *tb, int stiff)
{
    if (stiff != (tb->family != COSTATE_ERK)) return 0;
    for (size_t i = 0; i < sizeof for_large / sizeof *for_large; i++)
        if (!strcmp(tb->name, for_large[i])) return 1;
    return q->prob.n <= LARGE;
}

/* 1: more than the factor */
static int print_cell(const problem *q, const char *method, int digits)
{
    int status;
    double e = accuracy_error(q, method, pow(10, -digits), MOST, &status);
    if (status == COSTATE_ERR_MAX_STEPS) printf(" > |");
    else if (status) printf(" fails |"); /* the step size became too small */
    else printf(e > ACCURACY_FACTOR ? " **%.2g** |" : " %.2g |", e);
    fflush(stdout);
    return e > ACCURACY_FACTOR;
}

static void print_problem(const problem *q, int stiff)
{
    int tightest = q->prob.n > LARGER ? TIGHTEST_LARGER : TIGHTEST, beyond = 0;
    printf("\n## %s\n\n%d state%s\n\n| rtol |", q->name, q->prob.n, q->prob.n > 1 ? "s" : "");
    for (int d = LOOSEST; d <= tightest; d++) printf(" 1e-%d |", d);
    printf("\n|---|");
    for (int d = LOOSEST; d <= tightest; d++) printf("---|");
    printf("\n");
    for (int i = 0; i < costate_method_count(); i++) {
        const costate_table *tb = costate_method(i);
        if (!wanted(q, tb, stiff)) continue;
        printf("| %s |", tb->name);
        for (int d = LOOSEST; d <= tightest; d++) beyond |= print_cell(q, tb->name, d);
        printf("\n");
    }
    if (beyond) printf("\nAmplification: %.2g\n", accuracy_amplification(q));
}

int main(int argc, char **argv)
{
    problem *made[] = {heat_diffusivity(12), heat_two_modes(10), brusselator_1d(500), shallow_water(40), brusselator_2d(71)};
    static const char *const sizes[] = {"M=12", "M=10", "N=500", "M=40", "M=71"};
    int sized = sizeof made / sizeof *made, fixed = stiff_count(), all = problem_count() + fixed + sized;
    if (argc < 2) printf("# Error against tolerance\n\nWritten by `make accuracy`; docs/accuracy.md says how to read it.\n");
    for (int i = 0; i < all; i++) {
        int k = i - problem_count();
        const problem *hand = k < 0 ? problem_get(i) : k < fixed ? stiff_get(k) : made[k - fixed];
        if (argc >= 2 && strcmp(hand->name, argv[1])) continue;
        generated g = generate(hand, k < fixed ? NULL : sizes[k - fixed]);
        print_problem(&g.q, k >= 0);
        costate_model_close(g.model);
    }
    for (int i = 0; i < sized; i++) problem_free(made[i]);
    return 0;
}
