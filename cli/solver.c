/* solver.c - the library's options from the command line, solvers that have them, and what is said when one fails. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---------------------------------------------------------------------------------------------------------- */

int cli_library_option(const char *name)
{
    costate_option_info info;
    for (int i = 0; !costate_option(i, &info); i++)
        if (!strcmp(info.name, name)) return OPT_COUNT + i;
    return -1;
}

const char *cli_library_value(const cli_request *r, const char *name)
{
    costate_option_info info;
    const int i = cli_library_option(name);
    const char *given = cli_value(r, i);
    return given ? given : costate_option(i - OPT_COUNT, &info) ? "" : info.preset;
}

const char *cli_suited(const cli_session *s, const char *name, char text[32])
{
    const costate_model_info *m = &s->about;
    const double number = !strcmp(name, "rtol") ? m->rtol : !strcmp(name, "atol") ? m->atol : 0;
    if (cli_library_given(s->request, name)) return cli_library_value(s->request, name);
    if (!strcmp(name, "method") && m->method) return m->method;
    if (number > 0) snprintf(text, 32, "%.17g", number);
    return number > 0 ? text : cli_library_value(s->request, name);
}

int cli_library_given(const cli_request *r, const char *name)
{
    return cli_value(r, cli_library_option(name)) != NULL;
}

const char *cli_method(const cli_request *r)
{
    return cli_library_value(r, "method");
}

/* Puts all options to the solver but the method, which may only be possible with the others set. */
static int put_options(const cli_request *r, costate_solver *solver)
{
    costate_option_info info;
    int status = 0;
    for (int i = 0; !status && i < r->count; i++) {
        if (r->given[i].option < OPT_COUNT || costate_option(r->given[i].option - OPT_COUNT, &info)) continue;
        const char *value = r->given[i].value;
        const int by_name = !strcmp(info.name, "atol") && strchr(value, '=');
        if (strcmp(info.name, "method") && !by_name) status = costate_set(solver, info.name, value);
    }
    return status;
}

/* What the library says, and what it advises on a line of its own. */
static void say(const cli_request *r, const costate_solver *solver, int status)
{
    const char *advice = costate_advice(solver);
    fprintf(stderr, "costate %s: %s\n", r->command->name, costate_reason(solver));
    if (status == COSTATE_ERR_VALUE) fprintf(stderr, "try: costate help %s\n", r->command->name);
    else if (*advice) fprintf(stderr, "  try: %s\n", advice);
}

static int still(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)y, (void)p, (void)data;
    return f[0] = 0, 0;
}

int cli_options_check(const cli_request *r)
{
    const costate_problem problem = {.n = 1, .rhs = still};
    costate_solver *solver = NULL;
    const char *method = cli_method(r);
    const int known = !strcmp(method, "auto") || costate_method_find(method);
    int code = known ? EXIT_GOOD : suggest_method(r->command->name, method);
    int status = code ? 0 : costate_create(&solver, &problem, NULL);
    if (!code && !status) status = put_options(r, solver);
    if (status) {
        say(r, solver, status);
        code = EXIT_USAGE;
    }
    costate_free(solver);
    return code;
}

/* ---- solvers ---------------------------------------------------------------------------------------------------------- */

int cli_solver(cli_session *s, costate_solver **solver)
{
    char text[32];
    costate_options options = costate_model_defaults(s->model);
    options.method = "auto";
    options.atols = s->atols;
    options.record = s->request->command->bit != CLI_RUN && s->request->command->bit != CLI_TANGENT;
    int status = costate_create(solver, &s->problem, &options);
    if (!status) status = put_options(s->request, *solver);
    if (!status) status = costate_set(*solver, "method", cli_suited(s, "method", text));
    return status;
}

/* What the library advises in general, in terms of the command line. */
static void advise(const cli_session *s, int status)
{
    if ((status == COSTATE_ERR_NOT_FINITE || status == COSTATE_ERR_SWEEP_NOT_FINITE) && !cli_value(s->request, OPT_NAN_CHECK))
        fprintf(stderr, "  try: --nan-check, which names the line of the model that makes the first NaN or infinity\n");
    if (status == COSTATE_ERR_TIMES && s->problem.observations)
        fprintf(stderr, "  the model observes from t = %.9g to %.9g: the objectives need all of it\n", s->problem.observe_at[0],
                s->problem.observe_at[s->problem.observations - 1]);
    char text[32];
    const costate_table *table = costate_method_find(cli_suited(s, "method", text));
    if ((status == COSTATE_ERR_STEP || status == COSTATE_ERR_MAX_STEPS) && table && table->family == COSTATE_ERK)
        fprintf(stderr, "  try: --method auto, which goes over to an implicit method where that is better\n");
}

/* The codes up to -19 are about what was asked for, those beyond about what happened. */
int cli_failed(cli_session *s, const costate_solver *solver, int status)
{
    cli_end_if_told();
    if (*costate_model_message(s->model)) { /* code that was needed could not be compiled */
        cli_model_failed(s->request, s->model);
        return EXIT_COMPILE;
    }
    if (status != COSTATE_ERR_CALLBACK || !cli_value(s->request, OPT_NAN_CHECK)) /* else the model has said where */
        say(s->request, solver, status);
    advise(s, status);
    return status > COSTATE_ERR_MEMORY && status != COSTATE_ERR_INPUT ? EXIT_USAGE : EXIT_SOLVE;
}
