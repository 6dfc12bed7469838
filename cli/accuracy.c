/* accuracy.c - --accuracy: the tolerance by which objectives and gradients are as accurate as was asked for, found before the
 * command's own work, which is done with it. Where there is none the best one is taken, and that is said. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

int cli_accuracy_check(cli_session *s)
{
    const char *text = cli_value(s->request, OPT_ACCURACY), *command = s->request->command->name;
    if (!text) return EXIT_GOOD;
    if (cli_number(text, (int)strlen(text), &s->found.wanted) || !(s->found.wanted >= 1e-12 && s->found.wanted < 1))
        return cli_usage(command, "--accuracy: '%s' is not a number between 1e-12 and 1", text);
    if (cli_library_given(s->request, "rtol")) return cli_usage(command, "--accuracy finds --rtol: give one or the other");
    if (cli_library_given(s->request, "step"))
        return cli_usage(command, "--accuracy finds a tolerance, and steps of --step have none");
    if (cli_value(s->request, OPT_ENSEMBLE)) return cli_usage(command, "--accuracy is for one run, not for those of --ensemble");
    return EXIT_GOOD;
}

/* Variables by which gradients are taken, as the library counts them: those of the command, or all. */
static int *variables(const cli_session *s, int *count)
{
    const int all = cli_variables(s);
    cli_choice every = {.count = all, .pick = cli_take((size_t)all, sizeof *every.pick)};
    for (int v = 0; v < all; v++) every.pick[v] = v;
    const cli_choice *c = s->wrt ? s->wrt : &every;
    int *list = cli_library_variables(s, c);
    *count = c->count;
    free(every.pick);
    return list;
}

int cli_attain(cli_session *s, costate_solver *solver)
{
    costate_accuracy *a = &s->found;
    const int gradients = s->request->command->bit != CLI_RUN;
    const size_t w = gradients ? (size_t)(s->of ? s->of->count : s->objectives) : 0, record = w > 0;
    double *y = cli_take((size_t)s->n, sizeof *y), *weights = cli_take((size_t)s->objectives * w, sizeof *weights);
    int *variable = variables(s, &a->count);
    for (size_t l = 0; l < w; l++) weights[(size_t)(s->of ? s->of->pick[l] : (int)l) * w + l] = 1;
    memcpy(y, s->y0, (size_t)s->n * sizeof *y);
    a->t0 = s->t0, a->t1 = s->t1, a->p = s->p, a->y = y;
    a->w = a->count ? (int)w : 0, a->weights = weights, a->variable = variable;
    a->d = cli_take((size_t)a->count * w, sizeof *a->d);
    if (!a->count) a->variable = NULL;
    int status = record ? costate_set(solver, "record", "1") : 0;
    if (!status) status = costate_output(solver, 0, NULL, NULL, NULL);
    if (!status) status = costate_attain(solver, a);
    s->short_of = status == COSTATE_ERR_ACCURACY;
    if (s->short_of) cli_warn(&s->out, "%s", costate_reason(solver));
    free(a->d);
    free(y);
    free(weights);
    free(variable);
    return s->short_of ? 0 : status;
}

int cli_accuracy_code(cli_session *s)
{
    if (!s->short_of) return EXIT_GOOD;
    s->out.partial = 1;
    return EXIT_SOLVE;
}
