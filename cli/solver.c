/* solver.c - the library's options from the command line, solvers that have them, and what is said when one fails. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---------------------------------------------------------------------------------------------------------- */

static int library_option(const char *name)
{
    costate_option_info info;
    for (int i = 0; !costate_option(i, &info); i++)
        if (!strcmp(info.name, name)) return i;
    return -1;
}

const char *cli_library_value(const cli_request *r, const char *name)
{
    costate_option_info info;
    const int i = library_option(name);
    const char *given = cli_value(r, OPT_COUNT + i);
    return given ? given : costate_option(i, &info) ? "" : info.preset;
}

int cli_library_given(const cli_request *r, const char *name)
{
    return cli_value(r, OPT_COUNT + library_option(name)) != NULL;
}

const char *cli_method(const cli_request *r)
{
    return cli_library_value(r, "method");
}

static const char *method_name(int i, const void *context)
{
    (void)context;
    return costate_method(i)->name;
}

static int check_method(const cli_request *r)
{
    const char *name = cli_method(r);
    if (costate_method_find(name)) return EXIT_GOOD;
    const int near = cli_nearest(name, (int)strlen(name), costate_method_count(), method_name, NULL);
    if (near >= 0)
        return cli_usage(r->command->name, "there is no method '%s'; did you mean '%s'?", name, method_name(near, NULL));
    return cli_usage(r->command->name, "there is no method '%s'; `costate methods` lists them", name);
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
static void say(const cli_request *r, const costate_solver *solver)
{
    const char *advice = costate_advice(solver);
    fprintf(stderr, "costate %s: %s\n", r->command->name, costate_reason(solver));
    if (*advice) fprintf(stderr, "  try: %s\n", advice);
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
    int code = check_method(r), status = code ? 0 : costate_create(&solver, &problem, NULL);
    if (!code && !status) status = put_options(r, solver);
    if (status) {
        say(r, solver);
        code = EXIT_USAGE;
    }
    costate_free(solver);
    return code;
}

/* ---- solvers ---------------------------------------------------------------------------------------------------------- */

int cli_solver(cli_session *s, costate_solver **solver)
{
    costate_options options = costate_defaults(NULL);
    options.atols = s->atols;
    options.record = s->request->command->bit != CLI_RUN && s->request->command->bit != CLI_TANGENT;
    int status = costate_create(solver, &s->problem, &options);
    if (!status) status = put_options(s->request, *solver);
    if (!status) status = costate_set(*solver, "method", cli_method(s->request));
    return status;
}

/* What the library advises in general, in terms of the command line. */
static void advise(const cli_session *s, int status)
{
    if ((status == COSTATE_ERR_NOT_FINITE || status == COSTATE_ERR_SWEEP_NOT_FINITE) && !cli_value(s->request, OPT_NAN_CHECK))
        fprintf(stderr, "  try: --nan-check, which names the line of the model that makes the first NaN or infinity\n");
    const costate_table *table = costate_method_find(cli_method(s->request));
    if ((status == COSTATE_ERR_STEP || status == COSTATE_ERR_MAX_STEPS) && table && table->family == COSTATE_ERK)
        fprintf(stderr, "  try: --method rodas4, which is implicit\n");
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
        say(s->request, solver);
    advise(s, status);
    return status > COSTATE_ERR_MEMORY && status != COSTATE_ERR_INPUT ? EXIT_USAGE : EXIT_SOLVE;
}
