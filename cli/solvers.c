/* solvers.c - costate solvers: the linear solvers of implicit methods. What each takes, and whether it is there, is found by
 * asking the library for a solver with it. */
#include "cli.h"

#include <string.h>

enum { N = 3, FORMATS = 3 };
static const char *const formats[FORMATS] = {[COSTATE_DENSE] = "dense", [COSTATE_BANDED] = "banded", [COSTATE_CSC] = "sparse"};

static const struct {
    const char *name, *text;
} known[] = {{"auto", "the best of the others, by the pattern"},
             {"dense", "LAPACK, general matrices"},
             {"band", "LAPACK, band matrices"},
             {"klu", "KLU, sparse matrices"},
             {"umfpack", "UMFPACK, sparse, by dense blocks"},
             {"superlu", "SuperLU, sparse, by dense blocks"},
             {"gmres", "GMRES, without a matrix"}};

typedef struct about {
    char name[32];
    const char *text;
    int takes[FORMATS], installed;
    char why[256]; /* of not being installed */
} about;

static int still(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)y, (void)p, (void)data;
    return memset(f, 0, N * sizeof *f), 0;
}

static int takes(const char *name, costate_format format, char *why, size_t size)
{
    static const int colptr[N + 1] = {0, 1, 2, 3}, rowind[N] = {0, 1, 2};
    const costate_problem problem = {.n = N, .rhs = still, .pattern = {.format = format, .colptr = colptr, .rowind = rowind}};
    costate_options options = costate_defaults("rodas4");
    costate_solver *solver = NULL;
    options.linsol = name;
    const int status = costate_create(&solver, &problem, &options);
    const char *message = costate_message(solver), *reason = strstr(message, "linear solver \"");
    if (reason && strstr(message, "not installed")) snprintf(why, size, "%.*s", (int)(strcspn(reason, ";")), reason);
    costate_free(solver);
    return !status;
}

/* Solver i of the choices that the library's option has; -1 beyond the last. */
static int find(int i, about *a)
{
    costate_option_info info;
    for (int k = 0; !costate_option(k, &info) && strcmp(info.name, "linsol");) k++;
    const char *choice = info.choices;
    for (; i > 0 && choice; i--) choice = strchr(choice, '|') ? strchr(choice, '|') + 1 : NULL;
    if (!choice) return -1;
    *a = (about){.text = ""};
    snprintf(a->name, sizeof a->name, "%.*s", (int)strcspn(choice, "|"), choice);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].name, a->name)) a->text = known[k].text;
    for (int f = 0; f < FORMATS; f++) a->installed |= a->takes[f] = takes(a->name, (costate_format)f, a->why, sizeof a->why);
    return 0;
}

static void patterns(const about *a, char *text, size_t size)
{
    *text = 0;
    for (int f = 0; f < FORMATS; f++) {
        const size_t used = strlen(text);
        if (a->takes[f]) snprintf(text + used, size - used, "%s%s", used ? " " : "", formats[f]);
    }
}

static void print_table(cli_out *o)
{
    cli_table t;
    about a;
    char text[64];
    table_open(&t, 4, 1);
    table_text(&t, "solver");
    table_text(&t, "installed");
    table_text(&t, "patterns");
    table_text(&t, "what it is");
    for (int i = 0; !find(i, &a); i++) {
        patterns(&a, text, sizeof text);
        table_text(&t, "%s", a.name);
        table_text(&t, "%s", a.installed ? "yes" : "no");
        table_text(&t, "%s", text);
        table_text(&t, "%s", a.text);
    }
    table_print(&t, o);
    for (int i = 0; !find(i, &a); i++)
        if (!a.installed) fprintf(o->to, "\n"), help_paragraph(o->to, a.why, 0, o->width);
}

static void print_csv(cli_out *o)
{
    about a;
    char text[64];
    fputs("solver,text,patterns,installed\n", o->to);
    for (int i = 0; !find(i, &a); i++) {
        patterns(&a, text, sizeof text);
        csv_text(o->to, a.name, 0);
        csv_text(o->to, a.text, 0);
        csv_text(o->to, text, 0);
        csv_text(o->to, a.installed ? "1" : "0", 1);
    }
}

static void print_json(cli_out *o)
{
    about a;
    cli_json j = {.out = o, .fresh = 1};
    json_open(&j, NULL, '{');
    json_open(&j, "solvers", '[');
    for (int i = 0; !find(i, &a); i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", a.name);
        json_text(&j, "text", a.text);
        json_truth(&j, "installed", a.installed);
        json_line(&j, "patterns", '[');
        for (int f = 0; f < FORMATS; f++)
            if (a.takes[f]) json_text(&j, NULL, formats[f]);
        json_close(&j, ']');
        if (!a.installed) json_text(&j, "why", a.why);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

int cli_solvers(cli_request *r)
{
    cli_out o;
    int code = cli_out_open(&o, r);
    if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&o);
    return cli_out_close(&o, code);
}
